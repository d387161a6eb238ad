//! `GET /events`: the journal, page by page.

use axum::{Json, extract::State};
use serde::Deserialize;

use super::interactions::limit;
use crate::{
    api::{caller::Caller, query::Params, types::EventPage},
    problem::Problem,
    state::AppState,
};

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1_000;

/// Where to go on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventParams {
    #[serde(default)]
    after: i64,
    limit: Option<u32>,
}

/// Events after `after`; an agent sees its own.
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Params(params): Params<EventParams>,
) -> Result<Json<EventPage>, Problem> {
    let limit = limit(params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let items = state.service.events(params.after, limit, &caller).await?;
    let last_seq = items.last().map_or(params.after, |event| event.seq);
    Ok(Json(EventPage { items, last_seq }))
}
