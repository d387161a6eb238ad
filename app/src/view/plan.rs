//! A plan among its versions, as its readers see it.

use domain::{InteractionId, interaction::Outcome};
use serde::{Deserialize, Serialize};

/// The others of which it is a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanVersions {
    /// Its number: 1 for the first.
    pub number: usize,
    /// The one before it.
    pub before: Option<PlanBefore>,
    /// The one after it.
    pub newer: Option<InteractionId>,
}

/// The version before, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanBefore {
    /// Its number.
    pub number: usize,
    /// What is shown of it, or why nothing is.
    pub shown: Result<Box<PlanThen>, String>,
}

/// The version before, held against this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanThen {
    /// Which it is.
    pub id: InteractionId,
    /// How it ended.
    pub outcome: Outcome,
    /// Who closed it.
    pub by: Option<String>,
    /// How much differs, and where.
    pub summary: String,
    /// The lines that differ, with the words that do; `None` where none does. Made by the server only.
    pub difference_html: Option<String>,
    /// What was said of all of it.
    pub feedback: Option<String>,
    /// What was said of its lines.
    pub comments: Vec<CommentThen>,
}

/// A comment on lines of the version before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentThen {
    /// Where it stood, in words.
    pub place: String,
    /// What became of these lines, in words.
    pub became: String,
    /// These lines as they were, where there is room for them. Made by the server only.
    pub was_html: Option<String>,
    /// What stands there now, where that is something else. Made by the server only.
    pub now_html: Option<String>,
    /// The comment.
    pub text: String,
}

impl PlanThen {
    /// How it ended, behind the name of who ended it, if anybody did.
    pub fn ended(&self) -> &'static str {
        match (self.outcome, &self.by) {
            (Outcome::Adjust, _) => " sent it back to be adjusted.",
            (Outcome::Proceed | Outcome::ProceedClean | Outcome::ProceedDefault, _) => {
                " let the agent go on with it."
            }
            (Outcome::Cancelled, Some(_)) => " took it back.",
            (Outcome::Cancelled, None) => "It was taken back.",
            (Outcome::Void, _) => "What is stored of its decision is not what was signed.",
            _ => "Nobody decided about it in time.",
        }
    }

    /// Who ended it, where the sentence begins with them.
    pub fn ended_by(&self) -> Option<&str> {
        let by = self.by.as_deref()?;
        self.ended().starts_with(' ').then_some(by)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn it_says_who_ended_the_version_before_and_how() {
        for (outcome, by, words) in [
            (
                Outcome::Adjust,
                Some("Ana"),
                "Ana sent it back to be adjusted.",
            ),
            (
                Outcome::ProceedClean,
                Some("Ana"),
                "Ana let the agent go on with it.",
            ),
            (Outcome::Cancelled, Some("backend"), "backend took it back."),
            (Outcome::Expired, None, "Nobody decided about it in time."),
            (
                Outcome::Void,
                Some("Ana"),
                "What is stored of its decision is not what was signed.",
            ),
        ] {
            let then = PlanThen {
                id: InteractionId(Uuid::nil()),
                outcome,
                by: by.map(str::to_owned),
                summary: String::new(),
                difference_html: None,
                feedback: None,
                comments: Vec::new(),
            };
            let who = then.ended_by().unwrap_or_default();
            assert_eq!(format!("{who}{}", then.ended()), words);
        }
    }
}
