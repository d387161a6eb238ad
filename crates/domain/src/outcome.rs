//! How an interaction ended.

use serde::{Deserialize, Serialize};

/// How a closed interaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A responder answered.
    Answered,
    /// The action may be run.
    Approved,
    /// The action must not be run.
    Denied,
    /// See [`PlanDecision::Proceed`](crate::interaction::PlanDecision::Proceed).
    Proceed,
    /// See [`PlanDecision::ProceedClean`](crate::interaction::PlanDecision::ProceedClean).
    ProceedClean,
    /// See [`PlanDecision::ProceedDefault`](crate::interaction::PlanDecision::ProceedDefault).
    ProceedDefault,
    /// See [`PlanDecision::Adjust`](crate::interaction::PlanDecision::Adjust).
    Adjust,
    /// A notification was told.
    Delivered,
    /// The deadline passed and the fallback is the answer.
    Fallback,
    /// The deadline passed without an answer.
    Expired,
    /// It was taken back.
    Cancelled,
    /// It says that it was decided, and no receipt proves it: nothing was approved.
    Void,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 12] = [
        Self::Answered,
        Self::Approved,
        Self::Denied,
        Self::Proceed,
        Self::ProceedClean,
        Self::ProceedDefault,
        Self::Adjust,
        Self::Delivered,
        Self::Fallback,
        Self::Expired,
        Self::Cancelled,
        Self::Void,
    ];

    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }

    /// The name of the outcome, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Proceed => "proceed",
            Self::ProceedClean => "proceed_clean",
            Self::ProceedDefault => "proceed_default",
            Self::Adjust => "adjust",
            Self::Delivered => "delivered",
            Self::Fallback => "fallback",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Void => "void",
        }
    }
}
