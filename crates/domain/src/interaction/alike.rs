//! Which questions are the same to a person, so that a list shows them as one.
//!
//! A fingerprint says nothing about an answer: each of a group is shown whole before it is decided (rule 11), and
//! has its own answer and receipt.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::{Ask, Request};
use crate::ids::Fingerprint;

impl Request {
    /// Equal for questions that are the same to a person; `None` where each stands alone.
    pub fn alike(&self) -> Option<Fingerprint> {
        fingerprint(self)
    }
}

/// Stands for what varies.
const VARIES: &str = "#";
/// A UUID with its hyphens, in characters.
const ID: usize = 36;

/// Equal for questions that differ only in what varies: numbers, ids, dates, versions. Of an approval that is the kind,
/// the tool and the arguments, of other kinds the kind, the prompt and the options; title and prompt of a question as they are. A plan is read for itself, a
/// form is answered for itself, and where people are counted each is approved by itself: they have none.
pub(super) fn fingerprint(request: &Request) -> Option<Fingerprint> {
    // What was sent with it makes it another question, in a way that no text tells.
    if !request.attached().is_empty() {
        return None;
    }
    let what = match &request.ask {
        // Each of these is approved by itself.
        Ask::Approval {
            approvals: Some(_), ..
        } => return None,
        Ask::Approval { .. } if request.is_destructive() => return None,
        Ask::Approval {
            action, amendable, ..
        } => match amendable {
            None => json!([action.tool, frame_of(&action.arguments.0)]),
            // It can be answered otherwise, too.
            Some(_) => json!([action.tool, frame_of(&action.arguments.0), "amendable"]),
        },
        // To another number, or under another title, there may be another answer.
        Ask::Question => json!([request.title, request.prompt]),
        Ask::Acknowledgement => json!(frame(&request.prompt)),
        Ask::Choice(choice) => json!([frame(&request.prompt), choice]),
        Ask::PlanReview { .. } | Ask::Form { .. } | Ask::Notification { .. } => return None,
    };
    let what = json!([request.kind().name(), what]).to_string();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(what)[..16]);
    Some(Fingerprint(Builder::from_custom_bytes(bytes).into_uuid()))
}

fn frame_of(value: &Value) -> Value {
    match value {
        Value::Number(_) => VARIES.into(),
        Value::String(text) => frame(text).into(),
        Value::Array(values) => values.iter().map(frame_of).collect(),
        Value::Object(named) => named
            .iter()
            .map(|(name, value)| (name.clone(), frame_of(value)))
            .collect(),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// A text with `#` for each id, and for each run of letters and digits in which there is a digit.
fn frame(text: &str) -> String {
    let mut frame = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let id = rest.get(..ID).filter(|id| Uuid::try_parse(id).is_ok());
        let is_word = first.is_alphanumeric();
        let end = match id {
            Some(_) => ID,
            None => rest
                .find(|c: char| c.is_alphanumeric() != is_word)
                .unwrap_or(rest.len()),
        };
        let (run, after) = rest.split_at(end);
        if id.is_some() || run.contains(char::is_numeric) {
            frame.push_str(VARIES);
        } else {
            frame.push_str(run);
        }
        rest = after;
    }
    frame
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::interaction::Draft;

    fn of(draft: Value) -> Option<Fingerprint> {
        let draft: Draft = serde_json::from_value(draft).unwrap();
        fingerprint(&draft.check(|_| None).unwrap())
    }

    fn push(command: &str) -> Value {
        json!({"kind": "approval", "prompt": command, "action": {"tool": "Bash", "arguments": {"command": command, "timeout": 5}}})
    }

    #[test]
    fn what_varies_makes_no_other_group() {
        for (one, other) in [
            (
                push("git push origin fix-12"),
                push("git push origin fix-7"),
            ),
            (
                push("rm -r /tmp/run-3f1b9c2a-1111-4222-8333-abcdefabcdef"),
                push("rm -r /tmp/run-7a0e4d55-9999-4aaa-bbbb-fedcbafedcba"),
            ),
            (push("cut v1.2.3"), push("cut v2.10.0")),
            (
                json!({"kind": "acknowledgement", "prompt": "Job 17 is done."}),
                json!({"kind": "acknowledgement", "prompt": "Job 18 is done.", "session_id": "b"}),
            ),
            (
                json!({"kind": "question", "prompt": "Which region?"}),
                json!({"kind": "question", "prompt": "Which region?", "mode": "async"}),
            ),
        ] {
            assert_eq!(of(one).unwrap(), of(other).unwrap());
        }
    }

    #[test]
    fn what_a_person_would_answer_otherwise_is_another_group() {
        let choice =
            |options: Value| json!({"kind": "choice", "prompt": "Which?", "options": options});
        let mut others = vec![
            push("git push origin main"),
            push("git push origin staging"),
            push("git push --force origin main"),
            json!({"kind": "approval", "prompt": "p", "action": {"tool": "Shell", "arguments": {"command": "git push origin main", "timeout": 5}}}),
            json!({"kind": "approval", "prompt": "p", "action": {"tool": "Bash", "arguments": {"command": "git push origin main", "dry_run": false}}}),
            json!({"kind": "approval", "prompt": "p", "action": {"tool": "Bash", "arguments": {"command": "git push origin main", "dry_run": true}}}),
            json!({"kind": "question", "prompt": "git push origin main"}),
            json!({"kind": "question", "prompt": "Which port, 80?"}),
            json!({"kind": "question", "prompt": "Which port, 8080?"}),
            json!({"kind": "question", "prompt": "Which port, 8080?", "title": "Of production"}),
            json!({"kind": "acknowledgement", "prompt": "git push origin main"}),
            choice(json!(["a", "b"])),
            choice(json!(["a", "c"])),
            choice(json!(["a", "b", "c"])),
        ];
        let mut several = choice(json!(["a", "b"]));
        several["multiple"] = json!(true);
        others.push(several);
        let count = others.len();
        let mut seen: Vec<_> = others.into_iter().map(of).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert!(seen.iter().all(Option::is_some));
    }

    #[test]
    fn a_plan_and_a_form_stand_alone() {
        for draft in [
            json!({"kind": "plan_review", "prompt": "p", "plan": "1. Stop"}),
            json!({"kind": "form", "prompt": "p", "questions": [{"id": "a", "prompt": "A?"}]}),
        ] {
            assert_eq!(of(draft), None);
        }
    }

    proptest! {
        #[test]
        fn texts_without_digits_stay_apart(one in "[^0-9]{0,40}", other in "[^0-9]{0,40}") {
            // Digits of other scripts vary as well.
            prop_assume!(!one.contains(char::is_numeric) && !other.contains(char::is_numeric));
            prop_assume!(one != other && !one.contains('#') && !other.contains('#'));
            prop_assert_ne!(frame(&one), frame(&other));
        }
    }
}
