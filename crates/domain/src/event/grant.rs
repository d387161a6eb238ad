//! Events of grants. Each use of one is told by the events of the interaction that it approves.

use serde::{Deserialize, Serialize};

use crate::{
    grant::{GrantEnd, Terms},
    ids::GrantId,
};

/// A person's standing approval was made, or ended. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum GrantEvent {
    /// It was made. What it covers is here as a digest alone, so that words can be erased (rule 19).
    #[serde(rename = "grant.made")]
    Made(Box<Terms>),
    /// A person revoked it; the actor says who.
    #[serde(rename = "grant.revoked")]
    Revoked {
        /// Which.
        id: GrantId,
    },
    /// What it stood on has ended, or it was used up; the actor is who did that. That what it was made from was erased is told
    /// by the erasure alone.
    #[serde(rename = "grant.ended")]
    Ended {
        /// Which.
        id: GrantId,
        /// Why.
        why: GrantEnd,
    },
}

impl GrantEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Made(_) => "grant.made",
            Self::Revoked { .. } => "grant.revoked",
            Self::Ended { .. } => "grant.ended",
        }
    }
}
