//! Which addresses a secret may be sent to.

use url::{Host, Url};

/// Whether what is sent there is read by nobody on the way: by TLS, or because it stays on this machine.
pub fn is_safe(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => return false,
    };
    url.username().is_empty()
        && url.password().is_none()
        && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_safe_without_tls() {
        for (address, safe) in [
            ("https://id.example", true),
            ("http://localhost:8080/realms/x", true),
            ("http://id.localhost", true),
            ("http://127.0.0.1:1", true),
            ("http://[::1]", true),
            ("http://id.example", false),
            ("http://10.0.0.1", false),
            ("http://localhost.example", false),
            ("https://a:b@id.example", false),
            ("ftp://localhost", false),
            ("data:text/plain,a", false),
        ] {
            assert_eq!(is_safe(&Url::parse(address).unwrap()), safe, "{address}");
        }
    }
}
