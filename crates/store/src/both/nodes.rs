//! The nodes that share a database.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::Store;
use crate::{NodeId, Nodes, Result};

#[async_trait]
impl Nodes for Store {
    async fn connections_elsewhere(
        &self,
        node: NodeId,
        connections: i64,
        at: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<i64> {
        sqlx::query(
            "INSERT INTO slack_nodes (node, connections, seen_at) VALUES ($1, $2, $3)
             ON CONFLICT (node) DO UPDATE
             SET connections = excluded.connections, seen_at = excluded.seen_at",
        )
        .bind(node.0)
        .bind(connections)
        .bind(at.timestamp_millis())
        .execute(&self.write)
        .await?;
        sqlx::query("DELETE FROM slack_nodes WHERE seen_at < $1")
            .bind(since.timestamp_millis())
            .execute(&self.write)
            .await?;
        let elsewhere = sqlx::query_scalar(
            "SELECT CAST(COALESCE(SUM(connections), 0) AS BIGINT) FROM slack_nodes WHERE node <> $1",
        );
        let elsewhere = elsewhere.bind(node.0).fetch_one(&self.write).await?;
        Ok(elsewhere)
    }

    async fn serves_at(&self, url: &str) -> Result<()> {
        sqlx::query(
            "INSERT INTO served_at (one, url) VALUES (1, $1)
             ON CONFLICT (one) DO UPDATE SET url = excluded.url",
        )
        .bind(url)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn served_at(&self) -> Result<Option<String>> {
        let url = sqlx::query_scalar("SELECT url FROM served_at");
        Ok(url.fetch_optional(&self.read).await?)
    }
}
