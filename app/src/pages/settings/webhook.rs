//! `/settings/webhooks/{id}`: one webhook, and what an admin may do about it.

use domain::DestinationId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{
    components::{Failure, WebhookChanges, WebhookView, when_done},
    live::{Live, reload_on_news},
    load, respond_with_status,
    server_fns::load_webhooks,
};

/// One webhook.
#[component]
pub(crate) fn WebhookPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let params = use_params_map();
    let id = Memo::new(move |_| {
        params.with(|params| {
            params
                .get("id")
                .and_then(|id| id.parse::<DestinationId>().ok())
        })
    });
    let webhooks = load::load(|| (), |()| load_webhooks());
    let changes = WebhookChanges::new();
    when_done(changes.rotate, move |_, secret| {
        changes.made.set(Some(secret));
        webhooks.refetch();
    });
    when_done(changes.disable, move |asked, ()| {
        let words = match asked.disabled {
            true => "Disabled: nothing more is sent.",
            false => "Enabled: it hears of what happens from now on.",
        };
        changes.said.set(words.to_owned());
        webhooks.refetch();
    });
    when_done(changes.teams, move |_, ()| webhooks.refetch());
    reload_on_news(live, move || webhooks.refetch());
    Some(view! {
        <p>
            <a class="way-up" href="/settings/webhooks">
                "All webhooks"
            </a>
        </p>
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                let webhooks = match webhooks.await {
                    Ok(webhooks) => webhooks,
                    Err(error) => return view! { <Failure error /> }.into_any(),
                };
                let live = live.as_of(webhooks.as_of);
                let found = webhooks.rows.into_iter().find(|row| Some(row.id) == id.get());
                match found {
                    Some(row) => view! { <WebhookView row teams=webhooks.teams changes live /> }.into_any(),
                    None => view! { <NoSuchWebhook /> }.into_any(),
                }
            })}
        </Transition>
    })
}

#[component]
fn NoSuchWebhook() -> impl IntoView {
    respond_with_status(404);
    view! { <p class="list-note">"There is no such webhook, or no longer."</p> }
}
