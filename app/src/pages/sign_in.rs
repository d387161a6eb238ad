//! `/sign-in`: the way in, by name and password.
//!
//! A plain form, and nothing of it is kept: what was refused, and why, is in the address.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    components::{AskForLink, PasskeyLink, PasswordField, Refusal},
    load,
    server_fns::load_has_admin,
};

/// The sign-in form. Leads back to the page a person came from.
#[component]
pub(crate) fn SignInPage() -> impl IntoView {
    let query = use_query_map();
    let given = move |key| query.with_untracked(|query| query.get(key).unwrap_or_default());
    let refused = given("refused");
    let name_first = given("name").is_empty();
    let has_admin = load::load(|| (), |()| load_has_admin());
    view! {
        <main class="lone">
            <p class="wordmark">"Handraise"</p>
            <h1>"Sign in"</h1>
            <Refusal code=refused.clone() />
            <form class="fields" method="post" action="/sign-in">
                <input type="hidden" name="next" value=given("next") />
                <div class="labelled">
                    <label for="name">"Name"</label>
                    <input
                        id="name"
                        class="field"
                        name="name"
                        value=given("name")
                        autocomplete="username"
                        autocapitalize="none"
                        spellcheck="false"
                        required
                        autofocus=name_first
                        aria-describedby="refusal"
                    />
                </div>
                <PasswordField
                    label="Password"
                    name="password"
                    autocomplete="current-password"
                    focused=!name_first
                    described_by="refusal"
                />
                <button class="button primary" type="submit">
                    "Sign in"
                </button>
            </form>
            <PasskeyLink next=given("next") />
            <Suspense>
                {move || Suspend::new(async move {
                    // A server that cannot tell has one.
                    match has_admin.await.unwrap_or(true) {
                        true => {
                            view! { <AskForLink>"No password yet, or forgotten?"</AskForLink> }
                                .into_any()
                        }
                        false => view! { <FirstAdmin /> }.into_any(),
                    }
                })}
            </Suspense>
        </main>
    }
}

/// On a server that nobody can sign in to yet.
#[component]
fn FirstAdmin() -> impl IntoView {
    view! {
        <div class="hint" role="note">
            <p>
                "This server has no admin yet. Where it was started it has printed a link, behind “Become its first admin”: it works once, within a day. A new start prints a new one."
            </p>
        </div>
    }
}
