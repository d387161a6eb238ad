//! Databases for tests: one each, gone afterwards. Not part of the program.
//!
//! `TEST_POSTGRES_URL` names a maintenance database in which every test makes one of its own;
//! `cargo xtask test` starts a server and sets it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that has no database cannot go on"
)]

mod cable;
mod held;
mod migrated;

use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use uuid::Uuid;

pub use cable::Cable;
pub use held::Held;

/// Runs each case twice, as `sqlite::case` and `postgres::case`, each time on a database that has the newest schema and
/// nothing else. A case is an `async fn` of one argument that a [`TestDatabase`] can be made into.
#[macro_export]
macro_rules! on_both_databases {
    ($($case:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let database = $crate::testing::TestDatabase::migrated_sqlite().await;
                super::$case(database.into()).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let database = $crate::testing::TestDatabase::migrated_postgres().await;
                super::$case(database.into()).await;
            })+
        }
    };
}

/// Removed when dropped.
#[derive(Debug)]
pub struct TestDatabase {
    pub url: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Folder { removed_with_it: tempfile::TempDir },
    Server { maintenance: String, name: String },
}

/// The database in which others are made.
fn maintenance() -> String {
    std::env::var("TEST_POSTGRES_URL").expect(
        "TEST_POSTGRES_URL is not set: run `cargo xtask test`, which starts a Postgres, or name one",
    )
}

/// Another database of the same server.
fn beside(maintenance: &str, name: &str) -> String {
    let (server, _) = maintenance.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

impl TestDatabase {
    /// An empty one, without a schema.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            url: format!("sqlite://{}", folder.path().join("handraise.db").display()),
            place: Place::Folder {
                removed_with_it: folder,
            },
        }
    }

    /// An empty one, without a schema.
    pub async fn postgres() -> Self {
        Self::of_postgres("template1").await
    }

    /// A copy of this one.
    async fn of_postgres(template: &str) -> Self {
        let maintenance = maintenance();
        let name = format!("handraise_{}", Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(&maintenance).await.unwrap();
        let sql = format!("CREATE DATABASE {name} TEMPLATE {template}");
        sqlx::query(AssertSqlSafe(sql))
            .execute(&mut connection)
            .await
            .unwrap();
        Self {
            url: beside(&maintenance, &name),
            place: Place::Server { maintenance, name },
        }
    }

    /// An empty one of the same kind.
    pub async fn another(&self) -> Self {
        match &self.place {
            Place::Folder { .. } => Self::sqlite(),
            Place::Server { .. } => Self::postgres().await,
        }
    }

    /// The same database, opened so that it cannot be written.
    pub fn read_only_url(&self) -> String {
        match &self.place {
            Place::Folder { .. } => format!("{}?mode=ro", self.url),
            Place::Server { .. } => format!(
                "{}?options=-c%20default_transaction_read_only%3Don",
                self.url
            ),
        }
    }

    /// All that is in the database: SQLite's files byte for byte, with the write-ahead log; of Postgres every row of every
    /// table, as a dump has them.
    ///
    /// # Errors
    /// The database's error.
    pub async fn contents(&self) -> Result<Vec<u8>, sqlx::Error> {
        let mut all = Vec::new();
        match &self.place {
            Place::Folder { removed_with_it } => {
                for file in std::fs::read_dir(removed_with_it.path())? {
                    all.extend(std::fs::read(file?.path())?);
                }
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                let tables: Vec<String> = sqlx::query_scalar(
                    "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'",
                )
                .fetch_all(&mut connection)
                .await?;
                for table in tables {
                    let rows = format!("SELECT row_to_json(t)::text FROM {table} t");
                    let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(rows))
                        .fetch_all(&mut connection)
                        .await?;
                    all.extend(rows.join("\n").into_bytes());
                }
            }
        }
        Ok(all)
    }

    /// Runs SQL, of one statement or several, behind the store's back.
    ///
    /// # Errors
    /// The database's error.
    pub async fn execute(&self, sql: &str) -> Result<(), sqlx::Error> {
        let sql = AssertSqlSafe(sql.to_owned());
        match &self.place {
            Place::Folder { .. } => {
                let mut connection = SqliteConnection::connect(&self.url).await?;
                sqlx::raw_sql(sql).execute(&mut connection).await?;
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                sqlx::raw_sql(sql).execute(&mut connection).await?;
            }
        }
        Ok(())
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Place::Server { maintenance, name } = &self.place else {
            return;
        };
        let (maintenance, name) = (maintenance.clone(), name.clone());
        // Drop cannot wait on the runtime it runs in.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut connection = PgConnection::connect(&maintenance).await.unwrap();
                let sql = format!("DROP DATABASE {name} WITH (FORCE)");
                sqlx::query(AssertSqlSafe(sql))
                    .execute(&mut connection)
                    .await
                    .unwrap();
            });
        })
        .join();
        if !std::thread::panicking() {
            dropped.unwrap();
        }
    }
}
