//! Messages of JSON-RPC, as far as they are looked into on their way.

use domain::json::AnyJson;
use serde_json::{Value, json};

/// Longer lines pass without being looked into.
const LONGEST: usize = 16 * 1024 * 1024;
/// JSON-RPC's number for a request that is none.
const UNFIT: i64 = -32_600;

/// A line that is one message.
pub(crate) struct Said {
    pub(super) message: Value,
    /// Whether every reader takes it for the same: it has no key twice, and is not too deep.
    pub(super) is_clear: bool,
}

impl Said {
    /// `None` for what is passed on without being understood.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        if line.len() > LONGEST {
            return None;
        }
        let message: Value = serde_json::from_slice(line).ok()?;
        message.is_object().then(|| Self {
            message,
            is_clear: serde_json::from_slice::<AnyJson>(line).is_ok(),
        })
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.message["method"].as_str()
    }

    pub(super) fn params(&self) -> &Value {
        &self.message["params"]
    }

    /// The id of a request or a response, if both sides write it in the same way.
    pub(super) fn key(&self) -> Option<String> {
        key(self.message.get("id")?)
    }

    /// The id of the request that it answers.
    pub(super) fn answers(&self) -> Option<String> {
        let is_answer = self.message.get("method").is_none();
        self.key().filter(|_| is_answer)
    }
}

/// Tells one request from another. A fraction or a large number comes back as another from some programs.
pub(super) fn key(id: &Value) -> Option<String> {
    let is_plain = id.is_string() || id.as_i64().is_some_and(|id| id.abs() < 1 << 53);
    is_plain.then(|| id.to_string())
}

/// The error of a request that is refused.
pub(super) fn unfit(why: &str) -> Value {
    json!({ "code": UNFIT, "message": why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<Said> {
        Said::read(line.as_bytes())
    }

    #[test]
    fn only_one_message_a_line_is_looked_into() {
        for line in ["", "\n", "{", "[]", "[{\"id\":1}]", "4", "\u{feff}{}"] {
            assert!(said(line).is_none(), "{line}");
        }
        let long = format!("{{\"a\":\"{}\"}}", "a".repeat(LONGEST));
        assert!(said(&long).is_none());
        assert!(said("{\"id\":1}\r\n").is_some());
        assert!(!said(r#"{"id":1,"id":2}"#).unwrap().is_clear);
    }

    #[test]
    fn ids_that_may_come_back_as_others_are_not_watched() {
        for (id, expected) in [
            ("1", Some("1")),
            ("\"1\"", Some("\"1\"")),
            ("1.0", None),
            ("9007199254740993", None),
            ("null", None),
            ("{}", None),
        ] {
            let said = said(&format!(r#"{{"id":{id},"result":{{}}}}"#)).unwrap();
            assert_eq!(said.answers().as_deref(), expected, "{id}");
        }
        assert_eq!(said(r#"{"id":1,"method":"x"}"#).unwrap().answers(), None);
    }
}
