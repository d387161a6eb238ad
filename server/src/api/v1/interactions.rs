//! `POST /interactions` and `GET /interactions`.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    InteractionId, Principal,
    fault::Faults,
    interaction::{Draft, Kind, Mode},
    limits,
};
use serde::Deserialize;
use service::Asked;
use store::InteractionQuery;

use crate::{
    api::{body::Body, caller::Caller, openapi::Ask, page, query::Params},
    problem::Problem,
    resource::{InteractionBody, STATES, names, parts},
    state::AppState,
    traceparent,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// An agent asks.
///
/// With an `Idempotency-Key` it may ask again after a lost reply, and gets the interaction that is there.
#[utoipa::path(
    post,
    path = "/api/v1/interactions",
    operation_id = "ask",
    tag = "interactions",
    security(("agent" = [])),
    params(
        ("Idempotency-Key" = inline(Option<names::IdempotencyKey>), Header, description = "The agent's own name of this request: sending the same again under it asks nothing new."),
        ("traceparent" = Option<String>, Header, description = "The place in the agent's trace at which it asks (W3C Trace Context). One that is not as that says is ignored."),
    ),
    request_body = Ask,
    responses((
        status = 201,
        description = "The interaction, new or as it is by now.",
        body = InteractionBody,
        headers(
            ("Location" = String, description = "Where to look for the answer."),
            ("Idempotent-Replayed" = String, description = "`true` when it was there already, under the same key."),
        ),
    )),
)]
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
    } = state
        .service
        .ask(caller.agent()?, draft, key, traceparent::of(&headers))
        .await?;
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
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    #[param(value_type = Option<names::State>)]
    state: Option<String>,
    #[param(value_type = Option<names::Kind>)]
    kind: Option<String>,
    #[param(value_type = Option<names::Mode>)]
    mode: Option<String>,
    /// The name of an agent.
    #[param(value_type = Option<names::Line>)]
    agent: Option<String>,
    #[param(value_type = Option<names::Line>)]
    session_id: Option<String>,
    #[param(value_type = Option<names::Line>)]
    task_id: Option<String>,
    /// Words by their beginnings, all of them in one text: a question, its answer or a follow-up.
    #[param(value_type = Option<names::Line>)]
    q: Option<String>,
    /// 50 if absent.
    #[param(value_type = Option<names::PageSize>)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
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

/// Interactions, newest first.
///
/// An agent sees its own, a responder token what belongs to its teams and to none.
#[utoipa::path(
    get,
    path = "/api/v1/interactions",
    operation_id = "list_interactions",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        ListParams,
    ),
    responses((
        status = 200,
        description = "A page.",
        body = parts::InteractionPage,
        headers(("Link" = String, description = "`rel=\"next\"`: the address of the next page.")),
    )),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
    Params(params): Params<ListParams>,
) -> Result<Response, Problem> {
    params.check()?;
    let limit = page::limit(params.limit, page::DEFAULT_LIMIT, limits::PAGE_ITEMS)?;
    let before = params
        .cursor
        .map(|cursor| cursor.parse::<InteractionId>())
        .transpose()
        .map_err(|_| page::bad_cursor())?;
    let Some(agent) = state.service.narrowed(params.agent, &caller).await? else {
        return Ok(page::nothing(&uri));
    };
    let query = InteractionQuery {
        audience: caller.audience(),
        team: None,
        agent: agent.into(),
        state: params.state,
        kind: params.kind.as_deref().and_then(Kind::from_name),
        mode: params.mode.as_deref().and_then(Mode::from_name),
        session_id: params.session_id,
        task_id: params.task_id,
        search: params.q,
        before,
        limit,
    };
    let (found, next) = state.service.interactions(&query).await?.into_parts();
    let public_url = state.config.public_url();
    let service = state.service.clone();
    let by_agent = matches!(caller, Principal::Agent(_));
    let items = found.map(move |one| {
        if by_agent && one.state.is_pending() {
            service.note_asked_after(one.id);
        }
        (one.id.to_string(), InteractionBody::new(one, &public_url))
    });
    page::respond(&uri, items, next.map(|id| id.to_string()))
}
