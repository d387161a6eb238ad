//! A modal, as Slack's JSON.

use serde::Serialize;

use super::{
    block::{Block, Content},
    text::{Name, Plain},
};

/// Marks our modals.
pub(super) const CALLBACK_ID: &str = "handraise";

/// The view that `views.open` takes.
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

/// The most blocks of one modal.
const BLOCKS: usize = 100;
/// The most bytes of all of them: Slack's limit for a modal, less the parts beside its blocks.
const BYTES: usize = 240_000;

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

    /// Whether Slack takes it. Slack does not document how it counts the bytes: here as JSON in ASCII, which is
    /// never less.
    pub(super) fn fits(&self) -> bool {
        let json = serde_json::to_string(&self.blocks).unwrap_or_default();
        let bytes = |c: char| if c.is_ascii() { 1 } else { 6 * c.len_utf16() };
        self.blocks.len() <= BLOCKS && json.chars().map(bytes).sum::<usize>() <= BYTES
    }

    pub(super) fn add_field(mut self, block_id: &str, content: Content) -> Self {
        self.blocks.push(Block::new(block_id.to_owned(), content));
        self
    }
}
