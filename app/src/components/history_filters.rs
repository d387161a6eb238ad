//! Filters of the history: chips that are links, so that every view of it has an address.

use domain::interaction::Kind;
use leptos::prelude::*;

use super::{
    capital::capital,
    chip::{Chip, ChipRow},
    history_address::address,
    kind_mark::kind_word,
};
use crate::view::{HistoryQuery, drawn_name};

/// More agents than this are found by searching.
const AGENTS: usize = 12;

const STATES: [(&str, &str); 4] = [
    ("pending", "Waiting"),
    ("resolved", "Resolved"),
    ("expired", "Expired"),
    ("cancelled", "Taken back"),
];

/// The filters; a chip that is on takes its filter away.
#[component]
pub(crate) fn HistoryFilters(query: Memo<HistoryQuery>, agents: Vec<String>) -> impl IntoView {
    let first: Vec<String> = agents.into_iter().take(AGENTS).collect();
    let agents = move || {
        let mut agents = first.clone();
        if let Some(agent) = query.with(|query| query.agent.clone())
            && !agents.contains(&agent)
        {
            agents.push(agent);
        }
        agents
    };
    view! {
        <ChipRow label="State">
            {STATES
                .map(|(state, words)| {
                    view! {
                        <Filter
                            query
                            words=words.to_owned()
                            is_on=move |query| query.state.as_deref() == Some(state)
                            switch=move |query, on| query.state = on.then(|| state.to_owned())
                        />
                    }
                })
                .collect_view()}
        </ChipRow>
        <ChipRow label="Kind">
            {Kind::ALL
                .map(|kind| {
                    view! {
                        <Filter
                            query
                            words=capital(kind_word(kind))
                            is_on=move |query| query.kind == Some(kind)
                            switch=move |query, on| query.kind = on.then_some(kind)
                        />
                    }
                })
                .collect_view()}
        </ChipRow>
        <ChipRow label="Agent">
            {move || {
                agents()
                    .into_iter()
                    .map(|agent| {
                        let name = StoredValue::new(agent.clone());
                        view! {
                            <Filter
                                query
                                words=agent
                                is_on=move |query| {
                                    name.with_value(|name| query.agent.as_ref() == Some(name))
                                }
                                switch=move |query, on| query.agent = on.then(|| name.get_value())
                            />
                        }
                    })
                    .collect_view()
            }}
        </ChipRow>
        <Given query />
    }
}

#[component]
fn Filter(
    query: Memo<HistoryQuery>,
    words: String,
    is_on: impl Fn(&HistoryQuery) -> bool + Copy + Send + Sync + 'static,
    switch: impl Fn(&mut HistoryQuery, bool) + Copy + Send + Sync + 'static,
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

/// Filters that came with a link: a session, a task.
#[component]
fn Given(query: Memo<HistoryQuery>) -> impl IntoView {
    move || {
        let query = query.get();
        let without_session = HistoryQuery {
            session_id: None,
            before: None,
            ..query.clone()
        };
        let without_task = HistoryQuery {
            task_id: None,
            before: None,
            ..query.clone()
        };
        let given = [
            ("Session", query.session_id, without_session),
            ("Task", query.task_id, without_task),
        ];
        given
            .into_iter()
            .filter_map(|(label, value, without)| {
                let words = drawn_name(&value?);
                Some(view! {
                    <ChipRow label>
                        <Chip words href=address(&without) on=true />
                    </ChipRow>
                })
            })
            .collect_view()
    }
}
