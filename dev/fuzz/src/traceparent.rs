//! `traceparent` of W3C Trace Context, in a header or in `_meta`.

use domain::{InteractionId, TraceParent};
use uuid::Uuid;

/// What is read is written as version 00 and reads the same.
pub fn traceparent(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let Some(read) = TraceParent::read(text) else {
        return;
    };
    let written = read.to_string();
    assert_eq!(TraceParent::read(&written), Some(read));
    assert_eq!(written.len(), 55);
    // All but the version, and flags without a meaning, stands in it as it was sent.
    assert_eq!(written[3..52], text[3..52]);
    let json = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<TraceParent>(&json).unwrap(), read);
    let waiting = read.waiting_for(InteractionId(Uuid::from_u128(1)));
    assert_eq!(waiting.trace_id, read.trace_id);
    assert_eq!(waiting.is_sampled(), read.is_sampled());
}
