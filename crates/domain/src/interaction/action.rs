//! The exact action of an approval, and its digest.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::operand::{self, Operand};
use crate::{
    attachment::Attachment,
    digest,
    fault::Faults,
    json::{AnyJson, Object},
    limits,
};

/// One exact action that the machine will run if it is approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The tool.
    pub tool: String,
    /// Its arguments by name: an object.
    #[serde(default = "no_arguments")]
    pub arguments: AnyJson,
    /// The things it refers to without containing them.
    #[serde(
        default,
        deserialize_with = "objects",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub operands: Vec<Operand>,
    /// The files that were sent with it, as people are shown them. Whoever asks names them beside the action; the server puts
    /// them here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

fn no_arguments() -> AnyJson {
    AnyJson(Value::Object(Map::new()))
}

/// Operands with their fields named.
fn objects<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Operand>, D::Error> {
    let operands = Vec::<Object<Operand>>::deserialize(deserializer)?;
    Ok(operands
        .into_iter()
        .map(|Object(operand)| operand)
        .collect())
}

impl Action {
    /// `sha256:` and the hex of SHA-256 over the RFC 8785 form of `{"arguments": …, "tool": …}`, with
    /// `operands` and `attachments` where there are any, so that the tool that runs an action can check that it is the one
    /// that was approved.
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
        check_arguments(&self.arguments, "action.arguments", faults);
        operand::check(&self.operands, faults);
        match self.digest() {
            Ok(digest) => Some(digest),
            Err(error) => {
                faults.add("action.arguments", error.to_string());
                None
            }
        }
    }
}

/// Checks the arguments of an action, which stand at `path`.
pub(super) fn check_arguments(arguments: &AnyJson, path: &str, faults: &mut Faults) {
    if !arguments.0.is_object() {
        faults.add(path, "must be an object");
    }
    let values = arguments.values();
    if values > limits::ACTION_VALUES {
        faults.add(
            path,
            format!(
                "has {values} values, at most {} are allowed",
                limits::ACTION_VALUES
            ),
        );
    }
    if let Some(number) = inexact(&arguments.0) {
        // Its canonical form would be that of another number, and so would be the digest.
        faults.add(
            path,
            format!(
                "{number} is 2^53 or beyond and not the same number everywhere; send it as a string"
            ),
        );
    }
}

/// A number too large for a double to hold each one of its size. Those that the parser has rounded already
/// are as large.
fn inexact(value: &Value) -> Option<&serde_json::Number> {
    match value {
        Value::Number(number) => {
            let size = number.as_f64().map(f64::abs);
            let exact = limits::EXACT_INTEGER as f64;
            size.is_none_or(|size| size > exact).then_some(number)
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
    fn an_operand_names_its_fields() {
        let action = |operand: &str| {
            let json = format!(r#"{{"tool":"t","arguments":{{}},"operands":[{operand}]}}"#);
            serde_json::from_str::<Action>(&json)
        };
        let one = action(r#"{"name":"n","sha256":"ab","size":1}"#).unwrap();
        // However the number is written.
        let written = action(r#"{"name":"n","sha256":"ab","size":1.0}"#).unwrap();
        assert_eq!(written, one);
        assert_eq!(written.digest().unwrap(), one.digest().unwrap());
        for size in ["-1", "1.5", "1e300", "\"1\"", "null"] {
            let operand = format!(r#"{{"name":"n","sha256":"ab","size":{size}}}"#);
            assert!(action(&operand).is_err(), "{size}");
        }
        let refused = action(r#"["n","ab",1]"#).unwrap_err().to_string();
        assert!(refused.contains("expected an object"), "{refused}");
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
    fn an_action_of_too_many_values_is_refused() {
        for (elements, fine) in [
            // The object and the array are values, too.
            (limits::ACTION_VALUES - 2, true),
            (limits::ACTION_VALUES - 1, false),
        ] {
            let list = vec!["0"; elements].join(",");
            let written = format!(r#"{{"tool":"t","arguments":{{"n":[{list}]}}}}"#);
            let mut faults = Faults::default();
            action(&written).check(&mut faults);
            let found = faults.into_result(());
            assert_eq!(found.is_ok(), fine);
            if let Err(found) = found {
                assert_eq!(found[0].path, "action.arguments");
                assert_eq!(
                    found[0].message,
                    "has 5001 values, at most 5000 are allowed"
                );
            }
        }
    }

    #[test]
    fn operands_are_part_of_the_digest_and_none_leave_it_as_it_was() {
        let without = action(r#"{"tool":"shell","arguments":{}}"#);
        let none = action(r#"{"tool":"shell","arguments":{},"operands":[]}"#);
        assert_eq!(none.digest().unwrap(), without.digest().unwrap());
        let with = |sha: char| {
            let sha256 = sha.to_string().repeat(64);
            action(&format!(
                r#"{{"tool":"shell","operands":[{{"name":"x.sh","sha256":"{sha256}","size":3}}]}}"#
            ))
        };
        assert_ne!(with('a').digest().unwrap(), without.digest().unwrap());
        assert_ne!(with('a').digest().unwrap(), with('b').digest().unwrap());
    }

    #[test]
    fn attachments_are_part_of_the_digest_and_none_leave_it_as_it_was() {
        let without = action(r#"{"tool":"shell","arguments":{}}"#);
        let none = action(r#"{"tool":"shell","arguments":{},"attachments":[]}"#);
        assert_eq!(none.digest().unwrap(), without.digest().unwrap());
        let with = |name: &str, media: &str, size: &str, sha: char| {
            let sha256 = sha.to_string().repeat(64);
            action(&format!(
                r#"{{"tool":"shell","attachments":[{{"name":"{name}","type":"{media}","size":{size},"sha256":"{sha256}"}}]}}"#
            ))
        };
        let one = with("a.png", "image/png", "3", 'a');
        // However the number is written.
        let written = with("a.png", "image/png", "3.0", 'a');
        assert_eq!(written.digest().unwrap(), one.digest().unwrap());
        // printf '{"arguments":{},"attachments":[{"name":"a.png","sha256":"aaaa…","size":3,"type":"image/png"}],"tool":"shell"}' | sha256sum
        let expected = format!(
            r#"{{"arguments":{{}},"attachments":[{{"name":"a.png","sha256":"{}","size":3,"type":"image/png"}}],"tool":"shell"}}"#,
            "a".repeat(64)
        );
        assert_eq!(one.digest().unwrap(), digest::sha256(expected.as_bytes()));
        for other in [
            without,
            with("b.png", "image/png", "3", 'a'),
            with("a.png", "image/jpeg", "3", 'a'),
            with("a.png", "image/png", "4", 'a'),
            with("a.png", "image/png", "3", 'b'),
        ] {
            assert_ne!(other.digest().unwrap(), one.digest().unwrap());
        }
        for wrong in [
            r#"{"tool":"t","attachments":[{"name":"a","type":"image/gif","size":3,"sha256":"a"}]}"#,
            r#"{"tool":"t","attachments":[{"name":"a","type":"image/png","size":-3,"sha256":"a"}]}"#,
            r#"{"tool":"t","attachments":[{"name":"a","type":"image/png","size":3}]}"#,
        ] {
            assert!(serde_json::from_str::<Action>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_operand_is_named_once_and_has_a_digest() {
        let paths = |operands: &str| {
            let mut faults = Faults::default();
            action(&format!(r#"{{"tool":"t","operands":{operands}}}"#)).check(&mut faults);
            let faults = faults.into_result(()).err().unwrap_or_default();
            let paths = faults.into_iter().map(|fault| fault.path);
            paths.collect::<Vec<_>>().join(" ")
        };
        let good = "a".repeat(64);
        assert_eq!(
            paths(&format!(r#"[{{"name":"a","sha256":"{good}","size":0}}]"#)),
            ""
        );
        assert_eq!(
            paths(&format!(
                r#"[{{"name":"a","sha256":"{good}","size":9007199254740992}},
                    {{"name":"a","sha256":"{}","size":0}}, {{"name":" ","sha256":"","size":0}}]"#,
                "A".repeat(64)
            )),
            "action.operands[0].size action.operands[1].sha256 action.operands[1].name \
             action.operands[2].name action.operands[2].sha256"
        );
        let one = |n| format!(r#"{{"name":"{n}","sha256":"{good}","size":0}}"#);
        let many: Vec<_> = (0..51).map(one).collect();
        assert_eq!(paths(&format!("[{}]", many.join(","))), "action.operands");
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
