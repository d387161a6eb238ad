//! The buttons of a card that waits.

use domain::{
    Interaction,
    interaction::{Ask, PlanDecision, Shown, Verdict},
};

use super::{
    block::Element,
    choose,
    control::{Control, Pick},
    given::Seen,
    modal::{Modal, can_be_read, shown_in},
    text::{Address, Name},
    words,
};

/// The buttons, or the menu, where so much of an answer's content is shown (rule 11).
pub(super) fn of(interaction: &Interaction, shown: Shown) -> Vec<Element> {
    let id = interaction.id;
    let read = (shown == Shown::Cut && can_be_read(interaction))
        .then(|| button(Control::ReadAll(id), words::READ_ALL));
    let accepts = shown.offers(Verdict::Accept);
    let answers = match &interaction.request.ask {
        Ask::Approval { .. } => {
            let approve = accepts.then(|| button(Control::Approve(id), "Approve"));
            let is_amendable = interaction.amendable().is_some()
                && shown_in(interaction, Modal::Amend) == Shown::Whole;
            let amend = is_amendable.then(|| button(Control::Amend(id), "Change it first"));
            let deny = button(Control::Deny(id), "Deny");
            approve.into_iter().chain(amend).chain([deny]).collect()
        }
        Ask::PlanReview { .. } => {
            let offered = PlanDecision::ALL.into_iter();
            let offered = offered.filter(|decision| shown.offers(decision.verdict()));
            let decide =
                |decision| button(Control::Decide(id, decision), words::decision(decision));
            offered.map(decide).collect()
        }
        _ if !accepts => Vec::new(),
        Ask::Question => vec![button(Control::Answer(id), "Answer")],
        Ask::Choice(choice) => choose::controls(choice, Pick::Choice(id))
            .unwrap_or_else(|| vec![button(Control::Answer(id), "Choose")]),
        Ask::Acknowledgement => vec![button(Control::Acknowledge(id), "Acknowledge")],
        Ask::Form { .. } => match interaction.next_question() {
            None => Vec::new(),
            Some((n, question)) => match question.choice() {
                None => vec![button(Control::AnswerStep(id, n), "Answer")],
                Some(choice) => choose::controls(&choice, Pick::Step(id, n, Seen::of(interaction)))
                    .unwrap_or_else(|| vec![button(Control::AnswerStep(id, n), "Choose")]),
            },
        },
        Ask::Notification { .. } => Vec::new(),
    };
    read.into_iter().chain(answers).collect()
}

/// The way to the dashboard.
pub(super) fn dashboard(address: &Address) -> Element {
    let name = Name::new(Control::OpenDashboard.name());
    Element::link(name, "Open on the dashboard", address.clone())
}

fn button(control: Control, text: &str) -> Element {
    Element::button(Name::new(control.name()), text, control.value())
}
