//! Narrowing the list of those who wait: chips that are links, so that every view of it has an address.

use domain::interaction::Kind;
use leptos::prelude::*;

use super::{
    capital::capital,
    chip::{Chip, ChipRow},
    kind_mark::kind_word,
};
use crate::{
    desk::{Desk, narrowing::Narrowing},
    drawn_later::{Drawers, DrawnLater},
    held::Holding,
    live::Live,
};

/// With fewer rows there is nothing to narrow.
const ROWS: usize = 6;
/// More agents than these are found by the history's search.
const AGENTS: usize = 12;

/// Hidden while little waits.
#[component]
pub(super) fn NarrowWaiting(live: Live, holding: Holding) -> impl IntoView {
    let narrowed = holding.narrowed();
    let is_offered =
        move || narrowed.with(Narrowing::is_on) || live.desk.with(Desk::count_waiting) >= ROWS;
    let draw = Box::new(move |it: &Drawers| (it.narrowing)(live, holding));
    view! {
        <details
            class="narrow"
            hidden=move || !is_offered()
            open=narrowed.with_untracked(Narrowing::is_on)
        >
            <summary>"Narrow"</summary>
            <DrawnLater draw />
        </details>
    }
}

pub(crate) fn draw_narrowing(live: Live, holding: Holding) -> AnyView {
    let narrowed = holding.narrowed();
    let kinds = Memo::new(move |_| {
        live.desk.with(|desk| {
            let waits = |kind: &Kind| desk.waiting.iter().any(|row| row.kind == *kind);
            let kinds = Kind::ALL.into_iter();
            kinds
                .filter(|kind| waits(kind) || narrowed.with(|it| it.kind == Some(*kind)))
                .collect::<Vec<_>>()
        })
    });
    let agents = Memo::new(move |_| {
        live.desk.with(|desk| {
            let mut agents: Vec<String> =
                desk.waiting.iter().map(|row| row.agent.clone()).collect();
            agents.sort_unstable();
            agents.dedup();
            agents.truncate(AGENTS);
            let wanted = narrowed.with(|it| it.agent.clone());
            agents.extend(wanted.filter(|wanted| !agents.contains(wanted)));
            agents
        })
    });
    view! {
        <ChipRow label="Due">
            <Condition
                narrowed
                words="Urgent".to_owned()
                is_on=|it| it.urgent
                switch=|it, on| it.urgent = on
            />
            <Condition
                narrowed
                words="Within an hour".to_owned()
                is_on=|it| it.soon
                switch=|it, on| it.soon = on
            />
        </ChipRow>
        <ChipRow label="Kind">
            <For each=move || kinds.get() key=|kind| *kind let:kind>
                <Condition
                    narrowed
                    words=capital(kind_word(kind))
                    is_on=move |it| it.kind == Some(kind)
                    switch=move |it, on| it.kind = on.then_some(kind)
                />
            </For>
        </ChipRow>
        <ChipRow label="Agent">
            <For each=move || agents.get() key=String::clone let:agent>
                {
                    let name = StoredValue::new(agent.clone());
                    view! {
                        <Condition
                            narrowed
                            words=agent
                            is_on=move |it| name.with_value(|name| it.agent.as_ref() == Some(name))
                            switch=move |it, on| it.agent = on.then(|| name.get_value())
                        />
                    }
                }
            </For>
        </ChipRow>
    }
    .into_any()
}

#[component]
fn Condition(
    narrowed: Memo<Narrowing>,
    words: String,
    is_on: impl Fn(&Narrowing) -> bool + Copy + Send + Sync + 'static,
    switch: impl Fn(&mut Narrowing, bool) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let on = Memo::new(move |_| narrowed.with(is_on));
    let href = Memo::new(move |_| {
        let mut narrowing = narrowed.get();
        let on = is_on(&narrowing);
        switch(&mut narrowing, !on);
        narrowing.address()
    });
    view! { <Chip words href on /> }
}
