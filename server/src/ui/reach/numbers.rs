//! `GET /settings/reached`: how people were reached lately, in numbers, for admins.

use std::fmt::Write;

use axum::{
    Extension,
    extract::{Query, State},
    http::HeaderMap,
    response::Response,
};
use chrono::TimeDelta;
use domain::delivery::ReachKind;
use serde::Deserialize;
use service::{ReachNumbers, ServiceError, SignedIn, Spread};
use store::{MessagesBy, WaysBy};

use super::{page::lone, show::in_words};
use crate::{plain_page::numbers_table::table_of, problem::Problem, state::AppState};

/// How far the page looks back, in days; the first where nothing is said.
const DAYS: [u32; 3] = [1, 7, 30];

/// How far back.
#[derive(Default, Deserialize)]
pub(super) struct Back {
    days: Option<u32>,
}

/// The page.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Query(back): Query<Back>,
) -> Result<Response, Problem> {
    let by = who.principal();
    by.admin().map_err(ServiceError::from)?;
    let days = back.days.filter(|days| DAYS.contains(days));
    let days = days.unwrap_or(DAYS[0]);
    let since = state.service.now() - TimeDelta::days(days.into());
    let numbers = state.service.reach_numbers(since, &by).await?;
    let body = format!(
        "<p>All servers together, of what was asked in the last {span}.</p>{choice}{times}{messages}{rungs}\
         <p><a class=\"way-up\" href=\"/settings\">Settings</a></p>",
        span = span(days),
        choice = choice(days),
        times = times(&numbers),
        messages = messages(&numbers),
        rungs = rungs(&numbers),
    );
    Ok(lone(&state, &headers, "How people are reached", &body))
}

fn span(days: u32) -> String {
    match days {
        1 => "24 hours".to_owned(),
        days => format!("{days} days"),
    }
}

fn choice(chosen: u32) -> String {
    let links = DAYS.map(|days| {
        let current = if days == chosen {
            " aria-current=\"page\""
        } else {
            ""
        };
        let span = span(days);
        format!("<a class=\"button\" href=\"/settings/reached?days={days}\"{current}>{span}</a>")
    });
    format!("<p class=\"numbers-choice\">{}</p>", links.concat())
}

/// A table below its heading.
fn table(name: &str, first: &str, columns: &[&str], lines: &[(String, Vec<String>)]) -> String {
    let table = table_of(name, first, columns, lines);
    format!("<section><h2 class=\"section-title\">{name}</h2>{table}</section>")
}

fn times(numbers: &ReachNumbers) -> String {
    let asked = numbers.asked;
    if asked == 0 {
        return "<p class=\"list-note\">Nothing was asked in this time.</p>".to_owned();
    }
    let line = |name: &str, spread: Spread| {
        let time = |time| match spread.count {
            0 => "–".to_owned(),
            _ => took(time),
        };
        let cells = vec![
            format!("{} of {asked}", spread.count),
            time(spread.median),
            time(spread.most),
            time(spread.longest),
        ];
        (name.to_owned(), cells)
    };
    let lines = [
        line("a person was reached", numbers.reached),
        line("a person opened it", numbers.seen),
        line("it was answered", numbers.answered),
    ];
    let columns = ["questions", "half", "nine in ten", "longest"];
    let mut all = table("How long after it was asked", "until", &columns, &lines);
    if numbers.is_cut {
        let _ = write!(all, "<p class=\"hint\">Of the newest {asked} alone.</p>");
    }
    all
}

fn messages(numbers: &ReachNumbers) -> String {
    if numbers.messages.is_empty() && numbers.ways.is_empty() {
        return "<p class=\"list-note\">No way to reach a person has been added yet.</p>"
            .to_owned();
    }
    let ways: Vec<_> = ReachKind::ALL
        .into_iter()
        .filter(|kind| {
            numbers.messages.iter().any(|one| one.by == *kind)
                || numbers.ways.iter().any(|one| one.by == *kind)
        })
        .collect();
    let columns: Vec<_> = ways.iter().map(|kind| in_words(*kind)).collect();
    let message = |what: &str, of: fn(&MessagesBy) -> u64| {
        let cells = ways.iter().map(|kind| {
            let found = numbers.messages.iter().find(|one| one.by == *kind);
            found.map_or(0, of).to_string()
        });
        (what.to_owned(), cells.collect())
    };
    let way = |what: &str, of: fn(&WaysBy) -> u64| {
        let cells = ways.iter().map(|kind| {
            let found = numbers.ways.iter().find(|one| one.by == *kind);
            found.map_or(0, of).to_string()
        });
        (what.to_owned(), cells.collect())
    };
    let lines = [
        message("reached within 1 s", |one| one.within_second),
        message("reached within 1 min", |one| one.within_minute),
        message("reached later", |one| one.later),
        message("on the way", |one| one.under_way),
        message("not needed any more", |one| one.not_needed),
        message("not reached", |one| one.not_reached),
        way("ways there are now", |one| one.ways),
        way("of these failing", |one| one.failing),
    ];
    let table = table("Messages", "by", &columns, &lines);
    format!(
        "{table}<p class=\"hint\">From the rung of the ladder to the moment in which the push service, the mail server or \
         ntfy took the message. Failing are ways of which nothing but failures was heard lately; one that \
         fails for five days is taken away.</p>"
    )
}

fn rungs(numbers: &ReachNumbers) -> String {
    if numbers.rungs.is_empty() {
        return String::new();
    }
    let lines = (1..).zip(&numbers.rungs).map(|(rung, count)| {
        let name = match rung {
            1 => "the first rung".to_owned(),
            rung => format!("rung {rung}"),
        };
        (name, vec![count.to_string()])
    });
    table(
        "How far silence climbed",
        "as far as",
        &["questions"],
        &lines.collect::<Vec<_>>(),
    )
}

/// A time that something took, short.
pub(in crate::ui) fn took(time: TimeDelta) -> String {
    let millis = time.num_milliseconds();
    match millis {
        ..=9_999 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        10_000..=119_999 => format!("{} s", millis / 1_000),
        120_000..=7_199_999 => format!("{} min", millis / 60_000),
        _ => domain::time::words(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_short() {
        for (millis, words) in [
            (0, "0.0 s"),
            (1_290, "1.2 s"),
            (119_000, "119 s"),
            (120_000, "2 min"),
            (7_200_000, "2 h"),
            (172_800_000, "2 days"),
        ] {
            assert_eq!(took(TimeDelta::milliseconds(millis)), words);
        }
    }
}
