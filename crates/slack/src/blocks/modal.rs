//! A modal opens when a button asks for more than a press: fields, under all that is asked (rule 11). A request
//! that cannot be shown whole there either is answered on the dashboard; only to say no one need not have read to
//! the end.

use domain::{
    Interaction, InteractionId,
    interaction::{Ask, Choice, FormQuestion, PlanDecision, Shown},
};
use serde::{Deserialize, Serialize};

use super::{
    block::{Content, Element, Input, SelectOption},
    choose,
    covered::{BLOCK, Covered, Look},
    given,
    text::{Name, Plain, cut, length, pieces, prose},
    view::View,
    words,
};

/// The field of a modal that has the answer.
pub(super) const FIELD: &str = "answer";
/// The field beside it.
pub(super) const COMMENT: &str = "comment";
/// The id of the text typed into a field.
pub(super) const TYPED: &str = "typed";
pub(super) const PICKED: &str = "picked";
/// The longest text Slack lets anybody type.
const TYPED_CHARS: u16 = 3_000;
/// Slack's limit for all that a modal carries along, less our part.
const ORIGIN: usize = 200;

/// The input a modal asks for.
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
    /// That something was seen, or the decision about an action or a plan that its card does not show whole.
    Decide,
    /// The arguments of an action, to be changed before it is approved.
    Amend,
    /// Why an action must not run.
    Deny,
    /// The changes to a plan.
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

/// The data a modal carries along and Slack gives back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Carried {
    pub(super) interaction: InteractionId,
    #[serde(flatten)]
    pub(super) modal: Modal,
    pub(super) origin: Option<Origin>,
    /// Whether it shows all that is asked. Those from before there was this did not always.
    #[serde(default)]
    pub(super) whole: bool,
    /// The digest of the answers that the form had; nothing in those from before there was this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<String>,
    /// The equal ones that are decided with it: those that its card showed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) also: Vec<InteractionId>,
}

/// The modal. `None` when the interaction asks for nothing of the kind now, or Slack has no room for all that an
/// answer there covers.
pub fn modal(interaction: &Interaction, modal: Modal, origin: Option<Origin>) -> Option<View> {
    modal_for_all(interaction, modal, origin, &[])
}

/// The same for equal ones that are decided together.
pub fn modal_for_all(
    interaction: &Interaction,
    modal: Modal,
    origin: Option<Origin>,
    also: &[InteractionId],
) -> Option<View> {
    let fits = |it: &Origin| it.channel.len() <= ORIGIN && it.ts.len() <= ORIGIN;
    let whole = !matches!(modal, Modal::Deny | Modal::Adjust);
    let carried = Carried {
        interaction: interaction.id,
        modal,
        origin: origin.filter(fits),
        whole,
        answers: given::digest(interaction),
        also: also.to_vec(),
    };
    let carried = serde_json::to_string(&carried).ok()?;
    let (title, submit) = match modal {
        Modal::Answer => ("Your answer".to_owned(), "Send answer"),
        Modal::Step { question } => match &interaction.request.ask {
            Ask::Form { questions } => {
                let title = format!("Question {} of {}", question + 1, questions.len());
                (title, "Send")
            }
            _ => return None,
        },
        Modal::Decide => ("Your decision".to_owned(), "Send decision"),
        Modal::Amend => ("Change it first".to_owned(), "Approve with this"),
        Modal::Deny => ("Deny".to_owned(), "Deny"),
        Modal::Adjust => ("Adjust the plan".to_owned(), "Send"),
    };
    let fields = fields(interaction, modal)?;
    let from = words::from(interaction);
    let view = View::new(&title, submit, carried).add(Content::context(vec![from.as_str().into()]));
    let view = match also.len() {
        0 => view,
        others => {
            let words = format!(
                "All {} that the card showed are decided, each by itself.",
                others + 1
            );
            view.add(Content::context(vec![words.as_str().into()]))
        }
    };
    let covered = Covered::of(interaction);
    let view = if whole {
        with_all(view, &covered)
    } else {
        with_prompt(view, interaction)
    };
    let fields = fields.into_iter();
    let view = fields.fold(view, |view, (name, field)| {
        view.add_field(name, Content::Input(field))
    });
    (!whole || view.fits() && covered.is_read_as_written()).then_some(view)
}

/// Whether an answer may accept in this modal: all that it covers stands there.
pub(super) fn shown_in(interaction: &Interaction, which: Modal) -> Shown {
    let accepts = !matches!(which, Modal::Deny | Modal::Adjust);
    Shown::unless_cut(!accepts || modal(interaction, which, None).is_none())
}

/// The modal in which all that is asked can be read and answered; `None` when nothing is asked.
pub(super) fn to_read(interaction: &Interaction) -> Option<Modal> {
    match &interaction.request.ask {
        Ask::Question | Ask::Choice(_) => Some(Modal::Answer),
        Ask::Form { .. } => {
            let (question, _) = interaction.next_question()?;
            Some(Modal::Step { question })
        }
        Ask::Acknowledgement | Ask::Approval { .. } | Ask::PlanReview { .. } => Some(Modal::Decide),
        Ask::Notification { .. } => None,
    }
}

/// Whether that modal has room for all of it.
pub(super) fn can_be_read(interaction: &Interaction) -> bool {
    to_read(interaction).is_some_and(|which| shown_in(interaction, which) == Shown::Whole)
}

fn with_all(view: View, covered: &Covered) -> View {
    let mut contents = Vec::new();
    for part in &covered.parts {
        contents.extend(part.heading.as_deref().map(Content::bold));
        let pieces = pieces(&part.body, BLOCK).into_iter();
        contents.extend(pieces.map(|piece| part.look.content(piece)));
        if part.look == Look::Action {
            contents.extend(
                covered
                    .action
                    .iter()
                    .flat_map(super::action::Written::notes),
            );
        }
    }
    contents.into_iter().fold(view, View::add)
}

fn with_prompt(view: View, interaction: &Interaction) -> View {
    let asked = prose(&interaction.request.prompt);
    let view = view.add(Content::section(&*cut(&asked, BLOCK)));
    if length(&asked) <= BLOCK {
        return view;
    }
    let rest = "This is not all of it. The rest is on the dashboard.";
    view.add(Content::context(vec![rest.into()]))
}

/// The fields to fill in.
fn fields(interaction: &Interaction, modal: Modal) -> Option<Vec<(&'static str, Input)>> {
    let one = |field| Some(vec![(FIELD, field)]);
    match (modal, &interaction.request.ask) {
        (Modal::Answer, Ask::Question) => one(typed("Your answer", true)),
        (Modal::Answer, Ask::Choice(choice)) => one(picked(choice)),
        // It shows the question that is asked now.
        (Modal::Step { question: n }, Ask::Form { .. }) => match interaction.next_question() {
            Some((next, question)) if next == n => one(step(question)),
            _ => None,
        },
        (Modal::Decide, Ask::Acknowledgement) => {
            one(decided("Confirm", vec![("I have seen this", None)]))
        }
        (Modal::Decide, Ask::Approval { .. }) => {
            let options = vec![("Approve", None), ("Deny", None)];
            let comment = typed("A comment, or why not (for the agent)", true);
            Some(vec![
                (FIELD, decided("Your decision", options)),
                (COMMENT, comment),
            ])
        }
        (Modal::Decide, Ask::PlanReview { .. }) => {
            let options = PlanDecision::ALL.map(|it| (words::decision(it), Some(it.meaning())));
            let comment = typed("What to change, to adjust it", true);
            Some(vec![
                (FIELD, decided("Your decision", options.into())),
                (COMMENT, comment),
            ])
        }
        (
            Modal::Amend,
            Ask::Approval {
                action,
                amendable: Some(_),
                ..
            },
        ) => {
            let arguments = serde_json::to_string_pretty(&action.arguments.0).ok()?;
            // Slack would cut it.
            if length(&arguments) > usize::from(TYPED_CHARS) {
                return None;
            }
            let mut field = typed("Arguments that will run, as JSON", false);
            if let Element::PlainTextInput { initial_value, .. } = &mut field.element {
                *initial_value = Some(arguments);
            }
            Some(vec![
                (FIELD, field),
                (COMMENT, typed("A comment (for the agent)", true)),
            ])
        }
        (Modal::Deny, Ask::Approval { .. }) => one(typed("Why not (for the agent)", true)),
        (Modal::Adjust, Ask::PlanReview { .. }) => one(typed("What to change", false)),
        _ => None,
    }
}

/// One of a few, by their numbers.
fn decided(label: &str, options: Vec<(&'static str, Option<&'static str>)>) -> Input {
    let options = options.into_iter().enumerate();
    let options = options.map(|(n, (text, more))| {
        let value = Name::new(n.to_string());
        SelectOption::new(text, value, more)
    });
    Input {
        label: Plain::new(label),
        optional: false,
        element: Element::radio_buttons(Name::new(PICKED), options.collect()),
    }
}

/// A text in several lines. A field that may be sent empty is an answer when it is (rule 9).
fn typed(label: &str, may_be_empty: bool) -> Input {
    Input {
        label: Plain::new(label),
        optional: may_be_empty,
        element: Element::PlainTextInput {
            action_id: Name::new(TYPED),
            multiline: true,
            min_length: u16::from(!may_be_empty),
            max_length: TYPED_CHARS,
            initial_value: None,
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
