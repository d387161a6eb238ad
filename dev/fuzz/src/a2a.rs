//! A call of A2A over JSON-RPC.

use server::testing;

use crate::known::have_places;

/// What is no message is answered as JSON-RPC has it; the same message has the same key.
pub fn a2a(bytes: &[u8]) {
    let (draft, key) = match testing::sent(bytes) {
        Ok(sent) => sent,
        Err(answer) => {
            assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
            assert!(answer["error"]["code"].is_i64(), "{answer}");
            assert!(answer["error"]["message"].is_string(), "{answer}");
            assert!(answer.get("id").is_some() && answer.get("result").is_none());
            return;
        }
    };
    assert!(key.starts_with("a2a sha256:") && key.len() <= domain::limits::KEY_CHARS);
    assert_eq!(testing::sent(bytes), Ok((draft.clone(), key)));
    assert!(draft.kind.is_some());
    if let Err(faults) = draft.check(|_| None) {
        have_places(&faults);
    }
}
