//! What people write in Slack, as far as a rule has to know of it.

use serde::{Deserialize, Serialize};

use crate::ids::MessageId;

/// A message in a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The channel's id.
    pub channel: String,
    /// The message's name in the channel.
    pub ts: String,
    /// The message whose thread it belongs to.
    pub thread_ts: String,
    /// Who wrote it.
    pub user: String,
    /// The workspace they belong to, if Slack says so.
    pub team: Option<String>,
    /// What the program they wrote it with calls it. A gesture may become two messages with one such name.
    pub client_msg_id: Option<String>,
    /// As Slack sends it: with `&`, `<` and `>` as entities, and markup between `<` and `>`.
    pub text: String,
    /// When this became its text, in Slack's way of naming times; `None` for a message as it was first
    /// heard of.
    pub edited: Option<String>,
}

impl Message {
    /// Whether it only says how an earlier message, of the same name, was changed.
    pub fn is_edit(&self) -> bool {
        self.edited.is_some()
    }
}

/// A message in the thread of a card, as its author typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The message.
    pub message: MessageId,
    /// Its text, without Slack's entities and markup.
    pub text: String,
    /// Whether this is what an earlier message was changed into.
    pub is_edit: bool,
}
