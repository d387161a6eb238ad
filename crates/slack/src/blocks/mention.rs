//! The one message that mentions somebody: whoever is on duty, in the thread of a card. It has no word of an agent's in
//! it, so nobody else can be called by it.

use domain::SlackId;

use super::{
    block::{Block, Content},
    card::Card,
    text::Markup,
};

/// Calls this user.
pub fn mention(user: &SlackId) -> Card {
    let words = Markup::default()
        .mention(user)
        .say(" You are on duty, and this waits for an answer.");
    Card {
        text: words.as_str().to_owned(),
        blocks: vec![Block::new("mention".to_owned(), Content::section(words))],
    }
}
