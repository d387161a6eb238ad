//! Which addresses may be reached from here. People and agents name addresses, and this server may stand
//! where they do not: so nothing leads into its own network unless an operator allows it. Names are
//! looked up inside the client, and the addresses they lead to are checked there: a name that leads
//! elsewhere the second time gains nothing.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use ipnet::IpNet;
use reqwest::dns::{Name, Resolve, Resolving};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

/// Longest address, in bytes.
pub const LONGEST: usize = 2_000;

/// No public addresses: RFC 6890 and its registries, multicast, and ranges that lead to IPv4 in
/// disguise (NAT64, 6to4, Teredo, IPv4-compatible).
const REFUSED: [&str; 28] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
];

/// Networks, such as `10.0.0.0/8`, or single addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Networks(Vec<IpNet>);

impl TryFrom<Vec<String>> for Networks {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        let networks = names.iter().map(|name| {
            let network = name.parse();
            let network = network.or_else(|_| name.parse().map(|address: IpAddr| address.into()));
            network.map_err(|_| format!("`{name}` is no network like 10.0.0.0/8 or fd00::/8"))
        });
        networks.collect::<Result<_, _>>().map(Self)
    }
}

impl Networks {
    /// These and those.
    #[must_use]
    pub fn with(&self, more: &Self) -> Self {
        Self(self.0.iter().chain(&more.0).copied().collect())
    }
}

/// Knows which addresses may be reached.
#[derive(Debug)]
pub struct Guard {
    allowed: Networks,
    refused: Vec<IpNet>,
}

/// An address that may not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Forbidden {
    /// Not an address at all.
    #[error("must be an address that begins with http:// or https://")]
    NotHttp,
    /// Names and passwords end up in logs.
    #[error("must have no name and no password in it")]
    WithPassword,
    /// No real address is that long.
    #[error("must have at most {LONGEST} bytes")]
    TooLong,
    /// An address in a network that is not public.
    #[error("leads to an address that is not public; HANDRAISE_OUTBOUND_ALLOW can allow it")]
    NotPublic,
}

impl Guard {
    /// Refuses every address that is not public, but for `allowed`.
    pub fn new(allowed: Networks) -> Self {
        let refused = REFUSED.iter().filter_map(|network| network.parse().ok());
        Self {
            allowed,
            refused: refused.collect(),
        }
    }

    /// Reads an address, and refuses it as far as can be told without asking anybody.
    ///
    /// # Errors
    /// Why it may not be reached.
    pub fn check(&self, address: &str) -> Result<Url, Forbidden> {
        if address.len() > LONGEST {
            return Err(Forbidden::TooLong);
        }
        // Parsing would mend more than anybody should rely on: `http:hooks.example`, white space around.
        let begins = |with: &str| {
            let start = address.get(..with.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        if !begins("http://") && !begins("https://") {
            return Err(Forbidden::NotHttp);
        }
        let url = Url::parse(address).map_err(|_| Forbidden::NotHttp)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Forbidden::WithPassword);
        }
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(Forbidden::NotHttp),
        };
        match literal {
            Some(address) if !self.permits(address) => Err(Forbidden::NotPublic),
            _ => Ok(url),
        }
    }

    /// Whether this address may be reached.
    pub fn permits(&self, address: IpAddr) -> bool {
        // IPv4 in IPv6 is the IPv4 it leads to.
        let address = address.to_canonical();
        let within = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
        within(&self.allowed.0) || !within(&self.refused)
    }
}

/// Looks names up, and forgets addresses that may not be reached.
pub struct Guarded {
    /// Says which may.
    pub guard: Arc<Guard>,
    /// Looks them up.
    pub names: Arc<dyn Resolve>,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.names.resolve(name);
        let guard = Arc::clone(&self.guard);
        Box::pin(async move {
            let permitted: Vec<SocketAddr> = found
                .await?
                .filter(|address| guard.permits(address.ip()))
                .collect();
            if permitted.is_empty() {
                return Err(Forbidden::NotPublic.into());
            }
            let permitted: Box<dyn Iterator<Item = SocketAddr> + Send> =
                Box::new(permitted.into_iter());
            Ok(permitted)
        })
    }
}

/// Names as the system knows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

impl Resolve for SystemNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            let found: Box<dyn Iterator<Item = SocketAddr> + Send> = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guarded(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_refused_however_it_is_written() {
        let guard = Guard::new(Networks::default());
        assert_eq!(guard.refused.len(), REFUSED.len());
        for host in [
            "127.0.0.1",
            "127.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "0.0.0.0",
            "10.1.2.3",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "192.88.99.1",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:10.0.0.1]",
            "[::7f00:1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[2001::1]",
            "[2001:db8::1]",
            "[fc00::1]",
            "[fd12::1]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
            "[100::1]",
            "[3fff::1]",
            "[5f00::1]",
        ] {
            let found = guard.check(&format!("http://{host}:8080/hook"));
            assert_eq!(found.unwrap_err(), Forbidden::NotPublic, "{host}");
        }
        for host in [
            "93.184.215.14",
            "172.32.0.1",
            "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]",
            "hooks.example",
        ] {
            assert!(
                guard.check(&format!("https://{host}/hook?x=1")).is_ok(),
                "{host}"
            );
        }
    }

    #[test]
    fn what_is_no_address_for_a_webhook_is_refused() {
        let guard = Guard::new(Networks::default());
        for (address, why) in [
            ("", Forbidden::NotHttp),
            ("hooks.example", Forbidden::NotHttp),
            ("ftp://hooks.example", Forbidden::NotHttp),
            ("file:///etc/passwd", Forbidden::NotHttp),
            ("https://", Forbidden::NotHttp),
            ("https:hooks.example", Forbidden::NotHttp),
            (" https://hooks.example", Forbidden::NotHttp),
            ("https://ana:secret@hooks.example", Forbidden::WithPassword),
            ("https://ana@hooks.example", Forbidden::WithPassword),
            (
                &format!("https://hooks.example/{}", "x".repeat(2_000)),
                Forbidden::TooLong,
            ),
        ] {
            assert_eq!(guard.check(address).unwrap_err(), why, "{address}");
        }
    }

    #[test]
    fn an_operator_may_allow_networks() {
        let guard = Guard::new(networks(&["10.1.0.0/16", "::1", "192.168.7.7"]).unwrap());
        for (host, allowed) in [
            ("10.1.2.3", true),
            ("10.2.0.1", false),
            ("[::ffff:10.1.2.3]", true),
            ("[::1]", true),
            ("127.0.0.1", false),
            ("192.168.7.7", true),
            ("192.168.7.8", false),
        ] {
            assert_eq!(
                guard.check(&format!("http://{host}/")).is_ok(),
                allowed,
                "{host}"
            );
        }
        let wrong = networks(&["10.0.0.0/33"]).unwrap_err();
        assert!(wrong.contains("`10.0.0.0/33` is no network"), "{wrong}");
    }

    fn networks(names: &[&str]) -> Result<Networks, String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        names.try_into()
    }
}
