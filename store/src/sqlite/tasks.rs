//! Reading tasks from SQLite.

use async_trait::async_trait;
use domain::{AgentId, Task, task::Work};

use super::SqliteStore;
use crate::{Result, TaskQuery, Tasks, rows};

#[async_trait]
impl Tasks for SqliteStore {
    async fn task(&self, agent: AgentId, id: &str) -> Result<Option<Task>> {
        let body: Option<String> =
            sqlx::query_scalar("SELECT body FROM tasks WHERE agent_id = $1 AND id = $2")
                .bind(agent.0)
                .bind(id)
                .fetch_optional(&self.read)
                .await?;
        body.map(|body| rows::task(&body)).transpose()
    }

    async fn work(&self, agent: AgentId, id: &str) -> Result<Option<Work>> {
        // The task first: every change of what waits in it also changes its version, so what is decided
        // on blockers that are newer than the task is refused.
        let Some(task) = self.task(agent, id).await? else {
            return Ok(None);
        };
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.state = 'pending' AND i.agent_id = $1 AND i.task_id = $2
             ORDER BY i.id",
        )
        .bind(agent.0)
        .bind(id)
        .fetch_all(&self.read)
        .await?;
        Ok(Some(Work {
            task,
            pending: rows::interactions(rows),
        }))
    }

    async fn tasks(&self, query: &TaskQuery) -> Result<Vec<Task>> {
        let after = query.after.as_ref();
        let bodies = sqlx::query_scalar(
            "SELECT body FROM tasks
             WHERE ($1 IS NULL OR agent_id = $1)
               AND ($2 IS NULL OR status = $2)
               AND ($3 IS NULL OR (updated_at, agent_id, id) < ($3, $4, $5))
             ORDER BY updated_at DESC, agent_id DESC, id DESC LIMIT $6",
        )
        .bind(query.agent.map(|id| id.0))
        .bind(&query.status)
        .bind(after.map(|place| place.updated_at.timestamp_millis()))
        .bind(after.map(|place| place.agent.0))
        .bind(after.map(|place| &place.id))
        .bind(query.limit)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::tasks(bodies))
    }
}
