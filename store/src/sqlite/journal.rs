//! Reading the journal from SQLite.

use async_trait::async_trait;
use domain::{AgentId, Event, InteractionId, journal::Record};

use super::SqliteStore;
use crate::{Journal, Result, rows};

#[async_trait]
impl Journal for SqliteStore {
    async fn last_seq(&self) -> Result<i64> {
        let seq: Option<i64> = sqlx::query_scalar("SELECT MAX(seq) FROM events")
            .fetch_one(&self.read)
            .await?;
        Ok(seq.unwrap_or_default())
    }

    async fn events_after(
        &self,
        after: i64,
        agent: Option<AgentId>,
        limit: u32,
    ) -> Result<Vec<Event>> {
        let everybodys = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash
             FROM events WHERE seq > $1 ORDER BY seq LIMIT $2",
        );
        let own = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash
             FROM events WHERE seq > $1 AND agent_id = $3 ORDER BY seq LIMIT $2",
        );
        let rows = match agent {
            None => everybodys.bind(after).bind(limit),
            Some(agent) => own.bind(after).bind(limit).bind(agent.0),
        }
        .fetch_all(&self.read)
        .await?;
        Ok(rows::events(rows))
    }

    async fn events_of(&self, interaction: InteractionId) -> Result<Vec<Event>> {
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash
             FROM events WHERE interaction_id = $1 ORDER BY seq",
        )
        .bind(interaction.0)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::events(rows))
    }

    async fn records_after(&self, after: i64, limit: u32) -> Result<Vec<Record>> {
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash
             FROM events WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .bind(after)
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        rows::records(rows)
    }

    async fn hashes_after(&self, after: i64, limit: u32) -> Result<Vec<(i64, Vec<u8>)>> {
        let rows =
            sqlx::query_as("SELECT seq, hash FROM events WHERE seq > $1 ORDER BY seq LIMIT $2")
                .bind(after)
                .bind(limit)
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
}
