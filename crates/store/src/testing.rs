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

use std::str::FromStr;

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, SqliteConnection,
    migrate::{MigrateError, Migrator},
    sqlite::SqliteConnectOptions,
};
use uuid::Uuid;

use crate::migrate;

pub use cable::Cable;

/// Runs each case twice, as `sqlite::case` and `postgres::case`. A case is an `async fn` of one argument
/// that a [`TestDatabase`] can be made into.
#[macro_export]
macro_rules! on_both_databases {
    ($($case:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case($crate::testing::TestDatabase::sqlite().into()).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let database = $crate::testing::TestDatabase::postgres().await;
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

/// A transaction that lasts, such as one that keeps others from writing.
#[derive(Debug)]
pub enum Held {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Held {
    /// Writes this, which nobody sees before [`Held::commit`].
    ///
    /// # Errors
    /// The database's error.
    pub async fn execute(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => sqlx::raw_sql(sql).execute(connection).await.map(drop),
            Self::Postgres(connection) => sqlx::raw_sql(sql).execute(connection).await.map(drop),
        }
    }

    /// Keeps what was written, and lets the others write.
    ///
    /// # Errors
    /// The database's error.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.execute("COMMIT").await?;
        self.let_go().await
    }

    /// Lets them write.
    ///
    /// # Errors
    /// The database's error.
    pub async fn let_go(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => connection.close().await,
        }
    }
}

#[derive(Debug)]
enum Place {
    Folder { removed_with_it: tempfile::TempDir },
    Server { maintenance: String, name: String },
}

impl TestDatabase {
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            url: format!("sqlite://{}", folder.path().join("handraise.db").display()),
            place: Place::Folder {
                removed_with_it: folder,
            },
        }
    }

    pub async fn postgres() -> Self {
        let maintenance = std::env::var("TEST_POSTGRES_URL").expect(
            "TEST_POSTGRES_URL is not set: run `cargo xtask test`, which starts a Postgres, or name one",
        );
        let name = format!("handraise_{}", Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(&maintenance).await.unwrap();
        sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .unwrap();
        let (server, _) = maintenance.rsplit_once('/').unwrap();
        Self {
            url: format!("{server}/{name}"),
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

    /// Keeps others from writing until [`Held::let_go`]. They wait, SQLite's no longer than five seconds.
    ///
    /// # Errors
    /// The database's error.
    pub async fn hold_writes(&self) -> Result<Held, sqlx::Error> {
        match &self.place {
            Place::Folder { .. } => {
                let mut connection = SqliteConnection::connect(&self.url).await?;
                sqlx::raw_sql("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
                    .execute(&mut connection)
                    .await?;
                Ok(Held::Sqlite(connection))
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                sqlx::raw_sql("BEGIN; LOCK TABLE events IN EXCLUSIVE MODE")
                    .execute(&mut connection)
                    .await?;
                Ok(Held::Postgres(connection))
            }
        }
    }

    /// Reads as it is now, until [`Held::let_go`].
    ///
    /// # Errors
    /// The database's error.
    pub async fn hold_snapshot(&self) -> Result<Held, sqlx::Error> {
        const LOOK: &str = "BEGIN; SELECT count(*) FROM people";
        match &self.place {
            Place::Folder { .. } => {
                let mut connection = SqliteConnection::connect(&self.url).await?;
                sqlx::raw_sql(LOOK).execute(&mut connection).await?;
                Ok(Held::Sqlite(connection))
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                sqlx::raw_sql(LOOK).execute(&mut connection).await?;
                Ok(Held::Postgres(connection))
            }
        }
    }

    /// Brings an empty database to an earlier schema.
    ///
    /// # Errors
    /// The database's error.
    pub async fn migrate_to(&self, version: i64) -> Result<(), MigrateError> {
        let until = |all: &Migrator| Migrator {
            migrations: all
                .iter()
                .filter(|one| one.version <= version)
                .cloned()
                .collect(),
            ..Migrator::DEFAULT
        };
        match &self.place {
            Place::Folder { .. } => {
                let options = SqliteConnectOptions::from_str(&self.url)?.create_if_missing(true);
                let mut connection = options.connect().await?;
                until(&migrate::SQLITE).run(&mut connection).await
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                until(&migrate::POSTGRES).run(&mut connection).await
            }
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
