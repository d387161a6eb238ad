//! The place in a caller's trace, where a request names one. One that is not as W3C Trace Context says is passed over, in
//! every transport: that a trace cannot be followed is no reason not to ask people.

use axum::http::HeaderMap;
use domain::{TraceParent, trace::TRACEPARENT};

/// Of a request over HTTP. Two of them are none.
pub(crate) fn of(headers: &HeaderMap) -> Option<TraceParent> {
    let mut sent = headers.get_all(TRACEPARENT).into_iter();
    match (sent.next(), sent.next()) {
        (Some(one), None) => TraceParent::read(one.to_str().ok()?),
        _ => None,
    }
}
