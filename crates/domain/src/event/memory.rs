//! Events of answers that stand for the same question. Each use of one is told by the events of the interaction that it
//! answers.

use serde::{Deserialize, Serialize};

use crate::{
    ids::MemoryId,
    memory::{MemoryEnd, Terms},
};

/// A person lets their answer stand, or that ended. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum MemoryEvent {
    /// It stands. Question and answer are here as a salted digest alone, so that words can be erased (rule 19).
    #[serde(rename = "memory.kept")]
    Kept(Box<Terms>),
    /// A person revoked it; the actor says who.
    #[serde(rename = "memory.revoked")]
    Revoked {
        /// Which.
        id: MemoryId,
    },
    /// What it stood on has ended, or another took its place; the actor is who did that. That what it was made from was erased
    /// is told by the erasure alone.
    #[serde(rename = "memory.ended")]
    Ended {
        /// Which.
        id: MemoryId,
        /// Why.
        why: MemoryEnd,
    },
}

impl MemoryEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Kept(_) => "memory.kept",
            Self::Revoked { .. } => "memory.revoked",
            Self::Ended { .. } => "memory.ended",
        }
    }
}
