//! What responders and agents send besides asking.

use domain::{interaction::PlanDecision, limits};
use utoipa::openapi::{RefOr, Schema, schema::AnyOfBuilder};

use super::{
    asks::form_answers,
    shapes::{
        Field, boolean, either, line, list_of, may, must, one_of, sent, shapes, text, visible_text,
    },
};

shapes! {
    /// An answer, as the kind of the interaction wants it.
    Answering = AnyOfBuilder::new()
        .item(sent([must("text", text(limits::TEXT_CHARS))]).title(Some("To a question")))
        .item(sent([must("selected", list_of(line(limits::OPTION_CHARS)).max_items(Some(limits::OPTIONS)))])
            .title(Some("To a choice")))
        .item(sent([]).title(Some("To an acknowledgement")))
        .item(sent([must("approved", boolean()), may("text", text(limits::TEXT_CHARS))])
            .title(Some("To an approval")))
        .item(sent([
            must("decision", one_of(decisions(|decision| decision != PlanDecision::Adjust))),
            may("feedback", text(limits::TEXT_CHARS)),
        ]).title(Some("To a plan review: go on")))
        .item(sent([
            must("decision", one_of(decisions(|decision| decision == PlanDecision::Adjust))),
            must("feedback", visible_text(limits::TEXT_CHARS)),
        ]).title(Some("To a plan review: adjust")))
        .item(sent([must("answers", form_answers())]).title(Some("To a form: any of its questions")));
    /// How a task goes. What is absent stays as it is; `reason` belongs to `failed`. That a task waits
    /// follows from its blockers.
    TaskDraft = either([
        task([may("status", one_of(["running", "done"]))]),
        task([must("status", one_of(["failed"])), may("reason", line(limits::LINE_CHARS))]),
    ]);
}

fn decisions(which: fn(PlanDecision) -> bool) -> impl Iterator<Item = &'static str> {
    let chosen = PlanDecision::ALL
        .into_iter()
        .filter(move |decision| which(*decision));
    chosen.map(PlanDecision::name)
}

fn task(status: impl IntoIterator<Item = Field>) -> RefOr<Schema> {
    let named = [
        may("title", line(limits::TITLE_CHARS)),
        may("description", text(limits::DESCRIPTION_CHARS)),
        may("step", line(limits::LINE_CHARS)),
    ];
    sent(named.into_iter().chain(status)).into()
}
