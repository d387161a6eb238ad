//! The way in: a one-time link, and a button, since nothing changes state by GET.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{error::UiError, server_fns::load_sign_in_name};

/// With a link: whom it signs in. Without: where to get one.
#[component]
pub(crate) fn SignInPage() -> impl IntoView {
    let params = use_params_map();
    let link = move || params.with(|params| params.get("link").unwrap_or_default());
    let name = Resource::new(link, |link| async move {
        if link.is_empty() {
            return Ok(None);
        }
        load_sign_in_name(link).await
    });
    view! {
        <main class="lone">
            <p class="wordmark">"Handraise"</p>
            <Suspense fallback=|| ()>
                {move || Suspend::new(async move {
                    let name: Result<Option<String>, UiError> = name.await;
                    let link = link();
                    match name {
                        Ok(Some(name)) => {
                            view! {
                                <h1>"Sign in"</h1>
                                <p>"This link signs this browser in as " <strong>{name}</strong> ". It works once."</p>
                                <form method="post" action="/sign-in">
                                    <input type="hidden" name="link" value=link />
                                    <button class="button primary" type="submit" autofocus>
                                        "Sign in"
                                    </button>
                                </form>
                            }
                                .into_any()
                        }
                        Ok(None) if link.is_empty() => {
                            view! {
                                <h1>"You are signed out"</h1>
                                <p>
                                    "Handraise prints a one-time sign-in link when it starts. Open that link in this browser."
                                </p>
                                <p>"More links, for more people:"</p>
                                <pre class="command">"handraise user invite --name Ana --role responder"</pre>
                            }
                                .into_any()
                        }
                        Ok(None) => {
                            view! {
                                <h1>"This link no longer works"</h1>
                                <p>
                                    "It was used already, or it has expired. Start Handraise again for a new one, or make one:"
                                </p>
                                <pre class="command">"handraise user invite --name Ana --role responder"</pre>
                            }
                                .into_any()
                        }
                        Err(error) => {
                            view! {
                                <h1>"Sign in"</h1>
                                <p role="alert">{error.to_string()}</p>
                            }
                                .into_any()
                        }
                    }
                })}
            </Suspense>
        </main>
    }
}
