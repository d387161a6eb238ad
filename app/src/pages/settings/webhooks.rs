//! `/settings/webhooks`: where news is posted, and making more.

use leptos::prelude::*;

use crate::{
    components::{CreateWebhookForm, Failure, ForAdmins, MadeSecret, WebhookRows, when_done},
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    server_fns::{CreateWebhook, load_webhooks},
};

/// The webhooks.
#[component]
pub(crate) fn WebhooksPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let webhooks = load::load(|| (), |()| load_webhooks());
    let create = ServerAction::<CreateWebhook>::new();
    // Until the next one: a refused address does not take the last secret away.
    let made = RwSignal::new(None);
    when_done(create, move |_, secret| {
        made.set(Some(secret));
        webhooks.refetch();
    });
    reload_on_news(live, move || webhooks.refetch());
    Some(view! {
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || webhooks.get().and_then(Result::err).map(|error| view! { <Failure error /> })}
            <WebhookRows webhooks live />
        </Transition>
        <ForAdmins visitor=visitor()?>
            <CreateWebhookForm create webhooks />
        </ForAdmins>
        {move || made.get().map(|secret| view! { <MadeSecret secret /> })}
    })
}
