//! Erasing what was written in an interaction, in two steps: it cannot be undone.

use domain::InteractionId;
use leptos::prelude::*;

use super::{
    controls::Sending,
    settings::{ConfirmField, Submit},
};
use crate::{load::Loaded, server_fns::EraseInteraction, view::Visitor};

/// For admins.
#[component]
pub(crate) fn EraseForm(id: InteractionId, visitor: Loaded<Visitor>) -> impl IntoView {
    let erase = ServerAction::<EraseInteraction>::new();
    let sending = Sending::of(erase);
    view! {
        <details class="confirm">
            <summary>"Erase what was written…"</summary>
            <p>
                "The question, the answer and all that was said go for good: here, in the search, in deliveries, and on the card in Slack. Who asked and who answered, when, and how it ended stays, and the journal still verifies."
            </p>
            <ActionForm action=erase attr:class="fields">
                <input type="hidden" name="id" value=id.to_string() />
                <ConfirmField visitor sending id="erase-confirm" problem="erase-problem" />
                <Submit sending label="Erase it" problem="erase-problem" />
            </ActionForm>
        </details>
    }
}
