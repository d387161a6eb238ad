//! Messages of JSON-RPC, as far as the proxy makes or changes some.

use domain::json::AnyJson;
use serde_json::{Value, json};

/// JSON-RPC's number for a server that failed.
const FAILED: i64 = -32_603;
pub(super) const UNREADABLE: i64 = -32_700;
pub(super) const UNFIT: i64 = -32_600;
pub(super) const UNFIT_PARAMS: i64 = -32_602;
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// A line from the client.
pub(crate) struct Line {
    /// What it says.
    pub(crate) message: Value,
    /// As it may be passed on.
    pub(crate) text: String,
    /// Whether every reader takes it for the same: it has no key twice, and is not too deep.
    pub(crate) is_clear: bool,
}

impl Line {
    /// One that different readers would take for different things is passed on as it was read here: no server may find
    /// a call in it that was not found here.
    pub(crate) fn read(text: String) -> serde_json::Result<Self> {
        let message: Value = serde_json::from_str(&text)?;
        let is_clear = serde_json::from_str::<AnyJson>(&text).is_ok();
        Ok(Self {
            text: if is_clear { text } else { message.to_string() },
            message,
            is_clear,
        })
    }
}

/// One line that answers a request.
pub(super) fn answer(id: &Value, with: &str, content: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, with: content }).to_string()
}

pub(super) fn fault(id: &Value, code: i64, message: &str) -> String {
    answer(id, "error", &json!({ "code": code, "message": message }))
}

/// An error instead of a result, for either side.
pub(super) fn failed(id: &Value, why: &str) -> String {
    fault(id, FAILED, why)
}

/// The denial of a call, as a model hears it: the error of a tool.
pub(super) fn denial(call: &Value, why: &str) -> String {
    let said = format!("This call was not made. {why}");
    // Whoever wants a task reads no result of a tool.
    if call["params"].get("task").is_some() {
        return fault(&call["id"], FAILED, &said);
    }
    let mut result = json!({ "content": [{ "type": "text", "text": said }], "isError": true });
    if call["params"]["_meta"].get(VERSION_KEY).is_some() {
        result["resultType"] = "complete".into();
    }
    answer(&call["id"], "result", &result)
}

/// The id of the request that this notification cancels.
pub(super) fn cancelled(message: &Value) -> Option<String> {
    let is_one = message["method"] == "notifications/cancelled" && message.get("id").is_none();
    let id = message["params"].get("requestId")?;
    is_one.then(|| id.to_string())
}

/// How a client's user can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// By a form.
    Forms,
    /// Not by one.
    NoForms,
}

/// Where a message says what its client can do, if it does.
fn capabilities(message: &mut Value) -> Option<&mut Value> {
    let is_hello = message["method"] == "initialize";
    let params = message.get_mut("params")?;
    match is_hello {
        true => params.get_mut("capabilities"),
        false => params.get_mut("_meta")?.get_mut(CAPABILITIES_KEY),
    }
}

/// What a message says of its client, if it says anything.
pub(super) fn declared(message: &mut Value) -> Option<Asks> {
    let found = capabilities(message)?.get("elicitation");
    Some(match found {
        // Forms are what is meant where nothing is named.
        Some(Value::Object(ways)) if ways.is_empty() || ways.contains_key("form") => Asks::Forms,
        _ => Asks::NoForms,
    })
}

/// Says to the server that it may ask by a form.
pub(super) fn declare(message: &mut Value) {
    let Some(Value::Object(capabilities)) = capabilities(message) else {
        return;
    };
    let ways = capabilities
        .entry("elicitation")
        .or_insert_with(|| json!({}));
    if let Value::Object(ways) = ways {
        ways.entry("form").or_insert_with(|| json!({}));
    }
}

/// Whether a request of the server's asks a user by a form.
pub(super) fn is_form(request: &Value) -> bool {
    let mode = request["params"]["mode"].as_str();
    request["method"] == "elicitation/create" && mode.is_none_or(|mode| mode == "form")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_two_readers_read_in_two_ways_is_passed_on_in_one() {
        let line = Line::read(r#"{"method":"tools/call","method":"ping"}"#.to_owned()).unwrap();
        assert!(!line.is_clear);
        assert_eq!(line.text, r#"{"method":"ping"}"#);
        let clear = r#"{ "method" : "ping", "id": 123456789012345678901234567890 }"#;
        let line = Line::read(clear.to_owned()).unwrap();
        assert!(line.is_clear);
        assert_eq!(line.text, clear);
    }

    #[test]
    fn a_client_that_asks_nobody_is_one_that_does() {
        for (said, expected) in [
            (json!({}), Asks::NoForms),
            (json!({"elicitation": {}}), Asks::Forms),
            (json!({"elicitation": {"form": {}}}), Asks::Forms),
            (json!({"elicitation": {"url": {}}}), Asks::NoForms),
        ] {
            let hello = json!({"method": "initialize", "params": {"capabilities": said}});
            let call =
                json!({"method": "tools/call", "params": {"_meta": {CAPABILITIES_KEY: said}}});
            for mut message in [hello, call] {
                assert_eq!(declared(&mut message), Some(expected), "{said}");
                declare(&mut message);
                assert_eq!(declared(&mut message), Some(Asks::Forms), "{said}");
            }
        }
        let mut other = json!({"method": "tools/call", "params": {}});
        assert_eq!(declared(&mut other), None);
    }

    #[test]
    fn a_denial_is_the_error_of_the_tool() {
        let call = |params: Value| json!({"id": 4, "method": "tools/call", "params": params});
        let said =
            |params| -> Value { serde_json::from_str(&denial(&call(params), "No.")).unwrap() };
        let plain = said(json!({}));
        assert_eq!(plain["id"], 4);
        assert_eq!(plain["result"]["isError"], true);
        assert_eq!(
            plain["result"]["content"][0]["text"],
            "This call was not made. No."
        );
        assert!(plain["result"].get("resultType").is_none());
        let newest = said(json!({"_meta": {VERSION_KEY: "2026-07-28"}}));
        assert_eq!(newest["result"]["resultType"], "complete");
        assert_eq!(said(json!({"task": {}}))["error"]["code"], FAILED);
    }
}
