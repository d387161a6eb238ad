//! `/.well-known/agent-card.json`: what other agents are told of this one. Open to all, like the address itself.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::digest;
use serde_json::{Value, json};

use super::VERSION;
use crate::state::AppState;

/// It changes with the program and its settings.
const CACHED: &str = "public, max-age=300";

/// The card.
pub(crate) async fn get(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let card = card(&state.config.public_url());
    let tag = format!("\"{}\"", digest::sha256(card.to_string().as_bytes()));
    let has_it = headers
        .get(header::IF_NONE_MATCH)
        .map(HeaderValue::as_bytes)
        == Some(tag.as_bytes());
    let cached = [
        (header::CACHE_CONTROL, CACHED.to_owned()),
        (header::ETAG, tag),
    ];
    match has_it {
        true => (StatusCode::NOT_MODIFIED, cached).into_response(),
        false => (cached, Json(card)).into_response(),
    }
}

fn card(public_url: &str) -> Value {
    let address = public_url.trim_end_matches('/');
    let modes = json!(["text/plain", "application/json"]);
    json!({
        "name": "Handraise",
        "description": "Asks people, and gives their answer once. People may take minutes or days: a task waits as long.",
        "version": env!("CARGO_PKG_VERSION"),
        "documentationUrl": format!("{address}/docs/a2a"),
        "supportedInterfaces": [{
            "url": format!("{address}/a2a"),
            "protocolBinding": "JSONRPC",
            "protocolVersion": VERSION,
        }],
        "capabilities": { "streaming": true, "pushNotifications": false, "extendedAgentCard": false },
        "securitySchemes": { "agent": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } },
        "securityRequirements": [{ "schemes": { "agent": { "list": [] } } }],
        "defaultInputModes": modes,
        "defaultOutputModes": modes,
        "skills": [
            skill("question", "Ask a question", "A text; people answer with a text.", "Which port does staging listen on?"),
            skill(
                "choice",
                "Have one option chosen",
                "A text, and data with kind `choice` and `options`.",
                r#"Which database? {"kind": "choice", "options": [{"value": "a", "label": "Postgres"}, {"value": "b", "label": "SQLite"}]}"#,
            ),
            skill(
                "approval",
                "Have one exact action approved",
                "A text, and data with kind `approval` and `action`. The task completes only if a person approved it in time; \
                 the receipt comes along.",
                r#"May I? {"kind": "approval", "action": {"tool": "deploy", "arguments": {"to": "production"}}}"#,
            ),
            skill(
                "plan_review",
                "Have a plan reviewed",
                "A text, and data with kind `plan_review` and `plan`. A plan that people want changed is rejected, with what \
                 they said.",
                r#"Is this right? {"kind": "plan_review", "plan": "1. Stop the writer\n2. Copy the file"}"#,
            ),
        ],
    })
}

fn skill(id: &str, name: &str, description: &str, example: &str) -> Value {
    json!({
        "id": id,
        "name": name,
        "description": description,
        "tags": ["human-in-the-loop"],
        "examples": [example],
    })
}
