//! Sending nothing more to a webhook, in two steps, and sending again, in one.

use leptos::prelude::*;

use super::{submit::Submit, when_done::Said};
use crate::{components::controls::Sending, server_fns::DisableWebhook, view::WebhookRow};

/// Off, or on again.
#[component]
pub(super) fn DisableWebhookForm(
    row: WebhookRow,
    /// Whether it gets nothing.
    off: bool,
    disable: ServerAction<DisableWebhook>,
    said: RwSignal<String>,
) -> impl IntoView {
    let sending = Sending::of(disable);
    let id = row.id.to_string();
    let form = move |label| {
        view! {
            <ActionForm action=disable>
                <input type="hidden" name="id" value=id.clone() />
                <input type="hidden" name="disabled" value=(!off).to_string() />
                <Submit sending label problem="disable-problem" />
            </ActionForm>
        }
    };
    let end = if off {
        view! {
            <p class="prose">
                "Nothing is sent to it. Once it is enabled it hears of what happens from then on; what was given up can be tried again under Deliveries."
            </p>
            {form("Enable")}
        }
        .into_any()
    } else {
        view! {
            <details class="confirm">
                <summary>"Disable…"</summary>
                <p>
                    "Nothing more is sent to it, and what is due for it is given up. You can enable it again."
                </p>
                {form("Disable")}
            </details>
        }
        .into_any()
    };
    view! {
        <section aria-labelledby="disable-title">
            <h3 id="disable-title" class="section-title">
                "Sending"
            </h3>
            <Said words=said />
            {end}
        </section>
    }
}
