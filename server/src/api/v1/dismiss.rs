//! `POST /interactions/{id}/dismiss`: responders only.

use axum::{Json, extract::State};

use super::id;
use crate::{
    api::{caller::Caller, path::PathName},
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// Dismisses what nobody waits for any more.
///
/// Only while `agent_offline` is `true`. It ends as if it had been taken back, with `cancel_code` `agent_offline`: an
/// approval that is dismissed is not approved. Needs no body.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/dismiss",
    operation_id = "dismiss",
    tag = "interactions",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn dismiss(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<InteractionBody>, Problem> {
    let dismissed = state.service.dismiss(id(&path)?, &caller).await?;
    Ok(Json(InteractionBody::new(
        dismissed,
        &state.config.public_url(),
    )))
}
