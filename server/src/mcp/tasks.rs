//! The Tasks extension: a question is a task whose id is the question's, so the journal is all there is to
//! remember, and every node knows every task.

use chrono::SecondsFormat;
use domain::{Interaction, Refused, interaction::State};
use rmcp::{
    ErrorData,
    model::{DetailedTask, Task, TaskPayload, TaskStatus},
};
use serde_json::Value;
use service::ServiceError;

use super::{arguments, server::McpServer};
use crate::{auth::agent::Caller, problem::Problem};

/// People take a while.
const POLL_INTERVAL_MS: u64 = 5_000;

/// The task of a question, as it is.
pub(super) fn task(interaction: &Interaction) -> Task {
    let (status, message) = match &interaction.state {
        State::Pending { .. } => (TaskStatus::Working, "Waiting for a person."),
        State::Cancelled { .. } => (TaskStatus::Cancelled, "The question was taken back."),
        State::Delivered { .. }
        | State::Resolved { .. }
        | State::Expired { .. }
        | State::Void { .. } => (TaskStatus::Completed, "The question is closed."),
    };
    let changed = interaction.state.closed_at();
    let [created, changed] = [
        interaction.created_at,
        changed.unwrap_or(interaction.created_at),
    ]
    .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true));
    Task::new(interaction.id.to_string(), status, created, changed)
        .with_status_message(message)
        .with_poll_interval_ms(POLL_INTERVAL_MS)
}

impl McpServer {
    /// The task, with what `ask_human` would have returned once the question is closed.
    pub(super) async fn task(&self, caller: &Caller, id: &str) -> Result<DetailedTask, ErrorData> {
        let id = arguments::id(id).map_err(|problem| failed(&problem))?;
        let service = &self.state.service;
        let read = service.interaction(id, &caller.principal()).await;
        let interaction = read.map_err(|error| failed(&error.into()))?;
        let task = task(&interaction);
        let payload = match task.status {
            TaskStatus::Working => TaskPayload::Working,
            TaskStatus::Cancelled => TaskPayload::Cancelled,
            _ => {
                let taken = self.taken(caller, interaction).await;
                let result = taken.map_err(|problem| failed(&problem))?;
                match serde_json::to_value(result) {
                    Ok(Value::Object(result)) => TaskPayload::Completed { result },
                    _ => return Err(failed(&Problem::internal())),
                }
            }
        };
        Ok(DetailedTask::new(task, payload))
    }

    /// Takes the question back; one that is closed stays as it is.
    pub(super) async fn end_task(&self, caller: &Caller, id: &str) -> Result<(), ErrorData> {
        let id = arguments::id(id).map_err(|problem| failed(&problem))?;
        let service = &self.state.service;
        match service.cancel(id, None, &caller.principal()).await {
            Ok(_) | Err(ServiceError::Refused(Refused::Closed { .. })) => Ok(()),
            Err(error) => Err(failed(&error.into())),
        }
    }
}

/// An error of the protocol: there is no tool here to have failed.
fn failed(problem: &Problem) -> ErrorData {
    let message = problem.detail().to_owned();
    if problem.status().is_server_error() {
        ErrorData::internal_error(message, None)
    } else {
        ErrorData::invalid_params(message, None)
    }
}
