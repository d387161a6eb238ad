//! `/slack/link/{token}`: where a user of Slack says who they are here. Nothing happens before the button is
//! pressed.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{
    components::{Failure, SlackLinkView, when_done},
    load,
    server_fns::{AcceptSlackLink, load_slack_link},
};

/// The link's offer to the person who is signed in.
#[component]
pub(crate) fn SlackLinkPage() -> impl IntoView {
    let params = use_params_map();
    let token = move || params.with(|params| params.get("token").unwrap_or_default());
    let offer = load::load(token, load_slack_link);
    let accept = ServerAction::<AcceptSlackLink>::new();
    when_done(accept, move |_, ()| offer.refetch());
    view! {
        <main class="lone">
            <p class="wordmark">"Handraise"</p>
            <Transition fallback=|| ()>
                {move || Suspend::new(async move {
                    let token = token();
                    match offer.await {
                        Ok(offer) => view! { <SlackLinkView offer token accept /> }.into_any(),
                        Err(error) => view! { <Failure error /> }.into_any(),
                    }
                })}
            </Transition>
        </main>
    }
}
