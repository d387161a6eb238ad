//! `/sign-in/factor`: after the password, a code or a passkey. Then the person is signed in, with another cookie.

use std::net::IpAddr;

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::access::factor::{FactorKind, Shown};
use serde::Deserialize;
use service::{AskedPasskey, Asks, ServiceError, seconds};
use tower_sessions::Session;

use super::{
    page::{Said, lone, passkey_form},
    visitor::{HalfIn, Visitor},
};
use crate::{
    auth::{address::ClientAddress, session},
    plain_page::html::Text,
    problem::Problem,
    state::AppState,
    ui::sign_in::browser_of,
};

/// The challenge that the page has shown.
const ASKED: &str = "passkey_asked";

/// `GET /sign-in/factor`
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Query(said): Query<Said>,
) -> Result<Response, Problem> {
    let half = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::Half(half) if half.asks == Asks::Factor => half,
        other => return Ok(other.elsewhere()),
    };
    let person = half.known.person();
    let (factors, codes) = state.service.own_factors(person.id).await?;
    let has_app = factors
        .iter()
        .any(|one| one.secret.kind() == FactorKind::App);
    let passkey = match state.service.ask_passkey(person).await? {
        Some((options, asked)) => {
            session::keep(&session, ASKED, &asked).await?;
            passkey_form(
                "/sign-in/factor/passkey",
                "get",
                &options,
                false,
                "",
                "Use your passkey",
            )
        }
        None => String::new(),
    };
    let app = if has_app {
        code_form(
            "button primary",
            "code",
            "Code from your app",
            "inputmode=\"numeric\" autocomplete=\"one-time-code\" maxlength=\"12\" autofocus",
        )
    } else {
        String::new()
    };
    let recovery = if codes > 0 {
        let form = code_form(
            "button",
            "recovery-code",
            "Recovery code",
            "autocomplete=\"off\" maxlength=\"80\"",
        );
        format!("<details><summary>Use a recovery code</summary>{form}</details>")
    } else {
        String::new()
    };
    let not_here = if passkey.is_empty() && !has_app {
        "<p>Your passkey is good at the address where you added it, and not at this one.</p>"
    } else {
        ""
    };
    let name = Text(&person.name);
    let body = format!(
        "<p class=\"long-name\">You sign in as <strong><bdi>{name}</bdi></strong>. Now show your second \
         factor.</p>{said}{passkey}{app}{not_here}{recovery}\
         <div class=\"hint\"><p>Lost it? Another admin can reset it under Settings, and on the server’s machine \
         there is</p><pre class=\"command\">handraise user reset-factors --name NAME</pre></div>\
         <p><a href=\"/sign-in\">Sign in as somebody else</a></p>",
        said = said.html(),
    );
    Ok(lone(&state, &headers, "One more step", &body))
}

fn code_form(button: &str, id: &str, label: &str, attributes: &str) -> String {
    format!(
        "<form class=\"fields\" method=\"post\" action=\"/sign-in/factor\"><div class=\"labelled\">\
         <label for=\"{id}\">{label}</label><input id=\"{id}\" class=\"field\" name=\"code\" \
         autocapitalize=\"none\" spellcheck=\"false\" required aria-describedby=\"refusal\" {attributes}></div>\
         <button class=\"{button}\" type=\"submit\">Sign in</button></form>"
    )
}

/// `POST /sign-in/factor`
#[derive(Deserialize)]
pub(super) struct Code {
    code: String,
}

/// Takes a code of an app, or a recovery code.
pub(super) async fn code(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<Code>,
) -> Result<Response, Problem> {
    let half = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::Half(half) if half.asks == Asks::Factor => half,
        other => return Ok(other.elsewhere()),
    };
    let shown = state.service.show_code(&half.known, &form.code, address);
    let refused = match shown.await {
        Ok(Some(shown)) => return come_in(&state, half, shown, &session, &headers, address).await,
        Ok(None) => "wrong".to_owned(),
        Err(ServiceError::Wait(wait)) => format!("wait-{}", seconds(wait)),
        Err(error) => return Err(error.into()),
    };
    let back = format!("/sign-in/factor?refused={refused}");
    Ok(Redirect::to(&back).into_response())
}

/// `POST /sign-in/factor/passkey`
#[derive(Deserialize)]
pub(super) struct Answer {
    answer: String,
}

/// Takes what a device has signed.
pub(super) async fn passkey(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<Answer>,
) -> Result<Response, Problem> {
    let half = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::Half(half) if half.asks == Asks::Factor => half,
        other => return Ok(other.elsewhere()),
    };
    let shown = match session::take::<AskedPasskey>(&session, ASKED).await? {
        Some(asked) => {
            let service = &state.service;
            service
                .show_passkey(&half.known, &asked, &form.answer, address)
                .await
        }
        None => Ok(None),
    };
    let refused = match shown {
        Ok(Some(shown)) => return come_in(&state, half, shown, &session, &headers, address).await,
        Ok(None) => "passkey".to_owned(),
        Err(ServiceError::Wait(wait)) => format!("wait-{}", seconds(wait)),
        Err(error) => return Err(error.into()),
    };
    let back = format!("/sign-in/factor?refused={refused}");
    Ok(Redirect::to(&back).into_response())
}

async fn come_in(
    state: &AppState,
    half: HalfIn,
    shown: Shown,
    session: &Session,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<Response, Problem> {
    if !session::use_up(&state.service, session, None).await? {
        return Ok(Redirect::to("/sign-in?refused=used").into_response());
    }
    let cookie = session::renew(session).await?;
    let browser = browser_of(headers, address);
    let come_in = state
        .service
        .come_in_with(half.known, shown, &cookie, browser);
    if come_in.await? {
        return Ok(Redirect::to(&half.next).into_response());
    }
    session::take_back(session).await?;
    Ok(Redirect::to("/sign-in?refused=used").into_response())
}
