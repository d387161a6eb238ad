//! The kinds of interactions.

use serde::{Deserialize, Serialize};

/// The kind of answer asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Free text.
    Question,
    /// One of several options, or some of them.
    Choice,
    /// "I have seen this."
    Acknowledgement,
    /// Yes or no to one exact action.
    Approval,
    /// A decision about a plan.
    PlanReview,
    /// Several questions, one at a time.
    Form,
    /// Nothing: it only tells.
    Notification,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Question,
        Self::Choice,
        Self::Acknowledgement,
        Self::Approval,
        Self::PlanReview,
        Self::Form,
        Self::Notification,
    ];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Choice => "choice",
            Self::Acknowledgement => "acknowledgement",
            Self::Approval => "approval",
            Self::PlanReview => "plan_review",
            Self::Form => "form",
            Self::Notification => "notification",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
