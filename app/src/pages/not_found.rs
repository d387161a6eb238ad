//! The page of an address that has none.

use leptos::prelude::*;

use crate::respond_with_status;

/// An address without a page.
#[component]
pub(crate) fn NotFound() -> impl IntoView {
    respond_with_status(404);
    view! {
        <main class="lone">
            <h1>"There is no such page"</h1>
            <p>
                "The address may be mistyped, or from another version. "
                <a href="/">"Go to what is waiting"</a>"."
            </p>
        </main>
    }
}
