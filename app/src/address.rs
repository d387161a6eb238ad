//! Addresses whose queries say what a list is narrowed to.

use std::fmt::Write as _;

/// A path with those of these that say something as its query.
pub(crate) fn with_query(path: &str, query: &[(&str, Option<&str>)]) -> String {
    let mut address = path.to_owned();
    let mut mark = '?';
    for (name, value) in query {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = write!(address, "{mark}{name}={}", escape(value));
            mark = '&';
        }
    }
    address
}

/// The same on the server and in the browser, which the router's own is not.
fn escape(value: &str) -> String {
    let mut escaped = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}
