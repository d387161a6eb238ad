//! Agents and tasks, and what they wait for.

use chrono::{DateTime, Utc};
use domain::Task;
use serde::{Deserialize, Serialize};

use super::{OwnerName, Row, harmless};

/// A task in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// The agent's own id for it.
    pub id: String,
    /// Whose.
    pub agent: String,
    /// The agent's home, if it has one.
    pub team: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Where in it the agent is.
    pub step: Option<String>,
    /// How it goes: the name of a [`domain::task::TaskStatus`].
    pub status: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// Its pending blockers.
    pub waiting: Vec<Row>,
}

impl TaskRow {
    /// The row of a task and what waits in it, with its agent's home.
    pub fn new(task: Task, team: Option<&str>, waiting: Vec<Row>) -> Self {
        Self {
            id: task.id,
            agent: task.agent.name,
            team: team.map(harmless),
            title: task.title.as_deref().map(harmless),
            step: task.step.as_deref().map(harmless),
            status: task.status.name().to_owned(),
            reason: task.status.reason().map(harmless),
            updated_at: task.updated_at,
            waiting,
        }
    }
}

/// The tasks, those that wait first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskList {
    /// The rows.
    pub rows: Vec<TaskRow>,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// An agent in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// Its home, if it has one.
    pub team: Option<String>,
    /// Whom it belongs to, by name.
    pub owners: Vec<OwnerName>,
    /// When it last called; to the minute.
    pub last_seen: Option<DateTime<Utc>>,
    /// Its pending blockers.
    pub waiting: Vec<Row>,
    /// How many tasks it has that are neither done nor failed.
    pub open_tasks: i64,
    /// How many bytes it has had stored today (UTC).
    pub stored_today: u64,
}

/// The agents, those that wait first, then by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentList {
    /// The rows.
    pub rows: Vec<AgentRow>,
    /// How many bytes each of them may have stored in a day, if that is limited.
    pub quota: Option<u64>,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// The counts of the last 24 hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Blockers that were asked.
    pub asked: i64,
    /// Blockers that a person closed with an answer.
    pub answered: i64,
    /// Blockers whose deadline passed, with or without a fallback.
    pub expired: i64,
    /// Blockers that were taken back.
    pub cancelled: i64,
}
