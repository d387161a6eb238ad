//! The events of a task.

use serde::{Deserialize, Serialize};

use crate::task::{Task, TaskStatus};

/// A task changed its status: it is as it was then. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum TaskEvent {
    /// A task waits for a person.
    #[serde(rename = "task.waiting")]
    Waiting(Box<Task>),
    /// A task goes on.
    #[serde(rename = "task.running")]
    Running(Box<Task>),
    /// A task cannot go on.
    #[serde(rename = "task.failed")]
    Failed(Box<Task>),
    /// A task is finished.
    #[serde(rename = "task.done")]
    Done(Box<Task>),
}

impl TaskEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Waiting(_) => "task.waiting",
            Self::Running(_) => "task.running",
            Self::Failed(_) => "task.failed",
            Self::Done(_) => "task.done",
        }
    }
}

impl From<Task> for TaskEvent {
    fn from(task: Task) -> Self {
        let variant = match task.status {
            TaskStatus::Waiting => Self::Waiting,
            TaskStatus::Running => Self::Running,
            TaskStatus::Failed { .. } => Self::Failed,
            TaskStatus::Done => Self::Done,
        };
        variant(Box::new(task))
    }
}
