//! `handraise health`: what a container is looked after by, which has no other program in it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::{Context, bail};

use super::{ServerFlags, beside};

pub(super) async fn run(flags: ServerFlags) -> anyhow::Result<()> {
    let addr = reachable(flags.load()?.config.addr);
    let answer = beside::readiness(addr).await;
    let answer = answer.with_context(|| format!("no server answers at {addr}"))?;
    if answer
        .lines()
        .next()
        .is_some_and(|first| first.contains(" 200 "))
    {
        return Ok(());
    }
    let said = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    bail!("the server at {addr} is not ready: {}", visible::line(said))
}

/// Where to call a server that listens on all addresses.
fn reachable(addr: SocketAddr) -> SocketAddr {
    let ip: IpAddr = match addr.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, addr.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_asked_on_the_nearest() {
        for (listens, asked) in [
            ("0.0.0.0:3000", "127.0.0.1:3000"),
            ("[::]:1", "[::1]:1"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reachable(listens.parse().unwrap()).to_string(), asked);
        }
    }
}
