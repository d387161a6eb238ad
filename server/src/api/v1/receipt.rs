//! `GET /interactions/{id}/receipt`: a decision, signed.

use axum::{
    Json,
    extract::{Path, State},
};
use domain::{Refused, interaction::Receipt};

use super::id;
use crate::{api::caller::Caller, problem::Problem, state::AppState};

/// The receipt, for whoever may read the interaction.
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Path(path): Path<String>,
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
