//! Events of policies. What each of them decided is told by the events of the interaction.

use serde::{Deserialize, Serialize};

use crate::policy::PolicyTerms;

/// Other rules are in force. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum PolicyEvent {
    /// An admin, or a program that answers, put these in force in place of those before them; the actor says who.
    #[serde(rename = "policies.set")]
    Set(Box<PolicyTerms>),
    /// A server read these from its file.
    #[serde(rename = "policies.loaded")]
    Loaded(Box<PolicyTerms>),
}

impl PolicyEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Set(_) => "policies.set",
            Self::Loaded(_) => "policies.loaded",
        }
    }

    /// What was signed.
    pub fn terms(&self) -> &PolicyTerms {
        match self {
            Self::Set(terms) | Self::Loaded(terms) => terms,
        }
    }
}
