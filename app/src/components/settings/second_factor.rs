//! The way to second factors. Their pages are the server's, without this program.

use domain::PersonId;
use leptos::prelude::*;

/// To one's own.
#[component]
pub(super) fn OwnFactors() -> impl IntoView {
    view! {
        <section aria-labelledby="factor-title">
            <h2 id="factor-title" class="section-title">
                "Second factor"
            </h2>
            <p class="form-start">
                <a class="button" href="/second-factor" rel="external">
                    "Second factor and passkeys"
                </a>
            </p>
            <p class="hint">
                "Codes of an app, passkeys and recovery codes: with one of them a stolen password is not enough to sign in as you."
            </p>
        </section>
    }
}

/// To another's, which an admin can reset.
#[component]
pub(super) fn FactorsOf(id: PersonId) -> impl IntoView {
    view! {
        <section aria-labelledby="factor-title">
            <h3 id="factor-title" class="section-title">
                "Second factor"
            </h3>
            <p class="form-start">
                <a class="button" href=format!("/second-factor/of/{id}") rel="external">
                    "Reset second factor"
                </a>
            </p>
            <p class="hint">"For somebody whose phone or key is gone."</p>
        </section>
    }
}
