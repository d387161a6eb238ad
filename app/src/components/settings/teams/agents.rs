//! The agents of a team: those that ask it by themselves, and those that may name it.

use domain::TeamId;
use leptos::prelude::*;

use super::team_view::TeamChanges;
use crate::{
    components::{
        controls::Sending,
        settings::{confirm_field::ConfirmField, submit::Submit, when_done::when_done},
    },
    load::Loaded,
    server_fns::{SetHome, SetOpen},
    view::{AgentName, OneTeam, TeamAgent, Visitor},
};

/// What such an agent asks is this team's, unless it names another one.
#[component]
pub(super) fn HomeAgents(
    page: Memo<OneTeam>,
    id: TeamId,
    changes: TeamChanges,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let rows = move || page.with(|page| page.row.homes.clone());
    let others = others(page, rows);
    let said = changes.of_agents;
    let away = move |name| {
        said.set(format!("{name} asks everyone from now on."));
        changes.again.run(());
    };
    let sending = Sending::of(changes.home);
    view! {
        <h4 class="part-title">"At home here"</h4>
        <p class="hint">"What they ask is this team's, from the next question on."</p>
        <ul class="list" hidden=move || rows().is_empty()>
            <For each=rows key=AgentName::clone let:agent>
                <HomeLine agent visitor away />
            </For>
        </ul>
        <details class="confirm add-more" hidden=move || others.with(Vec::is_empty)>
            <summary>"Give an agent this home…"</summary>
            <ActionForm action=changes.home attr:class="fields">
                <input type="hidden" name="team" value=id.to_string() />
                <ChooseAgent field="home-agent" problem="home-problem" agents=others />
                <ConfirmField visitor sending id="home-confirm" problem="home-problem" />
                <Submit sending label="Give it this home" problem="home-problem" primary=true />
            </ActionForm>
        </details>
        <NoAgents page />
    }
}

#[component]
fn HomeLine(
    agent: AgentName,
    visitor: Loaded<Visitor>,
    /// Called with the agent's name.
    away: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let set = ServerAction::<SetHome>::new();
    let sending = Sending::of(set);
    when_done(set, move |asked, ()| away(asked.agent));
    let AgentName { id, name } = agent;
    let problem = format!("home-problem-{id}");
    view! {
        <li class="list-row member-line">
            <span class="person-name">
                <bdi>{name.clone()}</bdi>
            </span>
            <details class="confirm">
                <summary>"Take away…"<span class="visually-hidden">" the home of " {name.clone()}</span></summary>
                <p>
                    "It asks everyone from now on: everybody who may answer sees that. What it has asked stays with this team. To give it another home, do that on the other team's page."
                </p>
                <ActionForm action=set attr:class="fields">
                    <input type="hidden" name="agent" value=name.clone() />
                    <ConfirmField
                        visitor
                        sending
                        id=format!("home-confirm-{id}")
                        problem=problem.clone()
                    />
                    <Submit sending label="Let it ask everyone" problem />
                </ActionForm>
            </details>
        </li>
    }
}

/// Such an agent may name the team in a request.
#[component]
pub(super) fn OpenAgents(page: Memo<OneTeam>, id: TeamId, changes: TeamChanges) -> impl IntoView {
    let rows = move || page.with(|page| page.row.askers.clone());
    let others = others(page, rows);
    let said = changes.of_agents;
    let closed = move |name| {
        said.set(format!("{name} may name this team no more."));
        changes.again.run(());
    };
    let sending = Sending::of(changes.open);
    view! {
        <h4 class="part-title">"May ask it by name"</h4>
        <p class="hint">"With another home, or none: they ask this team when they name it."</p>
        <ul class="list" hidden=move || rows().is_empty()>
            <For each=rows key=AgentName::clone let:agent>
                <OpenLine agent id closed />
            </For>
        </ul>
        <details class="confirm add-more" hidden=move || others.with(Vec::is_empty)>
            <summary>"Open it to an agent…"</summary>
            <ActionForm action=changes.open attr:class="fields">
                <input type="hidden" name="team" value=id.to_string() />
                <input type="hidden" name="open" value="true" />
                <ChooseAgent field="open-agent" problem="open-problem" agents=others />
                <Submit sending label="Let it ask" problem="open-problem" primary=true />
            </ActionForm>
        </details>
    }
}

#[component]
fn OpenLine(
    agent: AgentName,
    id: TeamId,
    /// Called with the agent's name.
    closed: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let set = ServerAction::<SetOpen>::new();
    let sending = Sending::of(set);
    when_done(set, move |asked, ()| closed(asked.agent));
    let AgentName { id: agent, name } = agent;
    let problem = format!("open-problem-{agent}");
    view! {
        <li class="list-row member-line">
            <span class="person-name">
                <bdi>{name.clone()}</bdi>
            </span>
            <ActionForm action=set>
                <input type="hidden" name="team" value=id.to_string() />
                <input type="hidden" name="agent" value=name.clone() />
                <input type="hidden" name="open" value="false" />
                <Submit sending label="Close" problem />
            </ActionForm>
        </li>
    }
}

/// The agents that are not in the list yet.
fn others(
    page: Memo<OneTeam>,
    rows: impl Fn() -> Vec<AgentName> + Send + Sync + 'static,
) -> Memo<Vec<TeamAgent>> {
    Memo::new(move |_| {
        let (mut agents, rows) = (page.get().agents, rows());
        agents.retain(|agent| rows.iter().all(|row| row.name != agent.name));
        agents
    })
}

#[component]
fn ChooseAgent(
    field: &'static str,
    /// The id of the element that says what is wrong.
    problem: &'static str,
    agents: Memo<Vec<TeamAgent>>,
) -> impl IntoView {
    view! {
        <div class="labelled">
            <label for=field>"Agent"</label>
            <select id=field class="field" name="agent" required aria-describedby=problem>
                <option value="">"Choose…"</option>
                <For each=move || agents.get() key=TeamAgent::clone let:agent>
                    <option value=agent.name.clone()>
                        {match &agent.home {
                            Some(home) => format!("{} (at home in {home})", agent.name),
                            None => agent.name.clone(),
                        }}
                    </option>
                </For>
            </select>
        </div>
    }
}

/// Where there are none, both lists would be empty without a reason.
#[component]
fn NoAgents(page: Memo<OneTeam>) -> impl IntoView {
    let none = move || page.with(|page| page.agents.is_empty());
    view! {
        <p class="hint" hidden=move || !none()>
            "There is no agent yet. "
            <a href="/settings/tokens">"Make a token for one"</a>
        </p>
    }
}
