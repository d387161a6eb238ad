//! The control of a form: one question at a time. Each answer goes to the server as it is given; the last
//! one resolves the blocker.

use domain::{InteractionId, interaction::FormAnswer};
use leptos::{html, prelude::*};

use super::{
    Answering,
    answer_form::{AnswerForm, blank},
    draft::Draft,
    draft_area::{DraftArea, typed},
    option_list::{OptionList, picked},
    sending::{Problem, SendButton},
};
use crate::{live::Live, server_fns::AnswerBlocker, view::FormStep};

/// Answers the questions of a form, beginning with the first that is open.
#[component]
pub(super) fn FormControl(
    id: InteractionId,
    steps: Vec<FormStep>,
    answering: Answering,
    live: Live,
) -> impl IntoView {
    let of = steps.len();
    let open = steps.iter().filter(|step| step.answer.is_none()).count();
    let first_open = steps.iter().position(|step| step.answer.is_none());
    let first_open = first_open.unwrap_or(of.saturating_sub(1));
    let current = move || answering.back.get().unwrap_or(first_open).min(first_open);
    move || {
        let n = current();
        let step = steps.get(n)?.clone();
        let last = open <= 1 && step.answer.is_none();
        Some(view! {
            <p class="step-count">{format!("{} of {of}", n + 1)}</p>
            <Step id n first_open last step answering live />
        })
    }
}

#[component]
fn Step(
    id: InteractionId,
    n: usize,
    first_open: usize,
    /// Whether the answer to it resolves the form.
    last: bool,
    step: FormStep,
    answering: Answering,
    live: Live,
) -> impl IntoView {
    let sending = answering.sending();
    let area = NodeRef::<html::Textarea>::new();
    let group = NodeRef::<html::Fieldset>::new();
    let question = step.id.clone();
    let multiple = step.choice.as_ref().map(|choice| choice.multiple);
    let send = move || {
        if !sending.starts() {
            return;
        }
        let answer = AnswerBlocker {
            question: Some(question.clone()),
            ..blank(id)
        };
        let answer = match multiple {
            None => {
                let text = typed(area);
                if !sending.fits(&text) {
                    return;
                }
                AnswerBlocker {
                    text: Some(text),
                    typed: Some("1".to_owned()),
                    ..answer
                }
            }
            Some(multiple) => {
                let selected = picked(group);
                if selected.is_empty() && !multiple {
                    sending.refuse("Pick one of the options first.");
                    return;
                }
                AnswerBlocker {
                    selected: Some(selected),
                    chosen: Some("1".to_owned()),
                    ..answer
                }
            }
        };
        answering.send(answer, Some(Draft::step(id, &question)));
    };
    let field = match step.choice {
        Some(choice) => view! {
            <OptionList
                choice
                subject=step.id.clone()
                group
                picked=values(step.answer)
                problem="answer-problem"
            />
        }
        .into_any(),
        None => view! {
            <input type="hidden" name="typed" value="1" />
            <DraftArea
                draft=Draft::step(id, &step.id)
                name="text"
                label="Your answer"
                area
                problem="answer-problem"
                before=step.answer.map(|answer| answer.to_text()).unwrap_or_default()
                focused=true
            />
        }
        .into_any(),
    };
    view! {
        <div class="prompt step-prompt" dir="auto" inner_html=step.prompt_html></div>
        <AnswerForm id send>
            <input type="hidden" name="question" value=step.id />
            {field}
            <div class="form-end">
                <Turn to=n.checked_sub(1) label="Back" answering live />
                <Turn to=(n < first_open).then_some(n + 1) label="Forward" answering live />
                <Problem id="answer-problem" sending />
                <SendButton
                    sending
                    label=if last { "Send all answers" } else { "Send and go on" }
                />
            </div>
        </AnswerForm>
    }
}

/// To another question that is answered already. Nothing without a script, so hidden until one runs.
#[component]
fn Turn(to: Option<usize>, label: &'static str, answering: Answering, live: Live) -> impl IntoView {
    view! {
        <button
            class="button"
            type="button"
            hidden=move || to.is_none() || !live.hydrated.get()
            on:click=move |_| answering.back.set(to)
        >
            {label}
        </button>
    }
}

fn values(answer: Option<FormAnswer>) -> Vec<String> {
    match answer {
        None => Vec::new(),
        Some(FormAnswer::One(value)) => vec![value],
        Some(FormAnswer::Several(values)) => values,
    }
}
