//! `/second-factor/passkey`: a device registers itself.

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::Refused;
use serde::Deserialize;
use service::{PendingPasskey, ServiceError};
use tower_sessions::Session;

use super::{
    add::{Owner, name_of},
    page::{Said, lone, name_field, passkey_form},
};
use crate::{
    auth::{address::ClientAddress, session},
    problem::Problem,
    state::AppState,
};

/// The passkey that is being added.
const PENDING: &str = "passkey_pending";

/// `GET /second-factor/passkey`
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
    let form = match state.service.new_passkey(owner.person()).await {
        Ok((options, pending)) => {
            session::keep(&session, PENDING, &pending).await?;
            let (action, name) = ("/second-factor/passkey", name_field("Passkey"));
            passkey_form(action, "create", &options, false, &name, "Add a passkey")
        }
        Err(ServiceError::NotFound) => {
            "<p>Browsers have no passkeys for this address: they want a name, with TLS.</p>"
                .to_owned()
        }
        Err(error) => return Err(error.into()),
    };
    let body = format!(
        "<p>This device, your phone or a security key keeps a key for this server, and asks you to unlock it. With \
         it you can sign in without your password, too.</p>{said}{form}\
         <p><a href=\"/second-factor\">Back</a></p>",
        said = said.html(),
    );
    Ok(lone(&state, &headers, "Add a passkey", &body))
}

/// `POST /second-factor/passkey`
#[derive(Deserialize)]
pub(super) struct Confirm {
    answer: String,
    name: String,
}

/// Adds it, if the device has registered itself.
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
    let Some(name) = name_of(&form.name) else {
        return Ok(Redirect::to("/second-factor/passkey?refused=name").into_response());
    };
    let Some(pending) = session::take::<PendingPasskey>(&session, PENDING).await? else {
        return Ok(Redirect::to("/second-factor?refused=late").into_response());
    };
    let service = &state.service;
    let new = service.passkey_confirmed(&pending, owner.person(), &form.answer, name);
    let new = match new {
        // Also where browsers have none.
        Err(ServiceError::NotFound) => {
            return Ok(Redirect::to("/second-factor?refused=late").into_response());
        }
        Err(ServiceError::Refused(Refused::Invalid(_))) => {
            return Ok(Redirect::to("/second-factor/passkey?refused=passkey").into_response());
        }
        new => new?,
    };
    owner.add(&state, new, &session, &headers, address).await
}
