//! The tools that a server has listed, and which of them need an approval.

use std::collections::HashMap;

use serde_json::Value;

use crate::tool_name::ToolName;

/// Which tools need an approval.
pub(crate) enum Named {
    /// All but those that the server itself calls read-only.
    NotReadOnly,
    /// These.
    These(Vec<ToolName>),
}

/// The server's tools, as the client has seen them.
pub(super) struct Tools {
    named: Named,
    listed: HashMap<String, Listed>,
}

struct Listed {
    is_read_only: bool,
    schema: Value,
}

impl Tools {
    pub(super) fn new(named: Named) -> Self {
        Self {
            named,
            listed: HashMap::new(),
        }
    }

    /// Notes what `tools/list` returned.
    pub(super) fn note(&mut self, result: &mut Value) {
        let found = result["tools"].as_array_mut();
        for tool in found.into_iter().flatten() {
            if let Some(name) = tool["name"].as_str() {
                let listed = Listed {
                    is_read_only: tool["annotations"]["readOnlyHint"] == true,
                    schema: tool["inputSchema"].clone(),
                };
                self.listed.insert(name.to_owned(), listed);
            }
        }
    }

    /// Whether a call of this one needs an approval. One that the server has not listed is not known to only read.
    pub(super) fn is_guarded(&self, name: &str) -> bool {
        match &self.named {
            Named::These(names) => names.iter().any(|it| it.means(name)),
            Named::NotReadOnly => self.listed.get(name).is_none_or(|tool| !tool.is_read_only),
        }
    }

    /// The schema of its arguments.
    pub(super) fn schema(&self, name: &str) -> Option<&Value> {
        let schema = self.listed.get(name).map(|tool| &tool.schema);
        schema.filter(|schema| schema.is_object())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool_name::parsed;

    fn listing() -> Value {
        json!({"tools": [
            {"name": "read", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object"}},
            {"name": "write", "annotations": {"readOnlyHint": false}},
            {"name": "odd", "annotations": {"readOnlyHint": "true"}},
            {"name": "plain"},
            {},
        ]})
    }

    #[test]
    fn only_a_tool_that_is_said_to_read_goes_without_an_approval() {
        let mut tools = Tools::new(Named::NotReadOnly);
        assert!(tools.is_guarded("read"));
        tools.note(&mut listing());
        assert!(!tools.is_guarded("read"));
        for name in ["write", "odd", "plain", "unknown", "Read", "read ", ""] {
            assert!(tools.is_guarded(name), "{name}");
        }
        assert!(tools.schema("read").is_some());
        assert!(tools.schema("plain").is_none());
    }

    #[test]
    fn names_count_for_more_than_the_server_s_word() {
        let names = ["read", "wr*"].map(|name| parsed(name).unwrap());
        let mut tools = Tools::new(Named::These(names.to_vec()));
        tools.note(&mut listing());
        assert!(tools.is_guarded("read"));
        assert!(tools.is_guarded("write"));
        assert!(!tools.is_guarded("plain"));
    }
}
