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

/// What was sent. Programs that show mail cut links.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Proof {
    id: String,
    code: String,
}

impl Proof {
    fn reach(&self) -> Option<DestinationId> {
        let id = self.id.trim().parse().ok();
        id.filter(|_| !self.code.trim().is_empty())
    }
}

/// Asks.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Query(proof): Query<Proof>,
) -> Response {
    let Some(id) = proof.reach() else {
        let body = "<p>This link is not complete. Open it from the message again, or type its code below your \
                    address.</p><p><a class=\"way-up\" href=\"/settings/reach\">How to reach you</a></p>";
        return lone(&state, &headers, "Is this your address?", body);
    };
    let body = format!(
        "<p>You are signed in as <bdi>{name}</bdi>. Your questions will be sent to the address where you found this \
         link.</p><form class=\"fields\" method=\"post\" action=\"/settings/reach/prove\">\
         <input type=\"hidden\" name=\"id\" value=\"{id}\"><input type=\"hidden\" name=\"code\" value=\"{code}\">\
         <button class=\"button primary\" type=\"submit\">It is my address</button></form>\
         <p><a class=\"way-up\" href=\"/settings/reach\">How to reach you</a></p>",
        name = Text(&who.person.name),
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
    let Some(id) = proof.reach() else {
        return Ok(Redirect::to("/settings/reach?refused=code").into_response());
    };
    let proven = state.service.prove_reach(id, &proof.code, &by);
    match proven.await {
        Ok(false) => Ok(Redirect::to("/settings/reach?refused=code").into_response()),
        Ok(true) | Err(ServiceError::Refused(Refused::Unchanged)) => back(Ok(()), "proven"),
        Err(error) => back(Err(error), "proven"),
    }
}
