//! Decisions that stand or have stood, read: grants and answers are listed, and their uses counted, in the same way.

use chrono::{DateTime, Utc};
use domain::Audience;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Db, Store,
    audience::{Columns, seen},
    ground::Table,
};
use crate::{Result, rows::StoodRow};

/// The team that was asked when it was made.
const WHOSE: Columns = Columns {
    agent: "s.agent_id",
    team: "s.team_id",
};

impl Table {
    /// Selects from `s`; a condition follows.
    pub(super) fn select(self) -> QueryBuilder<Db> {
        let words = match self {
            Self::Grants => "scope",
            Self::Memories => "kept",
        };
        let mut sql = QueryBuilder::new("SELECT s.id, s.terms, s.");
        sql.push(words)
            .push(" AS words, s.signature, s.uses, s.last_used_at, s.ended_at, s.ended_why FROM ")
            .push(self.name())
            .push(" s WHERE ");
        sql
    }

    /// Where its uses are, and the column that says of what.
    fn uses(self) -> (&'static str, &'static str) {
        match self {
            Self::Grants => ("grant_uses", "grant_id"),
            Self::Memories => ("memory_uses", "memory_id"),
        }
    }
}

impl Store {
    /// One, also when it has ended.
    pub(super) async fn stood(&self, table: Table, id: Uuid) -> Result<Option<StoodRow>> {
        let mut sql = table.select();
        sql.push("s.id = ").push_bind(id);
        Ok(sql.build_query_as().fetch_optional(&self.read).await?)
    }

    /// Those that the audience may see, the newest first.
    pub(super) async fn all_stood(
        &self,
        table: Table,
        audience: &Audience,
        before: Option<Uuid>,
        open_since: Option<DateTime<Utc>>,
        limit: u32,
    ) -> Result<Vec<StoodRow>> {
        let audience = self.as_narrow(audience).await?;
        let mut sql = table.select();
        sql.push("s.id < ").push_bind(before.unwrap_or(Uuid::max()));
        if let Some(since) = open_since {
            sql.push(" AND (s.ended_at IS NULL OR s.ended_at >= ")
                .push_bind(since.timestamp_millis())
                .push(") AND s.expires_at >= ")
                .push_bind(since.timestamp_millis());
        }
        seen(&mut sql, &audience, &WHOSE);
        sql.push(" ORDER BY s.id DESC LIMIT ")
            .push_bind(i64::from(limit));
        let rows = sql.build_query_as().persistent(false);
        Ok(rows.fetch_all(&self.read).await?)
    }

    /// What one has decided since then and when, the newest first.
    pub(super) async fn uses_of(
        &self,
        table: Table,
        id: Uuid,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<(Uuid, i64)>> {
        let (uses, of) = table.uses();
        let mut sql = QueryBuilder::new(format!(
            "SELECT interaction_id, at FROM {uses} WHERE {of} = "
        ));
        sql.push_bind(id)
            .push(" AND at >= ")
            .push_bind(since.timestamp_millis())
            .push(" ORDER BY at DESC, interaction_id DESC LIMIT ")
            .push_bind(i64::from(limit));
        Ok(sql.build_query_as().fetch_all(&self.read).await?)
    }

    /// How often each of these was used since then. One that was not is missing.
    pub(super) async fn times_used(
        &self,
        table: Table,
        ids: Vec<Uuid>,
        since: DateTime<Utc>,
    ) -> Result<Vec<(Uuid, u64)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let (uses, of) = table.uses();
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new(format!("SELECT {of}, COUNT(*) FROM {uses} WHERE at >= "));
        sql.push_bind(since.timestamp_millis())
            .push(format!(" AND {of} IN ("));
        let mut list = sql.separated(", ");
        for id in ids {
            list.push_bind(id);
        }
        sql.push(format!(") GROUP BY {of}"));
        // Lists of ids have as many lengths as there are pages: not worth keeping.
        let rows = sql.build_query_as().persistent(false);
        let counts: Vec<(Uuid, i64)> = rows.fetch_all(&self.read).await?;
        let counts = counts
            .into_iter()
            .map(|(id, count)| (id, u64::try_from(count).unwrap_or_default()));
        Ok(counts.collect())
    }
}
