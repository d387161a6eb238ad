//! Interactions that were closed or told lately: how they ended, who did it, how long it took, and whether the agent
//! has the answer.

use domain::{interaction::Outcome, time};
use leptos::prelude::*;

use super::{
    kind_mark::{LevelMark, kind_word},
    moment::Ago,
    outcome::{OutcomeWord, pickup},
    team_mark::TeamMark,
};
use crate::{live::Live, view::ClosedRow};

/// The feed.
#[component]
pub(crate) fn RecentList(live: Live) -> impl IntoView {
    let empty = Memo::new(move |_| live.desk.with(|desk| desk.recent.is_empty()));
    view! {
        <section class="recent" aria-labelledby="recent-title">
            <h2 id="recent-title" class="section-title">
                "Lately"
            </h2>
            <p class="list-note" hidden=move || !empty.get()>
                "Nothing yet. What you answer, and what expires, shows up here."
            </p>
            <ul class="list" hidden=move || empty.get()>
                <For
                    each=move || live.desk.with(|desk| desk.recent.clone())
                    key=|closed| closed.row.id
                    let:closed
                >
                    <RecentRow closed live />
                </For>
            </ul>
        </section>
    }
}

#[component]
fn RecentRow(closed: ClosedRow, live: Live) -> impl IntoView {
    let ClosedRow {
        row,
        closure,
        collected_at,
        callback,
        follow_ups: _,
    } = closed;
    let id = row.id;
    let picked_up = Memo::new(move |_| {
        live.desk.with(|desk| {
            let known = desk.recent.iter().find(|closed| closed.row.id == id);
            match known {
                Some(closed) => pickup(closed.collected_at, closed.callback),
                None => pickup(collected_at, callback),
            }
        })
    });
    let what = match row.level {
        Some(level) => view! { <LevelMark level /> }.into_any(),
        None => {
            let took = time::words(closure.at - row.created_at);
            let by = closure.by.map(|by| view! { " by " <bdi>{by}</bdi> });
            view! { <OutcomeWord outcome=Some(closure.outcome) /> {by} " after " {took} }.into_any()
        }
    };
    let told = closure.outcome == Outcome::Delivered;
    view! {
        <li class="list-row recent-row">
            <a class="recent-link" href=format!("/blockers/{id}")>
                <span class="recent-question" dir="auto">
                    {row.preview}
                </span>
                <span class="recent-answer" dir="auto">
                    {closure.answer}
                </span>
                <span class="recent-meta">
                    {what} " · " <bdi>{row.agent}</bdi> <TeamMark team=row.team /> {(!told).then(|| format!(" · {}", kind_word(row.kind)))}
                    " · " <Ago at=closure.at live />
                    {move || picked_up.get().filter(|_| !told)}
                </span>
            </a>
        </li>
    }
}
