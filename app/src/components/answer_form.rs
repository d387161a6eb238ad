//! The control of a question: a text area that grows, Ctrl+Enter, and a memory for what was typed.
//!
//! The text area belongs to the browser: what somebody typed before the wasm ran must stay.

use domain::{InteractionId, limits};
use leptos::{ev, html, prelude::*, server_fn::ServerFn};

use super::keys::is_submit_key;
use crate::{server_fns::AnswerBlocker, view::AnswerOutcome};

/// Answers with a text.
#[component]
pub(super) fn AnswerForm(id: InteractionId, answer: ServerAction<AnswerBlocker>) -> impl IntoView {
    let area = NodeRef::<html::Textarea>::new();
    let too_long = RwSignal::new(None::<usize>);
    let pending = answer.pending();

    let typed = move || {
        let text = area.get_untracked().map(|area| area.value());
        text.unwrap_or_default()
    };
    let send = move || {
        let text = typed();
        let chars = text.chars().count();
        too_long.set((chars > limits::TEXT_CHARS).then_some(chars));
        if chars <= limits::TEXT_CHARS && !pending.get_untracked() {
            answer.dispatch(AnswerBlocker {
                id,
                text,
                form: None,
            });
        }
    };
    Effect::new(move |_| {
        let Some(area) = area.get() else { return };
        match draft::read(id) {
            Some(draft) if area.value().is_empty() => area.set_value(&draft),
            _ => {}
        }
        // A frame later: in this one the form may not be in the document yet.
        request_animation_frame(move || {
            let _ = area.focus();
        });
    });
    Effect::new(move |_| {
        if let Some(Ok(AnswerOutcome::Sent)) = answer.value().get() {
            draft::forget(id);
        }
    });
    let problem = move || {
        if let Some(chars) = too_long.get() {
            return Some(format!(
                "This is {chars} characters long. An answer may have {}.",
                limits::TEXT_CHARS
            ));
        }
        match answer.value().get() {
            Some(Err(error)) => Some(error.to_string()),
            Some(Ok(_)) | None => None,
        }
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        if is_submit_key(&event) {
            event.prevent_default();
            send();
        }
    };
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    view! {
        <form class="answer-form" method="post" action=AnswerBlocker::url() on:submit=on_submit>
            <input type="hidden" name="id" value=id.to_string() />
            <input type="hidden" name="form" value="1" />
            <label for="answer">"Your answer"</label>
            <textarea
                id="answer"
                name="text"
                rows="3"
                dir="auto"
                node_ref=area
                aria-describedby="answer-problem"
                on:input=move |_| draft::keep(id, &typed())
                on:keydown=on_keydown
            ></textarea>
            <div class="form-end">
                <p id="answer-problem" class="form-problem" role="alert">
                    {problem}
                </p>
                <button
                    class="button primary"
                    type="submit"
                    disabled=move || pending.get()
                    aria-busy=move || pending.get().then_some("true")
                >
                    {move || if pending.get() { "Sending…" } else { "Send answer" }}
                    <kbd>"Ctrl ↵"</kbd>
                </button>
            </div>
        </form>
    }
}

/// What was typed and not sent, in the browser's storage.
pub(super) mod draft {
    use domain::InteractionId;
    use leptos::prelude::window;

    fn storage() -> Option<web_sys::Storage> {
        window().local_storage().ok().flatten()
    }

    fn key(id: InteractionId) -> String {
        format!("handraise.draft.{id}")
    }

    pub(in crate::components) fn read(id: InteractionId) -> Option<String> {
        storage()?.get_item(&key(id)).ok().flatten()
    }

    /// Storage may be full or forbidden: then the text is only on the screen.
    pub(in crate::components) fn keep(id: InteractionId, text: &str) {
        if let Some(storage) = storage() {
            let _ = storage.set_item(&key(id), text);
        }
    }

    pub(in crate::components) fn forget(id: InteractionId) {
        if let Some(storage) = storage() {
            let _ = storage.remove_item(&key(id));
        }
    }
}
