//! `/settings/ladder` and `/settings/teams/{id}/ladder`: how silence climbs for everyone, and in a team.

use axum::{
    Extension, Form,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use domain::{
    Fault, Principal, TeamId,
    ladder::{Class, LadderDraft, RungDraft},
};
use serde::Deserialize;
use service::{ServiceError, SignedIn, TeamLadder};

use super::{faults, in_page, said};
use crate::{
    plain_page::{Script, html::Text, lone},
    problem::Problem,
    state::AppState,
};

const TITLE: &str = "When no answer comes";

/// What the form that was sent says of itself in the address.
#[derive(Default, Deserialize)]
pub(super) struct Done {
    #[serde(default)]
    done: Option<String>,
}

/// The form: one rung a line; an empty box takes the default. `clear` is the button that goes back to the default.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    urgent: String,
    sync: String,
    #[serde(rename = "async")]
    later: String,
    clear: Option<String>,
}

impl Sent {
    fn draft(&self) -> LadderDraft {
        let rungs = |text: &str| {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let rungs: Vec<_> = lines.map(|line| RungDraft(line.to_owned())).collect();
            (!rungs.is_empty()).then_some(rungs)
        };
        LadderDraft {
            urgent: rungs(&self.urgent),
            sync: rungs(&self.sync),
            later: rungs(&self.later),
        }
    }

    fn of(ladder: &TeamLadder) -> Self {
        let lines = |class| ladder.rungs(class).join("\n");
        Self {
            urgent: lines(Class::Urgent),
            sync: lines(Class::Sync),
            later: lines(Class::Async),
            clear: None,
        }
    }
}

/// The page of everyone's ladder.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(Done { done }): Query<Done>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = shown(&state, None, &who.principal(), done.is_some(), &headers).await;
    in_page(&state, &headers, TITLE, page)
}

/// The page of a team's ladder.
pub(super) async fn show_of_team(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Path(team): Path<TeamId>,
    Query(Done { done }): Query<Done>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let by = who.principal();
    let page = shown(&state, Some(team), &by, done.is_some(), &headers).await;
    in_page(&state, &headers, TITLE, page)
}

/// Silence climbs by what was sent.
pub(super) async fn save(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Form(sent): Form<Sent>,
) -> Result<Response, Problem> {
    let page = saved(&state, None, &who.principal(), &headers, sent).await;
    in_page(&state, &headers, TITLE, page)
}

/// The same in a team.
pub(super) async fn save_of_team(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Path(team): Path<TeamId>,
    headers: HeaderMap,
    Form(sent): Form<Sent>,
) -> Result<Response, Problem> {
    let page = saved(&state, Some(team), &who.principal(), &headers, sent).await;
    in_page(&state, &headers, TITLE, page)
}

fn place(team: Option<TeamId>) -> String {
    match team {
        Some(team) => format!("/settings/teams/{team}/ladder"),
        None => "/settings/ladder".to_owned(),
    }
}

async fn ladder(
    state: &AppState,
    team: Option<TeamId>,
    by: &Principal,
) -> Result<TeamLadder, Problem> {
    by.admin().map_err(ServiceError::from)?;
    let team = team.map(|team| team.to_string());
    Ok(state.service.team_ladder(team.as_deref(), by).await?)
}

async fn shown(
    state: &AppState,
    team: Option<TeamId>,
    by: &Principal,
    done: bool,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let ladder = ladder(state, team, by).await?;
    let rungs = Sent::of(&ladder);
    Ok(page(state, headers, &ladder, &rungs, done, &[]))
}

async fn saved(
    state: &AppState,
    team: Option<TeamId>,
    by: &Principal,
    headers: &HeaderMap,
    sent: Sent,
) -> Result<Response, Problem> {
    let service = &state.service;
    let done = match sent.clear {
        Some(_) => service.clear_ladder(team, by).await,
        None => service.set_ladder(team, &sent.draft(), by).await,
    };
    let faults = faults(done)?;
    if faults.is_empty() {
        return Ok(Redirect::to(&format!("{}?done=saved", place(team))).into_response());
    }
    let ladder = ladder(state, team, by).await?;
    let page = page(state, headers, &ladder, &sent, false, &faults);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

fn page(
    state: &AppState,
    headers: &HeaderMap,
    ladder: &TeamLadder,
    rungs: &Sent,
    saved: bool,
    faults: &[Fault],
) -> Response {
    let said = said(saved, faults, fault_of);
    let team = ladder.team.as_ref();
    let whose = match (team, ladder.is_own) {
        (Some(_), true) => "This team has its own ladder.",
        (Some(_), false) => "This team uses everyone's ladder.",
        (None, true) => "An admin changed everyone's ladder.",
        (None, false) => "This is the ladder that comes with Handraise.",
    };
    let field = |name: &str, label: &str, text: &str| {
        let is_wrong = |fault: &Fault| fault.path.split('[').next() == Some(name);
        let described = match faults.iter().any(is_wrong) {
            true => "aria-invalid=\"true\" aria-describedby=\"refusal rung-hint\"",
            false => "aria-describedby=\"rung-hint\"",
        };
        format!(
            "<div class=\"labelled\"><label for=\"{name}\">{label}</label>\
             <textarea id=\"{name}\" class=\"field\" name=\"{name}\" rows=\"4\" spellcheck=\"false\" dir=\"auto\" \
             {described}>{}</textarea></div>",
            Text(text)
        )
    };
    let back = match team {
        Some(team) => format!("/settings/teams/{}", team.id),
        None => "/settings/teams".to_owned(),
    };
    let clear = match (ladder.is_own, team) {
        (true, Some(_)) => {
            "<button class=\"button\" type=\"submit\" name=\"clear\" value=\"1\">Use everyone's ladder</button>"
        }
        (true, None) => {
            "<button class=\"button\" type=\"submit\" name=\"clear\" value=\"1\">Use the default</button>"
        }
        (false, _) => "",
    };
    let of = team.map_or_else(String::new, |team| {
        format!(
            "<p>Of the team <bdi>{}</bdi>. {whose}</p>",
            Text(&visible::line(&team.name))
        )
    });
    let of = if of.is_empty() {
        format!("<p>{whose}</p>")
    } else {
        of
    };
    let body = format!(
        "{of}<p id=\"rung-hint\" class=\"hint\">A question without an answer is told to more people, one line after \
         the other. A line says how long after the one before it (<code>0</code>, <code>5m</code>, <code>2h</code>, or \
         <code>half</code> of the time that is left), to whom (<code>duty</code>, <code>team</code>, <code>admins</code> \
         or a person's name), by which ways if not by all (<code>by push,mail</code>), and how often if not once \
         (<code>x3</code>). An empty box takes the default.</p>{said}\
         <form class=\"fields\" method=\"post\" action=\"{place}\">{urgent}{sync}{later}\
         <p class=\"form-start\"><button class=\"button primary\" type=\"submit\">Save</button>{clear}</p></form>\
         <p><a href=\"/settings/reached\">How people are reached, in numbers</a></p>\
         <p><a href=\"{back}\">Back</a></p>",
        place = place(team.map(|team| team.id)),
        urgent = field("urgent", "Urgent questions", &rungs.urgent),
        sync = field(
            "sync",
            "Questions that an agent has stopped for",
            &rungs.sync
        ),
        later = field("async", "Questions that can wait", &rungs.later),
    );
    lone(state, headers, TITLE, &body, Script::Nothing)
}

/// `sync[1]` as the page calls it.
fn fault_of(path: &str) -> String {
    let (class, line) = match path.split_once('[') {
        Some((class, line)) => (class, line.trim_end_matches(']').parse::<usize>().ok()),
        None => (path, None),
    };
    let class = match class {
        "urgent" => "Urgent questions",
        "sync" => "Questions that an agent has stopped for",
        _ => "Questions that can wait",
    };
    match line {
        Some(line) => format!("{class}: line {}", line + 1),
        None => format!("{class}: it"),
    }
}
