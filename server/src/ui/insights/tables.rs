//! The tables of the page: by kind, agent, team and person, and what is asked most.

use chrono::TimeDelta;
use service::{Figures, Insights, LookBack};
use visible::lines;

use super::draw::{section, stood};
use crate::{
    insights::Table,
    plain_page::{html::Text, numbers_table::table_of},
    ui::reach::took,
};

/// As many lines a table has on the page. The file has all.
const LINES: usize = 20;

/// A time, if there is one.
pub(super) fn took_or_none(time: Option<TimeDelta>) -> String {
    time.map_or_else(|| "–".to_owned(), took)
}

/// The columns of a breakdown.
const HEADS: [&str; 9] = [
    "Ended",
    "Half within",
    "Nine in ten within",
    "By people",
    "By rules",
    "Fallback",
    "Expired",
    "Denied",
    "Stood still",
];

fn cells(figures: &Figures) -> Vec<String> {
    vec![
        figures.ended.to_string(),
        took_or_none(figures.median()),
        took_or_none(figures.nine_in_ten()),
        figures.by_people.to_string(),
        figures.by_rules.to_string(),
        figures.fallback.to_string(),
        figures.expired.to_string(),
        figures.denied.to_string(),
        stood(figures.stood_still),
    ]
}

fn named(name: &str) -> String {
    format!("<bdi>{}</bdi>", Text(&lines(name)))
}

/// A part of the page that has a line for each; nothing where there is none.
fn breakdown<T>(
    name: &str,
    first: &str,
    sentence: &str,
    all: &[(T, Figures)],
    words: impl Fn(&T) -> String,
    file: Table,
    back: &LookBack,
) -> String {
    if all.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = all
        .iter()
        .take(LINES)
        .map(|(one, figures)| (words(one), cells(figures)))
        .collect();
    let more = match all.len().saturating_sub(LINES) {
        0 => String::new(),
        more => format!("<p class=\"hint\">{more} more are in the file.</p>"),
    };
    let table = table_of(name, first, &HEADS, &lines);
    section(name, sentence, &format!("{table}{more}"), file, back)
}

pub(super) fn kinds(insights: &Insights, back: &LookBack) -> String {
    breakdown(
        "By kind",
        "Kind",
        "What agents asked for.",
        &insights.kinds,
        |kind| app::kind_word(*kind).to_owned(),
        Table::Kinds,
        back,
    )
}

pub(super) fn agents(insights: &Insights, back: &LookBack) -> String {
    breakdown(
        "By agent",
        "Agent",
        "Who asked, those that asked most first.",
        &insights.agents,
        |agent| named(&agent.name),
        Table::Agents,
        back,
    )
}

pub(super) fn teams(insights: &Insights, back: &LookBack) -> String {
    // Without teams there is one, which says nothing.
    if insights.teams.iter().all(|(team, _)| team.is_none()) {
        return String::new();
    }
    breakdown(
        "By team",
        "Team",
        "Who was asked in the end, where it was handed over.",
        &insights.teams,
        |team| match team {
            Some(team) => named(&team.name),
            None => service::EVERYONE.to_owned(),
        },
        Table::Teams,
        back,
    )
}

pub(super) fn people(insights: &Insights, back: &LookBack) -> String {
    let lines: Vec<_> = insights
        .people
        .iter()
        .take(LINES)
        .map(|(one, figures)| {
            let cells = vec![
                figures.by_people.to_string(),
                took_or_none(figures.median()),
                took_or_none(figures.nine_in_ten()),
                figures.denied.to_string(),
            ];
            (named(&one.name), cells)
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let more = match insights.people.len().saturating_sub(LINES) {
        0 => String::new(),
        more => format!("<p class=\"hint\">{more} more are in the file.</p>"),
    };
    let heads = ["Answered", "Half within", "Nine in ten within", "Denied"];
    let table = table_of("By person", "Person", &heads, &lines);
    let sentence = "Who answered. Times are from asking, also where a question reached them late: they say how long agents waited, \
                    not how quick a person is.";
    let drawn = format!("{table}{more}");
    section("By person", sentence, &drawn, Table::People, back)
}

pub(super) fn asked_most(insights: &Insights, back: &LookBack, is_admin: bool) -> String {
    if insights.asked_most.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = insights
        .asked_most
        .iter()
        .map(|one| {
            let most = &one.most;
            let line = format!(
                "<a href=\"/interactions/{}\">{}</a>",
                most.newest,
                Text(&lines(&one.words))
            );
            let grant = match most.approved {
                0 => "–".to_owned(),
                _ => format!(
                    "<a href=\"/settings/grants/new?from={}\">Approve the next ones</a>",
                    most.newest
                ),
            };
            let team = most.team.as_ref().map(|team| named(&team.name));
            let cells = vec![
                most.asked.to_string(),
                most.approved.to_string(),
                most.denied.to_string(),
                named(&most.agent.name),
                team.unwrap_or_else(|| service::EVERYONE.to_owned()),
                grant,
            ];
            (line, cells)
        })
        .collect();
    let table = table_of(
        "Asked most",
        "What",
        &[
            "Asked",
            "Approved",
            "Denied",
            "Agent",
            "Team",
            "A rule of it",
        ],
        &lines,
    );
    let for_admins = match is_admin {
        true => {
            "<p class=\"hint\"><a href=\"/settings/policies\">Policies</a> forbid, allow, or ask others, for all agents.</p>"
        }
        false => "",
    };
    let sentence = "Approvals that are the same to a person and were asked more than once. What a rule decides as it is asked is not among \
                    them.";
    let drawn = format!("{table}{for_admins}");
    section("Asked most", sentence, &drawn, Table::AskedMost, back)
}
