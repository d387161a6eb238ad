//! A message from Slack is heard once.

use chrono::{DateTime, Utc};
use domain::MessageId;

use super::Connection;
use crate::Result;

/// Whether it had not been heard before.
pub(super) async fn heard(
    connection: &mut Connection,
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
