//! What, why, what to do.

use leptos::prelude::*;

use crate::error::UiError;

/// Something could not be loaded.
#[component]
pub(crate) fn Failure(error: UiError) -> impl IntoView {
    let way_out = match error {
        UiError::SignedOut => view! { <a href="/sign-in">"Sign in"</a> }.into_any(),
        UiError::NotFound => view! { <a href="/">"Go to what is waiting"</a> }.into_any(),
        UiError::NotAllowed | UiError::Invalid(_) | UiError::Internal | UiError::Unreachable => {
            // A link to the same address: reloads with or without wasm.
            view! { <a href="" rel="external">"Reload the page"</a> }.into_any()
        }
    };
    view! {
        <div class="failure" role="alert">
            <p>{error.to_string()}</p>
            <p>{way_out}</p>
        </div>
    }
}
