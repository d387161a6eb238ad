//! Events of ladders.

use serde::{Deserialize, Serialize};

use crate::{
    access::PersonRef,
    ladder::{Ladder, Quiet},
    team::TeamRef,
};

/// How silence climbs was changed, or when a person is left alone. What climbs is told by the events of an interaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum LadderEvent {
    /// Silence climbs by this one from now on.
    #[serde(rename = "ladder.set")]
    Set {
        /// The team; `None` = everyone.
        team: Option<TeamRef>,
        /// Its ladder.
        ladder: Ladder,
    },
    /// It climbs as it does by default again.
    #[serde(rename = "ladder.cleared")]
    Cleared {
        /// The team; `None` = everyone.
        team: Option<TeamRef>,
    },
    /// A person is told only what cannot wait in these hours.
    #[serde(rename = "ladder.quiet_hours_set")]
    QuietHoursSet {
        /// The person.
        person: PersonRef,
        /// Their hours; `None` = none any more.
        quiet: Option<Quiet>,
    },
}

impl LadderEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Set { .. } => "ladder.set",
            Self::Cleared { .. } => "ladder.cleared",
            Self::QuietHoursSet { .. } => "ladder.quiet_hours_set",
        }
    }
}
