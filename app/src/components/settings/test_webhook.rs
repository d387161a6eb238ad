//! Sending a webhook something, to see whether it arrives.

use leptos::prelude::*;

use super::submit::Submit;
use crate::{components::controls::Sending, server_fns::TestWebhook, view::WebhookRow};

/// The button, which leads to the delivery.
#[component]
pub(super) fn TestWebhookForm(
    row: WebhookRow,
    /// Whether it gets nothing.
    off: bool,
    test: ServerAction<TestWebhook>,
) -> impl IntoView {
    let sending = Sending::of(test);
    view! {
        <section aria-labelledby="test-title">
            <h3 id="test-title" class="section-title">
                "Test"
            </h3>
            {if off {
                view! { <p class="hint">"Nothing can be sent to it while it is disabled."</p> }.into_any()
            } else {
                view! {
                    <p class="prose">
                        "Posts a question that nobody asked, and shows what comes of it."
                    </p>
                    <ActionForm action=test>
                        <input type="hidden" name="id" value=row.id.to_string() />
                        <Submit sending label="Send test" problem="test-problem" />
                    </ActionForm>
                }
                    .into_any()
            }}
        </section>
    }
}
