//! `POST /hooks`, `GET /hooks`, `DELETE /hooks/{id}` and `GET /hooks/sample`: webhook endpoints in the REST
//! Hooks convention, as Zapier uses it. For responder tokens.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    Audience, DestinationId, Endpoint, Principal, TeamId,
    delivery::{DisabledWhy, Filter, Format, Topic},
    fault::Faults,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use service::WishedEndpoint;
use store::EndpointRecord;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, caller::Caller, page, path::PathName, query::Params},
    delivery::sample,
    problem::Problem,
    resource::{event_parts, names, parts},
    state::AppState,
};

/// An endpoint that somebody wants to have.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookDraft {
    #[schema(value_type = names::TargetUrl, inline)]
    target_url: Option<String>,
    /// What to hear of; absent or empty = all.
    #[serde(default)]
    #[schema(value_type = Vec<names::Topic>)]
    events: Vec<String>,
    /// `standard` if absent.
    #[schema(value_type = Option<names::Format>)]
    format: Option<String>,
    /// What people call it; the host if absent.
    #[schema(value_type = Option<names::Line>, inline)]
    name: Option<String>,
    /// The names of the teams to hear of, beside what belongs to none; absent = those of the token.
    teams: Option<Vec<String>>,
}

/// An endpoint. Its secret is there only when it was made a moment ago.
#[derive(Serialize, ToSchema)]
#[schema(as = Hook)]
pub(crate) struct HookBody {
    #[schema(value_type = Uuid)]
    id: DestinationId,
    name: String,
    target_url: String,
    #[schema(value_type = Vec<names::Topic>)]
    events: Vec<Topic>,
    #[schema(value_type = names::Format)]
    format: Format,
    /// Whether it hears only of what an agent waits for.
    sync_only: bool,
    /// The teams that it hears of, beside what belongs to none.
    #[schema(value_type = Vec<Uuid>)]
    teams: Vec<TeamId>,
    created_at: DateTime<Utc>,
    disabled_at: Option<DateTime<Utc>>,
    #[schema(value_type = Option<names::DisabledWhy>)]
    disabled_why: Option<DisabledWhy>,
    failing_since: Option<DateTime<Utc>>,
    /// Only when it was made a moment ago.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    secret: Option<String>,
}

impl HookBody {
    fn new(endpoint: Endpoint) -> Self {
        let topics = endpoint.filter.topics;
        Self {
            id: endpoint.id,
            name: endpoint.name,
            target_url: endpoint.url,
            events: match topics.is_empty() {
                true => Topic::ALL.to_vec(),
                false => topics,
            },
            format: endpoint.format,
            sync_only: endpoint.filter.sync_only,
            teams: endpoint.filter.teams,
            created_at: endpoint.created_at,
            disabled_at: endpoint.disabled.map(|disabled| disabled.at),
            disabled_why: endpoint.disabled.map(|disabled| disabled.why),
            failing_since: None,
            secret: None,
        }
    }
}

impl From<EndpointRecord> for HookBody {
    fn from(record: EndpointRecord) -> Self {
        Self {
            failing_since: record.health.failing_since,
            ..Self::new(record.endpoint)
        }
    }
}

/// Subscribes.
///
/// In the REST Hooks convention: the answer has the id to unsubscribe by, and the secret.
#[utoipa::path(
    post,
    path = "/api/v1/hooks",
    operation_id = "create_hook",
    tag = "webhooks",
    security(("responder" = [])),
    request_body = HookDraft,
    responses((
        status = 201,
        description = "The webhook, with its secret, which is shown once.",
        body = HookBody,
        headers(("Location" = String, description = "What to delete to unsubscribe.")),
    )),
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(draft): Body<HookDraft>,
) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let url = faults.present("target_url", draft.target_url);
    let topics = topics(&mut faults, draft.events.iter().map(String::as_str));
    let format = format(&mut faults, draft.format.as_deref());
    let teams = match draft.teams {
        Some(names) => teams(&mut faults, &state, &caller, names).await?,
        None => own_teams(&caller),
    };
    let url = faults
        .into_result(url.unwrap_or_default())
        .map_err(Problem::invalid)?;
    let wished = WishedEndpoint {
        name: draft.name,
        url,
        filter: Filter {
            topics,
            sync_only: false,
            teams,
        },
        format,
    };
    let (endpoint, secret) = state.service.create_endpoint(wished, &caller).await?;
    let location = format!("/api/v1/hooks/{}", endpoint.id);
    let body = HookBody {
        secret: Some(secret.reveal()),
        ..HookBody::new(endpoint)
    };
    let mut response = (StatusCode::CREATED, Json(body)).into_response();
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Every webhook, oldest first.
#[utoipa::path(
    get,
    path = "/api/v1/hooks",
    operation_id = "list_hooks",
    tag = "webhooks",
    security(("responder" = [])),
    responses((status = 200, description = "All of them.", body = parts::HookPage)),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, Problem> {
    let endpoints = state.service.endpoints(&caller).await?;
    let mut written = page::Written::new();
    for endpoint in endpoints {
        written.push(&HookBody::from(endpoint))?;
    }
    Ok(page::ended(&uri, written, None))
}

/// Unsubscribes.
#[utoipa::path(
    delete,
    path = "/api/v1/hooks/{id}",
    operation_id = "delete_hook",
    tag = "webhooks",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The webhook."),
    ),
    responses((status = 204, description = "Nothing is sent there any more.")),
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<StatusCode, Problem> {
    let id = path.parse().map_err(|_| Problem::not_found())?;
    state.service.delete_endpoint(id, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a sample is wanted of.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SampleParams {
    /// With commas between them; absent = all.
    #[param(value_type = Option<Vec<names::Topic>>, style = Form, explode = false)]
    events: Option<String>,
    #[param(value_type = Option<names::Format>)]
    format: Option<String>,
}

/// What is posted.
///
/// One body for each event, in a bare array: that is what Zapier wants.
#[utoipa::path(
    get,
    path = "/api/v1/hooks/sample",
    operation_id = "sample_hook",
    tag = "webhooks",
    security(("responder" = [])),
    params(
        SampleParams,
    ),
    responses((status = 200, description = "One body for each event.", body = Vec<event_parts::WebhookBody>)),
)]
pub(crate) async fn sample(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Params(params): Params<SampleParams>,
) -> Result<Json<Vec<Box<RawValue>>>, Problem> {
    caller.outbound()?;
    let mut faults = Faults::default();
    let named = params.events.unwrap_or_default();
    let named = named.split(',').filter(|name| !name.is_empty());
    let mut topics = topics(&mut faults, named);
    let format = format(&mut faults, params.format.as_deref());
    faults.into_result(()).map_err(Problem::invalid)?;
    if topics.is_empty() {
        topics = Topic::ALL.to_vec();
    }
    let public_url = state.config.public_url();
    let bodies = topics.into_iter().filter_map(|topic| {
        let body = sample::news(topic)?.body(format, &public_url).ok()?;
        RawValue::from_string(String::from_utf8(body).ok()?).ok()
    });
    Ok(Json(bodies.collect()))
}

fn own_teams(caller: &Principal) -> Vec<TeamId> {
    match caller.audience() {
        Audience::Teams(teams) => teams,
        Audience::All | Audience::Agent(_) => Vec::new(),
    }
}

async fn teams(
    faults: &mut Faults,
    state: &AppState,
    caller: &Principal,
    names: Vec<String>,
) -> Result<Vec<TeamId>, Problem> {
    let mut teams = Vec::new();
    for (place, name) in names.iter().enumerate() {
        match state.service.seen_team(name, caller).await? {
            Some(team) => teams.push(team.id),
            None => faults.add(&format!("teams[{place}]"), "is no team of this token"),
        }
    }
    Ok(teams)
}

fn topics<'a>(faults: &mut Faults, names: impl Iterator<Item = &'a str>) -> Vec<Topic> {
    let mut topics = Vec::new();
    for (place, name) in names.enumerate() {
        match Topic::from_name(name) {
            Some(topic) if topics.contains(&topic) => {}
            Some(topic) => topics.push(topic),
            None => {
                let known = Topic::ALL.map(Topic::name).join(", ");
                faults.add(
                    &format!("events[{place}]"),
                    format!("must be one of {known}"),
                );
            }
        }
    }
    topics
}

fn format(faults: &mut Faults, name: Option<&str>) -> Format {
    match name.map(Format::from_name) {
        None => Format::default(),
        Some(Some(format)) => format,
        Some(None) => {
            let known = Format::ALL.map(Format::name).join(", ");
            faults.add("format", format!("must be one of {known}"));
            Format::default()
        }
    }
}
