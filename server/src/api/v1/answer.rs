//! `POST /interactions/{id}/answer`: responders only.

use axum::{Json, extract::State, http::HeaderMap};
use domain::interaction::AnswerDraft;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, openapi::Answering, path::PathName},
    auth::bearer::still_holds,
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// A script answers.
///
/// The first answer wins: the others get 409, and their text is kept. A form takes any subset of its answers at
/// a time, and is closed when all are there. Empty text is an answer.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/answer",
    operation_id = "answer",
    tag = "interactions",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    request_body = Answering,
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn answer(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
    headers: HeaderMap,
    Body(draft): Body<AnswerDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    still_holds(&headers, &state).await?;
    let interaction = state.service.answer(id(&path)?, draft, &caller).await?;
    Ok(Json(InteractionBody::new(
        interaction,
        &state.config.public_url(),
    )))
}
