//! `GET /interactions/{id}`: polled, or held until there is an answer.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Interaction, InteractionId, Principal};
use tokio::time::{Instant, timeout_at};

use super::id;
use crate::{
    api::{caller::Waiter, path::PathName, prefer},
    observe::Held,
    problem::Problem,
    resource::{InteractionBody, names},
    state::AppState,
};

/// What an agent that polls should wait between two requests, in seconds.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("10");

/// Polls an interaction.
///
/// With `Prefer: wait` it is held until it is closed or the wait is over. When the server stops, everybody gets
/// the interaction as it is.
#[utoipa::path(
    get,
    path = "/api/v1/interactions/{id}",
    operation_id = "get_interaction",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
        ("Prefer" = Option<String>, Header, description = "`wait=N`: the answer is held until the interaction is closed, for up to N seconds, 60 at most."),
        ("If-None-Match" = Option<String>, Header, description = "The last `ETag`: 304 if nothing has changed."),
    ),
    responses(
        (
            status = 200,
            description = "The interaction.",
            body = InteractionBody,
            headers(
                ("ETag" = String, description = "Names this version."),
                ("Retry-After" = inline(names::Seq), description = "While it is pending: when to ask again, in seconds."),
                ("Preference-Applied" = String, description = "`wait=N`, as it was understood."),
            ),
        ),
        (
            status = 304,
            description = "Nothing has changed.",
            headers(
                ("ETag" = String, description = "Names this version."),
                ("Retry-After" = inline(names::Seq), description = "While it is pending: when to ask again, in seconds."),
                ("Preference-Applied" = String, description = "`wait=N`, as it was understood."),
            ),
        ),
    ),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    waiter: Waiter,
    PathName(path): PathName,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = id(&path)?;
    let known = known_tags(&headers);
    // They keep the buffer they were read into, for as long as the agent waits.
    drop(headers);
    // Before reading: what closes it after this line is not missed.
    let mut closing = state.hub.closing(id);
    // What is held keeps the room of all that it once did, unless that is elsewhere.
    let read = || Box::pin(boxed(&state, &waiter, id));
    let mut interaction = read().await?;
    let mut held = None;
    if !interaction.state.is_pending() {
        waiter.answered_at_once(&state)?;
    } else if let Some((place, wait)) = waiter.held(&state)? {
        drop(interaction);
        let deadline = Instant::now() + wait;
        tokio::select! {
            _ = timeout_at(deadline, closing.closed()) => {}
            () = state.stopping.cancelled() => {}
        }
        drop(place);
        Box::pin(waiter.credential.check(&state)).await?;
        interaction = read().await?;
        held = Some(Held);
    }
    let mut response = Box::pin(reply(&state, &waiter, *interaction, &known)).await?;
    if let Some(held) = held {
        response.extensions_mut().insert(held);
    }
    Ok(response)
}

async fn boxed(
    state: &AppState,
    waiter: &Waiter,
    id: InteractionId,
) -> Result<Box<Interaction>, Problem> {
    let interaction = state.service.interaction(id, &waiter.principal).await?;
    Ok(Box::new(interaction))
}

async fn reply(
    state: &AppState,
    waiter: &Waiter,
    interaction: Interaction,
    known: &[String],
) -> Result<Response, Problem> {
    let pending = interaction.state.is_pending();
    let tag = entity_tag(&interaction);
    let mut response = if known.iter().any(|known| *known == tag || known == "*") {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        // An agent is there: it asks.
        let presence = match &waiter.principal {
            Principal::Agent(_) => None,
            _ => state.service.agent_presence(&interaction).await?,
        };
        let body = InteractionBody::new(interaction, &state.config.public_url());
        Json(body.with_presence(presence)).into_response()
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    if pending {
        headers.insert(header::RETRY_AFTER, RETRY_AFTER);
    }
    if let Some(applied) = waiter.wait.and_then(prefer::applied) {
        headers.insert(prefer::APPLIED, applied);
    }
    Ok(response)
}

fn entity_tag(interaction: &Interaction) -> String {
    format!("\"{}\"", interaction.version)
}

/// What the caller has already.
fn known_tags(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|known| known.trim().trim_start_matches("W/").to_owned())
        .collect()
}
