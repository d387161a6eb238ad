//! What a coding agent writes to its hook.

use agent::testing;
use domain::{
    interaction::{Ask, Draft},
    json::AnyJson,
};

use crate::known::have_places;

/// The call that people are asked about is the call that was made, and the server can read the request.
pub fn hook(bytes: &[u8]) {
    let Ok(Some(body)) = testing::hook(bytes, 300) else {
        return;
    };
    let draft: Draft = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(draft.timeout_seconds, Some(Some(300)));
    let request = match draft.check(|_| None) {
        Ok(request) => request,
        Err(faults) => return have_places(&faults),
    };
    // As a reader that gives no key a meaning of its own reads it.
    let sent = serde_json::from_slice::<AnyJson>(bytes);
    if let (Ask::Approval { action, .. }, Ok(AnyJson(sent))) = (&request.ask, sent) {
        assert_eq!(Some(&*action.tool), sent["tool_name"].as_str());
        assert_eq!(action.arguments.0["input"], sent["tool_input"]);
        if let Some(cwd) = sent["cwd"].as_str() {
            assert_eq!(action.arguments.0["cwd"], cwd);
        }
    }
    assert_ne!(request.prompt, "");
}
