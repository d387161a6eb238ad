//! What agents write, as Slack shows it.

use serde_json::{Value, json};
use slack::blocks::{Modal, Surface, card, modal};

use domain::{
    fault::is_name,
    interaction::Draft,
    limits::{OPTION_CHARS, TITLE_CHARS},
};

use crate::known::{Counter, is_plain, opened};

const URL: &str = "https://handraise.example";

/// Slack takes every card and modal, finds no markup in it but ours, and people can approve only what they see whole.
pub fn slack_card(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let option = match is_name(text, OPTION_CHARS) && text != "b" {
        true => text,
        false => "a",
    };
    let title = is_name(text, TITLE_CHARS).then_some(text);
    let kinds = [
        json!({"kind": "question", "prompt": text, "title": title}),
        json!({"kind": "notification", "prompt": text}),
        json!({"kind": "choice", "prompt": "Which?", "options": [option, "b"]}),
        json!({"kind": "approval", "prompt": "May I?", "action": {"tool": "Bash", "arguments": {"command": text}}, "amendable": true}),
        json!({"kind": "plan_review", "prompt": "So?", "plan": text}),
    ];
    for kind in kinds {
        let is_shown = kind["kind"] != "choice" || option == text;
        let draft: Draft = serde_json::from_value(kind).unwrap();
        let Ok(request) = draft.check(|_| None) else {
            continue;
        };
        let interaction = opened(request, &Counter::default());
        for surface in [Surface::Interactive, Surface::Mirror] {
            let card = card(&interaction, surface, URL);
            assert!(card.text.encode_utf16().count() <= 3_900);
            assert!(is_escaped(&card.text), "{}", card.text);
            let blocks = card.json_blocks();
            assert!((1..=50).contains(&blocks.len()));
            blocks.iter().for_each(fits);
            let approves = blocks.iter().any(|block| sends(block, "whole:"));
            assert!(!approves || !is_shown || shows(&blocks, text), "{blocks:?}");
            assert!(!approves || surface == Surface::Interactive);
        }
        for which in [Modal::Answer, Modal::Decide, Modal::Amend, Modal::Deny] {
            if let Some(view) = modal(&interaction, which, None) {
                let view = serde_json::to_value(view).unwrap();
                assert!(view.to_string().len() <= 250_000);
                fits(&view["blocks"]);
            }
        }
    }
}

/// Whether Slack finds no markup: each `&` begins an entity, and there is no `<` and no `>`.
fn is_escaped(text: &str) -> bool {
    let entity = |rest: &str| ["amp;", "lt;", "gt;"].iter().any(|it| rest.starts_with(it));
    !text.contains(['<', '>']) && text.split('&').skip(1).all(entity)
}

/// Texts of Slack's, wherever they stand, are short enough and have no markup but ours.
fn fits(value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(fits),
        Value::Object(fields) => {
            if let (Some("mrkdwn"), Some(text)) = (value["type"].as_str(), value["text"].as_str()) {
                assert!(text.encode_utf16().count() <= 3_000);
                for marked in text.split('<').skip(1) {
                    let is_ours = ["!date^", "@U", "@W", "https://handraise.example/"]
                        .iter()
                        .any(|it| marked.starts_with(it));
                    assert!(is_ours && marked.contains('>'), "{text}");
                }
            }
            fields.values().for_each(fits);
        }
        _ => {}
    }
}

/// Whether a control's value begins so.
fn sends(block: &Value, start: &str) -> bool {
    match block {
        Value::Array(items) => items.iter().any(|item| sends(item, start)),
        Value::Object(fields) => fields.iter().any(|(name, value)| match value {
            Value::String(text) => name == "value" && text.starts_with(start),
            inner => sends(inner, start),
        }),
        _ => false,
    }
}

/// Whether every letter and digit of a text stands in these blocks, in order.
fn shows(blocks: &[Value], text: &str) -> bool {
    let mut said = String::new();
    blocks.iter().for_each(|block| collect(block, &mut said));
    let mut shown = said.chars();
    let mut counts = text.chars().filter(|c| c.is_alphanumeric() && is_plain(*c));
    counts.all(|c| shown.any(|other| other == c))
}

fn collect(value: &Value, said: &mut String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, said)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "text" => said.push_str(text),
                    Value::String(_) => {}
                    inner => collect(inner, said),
                }
            }
        }
        _ => {}
    }
}
