//! Rule 19: an event whose words are gone was erased by an event of the chain, or somebody removed them.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use super::{Broken, Hash, Record, Standing};
use crate::{
    event::{Erasure, InteractionEvent, Payload},
    ids::{AgentId, InteractionId},
};

/// The events without their words on the way, until the event comes that has to tell of it.
#[derive(Clone, Debug, Default)]
pub struct Erasures {
    /// By the number of that event.
    waiting: BTreeMap<i64, Vec<Blank>>,
    /// How many interactions were erased.
    count: usize,
    /// When the first event was written whose words have a digest of their own, in unix milliseconds.
    salted_since: Option<i64>,
    /// The time of the latest event whose time its own hash covers.
    latest: i64,
}

/// For so long after the first event of the present form programs of before may still write theirs: nodes are updated
/// one after the other. Later an event of the old form is one that somebody made look so, to have its hash taken as given.
const UPDATING: TimeDelta = TimeDelta::days(7);

/// An event without its words.
#[derive(Clone, Debug)]
struct Blank {
    seq: i64,
    hash: Hash,
    /// The hash of what is left, where its own is taken as given.
    left: Option<Hash>,
    agent_id: Option<AgentId>,
    interaction_id: Option<InteractionId>,
    /// Where it belongs to a task alone.
    task_id: Option<String>,
    is_of_task: bool,
}

impl Erasures {
    /// Takes the next stored event, which the chain has taken.
    ///
    /// # Errors
    /// When it had to tell of an erasure and does not.
    pub fn follow(&mut self, record: &Record) -> Result<(), Broken> {
        // Most have their words: then there is nothing to hash.
        let standing = record.erased_by.map(|_| record.standing());
        if matches!(standing, Some(Standing::Given(..))) && self.is_updated() {
            return Err(Broken::new(
                record.seq,
                "its hash covers other words, and no program wrote events of that form any more",
            ));
        }
        if !matches!(standing, Some(Standing::Given(..))) {
            self.latest = self.latest.max(record.at);
            if record.kept.is_some() {
                self.salted_since.get_or_insert(record.at);
            }
        }
        let left = match standing {
            Some(Standing::Erased(by)) => Some((by, None)),
            Some(Standing::Given(by, left)) => Some((by, Some(left))),
            Some(Standing::Whole | Standing::Changed) | None => None,
        };
        if let Some((by, left)) = left {
            self.waiting.entry(by).or_default().push(Blank {
                seq: record.seq,
                hash: record.hash,
                left,
                agent_id: record.agent_id,
                interaction_id: record.interaction_id,
                task_id: match record.interaction_id {
                    None => record.task_id.clone(),
                    Some(_) => None,
                },
                is_of_task: record.event_type.starts_with("task."),
            });
        }
        let erasure = erasure(record);
        self.count += usize::from(erasure.is_some());
        for blank in self.waiting.remove(&record.seq).unwrap_or_default() {
            let is_named = erasure
                .as_ref()
                .is_some_and(|erasure| blank.is_named(erasure, record));
            if !is_named {
                return Err(blank.unnamed());
            }
        }
        Ok(())
    }

    fn is_updated(&self) -> bool {
        self.salted_since
            .is_some_and(|since| self.latest.saturating_sub(since) > UPDATING.num_milliseconds())
    }

    /// There are no more events. Returns how many interactions were erased among those that were followed.
    ///
    /// # Errors
    /// When an event that had to tell of an erasure did not come.
    pub fn finish(self) -> Result<usize, Broken> {
        let unnamed = self.waiting.values().flatten().min_by_key(|it| it.seq);
        match unnamed {
            Some(blank) => Err(blank.unnamed()),
            None => Ok(self.count),
        }
    }
}

impl Blank {
    /// Whether this event, in whose row the erasure stands, says that its words were erased. It can say so of the events
    /// of its interaction, and of those of that one's task which belong to no other: never of what people, tokens and
    /// teams did, which has no words.
    fn is_named(&self, erasure: &Erasure, of: &Record) -> bool {
        let is_its_own = match self.interaction_id {
            Some(id) => of.interaction_id == Some(id),
            None => self.is_of_task && self.task_id.is_some() && self.task_id == of.task_id,
        };
        is_its_own
            && of.interaction_id.is_some()
            && self.agent_id == of.agent_id
            && erasure.events.iter().any(|named| {
                named.seq == self.seq && named.hash == self.hash && named.left == self.left
            })
    }

    fn unnamed(&self) -> Broken {
        Broken::new(
            self.seq,
            "its words were removed, and no event says that they were erased",
        )
    }
}

fn erasure(record: &Record) -> Option<Erasure> {
    // Most events are none: their payloads need not be read.
    if record.event_type != "interaction.erased" {
        return None;
    }
    match Payload::read(&record.event_type, &record.payload) {
        Ok(Payload::Interaction(InteractionEvent::Erased(erasure))) => Some(*erasure),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Chain, record::tests::record};

    const DAY: i64 = 24 * 60 * 60 * 1_000;

    /// Of three events the last is said to have been erased: what is there now is not what its hash covers.
    fn forged(days: i64) -> Vec<Record> {
        let mut chain = Chain::default();
        let mut records = Vec::new();
        for seq in 1..=3 {
            let mut next = record(seq, chain.hash);
            next.at += (seq - 1) * days * DAY;
            next.kept = Some("{}".into());
            next.salt = Some([9; 16]);
            next.payload = r#"{"text":"a"}"#.into();
            next.hash = next.computed_hash();
            chain.follow(&next).unwrap();
            records.push(next);
        }
        let last = records.last_mut().unwrap();
        (last.kept, last.salt, last.erased_by) = (None, None, Some(4));
        last.payload = r#"{"text":"b"}"#.into();
        let (hash, left) = (last.hash, Some(last.left()));
        let erasure = Erasure {
            events: vec![crate::event::Named { seq: 3, hash, left }],
        };
        let mut by = record(4, hash);
        by.event_type = "interaction.erased".into();
        by.payload = serde_json::to_string(&erasure).unwrap();
        by.hash = by.computed_hash();
        records.push(by);
        records
    }

    fn audit(records: &[Record]) -> Result<usize, Broken> {
        let (mut chain, mut erasures) = (Chain::default(), Erasures::default());
        for record in records {
            chain.follow(record)?;
            erasures.follow(record)?;
        }
        erasures.finish()
    }

    #[test]
    fn an_event_of_the_present_form_cannot_pass_for_one_of_before() {
        // The second is as late after the first as the third seems to be after the second.
        assert_eq!(audit(&forged(8)).unwrap_err().seq, 3);
        // While nodes are updated nobody can tell.
        assert_eq!(audit(&forged(6)), Ok(1));
    }
    /// The events of before whose types and subjects these are, the first of which is said to have been erased by an
    /// event with the subject of the second.
    fn rewritten(event_type: &str, change: fn(&mut Record), by: fn(&mut Record)) -> Vec<Record> {
        let mut first = record(1, crate::journal::GENESIS);
        first.event_type = event_type.into();
        change(&mut first);
        first.hash = first.computed_hash();
        // What was there is gone: this is not what the hash covers.
        first.payload = r#"{"role":"admin"}"#.into();
        first.erased_by = Some(2);
        let (hash, left) = (first.hash, Some(first.left()));
        let erasure = Erasure {
            events: vec![crate::event::Named { seq: 1, hash, left }],
        };
        let mut second = record(2, hash);
        second.event_type = "interaction.erased".into();
        second.payload = serde_json::to_string(&erasure).unwrap();
        by(&mut second);
        second.hash = second.computed_hash();
        vec![first, second]
    }

    #[test]
    fn only_the_events_of_an_interaction_and_its_task_are_erased_with_it() {
        let nothing: fn(&mut Record) = |_| {};
        let no_interaction: fn(&mut Record) = |it| it.interaction_id = None;
        let nobody: fn(&mut Record) = |it| {
            (it.agent_id, it.interaction_id, it.task_id) = (None, None, None);
        };
        let another: fn(&mut Record) =
            |it| it.interaction_id = Some(InteractionId(uuid::Uuid::from_u128(9)));
        let another_task: fn(&mut Record) = |it| {
            (it.interaction_id, it.task_id) = (None, Some("T-2".into()));
        };
        for (event_type, change, by) in [
            ("interaction.resolved", nothing, nothing),
            ("task.failed", nothing, nothing),
            ("task.failed", no_interaction, nothing),
        ] {
            assert_eq!(
                audit(&rewritten(event_type, change, by)),
                Ok(1),
                "{event_type}"
            );
        }
        for (event_type, change, by) in [
            // Who gets in cannot be told anew under the name of an erasure,
            ("person.invited", nobody, nobody),
            ("person.invited", nobody, nothing),
            ("token.created", no_interaction, no_interaction),
            ("token.created", no_interaction, nothing),
            ("team.member_set", nobody, nobody),
            // nor what belongs to another interaction, or to its task, or to another task.
            ("interaction.resolved", another, nothing),
            ("task.failed", another, nothing),
            ("task.failed", another_task, nothing),
            ("task.failed", no_interaction, no_interaction),
        ] {
            let broken = audit(&rewritten(event_type, change, by)).unwrap_err();
            assert_eq!(broken.seq, 1, "{event_type}");
        }
    }
}
