//! `POST /interactions` and `GET /interactions`.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Fault, InteractionId, fault::Faults, interaction::Draft, limits};
use serde::Deserialize;
use store::InteractionQuery;

use crate::{
    api::{
        body::Body,
        caller::Caller,
        query::Params,
        types::{InteractionBody, InteractionPage},
    },
    problem::Problem,
    service::Asked,
    state::AppState,
};

const STATES: [&str; 4] = ["pending", "resolved", "expired", "cancelled"];
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// An agent asks: 201 and where to look for the answer. With an `Idempotency-Key` it may ask again
/// after a lost reply, and gets the interaction that is there.
pub(crate) async fn create(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Body(draft): Body<Draft>,
) -> Result<Response, Problem> {
    // What is no text is no visible ASCII either, which is a fault of the key.
    let key = headers
        .get(IDEMPOTENCY_KEY)
        .map(|key| key.to_str().unwrap_or_default());
    let Asked {
        interaction,
        replayed,
    } = state.service.ask(caller.agent()?, draft, key).await?;
    let location = format!("/api/v1/interactions/{}", interaction.id);
    let body = InteractionBody::new(interaction, &state.config.public_url());
    let mut response = (StatusCode::CREATED, Json(body)).into_response();
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    if replayed {
        response
            .headers_mut()
            .insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// What a list may be narrowed to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    state: Option<String>,
    session_id: Option<String>,
    limit: Option<u32>,
    cursor: Option<InteractionId>,
}

/// Interactions, newest first; an agent sees its own.
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Params(params): Params<ListParams>,
) -> Result<Json<InteractionPage>, Problem> {
    if let Some(name) = &params.state
        && !STATES.contains(&name.as_str())
    {
        let message = format!("must be one of {}", STATES.join(", "));
        return Err(Problem::invalid(vec![Fault::new("state", message)]));
    }
    let limit = limit(params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let mut faults = Faults::default();
    let session_id = faults.line("session_id", params.session_id, limits::SESSION_ID_CHARS);
    let session_id = faults.into_result(session_id).map_err(Problem::invalid)?;
    let query = InteractionQuery {
        agent: None,
        state: params.state,
        session_id,
        before: params.cursor,
        // One more than asked for tells whether there is a next page.
        limit: limit + 1,
    };
    let mut found = state.service.interactions(query, &caller.0).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next_cursor = found.last().filter(|_| more).map(|last| last.id);
    let public_url = state.config.public_url();
    Ok(Json(InteractionPage {
        items: found
            .into_iter()
            .map(|one| InteractionBody::new(one, &public_url))
            .collect(),
        next_cursor,
    }))
}

/// A page size within bounds.
pub(super) fn limit(asked: Option<u32>, default: u32, max: u32) -> Result<u32, Problem> {
    let limit = asked.unwrap_or(default);
    if (1..=max).contains(&limit) {
        Ok(limit)
    } else {
        let message = format!("must be from 1 to {max}");
        Err(Problem::invalid(vec![Fault::new("limit", message)]))
    }
}
