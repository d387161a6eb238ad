//! `POST /interactions/{id}/consume`: the run that an approval was given for begins.

use axum::{Json, extract::State, http::HeaderMap};
use serde::Deserialize;
use utoipa::ToSchema;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, path::PathName},
    auth::bearer::still_holds,
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// Which run begins: `run` is the agent's own name for it, and another name is another run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConsumeDraft {
    #[schema(value_type = names::RunName, inline)]
    run: String,
}

/// Begins the run that was approved.
///
/// An approval is good for one run, so ask this right before running. The same run may ask again, for instance after
/// a reply was lost.
#[utoipa::path(
    post,
    path = "/api/v1/interactions/{id}/consume",
    operation_id = "consume",
    tag = "interactions",
    security(("agent" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    request_body = ConsumeDraft,
    responses((status = 200, description = "The interaction.", body = InteractionBody)),
)]
pub(crate) async fn consume(
    State(state): State<AppState>,
    caller: Caller,
    PathName(path): PathName,
    headers: HeaderMap,
    Body(draft): Body<ConsumeDraft>,
) -> Result<Json<InteractionBody>, Problem> {
    still_holds(&headers, &state).await?;
    let agent = caller.agent()?;
    let consumed = state.service.consume(id(&path)?, draft.run, &agent).await?;
    Ok(Json(InteractionBody::new(
        consumed,
        &state.config.public_url(),
    )))
}
