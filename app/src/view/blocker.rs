//! One blocker as the resolution dialog shows it.

use chrono::{DateTime, Utc};
use domain::interaction::{Outcome, TaskRef};
use serde::{Deserialize, Serialize};

use super::Row;

/// Everything a person needs to answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocker {
    /// Mode, agent, session, times.
    pub row: Row,
    /// A few words above the prompt.
    pub title: Option<String>,
    /// The prompt as sanitised HTML. Made by the server only.
    pub prompt_html: String,
    /// The piece of work.
    pub task: Option<TaskRef>,
    /// The answer the agent goes on with after the deadline.
    pub fallback: Option<String>,
    /// Open, or what became of it.
    pub status: BlockerStatus,
    /// What was asked before in the same session, newest first.
    pub earlier: Vec<Earlier>,
    /// What the person who looks sent too late, if they did.
    pub unsent: Option<String>,
    /// Whether the person who looks may answer.
    pub may_answer: bool,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// Whether it can still be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockerStatus {
    /// It waits.
    Open,
    /// It is over.
    Closed {
        /// How it ended.
        outcome: Outcome,
        /// Who closed it; `None` for the deadline.
        by: Option<String>,
        /// Whether the one who closed it is the one who looks.
        by_you: bool,
        /// When.
        at: DateTime<Utc>,
        /// The whole answer.
        answer: Option<String>,
        /// Why it was taken back.
        reason: Option<String>,
    },
}

/// An earlier question of the same session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// What was asked, on one line.
    pub question: String,
    /// What became of it, on one line: the answer, or words for why there is none.
    pub answer: Option<String>,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOutcome {
    /// It is the answer.
    Sent,
    /// Somebody, or the deadline, was faster. The text is kept in the journal.
    TooLate,
}
