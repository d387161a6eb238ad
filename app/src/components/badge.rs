//! SYNC and ASYNC: the only red and blue on the page.

use domain::interaction::Mode;
use leptos::prelude::*;

/// Whether the agent has stopped.
#[component]
pub(super) fn Badge(mode: Mode) -> impl IntoView {
    let (name, title) = match mode {
        Mode::Sync => ("SYNC", "The agent has stopped until this is answered"),
        Mode::Async => ("ASYNC", "The agent goes on meanwhile"),
    };
    view! {
        <span class="badge" data-mode=mode.name() title=title>
            {name}
        </span>
    }
}

/// The mark of a blocker that presses.
#[component]
pub(super) fn UrgentMark(urgent: bool) -> impl IntoView {
    urgent.then(|| view! { <span class="urgent">"urgent"</span> })
}
