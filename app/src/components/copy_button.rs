//! Copies a text, and says so in place.

use std::time::Duration;

use leptos::prelude::*;

/// A button that copies `text`.
#[component]
pub(super) fn CopyButton(#[prop(into)] text: Signal<String>) -> impl IntoView {
    let copied = RwSignal::new(false);
    // Browsers offer the clipboard over TLS and on the local machine only.
    let possible = RwSignal::new(false);
    Effect::new(move |_| possible.set(window().is_secure_context()));
    let copy = move |_| {
        let _ = window()
            .navigator()
            .clipboard()
            .write_text(&text.get_untracked());
        copied.set(true);
        set_timeout(
            move || {
                let _ = copied.try_set(false);
            },
            Duration::from_secs(2),
        );
    };
    view! {
        <button class="button small" type="button" hidden=move || !possible.get() on:click=copy>
            {move || if copied.get() { "Copied" } else { "Copy" }}
        </button>
    }
}
