//! The teams: who is in each, and which agents ask it.

use leptos::prelude::*;

use super::words::{Names, members_word};
use crate::{
    components::capital::capital,
    load::Loaded,
    view::{AgentName, TeamList, TeamRow},
};

/// The list. A team that has not changed keeps its row, and with it the focus.
#[component]
pub(crate) fn TeamRows(teams: Loaded<TeamList>) -> impl IntoView {
    let rows = move || {
        let list = teams.get().and_then(Result::ok);
        list.map(|list| list.rows).unwrap_or_default()
    };
    let known = move || teams.get().is_some_and(|list| list.is_ok());
    view! {
        <section hidden=move || !known() aria-labelledby="teams-title">
            <h2 id="teams-title" class="section-title">
                "Teams"
            </h2>
            <ul class="list" hidden=move || rows().is_empty()>
                <For each=rows key=TeamRow::clone let:row>
                    <TeamLine row />
                </For>
            </ul>
            <p class="list-note team-none" hidden=move || !rows().is_empty()>
                "There is none yet, so everybody sees and answers everything. A team is people who answer for some agents: what those ask, nobody else sees but admins."
            </p>
        </section>
    }
}

#[component]
fn TeamLine(row: TeamRow) -> impl IntoView {
    let names = |agents: Vec<AgentName>| agents.into_iter().map(|one| one.name).collect();
    let members: Vec<String> = row.members.into_iter().map(|one| one.name).collect();
    let size = capital(&members_word(members.len()));
    let people = match members.is_empty() {
        true => "Nobody is in it: only admins answer".into_any(),
        false => view! { <Names names=members /> }.into_any(),
    };
    let is_asked = !(row.homes.is_empty() && row.askers.is_empty());
    let homes = (!row.homes.is_empty())
        .then(|| view! { <span>"Home of " <Names names=names(row.homes) /></span> });
    let askers = (!row.askers.is_empty())
        .then(|| view! { <span>"Open to " <Names names=names(row.askers) /></span> });
    let channel = row
        .slack_channel
        .map(|channel| view! { <span>"Slack " <bdi class="mono">{channel}</bdi></span> });
    let deadlines =
        (!row.timeouts.is_empty()).then(|| view! { <span>"Deadlines of its own"</span> });
    view! {
        <li class="list-row">
            <a class="list-link team-line" href=format!("/settings/teams/{}", row.id)>
                <span class="person-name">
                    <bdi>{row.name}</bdi>
                </span>
                <span class="team-size">{size}</span>
                <span class="team-people">{people}</span>
                <span class="team-facts">
                    {(!is_asked).then(|| view! { <span>"No agent asks it"</span> })} {homes} {askers}
                    {channel} {deadlines}
                </span>
            </a>
        </li>
    }
}
