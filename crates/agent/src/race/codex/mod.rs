//! The protocol of `codex app-server`: what it asks a client to approve, and questions of the model's.

mod approval;
mod input;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    Dialect, Heard,
    message::{self, Said},
    request,
};
use crate::desk::Desk;

/// What has to be known of a connection to tell what is asked.
#[derive(Default)]
pub(crate) struct Codex {
    /// The changes of files by threads and items: a request names only its item. Those that could be read in several ways are
    /// `None`.
    changes: HashMap<(String, String), Option<Value>>,
}

impl Dialect for Codex {
    fn hear_client(&mut self, _: &Said) -> Option<Heard> {
        // Codex itself says when a turn that was interrupted asks no more.
        None
    }

    fn hear_agent(&mut self, said: &Said, desk: &Desk) -> anyhow::Result<Option<Heard>> {
        let params = said.params();
        let request = match said.method() {
            Some("item/commandExecution/requestApproval") => approval::of_command(said, desk)?,
            Some("item/fileChange/requestApproval") => {
                approval::of_changes(said, self.changes_of(params), desk)?
            }
            Some("item/permissions/requestApproval") => approval::of_permissions(said, desk)?,
            Some("item/tool/requestUserInput") => input::of_tool(params, desk)?,
            // Other modes are not to be shown as this one.
            Some("mcpServer/elicitation/request") if params["mode"] == "form" => {
                input::of_server(said, desk)?
            }
            Some("serverRequest/resolved") => {
                return Ok(message::key(&params["requestId"]).map(Heard::Over));
            }
            _ => {
                self.note(said);
                return Ok(done(said));
            }
        };
        let thread = params["threadId"].as_str().map(str::to_owned);
        Ok(Some(Heard::Asks(request, thread)))
    }

    fn answer(&self, id: &Value, with: &str, content: Value) -> Value {
        // Its lines say no version.
        json!({ "id": id, with: content })
    }

    fn over(&self, _: &Value) -> Option<Value> {
        // Codex tells its client itself: `serverRequest/resolved`.
        None
    }
}

/// What has come of an item, if that is what is said.
fn done(said: &Said) -> Option<Heard> {
    let (params, item) = (said.params(), &said.params()["item"]);
    if said.method() != Some("item/completed") {
        return None;
    }
    let call = request::call(&params["threadId"], &item["id"])?;
    Some(Heard::Done(call, item["status"] != "completed"))
}

impl Codex {
    /// What is said of changes of files.
    fn note(&mut self, said: &Said) {
        let params = said.params();
        let (item, changes) = match said.method() {
            Some("item/started") if params["item"]["type"] == "fileChange" => {
                (&params["item"]["id"], Some(&params["item"]["changes"]))
            }
            Some("item/fileChange/patchUpdated") => (&params["itemId"], Some(&params["changes"])),
            Some("item/completed") => (&params["item"]["id"], None),
            Some("turn/completed") => {
                self.changes
                    .retain(|(thread, _), _| params["threadId"] != *thread);
                return;
            }
            _ => return,
        };
        let (Some(thread), Some(item)) = (params["threadId"].as_str(), item.as_str()) else {
            return;
        };
        let key = (thread.to_owned(), item.to_owned());
        match changes {
            Some(changes) => {
                let changes = said.is_clear.then(|| changes.clone());
                self.changes.insert(key, changes);
            }
            None => {
                self.changes.remove(&key);
            }
        }
    }

    fn changes_of(&self, params: &Value) -> Option<&Value> {
        let (thread, item) = (params["threadId"].as_str()?, params["itemId"].as_str()?);
        let changes = self.changes.get(&(thread.to_owned(), item.to_owned()));
        changes?.as_ref()
    }
}
