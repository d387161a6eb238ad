//! `/deliveries`: what went out and what did not, narrowed by its address.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{Notices, visitor};
use crate::{
    components::{
        DeliveryFilters, DeliveryRows, Failure, ForAdmins, RetryMany, read_delivery_query,
        when_done,
    },
    live::{Live, reload_on_news, reload_while},
    load,
    server_fns::{RetryDeliveries, load_deliveries},
};

/// The deliveries.
#[component]
pub(crate) fn DeliveriesPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let visitor = visitor()?;
    let params = use_query_map();
    let query = Memo::new(move |_| params.with(read_delivery_query));
    let page = load::load(move || query.get(), load_deliveries);
    let retry = ServerAction::<RetryDeliveries>::new();
    when_done(retry, move |_, ()| page.refetch());
    reload_on_news(live, move || page.refetch());
    // An event says that something is to be sent, not that the worker has got to it.
    reload_while(live, page, move |page, now| {
        let newest = query.with_untracked(|query| query.before.is_none());
        newest || page.rows.iter().any(|row| row.is_moving(now))
    });
    Some(view! {
        <h1 class="page-title">"Deliveries"</h1>
        <Notices />
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || page.get().and_then(Result::err).map(|error| view! { <Failure error /> })}
            <div hidden=move || page.get().is_none_or(|page| page.is_err())>
                <DeliveryFilters query page />
                <ForAdmins visitor>
                    <RetryMany page retry />
                </ForAdmins>
                <DeliveryRows page query live />
            </div>
        </Transition>
    })
}
