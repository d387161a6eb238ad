//! *Settings → Standing approvals*: what people have approved ahead, what came of it in the last seven days, and how to make
//! one from an approval. Plain pages and plain forms, which need nothing of the dashboard's program.

mod list;
mod make;
mod until;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use domain::{
    limits,
    matcher::{Matcher, Rule, Words},
};
use visible::lines;

use crate::{
    plain_page::html::{Prose, Text},
    state::AppState,
};

const PLACE: &str = "/settings/grants";

/// Their addresses.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route(PLACE, get(list::show))
        .route("/settings/grants/new", get(make::show).post(make::make))
        .route("/settings/grants/revoke", post(list::revoke))
        .route("/settings/grants/not-offered", post(make::decline))
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
}

/// All that a matcher covers, as HTML (rule 11): the words, then each argument that stays, and each that may differ. Nothing in
/// it is hidden.
fn whole(matcher: &Matcher, in_words: &str) -> String {
    let words = Prose(&lines(in_words)).to_string();
    let Matcher::Like(pattern) = matcher else {
        return format!("<p>{words}</p>");
    };
    let same = serde_json::to_string_pretty(&pattern.like.0).unwrap_or_default();
    let varies: String = pattern
        .varies
        .iter()
        .map(|varying| {
            let at = lines(&varying.at.join("."));
            format!(
                "<li><code>{}</code>: {}</li>",
                Text(&at),
                Prose(&lines(&how(&varying.by)))
            )
        })
        .collect();
    let operands = match pattern.operands.len() {
        0 => "and names no files by their content".to_owned(),
        1 => "and names one file, unchanged".to_owned(),
        many => format!("and names {many} files, unchanged"),
    };
    format!(
        "<p>{words}</p><details><summary>All that it covers</summary>\
         <p>Every call in which these arguments are as they were, {operands}:</p><pre tabindex=\"0\">{same}</pre>\
         <p>and these differ no further than this:</p><ul>{varies}</ul></details>",
        same = Text(&lines(&same)),
    )
}

fn how(rule: &Rule) -> String {
    match rule {
        Rule::Words(words) => begins(words),
        Rule::Commands(all) => {
            let each: Vec<_> = all.iter().map(begins).collect();
            format!(
                "commands joined by `&&`, each of which {}",
                each.join("; or ")
            )
        }
        Rule::Below(folder) => {
            format!("below `{folder}/`, and nothing hidden; it may hold anything")
        }
        Rule::Names => "names with wildcards that go down from there, none hidden".to_owned(),
        Rule::Host(origin) => format!("at `{origin}/`"),
        Rule::Any => "anything, or nothing".to_owned(),
    }
}

fn begins(words: &Words) -> String {
    let options = match words.options.len() {
        0 => "no options".to_owned(),
        _ => format!("no options but `{}`", words.options.join("`, `")),
    };
    let paths = match &words.below {
        Some(folder) => format!("paths below `{folder}/`, none hidden"),
        None => "paths that go down from there, none hidden".to_owned(),
    };
    format!(
        "begins with `{}`; after that plain words, {options}, {paths}, and nothing that a shell could read otherwise; files that are named there may hold anything",
        words.begin.join(" ")
    )
}

fn moment(at: DateTime<Utc>) -> String {
    let words = at.format("%A %Y-%m-%d %H:%M UTC");
    format!("<time datetime=\"{}\">{words}</time>", at.to_rfc3339())
}
