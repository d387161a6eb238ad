//! `session/request_permission`: the call as the action, and the options that allow it.

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::Acp;
use crate::{
    desk::Desk,
    race::{
        message::Said,
        request::{Choice, Doing, Permission, Request},
    },
};

/// Of these at least one says what the call does.
const SAYS_IT: [&str; 3] = ["rawInput", "content", "title"];

impl Acp {
    /// # Errors
    /// Why people cannot be asked that.
    pub(super) fn permission(&self, said: &Said, desk: &Desk) -> anyhow::Result<Request> {
        ensure!(
            said.is_clear,
            "the agent's request can be read in several ways: a key stands twice, or it is too deep"
        );
        let params = said.params();
        let session = params["sessionId"].as_str();
        let session = session.context("the agent's request names no session")?;
        let call = params["toolCall"].as_object();
        let call = call.context("the agent's request names no call of a tool")?;
        let id = call.get("toolCallId").and_then(Value::as_str);
        let id = id.context("the agent's request names no call of a tool")?;
        let call = self.calls.with(session, id, call);
        let call = call.context("the call of a tool can be read in several ways")?;
        let says_it = |name: &str| match call.get(name) {
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::Object(fields)) => !fields.is_empty(),
            _ => false,
        };
        ensure!(
            SAYS_IT.iter().any(|name| says_it(name)),
            "the agent does not say what the call of a tool does"
        );
        let tool = ["name", "kind"].map(|name| call.get(name).and_then(Value::as_str));
        let tool = tool.into_iter().flatten().find(|it| !it.trim().is_empty());
        let tool = tool.unwrap_or("other").to_owned();
        let options = params["options"].as_array();
        let options = options.context("the agent's request has no options")?;
        let doing = Doing {
            tool: &tool,
            folder: self.folders.get(session).map(String::as_str),
            session: Some(session),
            call: ("toolCall", call),
        };
        let permission = Permission::new(desk, doing, allowing(options)?, denial(options))?;
        let permission =
            permission.of_call(&params["sessionId"], &params["toolCall"]["toolCallId"]);
        Ok(Request::Permission(Box::new(permission)))
    }
}

/// Those that allow it, this once first. A kind that is not known allows nothing.
fn allowing(options: &[Value]) -> anyhow::Result<Vec<Choice>> {
    let mut allowing = Vec::new();
    for kind in ["allow_once", "allow_always"] {
        for option in options.iter().filter(|option| option["kind"] == kind) {
            let id = option["optionId"].as_str();
            let id = id.context("an option of the agent's has no id")?;
            // An id that something else has too would say something else.
            let of_it = options.iter().filter(|other| other["optionId"] == id);
            ensure!(
                of_it.count() == 1,
                "two of the agent's options have the id `{id}`"
            );
            allowing.push(Choice {
                id: id.to_owned(),
                name: option["name"].as_str().unwrap_or(id).to_owned(),
                kind: Some(kind.to_owned()),
                result: selected(id),
            });
        }
    }
    Ok(allowing)
}

/// The narrowest way to say no.
fn denial(options: &[Value]) -> Value {
    let rejecting = ["reject_once", "reject_always"]
        .iter()
        .find_map(|kind| options.iter().find(|option| option["kind"] == **kind));
    match rejecting.and_then(|option| option["optionId"].as_str()) {
        Some(id) => selected(id),
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    }
}

fn selected(id: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": id } })
}
