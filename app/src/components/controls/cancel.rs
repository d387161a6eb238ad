//! Taking a blocker back: quiet, and in two steps.

use domain::{InteractionId, limits};
use leptos::{ev, html, prelude::*, server_fn::ServerFn};

use super::{
    Answering,
    sending::{Problem, Sending},
};
use crate::server_fns::CancelBlocker;

/// Takes the question back.
#[component]
pub(in crate::components) fn CancelForm(
    id: InteractionId,
    agent: String,
    answering: Answering,
) -> impl IntoView {
    let sending = Sending::of(answering.cancel);
    let reason = NodeRef::<html::Input>::new();
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if sending.starts() {
            let reason = reason.get_untracked().map(|reason| reason.value());
            answering.take_back(CancelBlocker {
                id,
                reason,
                dismiss: None,
                by: None,
            });
        }
    };
    view! {
        <details class="cancel-form">
            <summary>"Take it back" <kbd>"T"</kbd></summary>
            <form method="post" action=CancelBlocker::url() on:submit=on_submit>
                <input type="hidden" name="id" value=id.to_string() />
                <label for="cancel-reason">"Why, for " <bdi>{agent}</bdi> " (optional)"</label>
                <div class="field-line">
                    <input
                        id="cancel-reason"
                        class="field"
                        type="text"
                        name="reason"
                        dir="auto"
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        node_ref=reason
                        aria-describedby="cancel-problem"
                    />
                    <button
                        class="button"
                        type="submit"
                        disabled=move || sending.is_busy()
                        aria-busy=move || sending.is_busy().then_some("true")
                    >
                        {move || if sending.is_busy() { "Sending…" } else { "Take it back" }}
                    </button>
                </div>
                <Problem id="cancel-problem" sending />
            </form>
        </details>
    }
}

/// Dismisses the question of an agent that is offline, in one step.
#[component]
pub(in crate::components) fn DismissForm(id: InteractionId, answering: Answering) -> impl IntoView {
    let sending = Sending::of(answering.cancel);
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if sending.starts() {
            answering.take_back(CancelBlocker {
                id,
                reason: None,
                dismiss: Some("1".to_owned()),
                by: None,
            });
        }
    };
    view! {
        <form class="dismiss-form" method="post" action=CancelBlocker::url() on:submit=on_submit>
            <input type="hidden" name="id" value=id.to_string() />
            <input type="hidden" name="dismiss" value="1" />
            <button class="button quiet" type="submit" disabled=move || sending.is_busy()>
                "Dismiss"
                <kbd>"Del"</kbd>
            </button>
        </form>
    }
}
