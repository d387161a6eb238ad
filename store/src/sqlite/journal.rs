//! Reading the journal from SQLite.

use async_trait::async_trait;
use domain::{AgentId, Event, InteractionId};

use super::SqliteStore;
use crate::{Journal, JournalState, Result, rows};

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
        let rows = sqlx::query_as(
            "SELECT e.seq, e.id, e.at, e.type, e.interaction_id, e.task_id, e.actor, e.payload,
                    e.prev_hash, e.hash
             FROM events e
             WHERE e.seq > $1
               AND ($2 IS NULL OR EXISTS (
                   SELECT 1 FROM interactions i WHERE i.id = e.interaction_id AND i.agent_id = $2))
             ORDER BY e.seq LIMIT $3",
        )
        .bind(after)
        .bind(agent.map(|id| id.0))
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::events(rows))
    }

    async fn events_of(&self, interaction: InteractionId) -> Result<Vec<Event>> {
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type, interaction_id, task_id, actor, payload, prev_hash, hash
             FROM events WHERE interaction_id = $1 ORDER BY seq",
        )
        .bind(interaction.0)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::events(rows))
    }

    async fn verify_after(&self, from: JournalState, limit: u32) -> Result<JournalState> {
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type, interaction_id, task_id, actor, payload, prev_hash, hash
             FROM events WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .bind(from.seq)
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        from.verify(&rows::stored_events(rows)?)
    }
}
