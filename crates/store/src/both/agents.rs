//! Agents.

use async_trait::async_trait;
use domain::{AgentId, Day};

use super::Store;
use crate::{
    AgentRecord, Agents, Result,
    rows::{self, AgentRow},
};

#[async_trait]
impl Agents for Store {
    async fn agents(&self, day: Day) -> Result<Vec<AgentRecord>> {
        let rows: Vec<AgentRow> = sqlx::query_as(
            "SELECT a.id, a.name, a.last_seen_at,
                    (SELECT COUNT(*) FROM tasks t
                     WHERE t.agent_id = a.id AND t.status IN ('running', 'waiting')) AS open_tasks,
                    COALESCE((SELECT u.bytes FROM agent_usage u
                              WHERE u.agent_id = a.id AND u.day = $1), 0) AS stored
             FROM agents a ORDER BY a.name",
        )
        .bind(day.0)
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(AgentRecord::try_from).collect()
    }

    async fn stored_by(&self, agent: AgentId, day: Day) -> Result<u64> {
        let bytes: Option<i64> =
            sqlx::query_scalar("SELECT bytes FROM agent_usage WHERE agent_id = $1 AND day = $2")
                .bind(agent.0)
                .bind(day.0)
                .fetch_optional(&self.read)
                .await?;
        Ok(rows::bytes(bytes.unwrap_or(0)))
    }

    async fn agent_named(&self, name: &str) -> Result<Option<AgentId>> {
        let id = sqlx::query_scalar("SELECT id FROM agents WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.read)
            .await?;
        Ok(id.map(AgentId))
    }
}
