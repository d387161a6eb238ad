//! The history, one line an interaction.

use domain::time;
use leptos::prelude::*;

use super::{
    badge::UrgentMark,
    history_address::address,
    kind_mark::{LevelMark, kind_word},
    moment::Ago,
    outcome::{OutcomeWord, pickup},
    team_mark::TeamMark,
};
use crate::{
    live::Live,
    view::{HistoryPage, HistoryQuery, HistoryRow},
};

/// One page of it, and the way to the next.
#[component]
pub(crate) fn HistoryList(
    page: HistoryPage,
    query: Memo<HistoryQuery>,
    live: Live,
) -> impl IntoView {
    let live = live.as_of(page.as_of);
    let empty = page.rows.is_empty();
    let turn = move |before| {
        address(&HistoryQuery {
            before,
            ..query.get()
        })
    };
    view! {
        <ul class="list" hidden=empty>
            {page.rows.into_iter().map(|row| view! { <HistoryLine row live /> }).collect_view()}
        </ul>
        {empty.then(|| view! { <NothingFound query /> })}
        <nav class="turn" aria-label="Pages of the history">
            {move || {
                query
                    .with(|query| query.before.is_some())
                    .then(|| view! { <a class="button" href=turn(None)>"Newest"</a> })
            }}
            {page
                .next
                .map(|next| {
                    view! {
                        <a class="button" href=move || turn(Some(next))>
                            "Older"
                        </a>
                    }
                })}
        </nav>
    }
}

#[component]
fn HistoryLine(row: HistoryRow, live: Live) -> impl IntoView {
    let HistoryRow {
        row,
        closure,
        collected_at,
        callback,
    } = row;
    let took = closure
        .as_ref()
        .filter(|_| row.level.is_none())
        .map(|closure| format!("took {}", time::words(closure.at - row.created_at)));
    let by = closure.as_ref().and_then(|closure| closure.by.clone());
    let outcome = closure.as_ref().map(|closure| closure.outcome);
    view! {
        <li class="list-row">
            <a class="list-link history-line" href=format!("/interactions/{}", row.id)>
                <span class="history-state">
                    {match row.level {
                        Some(level) => view! { <LevelMark level /> }.into_any(),
                        None => view! { <OutcomeWord outcome /> }.into_any(),
                    }}
                </span>
                <span class="history-kind">{kind_word(row.kind)}</span>
                <span class="history-text">
                    <UrgentMark urgent=row.urgent />
                    <span class="history-prompt" dir="auto">
                        {row.preview}
                    </span>
                    <span class="history-answer" dir="auto">
                        {closure.and_then(|closure| closure.answer)}
                    </span>
                </span>
                <span class="history-from">
                    <TeamMark team=row.team />
                    <bdi>{row.agent}</bdi> {by.map(|by| view! { " · " <bdi>{by}</bdi> })}
                    {took.map(|took| format!(" · {took}"))}
                    {pickup(collected_at, callback)} " · "
                    <Ago at=row.created_at live />
                </span>
            </a>
        </li>
    }
}

#[component]
fn NothingFound(query: Memo<HistoryQuery>) -> impl IntoView {
    view! {
        <p class="list-note">
            {move || {
                if query.with(|query| *query == HistoryQuery::default()) {
                    "Nothing has been asked yet.".into_any()
                } else {
                    view! {
                        "Nothing matches. "
                        <a href="/history">"Clear the filters"</a>
                        "."
                    }
                        .into_any()
                }
            }}
        </p>
    }
}
