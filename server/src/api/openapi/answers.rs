//! What responders and agents send besides asking.

use domain::{interaction::PlanDecision, limits};
use utoipa::openapi::{
    ObjectBuilder, RefOr, Schema,
    schema::{AnyOfBuilder, ArrayBuilder},
};

use super::asks::{attachments, form_answers};
use crate::resource::{
    names,
    shapes::{
        Field, boolean, either, line, list_of, map_of, may, may_not_null, must, null, one_of,
        reference, sent, shapes, text, visible_text, whole, with_nulls,
    },
};

shapes! {
    /// An answer, as the kind of the interaction wants it.
    Answering = AnyOfBuilder::new()
        .item(answer("To a question", [must("text", text(limits::TEXT_CHARS))]))
        .item(answer("To a choice", [must("selected", selected())]))
        .item(answer("To an acknowledgement", []))
        .item(answer("To an approval", [
            must("approved", boolean()),
            may("text", text(limits::TEXT_CHARS)),
            digest(),
        ]))
        .item(answer("To an approval that is amendable: with changed arguments", [
            must("approved", boolean().enum_values(Some([true]))),
            must("arguments", map_of(reference("ExactJson"))),
            may("text", text(limits::TEXT_CHARS)),
            digest(),
        ]))
        .item(answer("To a plan review: go on", [
            must("decision", one_of(decisions(|decision| decision != PlanDecision::Adjust))),
            may("feedback", text(limits::TEXT_CHARS)),
            may("comments", comments()),
            digest(),
        ]))
        .item(answer("To a plan review: adjust", [
            must("decision", one_of(decisions(|decision| decision == PlanDecision::Adjust))),
            must("feedback", visible_text(limits::TEXT_CHARS)),
            may("comments", comments()),
            digest(),
        ]))
        .item(answer("To a plan review: adjust, as the comments say", [
            must("decision", one_of(decisions(|decision| decision == PlanDecision::Adjust))),
            may("feedback", text(limits::TEXT_CHARS)),
            must("comments", comments().min_items(Some(1))),
            digest(),
        ]))
        .item(answer("To a form: any of its questions", [must("answers", form_answers()), digest()]));
    /// Words on some lines of a plan: counted from 1 in the plan as it was sent, and there in this version. All texts of an
    /// answer together have as many characters as a prompt at most.
    PlanCommentDraft = sent([
        must("line", whole(1..=limits::TEXT_CHARS as i64)),
        may("to_line", whole(1..=limits::TEXT_CHARS as i64)),
        must("text", visible_text(limits::COMMENT_CHARS)),
    ]);
    /// What came of an answer.
    Reporting = sent([
        must("outcome", names::ReportOutcome::schema()),
        may("text", text(limits::REPORT_CHARS)),
    ]);
    /// How a task goes. What is absent stays as it is; `reason` belongs to `failed`. That a task waits
    /// follows from its blockers.
    TaskDraft = either([
        task([may("status", one_of(["running", "done"])), may_not_null("reason", null())]),
        task([must("status", one_of(["failed"])), may("reason", line(limits::LINE_CHARS))]),
    ]);
}

fn answer(title: &str, fields: impl IntoIterator<Item = Field>) -> ObjectBuilder {
    let all = [
        "answers",
        "approved",
        "arguments",
        "comments",
        "decision",
        "digest",
        "feedback",
        "selected",
        "text",
    ];
    let fields = fields
        .into_iter()
        .chain([may("attachments", attachments())]);
    with_nulls(sent(fields), &all).title(Some(title))
}

/// Of the action or plan that was shown to the responder, or of the answers that a form had; an answer to another one is refused.
fn digest() -> Field {
    may("digest", line(limits::LINE_CHARS))
}

fn comments() -> ArrayBuilder {
    list_of(reference("PlanCommentDraft")).max_items(Some(limits::COMMENTS))
}

fn selected() -> ArrayBuilder {
    list_of(line(limits::OPTION_CHARS)).max_items(Some(limits::OPTIONS))
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
