//! The teams that a webhook hears of.

use leptos::prelude::*;

use super::{submit::Submit, team_ticks::TeamTicks};
use crate::{
    components::controls::Sending,
    server_fns::SetWebhookTeams,
    view::{TeamName, WebhookRow},
};

/// Other teams for a webhook. Nothing where there are none.
#[component]
pub(super) fn WebhookTeamsForm(
    row: WebhookRow,
    teams: Vec<TeamName>,
    set: ServerAction<SetWebhookTeams>,
) -> impl IntoView {
    let sending = Sending::of(set);
    let chosen = row.teams.into_iter().map(|team| team.id).collect();
    (!teams.is_empty()).then(|| {
        view! {
            <section aria-labelledby="webhook-teams-title">
                <h3 id="webhook-teams-title" class="section-title">
                    "Teams"
                </h3>
                <p class="hint">
                    "It hears of what belongs to no team, and of these teams from the moment on that they are ticked."
                </p>
                <ActionForm action=set attr:class="fields wide">
                    <input type="hidden" name="id" value=row.id.to_string() />
                    <TeamTicks legend="It also hears of" teams chosen />
                    <Submit sending label="Save" problem="webhook-teams-problem" done="Saved." />
                </ActionForm>
            </section>
        }
    })
}
