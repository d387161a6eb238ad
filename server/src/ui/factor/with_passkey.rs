//! `/sign-in/passkey`: in by a passkey alone. The device knows whose it is.

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use service::{AskedAny, ServiceError, seconds};
use tower_sessions::Session;

use super::page::{Said, lone, passkey_form};
use crate::{
    auth::{
        address::ClientAddress,
        browser::{self, after_sign_in},
        session,
    },
    plain_page::html::Text,
    problem::Problem,
    state::AppState,
    ui::sign_in::browser_of,
};

const ASKED: &str = "any_passkey_asked";

/// Where the person wants to go.
#[derive(Deserialize)]
pub(super) struct Wanted {
    next: Option<String>,
}

/// `GET /sign-in/passkey`
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Query(wanted): Query<Wanted>,
    Query(said): Query<Said>,
) -> Result<Response, Problem> {
    state.limits.count_stranger(address)?;
    let next = after_sign_in(wanted.next.as_deref());
    if !state.config.passwords {
        return Ok(by_provider(next));
    }
    let form = match state.service.ask_any_passkey() {
        Ok((options, asked)) => {
            session::keep(&session, ASKED, &asked).await?;
            let (next, at_once) = (Text(next), said.html().is_empty());
            let next = format!("<input type=\"hidden\" name=\"next\" value=\"{next}\">");
            let action = "/sign-in/passkey";
            passkey_form(action, "get", &options, at_once, &next, "Use a passkey")
        }
        Err(ServiceError::NotFound) => {
            "<p>Browsers have no passkeys for this address: they want a name, with TLS.</p>"
                .to_owned()
        }
        Err(error) => return Err(error.into()),
    };
    let body = format!(
        "<p>Your device asks you to unlock it.</p>{said}{form}\
         <p><a href=\"/sign-in\">Sign in with your password</a></p>",
        said = said.html(),
    );
    Ok(lone(&state, &headers, "Sign in with a passkey", &body))
}

/// `POST /sign-in/passkey`
#[derive(Deserialize)]
pub(super) struct Answer {
    answer: String,
    next: Option<String>,
}

/// Signs the browser in, with another cookie than it had.
pub(super) async fn sign_in(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<Answer>,
) -> Result<Response, Problem> {
    state.limits.count_stranger(address)?;
    let next = after_sign_in(form.next.as_deref());
    if !state.config.passwords {
        return Ok(by_provider(next));
    }
    let service = &state.service;
    let came = match session::take::<AskedAny>(&session, ASKED).await? {
        Some(asked) => service.come_by_passkey(asked, &form.answer, address).await,
        None => Ok(None),
    };
    let refused = match came {
        Ok(Some((known, shown))) => {
            // Somebody who is in may come in as another.
            let before = browser::person(service, &session, &headers).await?;
            if session::use_up(service, &session, before.as_ref()).await? {
                let cookie = session::renew(&session).await?;
                let browser = browser_of(&headers, address);
                if service.come_in_with(known, shown, &cookie, browser).await? {
                    return Ok(Redirect::to(next).into_response());
                }
                session::take_back(&session).await?;
            }
            "passkey".to_owned()
        }
        Ok(None) => "passkey".to_owned(),
        Err(ServiceError::Wait(wait)) => format!("wait-{}", seconds(wait)),
        Err(error) => return Err(error.into()),
    };
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    let back = format!("/sign-in/passkey?refused={refused}&next={next}");
    Ok(Redirect::to(&back).into_response())
}

/// Where passwords are no way in, passkeys are none either: people come by a provider, which can keep them out.
fn by_provider(next: &str) -> Response {
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    Redirect::to(&format!("/sign-in?refused=by-provider&next={next}")).into_response()
}
