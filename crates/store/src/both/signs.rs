//! The signs of life of agents.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AgentId, InteractionId, interaction::Signs};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Db, Store, narrowed::among};
use crate::{Result, SignsOfLife, rows};

/// In one statement: a database takes only so many values.
const ROWS: usize = 500;

#[async_trait]
impl SignsOfLife for Store {
    async fn asked_after(&self, asked: &[(InteractionId, DateTime<Utc>)]) -> Result<()> {
        let mut writing = self.begin_write().await?;
        for rows in asked.chunks(ROWS) {
            let mut sql: QueryBuilder<Db> =
                QueryBuilder::new("INSERT INTO asked_after (interaction_id, at) ");
            sql.push_values(rows, |mut row, (id, at)| {
                row.push_bind(id.0).push_bind(at.timestamp_millis());
            });
            sql.push(
                " ON CONFLICT (interaction_id) DO UPDATE SET at = excluded.at
                  WHERE excluded.at > asked_after.at",
            );
            sql.build().persistent(false).execute(&mut *writing).await?;
        }
        writing.commit().await?;
        Ok(())
    }

    async fn listened(&self, agents: &[(AgentId, DateTime<Utc>)]) -> Result<()> {
        let mut writing = self.begin_write().await?;
        for (agent, at) in agents {
            sqlx::query(
                "UPDATE agents SET listened_at = $1
                 WHERE id = $2 AND (listened_at IS NULL OR listened_at < $1)",
            )
            .bind(at.timestamp_millis())
            .bind(agent.0)
            .execute(&mut *writing)
            .await?;
        }
        writing.commit().await?;
        Ok(())
    }

    async fn signs(&self, of: &[InteractionId]) -> Result<HashMap<InteractionId, Signs>> {
        let mut all = HashMap::with_capacity(of.len());
        for ids in of.chunks(ROWS) {
            let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                "SELECT i.id, i.has_callback, s.at, a.listened_at, a.last_seen_at
                 FROM interactions i JOIN agents a ON a.id = i.agent_id
                 LEFT JOIN asked_after s ON s.interaction_id = i.id
                 WHERE i.state = 'pending'",
            );
            among(&mut sql, &ids);
            let found: Vec<(Uuid, bool, Option<i64>, Option<i64>, Option<i64>)> = sql
                .build_query_as()
                .persistent(false)
                .fetch_all(&self.read)
                .await?;
            for (id, is_called_back, asked_after, listened, called) in found {
                let at = |millis: Option<i64>| {
                    let time = millis.map(|millis| rows::time(millis, "asked_after", id));
                    time.transpose()
                };
                let signs = Signs {
                    asked_after: at(asked_after)?,
                    listened: at(listened)?,
                    called: at(called)?,
                    is_called_back,
                };
                all.insert(InteractionId(id), signs);
            }
        }
        Ok(all)
    }

    async fn forget_signs(&self, before: DateTime<Utc>) -> Result<u64> {
        let done = sqlx::query(
            "DELETE FROM asked_after WHERE at < $1 AND NOT EXISTS (
                SELECT 1 FROM interactions i
                WHERE i.id = asked_after.interaction_id AND i.state = 'pending')",
        )
        .bind(before.timestamp_millis())
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected())
    }
}
