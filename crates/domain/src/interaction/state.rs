//! The states of an interaction. Each state carries exactly the data that is valid in it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    CancelCode, Outcome,
    answer::{Answer, AnswerContent},
    form::FormAnswers,
    proof::Unproven,
    quorum::Vote,
};
use crate::principal::Actor;

/// ```text
///            answer
/// pending ───────────► resolved
///    │  deadline
///    ├───────────────► expired
///    │  agent, person or task end
///    └───────────────► cancelled
/// ```
/// All but `Pending` are terminal: no command changes them. A notification is born `Delivered`, which
/// reads `resolved` from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    Pending {
        /// The answers to a form by now.
        #[serde(default, skip_serializing_if = "FormAnswers::is_empty")]
        answers: FormAnswers,
        /// The approvals so far, of those that it takes several of.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        votes: Vec<Vote>,
    },
    /// A notification: told, and never waited for.
    Delivered {
        /// When.
        at: DateTime<Utc>,
    },
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
        /// By the agent, a person, or the deadline that failed its task.
        by: Actor,
        /// Why, in their words.
        reason: Option<String>,
        /// Why, for programs, where nobody simply took it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<CancelCode>,
    },
    /// The row says that it was decided, and no receipt proves it (rule 12). It reads as closed, and not
    /// approved. Only ever read: it cannot be stored.
    #[serde(skip)]
    Void {
        /// When it was closed, as the row says.
        at: DateTime<Utc>,
        /// The fault found.
        why: Unproven,
    },
}

impl State {
    /// Whether it says that it was decided, and no receipt proves it.
    pub fn is_void(&self) -> bool {
        matches!(self, Self::Void { .. })
    }

    /// Whether it waits for a person.
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Pending { .. })
    }

    /// The name of the state, as in SQL and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pending { .. } => "pending",
            Self::Resolved { .. } | Self::Delivered { .. } | Self::Void { .. } => "resolved",
            Self::Expired { .. } => "expired",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// How it ended; `None` while pending.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Pending { .. } => None,
            Self::Delivered { .. } => Some(Outcome::Delivered),
            Self::Resolved { answer } => Some(answer.content.outcome()),
            Self::Expired {
                fallback: Some(_), ..
            } => Some(Outcome::Fallback),
            Self::Expired { fallback: None, .. } => Some(Outcome::Expired),
            Self::Cancelled { .. } => Some(Outcome::Cancelled),
            Self::Void { .. } => Some(Outcome::Void),
        }
    }

    /// When it ended; `None` while pending.
    pub fn closed_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Pending { .. } => None,
            Self::Resolved { answer } => Some(answer.answered_at),
            Self::Delivered { at }
            | Self::Expired { at, .. }
            | Self::Cancelled { at, .. }
            | Self::Void { at, .. } => Some(*at),
        }
    }

    /// The name of the closer; `None` while pending and after a deadline.
    pub fn closed_by(&self) -> Option<&str> {
        match self {
            Self::Pending { .. }
            | Self::Delivered { .. }
            | Self::Expired { .. }
            | Self::Void { .. } => None,
            Self::Resolved { answer } => Some(&answer.responder.name),
            Self::Cancelled { by, .. } => by.name(),
        }
    }
}
