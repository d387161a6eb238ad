//! `/sign-in`: the way in, by name and password or by a provider.
//!
//! A plain form, and nothing of it is kept: what was refused, and why, is in the address.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    components::{
        AskForLink, PasskeyLink, PasswordField, ProviderButtons, Refusal, RefusedByProvider,
    },
    load,
    server_fns::{load_has_admin, load_ways_in},
};

/// The sign-in form. Leads back to the page a person came from.
#[component]
pub(crate) fn SignInPage() -> impl IntoView {
    let query = use_query_map();
    let given = move |key| query.with_untracked(|query| query.get(key).unwrap_or_default());
    let refused = given("refused");
    let has_admin = load::load(|| (), |()| load_has_admin());
    let ways = load::load(|| (), |()| load_ways_in());
    view! {
        <main class="lone">
            <p class="wordmark">"Handraise"</p>
            <h1>"Sign in"</h1>
            <Refusal code=refused.clone() />
            <Suspense>
                {move || {
                    let refused = refused.clone();
                    Suspend::new(async move {
                        // A server that cannot tell takes passwords, or says that it does not.
                        let ways = ways.await.ok();
                        let passwords = ways.as_ref().is_none_or(|ways| ways.passwords);
                        let (providers, why) = ways
                            .map(|ways| (ways.providers, ways.refused))
                            .unwrap_or_default();
                        let why = why.filter(|_| refused == "provider");
                        let both = passwords && !providers.is_empty();
                        view! {
                            <RefusedByProvider words=why />
                            {(!providers.is_empty())
                                .then(|| view! { <ProviderButtons providers next=given("next") /> })}
                            {both.then(|| view! { <p class="or">"or with a password"</p> })}
                            {passwords.then(|| view! { <PasswordForm alone=!both /> })}
                        }
                    })
                }}
            </Suspense>
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

/// By name and password. `alone` takes the focus: where there are buttons before it, nobody is taken past them.
#[component]
fn PasswordForm(alone: bool) -> impl IntoView {
    let query = use_query_map();
    let given = move |key| query.with_untracked(|query| query.get(key).unwrap_or_default());
    let name_first = given("name").is_empty();
    view! {
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
                    autofocus=alone && name_first
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
