//! Messages from Slack in Postgres.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::MessageId;
use sqlx::PgConnection;

use super::PostgresStore;
use crate::{Inbox, KeptMessage, NewMessage, Result, rows};

/// How many are forgotten at once: a commit meanwhile does not wait for long.
const SLICE: i64 = 1_000;

#[async_trait]
impl Inbox for PostgresStore {
    async fn keep_messages(&self, messages: &[NewMessage]) -> Result<u64> {
        let mut kept = 0;
        // Each by itself: two nodes that keep the same messages in another order would wait for each other.
        for new in messages {
            let message = &new.message;
            let done = sqlx::query(
                "INSERT INTO slack_inbox (id, event_id, channel, ts, thread_ts, user_id, team_id,
                    client_msg_id, text, edited, received_at, next_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
                 ON CONFLICT DO NOTHING",
            )
            .bind(new.id.0)
            .bind(&new.event_id)
            .bind(&message.channel)
            .bind(&message.ts)
            .bind(&message.thread_ts)
            .bind(&message.user)
            .bind(&message.team)
            .bind(&message.client_msg_id)
            .bind(rows::message_text(message)?)
            .bind(message.edited.as_deref().unwrap_or_default())
            .bind(new.received_at.timestamp_millis())
            .execute(&self.write)
            .await?;
            kept += done.rows_affected();
        }
        Ok(kept)
    }

    async fn messages_to_hear(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<KeptMessage>> {
        let rows = sqlx::query_as(
            "SELECT id, channel, ts, thread_ts, user_id, team_id, client_msg_id, text, edited,
                received_at, tries
             FROM slack_inbox WHERE heard_at IS NULL AND next_at <= $1 ORDER BY id LIMIT $2",
        )
        .bind(now.timestamp_millis())
        .bind(i64::from(limit))
        .fetch_all(&self.write)
        .await?;
        Ok(rows::messages(rows))
    }

    async fn postpone_message(&self, id: MessageId, next_at: DateTime<Utc>) -> Result<()> {
        sqlx::query(
            "UPDATE slack_inbox SET next_at = $1, tries = tries + 1
             WHERE id = $2 AND heard_at IS NULL",
        )
        .bind(next_at.timestamp_millis())
        .bind(id.0)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn set_message_aside(
        &self,
        id: MessageId,
        at: DateTime<Utc>,
        note: &str,
    ) -> Result<bool> {
        let mut connection = self.write.acquire().await?;
        heard(&mut connection, id, at, note).await
    }

    async fn is_message_heard(&self, id: MessageId) -> Result<bool> {
        let heard =
            sqlx::query_scalar("SELECT heard_at IS NOT NULL FROM slack_inbox WHERE id = $1")
                .bind(id.0)
                .fetch_optional(&self.write)
                .await?;
        Ok(heard.unwrap_or(true))
    }

    async fn waiting_messages(&self) -> Result<i64> {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM slack_inbox WHERE heard_at IS NULL")
            .fetch_one(&self.write)
            .await?;
        Ok(count)
    }

    async fn forget_messages(&self, before: DateTime<Utc>) -> Result<u64> {
        let mut forgotten = 0;
        loop {
            let done = sqlx::query(
                "DELETE FROM slack_inbox WHERE id IN (
                     SELECT id FROM slack_inbox WHERE heard_at < $1 LIMIT $2)",
            )
            .bind(before.timestamp_millis())
            .bind(SLICE)
            .execute(&self.write)
            .await?;
            forgotten += done.rows_affected();
            if done.rows_affected() == 0 {
                return Ok(forgotten);
            }
        }
    }
}

/// Whether it had not been heard before.
pub(super) async fn heard(
    connection: &mut PgConnection,
    id: MessageId,
    at: DateTime<Utc>,
    note: &str,
) -> Result<bool> {
    let done = sqlx::query(
        // What is written below the card of something erased is not kept either (rule 19); that it came stays.
        r#"UPDATE slack_inbox SET heard_at = $1, note = $2,
             text = CASE WHEN EXISTS (
                 SELECT 1 FROM interactions i
                 WHERE i.card_ts = slack_inbox.thread_ts AND i.card_channel = slack_inbox.channel
                    AND i.erased IS NOT NULL) OR EXISTS (
                 SELECT 1 FROM slack_twins t JOIN interactions i ON i.id = t.interaction_id
                 WHERE t.channel = slack_inbox.channel AND t.ts = slack_inbox.thread_ts
                    AND i.erased IS NOT NULL) THEN '""' ELSE text END
         WHERE id = $3 AND heard_at IS NULL"#,
    )
    .bind(at.timestamp_millis())
    .bind(note)
    .bind(id.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}
