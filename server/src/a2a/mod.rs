//! A2A 1.0 at `/a2a`, by JSON-RPC: an agent of people, whose tasks are the questions that wait for them.
//!
//! A task is an interaction, under its id: nothing is kept but that, so any node takes any call. Who comes in is decided
//! before ([`crate::auth::agent`]); here is what is called ([`rpc`]), how a message becomes a question ([`message`]), how
//! a question is seen as a task ([`task`]), and how one is followed ([`follow`]).

pub(crate) mod card;
mod follow;
pub(crate) mod message;
pub(crate) mod rpc;
mod task;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use domain::{Interaction, InteractionId, Refused};
use serde::Deserialize;
use serde_json::{Value, json};
use service::{Asked, ServiceError};

use crate::{auth::agent::Caller, problem::Problem, state::AppState, traceparent};
use message::{Places, Question};
use rpc::{Call, Failure};

/// What is spoken here.
const VERSION: &str = "1.0";

/// A call that names a task.
#[derive(Deserialize)]
struct OfTask {
    id: String,
}

/// One call.
pub(crate) async fn call(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let call = match Call::read(&body) {
        Ok(call) => call,
        Err(answer) => return Json(answer).into_response(),
    };
    let call = call.in_trace(traceparent::of(&headers));
    let answered = match rpc::expect_version(&headers) {
        Ok(()) => answer(&state, &caller, &call).await,
        Err(failure) => Err(failure),
    };
    answered.unwrap_or_else(|failure| Json(failure.answer(&call.id)).into_response())
}

async fn answer(state: &AppState, caller: &Caller, call: &Call) -> Result<Response, Failure> {
    let result = match call.method.as_str() {
        "SendMessage" => {
            let asked = sent(state, caller, call).await?;
            json!({ "task": task_of(state, caller, asked).await? })
        }
        "SendStreamingMessage" => {
            let asked = sent(state, caller, call).await?;
            return Ok(follow::open(state, caller, call, asked.id).await?);
        }
        "GetTask" => {
            let found = found(state, caller, call).await?;
            task_of(state, caller, found).await?
        }
        "SubscribeToTask" => {
            let found = found(state, caller, call).await?;
            if !found.state.is_pending() {
                let message = "the task has ended: GetTask returns what came of it";
                return Err(Failure::unsupported(message));
            }
            return Ok(follow::open(state, caller, call, found.id).await?);
        }
        "CancelTask" => {
            let id = id_in(call)?;
            let cancelled = state.service.cancel(id, None, &caller.principal()).await;
            match cancelled {
                Ok(cancelled) => task_of(state, caller, cancelled).await?,
                Err(ServiceError::Refused(Refused::Closed { .. })) => {
                    return Err(Failure::not_cancelable());
                }
                Err(error) => return Err(Problem::from(error).into()),
            }
        }
        "ListTasks" => {
            let message =
                "tasks are not listed here: GET /api/v1/interactions lists what this agent asked";
            return Err(Failure::unsupported(message));
        }
        "CreateTaskPushNotificationConfig"
        | "GetTaskPushNotificationConfig"
        | "ListTaskPushNotificationConfigs"
        | "DeleteTaskPushNotificationConfig" => return Err(Failure::no_push()),
        "GetExtendedAgentCard" => return Err(Failure::no_extended_card()),
        unknown => return Err(Failure::no_method(unknown)),
    };
    Ok(Json(rpc::result(&call.id, &result)).into_response())
}

/// Asks, unless this message has asked before.
async fn sent(state: &AppState, caller: &Caller, call: &Call) -> Result<Interaction, Failure> {
    let Question { draft, key, places } = message::question(call.params()?)?;
    let agent = caller.agent.clone();
    let asked = state
        .service
        .ask(agent, draft, Some(&key), call.trace)
        .await;
    let Asked { interaction, .. } = asked.map_err(|error| placed(error, &places))?;
    Ok(interaction)
}

/// The rules name fields of a question: the caller is told where in the message they stand.
fn placed(error: ServiceError, places: &Places) -> Problem {
    match error {
        ServiceError::Refused(Refused::Invalid(mut faults)) => {
            for fault in &mut faults {
                fault.path = places.of(&fault.path);
            }
            Problem::invalid(faults)
        }
        other => other.into(),
    }
}

async fn found(state: &AppState, caller: &Caller, call: &Call) -> Result<Interaction, Failure> {
    let id = id_in(call)?;
    let found = state.service.interaction(id, &caller.principal()).await;
    Ok(found.map_err(Problem::from)?)
}

fn id_in(call: &Call) -> Result<InteractionId, Failure> {
    let OfTask { id } = call.params()?;
    id.parse().map_err(|_| Failure::no_task())
}

/// The task, for its agent. One that has ended counts as taken: people see that the agent has the answer.
async fn task_of(
    state: &AppState,
    caller: &Caller,
    interaction: Interaction,
) -> Result<Value, Problem> {
    let interaction = match interaction.state.is_pending() {
        true => interaction,
        false => state.service.collect(interaction.id, &caller.agent).await?,
    };
    Ok(task::of(interaction, &state.config.public_url()))
}
