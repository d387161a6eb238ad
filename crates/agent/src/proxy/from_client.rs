//! What the client says: calls that people decide on, cancellations, and all else.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    CANCELLED, Event, Passed, Proxy, Waiting,
    message::{self, Asks, Line},
    progress::Progress,
    wanted::wanted,
};
use crate::desk::{Unanswered, approve, words};

impl Proxy {
    pub(super) fn hear_client(&mut self, line: String) {
        let mut line = match Line::read(line) {
            Ok(line) => line,
            Err(error) => {
                let why = format!("not JSON: {error}");
                return self.say(message::fault(&Value::Null, message::UNREADABLE, &why));
            }
        };
        if !line.message.is_object() {
            // Several at once are of an old version; a call could stand among them.
            let why = "a line must be one message";
            return self.say(message::fault(&Value::Null, message::UNFIT, why));
        }
        let id = line.message.get("id").map(Value::to_string);
        let Some(method) = line.message["method"].as_str().map(str::to_owned) else {
            // It answers a request of the server's.
            return self.pass(line.text);
        };
        if let Some(cancelled) = message::cancelled(&line.message) {
            return self.cancel(&cancelled, line.text);
        }
        let Some(key) = id else {
            if method == "tools/call" {
                // It would run, and nothing could be said of it.
                return self
                    .desk
                    .client
                    .tell("a call without an id is not passed on");
            }
            return self.pass(line.text);
        };
        if self.waiting.contains_key(&key) || self.passed.contains_key(&key) {
            let why = "a request with this id is under way";
            let id = &line.message["id"];
            return self.say(message::fault(id, message::UNFIT, why));
        }
        if let Some(asks) = message::declared(&mut line.message) {
            self.client_asks = asks;
            if self.people_answer() && asks == Asks::NoForms {
                message::declare(&mut line.message);
                line.text = line.message.to_string();
            }
        }
        match method == "tools/call" {
            true => self.call(key, line),
            false => self.pass_request(key, line.message, line.text),
        }
    }

    /// The client waits for this request no longer.
    fn cancel(&mut self, key: &str, text: String) {
        if let Some(call) = self.waiting.remove(key) {
            call.asking.withdraw(CANCELLED);
            if let Some(approval) = call.approval {
                self.report(approval, json!({ "error": { "message": CANCELLED } }));
            }
            return;
        }
        // A server answers no request that was cancelled.
        let passed = self.passed.remove(key);
        if let Some(approval) = passed.and_then(|it| it.approval) {
            self.report(approval, json!({ "error": { "message": CANCELLED } }));
        }
        self.pass(text);
    }

    /// A call of a tool.
    fn call(&mut self, key: String, line: Line) {
        let message = line.message;
        let name = message["params"]["name"].as_str().unwrap_or_default();
        if !self.tools.is_guarded(name) {
            return self.pass_request(key, message, line.text);
        }
        if !line.is_clear {
            let why = "It can be read in several ways: a key stands twice, or it is too deep.";
            return self.say(message::denial(&message, why));
        }
        let schema = self.tools.schema(name).filter(|_| self.amendable);
        let wanted = match wanted(&message, &self.desk, schema) {
            Ok(wanted) => wanted,
            Err(why) => return self.say(message::denial(&message, &words(&why))),
        };
        let digest = wanted.digest().to_owned();
        // The server has begun it and asks the client back; that is no other call.
        let state = message["params"]["requestState"]
            .as_str()
            .unwrap_or_default();
        if let Some((_, approval)) = self.continued.remove(state).filter(|(of, _)| *of == digest) {
            let text = message.to_string();
            self.pass(text);
            let passed = Passed {
                message,
                approval: Some(approval),
                digest: Some(digest),
            };
            self.passed.insert(key, passed);
            return;
        }
        let mut progress = Progress::of(&message, self.to_client.clone());
        let (asking, mut withdrawn) = self.ask(1);
        let serial = asking.serial;
        let waiting = Waiting {
            asking,
            message,
            digest: Some(digest),
            approval: None,
        };
        self.waiting.insert(key.clone(), waiting);
        let (desk, withdrawn) = (Arc::clone(&self.desk), withdrawn.pop());
        self.tasks.spawn(async move {
            let decided = match withdrawn {
                Some(withdrawn) => {
                    let mut tell = |words: &str| progress.tell(words);
                    approve(&desk, &wanted, withdrawn, Some(&mut tell)).await
                }
                None => Err(Unanswered::Withdrawn),
            };
            Event::Decided(key, serial, decided)
        });
    }
}
