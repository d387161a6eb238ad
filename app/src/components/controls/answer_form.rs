//! The frame of every control: a plain form, which works without wasm as well.

use domain::InteractionId;
use leptos::{ev, prelude::*, server_fn::ServerFn};

use crate::{components::keys::is_submit_key, server_fns::AnswerBlocker};

/// A form that answers; Ctrl+Enter sends it.
#[component]
pub(super) fn AnswerForm(
    id: InteractionId,
    /// Sends, when a script runs.
    send: impl Fn() + Clone + 'static,
    children: Children,
) -> impl IntoView {
    let on_keydown = {
        let send = send.clone();
        move |event: ev::KeyboardEvent| {
            if is_submit_key(&event) {
                event.prevent_default();
                // A key that is still held was pressed for what stood here before.
                if !event.repeat() {
                    send();
                }
            }
        }
    };
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    view! {
        <form
            class="answer-form"
            method="post"
            action=AnswerBlocker::url()
            on:submit=on_submit
            on:keydown=on_keydown
        >
            <FormFields id />
            {children()}
        </form>
    }
}

/// The fields every form sends along: which blocker, and that a browser sent it by itself.
#[component]
pub(super) fn FormFields(id: InteractionId) -> impl IntoView {
    view! {
        <input type="hidden" name="id" value=id.to_string() />
        <input type="hidden" name="form" value="1" />
    }
}

/// An answer without anything in it yet.
pub(super) fn blank(id: InteractionId) -> AnswerBlocker {
    AnswerBlocker {
        id,
        question: None,
        digest: None,
        text: None,
        typed: None,
        selected: None,
        chosen: None,
        approved: None,
        decision: None,
        feedback: None,
        places: None,
        comments: None,
        empty: None,
        form: None,
        by: None,
    }
}
