//! `POST /interactions/{id}/collect`: the agent has the answer.

use axum::{Json, extract::State};

use super::id;
use crate::{
    api::{caller::Caller, path::PathName},
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// Notes that the agent went on.
///
/// Needs no body; again changes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/collect",
    operation_id = "collect",
    tag = "interactions",
    security(("agent" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn collect(
    State(state): State<AppState>,
    caller: Caller,
    PathName(path): PathName,
) -> Result<Json<InteractionBody>, Problem> {
    let agent = caller.agent()?;
    let interaction = state.service.collect(id(&path)?, &agent).await?;
    Ok(Json(InteractionBody::new(
        interaction,
        &state.config.public_url(),
    )))
}
