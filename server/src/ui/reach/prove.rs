//! `/settings/reach/prove`: an address is that person's who knows what was sent there. Opening the link changes
//! nothing, since scanners of mail follow links: the button on its page does.

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::{DestinationId, Refused};
use serde::Deserialize;
use service::{ServiceError, SignedIn};

use super::{change::back, page::lone};
use crate::{plain_page::html::Text, problem::Problem, state::AppState};

/// What was sent.
#[derive(Deserialize)]
pub(super) struct Proof {
    id: DestinationId,
    code: String,
}

/// Asks.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Query(proof): Query<Proof>,
) -> Response {
    let body = format!(
        "<p>You are signed in as <bdi>{name}</bdi>. Whatever waits for you is sent to the address where you found this \
         link.</p><form class=\"fields\" method=\"post\" action=\"/settings/reach/prove\">\
         <input type=\"hidden\" name=\"id\" value=\"{id}\"><input type=\"hidden\" name=\"code\" value=\"{code}\">\
         <button class=\"button primary\" type=\"submit\">It is my address</button></form>\
         <p><a class=\"way-up\" href=\"/settings/reach\">How to reach you</a></p>",
        name = Text(&who.person.name),
        id = proof.id,
        code = Text(&proof.code),
    );
    lone(&state, &headers, "Is this your address?", &body)
}

/// Takes the code.
pub(super) async fn prove(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(proof): Form<Proof>,
) -> Result<Response, Problem> {
    let by = who.principal();
    let proven = state.service.prove_reach(proof.id, &proof.code, &by);
    match proven.await {
        Ok(false) => Ok(Redirect::to("/settings/reach?refused=code").into_response()),
        Ok(true) | Err(ServiceError::Refused(Refused::Unchanged)) => back(Ok(()), "proven"),
        Err(error) => back(Err(error), "proven"),
    }
}
