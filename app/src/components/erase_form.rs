//! Erasing what was written in an interaction, in two steps: it cannot be undone.

use domain::{InteractionId, limits};
use leptos::prelude::*;

use super::{controls::Sending, settings::Submit};
use crate::server_fns::EraseInteraction;

/// For admins.
#[component]
pub(crate) fn EraseForm(id: InteractionId) -> impl IntoView {
    let erase = ServerAction::<EraseInteraction>::new();
    let sending = Sending::of(erase);
    view! {
        <details class="confirm">
            <summary>"Erase what was written…"</summary>
            <p>
                "The question, the answer and all that was said go for good: here, in the search, in deliveries, and on the card in Slack. Who asked and who answered, when, and how it ended stays, and the journal still verifies."
            </p>
            <ActionForm action=erase>
                <input type="hidden" name="id" value=id.to_string() />
                <div class="labelled">
                    <label for="erase-confirm">"Your password"</label>
                    <input
                        id="erase-confirm"
                        class="field"
                        type="password"
                        name="confirm"
                        autocomplete="current-password"
                        autocapitalize="none"
                        spellcheck="false"
                        maxlength=limits::PASSWORD_MAX_CHARS.to_string()
                        aria-describedby="erase-confirm-hint erase-problem"
                    />
                    <p id="erase-confirm-hint" class="hint">
                        "Unless you gave it in the last 15 minutes. No password? "
                        <a href="/settings#providers">"Confirm with your provider"</a> " first."
                    </p>
                </div>
                <Submit sending label="Erase it" problem="erase-problem" />
            </ActionForm>
        </details>
    }
}
