//! `GET /events`: the journal, page by page, held, or as a stream.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::Fault;
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use crate::{
    api::{caller::Waiter, events_stream, page, prefer, query::Params, types::EventPage},
    live::hub::news,
    observe::Held,
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

/// Events after `after`; an agent sees its own. With `Prefer: wait` an empty page is held until there is
/// something to see; with `Accept: text/event-stream` they come one by one.
pub(crate) async fn list(
    State(state): State<AppState>,
    waiter: Waiter,
    headers: HeaderMap,
    Params(params): Params<EventParams>,
) -> Result<Response, Problem> {
    let limit = page::limit(params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    if params.after < 0 {
        let fault = Fault::new("after", "must not be negative");
        return Err(Problem::invalid(vec![fault]));
    }
    // Never beyond the end, as after a restored backup: whoever went on from there would miss what comes.
    let end = state.service.last_seq().await?;
    if wants_stream(&headers) {
        let after = last_event_id(&headers)?.unwrap_or(params.after);
        waiter.answered_at_once(&state)?;
        return events_stream::open(state, waiter, after.min(end));
    }
    let after = params.after.min(end);
    // Before reading: what is committed after this line is not missed.
    let mut feed = state.hub.feed();
    let read = || state.service.events(after, limit, &waiter.principal);
    let mut items = read().await?;
    let mut held = None;
    if !items.is_empty() {
        waiter.answered_at_once(&state)?;
    } else if let Some((place, wait)) = waiter.held(&state)? {
        let deadline = Instant::now() + wait;
        tokio::select! {
            _ = timeout_at(deadline, news(&mut feed, &waiter.principal, after)) => {}
            () = state.stopping.cancelled() => {}
        }
        drop(place);
        waiter.credential.check(&state).await?;
        items = read().await?;
        held = Some(Held);
    }
    let last_seq = items.last().map_or(after, |event| event.seq);
    let mut response = Json(EventPage { items, last_seq }).into_response();
    if let Some(held) = held {
        response.extensions_mut().insert(held);
    }
    if let Some(applied) = waiter.wait.and_then(prefer::applied) {
        response.headers_mut().insert(prefer::APPLIED, applied);
    }
    Ok(response)
}

fn wants_stream(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("text/event-stream"))
}

/// Where a client that lost its stream goes on.
fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let seq = HeaderValue::to_str(value)
        .ok()
        .and_then(|value| value.trim().parse().ok())
        .filter(|seq| *seq >= 0);
    seq.map(Some).ok_or_else(|| {
        let message = "must be the id of an event of this stream";
        Problem::invalid(vec![Fault::new("Last-Event-ID", message)])
    })
}
