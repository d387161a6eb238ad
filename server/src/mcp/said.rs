//! The result of a tool: a text that a model can act on, and the same as data.

use domain::{
    Interaction, InteractionId, Via,
    interaction::{AnswerContent, Brief, Kind, Outcome, State},
};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::{
    problem::Problem,
    resource::{InteractionBody, dashboard_url},
};

/// The fields of an interaction that a model is told: the API's names and values.
const OF_ONE: [&str; 18] = [
    "id",
    "kind",
    "state",
    "outcome",
    "approved",
    "amended",
    "progress",
    "answer",
    "fallback_used",
    "follow_ups",
    "to",
    "claim",
    "created_at",
    "expires_at",
    "closed_at",
    "collected_at",
    "erased",
    "dashboard_url",
];
/// How much of a prompt stands in a list, in characters.
const PROMPT_CHARS: usize = 200;

/// A question, answered or not.
pub(super) fn question(interaction: Interaction, public_url: &str) -> CallToolResult {
    let waits = interaction.state.is_pending();
    let text = text(&interaction);
    let mut data = part(interaction, public_url, &OF_ONE);
    let next = waits.then(|| text.clone());
    data.insert("next".to_owned(), json!(next));
    result(text, Value::Object(data))
}

/// A notification.
pub(super) fn told(interaction: Interaction, public_url: &str) -> CallToolResult {
    let data = part(interaction, public_url, &["id", "dashboard_url"]);
    let text = "People were told. Nobody answers a notification: go on.".to_owned();
    result(text, Value::Object(data))
}

/// Questions, newest first.
pub(super) fn list(
    found: &[Brief],
    next: Option<InteractionId>,
    public_url: &str,
) -> CallToolResult {
    let count = found.len();
    let waiting = found.iter().filter(|one| one.ending.is_none()).count();
    let items: Vec<_> = found.iter().map(|one| line(one, public_url)).collect();
    let text = format!(
        "{count} found, {waiting} of them waiting for a person. Call wait_for_answer with an id for its answer."
    );
    result(text, json!({ "items": items, "next_cursor": next }))
}

/// The fields of a question in a list, by the API's names.
fn line(one: &Brief, public_url: &str) -> Value {
    let prompt = match one.prompt.char_indices().nth(PROMPT_CHARS) {
        Some((end, _)) => format!("{}…", &one.prompt[..end]),
        None => one.prompt.clone(),
    };
    json!({
        "id": one.id,
        "kind": one.kind,
        "state": one.state(),
        "outcome": one.ending.as_ref().map(|ending| ending.outcome),
        "title": one.title,
        "prompt": prompt,
        "session_id": one.session_id,
        "created_at": one.created_at,
        "expires_at": one.expires_at,
        "collected_at": one.collected_at,
        "dashboard_url": dashboard_url(public_url, one.id),
    })
}

/// A rule said no, or the server failed. It is the model's to put right, so it is no error of the protocol.
pub(super) fn refused(problem: &Problem) -> CallToolResult {
    let mut text = format!("{}: {}", problem.code(), problem.detail());
    for fault in problem.errors() {
        text += &format!("\n- {}: {}", fault.path, fault.message);
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn result(text: String, data: Value) -> CallToolResult {
    // Clients that show a model only texts show both.
    let mut result = CallToolResult::structured(data);
    result.content.insert(0, ContentBlock::text(text));
    result
}

fn part(interaction: Interaction, public_url: &str, names: &[&str]) -> Map<String, Value> {
    let body = serde_json::to_value(InteractionBody::new(interaction, public_url));
    let Ok(Value::Object(mut body)) = body else {
        return Map::new();
    };
    body.retain(|name, _| names.contains(&name.as_str()));
    body
}

fn text(interaction: &Interaction) -> String {
    let id = interaction.id;
    if let Some(erased) = &interaction.erased {
        let by = erased.by_whom();
        return format!(
            "All that was written in it was erased by {by}: there is no answer any more.{}",
            no(interaction)
        );
    }
    match &interaction.state {
        State::Pending { .. } => format!(
            "Nobody has answered yet. Nothing is lost: the question waits under the id {id}. Go on with work that \
             does not depend on the answer, or end your turn now and say that you wait for a person. Later call \
             wait_for_answer with this id. Do not ask the same again."
        ),
        State::Cancelled { reason, .. } => {
            let why = reason.as_ref().map(|reason| format!(" Reason: {reason}"));
            let why = why.unwrap_or_default();
            format!(
                "The question was cancelled: there will be no answer.{why}{}",
                no(interaction)
            )
        }
        State::Expired { fallback: None, .. } => {
            let no = no(interaction);
            format!("Nobody answered in time: there will be no answer.{no}")
        }
        State::Expired { .. } => {
            let answer = interaction.resume_prompt().unwrap_or_default();
            format!("Nobody answered in time, so this is the fallback you named.\n{answer}")
        }
        State::Resolved { answer } => match &answer.content {
            AnswerContent::Approval { text, amended, .. } => {
                let who = &answer.responder.name;
                let said = text.as_ref().filter(|text| !text.is_empty());
                let by_rule = answer.responder.via == Via::Policy;
                let begins = if by_rule { "Its reason" } else { "They said" };
                let said = said.map_or_else(String::new, |text| format!(" {begins}: {text}"));
                if let (Some(true), Some(amended)) = (interaction.approved(), amended) {
                    format!(
                        "approved: true. {who} approved it with other arguments, and nothing else. Run it with exactly \
                         these arguments: {}{said}",
                        amended.arguments.0
                    )
                } else if interaction.approved() == Some(true) {
                    match interaction.receipt().map(|it| &it.decision) {
                        Some(decision) if decision.asked_nobody() => format!(
                            "approved: true. {}: exactly this action and nothing else.{said}",
                            decision.approved_in_words()
                        ),
                        _ => format!(
                            "approved: true. {who} approved exactly this action and nothing else.{said}"
                        ),
                    }
                } else if by_rule {
                    format!(
                        "approved: false. The policy `{who}` denied it: do not run the action.{said}"
                    )
                } else {
                    format!("approved: false. {who} denied it: do not run the action.{said}")
                }
            }
            _ => {
                let answer = interaction.resume_prompt().unwrap_or_default();
                match interaction.remembered() {
                    // A model has to know that nobody looked at this one.
                    Some(earlier) => format!(
                        "Nobody was asked: {who} answered the same question at {at} and lets the answer stand. To have a \
                         person look at this one, ask with `to`.\n{answer}",
                        who = answer_by(interaction),
                        at = earlier.answered_at.format("%Y-%m-%d %H:%M UTC"),
                    ),
                    None => answer,
                }
            }
        },
        State::Void { .. } => format!(
            "What is stored of the decision is not proven by its receipt. Nothing was decided: stop, and tell a \
             person.{}",
            no(interaction)
        ),
        State::Delivered { .. } => "A notification: nobody answers it.".to_owned(),
    }
}

fn answer_by(interaction: &Interaction) -> &str {
    interaction.state.closed_by().unwrap_or("a person")
}

/// The words on an approval that was not given.
fn no(interaction: &Interaction) -> &'static str {
    if interaction.request.kind() == Kind::Approval
        && interaction.state.outcome() != Some(Outcome::Approved)
    {
        " approved: false. Do not run the action."
    } else {
        ""
    }
}
