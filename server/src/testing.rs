//! The parsers of foreign input that nothing outside of this crate calls, for the fuzz targets (`dev/fuzz`): without a
//! network, a store and a caller.

use std::time::Duration;

use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use domain::interaction::Draft;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use service::hook_secret::HookSecret;

use crate::{
    a2a::{
        message::{Question, Sent, question},
        rpc::Call,
    },
    api::{body, prefer, v1::tasks},
    delivery::signature,
    mcp::arguments,
    problem::Problem,
    slack::actions::payload::Payload,
    ui::markdown,
};

/// The body of a request to the API.
///
/// # Errors
/// What is wrong with it.
pub fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    body::read(bytes)
}

/// How long `Prefer` wants to be held.
pub fn wait(headers: &HeaderMap) -> Option<Duration> {
    prefer::wait(headers)
}

/// The cursor of a list of tasks, written again.
pub fn task_cursor(cursor: &str) -> Option<String> {
    tasks::place(cursor).map(|place| tasks::cursor(&place))
}

/// The request that a tool of MCP is called for, and its idempotency key.
///
/// # Errors
/// What is wrong with its arguments.
pub fn called(
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<(Draft, Option<String>), Problem> {
    arguments::draft(tool, arguments)
}

/// The question that a message of A2A is, and its idempotency key.
///
/// # Errors
/// The answer to a call that is none.
pub fn sent(call: &[u8]) -> Result<(Draft, String), Value> {
    let call = Call::read(call)?;
    let asked = call.params::<Sent>().and_then(question);
    let Question { draft, key, places } = asked.map_err(|failure| failure.answer(&call.id))?;
    assert!(!places.of("$").is_empty() && !places.of("prompt").is_empty());
    Ok((draft, key))
}

/// Whether what people do in Slack is for this program.
pub fn is_for_us(payload: &Value) -> bool {
    Payload::parse(payload).is_some()
}

/// Markdown, as pages show it.
pub fn markdown(text: &str) -> String {
    markdown::to_html(text)
}

/// The headers by which a receiver checks what it is sent.
pub fn webhook_headers(
    id: &str,
    at: DateTime<Utc>,
    body: &[u8],
    secrets: &[HookSecret],
) -> HeaderMap {
    signature::headers(id, at, body, secrets)
}
