//! The search box of the history: a plain form that keeps the filters.

use domain::interaction::Kind;
use leptos::{ev, html, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use super::{
    history_address::address,
    keys::{SEARCH, SearchWanted},
};
use crate::view::HistoryQuery;

/// Searches within what the filters let through.
#[component]
pub(crate) fn HistorySearch(query: Memo<HistoryQuery>) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let navigate = use_navigate();
    let words = Memo::new(move |_| query.with(|query| query.q.clone()).unwrap_or_default());
    Effect::new(move |before: Option<()>| {
        let words = words.get();
        // At first the box belongs to the browser: a person may be typing already.
        if before.is_some()
            && let Some(input) = input.get_untracked()
        {
            input.set_value(&words);
        }
    });
    let wanted = use_context::<SearchWanted>();
    Effect::new(move |_| {
        if let (Some(input), Some(wanted)) = (input.get(), wanted)
            && wanted.take()
        {
            let _ = input.focus();
        }
    });
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let q = input.get_untracked().map(|input| input.value());
        let query = HistoryQuery {
            q,
            before: None,
            ..query.get_untracked()
        };
        navigate(&address(&query), NavigateOptions::default());
    };
    let hidden = move |name: &'static str, value: fn(&HistoryQuery) -> Option<String>| {
        move || {
            query.with(value).map(|value| {
                view! { <input type="hidden" name=name value=value /> }
            })
        }
    };
    view! {
        <form class="history-search" role="search" method="get" action="/history" on:submit=on_submit>
            <label class="visually-hidden" for=SEARCH>
                "Search the history"
            </label>
            <input
                id=SEARCH
                class="field"
                type="search"
                name="q"
                dir="auto"
                autocomplete="off"
                placeholder="Search questions, answers, names"
                value=words.get_untracked()
                node_ref=input
            />
            {hidden("state", |query| query.state.clone())}
            {hidden("kind", |query| query.kind.map(|kind: Kind| kind.name().to_owned()))}
            {hidden("agent", |query| query.agent.clone())}
            {hidden("session_id", |query| query.session_id.clone())}
            {hidden("task_id", |query| query.task_id.clone())}
            <button class="button" type="submit">
                "Search"
                <kbd>"/"</kbd>
            </button>
        </form>
    }
}
