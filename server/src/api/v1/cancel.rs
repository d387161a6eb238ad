//! `POST /interactions/{id}/cancel`: by the agent that asked, or a responder.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, types::InteractionBody},
    problem::Problem,
    state::AppState,
};

/// Why it is no longer needed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelDraft {
    reason: Option<String>,
}

/// Takes a question back.
pub(crate) async fn cancel(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Path(path): Path<String>,
    Body(draft): Body<CancelDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    let interaction = state
        .service
        .cancel(id(&path)?, draft.reason, &caller)
        .await?;
    Ok(Json(InteractionBody::new(
        interaction,
        &state.config.public_url(),
    )))
}
