//! The way in by a passkey. Its page is the server's, without this program.

use leptos::prelude::*;

use crate::{load, server_fns::load_has_passkeys};

/// A link, where browsers have passkeys for this server. `next` is where the person wants to go.
#[component]
pub(crate) fn PasskeyLink(next: String) -> impl IntoView {
    let has_passkeys = load::load(|| (), |()| load_has_passkeys());
    view! {
        <Suspense>
            {move || {
                let next = next.clone();
                Suspend::new(async move {
                    has_passkeys
                        .await
                        .unwrap_or(false)
                        .then(|| {
                            view! {
                                <form method="get" action="/sign-in/passkey">
                                    <input type="hidden" name="next" value=next />
                                    <button class="button" type="submit">
                                        "Use a passkey instead"
                                    </button>
                                </form>
                            }
                        })
                })
            }}
        </Suspense>
    }
}
