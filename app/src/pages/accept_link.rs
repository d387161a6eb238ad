//! `/sign-in/{link}`: the first time, or after a password was lost. The one-time link lets its person
//! choose a password; nothing happens before the button is pressed.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::{
    components::{AskForLink, Failure, PasswordField, Refusal},
    load,
    server_fns::load_sign_in_link,
    view::SignInLink,
};

/// The link's page: the choice of a password, or that it leads nowhere.
#[component]
pub(crate) fn AcceptLinkPage() -> impl IntoView {
    let params = use_params_map();
    let link = move || params.with(|params| params.get("link").unwrap_or_default());
    let found = load::load(link, load_sign_in_link);
    view! {
        <main class="lone">
            <p class="wordmark">"Handraise"</p>
            <Suspense fallback=|| ()>
                {move || Suspend::new(async move {
                    let link = link();
                    match found.await {
                        Ok(Some(found)) => view! { <ChoosePassword link found /> }.into_any(),
                        Ok(None) => view! { <UsedLink /> }.into_any(),
                        Err(error) => view! { <Failure error /> }.into_any(),
                    }
                })}
            </Suspense>
        </main>
    }
}

#[component]
fn ChoosePassword(link: String, found: SignInLink) -> impl IntoView {
    let query = use_query_map();
    let refused = query.with_untracked(|query| query.get("refused").unwrap_or_default());
    // Where the mistake is.
    let name_first = matches!(&*refused, "taken" | "name");
    let name = found.name;
    view! {
        <h1>"Welcome to Handraise"</h1>
        <Refusal code=refused />
        <form class="fields" method="post" action="/accept-link">
            <input type="hidden" name="link" value=link />
            {if found.may_rename {
                view! {
                    <div class="labelled">
                        <label for="name">"Your name"</label>
                        <input
                            id="name"
                            class="field"
                            name="name"
                            value=name
                            autocomplete="username"
                            spellcheck="false"
                            maxlength="300"
                            required
                            autofocus=name_first
                            aria-describedby="name-hint refusal"
                        />
                        <p id="name-hint" class="hint">
                            "Others see it beside your answers, and you sign in with it."
                        </p>
                    </div>
                }
                    .into_any()
            } else {
                view! {
                    <p class="long-name">
                        "You are " <strong>
                            <bdi>{name.clone()}</bdi>
                        </strong> ": this is the name you sign in with."
                    </p>
                    // Where password managers look for whom the password is.
                    <input type="text" value=name autocomplete="username" readonly hidden />
                }
                    .into_any()
            }}
            <PasswordField
                label="Choose a password"
                name="password"
                autocomplete="new-password"
                hint="At least 8 characters. Several unrelated words are good."
                focused=!name_first
                described_by="refusal"
            />
            <button class="button primary" type="submit">
                "Set password and sign in"
            </button>
        </form>
        <p class="hint">
            "The link works once. It signs you out wherever else you are signed in; from then on you sign in with your name and this password."
        </p>
    }
}

#[component]
fn UsedLink() -> impl IntoView {
    view! {
        <h1>"This link no longer works"</h1>
        <p>"It was used already, it is more than a day old, or there is a newer one."</p>
        <p>
            <a class="button" href="/sign-in">
                "Sign in with your password"
            </a>
        </p>
        <AskForLink>"No password yet?"</AskForLink>
    }
}
