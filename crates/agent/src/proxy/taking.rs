//! What comes of the questions that people were asked.

use serde_json::json;

use super::{Event, Passed, Proxy, Waiting, message};
use crate::desk::{Approved, Unanswered, words};

impl Proxy {
    /// What comes of a task counts only if it is still waited for.
    pub(super) fn take(&mut self, event: Event) {
        match event {
            Event::Decided(key, serial, decided) => {
                let is_it = self
                    .waiting
                    .get(&key)
                    .is_some_and(|it| it.asking.serial == serial);
                let waiting = is_it.then(|| self.waiting.remove(&key)).flatten();
                match (waiting, decided) {
                    (Some(waiting), Ok(approved)) => self.pass_approved(key, waiting, approved),
                    (Some(waiting), Err(Unanswered::Denied(why) | Unanswered::Failed(why))) => {
                        self.say(message::denial(&waiting.message, &words(&why)));
                    }
                    (Some(waiting), Err(Unanswered::Withdrawn)) => {
                        self.say(message::denial(&waiting.message, "It was taken back."));
                    }
                    // The approval is used up, and the call was cancelled meanwhile.
                    (None, Ok(approved)) => {
                        let why =
                            json!({ "error": { "message": "it was cancelled before it ran" } });
                        self.report(approved.id, why);
                    }
                    (None, Err(_)) => {}
                }
            }
            Event::Elicited(id, serial, answered) => {
                let key = id.to_string();
                let is_it = self
                    .elicited
                    .get(&key)
                    .is_some_and(|it| it.serial == serial);
                if !is_it {
                    return;
                }
                self.elicited.remove(&key);
                let line = match answered {
                    Some(Ok(result)) => message::answer(&id, "result", &result),
                    Some(Err(error)) => message::answer(&id, "error", &error),
                    None => return,
                };
                self.pass(line);
            }
            Event::Filled(key, serial, answers) => {
                let is_it = self
                    .waiting
                    .get(&key)
                    .is_some_and(|it| it.asking.serial == serial);
                let waiting = is_it.then(|| self.waiting.remove(&key)).flatten();
                let (Some(mut waiting), Some(answers)) = (waiting, answers) else {
                    return;
                };
                waiting.message["params"]["inputResponses"] = answers.into();
                self.pass(waiting.message.to_string());
                let passed = Passed {
                    message: waiting.message,
                    approval: waiting.approval,
                    digest: waiting.digest,
                };
                self.passed.insert(key, passed);
            }
            Event::Reported => {}
        }
    }

    /// With what was approved, and not as the client wrote it: what people did not see does not run.
    fn pass_approved(&mut self, key: String, waiting: Waiting, approved: Approved) {
        let mut message = waiting.message;
        if let Some(params) = message["params"].as_object_mut()
            && (params.contains_key("arguments") || approved.arguments != json!({}))
        {
            params.insert("arguments".to_owned(), approved.arguments);
        }
        self.pass(message.to_string());
        let passed = Passed {
            message,
            approval: Some(approved.id),
            digest: waiting.digest,
        };
        self.passed.insert(key, passed);
    }
}
