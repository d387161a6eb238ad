//! What the server may rely on, case by case, on SQLite and on Postgres.
//!
//! `TEST_POSTGRES_URL` names a maintenance database in which every case makes one of its own;
//! `cargo xtask test` starts a server and sets it.

mod commits;
mod credentials;
mod database;
mod opening;
mod reading;

/// Runs each case on both databases.
macro_rules! on_both {
    ($($case:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(crate::database::Database::sqlite()).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let database = crate::database::Database::postgres().await;
                super::$case(database).await;
            })+
        }
    };
}
pub(crate) use on_both;
