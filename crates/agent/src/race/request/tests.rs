//! The action that people approve, and the option that it picks.

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

fn permission(ids: &[&str]) -> anyhow::Result<Permission> {
    let choice = |id: &&str| Choice {
        id: (*id).to_owned(),
        name: format!("Name of {id}"),
        kind: Some("allow_once".to_owned()),
        result: json!(id),
    };
    let call = json!({"title": "npm test"}).as_object().unwrap().clone();
    let doing = Doing {
        tool: "execute",
        folder: Some("/srv"),
        session: Some("s"),
        call: ("toolCall", call),
    };
    Permission::new(
        &desk(),
        doing,
        ids.iter().map(choice).collect(),
        json!("no"),
    )
}

#[test]
fn the_action_holds_the_option_that_a_yes_picks() {
    let one = permission(&["once"]).unwrap();
    let body = one.wanted.body(&desk());
    let expected = json!({
        "cwd": "/srv", "toolCall": {"title": "npm test"}, "option": "once",
        "options": [{"id": "once", "name": "Name of once", "kind": "allow_once"}],
    });
    assert_eq!(body["action"]["tool"], "gemini/execute");
    assert_eq!(body["action"]["arguments"], expected);
    assert_eq!(body["session_id"], "s");
    assert!(body.get("amendable").is_none());

    let two = permission(&["once", "always"]).unwrap();
    let body = two.wanted.body(&desk());
    assert_eq!(body["action"]["arguments"]["option"], "once");
    assert_eq!(body["amendable"]["paths"], json!(["/option"]));
    let field = &body["amendable"]["schema"]["properties"]["option"];
    assert_eq!(field["enum"], json!(["once", "always"]));
    assert_eq!(
        field["description"],
        "once: Name of once · always: Name of always"
    );
}

#[test]
fn only_an_option_that_was_offered_is_picked() {
    let two = permission(&["once", "always"]).unwrap();
    for (option, expected) in [
        (json!("once"), Some(json!("once"))),
        (json!("always"), Some(json!("always"))),
        (json!("never"), None),
        (Value::Null, None),
    ] {
        let found = two.result(&json!({ "option": option })).ok();
        assert_eq!(found, expected, "{option}");
    }
    assert!(permission(&[]).is_err());
    assert!(permission(&["a", "b", "a"]).is_err());
}

#[test]
fn nothing_but_the_option_may_be_another() {
    let arguments = json!({"cwd": "/srv", "toolCall": {"n": 1}, "option": "a"});
    let takes = takes(arguments.as_object().unwrap(), &["a", "b"]);
    let fits = |name: &str, value: Value| {
        let mut changed = arguments.clone();
        changed[name] = value;
        jsonschema::is_valid(&takes, &changed)
    };
    assert!(fits("option", json!("b")));
    assert!(!fits("option", json!("c")));
    assert!(!fits("cwd", json!("/")));
    assert!(!fits("toolCall", json!({"n": 2})));
    assert!(!fits("more", json!(1)));
    assert!(!jsonschema::is_valid(&takes, &json!({"option": "a"})));
}
