//! How many rows are marked, and the way to decide them together.

use leptos::prelude::*;

use crate::{desk::place::Place, held::Holding, marks::Marks};

/// Nothing while none is marked.
#[component]
pub(super) fn MarkedBar(holding: Holding) -> impl IntoView {
    let marks = use_context::<Marks>()?;
    let count = Memo::new(move |_| marks.ids(holding).len());
    Some(view! {
        <Show when=move || { count.get() > 0 }>
            <div class="marked-bar" role="group" aria-label="Marked">
                <span>{move || format!("{} marked", count.get())}</span>
                <button class="button quiet small" type="button" on:click=move |_| marks.clear()>
                    "Clear"
                </button>
                <a class="button small" href=Place::Marked.address()>
                    "Decide together"
                    <kbd>"M"</kbd>
                </a>
            </div>
        </Show>
    })
}
