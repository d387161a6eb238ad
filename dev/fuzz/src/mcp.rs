//! A call of a tool over MCP: its name and its arguments, with a zero between them.

use serde_json::{Map, Value};
use server::testing;

use crate::known::{have_places, parts};

/// What a model may say of a question is what its tool takes, and every fault has its place.
pub fn mcp(bytes: &[u8]) {
    let [tool, arguments] = parts(bytes);
    let Ok(tool) = str::from_utf8(tool) else {
        return;
    };
    let tools = ["ask_human", "notify_human"];
    let tool = tools.into_iter().find(|it| *it == tool).unwrap_or(tools[0]);
    let Ok(arguments) = serde_json::from_slice::<Map<String, Value>>(arguments) else {
        return;
    };
    let sent = arguments.clone();
    let (draft, key) = match testing::called(tool, arguments) {
        Ok(called) => called,
        Err(problem) => return have_places(problem.errors()),
    };
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    assert_eq!(key.as_deref(), text("idempotency_key"));
    assert_eq!(draft.prompt.as_deref(), text("prompt"));
    // A model cannot have the server call an address.
    assert_eq!(draft.callback_url, None);
    if let Err(faults) = draft.check(|_| None) {
        have_places(&faults);
    }
}
