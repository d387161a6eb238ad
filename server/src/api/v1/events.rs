//! `GET /events`: the journal, page by page, held, or as a stream.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use domain::{Fault, limits};
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use crate::{
    api::{caller::Waiter, events_stream, page, prefer, query::Params},
    hub::news,
    observe::Held,
    problem::Problem,
    resource::{EventBody, event_parts, names, parts},
    state::AppState,
};

const DEFAULT_LIMIT: u32 = 100;

/// Where to go on.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventParams {
    /// The `seq` of the last event seen; 0 if absent.
    #[serde(default)]
    #[param(value_type = Option<names::Seq>)]
    after: i64,
    /// 100 if absent.
    #[param(value_type = Option<names::EventPageSize>)]
    limit: Option<u32>,
}

/// Events in the order of commits.
///
/// An agent sees its own, a responder token what belongs to its teams and to none. With `Prefer: wait` an empty page is held until there is
/// something to see; with `Accept: text/event-stream` they come one by one.
#[utoipa::path(
    get,
    path = "/api/v1/events",
    operation_id = "list_events",
    tag = "events",
    security(("agent" = []), ("responder" = [])),
    params(
        EventParams,
        ("Prefer" = Option<String>, Header, description = "`wait=N`: an empty page is held until there is something to see, for up to N seconds, 60 at most."),
        ("Last-Event-ID" = inline(Option<names::Seq>), Header, description = "Of a stream: the last event seen; comes before `after`."),
    ),
    responses((
        status = 200,
        description = "A page of 1 MB at most, or of one event: `last_seq` is the `after` of the next; with `Accept: text/event-stream` a stream of them, each with its `seq` as `id`, its `type` as `event`, and itself as `data`.",
        content((event_parts::EventPage = "application/json"), (parts::EventStream = "text/event-stream")),
        headers(("Preference-Applied" = String, description = "`wait=N`, as it was understood.")),
    )),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    waiter: Waiter,
    headers: HeaderMap,
    Params(params): Params<EventParams>,
) -> Result<Response, Problem> {
    let limit = page::limit(params.limit, DEFAULT_LIMIT, limits::EVENT_PAGE_ITEMS)?;
    if params.after < 0 {
        let fault = Fault::new("after", "must not be negative");
        return Err(Problem::invalid(vec![fault]));
    }
    let seen = last_event_id(&headers)?;
    // Never beyond the end, as after a restored backup: whoever went on from there would miss what comes.
    let end = state.service.last_seq().await?;
    if wants_stream(&headers) {
        let after = seen.unwrap_or(params.after);
        waiter.answered_at_once(&state)?;
        return events_stream::open(state, waiter, after.min(end));
    }
    let after = params.after.min(end);
    // Before reading: what is committed after this line is not missed.
    let mut feed = state.hub.feed();
    // What is held keeps the room of all that it once did, unless that is elsewhere.
    let read = || Box::pin(state.service.events(after, limit, &waiter.principal));
    let mut found = read().await?;
    let mut held = None;
    if found.up_to > after {
        waiter.answered_at_once(&state)?;
    } else if let Some((place, wait)) = waiter.held(&state)? {
        let deadline = Instant::now() + wait;
        tokio::select! {
            _ = timeout_at(deadline, news(&mut feed, &waiter.principal, after)) => {}
            () = state.stopping.cancelled() => {}
        }
        drop(place);
        Box::pin(waiter.credential.check(&state)).await?;
        found = read().await?;
        held = Some(Held);
    }
    let mut last_seq = after;
    let mut written = page::Written::new();
    let whole = found.up_to;
    let mut events = found.into_iter();
    while written.has_room() {
        let Some(event) = events.next() else {
            // What cannot be read is left behind, too.
            last_seq = whole;
            break;
        };
        written.push(&EventBody::new(&event))?;
        last_seq = event.seq;
    }
    let mut response = written.with("last_seq", &last_seq.into());
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
