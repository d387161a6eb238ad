//! `/settings/memories`: which answers stand, whose they are, and how they were used in the last seven days.

use std::fmt::{Display, Write};

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::MemoryId;
use serde::Deserialize;
use service::{MemoryShown, ServiceError, SignedIn};
use visible::lines;

use super::{PLACE, given, moment, whole};
use crate::{
    plain_page::{self, Script, html::Text, lone},
    problem::Problem,
    state::AppState,
};

/// How many are shown.
const SHOWN: u32 = 200;

/// What a form that was sent says of itself in the address, and whose uses are wanted.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    done: Option<String>,
    of: Option<String>,
}

/// Which is revoked.
#[derive(Deserialize)]
pub(super) struct Which {
    id: String,
}

/// The page.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let by = who.principal();
    let memories = state.service.memories(None, false, SHOWN, &by).await?;
    let may_revoke = by.responder().is_ok();
    let done = match wanted.done.as_deref() {
        Some("kept") => Some("It stands. Whoever asks exactly the same gets it at once."),
        Some("revoked") => Some("Revoked. Nothing is answered by it any more."),
        Some("ended") => Some("It had ended already."),
        _ => None,
    };
    let said = plain_page::said(None, done.as_ref().map(|words| words as &dyn Display));
    let mut body = format!(
        "{said}<p>An agent that asks exactly the same gets an answer that stands at once, and nobody is told: here is what came of \
         it in the last seven days.</p>"
    );
    let (open, over): (Vec<_>, Vec<_>) = memories.into_iter().partition(|one| one.in_force);
    if open.is_empty() {
        body.push_str(
            "<p class=\"hint\">There are none. After you have answered something, <em>The same question\u{2026}</em> lets the \
             answer stand.</p>",
        );
    }
    let wanted_uses: Option<MemoryId> = wanted.of.as_deref().and_then(|id| id.parse().ok());
    for (title, some) in [("Standing", open), ("Ended in the last seven days", over)] {
        if some.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            "<section><h2 class=\"section-title\">{title}</h2><ul class=\"list grants\">"
        );
        for one in some {
            let id = one.record.memory.terms.id;
            let uses = match wanted_uses == Some(id) {
                true => uses(&state, &who, id).await?,
                false => String::new(),
            };
            body.push_str(&line(&one, may_revoke, &uses));
        }
        body.push_str("</ul></section>");
    }
    body.push_str("<p><a class=\"way-up\" href=\"/settings\">Settings</a></p>");
    Ok(lone(
        &state,
        &headers,
        "Answers that stand",
        &body,
        Script::Nothing,
    ))
}

/// It answers nothing any more.
pub(super) async fn revoke(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(Which { id }): Form<Which>,
) -> Result<Response, Problem> {
    let id = id.parse().map_err(|_| Problem::not_found())?;
    let done = match state.service.revoke_memory(id, &who.principal()).await {
        Ok(_) => "revoked",
        Err(ServiceError::NotFound) => "ended",
        Err(error) => return Err(error.into()),
    };
    Ok(Redirect::to(&format!("{PLACE}?done={done}")).into_response())
}

fn line(one: &MemoryShown, may_revoke: bool, uses: &str) -> String {
    let terms = &one.record.memory.terms;
    let words = one.record.memory.kept.as_ref().map_or_else(
        || "<p>Question and answer were erased.</p>".to_owned(),
        |kept| {
            format!(
                "{}<p>gets this answer:</p>{}",
                whole(&kept.question),
                given(&kept.question, &kept.answer)
            )
        },
    );
    let agent = terms.agent.as_ref().map_or_else(
        || "Every agent".to_owned(),
        |agent| format!("<bdi>{}</bdi>", Text(&lines(&agent.name))),
    );
    let team = terms.team.as_ref().map_or_else(String::new, |team| {
        format!(" of <bdi>{}</bdi>", Text(&lines(&team.name)))
    });
    let ends = match one.record.ended {
        Some(ended) => format!("ended {} {}", moment(ended.at), ended.why.in_words()),
        None if one.in_force => format!("until {}", moment(terms.expires_at)),
        None => format!("ended {}", moment(terms.expires_at)),
    };
    let count = |count: u64| match count {
        0 => "not used".to_owned(),
        1 => "used once".to_owned(),
        many => format!("used {many} times"),
    };
    let which = match one.this_week {
        0 => String::new(),
        _ => format!(
            " · <a href=\"{PLACE}?of={id}#m-{id}\">which</a>",
            id = terms.id
        ),
    };
    let revoke = match may_revoke && one.in_force {
        true => format!(
            "<form method=\"post\" action=\"/settings/memories/revoke\"><input type=\"hidden\" name=\"id\" value=\"{id}\">\
             <button class=\"button\" type=\"submit\">Revoke</button></form>",
            id = terms.id
        ),
        false => String::new(),
    };
    format!(
        "<li class=\"list-row grant-line\" id=\"m-{id}\"><div><p>{agent}{team}, asking this:</p>{words}\
         <p class=\"hint\"><bdi>{by}</bdi> · answered {answered}, in <a href=\"/interactions/{from}\">this question</a> · {ends}</p>\
         <p class=\"hint\">{week} in the last seven days, {all} in all{which}</p>{uses}</div>{revoke}</li>",
        id = terms.id,
        by = Text(&lines(&terms.by.name)),
        answered = moment(terms.answered_at),
        from = terms.made_from,
        week = count(one.this_week),
        all = count(one.record.uses),
    )
}

/// What one answered, as far as the reader may see it.
async fn uses(state: &AppState, who: &SignedIn, id: MemoryId) -> Result<String, Problem> {
    let uses = state.service.memory_uses(id, &who.principal()).await?;
    let rows: String = uses
        .into_iter()
        .map(|(one, seen)| {
            let Some((agent, prompt)) = seen else {
                return format!("<li>of another team by now · {}</li>", moment(one.at));
            };
            let prompt = match prompt.is_empty() {
                true => "erased".to_owned(),
                false => prompt,
            };
            format!(
                "<li><a href=\"/interactions/{id}\">{prompt}</a> · <bdi>{agent}</bdi> · {at}</li>",
                id = one.interaction,
                prompt = Text(&lines(&prompt)),
                agent = Text(&lines(&agent.name)),
                at = moment(one.at),
            )
        })
        .collect();
    Ok(format!("<ul class=\"grant-past\">{rows}</ul>"))
}
