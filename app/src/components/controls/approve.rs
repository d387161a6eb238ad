//! The control of an approval. Yes and no weigh the same, none is focused, and no key sends one of them
//! by accident.

use domain::InteractionId;
use leptos::{ev, html, prelude::*, server_fn::ServerFn, wasm_bindgen::JsCast};

use super::{
    Answering,
    answer_form::{FormFields, blank},
    draft_area::{DraftArea, typed},
    sending::{Problem, Sending},
};
use crate::{
    draft::Draft,
    {components::keys::is_submit_key, server_fns::AnswerBlocker},
};

pub(super) const NEITHER: &str = "Approve it or deny it: a comment alone decides nothing.";

/// Approves or denies an action, perhaps with a comment.
#[component]
pub(super) fn ApproveControl(
    id: InteractionId,
    /// Of the action that stands beside it.
    digest: String,
    /// Whether its arguments may be changed first.
    amendable: bool,
    answering: Answering,
) -> impl IntoView {
    let shown = StoredValue::new(digest.clone());
    let sending = answering.sending();
    let area = NodeRef::<html::Textarea>::new();
    let pressed = RwSignal::new(None);
    let send = move |approved: bool| {
        let comment = typed(area);
        if sending.starts() && sending.fits(&comment) && (!approved || sending.has_read()) {
            pressed.set(Some(approved));
            let answer = AnswerBlocker {
                approved: Some(approved),
                digest: Some(shown.get_value()),
                text: Some(comment).filter(|comment| !comment.is_empty()),
                ..blank(id)
            };
            answering.send(answer, Some(Draft::answer(id)));
        }
    };
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let button = event
            .submitter()
            .and_then(|button| button.dyn_into::<web_sys::HtmlButtonElement>().ok());
        match button.map(|button| button.value()).as_deref() {
            Some("true") => send(true),
            Some("false") => send(false),
            _ => sending.refuse(NEITHER),
        }
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        if !is_submit_key(&event) {
            return;
        }
        event.prevent_default();
        let button = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlButtonElement>().ok());
        match button {
            Some(button) => button.click(),
            None => sending.refuse(NEITHER),
        }
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
            <input type="hidden" name="digest" value=digest />
            <DraftArea
                draft=Draft::answer(id)
                name="text"
                label="Comment (optional)"
                area
                problem="answer-problem"
                before=answering.undone().and_then(|answer| answer.text).unwrap_or_default()
                rows="2"
            />
            <div class="form-end">
                <Problem id="answer-problem" sending />
                {amendable
                    .then(|| {
                        view! {
                            <a class="button quiet amend" rel="external" href=format!("/q/{id}/amend")>
                                "Change it first"
                                <kbd>"E"</kbd>
                            </a>
                        }
                    })}
                <Verdict value="false" label="Deny" key="D" chosen=move || pressed.get() == Some(false) sending />
                <Verdict value="true" label="Approve" key="A" chosen=move || pressed.get() == Some(true) sending />
            </div>
        </form>
    }
}

#[component]
pub(super) fn Verdict(
    value: &'static str,
    label: &'static str,
    key: &'static str,
    chosen: impl Fn() -> bool + Copy + Send + Sync + 'static,
    sending: Sending,
) -> impl IntoView {
    let busy = move || chosen() && sending.is_busy();
    view! {
        <button
            class="button verdict"
            type="submit"
            name="approved"
            value=value
            disabled=move || sending.is_shut()
            aria-busy=move || busy().then_some("true")
        >
            {move || if busy() { "Sending…" } else { label }}
            <kbd>{key}</kbd>
        </button>
    }
}
