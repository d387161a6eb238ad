//! What of an action may be changed, and what may not.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    Interaction, Role,
    decide::interaction as decide,
    fault::Fault,
    interaction::{
        Action, AnswerContent, Ask, Differences, Draft, Kind, Outcome, Request, State, Unproven,
        changes, differences,
    },
    json::AnyJson,
    limits,
    refused::Refused,
    testing::{Counter, Stamp, at, body, draft, given, opened, person, request, with, written},
};

const DEPLOY: &str = r#"{"service": "api", "replicas": 2, "env": {"REGION": "eu", "DEBUG": "0"}}"#;

fn deploy(amendable: Value) -> Value {
    let arguments: Value = serde_json::from_str(DEPLOY).unwrap();
    with(
        Kind::Approval,
        json!({"action": {"tool": "deploy", "arguments": arguments}, "amendable": amendable}),
    )
}

fn schema(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn refused(body: Value) -> Vec<Fault> {
    draft(body).check(|_| None).err().unwrap_or_default()
}

fn paths(faults: &[Fault]) -> Vec<&str> {
    faults.iter().map(|fault| &*fault.path).collect()
}

#[test]
fn what_may_be_changed_is_said_in_full_or_refused_with_its_place() {
    for (amendable, expected) in [
        (json!(true), &[][..]),
        (json!(false), &[]),
        (json!({"paths": ["/replicas", "/env/REGION"]}), &[]),
        (
            json!({"schema": schema(json!({"replicas": {"type": "integer"}}))}),
            &[],
        ),
        // What is not there yet may be added, where the schema names it.
        (
            json!({"paths": ["/tag"], "schema": schema(json!({"tag": {"type": "string"}}))}),
            &[],
        ),
        (json!("yes"), &["amendable"]),
        (json!(1), &["amendable"]),
        (json!({}), &["amendable"]),
        (json!([]), &["amendable"]),
        (json!({"path": "/replicas"}), &["amendable.path"]),
        (json!({"paths": "/replicas"}), &["amendable.paths"]),
        (json!({"paths": []}), &["amendable.paths"]),
        (json!({"paths": ["replicas"]}), &["amendable.paths[0]"]),
        (json!({"paths": [""]}), &["amendable.paths[0]"]),
        (
            json!({"paths": ["/replicas", "/replica"]}),
            &["amendable.paths[1]"],
        ),
        (json!({"paths": ["/env~2"]}), &["amendable.paths[0]"]),
        (json!({"paths": ["/env", "/env"]}), &["amendable.paths[1]"]),
        (json!({"schema": true}), &["amendable.schema"]),
        (
            json!({"schema": {"type": "array"}}),
            &["amendable.schema.type", "amendable.schema.properties"],
        ),
        (
            json!({"schema": schema(json!({}))}),
            &["amendable.schema.properties"],
        ),
        (
            json!({"schema": schema(json!({"env": {"type": "object"}}))}),
            &["amendable.schema.properties.env.type"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "pattern": "a+"}}))}),
            &["amendable.schema.properties.service.pattern"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "minimum": 1}}))}),
            &["amendable.schema.properties.service.minimum"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "enum": []}}))}),
            &["amendable.schema.properties.service.enum"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "enum": [1]}}))}),
            &["amendable.schema.properties.service.enum"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "minLength": -1}}))}),
            &["amendable.schema.properties.service.minLength"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "minLength": 4, "maxLength": 3}}))}),
            &["amendable.schema.properties.service.minLength"],
        ),
        (
            json!({"schema": schema(json!({"service": {"type": "string", "default": 1}}))}),
            &["amendable.schema.properties.service.default"],
        ),
        (
            json!({"schema": schema(json!({"replicas": {"type": "integer", "minimum": "1"}}))}),
            &["amendable.schema.properties.replicas.minimum"],
        ),
        (
            json!({"schema": schema(json!({"replicas": {"type": "integer", "minimum": 3, "maximum": 1}}))}),
            &["amendable.schema.properties.replicas.minimum"],
        ),
        (
            json!({"schema": {"type": "object", "properties": {"replicas": {"type": "integer"}}, "required": ["service"]}}),
            &["amendable.schema.required[0]"],
        ),
        (
            json!({"schema": {"type": "object", "properties": {"replicas": {"type": "integer"}}, "allOf": []}}),
            &["amendable.schema.allOf"],
        ),
        (
            json!({"schema": {"type": "object", "properties": {"replicas": {"type": "integer"}}, "additionalProperties": {}}}),
            &["amendable.schema.additionalProperties"],
        ),
        // As asked it would be refused.
        (
            json!({"schema": schema(json!({"replicas": {"type": "integer", "minimum": 3}}))}),
            &["action.arguments.replicas"],
        ),
        (
            json!({"schema": {"type": "object", "properties": {"replicas": {"type": "integer"}}, "additionalProperties": false}}),
            &["action.arguments.service", "action.arguments.env"],
        ),
    ] {
        let faults = refused(deploy(amendable.clone()));
        assert_eq!(paths(&faults), expected, "{amendable}: {faults:?}");
    }
}

#[test]
fn only_an_approval_of_one_person_without_operands_is_amendable() {
    for kind in Kind::ALL {
        let faults = refused(with(kind, json!({"amendable": true})));
        let expected: &[&str] = if kind == Kind::Approval {
            &[]
        } else {
            &["amendable"]
        };
        assert_eq!(paths(&faults), expected, "{kind:?}");
    }
    let mut several = deploy(json!(true));
    several["approvals"] = json!({"needed": 2});
    assert_eq!(paths(&refused(several.clone())), ["amendable"]);
    several["approvals"] = json!({"needed": 1, "four_eyes": true});
    assert_eq!(refused(several), []);
    let mut with_operand = deploy(json!(true));
    let operand = json!({"name": "x.sh", "sha256": "a".repeat(64), "size": 3});
    with_operand["action"]["operands"] = json!([operand]);
    assert_eq!(paths(&refused(with_operand)), ["amendable"]);
}

fn pending(amendable: Value) -> Interaction {
    written(&opened(deploy(amendable), None, &Counter::default()))
}

fn answered(pending: &Interaction, answer: Value) -> Result<Interaction, Vec<Fault>> {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    match decide::answer(pending, given(answer), &ana, None, at(&ids, 1)) {
        Ok(changeset) => Ok(written(&changeset)),
        Err(Refused::Invalid(faults)) => Err(faults),
        Err(other) => panic!("{other}"),
    }
}

fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut arguments = serde_json::from_str(DEPLOY).unwrap();
    change(&mut arguments);
    arguments
}

#[test]
fn an_amendment_stays_where_the_agent_lets_it_and_fits_its_schema() {
    let replicas = || json!({"replicas": {"type": "integer", "minimum": 1, "maximum": 5}});
    let strict = |required: Value| json!({"schema": {"type": "object", "properties": replicas(), "required": required}});
    let is_fine = &[][..];
    for (amendable, arguments, expected) in [
        (
            json!(true),
            changed(|it| it["service"] = json!({"any": [1]})),
            is_fine,
        ),
        (json!(true), json!({}), is_fine),
        (json!(true), json!([]), &["arguments"]),
        (json!(true), json!("x"), &["arguments"]),
        (
            json!(true),
            json!({"n": 9_007_199_254_740_993_i64}),
            &["arguments"],
        ),
        (
            json!({"paths": ["/env/REGION"]}),
            changed(|it| it["env"]["REGION"] = "us".into()),
            is_fine,
        ),
        (
            json!({"paths": ["/env"]}),
            changed(|it| it["env"]["NEW"] = "us".into()),
            is_fine,
        ),
        (
            json!({"paths": ["/env/REGION"]}),
            changed(|it| it["env"]["DEBUG"] = "1".into()),
            &["arguments.env.DEBUG"],
        ),
        // What is above goes with it.
        (
            json!({"paths": ["/env/REGION"]}),
            changed(|it| it["env"] = json!({})),
            &["arguments.env.DEBUG"],
        ),
        (
            json!({"paths": ["/env/REGION"]}),
            changed(|it| it["env"] = json!(1)),
            &["arguments.env"],
        ),
        (
            json!({"paths": ["/replicas"]}),
            changed(|it| it["service"] = "db".into()),
            &["arguments.service"],
        ),
        (
            json!({"paths": ["/replicas"]}),
            changed(|it| it["force"] = true.into()),
            &["arguments.force"],
        ),
        (
            strict(json!([])),
            changed(|it| it["replicas"] = 5.into()),
            is_fine,
        ),
        (
            strict(json!([])),
            changed(|it| it["replicas"] = json!(4.0)),
            is_fine,
        ),
        (
            strict(json!([])),
            changed(|it| it["replicas"] = 6.into()),
            &["arguments.replicas"],
        ),
        (
            strict(json!([])),
            changed(|it| it["replicas"] = 0.into()),
            &["arguments.replicas"],
        ),
        (
            strict(json!([])),
            changed(|it| it["replicas"] = json!(1.5)),
            &["arguments.replicas"],
        ),
        (
            strict(json!([])),
            changed(|it| it["replicas"] = "3".into()),
            &["arguments.replicas"],
        ),
        (
            strict(json!([])),
            changed(|it| it["service"] = "db".into()),
            &["arguments.service"],
        ),
        (
            strict(json!([])),
            changed(|it| drop(it.as_object_mut().unwrap().remove("replicas"))),
            is_fine,
        ),
        (
            strict(json!(["replicas"])),
            changed(|it| drop(it.as_object_mut().unwrap().remove("replicas"))),
            &["arguments.replicas"],
        ),
    ] {
        let pending = pending(amendable.clone());
        let given = json!({"approved": true, "arguments": arguments});
        match answered(&pending, given) {
            Ok(closed) => {
                assert_eq!(expected, is_fine, "{amendable} {arguments}");
                let amended = closed.amended().unwrap();
                assert_eq!(amended.arguments.0, arguments);
            }
            Err(faults) => assert_eq!(paths(&faults), expected, "{amendable} {arguments}"),
        }
    }
}

#[test]
fn texts_and_lists_of_a_schema_hold() {
    let of = |property: Value| json!({"schema": schema(json!({"service": property}))});
    for (property, value, is_fine) in [
        (
            json!({"type": "string", "minLength": 2, "maxLength": 3}),
            json!("üü"),
            true,
        ),
        (
            json!({"type": "string", "minLength": 2, "maxLength": 3}),
            json!("ü"),
            false,
        ),
        (
            json!({"type": "string", "minLength": 2, "maxLength": 3}),
            json!("üüüü"),
            false,
        ),
        (json!({"type": "string"}), json!(null), false),
        (
            json!({"type": "string", "enum": ["api", "db"]}),
            json!("db"),
            true,
        ),
        (
            json!({"type": "string", "enum": ["api", "db"]}),
            json!("d"),
            false,
        ),
    ] {
        let pending = pending(of(property.clone()));
        let arguments = changed(|it| it["service"] = value.clone());
        let answer = answered(&pending, json!({"approved": true, "arguments": arguments}));
        assert_eq!(answer.is_ok(), is_fine, "{property} {value}");
    }
    let flag = with(
        Kind::Approval,
        json!({
            "action": {"tool": "t", "arguments": {"force": false}},
            "amendable": {"schema": schema(json!({"force": {"type": "boolean"}}))},
        }),
    );
    let pending = written(&opened(flag, None, &Counter::default()));
    let force = |force: Value| {
        answered(
            &pending,
            json!({"approved": true, "arguments": {"force": force}}),
        )
    };
    assert!(force(json!(true)).is_ok());
    assert!(force(json!("true")).is_err());
}

#[test]
fn an_agent_that_takes_no_amendment_is_never_sent_one() {
    for pending in [
        written(&opened(body(Kind::Approval), None, &Counter::default())),
        pending(json!(false)),
    ] {
        for arguments in [json!({}), json!({"command": "make deploy"})] {
            let refused = answered(&pending, json!({"approved": true, "arguments": arguments}));
            assert_eq!(paths(&refused.unwrap_err()), ["arguments"]);
        }
    }
    // Nothing of a denied action is run, whatever the agent takes.
    let refused = answered(
        &pending(json!(true)),
        json!({"approved": false, "arguments": {}}),
    );
    assert_eq!(paths(&refused.unwrap_err()), ["arguments"]);
    for kind in Kind::ALL {
        if kind == Kind::Approval {
            continue;
        }
        let pending = written(&opened(body(kind), None, &Counter::default()));
        let faults = answered(&pending, json!({"arguments": {}})).unwrap_err();
        assert!(paths(&faults).contains(&"arguments"), "{kind:?}");
    }
}

#[test]
fn the_receipt_is_over_the_amended_action_and_names_both() {
    let pending = pending(json!(true));
    let arguments = changed(|it| it["replicas"] = 1.into());
    let closed = answered(&pending, json!({"approved": true, "arguments": arguments})).unwrap();
    assert_eq!(closed.approved(), Some(true));
    let Ask::Approval {
        action,
        action_digest,
        ..
    } = &closed.request.ask
    else {
        panic!("no approval");
    };
    let amended = Action {
        arguments: AnyJson(arguments.clone()),
        ..action.clone()
    };
    let decision = &closed.receipt().unwrap().decision;
    assert_eq!(decision.action_digest, amended.digest().ok());
    assert_eq!(decision.asked_digest.as_ref(), Some(action_digest));
    assert_eq!(decision.outcome, Outcome::Approved);
    assert_eq!(closed.clone().proven(&Stamp), closed);
    let said = closed.resume_prompt().unwrap();
    assert!(
        said.contains("Approved with these arguments instead"),
        "{said}"
    );
    assert!(said.contains(r#""replicas":1"#), "{said}");
}

#[test]
fn arguments_as_they_were_are_no_amendment() {
    let pending = pending(json!({"paths": ["/replicas"]}));
    // The same numbers in another order, written otherwise.
    let same = r#"{"replicas": 2.0, "env": {"DEBUG": "0", "REGION": "eu"}, "service": "api"}"#;
    let same: Value = serde_json::from_str(same).unwrap();
    let closed = answered(&pending, json!({"approved": true, "arguments": same})).unwrap();
    assert_eq!(closed.amended(), None);
    assert_eq!(closed.receipt().unwrap().decision.asked_digest, None);
    let AnswerContent::Approval { amended, .. } = closed.answer().unwrap() else {
        panic!("no approval");
    };
    assert_eq!(amended, &None);
}

#[test]
fn an_amendment_that_somebody_changes_in_the_database_is_void() {
    let asked = pending(json!({"paths": ["/replicas"]}));
    let arguments = changed(|it| it["replicas"] = 1.into());
    let closed = answered(&asked, json!({"approved": true, "arguments": arguments})).unwrap();
    let plain = answered(&asked, json!({"approved": true})).unwrap();
    let why = |of: &Interaction, change: &dyn Fn(&mut Value)| {
        let mut stored = serde_json::to_value(&of.state).unwrap();
        change(&mut stored);
        let row = Interaction {
            state: serde_json::from_value(stored).unwrap(),
            ..of.clone()
        };
        match row.proven(&Stamp).state {
            State::Void { why, .. } => Some(why),
            _ => None,
        }
    };
    let content = |row: &mut Value| row["answer"]["content"]["amended"].take();
    for (of, change, expected) in [
        (
            &closed,
            &(|row: &mut Value| {
                row["answer"]["content"]["amended"]["arguments"]["replicas"] = 9.into();
            }) as &dyn Fn(&mut Value),
            Unproven::OtherContent,
        ),
        (
            &closed,
            &|row: &mut Value| row["answer"]["content"]["amended"]["digest"] = "sha256:00".into(),
            Unproven::OtherContent,
        ),
        // Without it the action as asked would count, which nobody approved.
        (
            &closed,
            &|row: &mut Value| drop(content(row)),
            Unproven::OtherContent,
        ),
        (
            &closed,
            &|row: &mut Value| row["answer"]["receipt"]["asked_digest"] = "sha256:00".into(),
            Unproven::OtherContent,
        ),
        (
            &plain,
            &|row: &mut Value| row["answer"]["receipt"]["asked_digest"] = "sha256:00".into(),
            Unproven::OtherContent,
        ),
        (
            &plain,
            &|row: &mut Value| {
                row["answer"]["content"]["amended"] =
                    json!({"arguments": {}, "digest": "sha256:00"});
            },
            Unproven::OtherContent,
        ),
    ] {
        assert_eq!(why(of, change), Some(expected));
    }
    // An agent that takes none is not told of one that somebody wrote in.
    let mut other = closed;
    if let Ask::Approval { amendable, .. } = &mut other.request.ask {
        *amendable = None;
    }
    assert_eq!(why(&other, &|_| {}), Some(Unproven::OtherContent));
}

#[test]
fn of_what_is_erased_no_argument_is_left_and_the_receipt_stands() {
    let arguments = changed(|it| it["service"] = "secret".into());
    let closed = answered(
        &pending(json!(true)),
        json!({"approved": true, "arguments": arguments}),
    )
    .unwrap();
    let blank = closed.without_words();
    assert!(
        !serde_json::to_string(&blank.state)
            .unwrap()
            .contains("secret")
    );
    assert_eq!(blank.receipt(), closed.receipt());
}

#[test]
fn old_requests_and_answers_are_written_as_they_were() {
    let asked = request(body(Kind::Approval));
    let written = serde_json::to_value(&asked).unwrap();
    assert!(written.get("amendable").is_none() && written.get("approvals").is_none());
    assert_eq!(serde_json::from_value::<Request>(written).unwrap(), asked);
    let content: AnswerContent =
        serde_json::from_str(r#"{"type":"approval","approved":true,"text":null}"#).unwrap();
    assert_eq!(
        serde_json::to_string(&content).unwrap(),
        r#"{"type":"approval","approved":true,"text":null}"#
    );
    let full = request(deploy(json!({"paths": ["/replicas"]})));
    let written = serde_json::to_string(&full).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&written).unwrap(), full);
    // Whatever order its keys come in, it is the same request.
    let one = r#"{"schema":{"type":"object","properties":{"a":{"type":"string"}}},"paths":["/a"]}"#;
    let two = r#"{"paths":["/a"],"schema":{"properties":{"a":{"type":"string"}},"type":"object"}}"#;
    let fingerprint = |amendable: &str| {
        let amendable: AnyJson = serde_json::from_str(amendable).unwrap();
        let draft = Draft {
            amendable: Some(amendable),
            ..Draft::default()
        };
        draft.fingerprint()
    };
    assert_eq!(fingerprint(one), fingerprint(two));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..3).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[abc]", any_json(), 0..4)
        .prop_map(|members| members.into_iter().collect())
}

#[test]
fn what_differs_is_told_place_by_place() {
    let asked = json!({"n": 2, "env": {"A": "x", "B": "y"}, "list": [1, 2]});
    let amended = json!({"n": 1, "env": {"A": "x", "C": "z"}, "list": [1, 3]});
    assert_eq!(
        differences(&asked, &amended),
        [
            "n: 2 → 1",
            r#"env.B taken away: "y""#,
            r#"env.C added: "z""#,
            "list.1: 2 → 3"
        ]
    );
}

#[test]
fn what_differs_at_more_places_than_a_person_reads_is_not_approved() {
    let members = |many: usize, value: i64| -> Value {
        let each = (0..many).map(|n| (format!("n{n}"), json!(value)));
        Value::Object(each.collect())
    };
    let asked = |arguments: Value| {
        let action = json!({"tool": "deploy", "arguments": arguments});
        let body = with(Kind::Approval, json!({"action": action, "amendable": true}));
        written(&opened(body, None, &Counter::default()))
    };
    for (many, is_fine) in [(limits::AMENDED_PLACES, true), (201, false), (4_000, false)] {
        let changed = members(many, 2);
        let sent = json!({"approved": true, "arguments": changed});
        let result = answered(&asked(members(many, 1)), sent);
        assert_eq!(result.is_ok(), is_fine, "{many}");
        if let Err(faults) = result {
            assert_eq!(paths(&faults), ["arguments"]);
            let told = differences(&members(many, 1), &changed);
            assert_eq!(told.len(), limits::AMENDED_PLACES + 1);
            assert_eq!(told.last().unwrap(), "and more");
        }
    }
    // Each place names all that it is in, so a long name counts as often as there are places below it.
    let long = |value| json!({"x".repeat(20_000): members(100, value)});
    let (was, is) = (long(1), long(2));
    let found = changes(&was, &is);
    assert_eq!((found.places.len(), found.more), (3, true));
    let sent = json!({"approved": true, "arguments": is});
    assert_eq!(
        paths(&answered(&asked(was.clone()), sent).unwrap_err()),
        ["arguments"]
    );
}

proptest! {
    #[test]
    fn what_differs_is_found_and_nothing_else(one in any_json(), other in any_json()) {
        prop_assert_eq!(changes(&one, &one), Differences::default());
        prop_assert_eq!(changes(&one, &other).places.is_empty(), one == other);
    }

    #[test]
    fn whatever_is_sent_no_other_argument_is_approved(asked in arguments(), sent in arguments(), path in "[abc]") {
        let there = asked.get(&path).is_some();
        let body = with(Kind::Approval, json!({
            "action": {"tool": "t", "arguments": asked},
            "amendable": {"paths": [format!("/{path}")]},
        }));
        prop_assert_eq!(refused(body.clone()).is_empty(), there);
        prop_assume!(there);
        let pending = written(&opened(body, None, &Counter::default()));
        match answered(&pending, json!({"approved": true, "arguments": sent})) {
            Ok(closed) => {
                let approved = closed.amended().map_or(&asked, |amended| &amended.arguments.0);
                let but_that = |of: &Value| {
                    let mut of = of.clone();
                    of.as_object_mut().unwrap().remove(&path);
                    of
                };
                prop_assert_eq!(but_that(approved), but_that(&asked));
                prop_assert_eq!(closed.clone().proven(&Stamp), closed);
            }
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                prop_assert!(faults.iter().all(|fault| fault.path.starts_with("arguments.")));
            }
        }
    }
}
