//! Where a person is needed first: what is about to expire, and which agents stand still; and who is on what.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{PersonId, interaction::Mode};
use leptos::prelude::*;

use super::{deadline::TimeLeft, moment::Since};
use crate::{desk::place::Place, held::Holding, live::Live, view::Row};

/// As many as one can do something about.
const EXPIRING: usize = 3;
/// As many as one looks through.
const CLAIMED: usize = 5;

/// An agent that has stopped.
#[derive(Clone, PartialEq)]
struct Still {
    agent: String,
    /// Its oldest question.
    first: Row,
    /// How many there are.
    count: usize,
}

/// Hidden while no agent waits.
#[component]
pub(crate) fn WaitingNow(live: Live, me: PersonId) -> impl IntoView {
    // As the list beside it: without what this person has just answered.
    let holding = use_context::<Holding>().map(|holding| holding.seen_by(live));
    let waiting = Memo::new(move |_| match holding {
        Some(holding) => holding.waiting(),
        None => live.desk.with(|desk| desk.waiting.clone()),
    });
    let expiring = Memo::new(move |_| {
        let now = live.now.get();
        waiting.with(|waiting| expiring(waiting, now))
    });
    let still = Memo::new(move |_| waiting.with(|waiting| still(waiting)));
    let claimed = Memo::new(move |_| waiting.with(|waiting| claimed(waiting)));
    view! {
        <section
            class="waiting-now"
            hidden=move || expiring.with(Vec::is_empty)
            aria-labelledby="expiring-title"
        >
            <h2 id="expiring-title" class="section-title">
                "About to expire"
            </h2>
            <ul>
                <For each=move || expiring.get() key=|row| row.id let:row>
                    <li>
                        <a class="waiting-link" href=Place::Blocker(row.id).address()>
                            <span class="waiting-text" dir="auto">
                                {row.about.clone().unwrap_or_else(|| row.preview.clone())}
                            </span>
                            <bdi class="waiting-since">{row.agent.clone()}</bdi>
                            <TimeLeft row=row.clone() live />
                        </a>
                    </li>
                </For>
            </ul>
        </section>
        <section
            class="waiting-now"
            hidden=move || still.with(Vec::is_empty)
            aria-labelledby="still-title"
        >
            <h2 id="still-title" class="section-title">
                "Agents that stand still"
            </h2>
            <ul>
                <For each=move || still.get() key=|one| (one.agent.clone(), one.first.id, one.count) let:one>
                    <li>
                        <a class="waiting-link" href=Place::Blocker(one.first.id).address()>
                            <bdi class="waiting-name">{one.agent}</bdi>
                            <span class="waiting-text" dir="auto">
                                {one.first.preview}
                            </span>
                            <span class="waiting-since">
                                {(one.count > 1).then(|| format!("and {} more · ", one.count - 1))}
                                "for " <Since at=one.first.created_at live />
                            </span>
                        </a>
                    </li>
                </For>
            </ul>
        </section>
        <section
            class="waiting-now"
            hidden=move || claimed.with(Vec::is_empty)
            aria-labelledby="claimed-title"
        >
            <h2 id="claimed-title" class="section-title">
                "Claimed"
            </h2>
            <ul>
                <For each=move || claimed.get() key=|row| (row.id, row.claimant, row.claim.clone()) let:row>
                    <li>
                        <a class="waiting-link" href=Place::Blocker(row.id).address()>
                            <bdi class="waiting-name">
                                {match row.claimant == Some(me) {
                                    true => "You".to_owned(),
                                    false => row.claim.unwrap_or_default(),
                                }}
                            </bdi>
                            <span class="waiting-text" dir="auto">
                                {row.about.unwrap_or(row.preview)}
                            </span>
                            <bdi class="waiting-since">{row.agent}</bdi>
                        </a>
                    </li>
                </For>
            </ul>
        </section>
    }
}

/// Those that do so within the hour, the first of them first.
fn expiring(waiting: &[Row], now: DateTime<Utc>) -> Vec<Row> {
    let mut rows: Vec<(DateTime<Utc>, &Row)> = waiting
        .iter()
        .filter_map(|row| Some((row.expires_at?, row)))
        .filter(|(until, _)| *until - now < TimeDelta::hours(1))
        .collect();
    rows.sort_by_key(|(until, row)| (*until, row.id));
    let first = rows.into_iter().take(EXPIRING);
    first.map(|(_, row)| row.clone()).collect()
}

/// Those that a person is on, in the order of the list.
fn claimed(waiting: &[Row]) -> Vec<Row> {
    let rows = waiting.iter().filter(|row| row.claim.is_some());
    rows.take(CLAIMED).cloned().collect()
}

/// Those that have stood still longest first.
fn still(waiting: &[Row]) -> Vec<Still> {
    let mut agents: BTreeMap<&str, Still> = BTreeMap::new();
    for row in waiting.iter().filter(|row| row.mode == Mode::Sync) {
        let still = agents.entry(&row.agent).or_insert_with(|| Still {
            agent: row.agent.clone(),
            first: row.clone(),
            count: 0,
        });
        still.count += 1;
        if row.id < still.first.id {
            still.first = row.clone();
        }
    }
    let mut all: Vec<Still> = agents.into_values().collect();
    all.sort_by_key(|one| one.first.id);
    all
}
