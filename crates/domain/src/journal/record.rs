//! An event as it is stored, column by column.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sha2::{Digest, Sha256};

use super::Hash;
use crate::{
    digest,
    ids::{AgentId, EventId, InteractionId},
};

/// One row of the journal, exactly as stored, hashed, exported and verified. Actor and payload are the
/// stored JSON text, so verification never depends on how a newer program would write them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Place in the journal.
    pub seq: i64,
    /// Event id.
    pub id: EventId,
    /// Unix milliseconds.
    pub at: i64,
    /// Event type.
    #[serde(rename = "type")]
    pub event_type: String,
    /// The agent whose interaction or task it is about.
    pub agent_id: Option<AgentId>,
    /// The interaction, if any.
    pub interaction_id: Option<InteractionId>,
    /// The task, if any.
    pub task_id: Option<String>,
    /// Actor as JSON.
    pub actor: String,
    /// Payload as JSON.
    pub payload: String,
    /// The hash of the event before it.
    #[serde(serialize_with = "write_hash", deserialize_with = "read_hash")]
    pub prev_hash: Hash,
    /// Its own hash.
    #[serde(serialize_with = "write_hash", deserialize_with = "read_hash")]
    pub hash: Hash,
}

/// How the columns are put in a row to be hashed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Format {
    /// Of the first journals: without `agent_id`.
    WithoutAgent = 1,
    /// With every column.
    Whole = 2,
}

impl Record {
    /// `SHA-256(0x00 || prev_hash || entry)`. The entry is a version byte and then every column; those of
    /// variable length carry their length first and optional ones a presence byte, so no two entries
    /// share an encoding.
    pub fn computed_hash(&self) -> Hash {
        self.hash_as(Format::Whole)
    }

    /// Whether the hash is that of the columns, in the present encoding or the first one.
    pub(super) fn is_unchanged(&self) -> bool {
        [Format::Whole, Format::WithoutAgent]
            .into_iter()
            .any(|format| self.hash_as(format) == self.hash)
    }

    fn hash_as(&self, format: Format) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update([0x00]);
        hasher.update(self.prev_hash);
        hasher.update([format as u8]);
        hasher.update(self.seq.to_be_bytes());
        hasher.update(self.id.0.as_bytes());
        hasher.update(self.at.to_be_bytes());
        text(&mut hasher, &self.event_type);
        if format == Format::Whole {
            optional(&mut hasher, self.agent_id, |hasher, id| {
                hasher.update(id.0.as_bytes());
            });
        }
        optional(&mut hasher, self.interaction_id, |hasher, id| {
            hasher.update(id.0.as_bytes());
        });
        optional(&mut hasher, self.task_id.as_deref(), text);
        text(&mut hasher, &self.actor);
        text(&mut hasher, &self.payload);
        hasher.finalize().into()
    }
}

fn text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text);
}

fn optional<T>(hasher: &mut Sha256, value: Option<T>, write: impl FnOnce(&mut Sha256, T)) {
    match value {
        None => hasher.update([0]),
        Some(value) => {
            hasher.update([1]);
            write(hasher, value);
        }
    }
}

fn write_hash<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&digest::hex(hash))
}

fn read_hash<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
    let text = String::deserialize(from)?;
    digest::unhex(&text).ok_or_else(|| D::Error::custom("not a hash of 64 hex digits"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use uuid::Uuid;

    /// Event `seq` after `prev_hash`.
    pub(crate) fn record(seq: i64, prev_hash: Hash) -> Record {
        let mut record = Record {
            seq,
            id: EventId(Uuid::from_u128(seq as u128)),
            at: 1_700_000_000_000 + seq,
            event_type: "interaction.collected".into(),
            agent_id: Some(AgentId(Uuid::from_u128(7))),
            interaction_id: Some(InteractionId(Uuid::from_u128(8))),
            task_id: Some("T-1".into()),
            actor: r#"{"type":"deadline"}"#.into(),
            payload: "{}".into(),
            prev_hash,
            hash: [0; 32],
        };
        record.hash = record.computed_hash();
        record
    }

    #[test]
    fn a_change_of_any_column_shows() {
        let whole = record(1, [3; 32]);
        assert!(whole.is_unchanged());
        type Change = fn(&mut Record);
        let changes: [Change; 14] = [
            |it| it.seq += 1,
            |it| it.id = EventId(Uuid::from_u128(9)),
            |it| it.at += 1,
            |it| it.event_type.push('x'),
            |it| it.agent_id = None,
            |it| it.agent_id = Some(AgentId(Uuid::from_u128(9))),
            |it| it.interaction_id = None,
            |it| it.task_id = None,
            |it| it.task_id = Some(String::new()),
            |it| it.actor.push(' '),
            |it| it.payload.push(' '),
            |it| it.prev_hash[0] ^= 1,
            |it| it.hash[31] ^= 1,
            // A byte that moves from one column to the next.
            |it| it.payload.insert(0, it.actor.pop().unwrap()),
        ];
        for (n, change) in changes.into_iter().enumerate() {
            let mut changed = whole.clone();
            change(&mut changed);
            assert!(!changed.is_unchanged(), "change {n}");
        }
    }

    #[test]
    fn journals_of_the_first_format_still_hold() {
        let mut old = record(1, [0; 32]);
        old.hash = old.hash_as(Format::WithoutAgent);
        assert!(old.is_unchanged());
        old.payload.push(' ');
        assert!(!old.is_unchanged());
    }

    #[test]
    fn an_exported_line_is_read_back_as_it_was() {
        let mut whole = record(1, [255; 32]);
        whole.payload = "{\"text\":\"a\\u0000 \\\"b\\\"\"}".into();
        let line = serde_json::to_string(&whole).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), whole);
    }
}
