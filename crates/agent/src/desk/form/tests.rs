//! What people are asked for a form, and what becomes of their answers.

use super::{field::LEAVE_OUT, *};

fn form(required: &[&str], properties: Value) -> anyhow::Result<Form> {
    Form::read(&json!({"type": "object", "properties": properties, "required": required}))
}

fn answer(answer: Value) -> Answer {
    serde_json::from_value(answer).unwrap()
}

fn filled(form: &Form, given: Value) -> Result<Value, String> {
    match form.filled(&answer(given)) {
        Ok(Filled::With(content)) => Ok(content.into()),
        Ok(Filled::Declined) => Ok("declined".into()),
        Err(why) => Err(format!("{why:#}")),
    }
}

#[test]
fn one_field_is_a_question_or_a_choice() {
    let colours =
        json!({"oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]});
    for (required, mut property, kind, options) in [
        (true, json!({"type": "string"}), "question", Value::Null),
        (true, json!({"type": "integer"}), "question", Value::Null),
        (
            true,
            json!({"type": "boolean"}),
            "choice",
            json!(["Yes", "No"]),
        ),
        (
            true,
            json!({"type": "string", "enum": ["a", "b"]}),
            "choice",
            json!(["a", "b"]),
        ),
        (
            false,
            json!({"type": "string", "enum": ["a"]}),
            "choice",
            json!(["a", "Leave it out"]),
        ),
        // A choice has two options at least.
        (
            true,
            json!({"type": "string", "enum": ["a"]}),
            "question",
            Value::Null,
        ),
        (
            true,
            json!({"type": "string", "enum": ["a", "a"]}),
            "question",
            Value::Null,
        ),
        (true, colours.clone(), "choice", json!(["Red", "Green"])),
    ] {
        if property.get("type").is_none() {
            property["type"] = "string".into();
        }
        let names: &[&str] = if required { &["x"] } else { &[] };
        let body = form(names, json!({"x": property})).unwrap().body("Hello?");
        assert_eq!(body["kind"], kind, "{property}");
        assert_eq!(body["options"], options, "{property}");
        assert!(body["prompt"].as_str().unwrap().starts_with("Hello?\n\nx"));
    }
}

#[test]
fn an_answer_is_what_the_schema_wants_or_is_refused() {
    let one = |required: bool, property: Value| {
        let names: &[&str] = if required { &["x"] } else { &[] };
        form(names, json!({"x": property})).unwrap()
    };
    let colours = json!({"type": "array", "minItems": 1, "items": {"anyOf": [
        {"const": "r", "title": "Red"}, {"const": "g", "title": "Green"},
    ]}});
    for (form, given, expected) in [
        (
            one(true, json!({"type": "string"})),
            json!({"text": " a\n"}),
            Ok(json!({"x": " a\n"})),
        ),
        (
            one(true, json!({"type": "string"})),
            json!({"text": ""}),
            Ok(json!({"x": ""})),
        ),
        (
            one(false, json!({"type": "string"})),
            json!({"text": "-"}),
            Ok(json!({})),
        ),
        (
            one(true, json!({"type": "string", "default": "d"})),
            json!({"text": "-"}),
            Ok(json!({"x": "d"})),
        ),
        (
            one(true, json!({"type": "string", "minLength": 2})),
            json!({"text": "a"}),
            Err("/x: "),
        ),
        (
            one(true, json!({"type": "string", "format": "email"})),
            json!({"text": "a"}),
            Err("/x: "),
        ),
        (
            one(true, json!({"type": "integer"})),
            json!({"text": " 4 "}),
            Ok(json!({"x": 4})),
        ),
        (
            one(true, json!({"type": "integer"})),
            json!({"text": "4.5"}),
            Err("whole number"),
        ),
        (
            one(true, json!({"type": "integer", "maximum": 3})),
            json!({"text": "4"}),
            Err("/x: "),
        ),
        (
            one(true, json!({"type": "number"})),
            json!({"text": "4.5"}),
            Ok(json!({"x": 4.5})),
        ),
        (
            one(true, json!({"type": "number"})),
            json!({"text": "NaN"}),
            Err("no number"),
        ),
        (
            one(true, json!({"type": "boolean"})),
            json!({"selected": ["No"]}),
            Ok(json!({"x": false})),
        ),
        (
            one(false, json!({"type": "boolean", "default": true})),
            json!({"selected": [LEAVE_OUT]}),
            Ok(json!({"x": true})),
        ),
        (
            one(true, colours.clone()),
            json!({"selected": ["Red", "Green"]}),
            Ok(json!({"x": ["r", "g"]})),
        ),
        (
            one(true, colours),
            json!({"selected": ["Blue"]}),
            Err("none of its values"),
        ),
        (
            one(true, json!({"type": "string", "enum": ["a"]})),
            json!({"text": "b"}),
            Err("none of its values"),
        ),
        (
            one(true, json!({"type": "string"})),
            json!({}),
            Err("no answer"),
        ),
    ] {
        match (filled(&form, given.clone()), expected) {
            (Ok(content), Ok(expected)) => assert_eq!(content, expected, "{given}"),
            (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
            (found, expected) => panic!("{given}: {found:?}, not {expected:?}"),
        }
    }
}

#[test]
fn several_fields_are_a_form_and_none_is_a_yes_or_a_no() {
    let properties =
        json!({"port": {"type": "integer"}, "mode": {"type": "string", "enum": ["a", "b"]}});
    let several = form(&["port", "mode"], properties).unwrap();
    let body = several.body("Hello?");
    assert_eq!(body["kind"], "form");
    assert_eq!(body["questions"][1]["id"], "q2");
    let given = json!({"answers": {"q1": "80", "q2": "b"}});
    assert_eq!(
        filled(&several, given),
        Ok(json!({"port": 80, "mode": "b"}))
    );
    let wrong = filled(&several, json!({"answers": {"q1": "x", "q2": "b"}}));
    assert!(wrong.unwrap_err().starts_with("port: "));

    let none = form(&[], json!({})).unwrap();
    assert_eq!(filled(&none, json!({"selected": [ACCEPT]})), Ok(json!({})));
    assert_eq!(
        filled(&none, json!({"selected": [DECLINE]})),
        Ok("declined".into())
    );
    assert_eq!(filled(&none, json!({})), Ok("declined".into()));
}

#[test]
fn what_people_cannot_be_asked_is_refused_with_its_place() {
    for (property, why) in [
        (json!({"type": "object"}), "properties.x: it is of no type"),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            "names no values",
        ),
        (json!({"type": "string", "enum": [1, 2]}), "no texts"),
        (json!({"type": "string", "enum": []}), "no texts"),
    ] {
        let refused = form(&[], json!({"x": property})).err().unwrap();
        assert!(format!("{refused:#}").contains(why), "{refused:#}");
    }
    assert!(Form::read(&json!({"type": "string"})).is_err());
    let names = (0..=limits::QUESTIONS).map(|n| (n.to_string(), json!({"type": "string"})));
    assert!(form(&[], Value::Object(names.collect())).is_err());
}
