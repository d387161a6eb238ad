//! What opens when a button asks for more than a press: one field, under what was asked.

use domain::{
    Interaction, InteractionId,
    interaction::{Ask, Choice, FormQuestion},
};
use serde::{Deserialize, Serialize};

use super::{
    block::{Content, Element, Input},
    choose,
    text::{Name, Plain, cut, length, prose},
    view::View,
    words,
};

/// The one field of a modal.
pub(super) const FIELD: &str = "answer";
/// What is typed into it.
pub(super) const TYPED: &str = "typed";
pub(super) const PICKED: &str = "picked";
/// The longest text Slack lets anybody type.
const TYPED_CHARS: u16 = 3_000;
const PROMPT: usize = 3_000;
/// What Slack allows for all that a modal carries along, less what is ours.
const ORIGIN: usize = 200;

/// What a modal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "modal", rename_all = "snake_case")]
pub enum Modal {
    /// The answer to a question, or options of a choice.
    Answer,
    /// The answer to one question of a form, counted from 0.
    Step {
        /// Which.
        question: usize,
    },
    /// Why an action must not run.
    Deny,
    /// What to change in a plan.
    Adjust,
}

/// The message a modal was opened from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The channel's id.
    pub channel: String,
    /// The message in it.
    pub ts: String,
}

/// What a modal carries along and Slack gives back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Carried {
    pub(super) interaction: InteractionId,
    #[serde(flatten)]
    pub(super) modal: Modal,
    pub(super) origin: Option<Origin>,
}

/// The modal. `None` when the interaction asks for nothing of the kind.
pub fn modal(interaction: &Interaction, modal: Modal, origin: Option<Origin>) -> Option<View> {
    let fits = |it: &Origin| it.channel.len() <= ORIGIN && it.ts.len() <= ORIGIN;
    let carried = Carried {
        interaction: interaction.id,
        modal,
        origin: origin.filter(fits),
    };
    let carried = serde_json::to_string(&carried).ok()?;
    let request = &interaction.request;
    let (title, submit, asked, field) = match (modal, &request.ask) {
        (Modal::Answer, Ask::Question) => (
            "Your answer".to_owned(),
            "Send answer",
            &request.prompt,
            typed("Your answer", true),
        ),
        (Modal::Answer, Ask::Choice(choice)) => {
            let field = picked(choice);
            (
                "Your answer".to_owned(),
                "Send answer",
                &request.prompt,
                field,
            )
        }
        (Modal::Step { question: n }, Ask::Form { questions }) => {
            let question = questions.get(n)?;
            let title = format!("Question {} of {}", n + 1, questions.len());
            (title, "Send", &question.prompt, step(question))
        }
        (Modal::Deny, Ask::Approval { .. }) => (
            "Deny".to_owned(),
            "Deny",
            &request.prompt,
            typed("Why not (for the agent)", true),
        ),
        (Modal::Adjust, Ask::PlanReview { .. }) => {
            let field = typed("What to change", false);
            ("Adjust the plan".to_owned(), "Send", &request.prompt, field)
        }
        _ => return None,
    };
    let asked = prose(asked);
    let from = words::from(interaction);
    let mut view = View::new(&title, submit, carried)
        .add(Content::context(vec![from.as_str().into()]))
        .add(Content::section(&*cut(&asked, PROMPT)));
    if length(&asked) > PROMPT {
        let rest = "This is not all of it. The rest is on the dashboard.";
        view = view.add(Content::context(vec![rest.into()]));
    }
    Some(view.add_field(FIELD, Content::Input(field)))
}

/// A text in several lines. What may be sent empty is an answer when it is (rule 9).
fn typed(label: &str, may_be_empty: bool) -> Input {
    Input {
        label: Plain::new(label),
        optional: may_be_empty,
        element: Element::PlainTextInput {
            action_id: Name::new(TYPED),
            multiline: true,
            min_length: u16::from(!may_be_empty),
            max_length: TYPED_CHARS,
        },
    }
}

fn picked(choice: &Choice) -> Input {
    let options = choose::menu(choice, |n| Name::new(n.to_string()));
    let name = Name::new(PICKED);
    let (label, element) = if choice.multiple {
        ("Pick any number", Element::multi_select(name, options))
    } else {
        ("Pick one", Element::select(name, options, None))
    };
    Input {
        label: Plain::new(label),
        // None of several is an answer, too.
        optional: choice.multiple,
        element,
    }
}

fn step(question: &FormQuestion) -> Input {
    match question.choice() {
        Some(choice) => picked(&choice),
        None => typed("Your answer", true),
    }
}
