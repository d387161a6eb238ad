//! Records of the inbox of Slack.

use chrono::{DateTime, Utc};
use domain::{MessageId, slack::Message};

/// A message that came, or was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// Its id, if it is new.
    pub id: MessageId,
    /// Slack's id of the event; a message that was read back has none.
    pub event_id: Option<String>,
    /// The message written.
    pub message: Message,
    /// When it came.
    pub received_at: DateTime<Utc>,
}

/// A message that waits to be heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptMessage {
    /// Its id.
    pub id: MessageId,
    /// The message written.
    pub message: Message,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// How often it was postponed.
    pub tries: u32,
}
