//! `/settings/teams/{id}`: one team, and what an admin may do about it.

use domain::TeamId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{
    components::{Failure, TeamChanges, TeamView, when_done},
    error::UiError,
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    respond_with_status,
    server_fns::load_team,
};

/// One team.
#[component]
pub(crate) fn TeamPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let visitor = visitor()?;
    let params = use_params_map();
    let id = Memo::new(move |_| {
        params.with(|params| params.get("id").and_then(|id| id.parse::<TeamId>().ok()))
    });
    let team = load::load(
        move || id.get(),
        async |id| match id {
            Some(id) => load_team(id).await,
            None => Err(UiError::NotFound),
        },
    );
    let changes = TeamChanges::new();
    when_done(changes.add, move |_, ()| {
        changes.of_members.set("Added to the team.".to_owned());
        team.refetch();
    });
    when_done(changes.home, move |asked, ()| {
        let agent = asked.agent;
        changes.of_agents.set(format!("{agent} is at home here."));
        team.refetch();
    });
    when_done(changes.open, move |asked, ()| {
        let agent = asked.agent;
        changes.of_agents.set(format!("{agent} may ask this team."));
        team.refetch();
    });
    when_done(changes.change, move |_, ()| team.refetch());
    // News of its own deletion overtakes the reply that leads away from here: the team would be missing for a moment.
    let leaving = move || {
        let delete = changes.delete;
        delete.pending().get_untracked()
            || delete
                .value()
                .with_untracked(|end| matches!(end, Some(Ok(_))))
    };
    reload_on_news(live, move || {
        if !leaving() {
            team.refetch();
        }
    });
    Some(view! {
        <p>
            <a class="way-up" href="/settings/teams">
                "All teams"
            </a>
        </p>
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match team.await {
                    Ok(page) => view! { <TeamView page team changes visitor /> }.into_any(),
                    Err(UiError::NotFound) => view! { <NoSuchTeam /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    })
}

#[component]
fn NoSuchTeam() -> impl IntoView {
    respond_with_status(404);
    view! { <p class="list-note">"There is no such team, or no longer."</p> }
}
