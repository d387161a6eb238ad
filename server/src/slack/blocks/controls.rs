//! What can be pressed on a card that waits.

use domain::{
    Interaction,
    interaction::{Ask, PlanDecision},
};

use super::{
    action::Written,
    block::Element,
    card::current_step,
    choose,
    control::{Control, Pick},
    text::{Address, Name},
    words,
};

/// The buttons, or the menu.
pub(super) fn of(interaction: &Interaction) -> Vec<Element> {
    let id = interaction.id;
    match &interaction.request.ask {
        Ask::Question => vec![button(Control::Answer(id), "Answer")],
        Ask::Choice(choice) => choose::controls(choice, Pick::Choice(id))
            .unwrap_or_else(|| vec![button(Control::Answer(id), "Choose")]),
        Ask::Acknowledgement => vec![button(Control::Acknowledge(id), "Acknowledge")],
        Ask::Approval { .. } => {
            let whole = Written::of(&interaction.request).filter(Written::fits);
            let approve = whole.map(|_| button(Control::Approve(id), "Approve"));
            let deny = button(Control::Deny(id), "Deny");
            approve.into_iter().chain([deny]).collect()
        }
        Ask::PlanReview { .. } => {
            let decide =
                |decision| button(Control::Decide(id, decision), words::decision(decision));
            PlanDecision::ALL.map(decide).into()
        }
        Ask::Form { questions } => match current_step(interaction, questions) {
            None => Vec::new(),
            Some((n, question)) => match question.choice() {
                None => vec![button(Control::AnswerStep(id, n), "Answer")],
                Some(choice) => choose::controls(&choice, Pick::Step(id, n))
                    .unwrap_or_else(|| vec![button(Control::AnswerStep(id, n), "Choose")]),
            },
        },
        Ask::Notification { .. } => Vec::new(),
    }
}

/// The way to the dashboard.
pub(super) fn dashboard(address: &Address) -> Element {
    let name = Name::new(Control::OpenDashboard.name());
    Element::link(name, "Open on the dashboard", address.clone())
}

fn button(control: Control, text: &str) -> Element {
    Element::button(Name::new(control.name()), text, control.value())
}
