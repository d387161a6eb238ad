//! *Settings → Answers that stand*: which answers people let stand for the same question, what came of them in the last seven
//! days, and how to let one stand. Plain pages and plain forms, which need nothing of the dashboard's program.

mod keep;
mod list;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use domain::{
    interaction::{AnswerContent, Repeatable},
    limits,
};
use visible::lines;

use crate::{plain_page::html::Text, state::AppState};

const PLACE: &str = "/settings/memories";

/// Their addresses.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route(PLACE, get(list::show))
        .route("/settings/memories/new", get(keep::show).post(keep::keep))
        .route("/settings/memories/revoke", post(list::revoke))
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
}

/// All of a question that has to be the same, as HTML in which nothing is hidden.
fn whole(question: &Repeatable) -> String {
    let text = |text: &str| Text(&lines(text)).to_string();
    let title = question.title.as_deref().map_or_else(String::new, |title| {
        format!("<p><strong>{}</strong></p>", text(title))
    });
    let options = question.choice.iter().flat_map(|choice| &choice.options);
    let options: String = options
        .map(|option| {
            let value = match option.value == option.label {
                true => String::new(),
                false => format!(" <code>{}</code>", text(&option.value)),
            };
            let more = option.description.as_deref().map(text);
            let more = more.map_or_else(String::new, |more| format!(": {more}"));
            format!("<li><bdi>{}</bdi>{value}{more}</li>", text(&option.label))
        })
        .collect();
    let options = match options.is_empty() {
        true => String::new(),
        false => format!("<ul>{options}</ul>"),
    };
    let task = question.task.iter().flat_map(|task| {
        let said = [
            ("Task", &task.title),
            ("About it", &task.description),
            ("Step", &task.step),
        ];
        said.into_iter()
            .filter_map(|(name, said)| Some((name, said.clone()?)))
    });
    let task: String = task
        .map(|(name, said)| format!("<p class=\"hint\">{name}: <bdi>{}</bdi></p>", text(&said)))
        .collect();
    let fallback = question
        .fallback
        .as_ref()
        .map_or_else(String::new, |answer| {
            format!(
                "<p class=\"hint\">Without an answer the agent goes on with:</p>{}",
                given(question, answer)
            )
        });
    format!(
        "{title}<pre tabindex=\"0\" dir=\"auto\">{}</pre>{options}{task}{fallback}",
        text(&question.prompt)
    )
}

/// All of an answer, as HTML in which nothing is hidden: of an option its label, and its value where that is another.
fn given(question: &Repeatable, answer: &AnswerContent) -> String {
    let text = match answer {
        AnswerContent::Text { text } if text.is_empty() => "(an empty answer)".to_owned(),
        AnswerContent::Text { text } => text.clone(),
        AnswerContent::Selected { selected } if selected.is_empty() => "(none of them)".to_owned(),
        AnswerContent::Selected { selected } => {
            let options = question.choice.iter().flat_map(|choice| &choice.options);
            let chosen = options.filter(|option| selected.contains(&option.value));
            let words = chosen.map(|option| match option.value == option.label {
                true => option.label.clone(),
                false => format!("{} ({})", option.label, option.value),
            });
            words.collect::<Vec<_>>().join("\n")
        }
        other => other.brief(),
    };
    format!(
        "<pre tabindex=\"0\" dir=\"auto\">{}</pre>",
        Text(&lines(&text))
    )
}

fn moment(at: DateTime<Utc>) -> String {
    let words = at.format("%A %Y-%m-%d %H:%M UTC");
    format!("<time datetime=\"{}\">{words}</time>", at.to_rfc3339())
}
