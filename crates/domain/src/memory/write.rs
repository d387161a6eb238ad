//! What a changeset does to answers that stand.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Memory;
use crate::ids::{InteractionId, MemoryId};

/// A step of an answer that stands.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryWrite {
    /// It is there, in place of what the same holder let stand for the same question, agent and team. A conflict when its holder has as many in force as they may, or may not answer for it any more, or when
    /// what it was made from is erased.
    Keep(Box<Memory>),
    /// It answers this interaction, which the same changeset opens. A conflict unless it is in force in this very
    /// transaction, on the rights of its holder as they are now.
    Use {
        /// Which, as it was signed.
        memory: Box<Memory>,
        /// What it answers.
        interaction: InteractionId,
        /// When.
        at: DateTime<Utc>,
    },
    /// It ends. A conflict when it has ended already.
    End {
        /// Which.
        memory: MemoryId,
        /// When.
        at: DateTime<Utc>,
        /// Why.
        why: MemoryEnd,
    },
}

/// Why an answer stands no longer, before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryEnd {
    /// A person revoked it.
    Revoked,
    /// Its holder may not answer for this any more.
    HolderLost,
    /// Its agent is asked for by another team, or its token was revoked.
    AgentChanged,
    /// Its team was deleted.
    TeamDeleted,
    /// What it was made from was erased.
    Erased,
    /// Its holder let another answer stand for the same.
    Replaced,
    /// The database was put back from a backup, and does not know whether it was revoked since.
    Restored,
}

impl MemoryEnd {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Revoked,
        Self::HolderLost,
        Self::AgentChanged,
        Self::TeamDeleted,
        Self::Erased,
        Self::Replaced,
        Self::Restored,
    ];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revoked => "revoked",
            Self::HolderLost => "holder_lost",
            Self::AgentChanged => "agent_changed",
            Self::TeamDeleted => "team_deleted",
            Self::Erased => "erased",
            Self::Replaced => "replaced",
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
            Self::HolderLost => "when the person who gave it could not answer for it any more",
            Self::AgentChanged => "when its agent went to another team, or lost its token",
            Self::TeamDeleted => "when its team was deleted",
            Self::Erased => "when the question that it was given to was erased",
            Self::Replaced => "when who gave it let another answer stand for the same",
            Self::Restored => "when the database was put back from a backup",
        }
    }
}
