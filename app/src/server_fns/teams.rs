//! Teams. An empty `team` or `move_to` of a form is none.

use std::collections::BTreeMap;

use domain::{PersonId, TeamId, team::Part};
use leptos::server;

use crate::{
    error::UiError,
    view::{OneTeam, OwnTeam, TeamList},
    wire::TreeJson,
};

/// The teams of the person who is signed in.
#[server(prefix = "/ui", endpoint = "load-own-teams", output = TreeJson)]
pub async fn load_own_teams() -> Result<Vec<OwnTeam>, UiError> {
    super::answered(super::backend()?.own_teams().await)
}

/// The teams.
#[server(prefix = "/ui", endpoint = "load-teams", output = TreeJson)]
pub async fn load_teams() -> Result<TeamList, UiError> {
    super::answered(super::backend()?.teams().await)
}

/// One team.
#[server(prefix = "/ui", endpoint = "load-team", output = TreeJson)]
pub async fn load_team(id: TeamId) -> Result<OneTeam, UiError> {
    super::answered(super::backend()?.team(id).await)
}

/// Makes a team and leads to it: it has no members yet.
#[server(prefix = "/ui", endpoint = "create-team", output = TreeJson)]
pub async fn create_team(name: String) -> Result<(), UiError> {
    let team = super::answered(super::backend()?.create_team(name).await)?;
    leptos_axum::redirect(&format!("/settings/teams/{team}"));
    Ok(())
}

/// Another name, channel or deadlines for a team.
#[server(prefix = "/ui", endpoint = "change-team", output = TreeJson)]
pub async fn change_team(
    id: TeamId,
    name: String,
    #[server(default)] slack_channel: String,
    #[server(default)] timeouts: BTreeMap<String, String>,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    use crate::view::TeamWish;

    let wish = TeamWish {
        name,
        slack_channel,
        timeouts: timeouts.into_iter().collect(),
    };
    super::answered(super::backend()?.change_team(id, wish, confirm).await)
}

/// A member, or another part for one.
#[server(prefix = "/ui", endpoint = "set-member", output = TreeJson)]
pub async fn set_member(
    team: TeamId,
    person: PersonId,
    part: Part,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    let backend = super::backend()?;
    super::answered(backend.set_member(team, person, part, confirm).await)
}

/// A member less.
#[server(prefix = "/ui", endpoint = "remove-member", output = TreeJson)]
pub async fn remove_member(team: TeamId, person: PersonId) -> Result<(), UiError> {
    super::answered(super::backend()?.remove_member(team, person).await)
}

/// A home for an agent; an empty `team` is everyone.
#[server(prefix = "/ui", endpoint = "set-home", output = TreeJson)]
pub async fn set_home(
    agent: String,
    #[server(default)] team: String,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    let backend = super::backend()?;
    super::answered(match chosen(&team) {
        Ok(team) => backend.set_home(agent, team, confirm).await,
        Err(error) => Err(error),
    })
}

/// Lets an agent ask a team by name, or no more.
#[server(prefix = "/ui", endpoint = "set-open", output = TreeJson)]
pub async fn set_open(team: TeamId, agent: String, open: bool) -> Result<(), UiError> {
    super::answered(super::backend()?.set_open(team, agent, open).await)
}

/// Deletes a team and leads back to the others.
#[server(prefix = "/ui", endpoint = "delete-team", output = TreeJson)]
pub async fn delete_team(
    id: TeamId,
    #[server(default)] move_to: String,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    let backend = super::backend()?;
    super::answered(match chosen(&move_to) {
        Ok(move_to) => backend.delete_team(id, move_to, confirm).await,
        Err(error) => Err(error),
    })?;
    leptos_axum::redirect("/settings/teams");
    Ok(())
}

/// The team that a list of teams says.
#[cfg(feature = "ssr")]
pub(super) fn chosen(team: &str) -> Result<Option<TeamId>, UiError> {
    match team.trim() {
        "" => Ok(None),
        id => id.parse().map(Some).map_err(|_| UiError::NotFound),
    }
}
