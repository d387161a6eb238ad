//! `POST /interactions/{id}/collect`: the agent has the answer.

use axum::{Json, extract::State};

use super::id;
use crate::{
    api::{caller::Caller, path::PathName, types::InteractionBody},
    problem::Problem,
    state::AppState,
};

/// Notes that the agent went on. Needs no body; again changes nothing.
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
