//! What OpenCode asks, and what people are asked for it. Messages are held against the schemas that OpenCode publishes.

use serde_json::{Map, Value, json};

use super::*;
use crate::{
    client::Client,
    race::request::{Permission, Request},
};

fn desk() -> Desk {
    Desk {
        client: Client::new("http://127.0.0.1:1", None, |_| ()).unwrap(),
        seconds: 60,
        session: None,
        name: "opencode".to_owned(),
        runs_as: "opencode",
    }
}

/// Whether it fits the schema at this place.
fn fits(kind: &str, name: &str, value: &Value) {
    let text = include_str!("../../../../../dev/fixtures/opencode/schema.json");
    let all: Value = serde_json::from_str(text).unwrap();
    let mut schema = all[kind][name].clone();
    assert!(schema.is_object(), "{kind} {name}");
    schema["$defs"] = all["$defs"].clone();
    assert!(jsonschema::is_valid(&schema, value), "{name}: {value}");
}

fn asked(event: &str, properties: &Value) -> Asked {
    let said = json!({ "id": "evt_1", "type": event, "properties": properties });
    fits("events", event, &said);
    Asked::new(Way::asking(event).unwrap(), properties.clone(), true).unwrap()
}

fn bash() -> Value {
    json!({
        "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["rm -rf build"],
        "metadata": { "command": "rm -rf build" }, "always": ["rm *"],
        "tool": { "messageID": "msg_1", "callID": "call_1" },
    })
}

fn of_server(id: &str) -> Value {
    json!({ "id": id, "sessionID": "ses_1", "permission": "files_delete", "patterns": ["*"],
        "metadata": {}, "always": ["*"], "tool": { "messageID": "msg_1", "callID": "call_1" } })
}

fn permission(asked: &Asked, input: Option<Value>) -> Box<Permission> {
    match asked.request(&desk(), "/srv/app", input).unwrap() {
        Request::Permission(permission) => permission,
        Request::Question(..) => panic!("no approval is asked for"),
    }
}

#[test]
fn a_permission_is_an_approval_of_all_that_opencode_says_and_of_what_the_tool_is_given() {
    let asked = asked("permission.asked", &bash());
    let input = json!({ "command": "rm -rf build", "workdir": "/tmp" });
    let permission = permission(&asked, Some(input.clone()));
    let body = permission.wanted.body(&desk());
    assert_eq!(body["session_id"], "ses_1");
    assert_eq!(
        body["action"],
        json!({ "tool": "opencode/bash", "arguments": {
            "cwd": "/srv/app",
            "request": {
                "permission": "bash", "patterns": ["rm -rf build"],
                "metadata": { "command": "rm -rf build" }, "always": ["rm *"], "input": input,
            },
            "option": "once",
            "options": [
                { "id": "once", "name": "This time", "kind": "once" },
                { "id": "always", "name": "Always: rm *", "kind": "always" },
            ],
        }})
    );
    let place = "/permission/{requestID}/reply";
    for option in ["once", "always"] {
        let reply = permission.result(&json!({ "option": option })).unwrap();
        fits("replies", place, &reply);
        assert_eq!(reply, json!({ "reply": option }));
    }
    assert!(permission.result(&json!({ "option": "reject" })).is_err());
    let denied = permission.denied(&anyhow::anyhow!("Ana denied it: not now"));
    fits("replies", place, &denied);
    assert_eq!(
        denied,
        json!({ "reply": "reject", "message": "Ana denied it: not now" })
    );
    assert_eq!(asked.reply(), ["permission", "per_1", "reply"]);
}

#[test]
fn the_newer_interface_asks_the_same_at_its_own_address() {
    let said = json!({
        "id": "per_2", "sessionID": "ses_1", "action": "edit", "resources": ["a.txt"],
        "metadata": { "diff": "+hello" },
        "source": { "type": "tool", "messageID": "msg_1", "callID": "call_1" },
    });
    let asked = asked("permission.v2.asked", &said);
    let body = permission(&asked, None).wanted.body(&desk());
    let arguments = &body["action"]["arguments"];
    assert_eq!(
        arguments["request"],
        json!({ "action": "edit", "resources": ["a.txt"], "metadata": { "diff": "+hello" } })
    );
    // OpenCode would keep nothing.
    assert_eq!(arguments["options"].as_array().unwrap().len(), 1);
    let reply = "api/session/ses_1/permission/per_2/reply";
    assert_eq!(asked.reply().join("/"), reply);
    assert_eq!(
        asked.message().unwrap().join("/"),
        "api/session/ses_1/message/msg_1"
    );
    let content = json!([{ "type": "tool", "id": "call_1", "name": "edit",
        "state": { "status": "running", "input": { "path": "a.txt" } } }]);
    let message = json!({ "data": { "content": content } });
    assert!(matches!(asked.input(&message), Input::Is(input) if input == json!({"path": "a.txt"})));
}

#[test]
fn what_a_tool_is_given_has_to_be_known() {
    let asked = asked("permission.asked", &of_server("per_3"));
    let Err(refused) = asked.request(&desk(), "/srv/app", None) else {
        panic!("people are asked what is not known");
    };
    assert_eq!(
        refused.to_string(),
        "OpenCode does not say what `files_delete` is given"
    );
    let message = |state: Value| {
        json!({ "parts": [
            { "type": "tool", "callID": "call_0", "state": { "status": "running", "input": { "no": 1 } } },
            { "type": "tool", "callID": "call_1", "state": state },
        ]})
    };
    let running = json!({ "status": "running", "input": { "path": "/etc" } });
    assert!(matches!(asked.input(&message(running)), Input::Is(input) if input["path"] == "/etc"));
    let begun = json!({ "status": "pending", "input": {} });
    assert!(matches!(asked.input(&message(begun)), Input::Unknown));
    for status in ["completed", "error"] {
        let ended = json!({ "status": status, "input": {} });
        assert!(matches!(asked.input(&message(ended)), Input::Over));
    }
    assert!(matches!(asked.input(&json!({})), Input::Unknown));
}

#[test]
fn nothing_is_asked_that_could_be_another_thing() {
    let way = Way::Permission;
    let unclear = Asked::new(way, bash(), false).unwrap();
    assert!(unclear.request(&desk(), "/srv/app", None).is_err());
    for id in ["", "../session", "per_1?x", "per 1", &"a".repeat(51)] {
        assert!(Asked::new(way, of_server(id), true).is_none(), "{id}");
    }
}

#[test]
fn the_answers_to_questions_stand_in_their_order() {
    let option = |label: &str| json!({ "label": label, "description": "it" });
    let said = json!({ "id": "que_1", "sessionID": "ses_1", "questions": [
        { "question": "Which?", "header": "Database", "options": [option("SQLite"), option("Postgres")] },
        { "question": "Which of them?", "header": "Parts", "multiple": true,
            "options": [option("A"), option("B")] },
        { "question": "What is it called?", "header": "Name", "options": [] },
    ]});
    let asked = asked("question.asked", &said);
    let Request::Question(question, made) = asked.request(&desk(), "/srv/app", None).unwrap()
    else {
        panic!("no question is asked");
    };
    let body = question.form.body(&question.prompt);
    let questions = &body["questions"];
    assert_eq!(questions[0]["options"], json!(["SQLite", "Postgres"]));
    assert_eq!(questions[1]["multiple"], true);
    assert!(questions[2].get("options").is_none(), "{body}");
    let content: Map<String, Value> = [
        ("q1".to_owned(), json!("SQLite")),
        ("q2".to_owned(), json!(["A", "B"])),
        ("q3".to_owned(), json!("shop")),
    ]
    .into_iter()
    .collect();
    let reply = made(content);
    fits("replies", "/question/{requestID}/reply", &reply);
    assert_eq!(
        reply,
        json!({ "answers": [["SQLite"], ["A", "B"], ["shop"]] })
    );
}
