//! `GET /ladder` and `GET /teams/{id}/ladder`: how silence climbs, for scripts.

use axum::{Json, extract::State};
use domain::{TeamId, TeamRef, ladder::Class};
use serde::Serialize;
use service::TeamLadder;
use utoipa::ToSchema;

use crate::{
    api::{caller::Caller, path::PathName},
    problem::Problem,
    resource::names,
    state::AppState,
};

/// How silence climbs: one rung a line, as they are written.
#[derive(Serialize, ToSchema)]
#[schema(as = Ladder)]
pub(crate) struct LadderBody {
    /// The team; `null` = everyone.
    team: Option<LadderTeam>,
    /// Whether it was set for this team, or for everyone; else it is that of everyone, or the default.
    own: bool,
    /// For urgent questions, such as `0 duty` or `half team x3`.
    urgent: Vec<String>,
    /// For questions that an agent has stopped for.
    sync: Vec<String>,
    /// For questions that can wait.
    r#async: Vec<String>,
}

#[derive(Serialize, ToSchema)]
struct LadderTeam {
    #[schema(value_type = Uuid)]
    id: TeamId,
    name: String,
}

impl From<TeamLadder> for LadderBody {
    fn from(ladder: TeamLadder) -> Self {
        Self {
            own: ladder.is_own,
            urgent: ladder.rungs(Class::Urgent),
            sync: ladder.rungs(Class::Sync),
            r#async: ladder.rungs(Class::Async),
            team: ladder
                .team
                .map(|TeamRef { id, name }| LadderTeam { id, name }),
        }
    }
}

/// Who is told when no answer comes, and when.
///
/// Of what belongs to no team, for responder tokens. Admins change it on the page and by `handraise team ladder`.
#[utoipa::path(
    get,
    path = "/api/v1/ladder",
    operation_id = "get_ladder",
    tag = "teams",
    security(("responder" = [])),
    responses((status = 200, description = "The ladder.", body = LadderBody)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
) -> Result<Json<LadderBody>, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    let ladder = state.service.team_ladder(None, &caller).await?;
    Ok(Json(ladder.into()))
}

/// Who of a team is told when no answer comes, and when.
///
/// For responder tokens of the team. For all others there is no such team.
#[utoipa::path(
    get,
    path = "/api/v1/teams/{id}/ladder",
    operation_id = "get_team_ladder",
    tag = "teams",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Line), Path, description = "The team, by its id or its name."),
    ),
    responses((status = 200, description = "The ladder.", body = LadderBody)),
)]
pub(crate) async fn of_team(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(team): PathName,
) -> Result<Json<LadderBody>, Problem> {
    let ladder = state.service.team_ladder(Some(&team), &caller).await?;
    Ok(Json(ladder.into()))
}
