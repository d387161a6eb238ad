//! Which way leads to this very browser: a cookie says so, so that signing out ends it. The cookie gives no right to
//! anything: what it names is ended only for the person whose way it is.

use axum::http::{HeaderMap, HeaderValue, header};
use domain::DestinationId;
use service::{ServiceError, SignedIn};

use crate::state::AppState;

const NAME: &str = "handraise-push";
/// A year; browsers keep none for much longer.
const SECONDS: u32 = 365 * 24 * 60 * 60;

/// The cookie of a browser that was just added.
pub(super) fn cookie(state: &AppState, id: DestinationId) -> Option<HeaderValue> {
    let secure = if state.config.is_https() {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!("{NAME}={id}; Path=/; Max-Age={SECONDS}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&cookie).ok()
}

/// Nothing more is sent to the browser that the person signs out of.
///
/// # Errors
/// When the database fails.
pub(in crate::ui) async fn leave(
    state: &AppState,
    headers: &HeaderMap,
    who: &SignedIn,
) -> Result<(), ServiceError> {
    match named(headers) {
        Some(id) => state.service.leave_browser(id, &who.principal()).await,
        None => Ok(()),
    }
}

fn named(headers: &HeaderMap) -> Option<DestinationId> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|cookies| cookies.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';'));
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == NAME).then(|| value.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_cookie_names_a_way() {
        let id = "01890000-0000-7000-8000-000000000001";
        for (cookies, is_named) in [
            (format!("handraise-push={id}"), true),
            (format!("id=x; handraise-push={id}; theme=dark"), true),
            (format!("x-handraise-push={id}"), false),
            ("handraise-push=1".to_owned(), false),
            (String::new(), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(&cookies).unwrap());
            assert_eq!(named(&headers).is_some(), is_named, "{cookies}");
        }
    }
}
