//! `/settings/teams`: who answers for which agents, and making more.

use leptos::prelude::*;

use crate::{
    components::{CreateTeamForm, Failure, ForAdmins, LadderOf, PoliciesLink, TeamRows},
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    server_fns::{CreateTeam, load_teams},
};

/// The teams.
#[component]
pub(crate) fn TeamsPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let teams = load::load(|| (), |()| load_teams());
    let create = ServerAction::<CreateTeam>::new();
    reload_on_news(live, move || teams.refetch());
    Some(view! {
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || teams.get().and_then(Result::err).map(|error| view! { <Failure error /> })}
            <TeamRows teams />
        </Transition>
        <ForAdmins visitor=visitor()?>
            <CreateTeamForm create />
            <LadderOf team=None />
            <PoliciesLink />
        </ForAdmins>
    })
}
