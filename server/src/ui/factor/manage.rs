//! `/second-factor`: one's own factors. Who must have one and has none begins here, on the way in.

use std::fmt::Write;

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::{
    FactorId, Refused,
    access::factor::{Factor, FactorKind},
    limits::{PASSWORD_MAX_CHARS, RECOVERY_CODES},
};
use serde::Deserialize;
use service::{Asks, ServiceError, SignedIn, seconds};
use tower_sessions::Session;

use super::{
    add::is_proven,
    page::{Said, codes, lone},
    visitor::Visitor,
};
use crate::{
    auth::{address::ClientAddress, browser::after_sign_in},
    plain_page::html::Text,
    problem::Problem,
    state::AppState,
};

/// `GET /second-factor`
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Query(said): Query<Said>,
) -> Result<Response, Problem> {
    let who = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::In(who) => who,
        Visitor::Half(half) if half.asks == Asks::SetUp => {
            let body = format!(
                "<p>People of your role need more than a password here. Set up one of these, and you are in.</p>\
                 {said}{ways}<p><a href=\"/sign-in\">Sign in as somebody else</a></p>",
                said = said.html(),
                ways = ways(&state),
            );
            return Ok(lone(&state, &headers, "Set up a second factor", &body));
        }
        Visitor::Nobody => {
            return Ok(Redirect::to("/sign-in?next=%2Fsecond-factor").into_response());
        }
        half @ Visitor::Half(_) => return Ok(half.elsewhere()),
    };
    let (factors, left) = state.service.own_factors(who.person.id).await?;
    let proven = is_proven(&state, &who);
    let rest = match proven {
        true => format!(
            "<section><h2 class=\"section-title\">Add</h2>{ways}</section>{codes}",
            ways = ways(&state),
            codes = codes_section(&factors, left),
        ),
        false => password_form(&state, &who, "/second-factor", "To change anything here"),
    };
    let body = format!(
        "<p>With a second factor a stolen password is not enough to sign in as you.</p>{said}{list}{rest}\
         <p><a class=\"way-up\" href=\"/settings\">Settings</a></p>",
        said = said.html(),
        list = list(&factors, proven),
    );
    Ok(lone(&state, &headers, "Your second factor", &body))
}

fn ways(state: &AppState) -> String {
    let passkey = match state.service.has_passkeys() {
        true => "<a class=\"button\" href=\"/second-factor/passkey\">Passkey</a>",
        false => "",
    };
    format!(
        "<form class=\"form-start\" method=\"post\" action=\"/second-factor/app\">\
         <button class=\"button\" type=\"submit\">Authenticator app</button>{passkey}</form>"
    )
}

/// The factors, each with its button if it can be pressed.
fn list(factors: &[Factor], with_buttons: bool) -> String {
    if factors.is_empty() {
        return "<p class=\"list-note\">You have none.</p>".to_owned();
    }
    let mut list = "<ul class=\"list factors\">".to_owned();
    for factor in factors {
        // What bears the name of its kind needs no more.
        let kind = Some(in_words(factor.secret.kind())).filter(|kind| *kind != factor.name);
        let kind = kind.map_or_else(String::new, |kind| format!("{kind} · "));
        let used = factor.used_at.map_or_else(
            || "not used yet".to_owned(),
            |at| format!("last used {}", at.format("%Y-%m-%d %H:%M UTC")),
        );
        let button = match with_buttons {
            true => format!(
                "<form method=\"post\" action=\"/second-factor/remove\">\
                 <input type=\"hidden\" name=\"id\" value=\"{id}\">\
                 <button class=\"button\" type=\"submit\" aria-label=\"Remove {name}\">Remove</button></form>",
                id = factor.id,
                name = Text(&factor.name),
            ),
            false => String::new(),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            list,
            "<li class=\"list-row factor-line\"><span><bdi>{name}</bdi><br><span class=\"hint\">{kind}added \
             {added} · {used}</span></span>{button}</li>",
            name = Text(&factor.name),
            added = factor.added_at.format("%Y-%m-%d"),
        );
    }
    list.push_str("</ul>");
    list
}

/// The kind of a factor, as a person says it.
pub(super) fn in_words(kind: FactorKind) -> &'static str {
    match kind {
        FactorKind::App => "Authenticator app",
        FactorKind::Passkey => "Passkey",
    }
}

fn codes_section(factors: &[Factor], left: i64) -> String {
    if factors.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2 class=\"section-title\">Recovery codes</h2><p>{left} of {RECOVERY_CODES} left. Each lets you in \
         once when what you have above is gone.</p><form class=\"form-start codes-again\" method=\"post\" \
         action=\"/second-factor/codes\"><button class=\"button\" type=\"submit\">Make new ones</button>\
         <span class=\"hint\">Those from before end.</span></form></section>"
    )
}

/// One's own password once more. `next` is the page that asks for it.
pub(super) fn password_form(state: &AppState, who: &SignedIn, next: &str, before: &str) -> String {
    let by_provider = match state.providers.all().is_empty() {
        true => "",
        false => {
            " No password? <a href=\"/settings#providers\">Confirm with your provider</a> first."
        }
    };
    let by_passkey = match state.config.passwords && state.service.has_passkeys() {
        true => " Who has just signed in with a passkey is not asked.",
        false => "",
    };
    format!(
        "<form class=\"fields\" method=\"post\" action=\"/second-factor/prove\">\
         <input type=\"hidden\" name=\"next\" value=\"{next}\">\
         <input type=\"text\" value=\"{name}\" autocomplete=\"username\" readonly hidden>\
         <div class=\"labelled\"><label for=\"password\">Your password</label><input id=\"password\" class=\"field\" \
         type=\"password\" name=\"password\" autocomplete=\"current-password\" maxlength=\"{PASSWORD_MAX_CHARS}\" \
         required aria-describedby=\"password-hint refusal\"><p id=\"password-hint\" class=\"hint\">{before} it is \
         asked for once more, so that nobody does it in a browser you left open. Then not again for 15 minutes.{by_passkey}{by_provider}</p>\
         </div><button class=\"button primary\" type=\"submit\">Go on</button></form>",
        next = Text(next),
        name = Text(&who.person.name),
    )
}

/// `POST /second-factor/prove`
#[derive(Deserialize)]
pub(super) struct Prove {
    password: String,
    next: Option<String>,
}

/// Takes the password once more.
pub(super) async fn prove(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<Prove>,
) -> Result<Response, Problem> {
    let who = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::In(who) => who,
        other => return Ok(other.elsewhere()),
    };
    let next = after_sign_in(form.next.as_deref());
    let back = match state.service.prove(&who, &form.password, address).await {
        Ok(_) => next.to_owned(),
        Err(ServiceError::Refused(Refused::Invalid(_))) => format!("{next}?refused=password"),
        Err(ServiceError::Wait(wait)) => format!("{next}?refused=wait-{}", seconds(wait)),
        Err(ServiceError::Busy) => format!("{next}?refused=busy"),
        Err(error) => return Err(error.into()),
    };
    Ok(Redirect::to(&back).into_response())
}

/// `POST /second-factor/remove`
#[derive(Deserialize)]
pub(super) struct Remove {
    id: FactorId,
}

/// Removes one of one's own.
pub(super) async fn remove(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Form(form): Form<Remove>,
) -> Result<Response, Problem> {
    let who = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::In(who) => who,
        other => return Ok(other.elsewhere()),
    };
    let ways = state.providers.ways();
    let back = match state.service.remove_factor(&who, form.id, ways).await {
        Ok(()) | Err(ServiceError::Refused(Refused::Unchanged)) => "/second-factor?done=removed",
        Err(ServiceError::Refused(Refused::FactorNeeded)) => "/second-factor?refused=needed",
        Err(ServiceError::Refused(Refused::OnlyWay)) => "/second-factor?refused=only-way",
        // There the password is asked for.
        Err(ServiceError::Refused(Refused::Unproven)) => "/second-factor",
        Err(error) => return Err(error.into()),
    };
    Ok(Redirect::to(back).into_response())
}

/// `POST /second-factor/codes`
pub(super) async fn make_codes(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let who = match Visitor::of(&state, &session, &headers, address).await? {
        Visitor::In(who) => who,
        other => return Ok(other.elsewhere()),
    };
    match state.service.make_recovery_codes(&who).await {
        Ok(made) => Ok(codes(&state, &headers, &made, "/second-factor")),
        Err(ServiceError::Refused(Refused::Unchanged | Refused::Unproven)) => {
            Ok(Redirect::to("/second-factor").into_response())
        }
        Err(error) => Err(error.into()),
    }
}
