//! What agents ask.

use serde_json::{Value, json};

use super::Chance;
use crate::cast::TEAM;

/// The action that policies are about.
pub(crate) const RULED: &str = "cargo test store";

/// The action that is asked again and again, of which people make grants.
pub(super) const GRANTED: &str = "make docs";

/// A request, with a prompt that no other has, unless it is one that an earlier answer may answer: then its title is its own.
pub(crate) fn body(chance: &mut Chance, prompt: &str) -> Value {
    let mut body = match chance.below(20) {
        0 => json!({"kind": "question"}),
        1 => json!({"kind": "question", "fallback": format!("the fallback of {prompt}")}),
        2 => json!({"kind": "choice", "options": ["redis", "lru"], "fallback": "lru"}),
        3 => json!({"kind": "acknowledgement"}),
        4 => json!({"kind": "form", "questions": [
            {"id": "port", "prompt": "Which port?"},
            {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
        ]}),
        5 => json!({"kind": "plan_review", "plan": format!("1. Test {prompt}\n2. Deploy")}),
        6 => json!({"kind": "notification"}),
        7..10 => approval(json!({"tool": "Bash", "arguments": {"command": RULED}})),
        10..15 => approval(json!({"tool": "Bash", "arguments": {"command": GRANTED}})),
        15 | 16 => {
            let mut body = deploy(prompt);
            body["approvals"] = json!({"needed": 2, "four_eyes": chance.one_in(2)});
            body
        }
        17 => {
            let mut body = deploy(prompt);
            body["amendable"] = json!({"paths": ["/replicas"]});
            body
        }
        _ => deploy(prompt),
    };
    body["prompt"] = prompt.into();
    let is_notification = body["kind"] == "notification";
    if !is_notification {
        surround(chance, &mut body);
    }
    if body["action"]["arguments"]["command"] != GRANTED && chance.one_in(4) {
        body["team"] = TEAM.into();
    }
    body
}

/// How a question begins that is asked again and again.
pub(super) const REPEATED: &str = "Which port has service";

/// The same question each time, which an earlier answer may answer.
pub(crate) fn repeated(chance: &mut Chance) -> Value {
    json!({"kind": "question", "prompt": format!("{REPEATED} {}?", chance.below(2)), "timeout_seconds": 1_800})
}

fn approval(action: Value) -> Value {
    json!({"kind": "approval", "action": action})
}

fn deploy(prompt: &str) -> Value {
    approval(json!({"tool": "deploy", "arguments": {"replicas": 2, "service": prompt}}))
}

fn surround(chance: &mut Chance, body: &mut Value) {
    body["timeout_seconds"] = match chance.below(8) {
        0 => Value::Null,
        1 => 20.into(),
        2 => 90.into(),
        _ => 1_200.into(),
    };
    if chance.one_in(3) {
        body["mode"] = "async".into();
    }
    if chance.one_in(5) {
        body["priority"] = "urgent".into();
    }
    if chance.one_in(4) {
        body["task"] = json!({"id": format!("task-{}", chance.below(3))});
    }
    if chance.one_in(4) {
        body["session_id"] = format!("session-{}", chance.below(2)).into();
        body["withdraw_on_disconnect"] = chance.one_in(2).into();
    }
    if chance.one_in(3) {
        body["callback_url"] = "https://agents.example.com/hook".into();
    }
}
