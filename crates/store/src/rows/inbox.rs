//! Messages as stored.

use domain::{MessageId, slack::Message};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{KeptMessage, Result, StoreError};

#[derive(Debug, FromRow)]
pub(crate) struct MessageRow {
    id: Uuid,
    channel: String,
    ts: String,
    thread_ts: String,
    user_id: String,
    team_id: Option<String>,
    client_msg_id: Option<String>,
    text: String,
    edited: String,
    received_at: i64,
    tries: i64,
}

impl TryFrom<MessageRow> for KeptMessage {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> Result<Self> {
        let text = serde_json::from_str(&row.text)
            .map_err(|error| StoreError::inconsistent("slack_inbox", "text", row.id, error))?;
        Ok(Self {
            id: MessageId(row.id),
            message: Message {
                channel: row.channel,
                ts: row.ts,
                thread_ts: row.thread_ts,
                user: row.user_id,
                team: row.team_id,
                client_msg_id: row.client_msg_id,
                text,
                edited: Some(row.edited).filter(|edited| !edited.is_empty()),
            },
            received_at: time(row.received_at, "slack_inbox", row.id)?,
            tries: u32::try_from(row.tries).unwrap_or(u32::MAX),
        })
    }
}

/// Turns rows into messages. One that cannot be read must not keep the others waiting.
pub(crate) fn messages(rows: Vec<MessageRow>) -> Vec<KeptMessage> {
    super::readable(rows.into_iter().map(KeptMessage::try_from))
}

/// A text as stored.
pub(crate) fn message_text(message: &Message) -> Result<String> {
    serde_json::to_string(&message.text)
        .map_err(|error| StoreError::inconsistent("slack_inbox", "text", &message.ts, error))
}
