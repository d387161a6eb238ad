//! Reading tasks from Postgres.

use async_trait::async_trait;
use domain::{AgentId, Task, task::Work};
use sqlx::{Postgres, QueryBuilder};

use super::PostgresStore;
use crate::{Result, TaskQuery, Tasks, rows};

#[async_trait]
impl Tasks for PostgresStore {
    async fn task(&self, agent: AgentId, id: &str) -> Result<Option<Task>> {
        let body: Option<String> =
            sqlx::query_scalar("SELECT body FROM tasks WHERE agent_id = $1 AND id = $2")
                .bind(agent.0)
                .bind(id)
                .fetch_optional(&self.pool)
                .await?;
        body.map(|body| rows::task(&body)).transpose()
    }

    async fn work(&self, agent: AgentId, id: &str) -> Result<Option<Work>> {
        // One snapshot, so that the task and what waits in it are of one moment.
        let mut transaction = self
            .pool
            .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            .await?;
        let body: Option<String> =
            sqlx::query_scalar("SELECT body FROM tasks WHERE agent_id = $1 AND id = $2")
                .bind(agent.0)
                .bind(id)
                .fetch_optional(&mut *transaction)
                .await?;
        let Some(body) = body else {
            return Ok(None);
        };
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.callback, i.card_channel, i.card_ts,
                    i.card_permalink, i.follow_ups
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             WHERE i.state = 'pending' AND i.agent_id = $1 AND i.task_id = $2
             ORDER BY i.id",
        )
        .bind(agent.0)
        .bind(id)
        .fetch_all(&mut *transaction)
        .await?;
        Ok(Some(Work {
            task: rows::task(&body)?,
            pending: rows::every_interaction(rows)?,
        }))
    }

    async fn tasks(&self, query: &TaskQuery) -> Result<Vec<Task>> {
        // As with interactions: only the conditions that are asked for.
        let mut sql: QueryBuilder<Postgres> =
            QueryBuilder::new("SELECT body FROM tasks WHERE TRUE");
        if let Some(agent) = query.agent {
            sql.push(" AND agent_id = ").push_bind(agent.0);
        }
        if let Some(status) = &query.status {
            sql.push(" AND status = ").push_bind(status);
        }
        if let Some(place) = &query.after {
            sql.push(" AND (updated_at, agent_id, id) < (")
                .push_bind(place.updated_at.timestamp_millis())
                .push(", ")
                .push_bind(place.agent.0)
                .push(", ")
                .push_bind(&place.id)
                .push(")");
        }
        sql.push(" ORDER BY updated_at DESC, agent_id DESC, id DESC LIMIT ")
            .push_bind(i64::from(query.limit));
        let bodies = sql.build_query_scalar().fetch_all(&self.pool).await?;
        Ok(rows::tasks(bodies))
    }
}
