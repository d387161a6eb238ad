//! `POST /interactions/{id}/report`: what came of it.

use axum::{Json, extract::State};
use domain::interaction::ReportDraft;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, openapi::Reporting, path::PathName},
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// Says what came of the answer.
///
/// Once: the same again changes nothing. People see it with the question.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/report",
    operation_id = "report",
    tag = "interactions",
    security(("agent" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    request_body = Reporting,
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn report(
    State(state): State<AppState>,
    caller: Caller,
    PathName(path): PathName,
    Body(said): Body<ReportDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    let agent = caller.agent()?;
    let reported = state.service.report(id(&path)?, said, &agent).await?;
    Ok(Json(InteractionBody::new(
        reported,
        &state.config.public_url(),
    )))
}
