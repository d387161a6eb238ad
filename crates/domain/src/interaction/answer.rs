//! Answers: as a responder sends them, and as they are kept.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    Outcome,
    action::Action,
    amend::{Amendable, Amended},
    ask::Ask,
    comment::{self, Comment},
    form::{self, FormAnswers, FormQuestion},
    kind::Kind,
    plan::PlanDecision,
    quorum::Vote,
    receipt::Receipt,
};
use crate::{
    attachment::{self, Attachment, IS_USED, Uploaded},
    fault::{Fault, Faults, is_blank},
    json::{AnyJson, Object},
    limits,
    principal::Responder,
};

/// The one answer of a resolved blocker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The answer itself.
    pub content: AnswerContent,
    /// The responder; for a form, of the last question.
    pub responder: Responder,
    /// When.
    pub answered_at: DateTime<Utc>,
    /// For a decision: its receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Box<Receipt>>,
    /// The approvals before it, of those that it takes several of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// The files that were sent with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

/// The answer, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerContent {
    /// To a `question`. Whole, byte for byte; the empty text is an answer too (rules 9, 10).
    Text {
        /// The text.
        text: String,
    },
    /// To a `choice`: one value, or several in the order of the options.
    Selected {
        /// The values.
        selected: Vec<String>,
    },
    /// To an `acknowledgement`.
    Acknowledged,
    /// To an `approval`.
    Approval {
        /// Whether the action may be run.
        approved: bool,
        /// Why, in the responder's words.
        text: Option<String>,
        /// The arguments that are approved, where they are others than were asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amended: Option<Box<Amended>>,
    },
    /// To a `plan_review`.
    Plan {
        /// How to go on.
        decision: PlanDecision,
        /// The changes wanted, or notes on the way. With [`PlanDecision::Adjust`] there is this, or a comment.
        feedback: Option<String>,
        /// Words on some of its lines, in the order of the plan.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        comments: Vec<Comment>,
    },
    /// To a `form`: every question's answer by its id.
    Form {
        /// The answers.
        answers: FormAnswers,
    },
}

impl AnswerContent {
    /// How an interaction ends with this answer.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Text { .. } | Self::Selected { .. } | Self::Acknowledged | Self::Form { .. } => {
                Outcome::Answered
            }
            Self::Approval { approved: true, .. } => Outcome::Approved,
            Self::Approval {
                approved: false, ..
            } => Outcome::Denied,
            Self::Plan { decision, .. } => (*decision).into(),
        }
    }

    /// The answer without its request: enough for one line of a list. Of a form it tells how many there are: their
    /// order stands in the request.
    pub fn brief(&self) -> String {
        match self {
            Self::Form { answers } => match answers.len() {
                1 => "1 answer".to_owned(),
                count => format!("{count} answers"),
            },
            Self::Plan {
                feedback, comments, ..
            } => {
                let first = comments.first().map(|comment| comment.text.clone());
                feedback.clone().or(first).unwrap_or_default()
            }
            Self::Approval { text, .. } => text.clone().unwrap_or_default(),
            Self::Text { text } => text.clone(),
            Self::Selected { selected } => selected.join(", "),
            Self::Acknowledged => String::new(),
        }
    }

    /// All that was said of a plan: the feedback as it was typed, then each comment with its place. An agent that knows of
    /// no comments reads them here.
    pub fn feedback(&self, ask: &Ask) -> Option<String> {
        let (
            Self::Plan {
                feedback, comments, ..
            },
            Ask::PlanReview { plan, .. },
        ) = (self, ask)
        else {
            return None;
        };
        let comments = comments.iter().map(|comment| comment.to_text(plan));
        let said: Vec<String> = feedback.iter().cloned().chain(comments).collect();
        (!said.is_empty()).then(|| said.join("\n\n"))
    }

    /// The answer as a text, for an agent's context and for people. Free text stands in it byte for
    /// byte; a form's answers come in the order of its questions, as `id: answer`.
    pub fn to_text(&self, ask: &Ask) -> String {
        let with = |word: &str, more: &Option<String>| match more {
            Some(text) if !text.is_empty() => format!("{word}: {text}"),
            Some(_) | None => word.to_owned(),
        };
        match self {
            Self::Text { text } => text.clone(),
            Self::Selected { selected } => selected.join(", "),
            Self::Acknowledged => "Acknowledged".to_owned(),
            Self::Approval {
                approved,
                text,
                amended,
            } => {
                let word = match (approved, amended) {
                    (true, None) => "Approved",
                    // An agent that goes on with it has to know.
                    (true, Some(amended)) => {
                        let arguments = &amended.arguments.0;
                        return with(
                            &format!("Approved with these arguments instead: {arguments}"),
                            text,
                        );
                    }
                    (false, _) => "Denied",
                };
                with(word, text)
            }
            Self::Plan { decision, .. } => with(decision.meaning(), &self.feedback(ask)),
            Self::Form { answers } => {
                let questions: &[FormQuestion] = match ask {
                    Ask::Form { questions } => questions,
                    _ => &[],
                };
                let lines: Vec<String> = questions
                    .iter()
                    .filter_map(|question| {
                        let answer = answers.get(&question.id)?.to_text();
                        Some(format!("{}: {answer}", question.id))
                    })
                    .collect();
                lines.join("\n")
            }
        }
    }
}

/// An answer as it comes in, not yet checked against the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerDraft {
    /// For a `question`; a comment on an `approval`.
    pub text: Option<String>,
    /// For a `choice`.
    pub selected: Option<Vec<String>>,
    /// For an `approval`.
    pub approved: Option<bool>,
    /// With `approved: true`, where the agent lets them be changed: all arguments of the action as it is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<AnyJson>,
    /// For a `plan_review`.
    pub decision: Option<PlanDecision>,
    /// For a `plan_review`.
    pub feedback: Option<String>,
    /// For a `plan_review`: words on some lines of the plan.
    pub comments: Option<Vec<Object<Comment>>>,
    /// For a `form`: any of its questions.
    #[serde(deserialize_with = "form::read_answers")]
    pub answers: Option<FormAnswers>,
    /// The digest of the action or plan that its author was shown, or of the answers that a form had then
    /// ([`progress_digest`](super::progress_digest)): an answer to another one counts for nothing.
    pub digest: Option<String>,
    /// The ids of files that were sent before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<String>>,
    /// What is there under each of these ids, as far as the responder may name it. Never sent: whoever can look it up puts it
    /// here.
    #[serde(skip)]
    pub found: Vec<Option<Uploaded>>,
}

/// An answer that passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It answers everything.
    Whole(AnswerContent),
    /// It answers some questions of a form; all that are answered by now.
    Part(FormAnswers),
}

impl AnswerDraft {
    /// Reads the draft as an answer to `ask`. `known` are the answers a form has already.
    ///
    /// # Errors
    /// Every field that is wrong, with its path.
    pub fn check(self, ask: &Ask, known: &FormAnswers) -> Result<Checked, Vec<Fault>> {
        let mut faults = Faults::default();
        self.refuse_foreign(ask.kind(), &mut faults);
        self.refuse_another(ask, known, &mut faults);
        let checked = match ask {
            Ask::Question => self.text(&mut faults).map(Checked::Whole),
            Ask::Choice(choice) => faults.present("selected", self.selected).map(|selected| {
                Checked::Whole(AnswerContent::Selected {
                    selected: choice.pick(&selected, "selected", &mut faults),
                })
            }),
            Ask::Acknowledgement => Some(Checked::Whole(AnswerContent::Acknowledged)),
            Ask::Approval {
                action, amendable, ..
            } => self
                .approval(action, amendable.as_deref(), &mut faults)
                .map(Checked::Whole),
            Ask::PlanReview { plan, .. } => self.plan(plan, &mut faults).map(Checked::Whole),
            Ask::Form { questions } => faults.present("answers", self.answers).map(|given| {
                let answers = form::merge(questions, known, given, &mut faults);
                if questions.iter().all(|it| answers.contains_key(&it.id)) {
                    Checked::Whole(AnswerContent::Form { answers })
                } else {
                    Checked::Part(answers)
                }
            }),
            Ask::Notification { .. } => {
                faults.add("$", "a notification asks for no answer");
                None
            }
        };
        match checked {
            Some(checked) => faults.into_result(checked),
            // `None` only where a fault says why.
            None => Err(faults.into_result(()).err().unwrap_or_default()),
        }
    }

    /// The files that it names.
    ///
    /// # Errors
    /// Every one that is not there, with its path.
    pub fn check_attachments(&self) -> Result<Vec<Attachment>, Vec<Fault>> {
        let mut faults = Faults::default();
        let ids = self.attachments.as_deref();
        let attached = attachment::check(ids, &self.found, false, &mut faults);
        for (n, found) in self.found.iter().enumerate() {
            if found.as_ref().is_some_and(|found| found.part_of.is_some()) {
                faults.add(&format!("attachments[{n}]"), IS_USED);
            }
        }
        faults.into_result(attached)
    }

    fn refuse_foreign(&self, kind: Kind, faults: &mut Faults) {
        for (is_there, field, belongs) in [
            (
                self.text.is_some(),
                "text",
                &[Kind::Question, Kind::Approval][..],
            ),
            (self.selected.is_some(), "selected", &[Kind::Choice]),
            (self.approved.is_some(), "approved", &[Kind::Approval]),
            (self.arguments.is_some(), "arguments", &[Kind::Approval]),
            (self.decision.is_some(), "decision", &[Kind::PlanReview]),
            (self.feedback.is_some(), "feedback", &[Kind::PlanReview]),
            (self.comments.is_some(), "comments", &[Kind::PlanReview]),
            (self.answers.is_some(), "answers", &[Kind::Form]),
            (
                self.digest.is_some(),
                "digest",
                &[Kind::Approval, Kind::PlanReview, Kind::Form],
            ),
        ] {
            if is_there && !belongs.contains(&kind) {
                faults.add(
                    field,
                    format!("does not belong to the answer of kind {}", kind.name()),
                );
            }
        }
    }

    fn refuse_another(&self, ask: &Ask, known: &FormAnswers, faults: &mut Faults) {
        let (digest, why) = match ask {
            Ask::Form { .. } => (
                Some(form::progress_digest(known)),
                "is of other answers than are there now; look at them again",
            ),
            _ => (
                ask.digest(),
                "is not that of what is asked; look at it again",
            ),
        };
        if self.digest.is_some() && self.digest != digest {
            faults.add("digest", why);
        }
    }

    fn text(self, faults: &mut Faults) -> Option<AnswerContent> {
        let text = faults.present("text", self.text)?;
        faults.length("text", &text, limits::TEXT_CHARS);
        Some(AnswerContent::Text { text })
    }

    fn approval(
        self,
        action: &Action,
        amendable: Option<&Amendable>,
        faults: &mut Faults,
    ) -> Option<AnswerContent> {
        if let Some(text) = &self.text {
            faults.length("text", text, limits::TEXT_CHARS);
        }
        let approved = faults.present("approved", self.approved)?;
        let amended = match (self.arguments, amendable) {
            (None, _) => None,
            (Some(_), _) if !approved => {
                faults.add(
                    "arguments",
                    "belong to an approval: nothing of a denied action is run",
                );
                None
            }
            (Some(_), None) => {
                faults.add(
                    "arguments",
                    "the agent cannot take changed arguments here; deny it, and say what should change",
                );
                None
            }
            (Some(arguments), Some(amendable)) => amendable.amend(action, arguments, faults),
        };
        Some(AnswerContent::Approval {
            approved,
            text: self.text,
            amended: amended.map(Box::new),
        })
    }

    fn plan(self, plan: &str, faults: &mut Faults) -> Option<AnswerContent> {
        let decision = faults.present("decision", self.decision);
        let feedback = self.feedback;
        if let Some(text) = &feedback {
            faults.length("feedback", text, limits::TEXT_CHARS);
        }
        let comments = self.comments.unwrap_or_default();
        let length = feedback.as_deref().map_or(0, |text| text.chars().count());
        let comments = comment::check(comments, plan, length, faults);
        let decision = decision?;
        let says_nothing = feedback.as_deref().is_none_or(is_blank) && comments.is_empty();
        if decision == PlanDecision::Adjust && says_nothing {
            faults.add(
                "feedback",
                "is required with `adjust`, unless there are `comments`",
            );
        }
        Some(AnswerContent::Plan {
            decision,
            feedback,
            comments,
        })
    }
}
