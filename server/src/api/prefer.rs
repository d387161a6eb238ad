//! `Prefer: wait=N` (RFC 7240): hold the answer back until there is news.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// No proxy should have to hold a silent connection for longer.
const LONGEST: Duration = Duration::from_secs(60);

/// The answer's header that says how long it would have been held.
pub(super) const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// What stands in [`APPLIED`].
pub(super) fn applied(wait: Duration) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("wait={}", wait.as_secs())).ok()
}

/// How long the caller wants to be held.
pub(crate) fn wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split([',', ';']))
        .filter_map(|preference| preference.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("wait"))
        .map(|(_, seconds)| seconds.trim().trim_matches('"'))
        .find(|seconds| !seconds.is_empty() && seconds.bytes().all(|b| b.is_ascii_digit()))?;
    // Digits that do not fit are many seconds.
    let wait = seconds.parse().map_or(LONGEST, Duration::from_secs);
    Some(wait.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_is_found_among_other_preferences() {
        for (value, seconds) in [
            ("wait=30", Some(30)),
            ("respond-async, Wait = 5", Some(5)),
            ("wait=\"7\"", Some(7)),
            ("wait=3600", Some(60)),
            ("wait=0", Some(0)),
            ("wait=99999999999999999999", Some(60)),
            ("wait=soon, wait=1", Some(1)),
            ("wait=-1", None),
            ("return=minimal", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", HeaderValue::from_static(value));
            assert_eq!(wait(&headers), seconds.map(Duration::from_secs), "{value}");
        }
    }
}
