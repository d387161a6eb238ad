//! Signing out of the provider as well. It is a page that goes on by itself: the form that signs out may not lead to
//! another host.

use std::time::Duration;

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{IntoResponse, Redirect, Response},
};
use tokio::time::timeout;

use crate::{
    auth::on_the_way::CameBy,
    plain_page::{html::Text, plain_page},
    state::AppState,
};

const REFRESH: HeaderName = HeaderName::from_static("refresh");
/// Who wants to leave does not wait for a provider that is down.
const IN_TIME: Duration = Duration::from_secs(5);

/// Leads to the provider, or where it has no such address to the sign-in page.
pub(super) async fn page(state: &AppState, headers: &HeaderMap, came: CameBy) -> Response {
    let here = || Redirect::to("/sign-in").into_response();
    let Some(provider) = state.providers.find(&came.provider) else {
        return here();
    };
    let back = state.providers.after_sign_out();
    let there = provider.sign_out(&came.id_token, &back, state.service.now());
    let Ok(Some(url)) = timeout(IN_TIME, there).await else {
        return here();
    };
    let Ok(refresh) = HeaderValue::from_str(&format!("0; url={url}")) else {
        return here();
    };
    let name = visible::line(&provider.settings.name);
    let body = format!(
        "<main id=\"left\" class=\"book\"><h1>You are signed out of Handraise</h1><p>You are still signed in at \
         <bdi>{name}</bdi>. <a href=\"{url}\">Sign out there as well</a>.</p></main>",
        name = Text(&name),
        url = Text(url.as_str()),
    );
    let skip = ("left", "Skip to what is left");
    let mut response = plain_page(state, headers, "Signed out", skip, &body);
    response.headers_mut().insert(REFRESH, refresh);
    response
}
