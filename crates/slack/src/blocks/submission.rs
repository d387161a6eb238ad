//! The content of a sent modal, read as an answer. Text stays as it was typed, byte for byte (rule 10), and a
//! field that was left empty is an empty answer (rule 9).

use domain::{
    Fault, Interaction, InteractionId,
    interaction::{
        Action, AnswerDraft, Ask, Choice, FormAnswer, FormAnswers, PlanDecision, Verdict,
    },
    json::AnyJson,
};
use serde::Serialize;
use serde_json::Value;
use visible::shape;

use super::{
    control::{is_answered, value},
    given,
    modal::{COMMENT, Carried, FIELD, Modal, Origin, PICKED, TYPED, shown_in},
    text::{Literal, one_line},
    view::CALLBACK_ID,
    words,
};

/// The longest word about a field.
const PROBLEM: usize = 250;

/// A modal as sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The interaction it is about.
    pub interaction: InteractionId,
    /// The modal that was sent.
    pub modal: Modal,
    /// The card it was opened from.
    pub origin: Option<Origin>,
    /// The equal ones that are decided with it.
    pub also: Vec<InteractionId>,
    /// Whether it showed all that was asked.
    was_whole: bool,
    /// The digest of the answers that it showed.
    answers: Option<String>,
    given: Given,
    /// The comment typed beside it.
    comment: Option<String>,
}

const NOTHING_TO_CHANGE: &str = "Say what to change: the agent works it into the plan.";
const NOT_WHOLE: &str =
    "This window does not show all that is asked. Close it, and open it again from the card.";
const NOT_AS_IT_RUNS: &str = "It does not read as it would run: something in it is hidden, written as a number (\\u…), or looks like \
                              something else. Change it on the dashboard, which shows what would run.";
const OTHER_ANSWERS: &str = "Another answer of this form is not, or may not be, the one that this window shows. \
                             Close it, and open it again from the card, which shows how it is now.";

/// Whether changed arguments are what they look like where they were typed.
fn is_as_it_runs(asked: &Action, arguments: &AnyJson, typed: &str) -> bool {
    let action = Action {
        arguments: arguments.clone(),
        ..asked.clone()
    };
    let digest = action.digest();
    let is_marked = digest.is_ok_and(|digest| shape::of(&action, &digest).is_marked());
    !is_marked && !has_numbers(typed)
}

/// Whether a character stands in it by its number: outside of texts JSON has no backslashes.
fn has_numbers(json: &str) -> bool {
    let mut rest = json.chars();
    while let Some(c) = rest.next() {
        if c == '\\' && rest.next() == Some('u') {
            return true;
        }
    }
    false
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Typed(String),
    Picked(Vec<usize>),
}

impl Submission {
    /// Reads the `view` of a `view_submission`. `None` when it is not one of ours.
    pub fn parse(view: &Value) -> Option<Self> {
        if view.get("callback_id")? != CALLBACK_ID {
            return None;
        }
        let carried = view.get("private_metadata")?.as_str()?;
        let carried: Carried = serde_json::from_str(carried).ok()?;
        let values = view.pointer("/state/values")?;
        let comment = values.get(COMMENT).and_then(filled_in);
        Some(Self {
            interaction: carried.interaction,
            modal: carried.modal,
            origin: carried.origin,
            also: carried.also,
            was_whole: carried.whole,
            answers: carried.answers,
            given: filled_in(values.get(FIELD)?)?,
            comment: match comment {
                Some(Given::Typed(text)) => Some(text).filter(|text| !text.is_empty()),
                _ => None,
            },
        })
    }

    /// The same for an equal one.
    #[must_use]
    pub fn of_equal(&self, id: InteractionId) -> Self {
        Self {
            interaction: id,
            also: Vec::new(),
            ..self.clone()
        }
    }

    /// The answer. Whether it counts is for the rules.
    ///
    /// # Errors
    /// The errors for its sender; the modal stays open, with the typed text.
    pub fn answer(&self, interaction: &Interaction) -> Result<AnswerDraft, ModalErrors> {
        let draft = self.draft(interaction)?;
        if interaction.state.is_pending() && draft.verdict() == Verdict::Accept {
            if !self.was_whole {
                return Err(ModalErrors::new(NOT_WHOLE));
            }
            if !shown_in(interaction, self.modal).offers(Verdict::Accept) {
                return Err(ModalErrors::new(words::TOO_LONG));
            }
        }
        Ok(draft)
    }

    fn draft(&self, interaction: &Interaction) -> Result<AnswerDraft, ModalErrors> {
        let unreadable = || ModalErrors::new("This does not belong here. Close it and try again.");
        if interaction.id != self.interaction {
            return Err(unreadable());
        }
        let mut draft = AnswerDraft::default();
        match (self.modal, &interaction.request.ask, &self.given) {
            (Modal::Answer, Ask::Question, Given::Typed(text)) => draft.text = Some(text.clone()),
            (Modal::Answer, Ask::Choice(choice), Given::Picked(picked)) => {
                draft.selected = Some(values(choice, picked).ok_or_else(unreadable)?);
            }
            (Modal::Step { question }, Ask::Form { questions }, given) => {
                let question = questions.get(question).ok_or_else(unreadable)?;
                if is_answered(interaction, question) {
                    return Err(ModalErrors::new(
                        "Somebody has answered this question meanwhile. Close this and look at the card.",
                    ));
                }
                let now = given::digest(interaction);
                if !given::are_current(interaction, self.answers.as_ref(), now.as_ref()) {
                    return Err(ModalErrors::new(OTHER_ANSWERS));
                }
                // Another change may come before this is kept.
                draft.digest = now;
                let answer = match (given, question.choice()) {
                    (Given::Typed(text), None) => Some(FormAnswer::One(text.clone())),
                    (Given::Picked(picked), Some(choice)) => {
                        values(&choice, picked).map(FormAnswer::Several)
                    }
                    _ => None,
                };
                let answer = answer.ok_or_else(unreadable)?;
                draft.answers = Some(FormAnswers::from([(question.id.clone(), answer)]));
            }
            (Modal::Decide, Ask::Acknowledgement, Given::Picked(picked)) if picked[..] == [0] => {}
            (Modal::Decide, Ask::Approval { .. }, Given::Picked(picked)) => {
                draft.approved = Some(match picked[..] {
                    [0] => true,
                    [1] => false,
                    _ => return Err(unreadable()),
                });
                draft.text.clone_from(&self.comment);
            }
            (
                Modal::Amend,
                Ask::Approval {
                    action,
                    amendable: Some(_),
                    ..
                },
                Given::Typed(text),
            ) => {
                let arguments: AnyJson = serde_json::from_str(text).map_err(|error| {
                    ModalErrors::new(&format!("This is not readable as JSON: {error}."))
                })?;
                // Rule 11: what was typed is all that stood there.
                if !is_as_it_runs(action, &arguments, text) {
                    return Err(ModalErrors::new(NOT_AS_IT_RUNS));
                }
                draft.approved = Some(true);
                draft.arguments = Some(arguments);
                draft.text.clone_from(&self.comment);
                // The action that stands above the field.
                draft.digest = interaction.request.ask.digest();
            }
            (Modal::Decide, Ask::PlanReview { .. }, Given::Picked(picked)) => {
                let decision = match picked[..] {
                    [n] => PlanDecision::ALL.get(n).copied(),
                    _ => None,
                };
                let decision = decision.ok_or_else(unreadable)?;
                let comment = self.comment.as_deref().unwrap_or_default();
                if decision == PlanDecision::Adjust && comment.trim().is_empty() {
                    return Err(ModalErrors::new(NOTHING_TO_CHANGE));
                }
                draft.decision = Some(decision);
                draft.feedback.clone_from(&self.comment);
            }
            (Modal::Deny, Ask::Approval { .. }, Given::Typed(text)) => {
                draft.approved = Some(false);
                draft.text = Some(text.clone());
            }
            (Modal::Adjust, Ask::PlanReview { .. }, Given::Typed(text)) => {
                if text.trim().is_empty() {
                    return Err(ModalErrors::new(NOTHING_TO_CHANGE));
                }
                draft.decision = Some(PlanDecision::Adjust);
                draft.feedback = Some(text.clone());
            }
            _ => return Err(unreadable()),
        }
        Ok(draft)
    }
}

fn filled_in(field: &Value) -> Option<Given> {
    if let Some(typed) = field.get(TYPED) {
        return match typed.get("value") {
            None | Some(Value::Null) => Some(Given::Typed(String::new())),
            Some(Value::String(text)) => Some(Given::Typed(text.clone())),
            Some(_) => None,
        };
    }
    let picked = field.get(PICKED)?;
    let several = picked.get("selected_options").and_then(Value::as_array);
    let one = picked.get("selected_option").filter(|one| !one.is_null());
    let options = several.into_iter().flatten().chain(one);
    let numbers = options.map(|option| option.get("value")?.as_str()?.parse().ok());
    numbers.collect::<Option<_>>().map(Given::Picked)
}

/// `None` when there is no such option.
fn values(choice: &Choice, picked: &[usize]) -> Option<Vec<String>> {
    picked.iter().map(|n| value(choice, *n)).collect()
}

/// The response to `view_submission` when something is wrong: it stands at the field, and the typed text
/// stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModalErrors {
    response_action: &'static str,
    errors: Field,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Field {
    answer: Literal<PROBLEM>,
}

impl ModalErrors {
    /// One problem, in a sentence.
    pub fn new(problem: &str) -> Self {
        Self {
            response_action: "errors",
            errors: Field {
                answer: Literal::new(&one_line(problem, PROBLEM)),
            },
        }
    }

    /// The words of the error.
    pub fn words(&self) -> &str {
        self.errors.answer.as_str()
    }

    /// The faults that the rules found. Every modal has one field, so all of it stands there.
    pub fn from_faults(faults: &[Fault]) -> Self {
        let problems: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        Self::new(&format!("This cannot be sent: {}.", problems.join("; ")))
    }
}
