//! An event as it is stored, column by column.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::DateTime;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sha2::{Digest, Sha256};

use super::Hash;
use crate::{
    digest::{read_hash, write_hash},
    event::{Event, JournalEvent, NewEvent, Payload, Restored},
    ids::{AgentId, EventId, InteractionId, Salt},
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
    /// Payload as JSON; once its words are erased, without them.
    pub payload: String,
    /// The payload without words, where it has any (rule 19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Is hashed with the payload. Goes with the words.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_salt",
        deserialize_with = "read_salt"
    )]
    pub salt: Option<Salt>,
    /// The salted digest of the payload that was here, once its words are erased.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_digest",
        deserialize_with = "read_digest"
    )]
    pub digest: Option<Hash>,
    /// The event that tells of its erasure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_by: Option<i64>,
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
    /// With every column, but instead of the payload what is kept of it and a salted digest of it.
    Salted = 3,
    /// No hash of an event, but of what is left of one of the formats before, once its words are erased.
    Left = 4,
}

/// How an event stands to its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The hash covers all that is there.
    Whole,
    /// Its words are erased, as the event with this number has to say, which comes later. The hash covers what is left.
    Erased(i64),
    /// As [`Standing::Erased`], but the hash covered the words themselves. It is taken as given, if that event names it
    /// together with this hash of what is left.
    Given(i64, Hash),
    /// Something else was written.
    Changed,
}

impl Record {
    /// The event as it is stored at this place, after the event with this hash.
    ///
    /// # Errors
    /// When something in it has no JSON form, which nothing has that this program makes.
    pub fn of(event: &NewEvent, seq: i64, prev_hash: Hash) -> serde_json::Result<Self> {
        let blank = event.payload.without_words();
        let has_words = blank != event.payload;
        let mut record = Self {
            seq,
            id: event.id,
            at: event.at.timestamp_millis(),
            event_type: event.payload.event_type().to_owned(),
            agent_id: event.agent_id,
            interaction_id: event.interaction_id,
            task_id: event.task_id.clone(),
            actor: serde_json::to_string(&event.actor)?,
            payload: event.payload.stored()?,
            kept: has_words.then(|| blank.stored()).transpose()?,
            salt: has_words.then_some(event.salt),
            digest: None,
            erased_by: None,
            prev_hash,
            hash: prev_hash,
        };
        record.hash = record.computed_hash();
        Ok(record)
    }

    /// The event that it holds.
    ///
    /// # Errors
    /// When it is not as this program or one before it writes it.
    pub fn read(&self) -> serde_json::Result<Event> {
        let at = DateTime::from_timestamp_millis(self.at);
        Ok(Event {
            seq: self.seq,
            id: self.id,
            at: at.ok_or_else(|| serde_json::Error::custom("no such time"))?,
            actor: serde_json::from_str(&self.actor)?,
            agent_id: self.agent_id,
            interaction_id: self.interaction_id,
            task_id: self.task_id.clone(),
            payload: Payload::read(&self.event_type, &self.payload)?,
            is_erased: self.erased_by.is_some(),
        })
    }

    /// Where the journal goes on with this event, if it was put back before.
    pub fn restored(&self) -> Option<Restored> {
        if !self.event_type.starts_with("journal.") {
            return None;
        }
        match Payload::read(&self.event_type, &self.payload) {
            Ok(Payload::Journal(JournalEvent::Restored(restored))) => Some(restored),
            _ => None,
        }
    }

    /// Whether the numbers between this event and that one were left out when the journal was put back.
    pub fn goes_on_after(&self, seq: i64) -> bool {
        self.restored()
            .is_some_and(|it| it.after == seq && it.number == self.seq)
    }

    /// `SHA-256(0x00 || prev_hash || entry)`. The entry is a version byte and then every column; those of
    /// variable length carry their length first and optional ones a presence byte, so no two entries
    /// share an encoding. Where there are words that can be erased (rule 19), the payload stands in it as what is kept
    /// of it and as `SHA-256(0x02 || salt || payload)`.
    pub fn computed_hash(&self) -> Hash {
        match self.salted_digest() {
            Some(digest) => self.hash_as(Format::Salted, &digest),
            None => self.hash_as(Format::Whole, &[]),
        }
    }

    /// The salted digest of the payload, where it has words and they are there.
    pub fn salted_digest(&self) -> Option<Hash> {
        let salt = self.kept.as_ref().and(self.salt.as_ref())?;
        let mut hasher = Sha256::new();
        hasher.update([0x02]);
        hasher.update(salt);
        hasher.update(&self.payload);
        Some(hasher.finalize().into())
    }

    /// How it stands to its hash, in the encoding of whichever program wrote it.
    pub fn standing(&self) -> Standing {
        let is = |format, digest: &[u8]| self.hash_as(format, digest) == self.hash;
        let holds = match (&self.kept, self.erased_by) {
            (None, None) => {
                let is_plain = self.salt.is_none() && self.digest.is_none();
                is_plain && (is(Format::Whole, &[]) || is(Format::WithoutAgent, &[]))
            }
            (Some(_), None) => self
                .salted_digest()
                .filter(|_| self.digest.is_none())
                .is_some_and(|digest| is(Format::Salted, &digest)),
            (Some(kept), Some(by)) => {
                let is_blank = self.salt.is_none() && self.payload == *kept && by > self.seq;
                let digest = self.digest.filter(|_| is_blank);
                if digest.is_some_and(|digest| is(Format::Salted, &digest)) {
                    return Standing::Erased(by);
                }
                false
            }
            (None, Some(by)) => {
                if self.salt.is_none() && self.digest.is_none() && by > self.seq {
                    return Standing::Given(by, self.left());
                }
                false
            }
        };
        match holds {
            true => Standing::Whole,
            false => Standing::Changed,
        }
    }

    /// The hash of it as it is here, its own hash included: for one that is erased and whose own hash covers the words.
    pub fn left(&self) -> Hash {
        self.hash_as(Format::Left, &self.hash)
    }

    fn hash_as(&self, format: Format, more: &[u8]) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update([0x00]);
        hasher.update(self.prev_hash);
        hasher.update([format as u8]);
        hasher.update(self.seq.to_be_bytes());
        hasher.update(self.id.0.as_bytes());
        hasher.update(self.at.to_be_bytes());
        text(&mut hasher, &self.event_type);
        if format != Format::WithoutAgent {
            optional(&mut hasher, self.agent_id, |hasher, id| {
                hasher.update(id.0.as_bytes());
            });
        }
        optional(&mut hasher, self.interaction_id, |hasher, id| {
            hasher.update(id.0.as_bytes());
        });
        optional(&mut hasher, self.task_id.as_deref(), text);
        text(&mut hasher, &self.actor);
        match (&self.kept, format) {
            (Some(kept), Format::Salted) => text(&mut hasher, kept),
            _ => text(&mut hasher, &self.payload),
        }
        hasher.update(more);
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

fn write_digest<S: Serializer>(digest: &Option<Hash>, to: S) -> Result<S::Ok, S::Error> {
    match digest {
        Some(digest) => write_hash(digest, to),
        None => to.serialize_none(),
    }
}

fn read_digest<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Hash>, D::Error> {
    read_hash(from).map(Some)
}

fn write_salt<S: Serializer>(salt: &Option<Salt>, to: S) -> Result<S::Ok, S::Error> {
    match salt {
        Some(salt) => to.serialize_str(&STANDARD.encode(salt)),
        None => to.serialize_none(),
    }
}

fn read_salt<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Salt>, D::Error> {
    let text = String::deserialize(from)?;
    let bytes = STANDARD.decode(text).ok();
    let salt = bytes.and_then(|bytes| Salt::try_from(bytes).ok());
    salt.map(Some)
        .ok_or_else(|| D::Error::custom("not a salt of 16 bytes in base64"))
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
            kept: None,
            salt: None,
            digest: None,
            erased_by: None,
            prev_hash,
            hash: [0; 32],
        };
        record.hash = record.computed_hash();
        record
    }

    #[test]
    fn a_change_of_any_column_shows() {
        let whole = record(1, [3; 32]);
        assert!(whole.standing() == Standing::Whole);
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
            assert!(changed.standing() == Standing::Changed, "change {n}");
        }
    }

    #[test]
    fn journals_of_the_first_format_still_hold() {
        let mut old = record(1, [0; 32]);
        old.hash = old.hash_as(Format::WithoutAgent, &[]);
        assert_eq!(old.standing(), Standing::Whole);
        old.payload.push(' ');
        assert_eq!(old.standing(), Standing::Changed);
    }

    #[test]
    fn an_exported_line_is_read_back_as_it_was() {
        let mut whole = record(1, [255; 32]);
        whole.payload = "{\"text\":\"a\\u0000 \\\"b\\\"\"}".into();
        let line = serde_json::to_string(&whole).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), whole);
    }

    /// One with words that can be erased.
    fn salted() -> Record {
        let mut salted = record(1, [3; 32]);
        salted.payload = r#"{"text":"a"}"#.into();
        salted.kept = Some(r#"{"text":""}"#.into());
        salted.salt = Some([9; 16]);
        salted.hash = salted.computed_hash();
        salted
    }

    #[test]
    fn where_there_are_words_a_change_of_any_of_the_columns_shows_too() {
        let whole = salted();
        assert_eq!(whole.standing(), Standing::Whole);
        type Change = fn(&mut Record);
        let changes: [Change; 8] = [
            |it| it.payload.push(' '),
            |it| it.payload.clone_from(it.kept.as_ref().unwrap()),
            |it| it.kept = None,
            |it| it.kept = Some("{}".into()),
            |it| it.salt = None,
            |it| it.salt = Some([8; 16]),
            |it| it.digest = it.salted_digest(),
            |it| it.erased_by = Some(2),
        ];
        for (n, change) in changes.into_iter().enumerate() {
            let mut changed = whole.clone();
            change(&mut changed);
            assert_eq!(changed.standing(), Standing::Changed, "change {n}");
        }
        let line = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), whole);
    }

    #[test]
    fn the_hash_says_nothing_of_the_words_once_the_salt_is_gone() {
        let (one, mut other) = (salted(), salted());
        other.salt = Some([10; 16]);
        // The same words: nobody can try out which they were.
        assert_ne!(one.hash, other.computed_hash());
    }

    #[test]
    fn an_erased_one_keeps_its_hash_and_nothing_of_it_can_be_changed() {
        let mut erased = salted();
        erased.digest = erased.salted_digest();
        erased.salt = None;
        erased.payload = erased.kept.clone().unwrap();
        erased.erased_by = Some(5);
        assert_eq!(erased.standing(), Standing::Erased(5));
        let line = serde_json::to_string(&erased).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), erased);
        type Change = fn(&mut Record);
        let changes: [Change; 7] = [
            |it| it.payload.push(' '),
            |it| {
                it.payload.push(' ');
                it.kept.as_mut().unwrap().push(' ');
            },
            |it| it.digest = None,
            |it| it.digest = Some([0; 32]),
            |it| it.salt = Some([9; 16]),
            |it| it.erased_by = None,
            |it| it.erased_by = Some(1),
        ];
        for (n, change) in changes.into_iter().enumerate() {
            let mut changed = erased.clone();
            change(&mut changed);
            assert_eq!(changed.standing(), Standing::Changed, "change {n}");
        }
    }
}
