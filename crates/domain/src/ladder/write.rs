//! What the store writes of a ladder, beside the interaction itself: a rung changes nothing of what was asked.

use chrono::{DateTime, Utc};

use super::HeldWhy;
use crate::ids::{InteractionId, PersonId};

/// Where an interaction stands on its ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The rung that comes next, each counted as often as it comes.
    pub rung: u32,
    /// When it comes.
    pub at: DateTime<Utc>,
}

/// A message to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The person.
    pub person: PersonId,
    /// How many messages they may get in an hour, with this one.
    pub most: u32,
}

/// A question that a person was not told of, and will be with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The person.
    pub person: PersonId,
    /// The question.
    pub interaction: InteractionId,
    /// The rung that would have told them.
    pub rung: u32,
    /// They are told from then on.
    pub until: DateTime<Utc>,
    /// Why not at once.
    pub why: HeldWhy,
}

/// A step on a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LadderWrite {
    /// A rung was told. A conflict unless the interaction waits, in this version, and this rung is the next.
    Climb {
        /// Which interaction.
        interaction: InteractionId,
        /// The version on which it was decided.
        version: i64,
        /// The rung that is told.
        rung: u32,
        /// When the one after it comes; `None` = there is none.
        next_at: Option<DateTime<Utc>>,
        /// Whoever is told by it. A conflict also when that would be too many messages for one of them.
        told: Vec<Message>,
        /// From whom it is held back.
        held: Vec<Held>,
        /// When.
        at: DateTime<Utc>,
    },
    /// The ladder begins anew, for others. Nothing is held back any more.
    Restart {
        /// Which interaction.
        interaction: InteractionId,
        /// From then on.
        at: DateTime<Utc>,
        /// The person it is handed to, who hears of it though they had snoozed it.
        wakes: Option<PersonId>,
    },
    /// A claim has ended. Where no rung is to come, the last one comes once more: the claim has kept others silent.
    Resume {
        /// Which interaction.
        interaction: InteractionId,
        /// From then on.
        at: DateTime<Utc>,
    },
    /// A person has opened it. A conflict when that is known.
    Seen {
        /// Which interaction.
        interaction: InteractionId,
        /// The person.
        person: PersonId,
        /// When.
        at: DateTime<Utc>,
    },
    /// What was held back from a person is told. A conflict unless all of it is still held back.
    SumUp {
        /// The person.
        person: PersonId,
        /// All of it.
        held: Vec<Held>,
        /// What of it they are told of, each in the version on which that was decided. A conflict unless it waits.
        waiting: Vec<(InteractionId, i64)>,
        /// When.
        at: DateTime<Utc>,
    },
}
