//! Calls of tools that an agent has told its client of: a request for permission may name only what has changed since.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The calls of each session's turn, by their ids. One that could be read in several ways is `None`.
#[derive(Default)]
pub(super) struct Calls(HashMap<String, HashMap<String, Option<Map<String, Value>>>>);

impl Calls {
    /// Notes what a `session/update` says of a call.
    pub(super) fn note(&mut self, params: &Value, is_clear: bool) {
        let update = &params["update"];
        let is_call = ["tool_call", "tool_call_update"].map(|kind| update["sessionUpdate"] == kind);
        let (Some(session), Some(id)) =
            (params["sessionId"].as_str(), update["toolCallId"].as_str())
        else {
            return;
        };
        if !is_call.contains(&true) {
            return;
        }
        let calls = self.0.entry(session.to_owned()).or_default();
        if ["completed", "failed"].map(|status| update["status"] == status) != [false; 2] {
            calls.remove(id);
            return;
        }
        let known = calls.entry(id.to_owned());
        let known = known.or_insert_with(|| Some(Map::new()));
        match (known, is_clear, update.as_object()) {
            (Some(known), true, Some(update)) => put(known, update),
            (known, ..) => *known = None,
        }
    }

    /// Nothing of the turn before is asked for any more.
    pub(super) fn begin_turn(&mut self, session: &str) {
        self.0.remove(session);
    }

    /// All that is known of a call, with what is said of it now. `None` where that is not certain.
    pub(super) fn with(
        &self,
        session: &str,
        id: &str,
        said: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let known = self.0.get(session).and_then(|calls| calls.get(id));
        let mut call = match known {
            None => Map::new(),
            Some(known) => known.clone()?,
        };
        put(&mut call, said);
        // Ids differ each time, and the rest says how far it is, not what it does.
        for name in [
            "_meta",
            "rawOutput",
            "sessionUpdate",
            "status",
            "toolCallId",
        ] {
            call.shift_remove(name);
        }
        Some(call)
    }
}

/// What is not said, or `null`, stays as it is.
fn put(call: &mut Map<String, Value>, said: &Map<String, Value>) {
    for (name, value) in said.iter().filter(|(_, value)| !value.is_null()) {
        call.insert(name.clone(), value.clone());
    }
}
