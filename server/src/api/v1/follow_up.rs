//! `POST /interactions/{id}/follow_up`: responders only.

use axum::{Json, extract::State};
use serde::Deserialize;
use utoipa::ToSchema;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName},
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// What more there is to say.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowUpDraft {
    #[schema(value_type = names::VisibleText, inline)]
    text: String,
}

/// Says more about a closed question.
///
/// Its answer stays.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/follow_up",
    operation_id = "follow_up",
    tag = "interactions",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    request_body = FollowUpDraft,
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
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
