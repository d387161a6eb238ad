//! Agents in SQLite.

use async_trait::async_trait;
use domain::AgentId;

use super::SqliteStore;
use crate::{AgentRecord, Agents, Result, rows::AgentRow};

#[async_trait]
impl Agents for SqliteStore {
    async fn agents(&self) -> Result<Vec<AgentRecord>> {
        let rows: Vec<AgentRow> = sqlx::query_as(
            "SELECT a.id, a.name, a.last_seen_at,
                    (SELECT COUNT(*) FROM tasks t
                     WHERE t.agent_id = a.id AND t.status IN ('running', 'waiting')) AS open_tasks
             FROM agents a ORDER BY a.name",
        )
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(AgentRecord::try_from).collect()
    }

    async fn agent_named(&self, name: &str) -> Result<Option<AgentId>> {
        let id = sqlx::query_scalar("SELECT id FROM agents WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.read)
            .await?;
        Ok(id.map(AgentId))
    }
}
