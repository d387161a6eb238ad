//! The kinds in people's words.

use domain::interaction::{Kind, Level};
use leptos::prelude::*;

use super::icon::{Icon, Shape};
use crate::{live::Live, view::Row};

/// The word for a kind, within a sentence.
pub fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "question",
        Kind::Choice => "choice",
        Kind::Acknowledgement => "acknowledgement",
        Kind::Approval => "approval",
        Kind::PlanReview => "plan review",
        Kind::Form => "form",
        Kind::Notification => "notification",
    }
}

/// The words above a prompt without a title.
pub fn heading(kind: Kind, agent: &str) -> String {
    let what = match kind {
        Kind::Question => "Question from",
        Kind::Choice => "Choice for",
        Kind::Acknowledgement => "Notice from",
        Kind::Approval => "Approval for",
        Kind::PlanReview => "Plan from",
        Kind::Form => "Questions from",
        Kind::Notification => "News from",
    };
    format!("{what} {agent}")
}

/// The kind of a row that waits, and how far a form is; nothing for a mere question.
#[component]
pub(super) fn KindMark(row: Row, live: Live) -> impl IntoView {
    let id = row.id;
    let begun = row.progress;
    let progress = Memo::new(move |_| {
        let begun = begun?;
        let known = live.desk.with(|desk| {
            let row = desk.waiting.iter().find(|row| row.id == id)?;
            row.progress
        });
        Some(known.unwrap_or(begun))
    });
    (row.kind != Kind::Question).then(|| {
        view! {
            <span class="kind-mark">
                {kind_word(row.kind)}
                {move || {
                    progress
                        .get()
                        .map(|progress| format!(" · {} of {}", progress.answered, progress.of))
                }}
            </span>
        }
    })
}

/// How serious a notification is: an icon and a word.
#[component]
pub(super) fn LevelMark(level: Level) -> impl IntoView {
    let (shape, word) = match level {
        Level::Info => (Shape::Info, "Info"),
        Level::Success => (Shape::Check, "Success"),
        Level::Warning => (Shape::Warning, "Warning"),
        Level::Error => (Shape::Failed, "Error"),
    };
    view! {
        <span class="outcome">
            <Icon shape />
            {word}
        </span>
    }
}
