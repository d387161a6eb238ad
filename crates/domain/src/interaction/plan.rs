//! Decisions about a plan.

use serde::{Deserialize, Serialize};

use super::Outcome;

/// How an agent goes on with its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanDecision {
    /// Go on, keep the context, edits are allowed.
    Proceed,
    /// Go on with a clear context, edits are allowed.
    ProceedClean,
    /// Go on with a clear context, ask before edits.
    ProceedDefault,
    /// Stay in plan mode and work the feedback in.
    Adjust,
}

/// The rights of an agent after a plan review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetMode {
    /// Edit without asking.
    Edit,
    /// Ask before edits.
    Default,
}

impl PlanDecision {
    /// Every decision, in the order people see them.
    pub const ALL: [Self; 4] = [
        Self::Proceed,
        Self::ProceedClean,
        Self::ProceedDefault,
        Self::Adjust,
    ];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        Outcome::from(self).name()
    }

    /// Whether the agent drops its context.
    pub fn clear_context(self) -> bool {
        matches!(self, Self::ProceedClean | Self::ProceedDefault)
    }

    /// The mode the agent may go on in; `None` while it stays in plan mode.
    pub fn target_mode(self) -> Option<TargetMode> {
        match self {
            Self::Proceed | Self::ProceedClean => Some(TargetMode::Edit),
            Self::ProceedDefault => Some(TargetMode::Default),
            Self::Adjust => None,
        }
    }

    /// The agent's next step, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Proceed => "Go on, keep the context, edits are allowed",
            Self::ProceedClean => "Go on with a clear context, edits are allowed",
            Self::ProceedDefault => "Go on with a clear context, ask before edits",
            Self::Adjust => "Stay in plan mode and work the feedback in",
        }
    }
}

impl From<PlanDecision> for Outcome {
    fn from(decision: PlanDecision) -> Self {
        match decision {
            PlanDecision::Proceed => Self::Proceed,
            PlanDecision::ProceedClean => Self::ProceedClean,
            PlanDecision::ProceedDefault => Self::ProceedDefault,
            PlanDecision::Adjust => Self::Adjust,
        }
    }
}
