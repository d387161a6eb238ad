//! Interactions as the rules make them.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, AgentRef, Changeset, Ids, Interaction, Moment, PersonId, Principal, Role, Salt, Sign,
    decide::interaction as decide,
    interaction::{Draft, Kind},
    sign::{PublicKey, Signature},
};
use serde_json::{Value, json};
use uuid::Uuid;

/// Where the dashboard of the tests is.
pub(super) const URL: &str = "https://handraise.example";

#[derive(Default)]
struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u64_pair(0, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn salt(&self) -> Salt {
        Uuid::from_u64_pair(9, self.0.load(Ordering::Relaxed)).into_bytes()
    }
}

struct Stamp;

impl Sign for Stamp {
    fn public_key(&self) -> PublicKey {
        [7; 32]
    }

    fn sign(&self, _message: &[u8]) -> Signature {
        [7; 64]
    }
}

fn at<T>(seconds: i64, decide: impl FnOnce(Moment<'_>) -> T) -> T {
    let start: DateTime<Utc> = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    decide(Moment {
        at: start + TimeDelta::seconds(seconds),
        ids: &Counter::default(),
        signer: Some(&Stamp),
    })
}

fn written(changeset: &Changeset) -> Interaction {
    changeset.interaction().unwrap().clone()
}

fn agent(name: &str) -> AgentRef {
    AgentRef {
        id: AgentId(Uuid::from_u128(7)),
        name: name.to_owned(),
    }
}

fn person(name: &str) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: name.to_owned(),
        role: Role::Responder,
        proven_at: DateTime::UNIX_EPOCH,
        teams: Default::default(),
    }
}

/// A body of each kind, as an agent would send it.
pub(super) fn body(kind: Kind) -> Value {
    let mut body = match kind {
        Kind::Question => json!({
            "title": "Latency budget",
            "prompt": "What latency target should I optimise for?\nThe service answers in 240 ms at p99 today.",
            "task": {"id": "T-456", "title": "Guardrails within budget", "step": "choosing a target"},
        }),
        Kind::Choice => json!({
            "prompt": "Found 2 approaches. Which should I pursue?",
            "options": ["Redis TTL", {"value": "lru", "label": "LRU in process"}],
        }),
        Kind::Acknowledgement => {
            json!({"prompt": "The nightly import is 40 minutes late. I go on."})
        }
        Kind::Approval => json!({
            "prompt": "May I drop the legacy tables?",
            "action": {"tool": "psql", "arguments": {"file": "migrations/0042_drop_legacy.sql", "host": "production"}},
        }),
        Kind::PlanReview => json!({
            "prompt": "This is how I would do it.",
            "plan": "1. Write the test\n2. Move the lookup into the gateway\n3. Deploy to staging",
        }),
        Kind::Form => json!({"prompt": "Three things before I set it up.", "questions": [
            {"id": "port", "prompt": "Which port?"},
            {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
            {"id": "teams", "prompt": "Who is told?", "options": ["backend", "web", "data"], "multiple": true},
        ]}),
        Kind::Notification => json!({"prompt": "Deployed 4.2 to staging.", "level": "success"}),
    };
    body["kind"] = kind.name().into();
    body["session_id"] = "p11-guardrails".into();
    body
}

/// An answer to [`body`] that closes it.
pub(super) fn answer_to(kind: Kind) -> Value {
    match kind {
        Kind::Question => json!({"text": "120 ms.\nTen seconds stale is fine."}),
        Kind::Choice => json!({"selected": ["lru"]}),
        Kind::Acknowledgement | Kind::Notification => json!({}),
        Kind::Approval => json!({"approved": true}),
        Kind::PlanReview => json!({"decision": "proceed_clean"}),
        Kind::Form => {
            json!({"answers": {"port": "8080", "env": "staging", "teams": ["backend", "web"]}})
        }
    }
}

/// `fields` over the body of the kind.
pub(super) fn with(kind: Kind, fields: Value) -> Value {
    let mut body = body(kind);
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

pub(super) fn open(body: Value) -> Interaction {
    open_as("backend", body)
}

pub(super) fn open_as(name: &str, body: Value) -> Interaction {
    let draft: Draft = serde_json::from_value(body.clone()).unwrap();
    let request = draft.check(|_| Some(TimeDelta::hours(1)));
    let request = request.unwrap_or_else(|faults| panic!("{faults:?}: {body}"));
    at(0, |now| {
        written(&decide::open(
            request,
            agent(name),
            None,
            None,
            None,
            None,
            now,
        ))
    })
}

pub(super) fn answered(interaction: &Interaction, answer: Value) -> Interaction {
    answered_by("Ana", interaction, answer)
}

pub(super) fn answered_by(name: &str, interaction: &Interaction, answer: Value) -> Interaction {
    let draft = serde_json::from_value(answer).unwrap();
    at(90, |now| {
        written(&decide::answer(interaction, draft, &person(name), None, now).unwrap())
    })
}

pub(super) fn expired(interaction: &Interaction) -> Interaction {
    at(3_600, |now| {
        written(&decide::expire(interaction, None, now).unwrap())
    })
}

pub(super) fn cancelled(interaction: &Interaction, reason: Option<&str>) -> Interaction {
    let by = Principal::Agent(interaction.agent.clone());
    let reason = reason.map(str::to_owned);
    at(120, |now| {
        written(&decide::cancel(interaction, &by, reason, None, now).unwrap())
    })
}

pub(super) fn collected(interaction: &Interaction) -> Interaction {
    let agent = &interaction.agent;
    at(3_700, |now| {
        written(&decide::collect(interaction, agent, now).unwrap())
    })
}

pub(super) fn called_back(interaction: &Interaction) -> Interaction {
    at(3_700, |now| {
        written(&decide::called_back(interaction, now).unwrap())
    })
}

pub(super) fn offline(interaction: &Interaction) -> Interaction {
    at(3_700, |now| {
        written(&decide::agent_offline(interaction, now).unwrap())
    })
}

pub(super) fn followed_up(interaction: &Interaction, text: &str) -> Interaction {
    let said = text.to_owned();
    at(3_800, |now| {
        written(&decide::follow_up(interaction, said, &person("Ben"), now).unwrap())
    })
}

/// The hostile texts that every surface is tested with.
pub(super) fn hostile_texts() -> Vec<String> {
    let corpus: Value = serde_json::from_str(include_str!(
        "../../../../../dev/fixtures/hostile_text.json"
    ))
    .unwrap();
    let texts = corpus["texts"].as_array().unwrap().iter();
    let texts: Vec<String> = texts.map(|one| whole(&one["text"])).collect();
    assert!(texts.len() > 20);
    texts
}

/// A text of the corpus is a string, or parts of which some are repeated.
fn whole(text: &Value) -> String {
    match text {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(whole).collect(),
        part => {
            let times = usize::try_from(part["times"].as_u64().unwrap()).unwrap();
            part["of"].as_str().unwrap().repeat(times)
        }
    }
}
