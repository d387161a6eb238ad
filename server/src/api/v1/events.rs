//! `GET /events`: the journal, page by page.

use axum::{Json, extract::State};
use domain::Fault;
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
    if params.after < 0 {
        let fault = Fault::new("after", "must not be negative");
        return Err(Problem::invalid(vec![fault]));
    }
    let items = state.service.events(params.after, limit, &caller).await?;
    let last_seq = match items.last() {
        Some(event) => event.seq,
        // Never beyond the end: whoever went on from there would miss what comes.
        None => params.after.min(state.service.last_seq().await?),
    };
    Ok(Json(EventPage { items, last_seq }))
}
