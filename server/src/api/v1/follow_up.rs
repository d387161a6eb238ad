//! `POST /interactions/{id}/follow_up`: responders only.

use axum::{Json, extract::State};
use serde::Deserialize;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName, types::InteractionBody},
    problem::Problem,
    state::AppState,
};

/// What more there is to say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowUpDraft {
    text: String,
}

/// Adds to a closed question; its answer stays.
pub(crate) async fn follow_up(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
    Body(draft): Body<FollowUpDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    let interaction = state
        .service
        .follow_up(id(&path)?, draft.text, &caller)
        .await?;
    Ok(Json(InteractionBody::new(
        interaction,
        &state.config.public_url(),
    )))
}
