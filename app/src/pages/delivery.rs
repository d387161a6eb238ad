//! `/deliveries/{id}`: one delivery with every try.

use domain::DeliveryId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{
    components::{DeliveryView, Failure, when_done},
    error::UiError,
    live::{Live, reload_on_news, reload_while},
    load, respond_with_status,
    server_fns::{RetryDelivery, load_delivery},
};

/// One delivery.
#[component]
pub(crate) fn DeliveryPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let params = use_params_map();
    let id = Memo::new(move |_| {
        params.with(|params| {
            params
                .get("id")
                .and_then(|id| id.parse::<DeliveryId>().ok())
        })
    });
    let story = load::load(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => load_delivery(id).await,
                None => Err(UiError::NotFound),
            }
        },
    );
    let retry = ServerAction::<RetryDelivery>::new();
    when_done(retry, move |_, ()| story.refetch());
    reload_on_news(live, move || story.refetch());
    reload_while(live, story, |story, now| story.row.is_moving(now));
    Some(view! {
        <p>
            <a class="way-up" href="/deliveries">
                "All deliveries"
            </a>
        </p>
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match story.await {
                    Ok(story) => view! { <DeliveryView story retry live /> }.into_any(),
                    Err(UiError::NotFound) => view! { <NoSuchDelivery /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    })
}

#[component]
fn NoSuchDelivery() -> impl IntoView {
    respond_with_status(404);
    view! { <p class="list-note">"There is no such delivery."</p> }
}
