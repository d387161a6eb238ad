//! The control of a plan review: four decisions, each with what the agent will do. The style sheet shows
//! the room for feedback and notes once one is picked.

use domain::{InteractionId, interaction::PlanDecision};
use leptos::{html, prelude::*, wasm_bindgen::JsCast};

use super::{
    Answering,
    answer_form::{AnswerForm, blank},
    draft_area::{DraftArea, typed},
    option_list::NumberKey,
    plan_comments::{PlanComments, said},
    sending::{Problem, SendButton},
};
use crate::{draft::Draft, server_fns::AnswerBlocker};

/// Decides about a plan.
#[component]
pub(super) fn DecideControl(
    id: InteractionId,
    /// Of the plan that stands beside it.
    digest: String,
    /// How many lines the plan has.
    lines: usize,
    /// These with their numbers.
    source_html: Option<String>,
    answering: Answering,
) -> impl IntoView {
    let shown = StoredValue::new(digest.clone());
    let sending = answering.sending();
    let undone = answering.undone().and_then(|answer| answer.decision);
    let group = NodeRef::<html::Fieldset>::new();
    let area = NodeRef::<html::Textarea>::new();
    let comments = NodeRef::<html::Details>::new();
    let send = move || {
        if !sending.starts() {
            return;
        }
        let Some(decision) = picked(group) else {
            sending.refuse("Pick one of the decisions first.");
            return;
        };
        let adjust = decision == PlanDecision::Adjust;
        let feedback = Some(typed(area)).filter(|text| !text.trim().is_empty());
        let (places, comments) = match said(comments, lines) {
            Ok(said) => said,
            Err(wrong) => {
                sending.refuse(wrong);
                return;
            }
        };
        if adjust && feedback.is_none() && comments.is_empty() {
            sending.refuse("Say what to change: the agent works it into the plan.");
            if let Some(area) = area.get_untracked() {
                let _ = area.focus();
            }
            return;
        }
        if feedback.as_deref().is_none_or(|text| sending.fits(text))
            && (adjust || sending.has_read())
        {
            let answer = AnswerBlocker {
                decision: Some(decision),
                feedback,
                places: Some(places).filter(|it| !it.is_empty()),
                comments: Some(comments).filter(|it| !it.is_empty()),
                digest: Some(shown.get_value()),
                ..blank(id)
            };
            answering.send(answer, Some(Draft::answer(id)));
        }
    };
    view! {
        <AnswerForm id send>
            <input type="hidden" name="digest" value=digest />
            <fieldset class="option-list" node_ref=group aria-describedby="answer-problem">
                <legend>"Your decision"</legend>
                {PlanDecision::ALL
                    .into_iter()
                    .enumerate()
                    .map(|(n, decision)| {
                        view! {
                            <label class="option">
                                <input
                                    type="radio"
                                    name="decision"
                                    value=decision.name()
                                    checked=undone == Some(decision)
                                />
                                <span class="option-text">
                                    <span>{title(decision)}</span>
                                    <span class="option-more">{decision.meaning()}</span>
                                </span>
                                <NumberKey n />
                            </label>
                        }
                    })
                    .collect_view()}
            </fieldset>
            <DraftArea
                draft=Draft::answer(id)
                name="feedback"
                label="What to change, or notes on the way"
                area
                problem="answer-problem"
            />
            <PlanComments id source_html comments />
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <SendButton sending label="Send decision" key="↵" />
            </div>
        </AnswerForm>
    }
}

/// A decision, on its button.
pub fn title(decision: PlanDecision) -> &'static str {
    match decision {
        PlanDecision::Proceed => "Proceed",
        PlanDecision::ProceedClean => "Proceed with a clear context",
        PlanDecision::ProceedDefault => "Proceed, and ask before edits",
        PlanDecision::Adjust => "Adjust",
    }
}

fn picked(group: NodeRef<html::Fieldset>) -> Option<PlanDecision> {
    let checked = group
        .get_untracked()?
        .query_selector("input:checked")
        .ok()
        .flatten()?;
    let name = checked
        .dyn_into::<web_sys::HtmlInputElement>()
        .ok()?
        .value();
    PlanDecision::ALL
        .into_iter()
        .find(|decision| decision.name() == name)
}
