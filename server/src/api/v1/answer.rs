//! `POST /interactions/{id}/answer`: responders only.

use axum::{Json, extract::State};
use domain::interaction::AnswerDraft;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName, types::InteractionBody},
    problem::Problem,
    state::AppState,
};

/// A script answers.
pub(crate) async fn answer(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
    Body(draft): Body<AnswerDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    let interaction = state.service.answer(id(&path)?, draft, &caller).await?;
    Ok(Json(InteractionBody::new(
        interaction,
        &state.config.public_url(),
    )))
}
