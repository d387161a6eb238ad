//! A message: who says what where, as the API returns it, and what of it can be pressed.

use serde_json::{Value, json};

use super::{APP, BOT, BOT_USER, TEAM};

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) channel: String,
    pub(crate) ts: String,
    /// The parent's, of a reply.
    pub(crate) thread_ts: Option<String>,
    pub(crate) user: String,
    pub(crate) by_bot: bool,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Value>,
    pub(crate) metadata: Option<Value>,
    /// The ids of the files in it.
    pub(crate) files: Vec<String>,
    pub(crate) edited: bool,
    pub(crate) client_msg_id: Option<String>,
    /// A note that one person sees, and that is not in the history.
    pub(crate) only_for: Option<String>,
    pub(super) hidden_reads: u32,
    pub(super) hidden_until: i64,
}

impl Message {
    /// As somebody says it; where it will be named and seen is the world's to say.
    pub(super) fn said(channel: &str, user: &str, text: &str) -> Self {
        Self {
            channel: channel.to_owned(),
            ts: String::new(),
            thread_ts: None,
            user: user.to_owned(),
            by_bot: user == BOT_USER,
            text: text.to_owned(),
            blocks: Vec::new(),
            metadata: None,
            files: Vec::new(),
            edited: false,
            client_msg_id: None,
            only_for: None,
            hidden_reads: 0,
            hidden_until: 0,
        }
    }

    /// As the API returns it.
    pub(super) fn json(&self, with_metadata: bool) -> Value {
        let mut json = json!({
            "type": "message", "ts": self.ts, "user": self.user, "text": self.text, "team": TEAM,
        });
        if self.by_bot {
            json["bot_id"] = BOT.into();
            json["app_id"] = APP.into();
        }
        if !self.blocks.is_empty() {
            json["blocks"] = self.blocks.clone().into();
        }
        if !self.files.is_empty() {
            let files = self.files.iter().map(|id| json!({ "id": id }));
            json["files"] = files.collect::<Vec<_>>().into();
        }
        if let Some(thread) = &self.thread_ts {
            json["thread_ts"] = thread.as_str().into();
        }
        if let Some(id) = &self.client_msg_id {
            json["client_msg_id"] = id.as_str().into();
        }
        if self.edited {
            json["edited"] = json!({ "user": self.user, "ts": self.ts });
        }
        if let Some(metadata) = &self.metadata {
            json["metadata"] = match with_metadata {
                true => metadata.clone(),
                false => json!({ "event_type": metadata["event_type"] }),
            };
        }
        json
    }

    /// Its buttons and menus: the block that each is in, and the element.
    pub(crate) fn controls(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.blocks.iter().flat_map(|block| {
            let id = block["block_id"].as_str().unwrap_or_default();
            let elements = block["elements"].as_array().into_iter().flatten();
            elements
                .chain(block.get("accessory"))
                .filter(|element| element["action_id"].is_string())
                .map(move |element| (id, element))
        })
    }
}
