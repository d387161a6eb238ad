//! Filters of the deliveries: chips that are links, so that every view of them has an address.

use domain::{DestinationId, delivery::DeliveryState};
use leptos::prelude::*;

use super::{
    chip::{Chip, ChipRow},
    delivery_address::address,
};
use crate::{
    load::Loaded,
    view::{DeliveryPage, DeliveryQuery, Destination},
};

/// More destinations than this are not chips.
const DESTINATIONS: usize = 12;

/// Nothing is [`DeliveryState::Unknown`] yet.
const STATES: [(DeliveryState, &str); 4] = [
    (DeliveryState::Due, "Due"),
    (DeliveryState::Sending, "Being sent"),
    (DeliveryState::Delivered, "Delivered"),
    (DeliveryState::Dead, "Given up"),
];

/// The filters; a chip that is on takes its filter away.
#[component]
pub(crate) fn DeliveryFilters(
    query: Memo<DeliveryQuery>,
    page: Loaded<DeliveryPage>,
) -> impl IntoView {
    let destinations = move || {
        let known = page.get().and_then(Result::ok);
        let known = known.map(|page| page.destinations).unwrap_or_default();
        chips(known, query.with(|query| query.destination))
    };
    view! {
        <ChipRow label="State">
            {STATES
                .map(|(state, words)| {
                    view! {
                        <Filter
                            query
                            words=words.to_owned()
                            is_on=move |query| query.state == Some(state)
                            switch=move |query, on| query.state = on.then_some(state)
                        />
                    }
                })
                .collect_view()}
        </ChipRow>
        <div hidden=move || destinations().is_empty()>
            <ChipRow label="To">
                <For each=destinations key=|one| one.clone() let(one)>
                    <Filter
                        query
                        words=one.name
                        is_on=move |query| query.destination == Some(one.id)
                        switch=move |query, on| query.destination = on.then_some(one.id)
                    />
                </For>
            </ChipRow>
        </div>
    }
}

#[component]
fn Filter(
    query: Memo<DeliveryQuery>,
    words: String,
    is_on: impl Fn(&DeliveryQuery) -> bool + Copy + Send + Sync + 'static,
    switch: impl Fn(&mut DeliveryQuery, bool) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let on = Memo::new(move |_| query.with(is_on));
    let href = Memo::new(move |_| {
        let mut query = query.get();
        let on = is_on(&query);
        switch(&mut query, !on);
        query.before = None;
        address(&query)
    });
    view! { <Chip words href on /> }
}

/// The first destinations, and in any case the one that is chosen.
fn chips(known: Vec<Destination>, chosen: Option<DestinationId>) -> Vec<Destination> {
    let (mut chips, mut others) = (Vec::new(), Vec::new());
    for one in known {
        match chips.len() < DESTINATIONS {
            true => chips.push(one),
            false => others.push(one),
        }
    }
    if let Some(id) = chosen
        && chips.iter().all(|one| one.id != id)
    {
        let named = others.into_iter().find(|one| one.id == id);
        chips.push(named.unwrap_or(Destination {
            id,
            name: "Somewhere else".to_owned(),
        }));
    }
    chips
}
