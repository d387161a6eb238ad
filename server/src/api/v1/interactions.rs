//! `POST /interactions` and `GET /interactions`.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    InteractionId,
    fault::Faults,
    interaction::{Draft, Kind, Mode},
    limits,
};
use serde::Deserialize;
use store::InteractionQuery;

use crate::{
    api::{body::Body, caller::Caller, page, query::Params, types::InteractionBody},
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
    kind: Option<String>,
    mode: Option<String>,
    agent: Option<String>,
    session_id: Option<String>,
    task_id: Option<String>,
    q: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

impl ListParams {
    fn check(&self) -> Result<(), Problem> {
        page::one_of("state", self.state.as_deref(), &STATES)?;
        page::one_of("kind", self.kind.as_deref(), &Kind::ALL.map(Kind::name))?;
        page::one_of("mode", self.mode.as_deref(), &Mode::ALL.map(Mode::name))?;
        let mut faults = Faults::default();
        for (path, text) in [
            ("agent", &self.agent),
            ("session_id", &self.session_id),
            ("task_id", &self.task_id),
            ("q", &self.q),
        ] {
            faults.line(path, text.clone(), limits::LINE_CHARS);
        }
        faults.into_result(()).map_err(Problem::invalid)
    }
}

/// Interactions, newest first; an agent sees its own.
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
    Params(params): Params<ListParams>,
) -> Result<Response, Problem> {
    params.check()?;
    let limit = page::limit(params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let before = params
        .cursor
        .map(|cursor| cursor.parse::<InteractionId>())
        .transpose()
        .map_err(|_| page::bad_cursor())?;
    let Some(agent) = state.service.narrowed(params.agent, &caller).await? else {
        return Ok(page::respond::<InteractionBody>(&uri, Vec::new(), None));
    };
    let query = InteractionQuery {
        agent: agent.into(),
        state: params.state,
        kind: params.kind.as_deref().and_then(Kind::from_name),
        mode: params.mode.as_deref().and_then(Mode::from_name),
        session_id: params.session_id,
        task_id: params.task_id,
        search: params.q,
        before,
        limit: limit + 1,
    };
    let mut found = state.service.interactions(&query).await?;
    let next = page::cut(&mut found, limit, |last| last.id.to_string());
    let public_url = state.config.public_url();
    let items = found
        .into_iter()
        .map(|one| InteractionBody::new(one, &public_url))
        .collect();
    Ok(page::respond(&uri, items, next))
}
