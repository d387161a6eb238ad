//! `POST /interactions/{id}/cancel` and `POST /interactions/cancel`: by the agent that asked, or a responder.

use axum::{Json, extract::State};
use domain::Interaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName},
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// Why it is no longer needed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelDraft {
    #[schema(value_type = Option<names::Line>, inline)]
    reason: Option<String>,
}

/// Takes a question back.
///
/// The agent that asked it may, and a responder token.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/cancel",
    operation_id = "cancel",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    request_body = CancelDraft,
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
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
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelSessionDraft {
    #[schema(value_type = names::SessionName, inline)]
    session_id: String,
    #[schema(value_type = Option<names::Line>, inline)]
    reason: Option<String>,
}

/// What was taken back.
#[derive(Serialize, ToSchema)]
pub(crate) struct Cancelled {
    items: Vec<InteractionBody>,
}

impl Cancelled {
    pub(super) fn new(cancelled: Vec<Interaction>, public_url: &str) -> Self {
        let items = cancelled.into_iter();
        let items = items.map(|one| InteractionBody::new(one, public_url));
        Self {
            items: items.collect(),
        }
    }
}

/// Takes back everything that is pending in a session.
///
/// An agent its own, a responder token everybody's. What somebody closed meanwhile is left out.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/cancel",
    operation_id = "cancel_session",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    request_body = CancelSessionDraft,
    responses((status = 200, description = "What was taken back.", body = Cancelled)),
)]
pub(crate) async fn cancel_session(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(draft): Body<CancelSessionDraft>,
) -> Result<Json<Cancelled>, Problem> {
    let cancelled = state
        .service
        .cancel_session(&draft.session_id, draft.reason, &caller)
        .await?;
    Ok(Json(Cancelled::new(cancelled, &state.config.public_url())))
}
