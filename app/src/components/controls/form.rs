//! The control of a form: one question at a time. Each answer goes to the server as it is given; the last
//! one resolves the blocker. Which question is shown stands in the address when it is not the first that
//! is open, so going back works without a script.

use domain::{
    InteractionId,
    interaction::{FormAnswer, FormAnswers, progress_digest},
};
use leptos::{html, prelude::*};
use leptos_router::hooks::use_query_map;

use super::{
    Answering,
    answer_form::{AnswerForm, blank},
    draft_area::{DraftArea, typed},
    option_list::{OptionList, picked, picks_enough},
    sending::{Problem, SendButton},
};
use crate::{
    components::{copy_button::CopyButton, read_to_end::ReadToEnd},
    draft::Draft,
    error::UiError,
    server_fns::AnswerBlocker,
    view::FormStep,
};

/// The parameter of the address that names a question, counted from 1.
const QUESTION: &str = "question";

/// Answers the questions of a form, beginning with the first that is open.
#[component]
pub(super) fn FormControl(
    id: InteractionId,
    steps: Vec<FormStep>,
    answering: Answering,
) -> impl IntoView {
    let of = steps.len();
    let answers: FormAnswers = steps
        .iter()
        .filter_map(|step| Some((step.id.clone(), step.answer.clone()?)))
        .collect();
    let seen = StoredValue::new(progress_digest(&answers));
    let open = steps.iter().filter(|step| step.answer.is_none()).count();
    let first_open = steps.iter().position(|step| step.answer.is_none());
    let first_open = first_open.unwrap_or(of.saturating_sub(1));
    let query = use_query_map();
    let asked_for = Memo::new(move |_| {
        query.with(|query| {
            query
                .get_str(QUESTION)?
                .parse::<usize>()
                .ok()?
                .checked_sub(1)
        })
    });
    let shown = move || asked_for.get().unwrap_or(first_open).min(first_open);
    let replaced = untrack(shown);
    let replaced = steps
        .get(replaced)
        .and_then(|step| answering.replaced_by(&step.id));
    let overtaken = RwSignal::new(replaced);
    move || {
        if let Some(question) = overtaken.get() {
            let typed = Draft::step(id, &question).read();
            return Some(view! { <Overtaken typed overtaken /> }.into_any());
        }
        let n = shown();
        let step = steps.get(n)?.clone();
        // Who turns to another question has seen that it is another.
        answering.replaced_by(&step.id);
        let last = open <= 1 && step.answer.is_none();
        let given = last.then(|| given(&steps));
        Some(
            view! {
                <div class="step-asked" data-asked=format!("{} {}", step.id, seen.get_value())>
                    <p class="step-count">{format!("{} of {of}", n + 1)}</p>
                    {given}
                    <div class="prompt step-prompt" inner_html=step.prompt_html.clone()></div>
                    <ReadToEnd />
                </div>
                {move || {
                    answering
                        .changed
                        .get()
                        .then(|| {
                            view! {
                                <p class="form-problem" role="alert">
                                    {UiError::Changed.to_string()}
                                </p>
                            }
                        })
                }}
                <Step id n first_open last step seen answering />
            }
            .into_any(),
        )
    }
}

/// The answers that the last one sends along.
fn given(steps: &[FormStep]) -> impl IntoView + use<> {
    let answers = steps.iter().enumerate().filter_map(|(n, step)| {
        let answer = step.answer_html.clone()?;
        Some(view! {
            <li value=(n + 1).to_string()>
                <div class="prompt step-prompt" inner_html=step.prompt_html.clone()></div>
                <div class="given-answer" dir="auto" inner_html=answer></div>
            </li>
        })
    });
    view! {
        <ol class="form-given" aria-label="Answers so far">
            {answers.collect_view()}
        </ol>
    }
}

/// Another person has answered the question that stood here. The next one comes when its reader knows that: what they
/// are typing is no answer to it.
#[component]
fn Overtaken(typed: Option<String>, overtaken: RwSignal<Option<String>>) -> impl IntoView {
    view! {
        <div class="overtaken" role="alert">
            <p>"Somebody else has just answered the question that stood here."</p>
            {typed
                .map(|typed| {
                    view! {
                        <div class="unsent">
                            <p class="unsent-title">
                                "Your text was not sent" <CopyButton text=typed.clone() />
                            </p>
                            <p class="answer-text" dir="auto">
                                {typed}
                            </p>
                        </div>
                    }
                })}
            <div class="form-end">
                <button class="button" type="button" on:click=move |_| overtaken.set(None)>
                    "Go on to the next question"
                </button>
            </div>
        </div>
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
    /// The digest of the answers that are shown.
    seen: StoredValue<String>,
    answering: Answering,
) -> impl IntoView {
    let sending = answering.sending();
    let area = NodeRef::<html::Textarea>::new();
    let group = NodeRef::<html::Fieldset>::new();
    let question = step.id.clone();
    let undone = answering
        .undone()
        .filter(|answer| answer.question.as_deref() == Some(step.id.as_str()));
    let before = match undone {
        Some(AnswerBlocker {
            selected: Some(selected),
            ..
        }) => Some(FormAnswer::Several(selected)),
        Some(AnswerBlocker {
            text: Some(text), ..
        }) => Some(FormAnswer::One(text)),
        Some(_) | None => step.answer,
    };
    let multiple = step.choice.as_ref().map(|choice| choice.multiple);
    let send = move || {
        if !sending.starts() || !sending.has_read() {
            return;
        }
        let answer = AnswerBlocker {
            question: Some(question.clone()),
            digest: Some(seen.get_value()),
            ..blank(id)
        };
        let answer = match multiple {
            None => {
                let text = typed(area);
                if !sending.fits(&text) || !sending.is_meant(text.trim().is_empty()) {
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
                if !picks_enough(sending, &selected, multiple) {
                    return;
                }
                AnswerBlocker {
                    selected: Some(selected),
                    chosen: Some("1".to_owned()),
                    ..answer
                }
            }
        };
        let draft = Some(Draft::step(id, &question));
        if last {
            answering.send(answer, draft);
        } else {
            answering.send_part(answer, draft);
        }
    };
    let field = match step.choice {
        Some(choice) => view! {
            <OptionList
                choice
                subject=step.id.clone()
                group
                picked=values(before)
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
                before=before.map(|answer| answer.to_text()).unwrap_or_default()
                focused=true
            />
        }
        .into_any(),
    };
    view! {
        <AnswerForm id send>
            <input type="hidden" name="question" value=step.id />
            <input type="hidden" name="digest" value=seen.get_value() />
            {field}
            <div class="form-end">
                <Turn to=n.checked_sub(1) label="Back" />
                <Turn to=(n < first_open).then_some(n + 1) label="Forward" />
                <Problem id="answer-problem" sending />
                <SendButton
                    sending
                    label=if last { "Send all answers" } else { "Send and go on" }
                />
            </div>
        </AnswerForm>
    }
}

/// To another question that is answered already.
#[component]
fn Turn(to: Option<usize>, label: &'static str) -> impl IntoView {
    to.map(|to| {
        view! {
            <a class="button" href=format!("?{QUESTION}={}", to + 1)>
                {label}
            </a>
        }
    })
}

fn values(answer: Option<FormAnswer>) -> Vec<String> {
    match answer {
        None => Vec::new(),
        Some(FormAnswer::One(value)) => vec![value],
        Some(FormAnswer::Several(values)) => values,
    }
}
