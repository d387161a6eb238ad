//! Reading the journal.

use async_trait::async_trait;
use domain::{Audience, Event, InteractionId, journal::Record};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Db, Store, audience::heard};
use crate::{EventPage, Journal, Result, page, rows};

#[async_trait]
impl Journal for Store {
    async fn last_seq(&self) -> Result<i64> {
        let seq: Option<i64> = sqlx::query_scalar("SELECT MAX(seq) FROM events")
            .fetch_one(&self.read)
            .await?;
        Ok(seq.unwrap_or_default())
    }

    async fn events_after(
        &self,
        after: i64,
        audience: &Audience,
        limit: u32,
    ) -> Result<EventPage<Event>> {
        let audience = &self.as_narrow(audience).await?;
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT e.seq, CAST(octet_length(e.payload) AS BIGINT) FROM events e WHERE e.seq > ",
        );
        sql.push_bind(after);
        heard(&mut sql, audience);
        sql.push(" ORDER BY e.seq LIMIT ")
            .push_bind(i64::from(limit) + 1);
        let lengths = sql.build_query_as().fetch_all(&self.read).await?;
        let (up_to, more) = end_of(lengths, after, limit);
        if up_to == after {
            return Ok(rows::events(Vec::new(), after, false));
        }
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT e.seq, e.id, e.at, e.type, e.agent_id, e.interaction_id, e.task_id, e.actor,
                    e.payload, e.prev_hash, e.hash, e.erased_by
             FROM events e WHERE e.seq > ",
        );
        sql.push_bind(after).push(" AND e.seq <= ").push_bind(up_to);
        heard(&mut sql, audience);
        sql.push(" ORDER BY e.seq");
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        Ok(rows::events(rows, up_to, more))
    }

    async fn event(&self, seq: i64) -> Result<Option<Event>> {
        let row = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash, erased_by
             FROM events WHERE seq = $1",
        )
        .bind(seq)
        .fetch_optional(&self.read)
        .await?;
        row.map(rows::one_event).transpose()
    }

    async fn events_of(
        &self,
        interaction: InteractionId,
        after: i64,
        limit: u32,
    ) -> Result<EventPage<Event>> {
        let id: Uuid = interaction.0;
        let lengths = sqlx::query_as(
            "SELECT seq, CAST(octet_length(payload) AS BIGINT) FROM events
             WHERE interaction_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        )
        .bind(id)
        .bind(after)
        .bind(i64::from(limit) + 1)
        .fetch_all(&self.read)
        .await?;
        let (up_to, more) = end_of(lengths, after, limit);
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash, erased_by
             FROM events WHERE interaction_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq",
        )
        .bind(id)
        .bind(after)
        .bind(up_to)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::events(rows, up_to, more))
    }

    async fn records_after(&self, after: i64, limit: u32) -> Result<Vec<Record>> {
        let lengths = sqlx::query_as(
            "SELECT seq, CAST(octet_length(payload) AS BIGINT) FROM events
             WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        let (up_to, _) = end_of(lengths, after, limit);
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash, kept, salt, digest, erased_by
             FROM events WHERE seq > $1 AND seq <= $2 ORDER BY seq",
        )
        .bind(after)
        .bind(up_to)
        .fetch_all(&self.read)
        .await?;
        rows::records(rows)
    }

    async fn hashes_after(&self, after: i64, limit: u32) -> Result<Vec<(i64, Vec<u8>)>> {
        let rows =
            sqlx::query_as("SELECT seq, hash FROM events WHERE seq > $1 ORDER BY seq LIMIT $2")
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&self.read)
                .await?;
        Ok(rows)
    }

    async fn seq_after(&self, after: i64) -> Result<Option<i64>> {
        let seq = sqlx::query_scalar("SELECT MIN(seq) FROM events WHERE seq > $1")
            .bind(after)
            .fetch_one(&self.read)
            .await?;
        Ok(seq)
    }

    async fn last_restored(&self) -> Result<Option<Event>> {
        let seq: Option<i64> =
            sqlx::query_scalar("SELECT MAX(seq) FROM events WHERE type = 'journal.restored'")
                .fetch_one(&self.read)
                .await?;
        match seq {
            Some(seq) => self.event(seq).await,
            None => Ok(None),
        }
    }
}

/// The last event of a page, and whether there are more, from the lengths of events after `after`.
fn end_of(mut lengths: Vec<(i64, i64)>, after: i64, limit: u32) -> (i64, bool) {
    let more = page::cut(&mut lengths, limit, |(_, bytes)| *bytes);
    (lengths.last().map_or(after, |(seq, _)| *seq), more)
}
