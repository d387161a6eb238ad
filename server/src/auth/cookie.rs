//! The session cookie.

use axum::http::{HeaderMap, HeaderValue, header};
use cookie::{Cookie, SameSite, time::Duration};
use domain::limits::SESSION_LIFETIME;
use service::secret::Secret;

use crate::config::Config;

/// The secret that the browser sent.
pub fn read(config: &Config, headers: &HeaderMap) -> Option<Secret> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name(config))
        .map(|cookie| Secret::from_outside(cookie.value()))
}

/// The header that gives the browser a session, or with `None` takes it back.
pub fn header(config: &Config, session: Option<&Secret>) -> Option<HeaderValue> {
    let (value, seconds) = match session {
        Some(session) => (session.reveal(), SESSION_LIFETIME.num_seconds()),
        None => ("", 0),
    };
    let cookie = Cookie::build((name(config), value))
        .path("/")
        .max_age(Duration::seconds(seconds))
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(config.is_https());
    let mut header = HeaderValue::from_str(&cookie.to_string()).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// Browsers accept the `__Host-` prefix over TLS only.
fn name(config: &Config) -> &'static str {
    if config.is_https() {
        "__Host-handraise_session"
    } else {
        "handraise_session"
    }
}
