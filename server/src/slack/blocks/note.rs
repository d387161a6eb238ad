//! What one person alone is told, beside the card that they pressed.

use app::view::time;
use chrono::{DateTime, Utc};
use domain::{
    Interaction,
    interaction::{Outcome, State},
};
use uuid::Uuid;

use super::{
    block::{Block, Content},
    card::Card,
    text::{escape, one_line},
    words,
};

/// Longer than anything that is said in a note.
const NOTE: usize = 1_000;

/// A sentence or two as a message, in which nothing is markup.
pub fn note(said: &str) -> Card {
    let said = one_line(said, NOTE);
    let block = Block::new("note".to_owned(), Content::section(&*said));
    Card {
        text: escape(&said),
        blocks: vec![block],
    }
}

/// What became of it meanwhile, for somebody who wanted to answer. `None` while it can be answered.
pub fn too_late(interaction: &Interaction, reader: Uuid, now: DateTime<Utc>) -> Option<String> {
    let ago = |at| format!("{} ago", time::words(now - at));
    Some(match &interaction.state {
        State::Pending { .. } => {
            let deadline = interaction.expires_at.filter(|at| *at <= now)?;
            let has_fallback = interaction.request.fallback.is_some();
            expired(&ago(deadline), has_fallback)
        }
        State::Delivered { .. } => "Nobody has to answer this.".to_owned(),
        State::Resolved { answer } => {
            let by = &answer.responder;
            let who = match by.id == reader {
                true => "You answered this already: you".to_owned(),
                false => one_line(&by.name, words::NAME),
            };
            let did = words::did(&interaction.request, answer);
            let (ago, place) = (ago(answer.answered_at), words::place(by.via));
            match answer.content.outcome() {
                Outcome::Proceed
                | Outcome::ProceedClean
                | Outcome::ProceedDefault
                | Outcome::Adjust => {
                    let outcome = words::outcome(&interaction.state).unwrap_or_default();
                    format!("{who} {did} {ago} {place}: {outcome}.")
                }
                _ => format!("{who} {did} {ago} {place}."),
            }
        }
        State::Expired { at, fallback } => expired(&ago(*at), fallback.is_some()),
        State::Cancelled { at, by, .. } => {
            let ago = ago(*at);
            match by.name() {
                Some(name) => {
                    let name = one_line(name, words::NAME);
                    format!("It is no longer needed. {name} took it back {ago}.")
                }
                None => format!("It is no longer needed. It was taken back {ago}."),
            }
        }
    })
}

fn expired(ago: &str, has_fallback: bool) -> String {
    match has_fallback {
        true => format!("It expired {ago}, and the agent goes on with its fallback."),
        false => format!("It expired {ago} without an answer."),
    }
}
