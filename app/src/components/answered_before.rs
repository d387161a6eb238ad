//! What was answered to questions like the one that waits. It is only shown (rule 20): one key puts an answer where the reader's
//! own would stand, and they send it or change it.

use domain::InteractionId;
use leptos::{ev, prelude::*, wasm_bindgen::JsCast};

use super::keys::{elements, is_typing};
use crate::{draft::Draft, view::AnsweredBefore};

/// The text area of a question ([`DraftArea`](super::controls)).
const AREA: &str = "draft-text";

/// Earlier answers, the most alike first. `u` takes the first.
#[component]
pub(super) fn AnsweredBeforeList(id: InteractionId, answers: Vec<AnsweredBefore>) -> impl IntoView {
    if answers.is_empty() {
        return ().into_any();
    }
    let first = StoredValue::new(answers.first().cloned());
    // Without its program the page cannot take one: it is read, and typed.
    let runs = RwSignal::new(false);
    Effect::new(move |_| {
        runs.set(true);
        let pressed = window_event_listener(ev::keydown, move |event| {
            let first = first.try_get_value().flatten();
            let (Some(first), false) = (first, event.repeat() || !takes(&event)) else {
                return;
            };
            event.prevent_default();
            take(id, &first);
        });
        on_cleanup(move || pressed.remove());
    });
    let lines = answers.into_iter().enumerate().map(|(n, answer)| {
        let AnsweredBefore {
            id: of,
            by,
            day,
            question,
            shown,
            ..
        } = answer.clone();
        let taken = StoredValue::new(answer);
        view! {
            <li>
                <p class="answered-before-who">
                    <a href=format!("/interactions/{of}")>
                        <bdi>{by}</bdi>
                        " answered "
                        {day}
                    </a>
                    {question
                        .map(|question| {
                            view! {
                                ", asked otherwise: "
                                <q dir="auto">{question}</q>
                            }
                        })}
                </p>
                <p class="answer-text" dir="auto">
                    {shown}
                </p>
                <button
                    class="button small"
                    type="button"
                    hidden=move || !runs.get()
                    on:click=move |_| taken.with_value(|answer| take(id, answer))
                >
                    "Use this answer"
                    {(n == 0).then(|| view! { <kbd>"U"</kbd> })}
                </button>
            </li>
        }
    });
    view! {
        <section class="answered-before" aria-labelledby="answered-before-title">
            <h2 id="answered-before-title" class="part-title">
                "Answered before"
            </h2>
            <ul>{lines.collect_view()}</ul>
        </section>
    }
    .into_any()
}

/// `u`, where letters are keys; with Alt also in a text. By its place too: on a Mac Alt and a letter are another letter.
fn takes(event: &ev::KeyboardEvent) -> bool {
    if event.ctrl_key() || event.meta_key() {
        return false;
    }
    match event.alt_key() {
        true => event.code() == "KeyU",
        false => event.key() == "u" && !is_typing(event),
    }
}

fn take(id: InteractionId, answer: &AnsweredBefore) {
    match answer.values.is_empty() {
        true => type_in(id, &answer.text),
        false => pick(&answer.values),
    }
}

/// What the reader has typed stays.
fn type_in(id: InteractionId, text: &str) {
    let area = document().get_element_by_id(AREA);
    let area = area.and_then(|area| area.dyn_into::<web_sys::HtmlTextAreaElement>().ok());
    let Some(area) = area else { return };
    let typed = area.value();
    let whole = match typed.trim() {
        "" => text.to_owned(),
        _ if typed == text || typed.ends_with(&format!("\n{text}")) => typed,
        _ => format!("{typed}\n{text}"),
    };
    area.set_value(&whole);
    Draft::answer(id).keep(&whole);
    let _ = area.focus();
}

fn pick(values: &[String]) {
    for option in elements("dialog:modal .option input") {
        let Ok(input) = option.dyn_into::<web_sys::HtmlInputElement>() else {
            continue;
        };
        if input.checked() != values.contains(&input.value()) {
            input.click();
        }
        if input.checked() {
            let _ = input.focus();
        }
    }
}
