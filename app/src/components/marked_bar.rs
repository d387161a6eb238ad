//! How many rows are marked, and the way to decide them together.

use leptos::prelude::*;

use crate::{
    desk::place::Place,
    drawn_later::{Drawers, DrawnLater},
    held::Holding,
    marks::Marks,
};

/// Nothing while none is marked.
#[component]
pub(super) fn MarkedBar(holding: Holding) -> impl IntoView {
    let marks = use_context::<Marks>()?;
    let draw = Box::new(move |it: &Drawers| (it.marked)(holding, marks));
    Some(view! { <DrawnLater draw /> })
}

pub(crate) fn draw_marked(holding: Holding, marks: Marks) -> AnyView {
    let count = Memo::new(move |_| marks.ids(holding).len());
    view! {
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
    }
    .into_any()
}
