//! `POST` and `DELETE /interactions/{id}/claim`: responders only.

use axum::{Json, extract::State};
use domain::limits;
use serde::Deserialize;
use utoipa::ToSchema;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName},
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// For how long.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimDraft {
    /// In minutes.
    #[serde(default = "by_default")]
    #[schema(value_type = names::ClaimMinutes, inline)]
    minutes: i64,
}

fn by_default() -> i64 {
    limits::CLAIM_MINUTES
}

/// A script says that it is on it.
///
/// For some minutes, and never past the deadline; again, to go on. Others see who is on it, and may answer all the same.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/claim",
    operation_id = "claim",
    tag = "interactions",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    request_body = ClaimDraft,
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn claim(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
    Body(draft): Body<ClaimDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    let claimed = state.service.claim(id(&path)?, draft.minutes, &caller);
    Ok(Json(InteractionBody::new(
        claimed.await?,
        &state.config.public_url(),
    )))
}

/// Gives the claim up.
///
/// Without a claim nothing changes.
#[utoipa::path(
    delete,
    path = "/api/v1/interactions/{id}/claim",
    operation_id = "release",
    tag = "interactions",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn release(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<InteractionBody>, Problem> {
    let released = state.service.release(id(&path)?, &caller).await?;
    Ok(Json(InteractionBody::new(
        released,
        &state.config.public_url(),
    )))
}
