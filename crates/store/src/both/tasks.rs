//! Reading tasks.

use async_trait::async_trait;
use domain::{AgentId, Task, task::Work};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Db, Store,
    audience::{OF_AGENT, seen},
};
use crate::{Page, Result, TaskPlace, TaskQuery, Tasks, page, rows};

#[async_trait]
impl Tasks for Store {
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
        // One transaction, so that the task and its waiting interactions are of one moment.
        let mut transaction = self.begin_snapshot().await?;
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
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
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

    async fn tasks(&self, query: &TaskQuery) -> Result<Page<Task, TaskPlace>> {
        // One snapshot: a task that changes goes to the front of the list.
        let mut transaction = self.begin_snapshot().await?;
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT k.updated_at, k.agent_id, k.id, CAST(octet_length(k.body) AS BIGINT)
             FROM tasks k JOIN agents a ON a.id = k.agent_id WHERE TRUE",
        );
        narrow(&mut sql, query);
        // One more than asked for tells whether there are more.
        sql.push(ORDER).push_bind(i64::from(query.limit) + 1);
        let mut found: Vec<(i64, Uuid, String, i64)> =
            sql.build_query_as().fetch_all(&mut *transaction).await?;
        let more = page::cut(&mut found, query.limit, |(.., bytes)| *bytes);
        let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let next = match found.pop().filter(|_| more) {
            Some((updated_at, agent, id, _)) => Some(rows::task_place(updated_at, agent, id)?),
            None => None,
        };
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT k.body FROM tasks k JOIN agents a ON a.id = k.agent_id WHERE TRUE",
        );
        narrow(&mut sql, query);
        sql.push(ORDER).push_bind(count);
        let bodies = sql
            .build_query_scalar()
            .fetch_all(&mut *transaction)
            .await?;
        Ok(Page::new(rows::tasks(bodies), next))
    }
}

const ORDER: &str = " ORDER BY k.updated_at DESC, k.agent_id DESC, k.id DESC LIMIT ";

/// As with interactions: only the conditions that are asked for.
fn narrow(sql: &mut QueryBuilder<Db>, query: &TaskQuery) {
    seen(sql, &query.audience, &OF_AGENT);
    if let Some(agent) = query.agent {
        sql.push(" AND k.agent_id = ").push_bind(agent.0);
    }
    if let Some(status) = &query.status {
        sql.push(" AND k.status = ").push_bind(status.clone());
    }
    if let Some(place) = &query.after {
        sql.push(" AND (k.updated_at, k.agent_id, k.id) < (")
            .push_bind(place.updated_at.timestamp_millis())
            .push(", ")
            .push_bind(place.agent.0)
            .push(", ")
            .push_bind(place.id.clone())
            .push(")");
    }
}
