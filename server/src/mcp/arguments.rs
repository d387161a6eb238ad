//! The arguments of a call, with the place of every fault in them.

use domain::{
    Fault, InteractionId,
    interaction::{Draft, Kind, Priority},
};
use rmcp::model::JsonObject;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::tools;
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitArguments {
    pub(super) id: String,
    pub(super) seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CancelArguments {
    pub(super) id: String,
    pub(super) reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    pub(super) state: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) limit: Option<u32>,
    pub(super) cursor: Option<String>,
}

pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Problem> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = match error.path().to_string() {
            whole if whole == "." => "$".to_owned(),
            path => path,
        };
        Problem::invalid(vec![Fault::new(path, error.into_inner().to_string())])
    })
}

/// The request that `tool` was called for, and its idempotency key.
pub(crate) fn draft(
    tool: &str,
    mut arguments: JsonObject,
) -> Result<(Draft, Option<String>), Problem> {
    // The rest of a draft is for programs: a model has no address to be called at.
    let foreign = |name: &&String| !tools::takes(tool, name);
    let faults: Vec<Fault> = arguments
        .keys()
        .filter(foreign)
        .map(|name| Fault::new(name, format!("{tool} has no such argument")))
        .collect();
    if !faults.is_empty() {
        return Err(Problem::invalid(faults));
    }
    let key = match arguments.remove("idempotency_key") {
        None | Some(Value::Null) => None,
        Some(Value::String(key)) => Some(key),
        Some(_) => return Err(wrong("idempotency_key", "must be a string")),
    };
    let priority = match arguments.remove("urgent") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(urgent)) => urgent.then_some(Priority::Urgent),
        Some(_) => return Err(wrong("urgent", "must be true or false")),
    };
    let draft = Draft {
        priority,
        ..read(arguments)?
    };
    Ok((draft, key))
}

/// The kind that was asked for; a question when none was.
pub(super) fn kind(draft: &Draft) -> Result<String, Problem> {
    match draft.kind.as_deref() {
        Some(kind) if kind == Kind::Notification.name() => Err(wrong(
            "kind",
            "nobody answers a notification: use notify_human",
        )),
        Some(kind) => Ok(kind.to_owned()),
        None => Ok(Kind::Question.name().to_owned()),
    }
}

pub(super) fn id(text: &str) -> Result<InteractionId, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}

pub(super) fn wrong(path: &str, message: &str) -> Problem {
    Problem::invalid(vec![Fault::new(path, message)])
}
