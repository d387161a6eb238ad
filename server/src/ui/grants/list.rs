//! `/settings/grants`: what was approved ahead, whose decision it is, and how it was used in the last seven days.

use std::fmt::{Display, Write};

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::GrantId;
use serde::Deserialize;
use service::{GrantShown, ServiceError, SignedIn};
use visible::lines;

use super::{PLACE, moment, whole};
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
    let grants = state.service.grants(None, false, SHOWN, &by).await?;
    let may_revoke = by.responder().is_ok();
    let done = match wanted.done.as_deref() {
        Some("made") => Some("Approved ahead. What it covers asks nobody from now on."),
        Some("revoked") => Some("Revoked. Nothing is approved by it any more."),
        Some("ended") => Some("It had ended already."),
        _ => None,
    };
    let said = plain_page::said(None, done.as_ref().map(|words| words as &dyn Display));
    let mut body = format!(
        "{said}<p>What a person has approved ahead is approved as it is asked, and nobody is told: here is what came of it in the \
         last seven days.</p>"
    );
    let (open, over): (Vec<_>, Vec<_>) = grants.into_iter().partition(|grant| grant.in_force);
    if open.is_empty() {
        body.push_str(
            "<p class=\"hint\">There are none. After you have approved something, \
             <em>The next ones like this</em> makes one.</p>",
        );
    }
    let wanted_uses: Option<GrantId> = wanted.of.as_deref().and_then(|id| id.parse().ok());
    for (title, some) in [("In force", open), ("Ended in the last seven days", over)] {
        if some.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            "<section><h2 class=\"section-title\">{title}</h2><ul class=\"list grants\">"
        );
        for grant in some {
            let id = grant.record.grant.terms.id;
            let uses = match wanted_uses == Some(id) {
                true => uses(&state, &who, id).await?,
                false => String::new(),
            };
            body.push_str(&line(&grant, may_revoke, &uses));
        }
        body.push_str("</ul></section>");
    }
    body.push_str("<p><a class=\"way-up\" href=\"/settings\">Settings</a></p>");
    Ok(lone(
        &state,
        &headers,
        "Standing approvals",
        &body,
        Script::Nothing,
    ))
}

/// It approves nothing any more.
pub(super) async fn revoke(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(Which { id }): Form<Which>,
) -> Result<Response, Problem> {
    let id = id.parse().map_err(|_| Problem::not_found())?;
    let done = match state.service.revoke_grant(id, &who.principal()).await {
        Ok(_) => "revoked",
        Err(ServiceError::NotFound) => "ended",
        Err(error) => return Err(error.into()),
    };
    Ok(Redirect::to(&format!("{PLACE}?done={done}")).into_response())
}

fn line(grant: &GrantShown, may_revoke: bool, uses: &str) -> String {
    let terms = &grant.record.grant.terms;
    let scope = grant.record.grant.scope.as_ref();
    let covers = scope.map_or_else(
        || "<p>What it covered was erased.</p>".to_owned(),
        |scope| {
            whole(
                &scope.matcher,
                grant.in_words.as_deref().unwrap_or_default(),
            )
        },
    );
    let session = match terms.for_session {
        true => ", for one session",
        false => "",
    };
    let team = terms.team.as_ref().map_or_else(String::new, |team| {
        format!(" of <bdi>{}</bdi>", Text(&lines(&team.name)))
    });
    let ends = match grant.record.ended {
        Some(ended) => format!("ended {} {}", moment(ended.at), ended.why.in_words()),
        None if grant.in_force => format!("until {}", moment(terms.expires_at)),
        None => format!("ended {} or used up", moment(terms.expires_at)),
    };
    let count = |count: u64| match count {
        0 => "not used".to_owned(),
        1 => "used once".to_owned(),
        many => format!("used {many} times"),
    };
    let which = match grant.this_week {
        0 => String::new(),
        _ => format!(
            " · <a href=\"{PLACE}?of={id}#g-{id}\">which</a>",
            id = terms.id
        ),
    };
    let revoke = match may_revoke && grant.in_force {
        true => format!(
            "<form method=\"post\" action=\"/settings/grants/revoke\"><input type=\"hidden\" name=\"id\" value=\"{id}\">\
             <button class=\"button\" type=\"submit\">Revoke</button></form>",
            id = terms.id
        ),
        false => String::new(),
    };
    format!(
        "<li class=\"list-row grant-line\" id=\"g-{id}\"><div><p><bdi>{agent}</bdi>{team} may run</p>{covers}\
         <p class=\"hint\"><bdi>{by}</bdi> · made {made}{session}, from <a href=\"/interactions/{from}\">this approval</a> · {ends}</p>\
         <p class=\"hint\">{week} in the last seven days, {all} in all, {most} at most{which}</p>{uses}</div>{revoke}</li>",
        id = terms.id,
        agent = Text(&lines(&terms.agent.name)),
        by = Text(&lines(&terms.by.name)),
        made = moment(terms.made_at),
        from = terms.made_from,
        week = count(grant.this_week),
        all = count(grant.record.uses.into()),
        most = match terms.most {
            1 => "once".to_owned(),
            most => format!("{most} times"),
        },
    )
}

/// What one approved.
async fn uses(state: &AppState, who: &SignedIn, id: GrantId) -> Result<String, Problem> {
    let uses = state.service.grant_uses(id, &who.principal()).await?;
    let rows: String = uses
        .into_iter()
        .map(|(one, prompt)| {
            let prompt = prompt.filter(|prompt| !prompt.is_empty());
            format!(
                "<li><a href=\"/interactions/{id}\">{prompt}</a> · {at}</li>",
                id = one.interaction,
                prompt = Text(&lines(&prompt.unwrap_or_else(|| "erased".to_owned()))),
                at = moment(one.at),
            )
        })
        .collect();
    Ok(format!("<ul class=\"grant-past\">{rows}</ul>"))
}
