//! An interaction: what an agent asked, and what became of it.

mod answer;
pub mod decide;
mod refused;
mod request;
mod state;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

pub use answer::{Answer, AnswerContent, AnswerDraft};
pub use refused::Refused;
pub use request::{Draft, Kind, Mode, Priority, Request, TaskRef};
pub use state::{Outcome, State};

use crate::{ids::InteractionId, principal::AgentRef};

/// Anything an agent says to people.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Its id.
    pub id: InteractionId,
    /// 1 when opened, one more with every accepted command.
    pub version: i64,
    /// Who asked.
    pub agent: AgentRef,
    /// What was asked. Never changes.
    pub request: Request,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
    /// When it expires; `None` = never.
    pub expires_at: Option<DateTime<Utc>>,
    /// What became of it.
    pub state: State,
}

impl Interaction {
    /// The answer the agent goes on with: a responder's, or the fallback after the deadline.
    pub fn answer(&self) -> Option<&AnswerContent> {
        match &self.state {
            State::Resolved { answer } => Some(&answer.content),
            State::Expired { fallback, .. } => fallback.as_ref(),
            State::Pending | State::Cancelled { .. } => None,
        }
    }

    /// Text ready for the agent's context, once there is an answer. The answer stands in it byte for
    /// byte (rule 10).
    pub fn resume_prompt(&self) -> Option<String> {
        let AnswerContent::Text { text } = self.answer()?;
        Some(format!(
            "Previous blocker question: {}\nUser answer: {text}\nContinue task execution with this answer.",
            self.request.prompt
        ))
    }
}
