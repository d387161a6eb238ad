//! Browser sessions: the cookie, and the person behind it.

use axum::{
    Form,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use serde::Deserialize;
use store::Person;

use crate::{
    auth::secret::Secret,
    config::Config,
    problem::Problem,
    service::{SESSION_LIFETIME, Service},
    state::AppState,
};

/// The person who is signed in, as middleware found them.
#[derive(Clone, Debug)]
pub struct SignedIn(pub Person);

/// Middleware of the pages: finds out who is signed in. Whoever is not gets the sign-in page.
pub async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let person = match person(&state.service, &state.config, request.headers()).await {
        Ok(person) => person,
        Err(problem) => return problem.into_response(),
    };
    match person {
        Some(person) => {
            request.extensions_mut().insert(SignedIn(person));
        }
        None if is_page(&request) => return Redirect::to("/sign-in").into_response(),
        None => {}
    }
    next.run(request).await
}

/// Who the session cookie belongs to.
///
/// # Errors
/// When the database fails.
pub async fn person(
    service: &Service,
    config: &Config,
    headers: &HeaderMap,
) -> Result<Option<Person>, Problem> {
    match session(config, headers) {
        Some(session) => Ok(service.signed_in(&session).await?),
        None => Ok(None),
    }
}

/// `POST /sign-in`
#[derive(Deserialize)]
pub struct SignIn {
    link: String,
}

/// Uses a link up and sets the cookie.
pub async fn sign_in(
    State(state): State<AppState>,
    Form(form): Form<SignIn>,
) -> Result<Response, Problem> {
    let link = Secret::from_outside(&form.link);
    let Some(session) = state.service.sign_in(&link).await? else {
        // The page under the used link says what to do.
        return Ok(Redirect::to("/sign-in/used").into_response());
    };
    let cookie = cookie(
        &state.config,
        session.reveal(),
        SESSION_LIFETIME.num_seconds(),
    );
    Ok(with_cookie(Redirect::to("/"), cookie))
}

/// Ends the session and takes the cookie back.
pub async fn sign_out(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(session) = session(&state.config, &headers) {
        state.service.sign_out(&session).await?;
    }
    Ok(with_cookie(
        Redirect::to("/sign-in"),
        cookie(&state.config, "", 0),
    ))
}

fn is_page(request: &Request) -> bool {
    let path = request.uri().path();
    // A link is one plain segment; `..` and its encodings could lead on to a page.
    let open = match path.strip_prefix("/sign-in") {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('/')
            .is_some_and(|link| link.bytes().all(|byte| byte.is_ascii_alphanumeric())),
        None => false,
    };
    !open && !path.starts_with("/ui/") && path != "/sign-out"
}

fn session(config: &Config, headers: &HeaderMap) -> Option<Secret> {
    let name = cookie_name(config);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| Secret::from_outside(value))
}

/// Browsers accept the `__Host-` prefix over TLS only.
fn cookie_name(config: &Config) -> &'static str {
    if is_https(config) {
        "__Host-handraise_session"
    } else {
        "handraise_session"
    }
}

fn cookie(config: &Config, value: &str, seconds: i64) -> String {
    let name = cookie_name(config);
    let secure = if is_https(config) { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

fn is_https(config: &Config) -> bool {
    config.public_url().starts_with("https://")
}

fn with_cookie(redirect: Redirect, cookie: String) -> Response {
    let mut response = redirect.into_response();
    match HeaderValue::from_str(&cookie) {
        Ok(cookie) => {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
