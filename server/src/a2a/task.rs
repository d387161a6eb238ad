//! An interaction as a task of A2A.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    Interaction,
    interaction::{Kind, Outcome, State},
};
use serde_json::{Map, Value, json};

use crate::resource::{InteractionBody, dashboard_url};

/// The fields of an interaction that are told, by the API's names.
const TOLD: [&str; 18] = [
    "id",
    "kind",
    "state",
    "outcome",
    "approved",
    "action_digest",
    "amended",
    "progress",
    "answer",
    "fallback_used",
    "follow_ups",
    "cancel_reason",
    "created_at",
    "expires_at",
    "closed_at",
    "collected_at",
    "erased",
    "dashboard_url",
];

/// The task.
pub(super) fn of(interaction: Interaction, public_url: &str) -> Value {
    let mut task = json!({
        "id": interaction.id,
        "contextId": context(&interaction),
        "status": status(&interaction, public_url),
    });
    if !interaction.state.is_pending() {
        task["artifacts"] = json!([artifact(interaction, public_url)]);
    }
    task
}

/// What it belongs to: the context that its message named, or itself.
pub(super) fn context(interaction: &Interaction) -> String {
    let session = interaction.request.session_id.clone();
    session.unwrap_or_else(|| interaction.id.to_string())
}

/// How it stands.
pub(super) fn status(interaction: &Interaction, public_url: &str) -> Value {
    let at = interaction.state.closed_at();
    json!({
        "state": state(interaction),
        "timestamp": time(at.unwrap_or(interaction.created_at)),
        "message": {
            "messageId": format!("{}-{}", interaction.id, interaction.version),
            "role": "ROLE_AGENT",
            "parts": [{ "text": text(interaction, public_url) }],
        },
    })
}

/// What came of it: a text for a model, and the same as data.
pub(super) fn artifact(interaction: Interaction, public_url: &str) -> Value {
    let text = text(&interaction, public_url);
    let receipt = interaction.receipt().cloned();
    let body = serde_json::to_value(InteractionBody::new(interaction, public_url));
    let mut told = match body {
        Ok(Value::Object(body)) => body,
        _ => Map::new(),
    };
    told.retain(|name, _| TOLD.contains(&name.as_str()));
    told.insert("receipt".to_owned(), json!(receipt));
    json!({
        "artifactId": "answer",
        "name": "answer",
        "parts": [{ "text": text }, { "data": told, "mediaType": "application/json" }],
    })
}

/// A caller that only looks at the state goes on with what is completed. So a decision that is no yes is rejected.
fn state(interaction: &Interaction) -> &'static str {
    let is_decided = matches!(
        interaction.request.kind(),
        Kind::Approval | Kind::PlanReview
    );
    match &interaction.state {
        State::Pending { .. } => "TASK_STATE_INPUT_REQUIRED",
        State::Cancelled { .. } => "TASK_STATE_CANCELED",
        State::Expired { fallback: None, .. } | State::Void { .. } => "TASK_STATE_FAILED",
        State::Resolved { .. } if is_decided && !is_yes(interaction) => "TASK_STATE_REJECTED",
        State::Expired { .. } if is_decided => "TASK_STATE_FAILED",
        State::Expired { .. } | State::Resolved { .. } | State::Delivered { .. } => {
            "TASK_STATE_COMPLETED"
        }
    }
}

/// Whether it was decided that the agent may go on, and a receipt says so.
fn is_yes(interaction: &Interaction) -> bool {
    let may = interaction.approved().unwrap_or_else(|| {
        interaction.erased.is_none()
            && interaction
                .state
                .outcome()
                .is_some_and(|outcome| outcome != Outcome::Adjust)
    });
    may && interaction.receipt().is_some()
}

fn text(interaction: &Interaction, public_url: &str) -> String {
    if interaction.erased.is_some() {
        return "All that was written in it was erased: there is no answer any more.".to_owned();
    }
    match &interaction.state {
        State::Pending { .. } => {
            let until = interaction
                .expires_at
                .map(|at| format!(" until {}", time(at)));
            format!(
                "People were asked, and have time{}. They answer at {}; no message to this task does. Follow it with \
                 SubscribeToTask, or look with GetTask.",
                until.unwrap_or_else(|| " without an end".to_owned()),
                dashboard_url(public_url, interaction.id),
            )
        }
        State::Cancelled { reason, .. } => match reason {
            Some(reason) => format!("It was taken back: {reason}"),
            None => "It was taken back.".to_owned(),
        },
        State::Expired { fallback: None, .. } => {
            "It was not answered in time: there will be no answer.".to_owned()
        }
        State::Void { .. } => {
            "The decision that is stored is not proven by its receipt: nothing was decided."
                .to_owned()
        }
        State::Delivered { .. } => "People were told.".to_owned(),
        State::Expired { .. } | State::Resolved { .. } => {
            interaction.resume_prompt().unwrap_or_default()
        }
    }
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
