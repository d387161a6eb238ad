//! `GET /interactions/{id}/receipt`: a decision, signed.

use axum::{Json, extract::State};
use domain::{Refused, interaction::Receipt};

use super::id;
use crate::{
    api::{caller::Caller, path::PathName},
    problem::Problem,
    resource::{names, parts},
    state::AppState,
};

/// A decision, signed.
///
/// Of a decided approval or plan review, for whoever may read the interaction.
#[utoipa::path(
    get,
    path = "/api/v1/interactions/{id}/receipt",
    operation_id = "get_receipt",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    responses((status = 200, description = "The receipt.", body = parts::Receipt)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<Receipt>, Problem> {
    let interaction = state.service.interaction(id(&path)?, &caller).await?;
    match interaction.receipt() {
        Some(receipt) => Ok(Json(receipt.clone())),
        None if interaction.asks_for_a_decision() && interaction.state.is_pending() => {
            Err(Refused::StillPending.into())
        }
        None => Err(Problem::no_receipt()),
    }
}
