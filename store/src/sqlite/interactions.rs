//! Reading interactions from SQLite.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AgentId, Interaction, InteractionId};
use uuid::Uuid;

use super::SqliteStore;
use crate::{InteractionQuery, Interactions, Result, rows};

#[async_trait]
impl Interactions for SqliteStore {
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>> {
        sqlx::query_as::<_, rows::InteractionRow>(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at
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
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE ($1 IS NULL OR i.agent_id = $1)
               AND ($2 IS NULL OR i.state = $2)
               AND ($3 IS NULL OR i.session_id = $3)
               AND ($4 IS NULL OR i.id < $4)
             ORDER BY i.id DESC LIMIT $5",
        )
        .bind(query.agent.map(|id| id.0))
        .bind(&query.state)
        .bind(&query.session_id)
        .bind(query.before.map(|id| id.0))
        .bind(query.limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::interactions(rows))
    }

    async fn waiting(&self, limit: u32) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at
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
                    i.created_at, i.expires_at
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.closed_at IS NOT NULL
             ORDER BY i.closed_at DESC LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::interactions(rows))
    }

    async fn due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at
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
