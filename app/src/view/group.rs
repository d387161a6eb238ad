//! Several blockers that are decided together.

use chrono::{DateTime, Utc};
use domain::{InteractionId, interaction::TaskRef};
use serde::{Deserialize, Serialize};

use super::{AnswerOutcome, Control, Row};
use crate::error::UiError;

/// Everything a person needs to decide about all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Those that are asked in the same words stand together.
    pub parts: Vec<GroupPart>,
    /// The prompt as sanitised HTML, if it is the same in all and nothing of ours belongs above it. Made by the server only.
    pub prompt_html: Option<String>,
    /// The control that answers all of them; `None` where no answer fits all.
    pub control: Option<Control>,
    /// How many more wait than are shown.
    pub more: usize,
    /// Whether the person who looks may answer.
    pub may_answer: bool,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// Blockers of which everything that is decided about is the same, character by character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPart {
    /// In the order of the list.
    pub rows: Vec<Row>,
    /// A few words above the prompt.
    pub title: Option<String>,
    /// The prompt as sanitised HTML, where it is not the same in all parts. Made by the server only.
    pub prompt_html: Option<String>,
    /// The action, the plan, the options.
    pub control: Control,
    /// The piece of work.
    pub task: Option<TaskRef>,
    /// The answer the agent goes on with after the deadline.
    pub fallback: Option<String>,
}

impl GroupPart {
    /// Of the action that is shown; empty where none is.
    pub fn digest(&self) -> String {
        match &self.control {
            Control::Approve(action) => action.digest.clone(),
            _ => String::new(),
        }
    }
}

/// What became of one of several answers.
pub type Answered = (InteractionId, Result<AnswerOutcome, UiError>);
