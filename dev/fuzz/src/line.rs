//! A line from a client of MCP, on its way to another server.

use agent::testing;
use serde_json::Value;

/// Whatever is passed on reads as it was read here, as every reader reads it.
pub fn line(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let Ok((message, passed_on)) = testing::line(text.to_owned()) else {
        return;
    };
    assert_eq!(serde_json::from_str::<Value>(&passed_on).unwrap(), message);
    assert!(!passed_on.trim_end_matches(['\r', '\n']).contains('\n') || text.contains('\n'));
}
