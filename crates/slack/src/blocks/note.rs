//! Notes to one person alone, beside the card that they pressed.

use chrono::{DateTime, Utc};
use domain::time;
use domain::{
    Interaction,
    interaction::{Outcome, State},
};
use uuid::Uuid;

use super::{
    block::{Block, Content},
    card::Card,
    text::{Address, Markup, escape, one_line},
    words,
};

/// Longer than anything that is said in a note.
const NOTE: usize = 1_000;

/// The note to one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// A sentence or two, in which nothing is markup.
    pub words: String,
    /// Where they can go on, if there is such a place.
    pub link: Option<NoteLink>,
}

/// A place, and its purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteLink {
    /// They can say who they are.
    Identify(String),
    /// They can answer.
    Dashboard(String),
    /// The card that is used.
    Card(String),
}

impl NoteLink {
    fn address(&self) -> Option<Address> {
        let (Self::Identify(address) | Self::Dashboard(address) | Self::Card(address)) = self;
        Address::new(address.clone())
    }

    fn words(&self) -> &'static str {
        match self {
            Self::Identify(_) => "Link your Slack user to your account",
            Self::Dashboard(_) => "Open on the dashboard",
            Self::Card(_) => "Open the other card",
        }
    }
}

impl<S: Into<String>> From<S> for Note {
    fn from(words: S) -> Self {
        Self {
            words: words.into(),
            link: None,
        }
    }
}

impl Note {
    /// What stands on a card that was posted twice and is not used, instead of what is asked. `other` is the address of the
    /// one that is.
    pub fn on_twin(other: Option<String>) -> Self {
        Self {
            words: "This was posted twice: Slack did not say that it had this one. The other card has the buttons, and the \
                    thread to write in."
                .to_owned(),
            link: other.map(NoteLink::Card),
        }
    }

    /// The note to a user who writes below such a card.
    pub fn below_twin(other: Option<String>) -> Self {
        Self {
            words: "Your message was not taken: this card was posted twice, and the other one is used. Please write in \
                    the thread of that one."
                .to_owned(),
            link: other.map(NoteLink::Card),
        }
    }

    /// As a message.
    pub fn to_card(&self) -> Card {
        let words = one_line(&self.words, NOTE);
        let link = self.link.as_ref();
        let link = link.and_then(|link| Some((link.address()?, link.words())));
        let mut contents = vec![Content::section(&*words)];
        contents.extend(
            link.as_ref()
                .map(|(address, words)| Content::section(Markup::default().link(address, words))),
        );
        let address = link.map(|(address, _)| format!(" {}", address.as_str()));
        let blocks = contents.into_iter().enumerate();
        Card {
            text: escape(&format!("{words}{}", address.unwrap_or_default())),
            blocks: blocks
                .map(|(n, content)| Block::new(format!("note.{n}"), content))
                .collect(),
        }
    }
}

/// How it ended meanwhile, for a person who wanted to answer. `None` while it can be answered.
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
        State::Void { .. } => {
            "What is stored of its decision is not proven, so nothing can be done with it."
                .to_owned()
        }
        State::Cancelled { at, by, .. } => {
            let ago = ago(*at);
            match by.name() {
                Some(name) => {
                    let name = one_line(name, words::NAME);
                    format!("{name} took it back {ago}.")
                }
                None => format!("It was taken back {ago}."),
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
