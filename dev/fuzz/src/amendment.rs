//! Changed arguments of an approval: `arguments`, `amendable`, and the arguments instead, with a zero between them.

use domain::{
    Refused,
    decide::interaction as decide,
    interaction::{AnswerContent, AnswerDraft, Ask, Draft, State},
    json::{AnyJson, Object},
};
use serde_json::{Value, json};

use crate::known::{Counter, ana, have_places, moment, opened, parts, written};

/// What is approved is what was sent, it differs only where it may, and its digest is its own.
pub fn amendment(bytes: &[u8]) {
    let [asked, amendable, changed] = parts(bytes).map(serde_json::from_slice::<AnyJson>);
    let (Ok(asked), Ok(amendable), Ok(changed)) = (asked, amendable, changed) else {
        return;
    };
    let action = json!({"tool": "psql", "arguments": asked});
    let Ok(action) = serde_json::from_value(action) else {
        return;
    };
    let draft = Draft {
        kind: Some("approval".to_owned()),
        prompt: Some("May I?".to_owned()),
        action: Some(Object(action)),
        amendable: Some(amendable.clone()),
        ..Draft::default()
    };
    let ids = Counter::default();
    let interaction = match draft.check(|_| None) {
        Ok(request) => opened(request, &ids),
        Err(faults) => return have_places(&faults),
    };
    let answer = AnswerDraft {
        approved: Some(true),
        arguments: Some(changed.clone()),
        ..AnswerDraft::default()
    };
    let decided = decide::answer(&interaction, answer, &ana(), None, moment(&ids, 1));
    let answered = match decided {
        Ok(changeset) => written(&changeset),
        Err(Refused::Invalid(faults)) => return have_places(&faults),
        Err(other) => panic!("{other}"),
    };
    let (State::Resolved { answer }, Ask::Approval { action, .. }) =
        (&answered.state, &answered.request.ask)
    else {
        panic!("{:?}", answered.state);
    };
    let AnswerContent::Approval { amended, .. } = &answer.content else {
        panic!("{:?}", answer.content);
    };
    let receipt = &answered.receipt().unwrap().decision;
    let Some(amended) = amended else {
        // However it is written, it is the same.
        let same = domain::interaction::Action {
            arguments: changed,
            ..action.clone()
        };
        assert_eq!(same.digest().unwrap(), action.digest().unwrap());
        assert_eq!(receipt.action_digest, action.digest().ok());
        return;
    };
    assert_eq!(amended.arguments, changed);
    assert_ne!(amended.digest, action.digest().unwrap());
    assert_eq!(receipt.action_digest.as_ref(), Some(&amended.digest));
    assert_eq!(receipt.asked_digest, action.digest().ok());
    if let Some(paths) = amendable.0.get("paths").and_then(Value::as_array) {
        let [was, is] = [&asked.0, &changed.0].map(|it| without(it, paths));
        assert!(same(&was, &is), "{was} became {is}, with {paths:?}");
    }
}

/// The value with `null` at each of these places.
fn without(value: &Value, paths: &[Value]) -> Value {
    let mut rest = value.clone();
    for path in paths.iter().filter_map(Value::as_str) {
        // One may be added where it was not.
        if let Some((parent, name)) = path.rsplit_once('/') {
            let name = name.replace("~1", "/").replace("~0", "~");
            match rest.pointer_mut(parent) {
                Some(Value::Object(fields)) => {
                    fields.insert(name, Value::Null);
                }
                Some(Value::Array(items)) => {
                    if let Some(item) = name.parse().ok().and_then(|n: usize| items.get_mut(n)) {
                        *item = Value::Null;
                    }
                }
                _ => {}
            }
        }
    }
    rest
}

/// Whether two values are the same, however their numbers are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, a)| other.get(name).is_some_and(|b| same(a, b)))
        }
        (one, other) => one == other,
    }
}
