//! Transactions that last, so that others meet them.

use sqlx::{Connection, PgConnection, SqliteConnection};

use super::{Place, TestDatabase};

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

impl TestDatabase {
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
}
