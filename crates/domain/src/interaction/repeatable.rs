//! Which questions are the very same, so that the answer to one of them is one to the other.

use serde::{Deserialize, Serialize};

use super::{AnswerContent, Ask, Choice, Kind, Request, TaskRef, equal::what_is_said};
use crate::digest;

/// A question with all that a person reads before they answer it, and nothing else: not its mode, not its deadline, not the
/// ids of the agent's task and session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeatable {
    /// `question` or `choice`.
    pub kind: Kind,
    /// The words above the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The question.
    pub prompt: String,
    /// The options, in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// What is said of the task, without its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRef>,
    /// What the agent goes on with unless somebody answers: whoever says nothing against it has read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<AnswerContent>,
}

impl Repeatable {
    /// `sha256:` and the hex of SHA-256 over its RFC 8785 form: to find it by.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        Ok(digest::sha256(&serde_json_canonicalizer::to_vec(self)?))
    }
}

impl Request {
    /// The question, where an answer to it can be one to the next that is the same: of words or of options. What decides
    /// about an action or a plan is never given again (rule 2), what is only acknowledged says nothing, and each question
    /// of a form stands beside the others.
    pub fn repeatable(&self) -> Option<Repeatable> {
        // Each field is named: what a person reads and no earlier question had must not be passed over here.
        let Self {
            ask,
            mode: _,
            title,
            prompt,
            session_id: _,
            task,
            priority: _,
            fallback,
            metadata: _,
            timeout_seconds: _,
            callback_url: _,
            withdraw_on_disconnect: _,
            // Policies say nothing of questions.
            ruled: _,
            attachments,
            // Of approvals alone.
            owners: _,
            trace: _,
        } = self;
        // What is in a file may be the question.
        if !attachments.is_empty() {
            return None;
        }
        let choice = match ask {
            Ask::Question => None,
            Ask::Choice(choice) => Some(choice.clone()),
            Ask::Acknowledgement
            | Ask::Approval { .. }
            | Ask::PlanReview { .. }
            | Ask::Form { .. }
            | Ask::Notification { .. } => return None,
        };
        Some(Repeatable {
            kind: self.kind(),
            title: title.clone(),
            prompt: prompt.clone(),
            choice,
            task: task.as_ref().and_then(what_is_said),
            fallback: fallback.clone(),
        })
    }
}
