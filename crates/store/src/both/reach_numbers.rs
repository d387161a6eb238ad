//! How people are reached, in numbers. Ids begin with the time, so what is new is read by the index of ids.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::InteractionId;

use super::Store;
use crate::{MessagesBy, ReachNumbers, Reaching, Result, WaysBy, rows};

#[async_trait]
impl ReachNumbers for Store {
    async fn messages_since(&self, since: DateTime<Utc>) -> Result<Vec<MessagesBy>> {
        let rows = sqlx::query_as(
            // A delivery's id begins with the time of its event, as an interaction's does with that of asking.
            "SELECT r.kind,
                SUM(CASE WHEN o.state = 'delivered' AND o.ended_at - o.created_at <= 1000 THEN 1 ELSE 0 END)
                    AS within_second,
                SUM(CASE WHEN o.state = 'delivered' AND o.ended_at - o.created_at <= 60000 THEN 1 ELSE 0 END)
                    AS within_minute,
                SUM(CASE WHEN o.state = 'delivered' THEN 1 ELSE 0 END) AS arrived,
                SUM(CASE WHEN o.state IN ('due', 'sending') THEN 1 ELSE 0 END) AS under_way,
                SUM(CASE WHEN o.state = 'dead' AND i.closed_at <= o.ended_at THEN 1 ELSE 0 END) AS not_needed,
                SUM(CASE WHEN o.state = 'dead' THEN 1 ELSE 0 END) AS dead
             FROM reaches r
             JOIN outbox o ON o.destination_id = r.id AND o.id >= $1
             JOIN events e ON e.seq = o.event_seq
                AND e.type IN ('interaction.requested', 'interaction.climbed', 'interaction.summed_up')
             JOIN interactions i ON i.id = e.interaction_id
             WHERE r.ended_at IS NULL OR r.ended_at >= $2
             GROUP BY r.kind ORDER BY r.kind",
        )
        .bind(InteractionId::earliest(since).0)
        .bind(since.timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        Ok(rows::messages_by(rows))
    }

    async fn reaching_since(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<Reaching>> {
        let rows = sqlx::query_as(
            "SELECT i.created_at, i.rung, i.state, i.closed_at,
                (SELECT MIN(e.at) FROM events e
                    WHERE e.interaction_id = i.id AND e.type = 'interaction.reached') AS reached_at,
                (SELECT MIN(s.at) FROM seen_by s WHERE s.interaction_id = i.id) AS seen_at
             FROM interactions i
             WHERE i.id >= $1 AND i.kind <> 'notification'
             ORDER BY i.id DESC LIMIT $2",
        )
        .bind(InteractionId::earliest(since).0)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows::reaching(rows)
    }

    async fn ways(&self) -> Result<Vec<WaysBy>> {
        let rows = sqlx::query_as(
            "SELECT r.kind, COUNT(*), SUM(CASE WHEN d.failing_since IS NULL THEN 0 ELSE 1 END)
             FROM reaches r JOIN destinations d ON d.id = r.id
             WHERE r.ended_at IS NULL AND r.proven_at IS NOT NULL
             GROUP BY r.kind ORDER BY r.kind",
        )
        .fetch_all(&self.read)
        .await?;
        Ok(rows::ways_by(rows))
    }
}
