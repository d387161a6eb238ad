//! JSON-RPC 2.0 with the errors of A2A 1.0.

use axum::http::HeaderMap;
use domain::{Fault, TraceParent};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::VERSION;
use crate::problem::Problem;

/// A2A 1.0 §3.6: it stands in each request.
const VERSION_HEADER: &str = "a2a-version";
/// Without the header a client means what came before it.
const BEFORE: &str = "0.3";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// A call, as it came in.
pub(crate) struct Call {
    /// A text, a number or null.
    pub(crate) id: Value,
    pub(super) method: String,
    params: Value,
    /// The place in its caller's trace.
    pub(super) trace: Option<TraceParent>,
}

/// Why a call has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    code: i32,
    message: String,
    details: Vec<Value>,
}

impl Call {
    /// Reads one.
    ///
    /// # Errors
    /// The answer to what is no call, with the id that could be read.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Value> {
        let call: Value = serde_json::from_slice(body)
            .map_err(|error| Failure::new(-32700, error.to_string()).answer(&Value::Null))?;
        let invalid = |id: &Value, message: &str| Failure::new(-32600, message).answer(id);
        let Value::Object(mut call) = call else {
            return Err(invalid(
                &Value::Null,
                "a call is an object; batches are not taken",
            ));
        };
        let id = match call.remove("id") {
            Some(id @ (Value::String(_) | Value::Number(_))) => id,
            None | Some(Value::Null) => Value::Null,
            Some(_) => return Err(invalid(&Value::Null, "id: is neither a text nor a number")),
        };
        if call.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(invalid(&id, "jsonrpc: is not \"2.0\""));
        }
        let Some(Value::String(method)) = call.remove("method") else {
            return Err(invalid(&id, "method: is no text"));
        };
        let params = call.remove("params").unwrap_or_else(|| json!({}));
        Ok(Self {
            id,
            method,
            params,
            trace: None,
        })
    }

    /// It in this place of a trace.
    pub(super) fn in_trace(self, trace: Option<TraceParent>) -> Self {
        Self { trace, ..self }
    }

    /// What it is called with. What is not known is passed over, as A2A has it.
    pub(crate) fn params<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_path_to_error::deserialize(&self.params).map_err(|error| {
            let path = match error.path().to_string() {
                whole if whole == "." => "params".to_owned(),
                path => format!("params.{path}"),
            };
            let fault = Fault::new(path, error.into_inner().to_string());
            Problem::invalid(vec![fault]).into()
        })
    }
}

/// Whether the caller speaks what is spoken here.
pub(super) fn expect_version(headers: &HeaderMap) -> Result<(), Failure> {
    let said = headers.get(VERSION_HEADER);
    let said = said.map_or(Ok(BEFORE), |said| said.to_str());
    let said = said.unwrap_or_default();
    let said = if said.is_empty() { BEFORE } else { said };
    let patch = said.strip_prefix(VERSION);
    if patch.is_some_and(|patch| patch.is_empty() || patch.starts_with('.')) {
        return Ok(());
    }
    let message = format!("A2A {said} is not spoken here: send the header A2A-Version: {VERSION}");
    Err(Failure::of(-32009, "VERSION_NOT_SUPPORTED", message))
}

/// What came of a call.
pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// One of A2A's own.
    fn of(code: i32, reason: &str, message: impl Into<String>) -> Self {
        let info = json!({ "@type": ERROR_INFO, "reason": reason, "domain": "a2a-protocol.org" });
        Self {
            details: vec![info],
            ..Self::new(code, message)
        }
    }

    pub(super) fn no_task() -> Self {
        Self::of(-32001, "TASK_NOT_FOUND", "this agent has no such task")
    }

    pub(super) fn not_cancelable() -> Self {
        Self::of(-32002, "TASK_NOT_CANCELABLE", "the task has ended already")
    }

    pub(super) fn no_push() -> Self {
        let message =
            "no push notifications: a question may name a `callback_url` in its data part";
        Self::of(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", message)
    }

    pub(super) fn unsupported(message: &str) -> Self {
        Self::of(-32004, "UNSUPPORTED_OPERATION", message)
    }

    pub(super) fn content_type(message: &str) -> Self {
        Self::of(-32005, "CONTENT_TYPE_NOT_SUPPORTED", message)
    }

    pub(super) fn no_extended_card() -> Self {
        let message = "the card has no extended form";
        Self::of(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", message)
    }

    pub(super) fn no_method(name: &str) -> Self {
        Self::new(-32601, format!("there is no method {name}"))
    }

    /// The answer to a call.
    pub(crate) fn answer(&self, id: &Value) -> Value {
        let Self {
            code,
            message,
            details,
        } = self;
        let mut error = json!({ "code": code, "message": message });
        if !details.is_empty() {
            error["data"] = json!(details);
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// A rule said no, or the server failed: with the API's code, and a line for each fault with its path.
impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        if problem.status() == axum::http::StatusCode::NOT_FOUND {
            return Self::no_task();
        }
        let code = if problem.status().is_server_error() {
            -32603
        } else {
            -32602
        };
        let info = json!({
            "@type": ERROR_INFO,
            "reason": problem.code().to_uppercase(),
            "domain": "handraise",
            "metadata": { "code": problem.code() },
        });
        let mut details = vec![info];
        if !problem.errors().is_empty() {
            let violations: Vec<Value> = problem
                .errors()
                .iter()
                .map(|fault| json!({ "field": fault.path, "description": fault.message }))
                .collect();
            details.push(json!({ "@type": BAD_REQUEST, "fieldViolations": violations }));
        }
        Self {
            details,
            ..Self::new(code, problem.detail())
        }
    }
}
