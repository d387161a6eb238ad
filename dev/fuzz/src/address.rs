//! An address that agents and admins want to be called at, which may lead into the server's own network.

use service::guard::{Guard, LONGEST, Networks};
use url::{Host, Url};

/// What is let through is HTTP without a password, to a name or to a public address.
pub fn address(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let guard = Guard::new(Networks::default());
    let Ok(url) = guard.check(text) else {
        return;
    };
    assert!(text.len() <= LONGEST);
    assert!(["http", "https"].contains(&url.scheme()), "{url}");
    assert!(
        url.username().is_empty() && url.password().is_none(),
        "{url}"
    );
    assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(&url));
    // Written out it may be longer.
    let is_long = url.as_str().len() > LONGEST;
    assert!(
        is_long || guard.check(url.as_str()).as_ref() == Ok(&url),
        "{url}"
    );
    match url.host() {
        Some(Host::Ipv4(address)) => {
            let is_own = address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || address.is_multicast();
            assert!(!is_own, "{url}");
        }
        Some(Host::Ipv6(address)) => {
            let mapped = address.to_ipv4_mapped();
            let is_own = address.is_loopback()
                || address.is_unspecified()
                || address.is_multicast()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || mapped
                    .is_some_and(|it| it.is_loopback() || it.is_private() || it.is_link_local());
            assert!(!is_own, "{url}");
        }
        Some(Host::Domain(name)) => assert!(!name.is_empty()),
        None => panic!("{url} has no host"),
    }
}
