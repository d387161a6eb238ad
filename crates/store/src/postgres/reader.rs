//! Connections for what every request reads.

use sqlx::{FromRow, PgPool, QueryBuilder, postgres::PgRow};

use super::Db;
use crate::Result;

/// Reads one after the other, each on any connection.
pub(super) struct Reader(PgPool);

impl Reader {
    pub(super) fn of(pool: &PgPool) -> Self {
        Self(pool.clone())
    }

    pub(super) async fn rows<R>(&mut self, mut sql: QueryBuilder<Db>) -> Result<Vec<R>>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        Ok(sql.build_query_as().fetch_all(&self.0).await?)
    }
}
