//! Whether a browser's request comes from our own page.
//!
//! Cookies travel with requests other sites cause; what changes state, and the socket, must not obey
//! them. Browsers say where a request comes from in `Sec-Fetch-Site` and `Origin`.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{problem::Problem, state::AppState};

/// Middleware of everything a cookie opens: lets reading pass, and the rest from our own pages.
pub async fn require(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || is_same_origin(request.headers(), state.config.is_https()) {
        next.run(request).await
    } else {
        Problem::cross_origin().into_response()
    }
}

/// Whether the headers name our own page as the origin. A request that does not say is not ours. Where
/// people come by `https`, a page that came without is not ours either: anybody on the way may have
/// written it.
pub fn is_same_origin(headers: &HeaderMap, https: bool) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let host = text(header::HOST.as_str());
    let origin = text(header::ORIGIN.as_str())
        .and_then(|origin| origin.split_once("://"))
        .filter(|(scheme, _)| *scheme == "https" || !https)
        .map(|(_, host)| host);
    host.is_some() && origin == host
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            (
                header::HeaderName::from_static(name),
                header::HeaderValue::from_static(value),
            )
        });
        pairs.collect()
    }

    #[test]
    fn only_our_own_pages_pass() {
        for (pairs, ours) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("host", "h:1"), ("origin", "http://h:1")], true),
            (&[("host", "h:1"), ("origin", "http://h:2")], false),
            (&[("host", "h:1"), ("origin", "null")], false),
            (&[("host", "h:1")], false),
            (&[], false),
        ] {
            assert_eq!(is_same_origin(&headers(pairs), false), ours, "{pairs:?}");
        }
        for (origin, ours) in [("http://h:1", false), ("https://h:1", true)] {
            let headers = headers(&[("host", "h:1"), ("origin", origin)]);
            assert_eq!(is_same_origin(&headers, true), ours, "{origin}");
        }
    }
}
