//! The agents: when each was seen last, and what it waits for.

use leptos::prelude::*;

use super::{history_address::address, moment::Ago, waiting_link::WaitingLinks};
use crate::{
    live::Live,
    view::{AgentList, AgentRow, HistoryQuery},
};

/// Every agent.
#[component]
pub(crate) fn AgentRows(list: AgentList, live: Live) -> impl IntoView {
    let live = live.as_of(list.as_of);
    let empty = list.rows.is_empty();
    view! {
        <ul class="list" hidden=empty>
            {list.rows.into_iter().map(|agent| view! { <AgentLine agent live /> }).collect_view()}
        </ul>
        {empty
            .then(|| {
                view! {
                    <p class="list-note">
                        "There is no agent yet. Give one a token:"
                        <code class="list-code">"handraise token create --kind agent --name backend"</code>
                    </p>
                }
            })}
    }
}

#[component]
fn AgentLine(agent: AgentRow, live: Live) -> impl IntoView {
    let all = address(&HistoryQuery {
        agent: Some(agent.name.clone()),
        ..HistoryQuery::default()
    });
    let waits = match agent.waiting.len() {
        0 => "Waits for nothing".to_owned(),
        1 => "Waits for one answer".to_owned(),
        waiting => format!("Waits for {waiting} answers"),
    };
    let tasks = match agent.open_tasks {
        0 => None,
        1 => Some(" · 1 open task".to_owned()),
        tasks => Some(format!(" · {tasks} open tasks")),
    };
    view! {
        <li class="list-row work-row">
            <div class="work-line">
                <a class="list-link work-name" href=all>
                    <bdi class="work-title">{agent.name}</bdi>
                </a>
                <span class="work-meta">
                    {waits} {tasks} " · "
                    {match agent.last_seen {
                        Some(at) => view! { "last seen " <Ago at live /> }.into_any(),
                        None => "never seen".into_any(),
                    }}
                </span>
            </div>
            <WaitingLinks rows=agent.waiting live />
        </li>
    }
}
