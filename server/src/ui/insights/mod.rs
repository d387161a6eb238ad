//! *Insights*: looking back. A plain page, which needs nothing of the dashboard's program: its charts are drawn here, and each has
//! its numbers in a table below it and as a file.

mod address;
mod chart;
mod draw;
mod tables;

use axum::{
    Extension, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
    routing::get,
};
use service::{Insights, LookBack, ServiceError, SignedIn};
use visible::lines;

use address::{Given, PERIODS};

use crate::{
    insights::Table,
    plain_page::{among_pages, html::Text},
    problem::Problem,
    state::AppState,
};

const PLACE: &str = "/insights";
/// As many agents and teams are offered to choose from, those that asked most.
const OFFERED: usize = 12;
/// So many events are counted before the next ones are worth a word.
const BEHIND: i64 = 10_000;

/// Their addresses.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route(PLACE, get(show))
        .route("/insights/{table}", get(file))
}

/// The page.
async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(given): Query<Given>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let by = who.principal();
    let back = given.read(state.service.now());
    let body = match state.service.insights(&back, &by).await {
        Ok(insights) => page(&insights, &back, by.is_admin()),
        Err(ServiceError::NotFound) => format!(
            "{}<p class=\"refusal\" role=\"alert\"><span>There is no such team, or you do not see what it is asked.</span></p>",
            filters(None, &back)
        ),
        Err(error) => return Err(error.into()),
    };
    let is_admin = by.is_admin();
    Ok(among_pages(
        &state, &headers, "Insights", PLACE, is_admin, &body,
    ))
}

/// One table as a file, narrowed as the page is.
async fn file(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Path(file): Path<String>,
    Query(given): Query<Given>,
) -> Result<Response, Problem> {
    let table = Table::of_file(&file)?;
    let back = given.read(state.service.now());
    let insights = state.service.insights(&back, &who.principal()).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"insights-{file}\""),
        ),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, table.csv(&insights)).into_response())
}

fn page(insights: &Insights, back: &LookBack, is_admin: bool) -> String {
    let behind = insights.counted.newest - insights.counted.seq;
    let counting = match behind > BEHIND {
        true => format!(
            "<p class=\"form-done\" role=\"status\">{} of {} events are counted by now. Until all are, these numbers are too low.</p>",
            insights.counted.seq, insights.counted.newest
        ),
        false => String::new(),
    };
    let filters = filters(Some(insights), back);
    if insights.total.ended == 0 {
        return format!(
            "{filters}{counting}<p class=\"list-note\">Nothing has ended of what was asked in this time. What waits is on the \
             <a href=\"/\">overview</a>.</p>"
        );
    }
    let parts = [
        draw::summary(&insights.total),
        draw::times(insights, back),
        draw::ends(insights, back),
        draw::hours(insights, back),
        draw::stood_still(insights, back),
        tables::kinds(insights, back),
        tables::agents(insights, back),
        tables::teams(insights, back),
        tables::people(insights, back),
        tables::asked_most(insights, back, is_admin),
    ];
    format!(
        "{filters}{counting}{}<p class=\"hint\">Days and hours are UTC, and days are those of asking. What still waits is not counted. \
         Times are exact to three in a hundred. <a href=\"/docs/insights\">What is counted, and how</a></p>",
        parts.concat()
    )
}

/// What the page can be narrowed to: links, so that every view of it has an address.
fn filters(insights: Option<&Insights>, back: &LookBack) -> String {
    let period = PERIODS.map(|(days, words)| {
        let narrowed = LookBack {
            days,
            ..back.clone()
        };
        let is_on = days == back.days;
        // There is always a period: this one takes no filter away.
        let mark = if is_on { " aria-current=\"true\"" } else { "" };
        let href = address::of(PLACE, &narrowed);
        format!(
            "<a class=\"chip\" href=\"{}\"{mark}>{words}</a>",
            Text(&href)
        )
    });
    let kinds = crate::insights::blocker_kinds().map(|kind| {
        let is_on = back.kind == Some(kind);
        let narrowed = LookBack {
            kind: (!is_on).then_some(kind),
            ..back.clone()
        };
        chip(app::kind_word(kind), &narrowed, is_on)
    });
    let found = insights.map(|it| &it.agents[..]).unwrap_or_default();
    let found = found.iter().map(|(agent, _)| agent.name.clone());
    let agents = offered(found, back.agent.as_ref());
    let agents = agents.iter().map(|name| {
        let is_on = back.agent.as_ref() == Some(name);
        let narrowed = LookBack {
            agent: (!is_on).then(|| name.clone()),
            ..back.clone()
        };
        chip(name, &narrowed, is_on)
    });
    let found = insights.map(|it| &it.teams[..]).unwrap_or_default();
    let has_teams = back.team.is_some() || found.iter().any(|(team, _)| team.is_some());
    let found = found.iter().map(|(team, _)| match team {
        Some(team) => team.name.clone(),
        None => service::EVERYONE.to_owned(),
    });
    let teams = offered(found, back.team.as_ref());
    let teams = teams.iter().map(|name| {
        let is_on = back.team.as_ref() == Some(name);
        let narrowed = LookBack {
            team: (!is_on).then(|| name.clone()),
            ..back.clone()
        };
        chip(name, &narrowed, is_on)
    });
    let teams = match has_teams {
        true => row("Team", &teams.collect::<String>()),
        false => String::new(),
    };
    let period = format!("{}{}", period.concat(), address::turns(back));
    [
        row("Period", &period),
        row("Kind", &kinds.collect::<String>()),
        row("Agent", &agents.collect::<String>()),
        teams,
    ]
    .concat()
}

/// The first ones, with the one that is chosen.
fn offered(found: impl Iterator<Item = String>, chosen: Option<&String>) -> Vec<String> {
    let mut offered: Vec<String> = found.take(OFFERED).collect();
    if let Some(chosen) = chosen
        && !offered.contains(chosen)
    {
        offered.push(chosen.clone());
    }
    offered
}

fn row(label: &str, chips: &str) -> String {
    if chips.is_empty() {
        return String::new();
    }
    format!(
        "<div class=\"chip-row\" role=\"group\" aria-label=\"{label}\"><span class=\"chip-label\" aria-hidden=\"true\">{label}</span>{chips}</div>"
    )
}

fn chip(words: &str, narrowed: &LookBack, is_on: bool) -> String {
    let (mark, off) = match is_on {
        true => (
            " aria-current=\"true\"",
            " <span aria-hidden=\"true\">×</span>",
        ),
        false => ("", ""),
    };
    format!(
        "<a class=\"chip\" href=\"{}\"{mark}><bdi>{}</bdi>{off}</a>",
        Text(&address::of(PLACE, narrowed)),
        Text(&lines(words))
    )
}
