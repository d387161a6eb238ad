//! A task: the piece of work an agent's blockers belong to. Its status follows them (rule 6).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    interaction::{Interaction, Mode},
    principal::AgentRef,
};

/// The reason a task fails by rule 5.
pub const EXPIRED: &str = "Blocker expired without resolution";

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The agent's own id for it; two agents may use the same.
    pub id: String,
    /// The agent whose work it is.
    pub agent: AgentRef,
    /// 1 when registered, one more with every change.
    pub version: i64,
    /// Its title.
    pub title: Option<String>,
    /// Its subject.
    pub description: Option<String>,
    /// Where in it the agent is.
    pub step: Option<String>,
    /// How it goes.
    #[serde(flatten)]
    pub status: TaskStatus,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// How a task goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum TaskStatus {
    /// The agent works on it.
    Running,
    /// The agent has stopped until a person answers.
    Waiting,
    /// It cannot go on.
    Failed {
        /// Why.
        reason: Option<String>,
    },
    /// It is finished.
    Done,
}

impl TaskStatus {
    /// Every name.
    pub const NAMES: [&'static str; 4] = ["running", "waiting", "failed", "done"];

    /// The name, as in SQL and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Failed { .. } => "failed",
            Self::Done => "done",
        }
    }

    /// Whether the agent has ended it, or a deadline has.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Done)
    }

    /// Why it failed.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Failed { reason } => reason.as_deref(),
            Self::Running | Self::Waiting | Self::Done => None,
        }
    }
}

/// A task with everything that waits in it: all that a rule has to see to keep the status true.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The task.
    pub task: Task,
    /// Its pending blockers.
    pub pending: Vec<Interaction>,
}

impl Work {
    /// Whether the agent has stopped for any blocker but `closed`.
    pub(crate) fn is_stopped_without(&self, closed: Option<&Interaction>) -> bool {
        self.pending
            .iter()
            .filter(|pending| closed.is_none_or(|closed| closed.id != pending.id))
            .any(|pending| pending.request.mode == Mode::Sync)
    }
}

/// An agent's words about its task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskDraft {
    /// See [`Task::title`]. An absent field stays as it is.
    pub title: Option<String>,
    /// See [`Task::description`].
    pub description: Option<String>,
    /// See [`Task::step`].
    pub step: Option<String>,
    /// `running`, `failed` or `done`; that it waits follows from its blockers.
    pub status: Option<String>,
    /// Why it failed; with `failed` only.
    pub reason: Option<String>,
}
