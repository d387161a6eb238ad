//! Reading interactions from SQLite.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Interaction, InteractionId,
    interaction::{Kind, Mode},
};
use uuid::Uuid;

use super::SqliteStore;
use crate::{Counts, InteractionQuery, Interactions, Result, rows, search};

#[async_trait]
impl Interactions for SqliteStore {
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>> {
        sqlx::query_as::<_, rows::InteractionRow>(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?
        .map(Interaction::try_from)
        .transpose()
    }

    async fn asked_under(
        &self,
        agent: AgentId,
        key: &str,
    ) -> Result<Option<(InteractionId, [u8; 32])>> {
        let row: Option<(Uuid, Vec<u8>)> = sqlx::query_as(
            "SELECT interaction_id, fingerprint FROM idempotency_keys
             WHERE agent_id = $1 AND key = $2",
        )
        .bind(agent.0)
        .bind(key)
        .fetch_optional(&self.read)
        .await?;
        rows::asked_under(row)
    }

    async fn interactions(&self, query: &InteractionQuery) -> Result<Vec<Interaction>> {
        let listed = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE ($1 IS NULL OR i.agent_id = $1)
               AND ($2 IS NULL OR i.state = $2)
               AND ($3 IS NULL OR i.kind = $3)
               AND ($4 IS NULL OR i.mode = $4)
               AND ($5 IS NULL OR i.session_id = $5)
               AND ($6 IS NULL OR i.task_id = $6)
               AND ($7 IS NULL OR i.id < $7)
             ORDER BY i.id DESC LIMIT $8",
        );
        let searched = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE ($1 IS NULL OR i.agent_id = $1)
               AND ($2 IS NULL OR i.state = $2)
               AND ($3 IS NULL OR i.kind = $3)
               AND ($4 IS NULL OR i.mode = $4)
               AND ($5 IS NULL OR i.session_id = $5)
               AND ($6 IS NULL OR i.task_id = $6)
               AND ($7 IS NULL OR i.id < $7)
               AND i.id IN (
                   SELECT interaction_id FROM interaction_words WHERE interaction_words MATCH $9)
             ORDER BY i.id DESC LIMIT $8",
        );
        let words = query.search.as_deref().map(search::words);
        let narrowed = match &words {
            Some(words) if words.is_empty() => return Ok(Vec::new()),
            Some(_) => searched,
            None => listed,
        }
        .bind(query.agent.map(|id| id.0))
        .bind(&query.state)
        .bind(query.kind.map(Kind::name))
        .bind(query.mode.map(Mode::name))
        .bind(&query.session_id)
        .bind(&query.task_id)
        .bind(query.before.map(|id| id.0))
        .bind(query.limit);
        let rows = match words {
            Some(words) => narrowed.bind(beginnings(&words)),
            None => narrowed,
        }
        .fetch_all(&self.read)
        .await?;
        Ok(rows::interactions(rows))
    }

    async fn waiting(&self, limit: u32) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.state = 'pending'
             ORDER BY i.mode <> 'sync', NOT i.urgent, i.id LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::interactions(rows))
    }

    async fn recently_closed(&self, limit: u32) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.closed_at IS NOT NULL
             ORDER BY i.closed_at DESC LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::interactions(rows))
    }

    async fn pending_count(&self, agent: AgentId) -> Result<u32> {
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM interactions WHERE state = 'pending' AND agent_id = $1",
        )
        .bind(agent.0)
        .fetch_one(&self.read)
        .await?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    async fn counts(&self, since: DateTime<Utc>) -> Result<Counts> {
        let asked = sqlx::query_scalar(
            "SELECT COUNT(*) FROM interactions WHERE id >= $1 AND kind <> 'notification'",
        )
        .bind(InteractionId::earliest(since).0)
        .fetch_one(&self.read)
        .await?;
        let closed = sqlx::query_as(
            "SELECT state, COUNT(*) FROM interactions
             WHERE closed_at >= $1 AND kind <> 'notification' GROUP BY state",
        )
        .bind(since.timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        Ok(rows::counts(asked, closed))
    }

    async fn due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.state = 'pending' AND i.expires_at <= $1
             ORDER BY i.expires_at LIMIT $2",
        )
        .bind(now.timestamp_millis())
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::interactions(rows))
    }
}

/// Letters and digits only, so no word can be taken for a part of the query language.
fn beginnings(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"*")).collect();
    words.join(" ")
}
