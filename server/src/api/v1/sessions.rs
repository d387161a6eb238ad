//! `POST /sessions/end`: an agent's session is over.

use axum::{Json, extract::State};
use serde::Deserialize;
use utoipa::ToSchema;

use super::cancel::Cancelled;
use crate::{
    api::{body::Body, caller::Caller},
    problem::Problem,
    resource::names,
    state::AppState,
};

/// Which session is over.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndSessionDraft {
    #[schema(value_type = names::SessionName, inline)]
    session_id: String,
}

/// Ends a session.
///
/// Takes back what this agent asked in it with `withdraw_on_disconnect`, with `cancel_code` `session_ended`, and nothing
/// else. Again changes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/end",
    operation_id = "end_session",
    tag = "interactions",
    security(("agent" = [])),
    request_body = EndSessionDraft,
    responses((status = 200, description = "What was taken back.", body = Cancelled)),
)]
pub(crate) async fn end(
    State(state): State<AppState>,
    caller: Caller,
    Body(draft): Body<EndSessionDraft>,
) -> Result<Json<Cancelled>, Problem> {
    let agent = caller.agent()?;
    let ended = state
        .service
        .end_agent_session(&draft.session_id, &agent)
        .await?;
    Ok(Json(Cancelled::new(ended, &state.config.public_url())))
}
