//! Lists: what has happened, and who works on what.

use leptos::server;

use crate::{
    error::UiError,
    view::{AgentList, HistoryPage, HistoryQuery, TaskList},
    wire::TreeJson,
};

/// One page of the history.
#[server(prefix = "/ui", endpoint = "load-history", output = TreeJson)]
pub async fn load_history(#[server(default)] query: HistoryQuery) -> Result<HistoryPage, UiError> {
    super::answered(super::backend()?.history(query).await)
}

/// The tasks; only those of this status when one is given.
#[server(prefix = "/ui", endpoint = "load-tasks", output = TreeJson)]
pub async fn load_tasks(#[server(default)] status: Option<String>) -> Result<TaskList, UiError> {
    super::answered(super::backend()?.tasks(status).await)
}

/// The agents.
#[server(prefix = "/ui", endpoint = "load-agents", output = TreeJson)]
pub async fn load_agents() -> Result<AgentList, UiError> {
    super::answered(super::backend()?.agents().await)
}
