//! What ended, as rows. The counts of a day stand in one column: a row for each of them would be nearly as many rows as there
//! were questions, and a period is read as a whole.
//!
//! ```text
//! 1                                  the format
//! hours    (hour, asked) …           those in which something was asked
//! people   16 bytes …                who answered, in the order of ids
//! ends     (by, outcome, span, ended, waited) …
//! ```
//! Numbers are LEB128; each list begins with its length. `by` is 0 nobody, 1 a policy, 2 a grant, 3 an answer that stands, from 4 on
//! the place among the people. `waited` is in milliseconds. Equal tallies are equal bytes.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::{
    Actor, AgentId, AgentRef, Day, Fingerprint, InteractionId, Responder, TeamId, TeamRef, Via,
    insight::{By, Count, End, Ended, Span, Tally},
    interaction::{Kind, Mode, Outcome},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{AskedMost, Result, StoreError, TallyRecord};

const FORMAT: u64 = 1;
/// The place of the first person.
const PEOPLE: u64 = 4;

/// Where a tally stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TallyPlace {
    pub(crate) day: i64,
    pub(crate) agent_id: Uuid,
    pub(crate) team_id: Uuid,
    pub(crate) kind: String,
    pub(crate) mode: String,
}

/// An event by which a blocker has ended, with what is counted of it.
#[derive(FromRow)]
pub(crate) struct EndedRow {
    seq: i64,
    actor: String,
    agent_id: Uuid,
    team_id: Option<Uuid>,
    kind: String,
    mode: String,
    outcome: String,
    created_at: i64,
    closed_at: i64,
    by_grant: bool,
    by_memory: bool,
}

impl EndedRow {
    /// What is counted, where, and the responder of it; `None` for an outcome of a later version.
    ///
    /// # Errors
    /// When a time cannot be read.
    pub(crate) fn read(self) -> Result<Option<(TallyPlace, Ended, Option<Responder>)>> {
        let Some(outcome) = Outcome::from_name(&self.outcome) else {
            return Ok(None);
        };
        let at = |millis: i64| -> Result<DateTime<Utc>> { time(millis, "interactions", self.seq) };
        let (by, responder) = self.by(outcome);
        let ended = Ended {
            asked_at: at(self.created_at)?,
            closed_at: at(self.closed_at)?,
            by,
            outcome,
        };
        let place = TallyPlace {
            day: ended.day().0,
            agent_id: self.agent_id,
            team_id: self.team_id.unwrap_or_default(),
            kind: self.kind,
            mode: self.mode,
        };
        Ok(Some((place, ended, responder)))
    }

    /// An actor that cannot be read is nobody.
    fn by(&self, outcome: Outcome) -> (By, Option<Responder>) {
        let is_answer = !matches!(
            outcome,
            Outcome::Fallback
                | Outcome::Expired
                | Outcome::Cancelled
                | Outcome::Delivered
                | Outcome::Void
        );
        if !is_answer {
            return (By::Nobody, None);
        }
        if self.by_grant {
            return (By::Grant, None);
        }
        if self.by_memory {
            return (By::Memory, None);
        }
        match serde_json::from_str(&self.actor) {
            Ok(Actor::Responder(responder)) if responder.via == Via::Policy => (By::Policy, None),
            Ok(Actor::Responder(responder)) => (By::Responder(responder.id), Some(responder)),
            _ => (By::Nobody, None),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct TallyRow {
    day: i64,
    agent_id: Uuid,
    team_id: Uuid,
    kind: String,
    mode: String,
    counts: Vec<u8>,
}

/// Turns a row into counts; `None` for a kind or a mode of a later version.
pub(crate) fn tally_record(row: &TallyRow) -> Result<Option<TallyRecord>> {
    let (Some(kind), Some(mode)) = (Kind::from_name(&row.kind), Mode::from_name(&row.mode)) else {
        return Ok(None);
    };
    Ok(Some(TallyRecord {
        day: Day(row.day),
        agent: AgentId(row.agent_id),
        team: (!row.team_id.is_nil()).then_some(TeamId(row.team_id)),
        kind,
        mode,
        tally: tally(&row.counts)
            .ok_or_else(|| StoreError::inconsistent("insights", "counts", row.day, UNREADABLE))?,
    }))
}

#[derive(FromRow)]
pub(crate) struct AskedMostRow {
    pub(crate) agent_id: Uuid,
    agent_name: String,
    pub(crate) team_id: Option<Uuid>,
    team_name: Option<String>,
    pub(crate) alike: Uuid,
    asked: i64,
    approved: i64,
    denied: i64,
}

impl AskedMostRow {
    pub(crate) fn with_newest(self, newest: Uuid) -> AskedMost {
        let count = |stored: i64| u64::try_from(stored).unwrap_or_default();
        AskedMost {
            alike: Fingerprint(self.alike),
            agent: AgentRef {
                id: AgentId(self.agent_id),
                name: self.agent_name,
            },
            team: self.team_id.map(|id| TeamRef {
                id: TeamId(id),
                name: self.team_name.unwrap_or_default(),
            }),
            asked: count(self.asked),
            approved: count(self.approved),
            denied: count(self.denied),
            newest: InteractionId(newest),
        }
    }
}

/// Why counts are refused.
pub(crate) const UNREADABLE: &str =
    "cannot be read: `handraise insights rebuild` makes all counts anew";

/// A tally as it is stored.
pub(crate) fn tally_bytes(tally: &Tally) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + 8 * tally.ends().len());
    write(&mut bytes, FORMAT);
    let hours = || tally.hours().iter().enumerate();
    let asked = || hours().filter(|(_, asked)| **asked > 0);
    write_length(&mut bytes, asked().count());
    for (hour, asked) in asked() {
        write_length(&mut bytes, hour);
        write(&mut bytes, *asked);
    }
    let people: BTreeSet<Uuid> = tally.ends().iter().filter_map(person).collect();
    write_length(&mut bytes, people.len());
    for person in &people {
        bytes.extend(person.as_bytes());
    }
    write_length(&mut bytes, tally.ends().len());
    // The ends are in the order of people.
    let mut places = (PEOPLE..).zip(&people).peekable();
    for (end, count) in tally.ends() {
        let by = match end.by {
            By::Nobody => 0,
            By::Policy => 1,
            By::Grant => 2,
            By::Memory => 3,
            By::Responder(id) => {
                while places.next_if(|(_, person)| **person < id).is_some() {}
                places.peek().map_or(0, |(place, _)| *place)
            }
        };
        write(&mut bytes, by);
        write(&mut bytes, code(end.outcome));
        write(&mut bytes, u64::from(end.span.place()));
        write(&mut bytes, count.ended);
        write(&mut bytes, count.waited);
    }
    bytes
}

fn person((end, _): &(End, Count)) -> Option<Uuid> {
    match end.by {
        By::Responder(id) => Some(id),
        _ => None,
    }
}

/// A tally from how it is stored; `None` when it is not whole.
pub(crate) fn tally(bytes: &[u8]) -> Option<Tally> {
    let mut rest = bytes;
    if read(&mut rest)? != FORMAT {
        return None;
    }
    let mut hours = [0; 24];
    for _ in 0..read(&mut rest)? {
        let hour = usize::try_from(read(&mut rest)?).ok()?;
        *hours.get_mut(hour)? = read(&mut rest)?;
    }
    let mut people = Vec::new();
    for _ in 0..read(&mut rest)? {
        let (id, after) = rest.split_first_chunk::<16>()?;
        people.push(Uuid::from_bytes(*id));
        rest = after;
    }
    let mut ends = Vec::new();
    for _ in 0..read(&mut rest)? {
        let by = match read(&mut rest)? {
            0 => By::Nobody,
            1 => By::Policy,
            2 => By::Grant,
            3 => By::Memory,
            place => By::Responder(*people.get(usize::try_from(place - PEOPLE).ok()?)?),
        };
        let outcome = read(&mut rest)?;
        let end = End {
            by,
            outcome: Outcome::ALL
                .into_iter()
                .find(|known| code(*known) == outcome)?,
            span: Span::from_place(u16::try_from(read(&mut rest)?).ok()?),
        };
        let count = Count {
            ended: read(&mut rest)?,
            waited: read(&mut rest)?,
        };
        ends.push((end, count));
    }
    rest.is_empty().then(|| Tally::new(hours, ends))
}

/// What stands for an outcome, for ever.
fn code(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Answered => 0,
        Outcome::Approved => 1,
        Outcome::Denied => 2,
        Outcome::Proceed => 3,
        Outcome::ProceedClean => 4,
        Outcome::ProceedDefault => 5,
        Outcome::Adjust => 6,
        Outcome::Delivered => 7,
        Outcome::Fallback => 8,
        Outcome::Expired => 9,
        Outcome::Cancelled => 10,
        Outcome::Void => 11,
    }
}

fn write_length(bytes: &mut Vec<u8>, length: usize) {
    write(bytes, u64::try_from(length).unwrap_or(u64::MAX));
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        let shifted = part << shift;
        if shifted >> shift != part {
            return None;
        }
        number |= shifted;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use domain::{
        insight::{By, Count, End, Span, Tally},
        interaction::Outcome,
    };
    use uuid::Uuid;

    use super::{code, read, tally, tally_bytes, write};

    fn some() -> Tally {
        let mut hours = [0; 24];
        (hours[0], hours[23]) = (1, 300);
        let count = |ended, waited| Count { ended, waited };
        let end = |by, outcome, place| End {
            by,
            outcome,
            span: Span::from_place(place),
        };
        let (ana, bob) = (Uuid::from_u128(8), Uuid::from_u128(u128::MAX));
        Tally::new(
            hours,
            [
                (end(By::Nobody, Outcome::Expired, 372), count(1, u64::MAX)),
                (end(By::Policy, Outcome::Denied, 0), count(2, 0)),
                (end(By::Grant, Outcome::Approved, 0), count(3, 0)),
                (end(By::Memory, Outcome::Answered, 0), count(4, 0)),
                (end(By::Responder(ana), Outcome::Answered, 200), count(5, 6)),
                (end(By::Responder(ana), Outcome::Denied, 200), count(7, 8)),
                (
                    end(By::Responder(bob), Outcome::Adjust, u16::MAX),
                    count(1 << 40, 9),
                ),
            ],
        )
    }

    #[test]
    fn a_tally_is_read_as_it_was_written() {
        for whole in [some(), Tally::default()] {
            assert_eq!(tally(&tally_bytes(&whole)), Some(whole));
        }
    }

    #[test]
    fn a_part_of_it_is_no_tally() {
        let bytes = tally_bytes(&some());
        for cut in 0..bytes.len() {
            assert_eq!(tally(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(tally(&[&bytes[..], &[0]].concat()), None);
        let mut later = bytes;
        later[0] = 2;
        assert_eq!(tally(&later), None);
    }

    #[test]
    fn numbers_have_any_size() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, number);
            let mut rest = &bytes[..];
            assert_eq!(read(&mut rest), Some(number));
            assert!(rest.is_empty());
        }
        assert_eq!(read(&mut &[0xff_u8; 10][..]), None);
    }

    #[test]
    fn each_outcome_has_a_code_of_its_own() {
        let mut codes = Outcome::ALL.map(code);
        codes.sort_unstable();
        assert_eq!(codes.to_vec(), (0..12).collect::<Vec<u64>>());
    }
}
