//! `PUT /tasks/{id}`, `GET /tasks/{id}` and `GET /tasks`.

use axum::{
    Json,
    extract::{OriginalUri, State},
    response::Response,
};
use chrono::{DateTime, Utc};
use domain::{
    AgentId, AgentRef, Fault, InteractionId, Principal,
    fault::is_name,
    interaction::{Kind, Mode},
    limits,
    task::{TaskDraft, TaskStatus, Work},
};
use serde::{Deserialize, Serialize};
use store::{TaskPlace, TaskQuery};

use crate::{
    api::{body::Body, caller::Caller, page, path::PathName, query::Params, types::dashboard_url},
    problem::Problem,
    state::AppState,
};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

/// A task with the questions it waits for.
#[derive(Serialize)]
pub(crate) struct TaskBody {
    id: String,
    agent: AgentRef,
    version: i64,
    title: Option<String>,
    description: Option<String>,
    step: Option<String>,
    status: &'static str,
    reason: Option<String>,
    waiting_on: Vec<WaitingBody>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// A pending blocker of a task.
#[derive(Serialize)]
struct WaitingBody {
    id: InteractionId,
    kind: Kind,
    mode: Mode,
    title: Option<String>,
    prompt: String,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    dashboard_url: String,
}

impl TaskBody {
    fn new(work: Work, public_url: &str) -> Self {
        let task = work.task;
        let waiting_on = work.pending.into_iter().map(|one| WaitingBody {
            id: one.id,
            kind: one.request.kind(),
            mode: one.request.mode,
            title: one.request.title,
            prompt: one.request.prompt,
            created_at: one.created_at,
            expires_at: one.expires_at,
            dashboard_url: dashboard_url(public_url, one.id),
        });
        Self {
            waiting_on: waiting_on.collect(),
            id: task.id,
            agent: task.agent,
            version: task.version,
            title: task.title,
            description: task.description,
            step: task.step,
            status: task.status.name(),
            reason: task.status.reason().map(str::to_owned),
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}

/// Registers a task or says how it goes. What is absent stays as it is.
pub(crate) async fn put(
    State(state): State<AppState>,
    caller: Caller,
    PathName(id): PathName,
    Body(draft): Body<TaskDraft>,
) -> Result<Json<TaskBody>, Problem> {
    let agent = caller.agent()?;
    let work = state.service.put_task(&id, draft, &agent).await?;
    Ok(Json(TaskBody::new(work, &state.config.public_url())))
}

/// Whose task; two agents may use the same id.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetParams {
    agent: Option<String>,
}

/// One task: an agent's own, or with `agent` that of the agent of this name.
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(id): PathName,
    Params(params): Params<GetParams>,
) -> Result<Json<TaskBody>, Problem> {
    let agent = match (&caller, params.agent) {
        (Principal::Agent(own), None) => Some(own.id),
        (Principal::Agent(own), Some(name)) => Some(own.id).filter(|_| own.name == name),
        (_, Some(name)) => state.service.agent_named(&name).await?,
        (_, None) => {
            let fault = Fault::new("agent", "is required: two agents may use the same task id");
            return Err(Problem::invalid(vec![fault]));
        }
    };
    let agent = agent.ok_or_else(Problem::not_found)?;
    let work = state.service.work(agent, &id).await?;
    Ok(Json(TaskBody::new(work, &state.config.public_url())))
}

/// What the list may be narrowed to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    agent: Option<String>,
    status: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Tasks, last changed first; an agent sees its own.
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
    Params(params): Params<ListParams>,
) -> Result<Response, Problem> {
    page::one_of("status", params.status.as_deref(), &TaskStatus::NAMES)?;
    let limit = page::limit(params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let after = match params.cursor.as_deref().map(place) {
        Some(None) => return Err(page::bad_cursor()),
        after => after.flatten(),
    };
    let Some(agent) = state.service.narrowed(params.agent, &caller).await? else {
        return Ok(page::respond::<TaskBody>(&uri, Vec::new(), None));
    };
    let query = TaskQuery {
        agent: agent.into(),
        status: params.status,
        after,
        limit: limit + 1,
    };
    let mut found = state.service.tasks(&query).await?;
    let next = page::cut(&mut found, limit, cursor);
    let public_url = state.config.public_url();
    let items = found
        .into_iter()
        .map(|work| TaskBody::new(work, &public_url))
        .collect();
    Ok(page::respond(&uri, items, next))
}

/// A place in the list as text.
fn cursor(work: &Work) -> String {
    let task = &work.task;
    format!(
        "{}.{}.{}",
        task.updated_at.timestamp_millis(),
        task.agent.id,
        task.id
    )
}

fn place(cursor: &str) -> Option<TaskPlace> {
    let mut parts = cursor.splitn(3, '.');
    Some(TaskPlace {
        updated_at: DateTime::from_timestamp_millis(parts.next()?.parse().ok()?)?,
        agent: parts.next()?.parse::<AgentId>().ok()?,
        id: parts
            .next()
            .filter(|id| is_name(id, limits::SESSION_ID_CHARS))?
            .to_owned(),
    })
}
