//! Who can be called by a message: the person on duty, by one message of ours, and nobody by an agent's words.

use domain::{SlackId, interaction::Kind};
use serde_json::{Value, json};

use super::samples::{URL, body, open};
use crate::blocks::{Surface, card, mention};

#[test]
fn the_person_on_duty_is_called_by_their_id_alone() {
    let message = mention(&SlackId::parse("U0ANA").unwrap());
    let words = "<@U0ANA> You are on duty, and this waits for an answer.";
    assert_eq!(message.text, words);
    assert_eq!(message.json_blocks()[0]["text"]["text"], words);
    assert_eq!(message.json_blocks()[0]["text"]["type"], "mrkdwn");
}

#[test]
fn no_word_of_an_agent_calls_anybody() {
    const CALLS: &str = "<@U0BEN> <!channel> <!here> <!everyone> <!subteam^S0ALL> @channel";
    for kind in Kind::ALL {
        let mut asked = body(kind);
        asked["prompt"] = CALLS.into();
        asked["title"] = CALLS.into();
        asked["session_id"] = CALLS.into();
        for (field, of) in [("plan", Kind::PlanReview), ("action", Kind::Approval)] {
            if kind == of {
                asked[field] = match field {
                    "action" => json!({"tool": CALLS, "arguments": {CALLS: CALLS}}),
                    _ => CALLS.into(),
                };
            }
        }
        if kind == Kind::Choice {
            asked["options"] =
                json!([CALLS, {"value": "b", "label": format!("{CALLS} 2"), "description": CALLS}]);
        }
        let shown = card(&open(asked), Surface::Interactive, URL);
        assert_calls_nobody(&shown.text);
        shown.json_blocks().iter().for_each(looked_at);
    }
}

fn assert_calls_nobody(markup: &str) {
    let rest = markup.replace("<!date^", "");
    assert!(!rest.contains("<@") && !rest.contains("<!"), "{markup}");
}

/// Everything that Slack reads as markup, however deep it is; and no part that is a call by itself.
fn looked_at(json: &Value) {
    match json {
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            assert!(
                !matches!(kind, Some("user" | "usergroup" | "broadcast")),
                "{json}"
            );
            if kind == Some("mrkdwn") {
                assert_calls_nobody(fields["text"].as_str().unwrap());
            }
            fields.values().for_each(looked_at);
        }
        Value::Array(items) => items.iter().for_each(looked_at),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
