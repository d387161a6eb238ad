//! What a changeset does to grants.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Grant;
use crate::ids::{GrantId, InteractionId};

/// A step of a grant.
#[derive(Clone, Debug, PartialEq)]
pub enum GrantWrite {
    /// It is there. A conflict when its agent has as many in force as it may, or its holder may not make it any more.
    Make(Box<Grant>),
    /// It approves this interaction, which the same changeset opens. A conflict unless it is in force in this very
    /// transaction, on the rights of its holder as they are now (rule 15).
    Use {
        /// Which, as it was signed.
        grant: Box<Grant>,
        /// What it approves.
        interaction: InteractionId,
        /// When.
        at: DateTime<Utc>,
    },
    /// What it has approved begins to run. A conflict once it was taken back: by the row, or by the journal, which a row can be
    /// made to forget.
    Stands {
        /// Which.
        grant: GrantId,
        /// The approval that it was made from.
        made_from: InteractionId,
    },
    /// It ends. A conflict when it has ended already.
    End {
        /// Which.
        grant: GrantId,
        /// When.
        at: DateTime<Utc>,
        /// Why.
        why: GrantEnd,
    },
}

/// Why a grant ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantEnd {
    /// A person revoked it.
    Revoked,
    /// Its holder may not answer for this any more.
    HolderLost,
    /// Its agent is asked for by another team, or its token was revoked.
    AgentChanged,
    /// Its session ended.
    SessionEnded,
    /// What it was made from was erased.
    Erased,
    /// It was used as often as it may be. What it approved stays approved.
    UsedUp,
    /// The database was put back from a backup, and does not know whether it was revoked since.
    Restored,
}

impl GrantEnd {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Revoked,
        Self::HolderLost,
        Self::AgentChanged,
        Self::SessionEnded,
        Self::Erased,
        Self::UsedUp,
        Self::Restored,
    ];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revoked => "revoked",
            Self::HolderLost => "holder_lost",
            Self::AgentChanged => "agent_changed",
            Self::SessionEnded => "session_ended",
            Self::Erased => "erased",
            Self::UsedUp => "used_up",
            Self::Restored => "restored",
        }
    }

    /// The end of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.name() == name)
    }

    /// In words, after "It ended".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Revoked => "when it was revoked",
            Self::HolderLost => "when the person who made it could not answer for it any more",
            Self::AgentChanged => "when its agent went to another team, or lost its token",
            Self::SessionEnded => "with its session",
            Self::Erased => "when what it was made from was erased",
            Self::UsedUp => "when it was used up",
            Self::Restored => "when the database was put back from a backup",
        }
    }
}
