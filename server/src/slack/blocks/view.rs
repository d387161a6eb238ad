//! A modal, as Slack's JSON.

use serde::Serialize;

use super::{
    block::{Block, Content},
    text::{Name, Plain},
};

/// Marks our modals.
pub(super) const CALLBACK_ID: &str = "handraise";

/// What `views.open` is given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    #[serde(rename = "type")]
    kind: &'static str,
    callback_id: &'static str,
    title: Plain<24>,
    submit: Plain<24>,
    close: Plain<24>,
    private_metadata: Name,
    blocks: Vec<Block>,
}

impl View {
    pub(super) fn new(title: &str, submit: &str, private_metadata: String) -> Self {
        Self {
            kind: "modal",
            callback_id: CALLBACK_ID,
            title: Plain::new(title),
            submit: Plain::new(submit),
            close: Plain::new("Cancel"),
            private_metadata: Name::new(private_metadata),
            blocks: Vec::new(),
        }
    }

    pub(super) fn add(mut self, content: Content) -> Self {
        let id = format!("said.{}", self.blocks.len());
        self.blocks.push(Block::new(id, content));
        self
    }

    pub(super) fn add_field(mut self, block_id: &str, content: Content) -> Self {
        self.blocks.push(Block::new(block_id.to_owned(), content));
        self
    }
}
