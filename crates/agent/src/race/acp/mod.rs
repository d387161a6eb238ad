//! The Agent Client Protocol, version 1: what a permission is asked for, and forms.

mod calls;
mod permission;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    Dialect, Heard,
    message::{self, Said},
    request::{self, Request, elicitation},
};
use crate::desk::{Desk, Form};
use calls::Calls;

/// What has to be known of a connection to tell what the agent asks.
#[derive(Default)]
pub(crate) struct Acp {
    /// The folder of each session.
    folders: HashMap<String, String>,
    /// Those of sessions that are being opened, by the ids of the client's requests.
    opening: HashMap<String, String>,
    calls: Calls,
}

impl Dialect for Acp {
    fn hear_client(&mut self, said: &Said) -> Option<Heard> {
        let params = said.params();
        let session = params["sessionId"].as_str();
        if let Some(folder) = params["cwd"].as_str() {
            // It opens the session that it names, or one whose name the agent says.
            if let Some(session) = session {
                self.folders.insert(session.to_owned(), folder.to_owned());
            }
            if let Some(key) = said.key() {
                self.opening.insert(key, folder.to_owned());
            }
        }
        match (said.method()?, session?) {
            ("session/cancel" | "session/close" | "session/delete", session) => {
                Some(Heard::SessionOver(session.to_owned()))
            }
            ("session/prompt", session) => {
                self.calls.begin_turn(session);
                None
            }
            _ => None,
        }
    }

    fn hear_agent(&mut self, said: &Said, desk: &Desk) -> anyhow::Result<Option<Heard>> {
        if let Some(key) = said.answers() {
            let opened = said.message["result"]["sessionId"].as_str();
            if let (Some(folder), Some(session)) = (self.opening.remove(&key), opened) {
                self.folders.insert(session.to_owned(), folder);
            }
            return Ok(None);
        }
        let params = said.params();
        match said.method() {
            Some("session/update") => {
                self.calls.note(params, said.is_clear);
                return Ok(done(params));
            }
            Some("$/cancel_request") => {
                return Ok(message::key(&params["requestId"]).map(Heard::Over));
            }
            Some("session/request_permission") => {
                let request = self.permission(said, desk)?;
                let session = params["sessionId"].as_str().map(str::to_owned);
                return Ok(Some(Heard::Asks(request, session)));
            }
            // Other modes are not to be shown as this one.
            Some("elicitation/create") if params["mode"] == "form" => {
                let session = params["sessionId"].as_str().map(str::to_owned);
                let request = form(params, desk)?;
                return Ok(Some(Heard::Asks(request, session)));
            }
            _ => {}
        }
        Ok(None)
    }

    fn answer(&self, id: &Value, with: &str, content: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, with: content })
    }

    fn over(&self, id: &Value) -> Option<Value> {
        let params = json!({ "requestId": id });
        Some(json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": params }))
    }
}

/// What has come of a call, if that is what an update says.
fn done(params: &Value) -> Option<Heard> {
    let update = &params["update"];
    let call = request::call(&params["sessionId"], &update["toolCallId"])?;
    match update["status"].as_str()? {
        "completed" => Some(Heard::Done(call, false)),
        "failed" => Some(Heard::Done(call, true)),
        _ => None,
    }
}

/// What the agent asks by a form.
fn form(params: &Value, desk: &Desk) -> anyhow::Result<Request> {
    let mut schema = without_nulls(&params["requestedSchema"]);
    if let Some(schema) = schema.as_object_mut() {
        schema
            .entry("type")
            .or_insert_with(|| "object".to_owned().into());
    }
    let who = format!("The agent `{}`", desk.quoted());
    let session = params["sessionId"].as_str();
    elicitation(desk, Form::read(&schema)?, session, (&who, params))
}

/// The protocol takes `null` for what is not there, and JSON Schema does not.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            let kept = kept.map(|(name, value)| (name.clone(), without_nulls(value)));
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
