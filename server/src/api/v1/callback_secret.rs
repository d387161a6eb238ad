//! `GET /callback_secret`: what verifies the callbacks of the agent that asks.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, header},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{api::caller::Waiter, problem::Problem, state::AppState};

/// The secret of the token that came with the request.
#[derive(Serialize, ToSchema)]
#[schema(as = Secret)]
pub(crate) struct SecretBody {
    /// `whsec_` and base64, as Standard Webhooks writes it.
    secret: String,
}

/// What verifies the agent's callbacks.
///
/// For agents: nobody else is called back.
#[utoipa::path(
    get,
    path = "/api/v1/callback_secret",
    operation_id = "get_callback_secret",
    tag = "callbacks",
    security(("agent" = [])),
    responses((
        status = 200,
        description = "The secret of the token that came with the request.",
        body = SecretBody,
        headers(("Cache-Control" = String, description = "`no-store`.")),
    )),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    waiter: Waiter,
) -> Result<([(HeaderName, HeaderValue); 1], Json<SecretBody>), Problem> {
    waiter.answered_at_once(&state)?;
    let token = waiter.agent_token()?;
    let secret = state.service.callback_secret(token)?.reveal();
    let unkept = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(([unkept], Json(SecretBody { secret })))
}
