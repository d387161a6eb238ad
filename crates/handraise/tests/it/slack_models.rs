//! Slack's own Python models on every card and modal of `dev/fixtures/slack`, which the tests of `slack/blocks` hold
//! against the program. They know every field we send, and all sizes but how much may be typed into a field.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

use crate::support::python;

const SCRIPT: &str = r#"
import json, sys
from slack_sdk.models.blocks import (
    Block, BlockElement, ConfirmObject, MarkdownTextObject, Option, PlainTextObject,
)
from slack_sdk.models.views import View

ELEMENTS = ("button", "static_select", "multi_static_select", "plain_text_input")
faults = []

def hold(name, read, given):
    try:
        # Checks the sizes, and leaves out what it does not know.
        shown = read().to_dict()
        if shown != given:
            raise ValueError(f"read as {shown}")
    except Exception as error:
        faults.append(f"{name}: {error}: {given}")

def text(name, given):
    models = {"plain_text": PlainTextObject, "mrkdwn": MarkdownTextObject}
    fields = {key: value for key, value in given.items() if key != "type"}
    hold(name, lambda: models[given["type"]](**fields), given)

def walk(name, given):
    if isinstance(given, list):
        for one in given:
            walk(name, one)
    if not isinstance(given, dict):
        return
    kind = given.get("type")
    if kind in ("plain_text", "mrkdwn"):
        return text(name, given)
    if "block_id" in given:
        hold(name, lambda: Block.parse(given), given)
    elif kind in ELEMENTS:
        hold(name, lambda: BlockElement.parse(given), given)
    elif "value" in given and "text" in given:
        hold(name, lambda: Option(**given), given)
    elif "confirm" in given and "deny" in given:
        hold(name, lambda: ConfirmObject(**given), given)
    for one in given.values():
        walk(name, one)

given = json.load(sys.stdin)
for name, card in given["cards"].items():
    walk(name, card["blocks"])
for name, view in given["modals"].items():
    hold(name, lambda: View(**view), view)
    walk(name, view["blocks"])
print(json.dumps(faults))
"#;

fn shown() -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/fixtures/slack");
    let read = |part: &str| {
        let files = fs::read_dir(folder.join(part)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        files
            .map(|file| {
                let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
                let json = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
                (name, json)
            })
            .collect::<Map<String, Value>>()
    };
    json!({"cards": read("cards"), "modals": read("modals")})
}

fn faults(shown: &Value) -> Vec<String> {
    serde_json::from_str(&python::run_script(SCRIPT, shown)).unwrap()
}

#[test]
fn slacks_own_models_take_every_card_and_modal() {
    let shown = shown();
    let count = |part: &str| shown[part].as_object().unwrap().len();
    assert!(count("cards") > 50 && count("modals") > 5);
    assert_eq!(faults(&shown), [""; 0]);
}

#[test]
fn slacks_own_models_would_refuse() {
    let long = |length| Value::from("x".repeat(length));
    for (place, instead) in [
        ("/cards/choice-menu/blocks/0/text/text", long(151)),
        ("/cards/choice-menu/blocks/0/block_id", long(256)),
        ("/cards/choice-menu/blocks/0/type", "headline".into()),
        ("/cards/choice-menu/blocks/2/text/text", long(3_001)),
        (
            "/cards/choice-menu/blocks/4/elements/0/action_id",
            long(256),
        ),
        (
            "/cards/choice-menu/blocks/4/elements/0/options/0/text/text",
            long(76),
        ),
        (
            "/cards/choice-menu/blocks/4/elements/0/options/0/value",
            long(151),
        ),
        (
            "/cards/choice-menu/blocks/4/elements/0/confirm/text/text",
            long(301),
        ),
        ("/cards/choice-menu/blocks/4/elements/1/text/text", long(76)),
        ("/cards/choice-menu/blocks/4/elements/1/url", long(3_001)),
        ("/modals/answer/title/text", long(25)),
        ("/modals/answer/private_metadata", long(3_001)),
        ("/modals/answer/blocks/3/label/text", long(2_001)),
    ] {
        let mut shown = shown();
        *shown.pointer_mut(place).unwrap() = instead;
        assert_ne!(faults(&shown), [""; 0], "{place}");
    }
}
