//! The pages of how silence climbs, and of when a person is left alone: plain pages and plain forms, which need nothing of the
//! dashboard's program.

mod quiet;
mod rungs;

use axum::{Router, extract::DefaultBodyLimit, routing::get};
use domain::{Fault, Refused, limits};
use service::ServiceError;

use crate::{plain_page::html::Text, problem::Problem, state::AppState};

/// The way to quiet hours, on the page of the ways to be reached.
pub(super) fn quiet_section() -> &'static str {
    "<section><h2 class=\"section-title\">Quiet hours</h2>\
     <p><a class=\"button\" href=\"/settings/quiet-hours\">Quiet hours and days</a></p>\
     <p class=\"hint\">What can wait is told when they are over. What would end in them is told at once.</p></section>"
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
