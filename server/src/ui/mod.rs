//! The dashboard: mounts leptos and implements what its pages may ask for.

mod access_notices;
mod action;
mod around;
pub mod assets;
mod attached;
mod backend;
mod blocker;
mod by_provider;
mod duty;
pub mod factor;
mod grants;
mod group;
mod html_text;
mod insights;
mod ladder;
pub(crate) mod markdown;
mod memories;
mod outbound;
mod plan;
mod policies;
mod providers;
pub mod quick;
mod reach;
mod remembered;
mod settings;
mod sign_in;
mod sign_out_there;
mod story;
mod teams;

use std::sync::{Arc, LazyLock};

use app::{App, Assets, Theme, backend::Backend, shell};
use axum::{
    Router,
    http::{HeaderName, HeaderValue, header, request::Parts},
    routing::{get, post},
};
use leptos::{context::use_context, nonce::use_nonce, prelude::provide_context};
use leptos_axum::{AxumRouteListing, LeptosRoutes, ResponseOptions, generate_route_list};
use service::SignedIn;
use tower_sessions::Session;

use crate::{auth::address::ClientAddress, state::AppState};

/// The pages' addresses, walked through once a process: while it does that, leptos keeps every resource
/// of the process from loading, and a page that another server in it renders would never end.
static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(App));

/// Pages, their files and their server functions.
pub fn routes(state: &AppState) -> Router<AppState> {
    let assets = Arc::clone(&state.assets);
    let document = move || document(&assets);
    let provide = {
        let state = state.clone();
        move || provide_request_context(&state)
    };
    Router::new()
        .route("/sign-in", post(sign_in::sign_in))
        .route("/accept-link", post(sign_in::accept_link))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/sign-in/with/{key}", get(by_provider::begin))
        .route("/sign-in/with/{key}/back", get(by_provider::back))
        .route(
            "/sign-in/with/{key}/disconnect",
            post(by_provider::disconnect),
        )
        .route("/confirm", post(by_provider::confirm))
        .merge(attached::routes())
        .merge(grants::routes())
        .merge(insights::routes())
        .merge(ladder::routes())
        .merge(memories::routes())
        .merge(policies::routes())
        .merge(reach::routes())
        .leptos_routes_with_context(state, PAGES.clone(), provide.clone(), document.clone())
        .fallback(get(leptos_axum::render_app_async_with_context(
            provide, document,
        )))
}

/// The HTML document, and the policy that fits it.
fn document(assets: &Assets) -> impl leptos::IntoView + use<> {
    if let (Some(response), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce())
        && let Ok(policy) = HeaderValue::from_str(&content_security_policy(&nonce))
    {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
        // A page shows what is waiting now; a stored one would show what was.
        response.insert_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    shell(assets)
}

/// Wasm needs `wasm-unsafe-eval`; leptos writes the data of the page into scripts with the nonce.
fn content_security_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
         connect-src 'self'; manifest-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; object-src 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    )
}

/// The context of pages and server functions: the server as the signed-in person sees it.
fn provide_request_context(state: &AppState) {
    let Some(parts) = use_context::<Parts>() else {
        return;
    };
    let backend: Arc<dyn Backend> = Arc::new(backend::ForPerson {
        state: state.clone(),
        who: parts.extensions.get::<SignedIn>().cloned(),
        address: parts.extensions.get::<ClientAddress>().copied(),
        session: parts.extensions.get::<Session>().cloned(),
    });
    provide_context(backend);
    let cookies = parts.headers.get(header::COOKIE);
    if let Some(cookies) = cookies.and_then(|cookies| cookies.to_str().ok()) {
        provide_context(Theme::from_cookies(cookies));
    }
}

/// Headers that fit every response of this server.
pub const SECURITY_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    // Not `no-referrer`: forms would then say `Origin: null`, and a form sent without wasm could not
    // find its way back. Other sites get nothing either way.
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];
