//! The ways to one's ways to be reached, and to what was approved ahead. Their pages are the server's, without this program.

use leptos::prelude::*;

/// To what was approved ahead.
#[component]
pub(super) fn StandingApprovals() -> impl IntoView {
    view! {
        <section aria-labelledby="grants-title">
            <h2 id="grants-title" class="section-title">
                "Standing approvals"
            </h2>
            <p class="form-start">
                <a class="button" href="/settings/grants" rel="external">
                    "What was approved ahead"
                </a>
            </p>
            <p class="form-start">
                <a class="button" href="/settings/memories" rel="external">
                    "Answers that stand"
                </a>
            </p>
            <p class="hint">"What runs or is answered without asking anybody, in whose name, and how to end it."</p>
        </section>
    }
}

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
