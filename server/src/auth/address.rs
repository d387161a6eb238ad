//! Where a request comes from: the peer, or what proxies that are trusted say of it.

use std::net::{IpAddr, SocketAddr};

use axum::{
    Extension,
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderName},
    middleware::Next,
    response::Response,
};

use crate::{problem::Problem, state::AppState};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that limits are counted by. Middleware puts it into every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

/// Middleware of everything.
pub async fn note(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Request {
    let address = client(peer.ip(), request.headers(), state.config.trusted_proxies);
    request.extensions_mut().insert(address);
    request
}

/// Middleware of what is open to everybody and costs something: counts the caller as a stranger.
pub async fn count(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    state.limits.count_stranger(address)?;
    Ok(next.run(request).await)
}

/// Every proxy appends the address it was called from, so the last `trusted` entries are theirs, and
/// the entries before are the client's own invention. Where a proxy did not do so, only the peer is known.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: u8) -> ClientAddress {
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let forwarded = usize::from(trusted).checked_sub(1).and_then(|nth| {
        lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.rsplit(','))
            .nth(nth)?
            .trim()
            .parse::<IpAddr>()
            .ok()
    });
    ClientAddress(forwarded.unwrap_or(peer).to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_trusted_proxies_said_counts() {
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        for (lines, trusted, expected) in [
            (&["1.1.1.1"][..], 0, "10.0.0.1"),
            (&["1.1.1.1"], 1, "1.1.1.1"),
            (&["9.9.9.9, 1.1.1.1"], 1, "1.1.1.1"),
            (&["9.9.9.9", "1.1.1.1"], 1, "1.1.1.1"),
            (&["9.9.9.9, 1.1.1.1, 10.0.0.2"], 2, "1.1.1.1"),
            (&["::ffff:1.1.1.1"], 1, "1.1.1.1"),
            (&["2001:db8::1"], 1, "2001:db8::1"),
            (&["1.1.1.1"], 2, "10.0.0.1"),
            (&["unknown"], 1, "10.0.0.1"),
            (&[], 1, "10.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, line.parse().unwrap());
            }
            let found = client(peer, &headers, trusted);
            assert_eq!(found.0.to_string(), expected, "{lines:?} {trusted}");
        }
    }
}
