//! What a rung did, as its event tells.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{access::PersonRef, delivery::ReachKind};

/// A person whom a rung is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The person.
    pub person: PersonRef,
    /// By what they are told, each once; by nothing when they are told later, or have no way to be reached.
    pub by: Vec<ReachKind>,
    /// Since when, and why, they are told later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldBack>,
    /// The channel of Slack where they are mentioned: they are on duty, and it is the first rung.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentioned_in: Option<String>,
}

impl Told {
    /// Whether they hear of it now.
    pub fn is_told(&self) -> bool {
        !self.by.is_empty() || self.mentioned_in.is_some()
    }
}

/// A person is told later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBack {
    /// At this moment, or soon after.
    pub until: DateTime<Utc>,
    /// Why not at once.
    pub why: HeldWhy,
}

/// Why a person is told later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldWhy {
    /// They have quiet hours.
    Quiet,
    /// They had many messages in the last hour.
    Many,
    /// They do not want to see it for a while.
    Snoozed,
}

impl HeldWhy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Quiet, Self::Many, Self::Snoozed];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Many => "many",
            Self::Snoozed => "snoozed",
        }
    }

    /// The reason of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.name() == name)
    }
}
