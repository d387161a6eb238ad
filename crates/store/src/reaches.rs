//! Reads of reaches, and of what happened that people are told of.

use chrono::{DateTime, Utc};
use domain::{
    EventId, InteractionId, TeamId,
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

/// What people can be told of, as much of it as deciding whom needs.
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
    /// The team that the interaction belongs to now.
    pub team: Option<TeamId>,
    /// Whether it opens the interaction; otherwise it closes it.
    pub opens: bool,
    /// Whether the interaction still waits for an answer.
    pub is_pending: bool,
}

/// A part of the journal, as it is read for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldPage {
    /// What they can be told of, in order.
    pub told: Vec<Told>,
    /// The last event of the part, whether they are told of it or not.
    pub up_to: i64,
    /// Whether there may be more after it.
    pub more: bool,
}
