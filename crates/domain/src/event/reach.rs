//! Events of reaches: the ways to get at people.

use serde::{Deserialize, Serialize};

use crate::delivery::{ReachEnd, ReachRef};

/// A way to get at a person was added, proven, tried or ended. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum ReachEvent {
    /// A person added one.
    #[serde(rename = "reach.added")]
    Added(ReachRef),
    /// It was seen to lead to that person.
    #[serde(rename = "reach.proven")]
    Proven(ReachRef),
    /// A person wants to see whether something arrives.
    #[serde(rename = "reach.tested")]
    Tested(ReachRef),
    /// Its person says how what can wait comes there.
    #[serde(rename = "reach.changed")]
    Changed {
        /// Which.
        reach: ReachRef,
        /// Whether that comes as one message an hour.
        digest: bool,
    },
    /// Nothing is sent to it any more; the actor says who ended it.
    #[serde(rename = "reach.ended")]
    Ended {
        /// Which.
        reach: ReachRef,
        /// Why.
        why: ReachEnd,
    },
}

impl ReachEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Added(_) => "reach.added",
            Self::Proven(_) => "reach.proven",
            Self::Tested(_) => "reach.tested",
            Self::Changed { .. } => "reach.changed",
            Self::Ended { .. } => "reach.ended",
        }
    }
}
