//! `/settings/quiet-hours`: when a person is told only what cannot wait.

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use domain::{
    Fault,
    ladder::{DAYS, QuietDraft},
};
use serde::Deserialize;
use service::SignedIn;

use super::{faults, said};
use crate::{
    plain_page::{Script, html::Text, lone},
    problem::Problem,
    state::AppState,
};

const PLACE: &str = "/settings/quiet-hours";
const NAMES: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// What the form that was sent says of itself in the address.
#[derive(Default, Deserialize)]
pub(super) struct Done {
    #[serde(default)]
    done: Option<String>,
}

/// The form. Boxes that are not ticked are not sent.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    zone: String,
    from: String,
    until: String,
    urgent: Option<String>,
    mon: Option<String>,
    tue: Option<String>,
    wed: Option<String>,
    thu: Option<String>,
    fri: Option<String>,
    sat: Option<String>,
    sun: Option<String>,
}

impl From<Sent> for QuietDraft {
    fn from(sent: Sent) -> Self {
        let boxes = [
            sent.mon, sent.tue, sent.wed, sent.thu, sent.fri, sent.sat, sent.sun,
        ];
        let days = boxes.into_iter().zip(DAYS);
        let days = days.filter(|(ticked, _)| ticked.is_some());
        Self {
            zone: sent.zone,
            from: sent.from,
            until: sent.until,
            days: days.map(|(_, (_, name))| name.to_owned()).collect(),
            urgent: sent.urgent.is_some(),
        }
    }
}

/// The page.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(Done { done }): Query<Done>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let by = who.principal();
    let quiet = state.service.quiet_hours(who.person.id, &by).await?;
    let draft = quiet.as_ref().map(QuietDraft::from);
    let draft = draft.unwrap_or(QuietDraft {
        urgent: true,
        ..QuietDraft::default()
    });
    Ok(page(&state, &headers, &draft, done.is_some(), &[]))
}

/// What was sent holds from now on, or is shown again with what is wrong.
pub(super) async fn save(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Form(sent): Form<Sent>,
) -> Result<Response, Problem> {
    let draft = QuietDraft::from(sent);
    let by = who.principal();
    let saved = state
        .service
        .set_quiet_hours(who.person.id, &draft, &by)
        .await;
    let faults = faults(saved)?;
    if faults.is_empty() {
        return Ok(Redirect::to(&format!("{PLACE}?done=saved")).into_response());
    }
    let page = page(&state, &headers, &draft, false, &faults);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

fn page(
    state: &AppState,
    headers: &HeaderMap,
    draft: &QuietDraft,
    saved: bool,
    faults: &[Fault],
) -> Response {
    let said = said(saved, faults, |path| match path {
        "zone" => "Time zone:".to_owned(),
        "from" => "From:".to_owned(),
        "until" => "Until:".to_owned(),
        _ => "Quiet all day:".to_owned(),
    });
    let is_wrong = |name: &str| {
        faults
            .iter()
            .any(|fault| fault.path.split('[').next() == Some(name))
    };
    let wrong = |name: &str| match is_wrong(name) {
        true => " aria-invalid=\"true\" aria-describedby=\"refusal\"",
        false => "",
    };
    let until_described = match is_wrong("until") {
        true => " aria-invalid=\"true\" aria-describedby=\"refusal until-hint\"",
        false => " aria-describedby=\"until-hint\"",
    };
    let zone_described = match is_wrong("zone") {
        true => " aria-invalid=\"true\" aria-describedby=\"refusal zone-hint\"",
        false => " aria-describedby=\"zone-hint\"",
    };
    let ticked = |is: bool| if is { " checked" } else { "" };
    let days: String = DAYS
        .iter()
        .zip(NAMES)
        .map(|((_, short), long)| {
            let is = ticked(draft.days.iter().any(|day| day == short));
            format!("<label class=\"tick\"><input type=\"checkbox\" name=\"{short}\"{is}> {long}</label>")
        })
        .collect();
    let body = format!(
        "<p>In these hours messages wait, and come as one afterwards. Questions that end within them come at once. \
         Leave hours and days empty to have no quiet hours.</p>{said}\
         <form class=\"fields\" method=\"post\" action=\"{PLACE}\">\
         <div class=\"labelled\"><label for=\"from\">From</label>\
         <input id=\"from\" class=\"field\" type=\"time\" name=\"from\" value=\"{from}\"{from_wrong}></div>\
         <div class=\"labelled\"><label for=\"until\">Until</label>\
         <input id=\"until\" class=\"field\" type=\"time\" name=\"until\" value=\"{until}\"{until_described}>\
         <p id=\"until-hint\" class=\"hint\">If Until is earlier than From, the hours go past midnight.</p></div>\
         <fieldset class=\"ticks\"{days_wrong}><legend>Quiet all day</legend>{days}</fieldset>\
         <div class=\"labelled\"><label for=\"zone\">Time zone</label>\
         <input id=\"zone\" class=\"field\" name=\"zone\" value=\"{zone}\" maxlength=\"60\" autocomplete=\"off\" \
         placeholder=\"Europe/Berlin\"{zone_described}>\
         <p id=\"zone-hint\" class=\"hint\">By its name, such as Europe/Berlin or Asia/Kolkata.</p></div>\
         <label class=\"tick\"><input type=\"checkbox\" name=\"urgent\"{urgent}> Tell me about urgent questions all \
         the same</label>\
         <button class=\"button primary\" type=\"submit\">Save</button></form>\
         <p><a class=\"way-up\" href=\"/settings/reach\">How to reach you</a></p>",
        from = Text(&draft.from),
        until = Text(&draft.until),
        zone = Text(&draft.zone),
        urgent = ticked(draft.urgent),
        from_wrong = wrong("from"),
        days_wrong = wrong("days"),
    );
    lone(state, headers, "Quiet hours", &body, Script::Zone)
}
