//! The form by which a server of MCP asks: its schema and people's answer, with a zero between them.

use agent::testing;
use domain::{interaction::Draft, json::AnyJson};

use crate::known::{have_places, parts};

/// What people are asked can be read by the server; what is filled in has the fields of the schema and no other.
pub fn form(bytes: &[u8]) {
    let [schema, answer] = parts(bytes).map(serde_json::from_slice::<AnyJson>);
    let Ok(AnyJson(schema)) = schema else {
        return;
    };
    let Ok(body) = testing::form(&schema, "Please fill this in.") else {
        return;
    };
    let draft: Draft = serde_json::from_value(body).unwrap();
    if let Err(faults) = draft.check(|_| None) {
        have_places(&faults);
    }
    let Ok(AnyJson(answer)) = answer else {
        return;
    };
    if let Ok(Some(content)) = testing::filled(&schema, answer) {
        let known = &schema["properties"];
        assert!(content.keys().all(|name| known.get(name).is_some()));
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            assert!(
                known.get(name).is_none() || content.contains_key(name),
                "{name}"
            );
        }
    }
}
