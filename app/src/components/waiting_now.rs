//! Who waits right now, agent by agent.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::waiting_link::WaitingLink;
use crate::live::Live;

/// Hidden while no agent waits.
#[component]
pub(crate) fn WaitingNow(live: Live) -> impl IntoView {
    let agents = Memo::new(move |_| {
        live.desk.with(|desk| {
            let agents = desk.waiting.iter().map(|row| row.agent.clone());
            agents.collect::<BTreeSet<_>>()
        })
    });
    view! {
        <section
            class="waiting-now"
            hidden=move || agents.with(BTreeSet::is_empty)
            aria-labelledby="waiting-now-title"
        >
            <h2 id="waiting-now-title" class="section-title">
                "Waiting now"
            </h2>
            <ul>
                <For each=move || agents.get() key=String::clone let:agent>
                    <Agent agent live />
                </For>
            </ul>
        </section>
    }
}

#[component]
fn Agent(agent: String, live: Live) -> impl IntoView {
    let name = agent.clone();
    let rows = move || {
        live.desk.with(|desk| {
            let rows = desk.waiting.iter().filter(|row| row.agent == name);
            rows.cloned().collect::<Vec<_>>()
        })
    };
    view! {
        <li class="waiting-agent">
            <h3 class="waiting-name" dir="auto">
                {agent}
            </h3>
            <ul>
                <For each=rows key=|row| row.id let:row>
                    <li>
                        <WaitingLink row live />
                    </li>
                </For>
            </ul>
        </li>
    }
}
