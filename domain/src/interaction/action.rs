//! The exact action of an approval, and its digest.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{digest, fault::Faults, json::AnyJson, limits};

/// Integers up to here are the same in every JSON parser (RFC 7493, section 2.2: IEEE 754 doubles).
const EXACT: f64 = 9_007_199_254_740_991.0;

/// One exact action: what the machine will run if it is approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The tool.
    pub tool: String,
    /// Its arguments by name: an object.
    #[serde(default = "no_arguments")]
    pub arguments: AnyJson,
}

fn no_arguments() -> AnyJson {
    AnyJson(Value::Object(Map::new()))
}

impl Action {
    /// `sha256:` and the hex of SHA-256 over the RFC 8785 form of `{"arguments": …, "tool": …}`, so that
    /// the tool that runs an action can check that it is the one that was approved.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let canonical = serde_json_canonicalizer::to_vec(self)?;
        Ok(digest::sha256(&canonical))
    }

    /// Returns the digest, unless something is wrong.
    pub(super) fn check(&self, faults: &mut Faults) -> Option<String> {
        faults.line("action.tool", Some(self.tool.clone()), limits::TITLE_CHARS);
        let AnyJson(arguments) = &self.arguments;
        if !arguments.is_object() {
            faults.add("action.arguments", "must be an object");
        }
        if let Some(number) = inexact(arguments) {
            // Its canonical form would be that of another number, and so would be the digest.
            faults.add(
                "action.arguments",
                format!("{number} is 2^53 or beyond and not the same number everywhere; send it as a string"),
            );
        }
        match self.digest() {
            Ok(digest) => Some(digest),
            Err(error) => {
                faults.add("action.arguments", error.to_string());
                None
            }
        }
    }
}

/// A number too large for a double to hold each one of its size. Those that the parser has rounded already
/// are as large.
fn inexact(value: &Value) -> Option<&serde_json::Number> {
    match value {
        Value::Number(number) => {
            let size = number.as_f64().map(f64::abs);
            size.is_none_or(|size| size > EXACT).then_some(number)
        }
        Value::Array(values) => values.iter().find_map(inexact),
        Value::Object(values) => values.values().find_map(inexact),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(json: &str) -> Action {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_digest_is_that_of_the_canonical_form() {
        // printf '{"arguments":{"a":1,"b":"ü"},"tool":"shell"}' | sha256sum
        let expected = "sha256:64f20618a9b61e960266efe3475b53fabbd19faf649ebef45d7e13150ff7ab26";
        for written in [
            r#"{"tool":"shell","arguments":{"b":"ü","a":1}}"#,
            r#"{ "arguments": {"a": 1.0, "b": "\u00fc"}, "tool": "shell" }"#,
        ] {
            assert_eq!(action(written).digest().unwrap(), expected);
        }
        let other = action(r#"{"tool":"shell","arguments":{"a":2,"b":"ü"}}"#);
        assert_ne!(other.digest().unwrap(), expected);
    }

    #[test]
    fn numbers_that_differ_only_beyond_doubles_are_refused() {
        for (number, fine) in [
            ("9007199254740991", true),
            ("-9007199254740991.0", true),
            ("9007199254740992", false),
            ("9007199254740993", false),
            ("9007199254740993.0", false),
            ("18446744073709551617", false),
            ("-9223372036854775809", false),
            ("1e300", false),
            ("-9007199254740993", false),
            ("18446744073709551615", false),
            ("0.5", true),
        ] {
            let mut faults = Faults::default();
            action(&format!(r#"{{"tool":"t","arguments":{{"n":[{number}]}}}}"#)).check(&mut faults);
            assert_eq!(faults.into_result(()).is_ok(), fine, "{number}");
        }
    }
}
