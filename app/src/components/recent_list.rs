//! What was closed lately: how it ended, who did it, how long it took.

use domain::interaction::Outcome;
use leptos::prelude::*;

use super::moment::Ago;
use crate::{
    live::Live,
    view::{ClosedRow, time},
};

/// Hidden until something has been asked.
#[component]
pub(crate) fn RecentList(live: Live) -> impl IntoView {
    let asked = Memo::new(move |_| live.desk.with(|desk| desk.last_seq > 0));
    let empty = Memo::new(move |_| live.desk.with(|desk| desk.recent.is_empty()));
    view! {
        <section class="recent" hidden=move || !asked.get() aria-labelledby="recent-title">
            <h1 id="recent-title" class="page-title">
                "Closed lately"
            </h1>
            <p class="recent-note" hidden=move || !empty.get()>
                "Nothing yet. What you answer, and what expires, shows up here."
            </p>
            <ul class="recent-rows" hidden=move || empty.get()>
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
    let ClosedRow { row, closure } = closed;
    let took = time::words(closure.at - row.created_at);
    let by = closure.by.map(|by| format!(" by {by}"));
    view! {
        <li class="recent-row">
            <a class="recent-link" href=format!("/blockers/{}", row.id)>
                <span class="recent-question" dir="auto">
                    {row.preview}
                </span>
                <span class="recent-answer" dir="auto">
                    {closure.answer}
                </span>
                <span class="recent-meta">
                    <OutcomeWord outcome=closure.outcome />
                    {by}
                    " after "
                    {took}
                    " · "
                    {row.agent}
                    " · "
                    <Ago at=closure.at live />
                </span>
            </a>
        </li>
    }
}

/// An icon and a word; colour carries nothing here.
#[component]
pub(super) fn OutcomeWord(outcome: Outcome) -> impl IntoView {
    let (path, word) = match outcome {
        Outcome::Answered => ("M3 8.5l3.5 3.5L13 4.5", "Answered"),
        Outcome::Fallback => (
            "M8 4v4.5l3 2M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13",
            "Fallback used",
        ),
        Outcome::Expired => (
            "M8 4v4.5l3 2M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13",
            "Expired",
        ),
        Outcome::Cancelled => ("M4 4l8 8M12 4l-8 8", "No longer needed"),
    };
    view! {
        <span class="outcome">
            <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                <path d=path fill="none" stroke="currentColor" stroke-width="1.5" />
            </svg>
            {word}
        </span>
    }
}
