//! The pages of how silence climbs, and of when a person is left alone: plain pages and plain forms, which need nothing of the
//! dashboard's program.

mod quiet;
mod rungs;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use domain::{Fault, Refused, limits};
use service::ServiceError;

use crate::{
    plain_page::{Script, html::Text, lone},
    problem::Problem,
    state::AppState,
};

/// The way to quiet hours, on the page of the ways to be reached.
pub(super) fn quiet_section() -> &'static str {
    "<section><h2 class=\"section-title\">Quiet hours</h2>\
     <p><a class=\"button\" href=\"/settings/quiet-hours\">Quiet hours and days</a></p>\
     <p class=\"hint\">Questions that can wait come when the hours are over. \
     Questions that end within them come at once.</p></section>"
}

/// Their addresses.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/settings/quiet-hours", get(quiet::show).post(quiet::save))
        .route("/settings/ladder", get(rungs::show).post(rungs::save))
        .route(
            "/settings/teams/{id}/ladder",
            get(rungs::show_of_team).post(rungs::save_of_team),
        )
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
}

/// A refusal as a page, with the way back.
fn in_page(
    state: &AppState,
    headers: &HeaderMap,
    title: &str,
    done: Result<Response, Problem>,
) -> Result<Response, Problem> {
    let status = match &done {
        Err(problem) if problem.status().is_client_error() => problem.status(),
        _ => return done,
    };
    let words = match &done {
        Err(_) if status == StatusCode::NOT_FOUND => "It is not there any more.",
        Err(problem) => problem.detail(),
        Ok(_) => "",
    };
    let body = format!(
        "<p>{}</p><p><a class=\"way-up\" href=\"/settings\">Settings</a></p>",
        Text(words)
    );
    let page = lone(state, headers, title, &body, Script::Nothing);
    Ok((status, page).into_response())
}

/// What is wrong with what was sent; every other error is a problem.
fn faults(done: Result<(), ServiceError>) -> Result<Vec<Fault>, Problem> {
    match done {
        Ok(()) => Ok(Vec::new()),
        Err(ServiceError::Refused(Refused::Invalid(faults))) => Ok(faults),
        Err(error) => Err(error.into()),
    }
}

/// What is said of it above the form. `name` says how the page calls the place of a fault.
fn said(saved: bool, faults: &[Fault], name: impl Fn(&str) -> String) -> String {
    if !faults.is_empty() {
        let lines = faults.iter().map(|fault| {
            let line = format!("{} {}.", name(&fault.path), fault.message);
            format!("<li>{}</li>", Text(&line))
        });
        let lines: String = lines.collect();
        return format!(
            "<div id=\"refusal\" class=\"refusal\" role=\"alert\"><ul class=\"plain-faults\">{lines}</ul></div>"
        );
    }
    match saved {
        true => "<p class=\"form-done\" role=\"status\">Saved.</p>".to_owned(),
        false => String::new(),
    }
}
