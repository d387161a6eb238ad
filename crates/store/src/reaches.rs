//! Reads of reaches, and of what happened that people are told of.

use chrono::{DateTime, Utc};
use domain::{
    EventId, InteractionId,
    delivery::{Health, Reach},
};

/// A reach as its person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachRecord {
    /// The reach.
    pub reach: Reach,
    /// How it has been doing.
    pub health: Health,
    /// When the last message arrived there.
    pub arrived_at: Option<DateTime<Utc>>,
    /// Why the last message that was tried did not arrive; `None` when it did.
    pub error: Option<String>,
}

/// An interaction was closed, which takes back what people were told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its place in the journal.
    pub seq: i64,
    /// Its id.
    pub event: EventId,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The interaction.
    pub interaction: InteractionId,
}

/// A part of the journal, as it is read for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldPage {
    /// What was closed in it, in order.
    pub told: Vec<Told>,
    /// The last event of the part, whether they are told of it or not.
    pub up_to: i64,
    /// Whether there may be more after it.
    pub more: bool,
}
