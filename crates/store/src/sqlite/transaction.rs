//! The transaction of a batch. It begins with the read that every batch begins with, and ends with its last writes: most of
//! what a lone commit takes is the way to the connection's thread and back, and each statement that is sent by itself is one.

use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool, pool::PoolConnection};

use crate::{JournalState, Result, rows, writer::BatchError};

/// A connection in the middle of a transaction. Dropped so, it is closed, and nothing was written.
pub(super) struct Transaction(Option<PoolConnection<Sqlite>>);

impl Transaction {
    /// Keeps others from writing. The journal ends there.
    pub(super) async fn begin(pool: &SqlitePool) -> Result<(Self, JournalState)> {
        let mut begun = Self(Some(pool.acquire().await?));
        let sql = "BEGIN IMMEDIATE; SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1";
        let end = sqlx::query_as(sql).fetch_all(begun.connection()?).await?;
        Ok((begun, rows::journal_state(end.into_iter().next())?))
    }

    /// Runs a text that begins a transaction and says everything in it, and commits.
    pub(super) async fn run(
        pool: &SqlitePool,
        text: QueryBuilder<Sqlite>,
    ) -> std::result::Result<(), BatchError> {
        Self(Some(pool.acquire().await?)).commit(text).await
    }

    pub(super) fn connection(&mut self) -> Result<&mut SqliteConnection> {
        // It is there until the end.
        Ok(self.0.as_deref_mut().ok_or(sqlx::Error::PoolClosed)?)
    }

    /// Runs these statements, each of which ends with a semicolon, and commits.
    pub(super) async fn commit(
        mut self,
        mut last: QueryBuilder<Sqlite>,
    ) -> std::result::Result<(), BatchError> {
        last.push("COMMIT");
        match last.build().execute(self.connection()?).await {
            Ok(_) => {
                drop(self.0.take());
                Ok(())
            }
            Err(error) if self.roll_back().await => Err(BatchError::RolledBack(error.into())),
            Err(error) => Err(BatchError::Unknown(error.into())),
        }
    }

    /// Whether it had not ended before, in whatever way.
    pub(super) async fn roll_back(mut self) -> bool {
        let Ok(connection) = self.connection() else {
            return false;
        };
        let is_open = sqlx::query("ROLLBACK").execute(connection).await.is_ok();
        if is_open {
            drop(self.0.take());
        }
        is_open
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(connection.detach());
        }
    }
}
