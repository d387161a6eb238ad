//! What an agent may ask, and what not.

use serde_json::{Value, json};

use crate::{
    interaction::{AnswerContent, AnswerDraft, Draft, Kind, Mode, Request},
    limits,
    testing::{body, draft, request, with},
};

/// Paths of the faults; empty = accepted.
fn faults(body: Value) -> Vec<String> {
    match draft(body).check(|_| None) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.path).collect(),
    }
}

#[test]
fn a_draft_is_refused_with_every_fault_and_its_path() {
    let wrong = json!({
        "kind": "riddle",
        "prompt": "x".repeat(limits::TEXT_CHARS + 1),
        "title": "two\nlines",
        "session_id": " ",
        "task": {"id": ""},
        "metadata": [1],
        "timeout_seconds": 0,
    });
    assert_eq!(
        faults(wrong),
        [
            "kind",
            "prompt",
            "title",
            "session_id",
            "task.id",
            "metadata",
            "timeout_seconds"
        ]
    );
    assert_eq!(faults(json!({})), ["kind", "prompt"]);
}

#[test]
fn every_kind_takes_its_own_fields_and_no_others() {
    let options = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    for kind in Kind::ALL {
        assert_eq!(faults(body(kind)), [""; 0], "{kind:?}");
    }
    for (kind, fields, expected) in [
        (
            Kind::Question,
            json!({"options": ["a", "b"]}),
            &["options"][..],
        ),
        (Kind::Choice, json!({"options": null}), &["options"]),
        (Kind::Choice, json!({"options": []}), &["options"]),
        (Kind::Choice, json!({"options": ["a"]}), &["options"]),
        (Kind::Choice, json!({"options": options(25)}), &[]),
        (Kind::Choice, json!({"options": options(26)}), &["options"]),
        (
            Kind::Choice,
            json!({"options": ["a", "a"]}),
            &["options[1].value"],
        ),
        (
            Kind::Choice,
            json!({"options": ["a", {"value": "b", "label": "a"}]}),
            &["options[1].label"],
        ),
        (
            Kind::Choice,
            json!({"options": ["a", "x".repeat(76)]}),
            &["options[1].value"],
        ),
        (
            Kind::Choice,
            json!({"options": ["a", ""]}),
            &["options[1].value"],
        ),
        (
            Kind::Choice,
            json!({"options": ["a", {"value": "b", "description": "x".repeat(76)}]}),
            &["options[1].description"],
        ),
        (Kind::Approval, json!({"action": null}), &["action"]),
        (
            Kind::Approval,
            json!({"action": {"tool": " "}}),
            &["action.tool"],
        ),
        (
            Kind::Approval,
            json!({"action": {"tool": "t", "arguments": [1]}}),
            &["action.arguments"],
        ),
        (Kind::PlanReview, json!({"plan": null}), &["plan"]),
        (Kind::PlanReview, json!({"plan": " \n"}), &["plan"]),
        (Kind::PlanReview, json!({"level": "info"}), &["level"]),
        (
            Kind::PlanReview,
            json!({"revises": "00000000-0000-0000-0000-000000000001"}),
            &[],
        ),
        (
            Kind::PlanReview,
            json!({"revises": "the last one"}),
            &["revises"],
        ),
        (
            Kind::Question,
            json!({"revises": "00000000-0000-0000-0000-000000000001"}),
            &["revises"],
        ),
        (Kind::Form, json!({"questions": []}), &["questions"]),
        (
            Kind::Form,
            json!({"questions": (0..11).map(|n| json!({"id": n.to_string(), "prompt": "?"})).collect::<Vec<_>>()}),
            &["questions"],
        ),
        (
            Kind::Form,
            json!({"questions": [
                {"id": "a", "prompt": "?"},
                {"id": "a", "prompt": "", "options": ["x"]},
                {"id": "b", "prompt": "?", "multiple": true},
            ]}),
            &[
                "questions[1].prompt",
                "questions[1].id",
                "questions[1].options",
                "questions[2].multiple",
            ],
        ),
        (Kind::Notification, json!({"mode": "sync"}), &["mode"]),
        (
            Kind::Notification,
            json!({"timeout_seconds": 5}),
            &["timeout_seconds"],
        ),
    ] {
        assert_eq!(
            faults(with(kind, fields.clone())),
            expected,
            "{kind:?} {fields}"
        );
    }
}

#[test]
fn only_what_cannot_grant_anything_has_a_fallback() {
    let content = |kind, fallback: Value| {
        let request: Result<Request, _> =
            draft(with(kind, json!({"fallback": fallback}))).check(|_| None);
        request.map(|request| request.fallback)
    };
    let text = AnswerContent::Text {
        text: String::new(),
    };
    assert_eq!(content(Kind::Question, json!("")), Ok(Some(text)));
    let lru = AnswerContent::Selected {
        selected: vec!["lru".into()],
    };
    assert_eq!(content(Kind::Choice, json!("lru")), Ok(Some(lru)));
    assert!(content(Kind::Form, json!({"port": "80", "env": "staging"})).is_ok());
    for (kind, fallback) in [
        (Kind::Question, json!(5)),
        (Kind::Choice, json!("other")),
        (Kind::Choice, json!(["lru"])),
        (Kind::Form, json!({"port": "80"})),
        (Kind::Acknowledgement, json!("ok")),
        (Kind::Approval, json!(true)),
        (Kind::Approval, json!({"approved": true})),
        (Kind::PlanReview, json!("proceed")),
        (Kind::Notification, json!("x")),
    ] {
        let faults = content(kind, fallback.clone()).unwrap_err();
        assert_eq!(faults[0].path, "fallback", "{kind:?} {fallback}");
    }
    let several = with(
        Kind::Choice,
        json!({"multiple": true, "fallback": ["lru", "redis"]}),
    );
    assert_eq!(faults(several), [""; 0]);
}

#[test]
fn absent_timeout_is_the_default_and_null_is_never() {
    let seconds = |fields| request(with(Kind::Question, fields)).timeout_seconds;
    assert_eq!(seconds(json!({})), Some(24 * 60 * 60));
    assert_eq!(seconds(json!({"timeout_seconds": null})), None);
    assert_eq!(
        seconds(json!({"timeout_seconds": limits::TIMEOUT_SECONDS})),
        Some(limits::TIMEOUT_SECONDS)
    );
    for wrong in [0, -1, limits::TIMEOUT_SECONDS + 1] {
        let body = with(Kind::Question, json!({"timeout_seconds": wrong}));
        assert_eq!(faults(body), ["timeout_seconds"], "{wrong}");
    }
}

#[test]
fn modes_are_sync_unless_said_otherwise_and_notifications_are_async() {
    assert_eq!(request(body(Kind::Question)).mode, Mode::Sync);
    assert_eq!(request(body(Kind::Notification)).mode, Mode::Async);
}

#[test]
fn a_request_is_stored_and_read_back_as_it_is() {
    for kind in Kind::ALL {
        let request = request(with(kind, json!({"metadata": {"pr": 12}})));
        let json = serde_json::to_string(&request).unwrap();
        let read: Request = serde_json::from_str(&json).unwrap();
        assert_eq!(read, request);
    }
}

#[test]
fn an_option_is_a_string_or_an_object() {
    let parsed = |option: Value| {
        let body = with(Kind::Choice, json!({"options": [option, "b"]}));
        serde_json::from_value::<Draft>(body)
    };
    assert!(parsed(json!({"value": "a", "label": "A"})).is_ok());
    for (wrong, why) in [
        (json!(1), "expected a string, or an object"),
        (json!(["a", "A", null]), "expected a string, or an object"),
        (json!({"label": "A"}), "missing field `value`"),
        (json!({"value": "a", "x": 1}), "unknown field `x`"),
    ] {
        let error = parsed(wrong).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn an_array_is_no_object() {
    for (kind, fields) in [
        (Kind::Approval, json!({"action": ["shell", {}]})),
        (Kind::Question, json!({"task": ["T-1", null, null, null]})),
        (Kind::Form, json!({"questions": [["q", "?", null, false]]})),
    ] {
        let read = serde_json::from_value::<Draft>(with(kind, fields));
        let error = read.unwrap_err().to_string();
        assert!(error.contains("expected an object"), "{error}");
    }
}

#[test]
fn an_answer_stands_once() {
    let twice = r#"{"answers": {"port": "80", "port": "81"}}"#;
    let error = serde_json::from_str::<AnswerDraft>(twice).unwrap_err();
    assert!(
        error.to_string().contains("the key `port` stands twice"),
        "{error}"
    );
    let none: AnswerDraft = serde_json::from_str(r#"{"answers": null}"#).unwrap();
    assert_eq!(none, AnswerDraft::default());
}

#[test]
fn a_fingerprint_is_of_what_was_sent() {
    let of = |body: Value| draft(body).fingerprint();
    let body = with(Kind::Question, json!({"metadata": {"pr": 12}}));
    assert_eq!(of(body.clone()), of(body.clone()));
    for other in [
        json!({"metadata": {"pr": 13}}),
        json!({"metadata": {"pr": 12}, "timeout_seconds": null}),
        json!({"metadata": {"pr": 12}, "timeout_seconds": 86_400}),
    ] {
        assert_ne!(of(body.clone()), of(with(Kind::Question, other)));
    }
}

#[test]
fn a_fingerprint_does_not_know_the_order_of_keys() {
    let of = |body: &str| serde_json::from_str::<Draft>(body).unwrap().fingerprint();
    let sorted = r#"{"kind":"approval","prompt":"Run it?","metadata":{"a":[{"b":1,"c":2}],"z":0},"action":{"tool":"t","arguments":{"Z":1,"a":{"x":1,"y":2},"b":"ü"}}}"#;
    // sha256sum of it: those that are stored must not change.
    let expected = "55054f393003ac61d2e44a5ecf752b646c12d2f503dbf44ef71eb3811953f7ed";
    assert_eq!(crate::digest::hex(&of(sorted)), expected);
    let other = r#"{"action":{"arguments":{"b":"ü","a":{"y":2,"x":1},"Z":1},"tool":"t"},"prompt":"Run it?",
        "metadata":{"z":0,"a":[{"c":2,"b":1}]},"kind":"approval"}"#;
    assert_eq!(of(other), of(sorted));
}

#[test]
fn options_that_look_the_same_are_refused() {
    for (one, other, expected) in [
        ("Keep the data", "Keep the data ", true),
        ("Keep the data", "Keep  the\u{a0}data", true),
        ("Keep", "Keep\u{fe0f}", true),
        ("Keep", "keep", false),
        ("prid", "pr\u{456}d", true),
        ("prid", "pri\u{307}d", true),
        ("prid", "pr\u{131}d", true),
        ("prid", "pr\u{131}\u{307}d", true),
        ("café", "cafe\u{301}", true),
        ("café", "cafe", false),
        ("paypal", "p\u{430}yp\u{430}l", true),
        ("rm -rf", "rm \u{2010}rf", true),
        ("Plan 1", "Plan 2", false),
    ] {
        let options = json!([{"value": "keep", "label": one}, {"value": "wipe", "label": other}]);
        let paths = faults(with(Kind::Choice, json!({ "options": options })));
        assert_eq!(
            paths.contains(&"options[1].label".to_owned()),
            expected,
            "{other:?}"
        );
    }
}

#[test]
fn what_goes_with_its_session_names_one_and_waits_for_an_answer() {
    let flagged = |kind, fields: Value| {
        let mut body = with(kind, fields);
        body["withdraw_on_disconnect"] = true.into();
        faults(body)
    };
    let session = json!({"session_id": "s"});
    assert_eq!(
        flagged(Kind::Question, json!({})),
        ["withdraw_on_disconnect"]
    );
    assert_eq!(flagged(Kind::Approval, session.clone()), [""; 0]);
    assert_eq!(
        flagged(Kind::Notification, session),
        ["withdraw_on_disconnect"]
    );
    let said_no = with(Kind::Question, json!({"withdraw_on_disconnect": false}));
    assert!(!request(said_no).withdraw_on_disconnect);
}
