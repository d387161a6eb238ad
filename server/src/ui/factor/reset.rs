//! `/second-factor/of/{person}`: an admin takes away what another person has lost.

use axum::{
    Extension,
    extract::{Path, Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::{PersonId, Refused, Role, access::factor::Factor};
use service::{ServiceError, SignedIn};
use tower_sessions::Session;

use super::{
    add::is_proven,
    manage::{in_words, password_form},
    page::{Said, lone},
    visitor::Visitor,
};
use crate::{
    auth::address::ClientAddress, plain_page::html::Text, problem::Problem, state::AppState,
};

/// `GET /second-factor/of/{person}`
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<PersonId>,
    Query(said): Query<Said>,
) -> Result<Response, Problem> {
    let visitor = Visitor::of(&state, &session, &headers, address).await?;
    let who = match admin(visitor, id) {
        Ok(who) => who,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let person = state.service.store().person(id).await;
    let person = person.map_err(ServiceError::from)?;
    let person = person.ok_or_else(Problem::not_found)?;
    let (factors, _) = state.service.own_factors(id).await?;
    let form = match (factors.is_empty(), is_proven(&state, &who)) {
        (true, _) => String::new(),
        (false, false) => {
            let here = format!("/second-factor/of/{id}");
            password_form(&state, &who, &here, "For this")
        }
        (false, true) => format!(
            "<form class=\"form-start\" method=\"post\" action=\"/second-factor/of/{id}\">\
             <button class=\"button primary\" type=\"submit\">Reset</button></form>"
        ),
    };
    let body = format!(
        "<p class=\"long-name\"><strong><bdi>{name}</bdi></strong> {has}</p>{said}\
         <p class=\"hint\">Resetting takes all of it away, recovery codes too, and signs them out everywhere. Do it only \
         when you know that it is they who ask: after it a password, or a link that you make them, is enough to \
         come in. It is in the journal.</p>{form}\
         <p><a class=\"way-up\" href=\"/settings/people/{id}\">Back</a></p>",
        name = Text(&person.name),
        has = has(&factors),
        said = said.html(),
    );
    Ok(lone(&state, &headers, "Reset a second factor", &body))
}

fn has(factors: &[Factor]) -> String {
    if factors.is_empty() {
        return "has no second factor.".to_owned();
    }
    let each: Vec<_> = factors
        .iter()
        .map(|one| in_words(one.secret.kind()).to_lowercase())
        .collect();
    format!("has: {}.", each.join(", "))
}

/// `POST /second-factor/of/{person}`
pub(super) async fn reset(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<PersonId>,
) -> Result<Response, Problem> {
    let visitor = Visitor::of(&state, &session, &headers, address).await?;
    let who = match admin(visitor, id) {
        Ok(who) => who,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let here = format!("/second-factor/of/{id}");
    let back = match state.service.reset_factors(id, &who.principal()).await {
        Ok(()) | Err(ServiceError::Refused(Refused::Unchanged)) => format!("{here}?done=reset"),
        Err(ServiceError::Refused(Refused::Unproven)) => here,
        Err(error) => return Err(error.into()),
    };
    Ok(Redirect::to(&back).into_response())
}

/// The admin who may; one's own are on another page, and others have none to look at here.
fn admin(visitor: Visitor, id: PersonId) -> Result<SignedIn, Box<Response>> {
    match visitor {
        Visitor::In(who) if who.person.id == id => {
            Err(Box::new(Redirect::to("/second-factor").into_response()))
        }
        Visitor::In(who) if who.person.role == Role::Admin => Ok(who),
        other => Err(Box::new(other.elsewhere())),
    }
}
