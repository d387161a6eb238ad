//! Everybody: their role, whether they can come in, when they were last here.

use chrono::{DateTime, Utc};
use domain::time;
use leptos::prelude::*;

use super::role_field::role_word;
use crate::{
    components::{
        icon::{Icon, Shape},
        moment::Ago,
    },
    live::Live,
    load::Loaded,
    view::{PeopleList, PersonRow, Standing},
};

/// The list. A person who has not changed keeps their row, and with it the focus.
#[component]
pub(crate) fn PeopleRows(people: Loaded<PeopleList>, live: Live) -> impl IntoView {
    let rows = move || {
        let list = people.get().and_then(Result::ok);
        let dated = list.map(|list| list.rows.into_iter().map(move |row| (row, list.as_of)));
        dated.into_iter().flatten().collect::<Vec<_>>()
    };
    view! {
        <section hidden=move || rows().is_empty() aria-labelledby="people-title">
            <h2 id="people-title" class="section-title">
                "Everybody"
            </h2>
            <ul class="list">
                <For each=rows key=|(row, _)| row.clone() let((row, as_of))>
                    <PersonLine row as_of live />
                </For>
            </ul>
        </section>
    }
}

#[component]
fn PersonLine(row: PersonRow, as_of: DateTime<Utc>, live: Live) -> impl IntoView {
    let live = live.as_of(as_of);
    view! {
        <li class="list-row" class:out=row.standing == Standing::Disabled>
            <a class="list-link person-line" href=format!("/settings/people/{}", row.id)>
                <span class="person-name">
                    <bdi>{row.name.clone()}</bdi>
                    {row.yourself.then_some(" (you)")}
                </span>
                <span>{role_word(row.role)}</span>
                <StandingWords row=row.clone() live />
                <span class="person-seen">
                    <LastSeen at=row.seen_at live />
                </span>
            </a>
        </li>
    }
}

/// Whether they can come in, in words.
#[component]
pub(super) fn StandingWords(row: PersonRow, live: Live) -> impl IntoView {
    let shape = match row.standing {
        Standing::Active => Shape::Check,
        Standing::Invited => Shape::Clock,
        Standing::Disabled => Shape::Denied,
    };
    let words = move || match (row.standing, row.link_until) {
        (Standing::Active, _) => "Active".to_owned(),
        (Standing::Disabled, _) => "Disabled".to_owned(),
        (Standing::Invited, Some(until)) if until > live.now.get() => {
            let left = time::words(until - live.now.get());
            format!("Invited, link good for {left}")
        }
        (Standing::Invited, _) => "Invited, link expired".to_owned(),
    };
    view! {
        <span class="outcome">
            <Icon shape />
            {words}
        </span>
    }
}

/// When they were last here.
#[component]
pub(super) fn LastSeen(at: Option<DateTime<Utc>>, live: Live) -> impl IntoView {
    match at {
        Some(at) => view! { "Seen " <Ago at live /> }.into_any(),
        None => "Not signed in".into_any(),
    }
}
