//! What an agent asks by the Agent Client Protocol, and what people are asked for it.

use serde_json::{Value, json};

use super::*;
use crate::client::Client;

fn desk() -> Desk {
    Desk {
        client: Client::new("http://127.0.0.1:1", None, |_| ()).unwrap(),
        seconds: 60,
        session: None,
        name: "gemini".to_owned(),
        runs_as: "acp",
    }
}

fn said(message: &Value) -> Said {
    Said::read(message.to_string().as_bytes()).unwrap()
}

fn options() -> Value {
    json!([
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "once", "name": "Once", "kind": "allow_once"},
        {"optionId": "new", "name": "Whatever", "kind": "allow_for_ever"},
        {"optionId": "never", "name": "Never", "kind": "reject_always"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ])
}

fn asked(acp: &mut Acp, call: &Value, options: &Value) -> anyhow::Result<Value> {
    let params = json!({"sessionId": "s", "toolCall": call, "options": options});
    let message = json!({"id": 1, "method": "session/request_permission", "params": params});
    let heard = acp.hear_agent(&said(&message), &desk())?;
    let Some(Heard::Asks(request, session)) = heard else {
        panic!("nothing is asked");
    };
    assert_eq!(session.as_deref(), Some("s"));
    let Request::Permission(permission) = request else {
        panic!("no permission is asked for");
    };
    let mut body = permission.wanted.body(&desk());
    body["denial"] = permission.denial;
    Ok(body)
}

fn update(acp: &mut Acp, update: Value) {
    let params = json!({"sessionId": "s", "update": update});
    let message = json!({"method": "session/update", "params": params});
    assert!(acp.hear_agent(&said(&message), &desk()).unwrap().is_none());
}

#[test]
fn the_action_is_the_call_with_the_option_that_allows_it_once() {
    let call = json!({
        "toolCallId": "call_8f3a", "kind": "execute", "title": "npm test", "status": "pending", "name": null,
        "rawInput": {"command": ["npm", "test"]}, "locations": [{"path": "/srv/a.js"}], "_meta": {"at": 4},
        "content": [{"type": "diff", "path": "/srv/a.js", "oldText": "a", "newText": "b"}],
    });
    let body = asked(&mut Acp::default(), &call, &options()).unwrap();
    assert_eq!(body["action"]["tool"], "gemini/execute");
    let arguments = &body["action"]["arguments"];
    assert_eq!(
        arguments["toolCall"],
        json!({
            "kind": "execute", "title": "npm test", "rawInput": {"command": ["npm", "test"]},
            "locations": [{"path": "/srv/a.js"}],
            "content": [{"type": "diff", "path": "/srv/a.js", "oldText": "a", "newText": "b"}],
        })
    );
    assert_eq!(arguments["option"], "once");
    assert_eq!(arguments["session"], "s");
    // One that is not known is not offered.
    assert_eq!(
        body["amendable"]["schema"]["properties"]["option"]["enum"],
        json!(["once", "always"])
    );
    assert_eq!(
        body["denial"],
        json!({"outcome": {"outcome": "selected", "optionId": "no"}})
    );
}

#[test]
fn without_an_option_that_rejects_a_denial_cancels() {
    let call = json!({"toolCallId": "1", "title": "x"});
    let mut acp = Acp::default();
    let one = json!([{"optionId": "a", "name": "A", "kind": "allow_once"}]);
    let body = asked(&mut acp, &call, &one).unwrap();
    assert_eq!(body["denial"], json!({"outcome": {"outcome": "cancelled"}}));
    assert!(body.get("amendable").is_none());
    let never = json!([
        {"optionId": "a", "name": "A", "kind": "allow_always"},
        {"optionId": "n", "name": "N", "kind": "reject_always"},
    ]);
    let body = asked(&mut acp, &call, &never).unwrap();
    assert_eq!(body["denial"]["outcome"]["optionId"], "n");
    assert_eq!(body["action"]["arguments"]["option"], "a");
}

#[test]
fn what_people_cannot_be_asked_is_left_to_the_terminal() {
    let call = json!({"toolCallId": "1", "title": "x"});
    let allow = json!({"optionId": "a", "name": "A", "kind": "allow_once"});
    for (call, options, why) in [
        (&call, json!([]), "no option of it allows it"),
        (
            &call,
            json!([{"optionId": "a", "name": "A", "kind": "approve"}]),
            "no option of it allows it",
        ),
        (
            &call,
            json!([allow, {"optionId": "a", "name": "No", "kind": "reject_once"}]),
            "have the id `a`",
        ),
        (&call, Value::Null, "has no options"),
        (
            &json!({"toolCallId": "1"}),
            json!([allow]),
            "does not say what",
        ),
        (
            &json!({"toolCallId": "1", "title": " ", "rawInput": {}, "content": []}),
            json!([allow]),
            "does not say what",
        ),
        (&json!({"title": "x"}), json!([allow]), "names no call"),
        (&Value::Null, json!([allow]), "names no call"),
    ] {
        let refused = asked(&mut Acp::default(), call, &options).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let twice = r#"{"id":1,"method":"session/request_permission","params":{"sessionId":"s","options":[],"toolCall":{"title":"a","title":"b"}}}"#;
    let said = Said::read(twice.as_bytes()).unwrap();
    assert!(Acp::default().hear_agent(&said, &desk()).is_err());
}

#[test]
fn what_was_said_of_a_call_before_belongs_to_it() {
    let mut acp = Acp::default();
    let allow = json!([{"optionId": "a", "name": "A", "kind": "allow_once"}]);
    update(
        &mut acp,
        json!({"sessionUpdate": "tool_call", "toolCallId": "1", "title": "rm", "kind": "delete", "rawInput": {"path": "/x"}}),
    );
    update(
        &mut acp,
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "title": null, "rawInput": {"path": "/y"}}),
    );
    let only_id = json!({"toolCallId": "1"});
    let body = asked(&mut acp, &only_id, &allow).unwrap();
    assert_eq!(body["action"]["tool"], "gemini/delete");
    let expected = json!({"title": "rm", "kind": "delete", "rawInput": {"path": "/y"}});
    assert_eq!(body["action"]["arguments"]["toolCall"], expected);
    // It is over, or the turn is.
    let over =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"});
    let over = json!({"method": "session/update", "params": {"sessionId": "s", "update": over}});
    let heard = acp.hear_agent(&said(&over), &desk()).unwrap();
    assert!(matches!(heard, Some(Heard::Done(call, false)) if call.1 == "1"));
    assert!(asked(&mut acp, &only_id, &allow).is_err());
    update(
        &mut acp,
        json!({"sessionUpdate": "tool_call", "toolCallId": "1", "title": "rm"}),
    );
    let prompt = json!({"id": 3, "method": "session/prompt", "params": {"sessionId": "s"}});
    assert!(acp.hear_client(&said(&prompt)).is_none());
    assert!(asked(&mut acp, &only_id, &allow).is_err());
    // Two readers could have read two calls.
    let twice = r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"a","title":"b"}}}"#;
    let twice = Said::read(twice.as_bytes()).unwrap();
    acp.hear_agent(&twice, &desk()).unwrap();
    let refused = asked(
        &mut acp,
        &json!({"toolCallId": "1", "kind": "edit"}),
        &allow,
    );
    assert!(refused.unwrap_err().to_string().contains("several ways"));
}

#[test]
fn the_folder_is_that_of_the_session() {
    let mut acp = Acp::default();
    let call = json!({"toolCallId": "1", "title": "x"});
    let allow = json!([{"optionId": "a", "name": "A", "kind": "allow_once"}]);
    let new =
        json!({"id": 7, "method": "session/new", "params": {"cwd": "/srv", "mcpServers": []}});
    acp.hear_client(&said(&new));
    let other = json!({"id": 8, "result": {"sessionId": "other"}});
    acp.hear_agent(&said(&other), &desk()).unwrap();
    let opened = json!({"id": 7, "result": {"sessionId": "s"}});
    acp.hear_agent(&said(&opened), &desk()).unwrap();
    let body = asked(&mut acp, &call, &allow).unwrap();
    assert_eq!(body["action"]["arguments"]["cwd"], "/srv");
    assert!(body["action"]["arguments"].get("session").is_none());
    let load =
        json!({"id": 9, "method": "session/load", "params": {"sessionId": "s", "cwd": "/opt"}});
    acp.hear_client(&said(&load));
    let body = asked(&mut acp, &call, &allow).unwrap();
    assert_eq!(body["action"]["arguments"]["cwd"], "/opt");
}

#[test]
fn only_forms_are_asked_for_and_what_is_cancelled_is_over() {
    let mut acp = Acp::default();
    let schema = json!({"properties": {"port": {"type": "integer", "title": null, "minimum": 1}}, "required": null});
    for (mode, is_asked) in [
        (json!("form"), true),
        (json!("url"), false),
        (json!("_own"), false),
        (Value::Null, false),
    ] {
        let params =
            json!({"mode": mode, "message": "Which?", "sessionId": "s", "requestedSchema": schema});
        let message = json!({"id": 1, "method": "elicitation/create", "params": params});
        let heard = acp.hear_agent(&said(&message), &desk()).unwrap();
        assert_eq!(heard.is_some(), is_asked, "{mode}");
    }
    // Its acceptance is all that is asked for.
    let schema = json!({"type": "object", "properties": {}});
    let params =
        json!({"mode": "form", "message": "Go on?", "requestId": 4, "requestedSchema": schema});
    let message = json!({"id": 1, "method": "elicitation/create", "params": params});
    let heard = acp.hear_agent(&said(&message), &desk()).unwrap();
    let Some(Heard::Asks(request, None)) = heard else {
        panic!("nothing is asked");
    };
    let Request::Permission(permission) = request else {
        panic!("no approval is asked for");
    };
    assert_eq!(permission.denial, json!({"action": "decline"}));
    let expected = json!({"action": "accept", "content": {}});
    assert_eq!(
        permission.result(&json!({"option": "accept"})).unwrap(),
        expected
    );
    let cancel = json!({"method": "$/cancel_request", "params": {"requestId": 1}});
    let heard = acp.hear_agent(&said(&cancel), &desk()).unwrap();
    assert!(matches!(heard, Some(Heard::Over(key)) if key == "1"));
    let cancel = json!({"method": "session/cancel", "params": {"sessionId": "s"}});
    let heard = acp.hear_client(&said(&cancel));
    assert!(matches!(heard, Some(Heard::SessionOver(session)) if session == "s"));
}
