//! The forms by which people come and go. Plain forms: they work before the page's program has loaded,
//! and a browser's password manager knows them.

use std::net::IpAddr;

use axum::{
    Extension, Form,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};
use domain::Refused;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use service::{Browser, Known, ServiceError, Weak, seconds, secret::Secret};
use tower_sessions::Session;

use super::{factor::ask_more, reach, sign_out_there};
use crate::{
    auth::{
        address::ClientAddress,
        browser::{self, after_sign_in},
        on_the_way, session,
    },
    problem::Problem,
    state::AppState,
};

const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// `POST /sign-in`
#[derive(Deserialize)]
pub(super) struct SignIn {
    name: String,
    password: String,
    next: Option<String>,
}

/// Signs a browser in.
pub(super) async fn sign_in(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<SignIn>,
) -> Result<Response, Problem> {
    let browser = browser_of(&headers, address);
    let next = after_sign_in(form.next.as_deref());
    if !state.config.passwords {
        let back = format!("/sign-in?refused=by-provider&next={}", encoded(next));
        return Ok(Redirect::to(&back).into_response());
    }
    let came = state
        .service
        .come_by_password(&form.name, &form.password, address);
    let came = came.await;
    if let Ok(Some(known)) = &came
        && let Some(on_the_way) = ask_more(&state, known, &session, &headers, next).await?
    {
        return Ok(on_the_way);
    }
    let refused = match came {
        Ok(known) => match begin(&state, known, &session, &headers, browser).await? {
            true => return Ok(Redirect::to(next).into_response()),
            false => "wrong".to_owned(),
        },
        Err(error) => why(error)?,
    };
    let (name, next) = (encoded(&form.name), encoded(next));
    let back = format!("/sign-in?refused={refused}&name={name}&next={next}");
    Ok(Redirect::to(&back).into_response())
}

/// `POST /accept-link`
#[derive(Deserialize)]
pub(super) struct AcceptLink {
    link: String,
    name: Option<String>,
    password: String,
}

/// Uses a link up.
pub(super) async fn accept_link(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<AcceptLink>,
) -> Result<Response, Problem> {
    let browser = browser_of(&headers, address);
    let link = Secret::from_outside(&form.link);
    let came = state
        .service
        .come_by_link(&link, form.name.as_deref(), &form.password);
    let came = came.await;
    if let Ok(Some(known)) = &came
        && let Some(on_the_way) = ask_more(&state, known, &session, &headers, "/").await?
    {
        return Ok(on_the_way);
    }
    let back = match came {
        Ok(known) => match begin(&state, known, &session, &headers, browser).await? {
            true => "/".to_owned(),
            // The page under the used link says what to do.
            false => "/sign-in/used".to_owned(),
        },
        Err(error) => format!("/sign-in/{}?refused={}", encoded(&form.link), why(error)?),
    };
    Ok(Redirect::to(&back).into_response())
}

/// Ends the session and takes the cookie back.
pub(super) async fn sign_out(
    State(state): State<AppState>,
    session: Session,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let came_by = on_the_way::who_came_by(&session).await?;
    if let Some(who) = browser::person(&state.service, &session, &headers).await? {
        reach::leave(&state, &headers, &who).await?;
        state.service.end_session(&who, who.session).await?;
    }
    session::take_back(&session).await?;
    let mut response = match came_by {
        Some(came_by) => sign_out_there::page(&state, &headers, came_by).await,
        None => Redirect::to("/sign-in").into_response(),
    };
    // Drafts. Not `"cache"`, since pages are never stored and clearing it can take a browser seconds; not
    // `"cookies"`, which would sign people out of everything else on the same domain.
    response
        .headers_mut()
        .insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"storage\""));
    Ok(response)
}

/// Signs the browser in, if it is known whose it is, with another cookie than it had. Who is kept out at the last
/// moment has none.
async fn begin(
    state: &AppState,
    known: Option<Known>,
    session: &Session,
    headers: &HeaderMap,
    browser: Browser,
) -> Result<bool, Problem> {
    let Some(known) = known else {
        return Ok(false);
    };
    let before = browser::person(&state.service, session, headers).await?;
    let cookie = session::replace(&state.service, session, before.as_ref()).await?;
    let has_begun = state.service.begin_session(known, &cookie, browser).await?;
    if !has_begun {
        session::take_back(session).await?;
    }
    Ok(has_begun)
}

pub(super) fn browser_of(headers: &HeaderMap, address: IpAddr) -> Browser {
    Browser {
        name: user_agent(headers),
        address,
        host: browser::host(headers),
    }
}

/// The page's words when it is shown again.
fn why(error: ServiceError) -> Result<String, Problem> {
    Ok(match error {
        ServiceError::Wait(wait) => format!("wait-{}", seconds(wait)),
        ServiceError::Busy => "busy".to_owned(),
        ServiceError::WeakPassword(Weak::Short) => "short".to_owned(),
        ServiceError::WeakPassword(Weak::Long) => "long".to_owned(),
        ServiceError::WeakPassword(Weak::Guessable) => "guessable".to_owned(),
        ServiceError::Refused(Refused::NameTaken) => "taken".to_owned(),
        ServiceError::Refused(Refused::Invalid(_)) => "name".to_owned(),
        other => return Err(other.into()),
    })
}

fn user_agent(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT);
    let agent = agent.and_then(|agent| agent.to_str().ok());
    agent.unwrap_or_default().to_owned()
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
