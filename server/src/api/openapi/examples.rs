//! Examples: what is asked and answered of every kind. What the server says to them is made by its own rules.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, AgentRef, Ids, Interaction, Moment, Principal, Salt, TokenId,
    decide::interaction as decide, interaction::Kind,
};
use serde_json::{Value, json};
use signing::SigningKey;
use utoipa::openapi::{
    RefOr,
    content::Content,
    example::{Example, ExampleBuilder},
    path::Operation,
};
use uuid::Uuid;

use crate::resource::InteractionBody;

const PUBLIC_URL: &str = "http://127.0.0.1:3000";

/// What an agent sends to ask.
pub(crate) fn asking(kind: Kind) -> Value {
    match kind {
        Kind::Question => json!({
            "kind": "question",
            "mode": "sync",
            "prompt": "What latency target should I optimise for?",
            "session_id": "p11",
            "timeout_seconds": 3600,
            "fallback": "200 ms",
        }),
        Kind::Choice => json!({
            "kind": "choice",
            "title": "Cache layer",
            "prompt": "Found 2 approaches. Which should I pursue?",
            "options": [
                "Redis TTL",
                {"value": "lru", "label": "LRU in process", "description": "no new service"},
            ],
            "task": {"id": "T-456", "title": "Add caching", "step": "choosing"},
            "priority": "urgent",
        }),
        Kind::Acknowledgement => json!({
            "kind": "acknowledgement",
            "prompt": "The staging database will be empty for an hour.",
        }),
        Kind::Approval => json!({
            "kind": "approval",
            "prompt": "All tests pass. Shall I deploy?",
            "action": {"tool": "shell", "arguments": {"command": "make deploy"}},
            "timeout_seconds": 300,
        }),
        Kind::PlanReview => json!({
            "kind": "plan_review",
            "prompt": "This is how I would do it.",
            "plan": "1. Measure\n2. Cache\n3. Measure again",
        }),
        Kind::Form => json!({
            "kind": "form",
            "prompt": "Two things before I begin.",
            "questions": [
                {"id": "port", "prompt": "Which port?"},
                {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
            ],
        }),
        Kind::Notification => json!({
            "kind": "notification",
            "level": "success",
            "prompt": "The migration is through.",
            "metadata": {"pr": 12},
        }),
    }
}

/// What closes it; `None` for what nobody answers.
pub(crate) fn answering(kind: Kind) -> Option<Value> {
    Some(match kind {
        Kind::Question => json!({"text": "150 ms at p99.\nMeasure at the load balancer."}),
        Kind::Choice => json!({"selected": ["lru"]}),
        Kind::Acknowledgement => json!({}),
        Kind::Approval => json!({"approved": true, "text": "After 18:00, please."}),
        Kind::PlanReview => {
            json!({
                "decision": "adjust",
                "feedback": "Measure on production data.",
                "comments": [{"line": 2, "text": "In the process, not in Redis."}],
            })
        }
        Kind::Form => json!({"answers": {"port": "8080", "env": "staging"}}),
        Kind::Notification => return None,
    })
}

/// Adds them to the calls that they belong to.
pub(super) fn add(operation: &mut Operation) {
    let answered = |kind| shown(&closed(kind)?);
    match operation.operation_id.as_deref() {
        Some("ask") => {
            to_request(operation, |kind| Some(asking(kind)));
            to_response(operation, "201", |kind| shown(&opened(kind)?));
        }
        Some("answer") => {
            to_request(operation, answering);
            to_response(operation, "200", answered);
        }
        Some("get_interaction") => to_response(operation, "200", answered),
        Some("get_receipt") => to_response(operation, "200", |kind| {
            serde_json::to_value(closed(kind)?.receipt()?).ok()
        }),
        _ => {}
    }
}

fn to_request(operation: &mut Operation, value: impl Fn(Kind) -> Option<Value>) {
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        for content in body.content.values_mut() {
            put(content, &value);
        }
    }
}

fn to_response(operation: &mut Operation, status: &str, value: impl Fn(Kind) -> Option<Value>) {
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) {
        for content in response.content.values_mut() {
            put(content, &value);
        }
    }
}

fn put(content: &mut RefOr<Content>, value: impl Fn(Kind) -> Option<Value>) {
    let RefOr::T(content) = content else {
        return;
    };
    for kind in Kind::ALL {
        if let Some(value) = value(kind) {
            let example: Example = ExampleBuilder::new().value(Some(value)).build();
            content
                .examples
                .insert(kind.name().to_owned(), RefOr::T(example));
        }
    }
}

fn shown(interaction: &Interaction) -> Option<Value> {
    serde_json::to_value(InteractionBody::new(interaction.clone(), PUBLIC_URL)).ok()
}

/// Asked by an agent at the beginning of 2027.
fn opened(kind: Kind) -> Option<Interaction> {
    let draft: domain::interaction::Draft = serde_json::from_value(asking(kind)).ok()?;
    let request = draft.check(|_| Some(TimeDelta::hours(24))).ok()?;
    let agent = AgentRef {
        id: AgentId(Uuid::from_u128(0x019b_76da_a800_7000_8000_0000_0000_0001)),
        name: "backend".to_owned(),
    };
    let changeset = decide::open(
        request,
        agent,
        None,
        None,
        None,
        None,
        moment(&Always, None, 0)?,
    );
    changeset.interaction().cloned()
}

/// Answered by a script 41 seconds later.
fn closed(kind: Kind) -> Option<Interaction> {
    let opened = opened(kind)?;
    let Some(answer) = answering(kind) else {
        return Some(opened);
    };
    let by = Principal::Script {
        id: TokenId(Uuid::from_u128(0x019b_76da_a800_7000_8000_0000_0000_0002)),
        name: "Ana".to_owned(),
        teams: Default::default(),
    };
    let key = SigningKey::from_seed([7; 32]);
    let now = moment(&Always, Some(&key), 41)?;
    let draft = serde_json::from_value(answer).ok()?;
    let changeset = decide::answer(&opened, draft, &by, None, now).ok()?;
    changeset.interaction().cloned()
}

fn moment<'a>(ids: &'a Always, key: Option<&'a SigningKey>, seconds: i64) -> Option<Moment<'a>> {
    let begin: DateTime<Utc> = DateTime::from_timestamp(1_800_000_000, 0)?;
    Some(Moment {
        at: begin + TimeDelta::seconds(seconds),
        ids,
        signer: key.map(|key| key as &dyn domain::Sign),
    })
}

/// The same id for everything: examples are one by one.
struct Always;

impl Ids for Always {
    fn next(&self) -> Uuid {
        Uuid::from_u128(0x01a3_1b8a_5c00_7000_8000_0000_0000_0003)
    }

    fn salt(&self) -> Salt {
        Salt::default()
    }
}
