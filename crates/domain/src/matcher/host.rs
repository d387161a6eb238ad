//! Addresses at one host. Parsers of addresses disagree on whatever is unusual, so nothing unusual matches: no name or
//! password before the host, no backslash, nothing but a `/` after it.

/// What an address may hold after its host, besides letters and digits.
const AFTER: &str = "/-._~!$&'()*+,;=:%?#";
/// The longest that is looked at, in bytes.
const LONGEST: usize = 4_096;

/// Whether an address certainly is at this origin.
pub(super) fn is_at(address: &str, origin: &str) -> bool {
    let Some(after) = address.strip_prefix(origin) else {
        return false;
    };
    let is_fit = |c: char| c.is_ascii_alphanumeric() || AFTER.contains(c);
    address.len() <= LONGEST
        && fault(origin).is_none()
        && (after.is_empty() || after.starts_with('/'))
        && after.chars().all(is_fit)
}

/// The origin of an address, if it has a usual form.
pub(super) fn origin(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split('/').next()?;
    let origin = address.get(..scheme.len() + "://".len() + host.len())?;
    is_at(address, origin).then_some(origin)
}

/// Why a grant cannot be for this origin.
pub(super) fn fault(origin: &str) -> Option<&'static str> {
    let authority = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    let Some(authority) = authority else {
        return Some("must begin with `https://` or `http://`");
    };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_port = |port: &str| {
        let digits = (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
        digits && !port.starts_with('0')
    };
    let is_label = |label: &str| {
        let is_fit = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let edges = label.starts_with('-') || label.ends_with('-');
        (1..=63).contains(&label.len()) && !edges && label.bytes().all(is_fit)
    };
    let is_host = host.len() <= 253
        && host.split('.').all(is_label)
        && (host == "localhost" || host.contains('.'));
    let fits = is_host && port.is_none_or(is_port);
    (!fits).then_some("must be a scheme and a host in small letters, with a port or none: `https://api.example.com`")
}
