//! `/settings/memories/new?from=ID`: after an answer, whether it stands for the same question, for whom and how long.

use axum::{
    Extension, Form,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use domain::{InteractionId, decide, limits, memory::MemoryDraft};
use serde::Deserialize;
use service::{ServiceError, SignedIn};
use visible::lines;

use super::{PLACE, given, whole};
use crate::{
    plain_page::{self, Script, html::Text, lone},
    problem::Problem,
    state::AppState,
};

const TITLE: &str = "Answer the same question by itself";
/// For how many days, where nothing else is said.
const DAYS: &str = "7";

/// What is kept.
#[derive(Deserialize)]
pub(super) struct MadeFrom {
    from: String,
}

/// The form.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Sent {
    from: String,
    days: String,
    /// `one` agent, or `any` of those that ask the team.
    agent: String,
}

/// The page.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(MadeFrom { from }): Query<MadeFrom>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let sent = Sent {
        from,
        days: DAYS.to_owned(),
        ..Sent::default()
    };
    page(&state, &who, &headers, &sent, None).await
}

/// It stands, or the form is shown again with what is wrong.
pub(super) async fn keep(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Form(sent): Form<Sent>,
) -> Result<Response, Problem> {
    let from: InteractionId = sent.from.parse().map_err(|_| Problem::not_found())?;
    let days = sent.days.trim().parse().ok();
    let why = match (days, &*sent.agent) {
        (Some(days), "one" | "any") => {
            let draft = MemoryDraft {
                days: Some(days),
                any_agent: sent.agent == "any",
            };
            match state
                .service
                .keep_answer(from, draft, &who.principal())
                .await
            {
                Ok(_) => {
                    return Ok(Redirect::to(&format!("{PLACE}?done=kept")).into_response());
                }
                Err(ServiceError::Refused(refused)) => match &refused {
                    domain::Refused::Invalid(faults) => {
                        let words = faults.iter().map(|fault| match &*fault.path {
                            "days" => format!("The number of days {}", fault.message),
                            _ => fault.message.clone(),
                        });
                        format!("{}.", words.collect::<Vec<_>>().join("; "))
                    }
                    other => format!("{other}."),
                },
                Err(error) => return Err(error.into()),
            }
        }
        (None, _) => {
            let most = limits::MEMORY_DAYS;
            format!("Say for how many days: a whole number, 1 to {most}.")
        }
        (_, _) => "Choose for whom it stands.".to_owned(),
    };
    let shown = page(&state, &who, &headers, &sent, Some(&why)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
}

async fn page(
    state: &AppState,
    who: &SignedIn,
    headers: &HeaderMap,
    sent: &Sent,
    why: Option<&str>,
) -> Result<Response, Problem> {
    let id: InteractionId = sent.from.parse().map_err(|_| Problem::not_found())?;
    let by = who.principal();
    let answered = state.service.interaction(id, &by).await?;
    let back =
        format!("<p><a class=\"way-up\" href=\"/interactions/{id}\">What was answered</a></p>");
    let question = answered.request.repeatable();
    let (Some(question), Some(answer), true) = (
        question,
        answered.answer(),
        decide::memory::can_be_kept(&answered, &by),
    ) else {
        let body = format!(
            "<p>Only who has answered a question, in words or by an option, can have the answer given again.</p>{back}"
        );
        return Ok(lone(state, headers, TITLE, &body, Script::Nothing));
    };
    let standing = state.service.memories_of(id, &by).await?;
    let stands = match standing.iter().any(|one| one.in_force) {
        true => format!(
            "<p class=\"hint\">It stands already: see <a href=\"{PLACE}\">Answers that stand</a>.</p>"
        ),
        false => String::new(),
    };
    let why = why.map(Text);
    let said = plain_page::said(
        why.as_ref().map(|words| words as &dyn std::fmt::Display),
        None,
    );
    let team = answered.team.as_ref().map_or_else(
        || "everyone".to_owned(),
        |team| format!("<bdi>{}</bdi>", Text(&lines(&team.name))),
    );
    let is_any = sent.agent == "any";
    let checked = |is: bool| if is { " checked" } else { "" };
    let body = format!(
        "{said}{stands}<p>An agent that asks exactly this, to the last letter, gets your answer at once, and nobody is told. It says \
         that you gave it, and when. You can revoke it at any time, and it ends when you may not answer any more.</p>\
         <h2 class=\"section-title\">The question</h2>{question}<h2 class=\"section-title\">Your answer</h2>{answer}\
         <form class=\"fields\" method=\"post\" action=\"/settings/memories/new\">\
         <input type=\"hidden\" name=\"from\" value=\"{id}\">\
         <label for=\"days\">For how many days</label>\
         <input id=\"days\" name=\"days\" type=\"number\" min=\"1\" max=\"{most}\" required value=\"{days}\">\
         <fieldset class=\"ticks\"><legend>For whom</legend>\
         <label class=\"tick\"><input type=\"radio\" name=\"agent\" value=\"one\"{one}> <span><bdi>{agent}</bdi> alone</span></label>\
         <label class=\"tick\"><input type=\"radio\" name=\"agent\" value=\"any\"{any}> <span>Every agent that asks {team}</span></label>\
         </fieldset>\
         <button class=\"button primary\" type=\"submit\">Answer it by itself</button></form>{back}",
        question = whole(&question),
        answer = given(&question, answer),
        most = limits::MEMORY_DAYS,
        days = Text(&sent.days),
        one = checked(!is_any),
        any = checked(is_any),
        agent = Text(&lines(&answered.agent.name)),
    );
    Ok(lone(state, headers, TITLE, &body, Script::Nothing))
}
