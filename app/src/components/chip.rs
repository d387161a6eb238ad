//! Chips: links that narrow a list. One that is on says so, and leads back to the list without it.

use leptos::prelude::*;

/// A row of chips under one name.
#[component]
pub(super) fn ChipRow(label: &'static str, children: Children) -> impl IntoView {
    view! {
        <div class="chip-row" role="group" aria-label=label>
            <span class="chip-label" aria-hidden="true">
                {label}
            </span>
            {children()}
        </div>
    }
}

/// One of them.
#[component]
pub(super) fn Chip(
    words: String,
    #[prop(into)] href: Signal<String>,
    #[prop(into)] on: Signal<bool>,
) -> impl IntoView {
    view! {
        <a class="chip" href=move || href.get() aria-current=move || on.get().then_some("true")>
            <span dir="auto">{words}</span>
            <svg
                class="chip-off"
                viewBox="0 0 16 16"
                width="12"
                height="12"
                aria-hidden="true"
                hidden=move || !on.get()
            >
                <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.5" />
            </svg>
        </a>
    }
}
