//! `/second-factor/app`: an app gets the secret, and shows that it has it by its first code.

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::Refused;
use serde::Deserialize;
use service::{PendingApp, ServiceError};
use tower_sessions::Session;

use super::{
    add::{Owner, name_of},
    page::{Said, lone, name_field},
    qr,
};
use crate::{
    auth::{address::ClientAddress, browser, session},
    plain_page::html::Text,
    problem::Problem,
    state::AppState,
};

/// The app that is being added.
const PENDING: &str = "app_pending";

/// `POST /second-factor/app`: makes a secret.
pub(super) async fn begin(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let owner = match Owner::of(&state, &session, &headers, address).await? {
        Ok(owner) => owner,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let app = state.service.new_app(owner.person())?;
    session::keep(&session, PENDING, &app).await?;
    Ok(Redirect::to("/second-factor/app").into_response())
}

/// `GET /second-factor/app`: shows it.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Query(said): Query<Said>,
) -> Result<Response, Problem> {
    let owner = match Owner::of(&state, &session, &headers, address).await? {
        Ok(owner) => owner,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let app = session::kept::<PendingApp>(&session, PENDING).await?;
    let host = browser::host(&headers);
    let secret = app.and_then(|app| state.service.app_secret(&app, owner.person(), &host));
    let Some(secret) = secret else {
        return Ok(Redirect::to("/second-factor?refused=late").into_response());
    };
    let groups: Vec<_> = secret.text.as_bytes().chunks(4).collect();
    let groups: Vec<_> = groups
        .into_iter()
        .map(|group| String::from_utf8_lossy(group))
        .collect();
    let body = format!(
        "{said}<p>Scan this with an authenticator app on your phone, such as Google Authenticator, Aegis or your \
         password manager.</p>{qr}<p class=\"hint\">Or type this secret there:</p>\
         <pre id=\"secret\" class=\"command\">{text}</pre>\
         <form class=\"fields\" method=\"post\" action=\"/second-factor/app/code\">\
         <div class=\"labelled\"><label for=\"code\">Code that the app shows</label><input id=\"code\" class=\"field\" \
         name=\"code\" inputmode=\"numeric\" autocomplete=\"one-time-code\" maxlength=\"12\" required autofocus \
         aria-describedby=\"refusal\"></div>{name}\
         <button class=\"button primary\" type=\"submit\">Add this app</button></form>\
         <p><a href=\"/second-factor\">Back</a></p>",
        said = said.html(),
        qr = qr::svg(&secret.uri).unwrap_or_default(),
        text = Text(&groups.join(" ")),
        name = name_field("Authenticator app"),
    );
    Ok(lone(&state, &headers, "Add an authenticator app", &body))
}

/// `POST /second-factor/app/code`
#[derive(Deserialize)]
pub(super) struct Confirm {
    code: String,
    name: String,
}

/// Adds it, if the code is right.
pub(super) async fn confirm(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<Confirm>,
) -> Result<Response, Problem> {
    let owner = match Owner::of(&state, &session, &headers, address).await? {
        Ok(owner) => owner,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let Some(app) = session::kept::<PendingApp>(&session, PENDING).await? else {
        return Ok(Redirect::to("/second-factor?refused=late").into_response());
    };
    let Some(name) = name_of(&form.name) else {
        return Ok(Redirect::to("/second-factor/app?refused=name").into_response());
    };
    let service = &state.service;
    let new = match service.app_confirmed(&app, owner.person(), &form.code, name) {
        Err(ServiceError::NotFound) => {
            return Ok(Redirect::to("/second-factor?refused=late").into_response());
        }
        Err(ServiceError::Refused(Refused::Invalid(_))) => {
            return Ok(Redirect::to("/second-factor/app?refused=code").into_response());
        }
        new => new?,
    };
    session::take::<PendingApp>(&session, PENDING).await?;
    owner.add(&state, new, &session, &headers, address).await
}
