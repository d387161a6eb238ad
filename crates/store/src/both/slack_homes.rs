//! Which homes of the app in Slack show something, and which node keeps each up to date.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Store;
use crate::{NodeId, OverdueHome, Result, SlackHomes, rows};

#[async_trait]
impl SlackHomes for Store {
    async fn take_home(
        &self,
        user: &str,
        node: NodeId,
        until: DateTime<Utc>,
    ) -> Result<Option<NodeId>> {
        let mut writing = self.begin_write().await?;
        let before: Option<Uuid> =
            sqlx::query_scalar("SELECT node FROM slack_homes WHERE user_id = $1")
                .bind(user)
                .fetch_optional(&mut *writing)
                .await?;
        sqlx::query(
            "INSERT INTO slack_homes (user_id, node, until, next_at) VALUES ($1, $2, $3, $3)
             ON CONFLICT (user_id) DO UPDATE
             SET node = excluded.node, until = excluded.until, next_at = excluded.next_at",
        )
        .bind(user)
        .bind(node.0)
        .bind(until.timestamp_millis())
        .execute(&mut *writing)
        .await?;
        writing.commit().await?;
        Ok(before.map(NodeId))
    }

    async fn node_of_home(&self, user: &str) -> Result<Option<NodeId>> {
        // From where it is written: a moment ago it may have been another's.
        let node: Option<Uuid> =
            sqlx::query_scalar("SELECT node FROM slack_homes WHERE user_id = $1")
                .bind(user)
                .fetch_optional(&self.write)
                .await?;
        Ok(node.map(NodeId))
    }

    async fn overdue_homes(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<OverdueHome>> {
        let rows: Vec<(String, Uuid, i64, i64)> = sqlx::query_as(
            "SELECT user_id, node, until, next_at FROM slack_homes
             WHERE next_at <= $1 ORDER BY next_at, user_id LIMIT $2",
        )
        .bind(now.timestamp_millis())
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        let homes = rows.into_iter().map(|(user, node, until, next_at)| {
            Ok(OverdueHome {
                until: rows::time(until, "slack_homes", &user)?,
                next_at: rows::time(next_at, "slack_homes", &user)?,
                node: NodeId(node),
                user,
            })
        });
        homes.collect()
    }

    async fn take_overdue_home(
        &self,
        home: &OverdueHome,
        node: NodeId,
        next_at: DateTime<Utc>,
    ) -> Result<bool> {
        let done = sqlx::query(
            "UPDATE slack_homes SET node = $2, next_at = $3
             WHERE user_id = $1 AND node = $4 AND next_at = $5",
        )
        .bind(home.user.as_str())
        .bind(node.0)
        .bind(next_at.timestamp_millis())
        .bind(home.node.0)
        .bind(home.next_at.timestamp_millis())
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn forget_home(&self, user: &str, node: NodeId) -> Result<bool> {
        let done = sqlx::query("DELETE FROM slack_homes WHERE user_id = $1 AND node = $2")
            .bind(user)
            .bind(node.0)
            .execute(&self.write)
            .await?;
        Ok(done.rows_affected() == 1)
    }
}
