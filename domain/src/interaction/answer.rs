//! Answers: what a responder sends, and what is kept of it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::request::Kind;
use crate::{
    fault::{Fault, Faults},
    limits,
    principal::Responder,
};

/// The one answer of a resolved blocker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What was answered.
    pub content: AnswerContent,
    /// Who answered.
    pub responder: Responder,
    /// When.
    pub answered_at: DateTime<Utc>,
}

/// What was answered, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerContent {
    /// To a `question`. Whole, byte for byte; the empty text is an answer too (rules 9, 10).
    Text {
        /// The text.
        text: String,
    },
}

/// An answer as it comes in, not yet checked against the kind of the interaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerDraft {
    /// For a `question`.
    pub text: Option<String>,
}

impl AnswerDraft {
    /// Reads the draft as an answer to an interaction of this kind.
    ///
    /// # Errors
    /// Every field that is wrong, with its path.
    pub fn check(self, kind: Kind) -> Result<AnswerContent, Vec<Fault>> {
        match kind {
            Kind::Question => {
                let Some(text) = self.text else {
                    return Err(vec![Fault::required("text")]);
                };
                let mut faults = Faults::default();
                faults.length("text", &text, limits::TEXT_CHARS);
                faults.into_result(AnswerContent::Text { text })
            }
        }
    }
}
