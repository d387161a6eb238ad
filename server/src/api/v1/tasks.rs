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
    interaction::{Brief, Kind, Mode},
    limits,
    task::{TaskDraft, TaskStatus},
};
use serde::{Deserialize, Serialize};
use service::TaskWaiting;
use store::{TaskPlace, TaskQuery};
use utoipa::ToSchema;

use crate::{
    api::{body::Body, caller::Caller, openapi, page, path::PathName, query::Params},
    problem::Problem,
    resource::{dashboard_url, names, parts},
    state::AppState,
};

/// A task with the questions it waits for.
#[derive(Serialize, ToSchema)]
#[schema(as = Task)]
pub(crate) struct TaskBody {
    id: String,
    #[schema(value_type = parts::Agent)]
    agent: AgentRef,
    version: i64,
    title: Option<String>,
    description: Option<String>,
    step: Option<String>,
    #[schema(value_type = names::TaskStatus)]
    status: &'static str,
    /// Why it failed.
    reason: Option<String>,
    /// The oldest 50 of its pending blockers.
    waiting_on: Vec<WaitingBody>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// A pending blocker of a task.
#[derive(Serialize, ToSchema)]
#[schema(as = Waiting)]
struct WaitingBody {
    #[schema(value_type = Uuid)]
    id: InteractionId,
    #[schema(value_type = names::Kind)]
    kind: Kind,
    #[schema(value_type = names::Mode)]
    mode: Mode,
    title: Option<String>,
    /// Its first 500 characters.
    prompt: String,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    dashboard_url: String,
}

impl TaskBody {
    fn new(TaskWaiting { task, waiting }: TaskWaiting, public_url: &str) -> Self {
        let waiting_on = waiting.into_iter().map(|one: Brief| WaitingBody {
            id: one.id,
            kind: one.kind,
            mode: one.mode,
            title: one.title,
            prompt: one.prompt,
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

/// Registers a task or says how it goes.
///
/// What is absent stays as it is. Ending or failing it cancels what waits in it.
#[utoipa::path(
    put,
    path = "/api/v1/tasks/{id}",
    operation_id = "put_task",
    tag = "tasks",
    security(("agent" = [])),
    params(
        ("id" = inline(names::TaskName), Path, description = "The agent's own id for it."),
    ),
    request_body = openapi::TaskDraft,
    responses((status = 200, description = "The task.", body = TaskBody)),
)]
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
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetParams {
    /// The name of the agent; a responder token has to say it.
    agent: Option<String>,
}

/// One task, with what it waits for.
///
/// An agent's own, or with `agent` that of the agent of this name.
#[utoipa::path(
    get,
    path = "/api/v1/tasks/{id}",
    operation_id = "get_task",
    tag = "tasks",
    security(("agent" = []), ("responder" = [])),
    params(
        ("id" = inline(names::TaskName), Path, description = "The agent's own id for it."),
        GetParams,
    ),
    responses((status = 200, description = "The task.", body = TaskBody)),
)]
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
    let work = state.service.task(agent, &id, &caller.audience()).await?;
    Ok(Json(TaskBody::new(work, &state.config.public_url())))
}

/// What the list may be narrowed to.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    /// The name of an agent.
    agent: Option<String>,
    #[param(value_type = Option<names::TaskStatus>)]
    status: Option<String>,
    /// 50 if absent.
    #[param(value_type = Option<names::PageSize>)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Tasks, last changed first.
///
/// An agent sees its own, a responder token what belongs to its teams and to none.
#[utoipa::path(
    get,
    path = "/api/v1/tasks",
    operation_id = "list_tasks",
    tag = "tasks",
    security(("agent" = []), ("responder" = [])),
    params(
        ListParams,
    ),
    responses((
        status = 200,
        description = "A page.",
        body = parts::TaskPage,
        headers(("Link" = String, description = "`rel=\"next\"`: the address of the next page.")),
    )),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
    Params(params): Params<ListParams>,
) -> Result<Response, Problem> {
    page::one_of("status", params.status.as_deref(), &TaskStatus::NAMES)?;
    let limit = page::limit(params.limit, page::DEFAULT_LIMIT, limits::PAGE_ITEMS)?;
    let after = match params.cursor.as_deref().map(place) {
        Some(None) => return Err(page::bad_cursor()),
        after => after.flatten(),
    };
    let Some(agent) = state.service.narrowed(params.agent, &caller).await? else {
        return Ok(page::nothing(&uri));
    };
    let audience = caller.audience();
    let query = TaskQuery {
        audience: audience.clone(),
        agent: agent.into(),
        status: params.status,
        after,
        limit,
    };
    let (tasks, next) = state.service.tasks(&query).await?.into_parts();
    let public_url = state.config.public_url();
    let mut written = page::Written::new();
    let mut last = None;
    for task in tasks {
        if !written.has_room() {
            return Ok(page::ended(&uri, written, last.as_ref().map(cursor)));
        }
        last = Some(TaskPlace {
            updated_at: task.updated_at,
            agent: task.agent.id,
            id: task.id.clone(),
        });
        let work = state.service.waiting_in(task, &audience).await?;
        written.push(&TaskBody::new(work, &public_url))?;
    }
    Ok(page::ended(&uri, written, next.as_ref().map(cursor)))
}

/// A place in the list as text.
pub(crate) fn cursor(place: &TaskPlace) -> String {
    let TaskPlace {
        updated_at,
        agent,
        id,
    } = place;
    format!("{}.{agent}.{id}", updated_at.timestamp_millis())
}

pub(crate) fn place(cursor: &str) -> Option<TaskPlace> {
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
