//! The nodes that share a database.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::PersonId;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Db, Store};
use crate::{NODE_IS_HEARD, NodeId, Nodes, Present, Result, WaitsTaken};

/// In one statement: a database takes only so many values.
const ROWS: usize = 500;

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

    async fn present_elsewhere(
        &self,
        node: NodeId,
        here: Option<&[Present]>,
        at: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<Vec<Present>> {
        if let Some(here) = here {
            let mut writing = self.begin_write().await?;
            sqlx::query("DELETE FROM present WHERE node = $1 OR seen_at < $2")
                .bind(node.0)
                .bind(since.timestamp_millis())
                .execute(&mut *writing)
                .await?;
            for rows in here.chunks(ROWS) {
                let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                    "INSERT INTO present (node, person_id, name, place, seen_at) ",
                );
                sql.push_values(rows, |mut row, present| {
                    row.push_bind(node.0)
                        .push_bind(present.person.0)
                        .push_bind(present.name.as_str())
                        .push_bind(present.place.as_str())
                        .push_bind(at.timestamp_millis());
                });
                sql.build().execute(&mut *writing).await?;
            }
            writing.commit().await?;
        }
        let rows: Vec<(Uuid, String, String)> = sqlx::query_as(
            "SELECT person_id, name, place FROM present WHERE node <> $1 AND seen_at >= $2",
        )
        .bind(node.0)
        .bind(since.timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        let present = rows.into_iter().map(|(person, name, place)| Present {
            person: PersonId(person),
            name,
            place,
        });
        Ok(present.collect())
    }

    async fn runs(&self, node: NodeId, version: &str, at: DateTime<Utc>) -> Result<()> {
        sqlx::query(
            "INSERT INTO nodes (node, version, seen_at) VALUES ($1, $2, $3)
             ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at",
        )
        .bind(node.0)
        .bind(version)
        .bind(at.timestamp_millis())
        .execute(&self.write)
        .await?;
        sqlx::query("DELETE FROM nodes WHERE seen_at < $1")
            .bind((at - NODE_IS_HEARD).timestamp_millis())
            .execute(&self.write)
            .await?;
        Ok(())
    }

    async fn stops(&self, node: NodeId) -> Result<()> {
        sqlx::query("DELETE FROM nodes WHERE node = $1")
            .bind(node.0)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    async fn take_waits(
        &self,
        at: DateTime<Utc>,
        until: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<Option<WaitsTaken>> {
        let taken: Option<(i64, i64)> = sqlx::query_as(
            "UPDATE traced_waits
             SET lease = lease + 1, lease_until = $2, looked_at = $1,
                 made_up_to = CASE WHEN looked_at >= $3 THEN made_up_to
                     ELSE (SELECT COALESCE(MAX(seq), 0) FROM events) END
             WHERE lease_until <= $1
             RETURNING lease, made_up_to",
        )
        .bind(at.timestamp_millis())
        .bind(until.timestamp_millis())
        .bind(since.timestamp_millis())
        .fetch_optional(&self.write)
        .await?;
        Ok(taken.map(|(lease, made_up_to)| WaitsTaken { lease, made_up_to }))
    }

    async fn leave_waits(&self, lease: i64, made_up_to: i64) -> Result<bool> {
        let left = sqlx::query(
            "UPDATE traced_waits SET made_up_to = $2, lease_until = 0 WHERE lease = $1",
        )
        .bind(lease)
        .bind(made_up_to)
        .execute(&self.write)
        .await?;
        Ok(left.rows_affected() == 1)
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
