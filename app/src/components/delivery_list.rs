//! The deliveries, one line each.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use super::{
    delivery_address::address,
    delivery_state::{DeliveryStateWords, tries},
    moment::{Ago, Until},
};
use crate::{
    live::Live,
    load::Loaded,
    view::{DeliveryPage, DeliveryQuery, DeliveryRow},
};

/// One page of them, and the way to the next. A delivery that has not changed keeps its row, and with it the
/// focus.
#[component]
pub(crate) fn DeliveryRows(
    page: Loaded<DeliveryPage>,
    query: Memo<DeliveryQuery>,
    live: Live,
) -> impl IntoView {
    let known = move || page.get().and_then(Result::ok);
    let rows = move || {
        let dated = known().map(|page| page.rows.into_iter().map(move |row| (row, page.as_of)));
        dated.into_iter().flatten().collect::<Vec<_>>()
    };
    let next = move || known().and_then(|page| page.next);
    let turn = move |before| {
        address(&DeliveryQuery {
            before,
            ..query.get()
        })
    };
    view! {
        <ul class="list" hidden=move || rows().is_empty()>
            <For each=rows key=|(row, _)| row.clone() let((row, as_of))>
                <DeliveryLine row as_of live />
            </For>
        </ul>
        {move || {
            known().is_some_and(|page| page.rows.is_empty()).then(|| view! { <NothingFound query /> })
        }}
        <nav class="turn" aria-label="Pages of the deliveries">
            {move || {
                query
                    .with(|query| query.before.is_some())
                    .then(|| view! { <a class="button" href=turn(None)>"Newest"</a> })
            }}
            {move || {
                next()
                    .map(|next| view! { <a class="button" href=turn(Some(next))>"Older"</a> })
            }}
        </nav>
    }
}

#[component]
fn DeliveryLine(row: DeliveryRow, as_of: DateTime<Utc>, live: Live) -> impl IntoView {
    let live = live.as_of(as_of);
    let next = row.next_at.filter(|_| row.tries > 0 || row.is_put_off());
    view! {
        <li class="list-row delivery-line">
            <a class="list-link delivery-link" href=format!("/deliveries/{}", row.id)>
                <DeliveryStateWords row=row.clone() />
                <span class="delivery-what">
                    <bdi class="delivery-name">{row.destination.name.clone()}</bdi>
                    <span class="delivery-type mono">{row.event_type.clone()}</span>
                </span>
                <span class="delivery-error" dir="auto">
                    {row.error.clone()}
                </span>
                <span class="delivery-facts">
                    {tries(&row)} " · " <Ago at=row.created_at live />
                    {next.map(|at| view! { " · " <NextTry at live /> })}
                </span>
            </a>
            <span class="delivery-about">
                {row
                    .interaction
                    .map(|id| {
                        view! {
                            <a href=format!("/interactions/{id}")>
                                "Interaction"
                                <span class="visually-hidden">{format!(" {id}")}</span>
                            </a>
                        }
                    })}
            </span>
        </li>
    }
}

/// When it is tried next.
#[component]
pub(super) fn NextTry(at: DateTime<Utc>, live: Live) -> impl IntoView {
    move || {
        if at > live.now.get() {
            view! { "again in " <Until at live /> }.into_any()
        } else {
            "again now".into_any()
        }
    }
}

#[component]
fn NothingFound(query: Memo<DeliveryQuery>) -> impl IntoView {
    view! {
        <p class="list-note">
            {move || {
                if query.with(|query| *query == DeliveryQuery::default()) {
                    view! {
                        "Nothing has gone out yet. What webhooks, agents and Slack hear of appears here. "
                        <a href="/settings/webhooks">"Make a webhook"</a>
                        "."
                    }
                        .into_any()
                } else {
                    view! {
                        "Nothing matches. "
                        <a href="/deliveries">"Clear the filters"</a>
                        "."
                    }
                        .into_any()
                }
            }}
        </p>
    }
}
