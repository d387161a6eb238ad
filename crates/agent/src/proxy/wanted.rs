//! A call of a tool as an action that wants an approval, and what came of it.

use anyhow::Context;
use serde_json::{Value, json};

use crate::desk::{Desk, Wanted};

/// The action of a client's message. With a schema people may change its arguments to what fits that.
///
/// # Errors
/// When it is no call that people could be asked about.
pub(super) fn wanted(
    message: &Value,
    desk: &Desk,
    schema: Option<&Value>,
) -> anyhow::Result<Wanted> {
    let params = &message["params"];
    let tool = params["name"].as_str().context("it names no tool")?;
    let arguments = match params.get("arguments") {
        None => json!({}),
        Some(arguments) => arguments.clone(),
    };
    let tool = format!("{}/{tool}", desk.name);
    let title = "An MCP client asks before it calls a tool";
    let prompt = format!("May `{}` be called?", tool.replace('`', "'"));
    let wanted = Wanted::new(tool, arguments, (title, &prompt))?;
    Ok(match schema {
        Some(schema) => wanted.amendable(true.into(), schema.clone()),
        None => wanted,
    })
}

/// Why a call has failed, if it has.
pub(super) fn failure(said: &Value) -> Option<&str> {
    if let Some(error) = said.get("error") {
        return Some(error["message"].as_str().unwrap_or("it is an error"));
    }
    let failed = said["result"]["isError"] == true;
    let text = said["result"]["content"][0]["text"].as_str();
    failed.then(|| text.unwrap_or("the tool says that it has failed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    fn desk() -> Desk {
        Desk {
            client: Client::new("http://127.0.0.1:1", None, |_| ()).unwrap(),
            seconds: 60,
            session: Some("s".to_owned()),
            name: "files".to_owned(),
            runs_as: "mcp proxy",
        }
    }

    #[test]
    fn the_action_is_the_server_s_tool_with_its_arguments() {
        let call = json!({"params": {"name": "write", "arguments": {"path": "/x"}}});
        let schema = json!({"type": "object"});
        for (schema, expected) in [(Some(&schema), json!(true)), (None, Value::Null)] {
            let desk = desk();
            let body = wanted(&call, &desk, schema).unwrap().body(&desk);
            assert_eq!(body["action"]["tool"], "files/write");
            assert_eq!(body["action"]["arguments"], json!({"path": "/x"}));
            assert_eq!(body["timeout_seconds"], 60);
            assert_eq!(body["session_id"], "s");
            assert_eq!(body["amendable"], expected);
        }
    }

    #[test]
    fn no_arguments_are_empty_ones_and_others_than_an_object_are_none() {
        let of = |params: Value| wanted(&json!({"params": params}), &desk(), None);
        let none = of(json!({"name": "x"})).unwrap();
        let empty = of(json!({"name": "x", "arguments": {}})).unwrap();
        assert_eq!(none.digest(), empty.digest());
        for params in [
            json!({}),
            json!({"name": 4}),
            json!({"name": "x", "arguments": []}),
            json!({"name": "x", "arguments": null}),
        ] {
            assert!(of(params.clone()).is_err(), "{params}");
        }
    }

    #[test]
    fn a_tool_that_says_so_has_failed() {
        for (said, expected) in [
            (json!({"result": {"content": []}}), None),
            (
                json!({"result": {"isError": true, "content": [{"text": "full"}]}}),
                Some("full"),
            ),
            (json!({"error": {"message": "gone"}}), Some("gone")),
        ] {
            assert_eq!(failure(&said), expected, "{said}");
        }
    }
}
