//! What, why, what to do.

use leptos::prelude::*;

use crate::{error::UiError, live::load_again, respond_with_status};

/// Something could not be loaded. While the server renders, the page gets the status that fits.
#[component]
pub(crate) fn Failure(error: UiError) -> impl IntoView {
    respond_with_status(error.status());
    if error == UiError::SignedOut {
        Effect::new(move |_| load_again());
    }
    let way_out = match error {
        UiError::SignedOut => view! { <a href="/sign-in">"Sign in"</a> }.into_any(),
        UiError::NotFound => view! { <a href="/">"Go to what is waiting"</a> }.into_any(),
        UiError::AdminsOnly => view! { <a href="/settings">"Go to your account"</a> }.into_any(),
        UiError::NotAllowed
        | UiError::Changed
        | UiError::Empty
        | UiError::Invalid(_)
        | UiError::TryLater(_)
        | UiError::Internal
        | UiError::Unreachable => {
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
