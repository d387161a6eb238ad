//! The panel: who waits, for how long, with how much time left.

use std::collections::HashSet;

use domain::{
    InteractionId,
    interaction::{Kind, Mode, Outcome},
};
use leptos::{html, prelude::*};
use leptos_router::hooks::use_location;

use super::{
    badge::Badge, marked_bar::MarkedBar, moment::Ago, narrow_waiting::NarrowWaiting,
    notify_me::NotifyMe, snoozed_list::SnoozedList, waiting_row::WaitingRow,
};
use crate::{
    desk::{FIRST_ROWS, narrowing::Narrowing, place::Item},
    draft,
    held::Holding,
    live::Live,
};

/// Everybody who waits.
#[component]
pub(crate) fn WaitingList(live: Live) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| crate::live::client::start(live));

    let holding = use_context::<Holding>().map(|holding| holding.seen_by(live));
    let count = Memo::new(move |_| {
        let more = live.desk.with(|desk| desk.more_waiting);
        holding.map_or(0, |holding| holding.waiting().len()) + more
    });
    let items = Memo::new(move |_| holding.map(Holding::items).unwrap_or_default());
    let shown = Memo::new(move |_| {
        let is_narrowed = holding.is_some_and(|it| it.narrowed().with(Narrowing::is_on));
        is_narrowed
            .then(|| items.with(|items| items.iter().map(|item| item.rows.len()).sum::<usize>()))
    });
    // What is on the screen, and a little more.
    let drawn = RwSignal::new(FIRST_ROWS as usize);
    // An answer is begun in a dialog, and left with it.
    let drafts = RwSignal::new(HashSet::new());
    let path = use_location().pathname;
    Effect::new(move |_| {
        path.track();
        drafts.set(draft::begun());
    });
    view! {
        <h2 class="panel-title">
            "Waiting for you"
            <span class="count">
                {move || shown.get().map(|shown| format!("{shown} of "))} {move || count.get()}
            </span>
        </h2>
        {holding.map(|holding| view! { <NarrowWaiting live holding /> })}
        <Rows mode=Mode::Sync says="have stopped until you answer" items drawn drafts live />
        <Rows mode=Mode::Async says="go on meanwhile" items drawn drafts live />
        <MoreRows items drawn />
        <p class="panel-note">
            {move || {
                let more = live.desk.with(|desk| desk.more_waiting);
                if more > 0 && shown.get().is_some() {
                    format!("{more} more wait behind these, and are not looked through.").into_any()
                } else if more > 0 {
                    format!("{more} more wait behind these.").into_any()
                } else if shown.get() == Some(0) {
                    view! { "Nothing that waits is so. " <a href="/">"Show all"</a> }.into_any()
                } else if count.get() > 0 {
                    "Nothing else waits.".into_any()
                } else {
                    view! { <NobodyWaits live /> }.into_any()
                }
            }}
        </p>
        <SnoozedList live />
        <NotifyMe />
        {holding.map(|holding| view! { <MarkedBar holding /> })}
    }
}

/// Those of one mode, under its word.
#[component]
fn Rows(
    mode: Mode,
    says: &'static str,
    items: Memo<Vec<Item>>,
    drawn: RwSignal<usize>,
    drafts: RwSignal<HashSet<InteractionId>>,
    live: Live,
) -> impl IntoView {
    // A group stands where its first row does.
    let is_of = move |item: &Item| item.rows.first().is_some_and(|row| row.mode == mode);
    let keys = Memo::new(move |_| {
        items.with(|items| {
            let drawn = items.iter().take(drawn.get());
            let keys = drawn.filter(|item| is_of(item)).map(Item::key);
            keys.collect::<Vec<_>>()
        })
    });
    view! {
        <h3 class="rows-title" hidden=move || keys.with(Vec::is_empty)>
            <Badge mode />
            {says}
        </h3>
        <ul class="rows" aria-label=says hidden=move || keys.with(Vec::is_empty)>
            <For each=move || keys.get() key=|key| *key let:key>
                <WaitingRow key items drafts live />
            </For>
        </ul>
    }
}

/// Stands behind the rows that are drawn: before a person comes to it, more are.
#[component]
fn MoreRows(items: Memo<Vec<Item>>, drawn: RwSignal<usize>) -> impl IntoView {
    let is_all = Memo::new(move |_| items.with(Vec::len) <= drawn.get());
    let end = NodeRef::<html::Div>::new();
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        // Again after each step: an end that is still in sight is not seen anew.
        drawn.track();
        if is_all.get() {
            return;
        }
        if let Some(end) = end.get() {
            super::read_to_end::when_seen(&end, move || {
                drawn.update(|drawn| *drawn += FIRST_ROWS as usize);
            });
        }
    });
    view! { <div class="more-rows" hidden=move || is_all.get() node_ref=end></div> }
}

#[component]
fn NobodyWaits(live: Live) -> impl IntoView {
    let last = live.desk.with_untracked(|desk| {
        let mut closed = desk.recent.iter();
        closed
            .find(|closed| closed.row.kind != Kind::Notification)
            .cloned()
    });
    view! {
        "Nobody is waiting. "
        {last
            .map(|last| {
                let by = last.closure.by.map(|by| view! { " by " <bdi>{by}</bdi> });
                view! {
                    {match last.closure.outcome {
                        Outcome::Expired | Outcome::Fallback | Outcome::Cancelled => "Last closed ",
                        _ => "Last answer ",
                    }}
                    <Ago at=last.closure.at live />
                    {by}
                    "."
                }
            })}
    }
}
