//! The agents: when each was seen last, and what it waits for.

use leptos::prelude::*;

use super::{
    history_address::address, moment::Ago, settings::BelongsTo, team_mark::TeamMark,
    waiting_link::WaitingLinks,
};
use crate::{
    live::Live,
    view::{AgentList, AgentRow, HistoryQuery},
};

/// Every agent.
#[component]
pub(crate) fn AgentRows(list: AgentList, live: Live) -> impl IntoView {
    let live = live.as_of(list.as_of);
    let empty = list.rows.is_empty();
    let quota = list.quota;
    view! {
        <ul class="list" hidden=empty>
            {list.rows.into_iter().map(|agent| view! { <AgentLine agent quota live /> }).collect_view()}
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
fn AgentLine(agent: AgentRow, quota: Option<u64>, live: Live) -> impl IntoView {
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
    let stored = size(agent.stored_today);
    let stored = match quota {
        Some(quota) if agent.stored_today >= quota => {
            format!(" · {stored} stored today, all that it may; it may go on at 00:00 UTC")
        }
        Some(quota) => format!(" · {stored} of {} stored today", size(quota)),
        None => format!(" · {stored} stored today"),
    };
    view! {
        <li class="list-row work-row">
            <div class="work-line">
                <a class="list-link work-name" href=all>
                    <bdi class="work-title">{agent.name}</bdi>
                </a>
                <span class="work-meta">
                    <TeamMark team=agent.team />
                    {waits} {tasks} " · "
                    {match agent.last_seen {
                        Some(at) => view! { "last seen " <Ago at live /> }.into_any(),
                        None => "never seen".into_any(),
                    }} {stored}
                    {(!agent.owners.is_empty())
                        .then(|| view! { " · " <BelongsTo owners=agent.owners /> })}
                </span>
            </div>
            <WaitingLinks rows=agent.waiting live />
        </li>
    }
}

/// A number of bytes as people read it.
fn size(bytes: u64) -> String {
    const KB: u64 = 1_000;
    const UNITS: [&str; 4] = ["bytes", "kB", "MB", "GB"];
    let mut unit = 0;
    let mut divisor = 1;
    while unit + 1 < UNITS.len() && bytes / divisor >= KB {
        divisor *= KB;
        unit += 1;
    }
    match bytes / divisor {
        whole if unit > 0 && whole < 10 => {
            let tenth = bytes % divisor * 10 / divisor;
            format!("{whole}.{tenth} {}", UNITS[unit])
        }
        whole => format!("{whole} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_size_has_two_digits_at_least() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (268_435_456, "268 MB"),
            (9_999_999, "9.9 MB"),
            (u64::MAX, "18446744073 GB"),
        ] {
            assert_eq!(size(bytes), words);
        }
    }
}
