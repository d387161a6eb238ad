//! The webhooks: where each leads, what it hears of, how it does.

use chrono::{DateTime, Utc};
use domain::delivery::DisabledWhy;
use leptos::prelude::*;

use super::webhook_view::{format_word, topic_words};
use crate::{
    components::{
        icon::{Icon, Shape},
        moment::{Ago, LongSince},
    },
    live::Live,
    load::Loaded,
    view::{WebhookList, WebhookRow, WebhookStanding},
};

/// The list. A webhook that has not changed keeps its row, and with it the focus.
#[component]
pub(crate) fn WebhookRows(webhooks: Loaded<WebhookList>, live: Live) -> impl IntoView {
    let rows = move || {
        let list = webhooks.get().and_then(Result::ok);
        let dated = list.map(|list| list.rows.into_iter().map(move |row| (row, list.as_of)));
        dated.into_iter().flatten().collect::<Vec<_>>()
    };
    let known = move || webhooks.get().is_some_and(|list| list.is_ok());
    view! {
        <section hidden=move || !known() aria-labelledby="webhooks-title">
            <h2 id="webhooks-title" class="section-title">
                "Webhooks"
            </h2>
            <ul class="list" hidden=move || rows().is_empty()>
                <For each=rows key=|(row, _)| row.clone() let((row, as_of))>
                    <WebhookLine row as_of live />
                </For>
            </ul>
            <p class="list-note" hidden=move || !rows().is_empty()>
                "There is none yet: nobody but this page hears of anything."
            </p>
        </section>
    }
}

#[component]
fn WebhookLine(row: WebhookRow, as_of: DateTime<Utc>, live: Live) -> impl IntoView {
    let live = live.as_of(as_of);
    let off = matches!(row.standing, WebhookStanding::Disabled(..));
    view! {
        <li class="list-row" class:out=off>
            <a class="list-link webhook-line" href=format!("/settings/webhooks/{}", row.id)>
                <span class="person-name">
                    <bdi>{row.name.clone()}</bdi>
                </span>
                <WebhookStandingWords standing=row.standing live />
                <span class="webhook-hears">
                    <bdi class="mono">{row.host.clone()}</bdi>
                    {format!(" · {} · {} format", hears(&row), format_word(row.format).to_lowercase())}
                </span>
                <span class="person-seen">
                    <LastDelivered at=row.delivered_at live />
                </span>
            </a>
        </li>
    }
}

/// How it does, in words.
#[component]
pub(super) fn WebhookStandingWords(standing: WebhookStanding, live: Live) -> impl IntoView {
    let (shape, words, since) = match standing {
        WebhookStanding::Enabled => (Shape::Check, "Enabled", None),
        WebhookStanding::Failing(since) => (Shape::Warning, "Failing for ", Some(since)),
        WebhookStanding::Disabled(DisabledWhy::ByHand, _) => (Shape::Denied, "Disabled", None),
        WebhookStanding::Disabled(DisabledWhy::Gone, _) => {
            (Shape::Failed, "Gone, so disabled", None)
        }
        WebhookStanding::Disabled(DisabledWhy::Failing, _) => {
            (Shape::Failed, "Failed, so disabled", None)
        }
    };
    view! {
        <span class="outcome">
            <Icon shape />
            <span>{words} {since.map(|at| view! { <LongSince at live /> })}</span>
        </span>
    }
}

/// When something arrived there last.
#[component]
pub(super) fn LastDelivered(at: Option<DateTime<Utc>>, live: Live) -> impl IntoView {
    match at {
        Some(at) => view! { "Delivered " <Ago at live /> }.into_any(),
        None => "Nothing delivered yet".into_any(),
    }
}

/// The topics it hears of, in a line.
pub(super) fn hears(row: &WebhookRow) -> String {
    let topics = match row.topics.len() {
        0 => "everything".to_owned(),
        _ => {
            let words: Vec<_> = row.topics.iter().copied().map(topic_words).collect();
            words.join(", ").to_lowercase()
        }
    };
    let only = if row.sync_only {
        ", only while an agent waits"
    } else {
        ""
    };
    let teams: Vec<&str> = row.teams.iter().map(|team| team.name.as_str()).collect();
    let teams = match teams.is_empty() {
        true => String::new(),
        false => format!(", also of {}", teams.join(", ")),
    };
    format!("{topics}{only}{teams}")
}
