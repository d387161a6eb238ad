//! Taking a webhook away, in two steps: there is no way back.

use leptos::prelude::*;

use super::submit::Submit;
use crate::{components::controls::Sending, server_fns::DeleteWebhook, view::WebhookRow};

/// The consequence, and the button, which leads back to the others.
#[component]
pub(super) fn DeleteWebhookForm(
    row: WebhookRow,
    delete: ServerAction<DeleteWebhook>,
) -> impl IntoView {
    let sending = Sending::of(delete);
    view! {
        <section aria-labelledby="delete-title">
            <h3 id="delete-title" class="section-title">
                "Delete"
            </h3>
            {if row.configured {
                view! {
                    <p class="hint">
                        "It cannot be deleted here: take " <code>"HANDRAISE_WEBHOOK_URL"</code>
                        " away and restart the server."
                    </p>
                }
                    .into_any()
            } else {
                view! {
                    <details class="confirm">
                        <summary>"Delete…"</summary>
                        <p>
                            "It gets nothing more, for good, and what is due for it is given up. What was sent to it stays in the list of deliveries."
                        </p>
                        <ActionForm action=delete>
                            <input type="hidden" name="id" value=row.id.to_string() />
                            <Submit sending label="Delete for good" problem="delete-problem" />
                        </ActionForm>
                    </details>
                }
                    .into_any()
            }}
        </section>
    }
}
