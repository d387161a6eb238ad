//! Parts that the tests of the rules share: a clock, ids, an agent, people, and one request of every
//! kind.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    AgentId, AgentRef, Changeset, Event, Ids, Interaction, Moment, Parts, Person, PersonId,
    Principal, Role, Write,
    decide::interaction as decide,
    ids::Salt,
    interaction::{AnswerDraft, Draft, Kind, Request},
    sign::{PublicKey, Sign, Signature, Verify},
    task::{Task, Work},
};

#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u64_pair(0, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn salt(&self) -> Salt {
        Uuid::from_u64_pair(9, self.0.load(Ordering::Relaxed)).into_bytes()
    }
}

pub(crate) fn epoch() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_700_000_000_000).unwrap()
}

pub(crate) fn at(ids: &Counter, seconds: i64) -> Moment<'_> {
    Moment {
        at: epoch() + TimeDelta::seconds(seconds),
        ids,
        signer: Some(&Stamp),
    }
}

/// Signs with a hash: enough to see which bytes were signed.
pub(crate) struct Stamp;

impl Stamp {
    pub(crate) fn over(message: &[u8]) -> Signature {
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&Sha256::digest(message));
        signature
    }
}

impl Sign for Stamp {
    fn public_key(&self) -> PublicKey {
        [7; 32]
    }

    fn sign(&self, message: &[u8]) -> Signature {
        Self::over(message)
    }
}

impl Verify for Stamp {
    fn holds(&self, key: &PublicKey, message: &[u8], signature: &Signature) -> bool {
        *key == self.public_key() && *signature == Self::over(message)
    }
}

pub(crate) fn agent() -> AgentRef {
    AgentRef {
        id: AgentId(Uuid::from_u128(7)),
        name: "backend".into(),
    }
}

pub(crate) fn person(role: Role) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

/// Somebody as the store keeps them.
pub(crate) fn human(id: u128, name: &str, role: Role) -> Person {
    Person {
        id: PersonId(Uuid::from_u128(id)),
        version: 1,
        name: name.to_owned(),
        role,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

/// A body of each kind that is refused nothing.
pub(crate) fn body(kind: Kind) -> Value {
    let mut body = match kind {
        Kind::Question | Kind::Acknowledgement | Kind::Notification => json!({}),
        Kind::Choice => json!({"options": ["redis", {"value": "lru", "label": "LRU in process"}]}),
        Kind::Approval => {
            json!({"action": {"tool": "shell", "arguments": {"command": "make deploy"}}})
        }
        Kind::PlanReview => json!({"plan": "1. Test\n2. Deploy"}),
        Kind::Form => json!({"questions": [
            {"id": "port", "prompt": "Which port?"},
            {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
        ]}),
    };
    body["kind"] = kind.name().into();
    body["prompt"] = "Which port?".into();
    body
}

/// An answer to [`body`] that closes it.
pub(crate) fn answer_to(kind: Kind) -> Value {
    match kind {
        Kind::Question => json!({"text": "80"}),
        Kind::Choice => json!({"selected": ["lru"]}),
        Kind::Acknowledgement | Kind::Notification => json!({}),
        Kind::Approval => json!({"approved": true}),
        Kind::PlanReview => json!({"decision": "proceed"}),
        Kind::Form => json!({"answers": {"port": "80", "env": "staging"}}),
    }
}

pub(crate) fn draft(body: Value) -> Draft {
    serde_json::from_value(body).unwrap()
}

pub(crate) fn given(answer: Value) -> AnswerDraft {
    serde_json::from_value(answer).unwrap()
}

pub(crate) fn request(body: Value) -> Request {
    draft(body).check(|_| Some(TimeDelta::hours(24))).unwrap()
}

/// `fields` over the body of the kind.
pub(crate) fn with(kind: Kind, fields: Value) -> Value {
    let mut body = body(kind);
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

pub(crate) fn opened(body: Value, work: Option<&Work>, ids: &Counter) -> Changeset {
    let task = work.map(|work| &work.task);
    decide::open(request(body), agent(), None, None, task, None, at(ids, 0))
}

/// As [`opened`], with a card in a channel.
pub(crate) fn shown_in(channel: Option<String>, body: Value, ids: &Counter) -> Changeset {
    decide::open(
        request(body),
        agent(),
        None,
        None,
        None,
        channel,
        at(ids, 0),
    )
}

/// The interaction the changeset is about.
pub(crate) fn written(changeset: &Changeset) -> Interaction {
    changeset.interaction().unwrap().clone()
}

/// The events of a changeset, as if they were committed.
pub(crate) fn journalled(changeset: Changeset) -> Vec<Event> {
    let numbered = changeset.events.into_iter().zip(1..);
    let journalled = numbered.map(|(event, seq)| Event {
        seq,
        id: event.id,
        at: event.at,
        actor: event.actor,
        agent_id: event.agent_id,
        interaction_id: event.interaction_id,
        task_id: event.task_id,
        payload: event.payload,
        is_erased: false,
    });
    journalled.collect()
}

/// The task the changeset changes.
pub(crate) fn task_of(changeset: &Changeset) -> Option<&Task> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Task(task) => Some(task),
        Write::Open(_)
        | Write::Advance(_)
        | Write::Erase(_)
        | Write::Access(_)
        | Write::Endpoint(_)
        | Write::Reach(_)
        | Write::Tell { .. }
        | Write::Arrived { .. }
        | Write::Ladder(_)
        | Write::Counted(_)
        | Write::Grant(_)
        | Write::Attach(_)
        | Write::Memory(_)
        | Write::Policy(_)
        | Write::Retry { .. }
        | Write::Heard { .. } => None,
    })
}
