//! What the server says: answers, requests for input, and all else.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::{Map, Value, json};

use super::{Event, Passed, Proxy, Waiting, elicit, message};

impl Proxy {
    pub(super) fn hear_server(&mut self, line: &str) {
        let Ok(mut said) = serde_json::from_str::<Value>(line) else {
            if !line.trim().is_empty() {
                let why = "the MCP server says something that is no message; it is not passed on";
                self.desk.client.tell(why);
            }
            return;
        };
        let id = said.get("id").cloned();
        if said.get("method").is_some() {
            if let Some(cancelled) = message::cancelled(&said)
                && let Some(asking) = self.elicited.remove(&cancelled)
            {
                return asking.withdraw("the MCP server has cancelled it");
            }
            return match id {
                Some(id) if message::is_form(&said) && self.people_answer() => {
                    if !self.is_leaving() {
                        self.elicit(id, said);
                    }
                }
                _ => self.say(line.to_owned()),
            };
        }
        let Some((id, passed)) = id.and_then(|id| {
            let passed = self.passed.remove(&id.to_string())?;
            Some((id, passed))
        }) else {
            return self.say(line.to_owned());
        };
        if passed.message["method"] == "tools/list"
            && let Some(result) = said.get_mut("result")
        {
            self.tools.note(result);
        }
        if said["result"]["resultType"] == "input_required" {
            return self.go_on(id, &said, passed, line);
        }
        if let Some(approval) = passed.approval {
            self.report(approval, said);
        }
        self.say(line.to_owned());
    }

    /// The server asks before it goes on: people, if they can answer all of it, else its client.
    fn go_on(&mut self, id: Value, said: &Value, passed: Passed, line: &str) {
        let none = Map::new();
        let requests = said["result"]["inputRequests"].as_object().unwrap_or(&none);
        let are_forms = !requests.is_empty() && requests.values().all(message::is_form);
        if !(are_forms && self.people_answer()) || self.is_leaving() {
            let state = said["result"]["requestState"].as_str();
            if let (Some(state), Some(digest), Some(approval)) =
                (state, passed.digest, passed.approval)
            {
                self.continued.insert(state.to_owned(), (digest, approval));
            }
            return self.say(line.to_owned());
        }
        let (asking, withdrawn) = self.ask(requests.len());
        let serial = asking.serial;
        let mut message = passed.message;
        let state = said["result"].get("requestState").cloned();
        if let Some(params) = message["params"].as_object_mut() {
            params.shift_remove("requestState");
            params.extend(state.map(|state| ("requestState".to_owned(), state)));
        }
        let waiting = Waiting {
            asking,
            message,
            digest: passed.digest,
            approval: passed.approval,
        };
        let key = id.to_string();
        self.waiting.insert(key.clone(), waiting);
        let desk = Arc::clone(&self.desk);
        let requests: Vec<(String, Value)> = requests.clone().into_iter().collect();
        self.tasks.spawn(async move {
            let asked = requests.into_iter().zip(withdrawn);
            let answers = join_all(asked.map(|((name, request), withdrawn)| {
                let desk = Arc::clone(&desk);
                async move {
                    let answered = elicit::answer(&desk, &request, withdrawn).await?;
                    // A form that people cannot be asked is one that nobody answers.
                    Some((
                        name,
                        answered.unwrap_or_else(|_| json!({ "action": "cancel" })),
                    ))
                }
            }));
            let answers: Option<Map<String, Value>> = answers.await.into_iter().collect();
            Event::Filled(key, serial, answers)
        });
    }

    /// The server asks by a form of its own.
    fn elicit(&mut self, id: Value, request: Value) {
        let (asking, mut withdrawn) = self.ask(1);
        let serial = asking.serial;
        self.elicited.insert(id.to_string(), asking);
        let (desk, withdrawn) = (Arc::clone(&self.desk), withdrawn.pop());
        self.tasks.spawn(async move {
            let answered = match withdrawn {
                Some(withdrawn) => elicit::answer(&desk, &request, withdrawn).await,
                None => None,
            };
            Event::Elicited(id, serial, answered)
        });
    }
}
