//! A connection for what every request reads.

use sqlx::{FromRow, QueryBuilder, SqlitePool, pool::PoolConnection, sqlite::SqliteRow};

use super::Db;
use crate::Result;

/// Reads one after the other, and keeps its connection. The pool looks at each that comes back, which is a message to the
/// connection's thread and one back: as long a way as that of a read.
pub(super) struct Reader {
    pool: SqlitePool,
    kept: Option<PoolConnection<Db>>,
}

impl Reader {
    pub(super) fn of(pool: &SqlitePool) -> Self {
        Self {
            pool: pool.clone(),
            kept: None,
        }
    }

    pub(super) async fn rows<R>(&mut self, mut sql: QueryBuilder<Db>) -> Result<Vec<R>>
    where
        R: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        let mut connection = match self.kept.take() {
            Some(kept) => kept,
            None => self.pool.acquire().await?,
        };
        let rows = sql.build_query_as().fetch_all(&mut *connection).await?;
        // One that fails, or is left in the middle, goes to the pool.
        self.kept = Some(connection);
        Ok(rows)
    }
}
