//! The way to one's ways to be reached. Their page is the server's, without this program.

use leptos::prelude::*;

/// To one's own.
#[component]
pub(super) fn OwnReaches() -> impl IntoView {
    view! {
        <section aria-labelledby="reach-title">
            <h2 id="reach-title" class="section-title">
                "How to reach you"
            </h2>
            <p class="form-start">
                <a class="button" href="/settings/reach" rel="external">
                    "Notifications, mail, ntfy and Slack"
                </a>
            </p>
            <p class="hint">
                "The ways to tell you that an agent waits while no page is open."
            </p>
        </section>
    }
}
