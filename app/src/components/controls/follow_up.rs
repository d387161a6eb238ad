//! Saying more about a blocker that is closed. The answer stays what it is.

use domain::InteractionId;
use leptos::{ev, html, prelude::*, server_fn::ServerFn};

use super::{
    answer_form::FormFields,
    draft_area::{DraftArea, typed},
    sending::{Problem, SendButton, Sending},
};
use crate::{
    draft::Draft,
    {components::keys::is_submit_key, server_fns::FollowUpBlocker},
};

/// Adds a remark that the agent sees.
#[component]
pub(in crate::components) fn FollowUpForm(
    id: InteractionId,
    follow_up: ServerAction<FollowUpBlocker>,
) -> impl IntoView {
    let sending = Sending::of(follow_up);
    let area = NodeRef::<html::Textarea>::new();
    let send = move || {
        let text = typed(area);
        if !sending.starts() {
            return;
        }
        if text.trim().is_empty() {
            sending.refuse("There is nothing to send yet.");
        } else if sending.fits(&text) {
            follow_up.dispatch(FollowUpBlocker {
                id,
                text,
                form: None,
            });
        }
    };
    Effect::new(move |_| {
        if sending.is_done() {
            Draft::follow_up(id).forget();
            if let Some(area) = area.get_untracked() {
                area.set_value("");
            }
        }
    });
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        if is_submit_key(&event) {
            event.prevent_default();
            send();
        }
    };
    view! {
        <details class="follow-up-form">
            <summary>"Say more"</summary>
            <form
                class="answer-form"
                method="post"
                action=FollowUpBlocker::url()
                on:submit=on_submit
                on:keydown=on_keydown
            >
                <FormFields id />
                <DraftArea
                    draft=Draft::follow_up(id)
                    name="text"
                    label="What the agent should know as well"
                    area
                    problem="follow-up-problem"
                    rows="2"
                />
                <div class="form-end">
                    <Problem id="follow-up-problem" sending />
                    <SendButton sending label="Send" />
                </div>
            </form>
        </details>
    }
}
