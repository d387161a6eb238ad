//! `/settings/grants/new?from=ID`: after an approval, what of the next ones like it may be approved ahead, and what that would
//! have approved in the last 30 days.

use std::fmt::Write;

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use domain::{
    Interaction, InteractionId,
    interaction::{Action, Ask, Outcome, Ruled},
    limits,
};
use serde::Deserialize;
use service::{Offer, Past, ServiceError, SignedIn};
use visible::lines;

use super::{PLACE, moment, until, whole};
use crate::{
    plain_page::{self, Script, html::Text, lone},
    problem::Problem,
    state::AppState,
};

const TITLE: &str = "The next ones like this";

/// What it is made from.
#[derive(Deserialize)]
pub(super) struct MadeFrom {
    from: String,
    /// The digest of the matcher that is chosen at first, where the page was offered.
    #[serde(default)]
    what: String,
}

/// The form.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    from: String,
    /// The digest of the matcher that was chosen: what is offered may have changed since.
    what: String,
    lasts: String,
    /// How often at most.
    times: String,
    zone: String,
}

/// The page.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(MadeFrom { from, what }): Query<MadeFrom>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    page(
        &state,
        &who,
        &headers,
        (from.as_str(), what.as_str()),
        "",
        None,
    )
    .await
}

/// After which approval it was offered, and where its reader was.
#[derive(Deserialize)]
pub(super) struct Declined {
    from: String,
    back: String,
}

/// The person wants none after this approval, and is not offered one again before somebody denies another like it.
pub(super) async fn decline(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(Declined { from, back }): Form<Declined>,
) -> Result<Response, Problem> {
    let id: InteractionId = from.parse().map_err(|_| Problem::not_found())?;
    let back: InteractionId = back.parse().map_err(|_| Problem::not_found())?;
    let by = who.principal();
    state.service.decline_suggestion(id, &by).await?;
    Ok(Redirect::to(&format!("/blockers/{back}")).into_response())
}

/// The grant is made, or the form shown again with what is wrong.
pub(super) async fn make(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Form(sent): Form<Sent>,
) -> Result<Response, Problem> {
    let from: InteractionId = sent.from.parse().map_err(|_| Problem::not_found())?;
    let by = who.principal();
    let chosen = state.service.offered_matcher(from, &sent.what, &by).await?;
    let draft = until::draft(&sent.lasts, &sent.zone, state.service.now());
    let times = match sent.times.trim() {
        "" => Ok(None),
        times => times.parse::<i64>().map(Some),
    };
    let why = match (chosen, draft, times) {
        (Some(matcher), Some(mut draft), Ok(times)) => {
            draft.matcher = Some(matcher);
            draft.uses = times;
            match state.service.make_grant(from, draft, &by).await {
                Ok(_) => {
                    return Ok(Redirect::to(&format!("{PLACE}?done=made")).into_response());
                }
                Err(ServiceError::Refused(refused)) => match &refused {
                    domain::Refused::Invalid(faults) => {
                        let lines = faults.iter().map(|fault| fault.message.clone());
                        format!("It {}.", lines.collect::<Vec<_>>().join("; it "))
                    }
                    other => format!("{other}."),
                },
                Err(error) => return Err(error.into()),
            }
        }
        (None, _, _) => "What was offered is not any more. Choose again.".to_owned(),
        (_, None, _) => "Choose how long it lasts.".to_owned(),
        (_, _, Err(_)) => "Say in digits how often at most.".to_owned(),
    };
    let chosen = (sent.from.as_str(), sent.what.as_str());
    let shown = page(&state, &who, &headers, chosen, &sent.zone, Some(&why)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
}

async fn page(
    state: &AppState,
    who: &SignedIn,
    headers: &HeaderMap,
    (from, what): (&str, &str),
    zone: &str,
    why: Option<&str>,
) -> Result<Response, Problem> {
    let id: InteractionId = from.parse().map_err(|_| Problem::not_found())?;
    let by = who.principal();
    let approval = state.service.interaction(id, &by).await?;
    let offers = state.service.grant_offers(id, &by).await?;
    let Ask::Approval { action, .. } = &approval.request.ask else {
        return Err(Problem::not_found());
    };
    let back =
        format!("<p><a class=\"way-up\" href=\"/interactions/{id}\">What was approved</a></p>");
    if offers.is_empty() {
        let body = format!(
            "<p>Only what a person has approved, and you may answer, can be approved ahead.</p>{back}"
        );
        return Ok(lone(state, headers, TITLE, &body, Script::Nothing));
    }
    let why = why.map(Text);
    let said = plain_page::said(
        why.as_ref().map(|words| words as &dyn std::fmt::Display),
        None,
    );
    let shown = serde_json::to_string_pretty(&action.arguments.0).unwrap_or_default();
    let destructive = domain::matcher::destructive(action);
    let times = match destructive.is_some() || approval.request.is_destructive() {
        true => 1,
        false => limits::GRANT_USES,
    };
    let only_exactly = match destructive {
        Some(reason) => format!(
            "<p class=\"hint\">It is destructive ({}), so only exactly this can be approved ahead.</p>",
            Text(&lines(&reason))
        ),
        None => String::new(),
    };
    let body = format!(
        "{said}<p>What <bdi>{agent}</bdi> asks like this is approved as it is asked, in your name, and nobody is told. \
         Each has a receipt of its own. You can revoke it at any time, and it ends when you may not answer any more.</p>\
         <p>This call of <code>{tool}</code> was approved:</p><pre tabindex=\"0\">{shown}</pre>{files}{ruled}{only_exactly}\
         <form class=\"fields\" method=\"post\" action=\"/settings/grants/new\">\
         <input type=\"hidden\" name=\"from\" value=\"{id}\">\
         <input type=\"hidden\" name=\"zone\" value=\"{zone}\">\
         <fieldset class=\"ticks\"><legend>What may run</legend>{choices}</fieldset>\
         <fieldset class=\"ticks\"><legend>How long</legend>{lasts}</fieldset>\
         <label>How often at most <input name=\"times\" type=\"number\" min=\"1\" max=\"{most}\" value=\"{times}\"></label>\
         <button class=\"button primary\" type=\"submit\">Approve them ahead</button></form>{back}",
        agent = Text(&lines(&approval.agent.name)),
        tool = Text(&lines(&action.tool)),
        shown = Text(&lines(&shown)),
        files = files(action),
        ruled = ruled(&approval),
        most = limits::GRANT_USES,
        choices = choices(&offers, what),
        lasts = lasts(approval.request.session_id.is_some()),
        zone = Text(zone),
    );
    Ok(lone(state, headers, TITLE, &body, Script::Zone))
}

/// The files that it names, as they were approved.
fn files(action: &Action) -> String {
    let files = action.operands.iter().map(|operand| {
        let name = lines(&operand.name);
        format!(
            "<li><code>{}</code> · SHA-256 <code>{}</code></li>",
            Text(&name),
            Text(&operand.sha256)
        )
    });
    let files: String = files.collect();
    match files.is_empty() {
        true => files,
        false => format!("<p>With these files:</p><ul>{files}</ul>"),
    }
}

/// What the policies said of it.
fn ruled(approval: &Interaction) -> String {
    let said = approval.ruled().map(Ruled::lines).unwrap_or_default();
    let said = said
        .iter()
        .map(|line| format!("<p class=\"hint\">{}</p>", Text(&lines(line))));
    said.collect()
}

/// `what` names the one that is chosen at first; where it is none of them, that is the narrowest.
fn choices(offers: &[Offer], what: &str) -> String {
    let mut html = String::new();
    let is_named = |offer: &Offer| offer.matcher.digest().is_ok_and(|digest| digest == what);
    let first = offers.iter().position(is_named).unwrap_or_default();
    for (n, offer) in offers.iter().enumerate() {
        let Ok(digest) = offer.matcher.digest() else {
            continue;
        };
        let checked = if n == first { " checked" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<div class=\"grant-offer\"><label class=\"tick\"><input type=\"radio\" name=\"what\" value=\"{digest}\"{checked}> \
             {name}</label>{whole}{past}</div>",
            name = match offer.matcher.is_exact() {
                true => "Exactly this again",
                false => "Others like it",
            },
            whole = whole(&offer.matcher, &offer.in_words),
            past = past(&offer.past),
        );
    }
    html
}

fn lasts(has_session: bool) -> String {
    let open = until::CHOICES
        .iter()
        .filter(|(name, _)| has_session || *name != "session");
    let choices = open.enumerate().map(|(n, (name, words))| {
        let checked = if n == 0 { " checked" } else { "" };
        format!(
            "<label class=\"tick\"><input type=\"radio\" name=\"lasts\" value=\"{name}\"{checked}> {words}</label>"
        )
    });
    choices.collect()
}

/// What it would have approved.
fn past(past: &Past) -> String {
    let of = match (past.looked_at, past.more) {
        (1, false) => "the one approval".to_owned(),
        (count, false) => format!("the {count} approvals"),
        (count, true) => format!("the last {count} approvals"),
    };
    let denied = match past.denied {
        0 => String::new(),
        1 => " <strong>One of them was denied.</strong>".to_owned(),
        many => format!(" <strong>{many} of them were denied.</strong>"),
    };
    let rows: String = past
        .newest
        .iter()
        .map(|one| {
            let ended = match one.outcome {
                Some(Outcome::Denied) => "<strong>denied</strong>",
                Some(outcome) => outcome.name(),
                None => "waits",
            };
            format!(
                "<li><a href=\"/interactions/{id}\">{prompt}</a> · {ended} · {at}</li>",
                id = one.id,
                prompt = Text(&lines(&one.prompt)),
                at = moment(one.at),
            )
        })
        .collect();
    format!(
        "<p class=\"hint\">In the last 30 days it would have approved {count} of {of} that this agent asked for.{denied}</p>\
         <details><summary>Which</summary><ul class=\"grant-past\">{rows}</ul></details>",
        count = past.covered,
    )
}
