//! The world that every target begins with: a key, a clock that stands still, and a question of each kind.

use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, AgentRef, Changeset, Fault, Ids, Interaction, Moment, Parts, PersonId, Principal,
    Role, Salt,
    decide::interaction as decide,
    interaction::{Draft, Request},
};
use serde_json::{Value, json};
use signing::SigningKey;
use uuid::Uuid;

/// The server's.
pub(crate) static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::from_seed([7; 32]));

#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u64_pair(1, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn salt(&self) -> Salt {
        [9; 16]
    }
}

/// So many seconds after the beginning.
pub(crate) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap() + TimeDelta::seconds(seconds)
}

pub(crate) fn moment(ids: &Counter, seconds: i64) -> Moment<'_> {
    Moment {
        at: at(seconds),
        ids,
        signer: Some(&*KEY),
    }
}

pub(crate) fn agent() -> AgentRef {
    AgentRef {
        id: AgentId(Uuid::from_u128(7)),
        name: "backend".to_owned(),
    }
}

pub(crate) fn ana() -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".to_owned(),
        role: Role::Responder,
        proven_at: at(0),
        teams: Parts::default(),
    }
}

/// The interaction that this request becomes.
pub(crate) fn opened(request: Request, ids: &Counter) -> Interaction {
    let opened = decide::open(request, agent(), None, None, None, None, moment(ids, 0));
    written(&opened)
}

pub(crate) fn written(changeset: &Changeset) -> Interaction {
    changeset.interaction().unwrap().clone()
}

/// The interaction of a body that is right.
pub(crate) fn asked(body: Value, ids: &Counter) -> Interaction {
    let draft: Draft = serde_json::from_value(body).unwrap();
    opened(draft.check(|_| None).unwrap(), ids)
}

/// A question of each kind, and those of which more can be wrong.
pub(crate) static QUESTIONS: LazyLock<Vec<Interaction>> = LazyLock::new(|| {
    let action = json!({"tool": "psql", "arguments": {
        "sql": "DROP TABLE legacy", "host": "production", "limit": 5, "dry": false, "in": {"a": [1, 2.5, null]},
    }});
    let bodies = [
        json!({"kind": "question", "prompt": "Which port?"}),
        json!({"kind": "choice", "prompt": "Which?", "options": ["redis", {"value": "lru", "label": "LRU"}]}),
        json!({"kind": "choice", "prompt": "Which?", "options": ["a", "b", "c"], "multiple": true}),
        json!({"kind": "acknowledgement", "prompt": "It is late."}),
        json!({"kind": "approval", "prompt": "May I?", "action": action}),
        json!({"kind": "approval", "prompt": "May I?", "action": action, "amendable": true}),
        json!({"kind": "approval", "prompt": "May I?", "action": action, "amendable": {"paths": ["/limit", "/in"]}}),
        json!({"kind": "approval", "prompt": "May I?", "action": action, "amendable": {"schema": {
            "type": "object",
            "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 9}, "host": {"type": "string", "enum": ["staging", "production"]}},
        }}}),
        json!({"kind": "plan_review", "prompt": "So?", "plan": "1. Test\n2. Deploy\n\n3. Look"}),
        json!({"kind": "form", "prompt": "Three things.", "questions": [
            {"id": "port", "prompt": "Which port?"},
            {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
            {"id": "teams", "prompt": "Who?", "options": ["web", "data"], "multiple": true},
        ]}),
    ];
    let ids = Counter::default();
    bodies.into_iter().map(|body| asked(body, &ids)).collect()
});

/// One of them by a byte, and the rest of the input.
pub(crate) fn question(bytes: &[u8]) -> Option<(&'static Interaction, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let questions = &*QUESTIONS;
    Some((&questions[usize::from(*first) % questions.len()], rest))
}

/// Whoever is refused learns where the fault is and what it is.
pub(crate) fn have_places(faults: &[Fault]) {
    assert!(!faults.is_empty(), "refused without a fault");
    for fault in faults {
        assert!(!fault.path.is_empty(), "no path: {}", fault.message);
        assert!(!fault.message.is_empty(), "no message at {}", fault.path);
    }
}

/// The input in so many parts, which stand between zeros; those that are missing are empty.
pub(crate) fn parts<const N: usize>(bytes: &[u8]) -> [&[u8]; N] {
    let mut parts = bytes.splitn(N, |byte| *byte == 0);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// The input with one byte of it changed, and never back to what it was.
pub(crate) fn changed(bytes: &[u8], by: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let [at @ .., flip] = by else {
        return changed;
    };
    let at = at.iter().fold(0_usize, |at, byte| {
        at.wrapping_mul(256) + usize::from(*byte)
    });
    if let Some(last) = changed.len().checked_sub(1) {
        changed[at % (last + 1)] ^= (*flip).max(1);
    }
    changed
}

/// Whether a character has a shape of its own, whatever stands beside it: then no text that people see is without it.
pub(crate) fn is_plain(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_graphic(),
        // A mark that is drawn on a letter is written out where there is none.
        false => c.is_alphanumeric() && visible::line(c.encode_utf8(&mut [0; 4])).starts_with(c),
    }
}
