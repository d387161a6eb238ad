//! `POST /interactions/{id}/cancel` and `POST /interactions/cancel`: by the agent that asked, or a responder.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName, types::InteractionBody},
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
    PathName(path): PathName,
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

/// Which session is over.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelSessionDraft {
    session_id: String,
    reason: Option<String>,
}

/// What was taken back.
#[derive(Serialize)]
pub(crate) struct Cancelled {
    items: Vec<InteractionBody>,
}

/// Takes back everything that is pending in a session; an agent its own.
pub(crate) async fn cancel_session(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(draft): Body<CancelSessionDraft>,
) -> Result<Json<Cancelled>, Problem> {
    let cancelled = state
        .service
        .cancel_session(&draft.session_id, draft.reason, &caller)
        .await?;
    let public_url = state.config.public_url();
    let items = cancelled
        .into_iter()
        .map(|one| InteractionBody::new(one, &public_url))
        .collect();
    Ok(Json(Cancelled { items }))
}
