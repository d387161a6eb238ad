//! Agents.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::{AgentId, Audience, Day, access::Owner};
use sqlx::QueryBuilder;

use super::{
    Db, Store,
    audience::{OF_AGENT, seen},
};
use crate::{
    AgentRecord, Agents, Asker, Asking, Result, Teams,
    rows::{self, AgentOwnerRow, AgentRow},
};

#[async_trait]
impl Agents for Store {
    async fn agents(&self, audience: &Audience, day: Day) -> Result<Vec<AgentRecord>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT a.id, a.name, a.last_seen_at, h.id AS home_id, h.name AS home_name,
                    (SELECT COUNT(*) FROM tasks t
                     WHERE t.agent_id = a.id AND t.status IN ('running', 'waiting')) AS open_tasks,
                    COALESCE((SELECT u.bytes FROM agent_usage u
                              WHERE u.agent_id = a.id AND u.day = ",
        );
        sql.push_bind(day.0).push(
            "), 0) AS stored
             FROM agents a LEFT JOIN teams h ON h.id = a.team_id WHERE TRUE",
        );
        seen(&mut sql, audience, &OF_AGENT);
        sql.push(" ORDER BY a.name");
        let rows: Vec<AgentRow> = sql.build_query_as().fetch_all(&self.read).await?;
        let owners: Vec<AgentOwnerRow> = sqlx::query_as(
            "SELECT DISTINCT t.agent_id, o.id, o.name, o.disabled_at
             FROM tokens t JOIN people o ON o.id = t.owner_id
             WHERE t.agent_id IS NOT NULL AND t.revoked_at IS NULL ORDER BY o.name, o.id",
        )
        .fetch_all(&self.read)
        .await?;
        let mut owned_by: HashMap<AgentId, Vec<Owner>> = HashMap::new();
        for (agent, owner) in owners.into_iter().map(Into::into) {
            owned_by.entry(agent).or_default().push(owner);
        }
        let records = rows.into_iter().map(AgentRecord::try_from);
        let owned = records.map(|record| {
            let mut record = record?;
            record.owners = owned_by.remove(&record.agent.id).unwrap_or_default();
            Ok(record)
        });
        owned.collect()
    }

    async fn asking(&self, agent: AgentId, day: Day, pending: u32) -> Result<Asking> {
        let row = self.by_key.askings.read((agent, day, pending)).await?;
        let row = row.unwrap_or_default();
        let teams = match row.has_teams {
            true => self.asker(agent).await?,
            false => Asker::default(),
        };
        Ok(row.asking(teams))
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
