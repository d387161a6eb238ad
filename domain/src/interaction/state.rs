//! What became of an interaction. Each state carries exactly the data that is valid in it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerContent};
use crate::principal::Actor;

/// ```text
///            answer
/// pending ───────────► resolved
///    │  deadline
///    ├───────────────► expired
///    │  agent or person
///    └───────────────► cancelled
/// ```
/// All but `Pending` are terminal: no command changes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    Pending,
    /// A responder answered.
    Resolved {
        /// The one answer.
        answer: Answer,
    },
    /// The deadline passed.
    Expired {
        /// The deadline; it may be noticed a moment later.
        at: DateTime<Utc>,
        /// The answer the agent had named for this case.
        fallback: Option<AnswerContent>,
    },
    /// No longer needed.
    Cancelled {
        /// When.
        at: DateTime<Utc>,
        /// By the agent or a person.
        by: Actor,
        /// Why, in their words.
        reason: Option<String>,
    },
}

/// How a closed interaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A responder answered.
    Answered,
    /// The deadline passed and the fallback is the answer.
    Fallback,
    /// The deadline passed without an answer.
    Expired,
    /// It was taken back.
    Cancelled,
}

impl State {
    /// The name of the state, as in SQL and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Resolved { .. } => "resolved",
            Self::Expired { .. } => "expired",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// How it ended; `None` while pending.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Pending => None,
            Self::Resolved { .. } => Some(Outcome::Answered),
            Self::Expired {
                fallback: Some(_), ..
            } => Some(Outcome::Fallback),
            Self::Expired { fallback: None, .. } => Some(Outcome::Expired),
            Self::Cancelled { .. } => Some(Outcome::Cancelled),
        }
    }

    /// When it ended; `None` while pending.
    pub fn closed_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Pending => None,
            Self::Resolved { answer } => Some(answer.answered_at),
            Self::Expired { at, .. } | Self::Cancelled { at, .. } => Some(*at),
        }
    }

    /// The name of whoever closed it; `None` while pending and after a deadline.
    pub fn closed_by(&self) -> Option<&str> {
        match self {
            Self::Pending | Self::Expired { .. } => None,
            Self::Resolved { answer } => Some(&answer.responder.name),
            Self::Cancelled { by, .. } => by.name(),
        }
    }
}

impl Outcome {
    /// The name of the outcome, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Fallback => "fallback",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}
