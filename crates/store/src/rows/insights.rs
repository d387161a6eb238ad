//! What ended, as rows. The counts of a day stand in one column: a row for each of them would be nearly as many rows as there
//! were questions, and a period is read as a whole.
//!
//! ```text
//! 1                                  the format
//! hours    (kind, hour, asked) …     those in which something was asked
//! people   16 bytes …                who answered, in the order of ids
//! ends     (kind and mode, by, outcome, span, ended, waited) …
//! ```
//! Numbers are LEB128; each list begins with its length. Kind and mode are twice the kind, and one more where the agent went on. `by` is 0 nobody, 1 a policy, 2 a grant, 3 an answer that stands, from 4 on
//! the place among the people. `waited` is in milliseconds. Equal tallies are equal bytes.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::{
    Actor, AgentId, AgentRef, Day, Fingerprint, InteractionId, Responder, TeamId, TeamRef, Via,
    insight::{By, Count, End, Ended, Hour, Span, Tally},
    interaction::{Kind, Mode, Outcome},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{AskedMost, Result, StoreError, TallyRecord};

const FORMAT: u64 = 1;
/// The place of the first person.
const PEOPLE: usize = 4;

/// Where a tally stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TallyPlace {
    pub(crate) day: i64,
    pub(crate) agent_id: Uuid,
    pub(crate) team_id: Uuid,
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
    /// What is counted, where, and the responder of it; `None` for a kind or an outcome of a later version.
    ///
    /// # Errors
    /// When a time cannot be read.
    pub(crate) fn read(self) -> Result<Option<(TallyPlace, Ended, Option<Responder>)>> {
        let (Some(kind), Some(mode), Some(outcome)) = (
            Kind::from_name(&self.kind),
            Mode::from_name(&self.mode),
            Outcome::from_name(&self.outcome),
        ) else {
            return Ok(None);
        };
        let at = |millis: i64| -> Result<DateTime<Utc>> { time(millis, "interactions", self.seq) };
        let (by, responder) = self.by(outcome);
        let ended = Ended {
            asked_at: at(self.created_at)?,
            closed_at: at(self.closed_at)?,
            kind,
            mode,
            by,
            outcome,
        };
        let place = TallyPlace {
            day: ended.day().0,
            agent_id: self.agent_id,
            team_id: self.team_id.unwrap_or_default(),
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
    counts: Vec<u8>,
}

impl TryFrom<TallyRow> for TallyRecord {
    type Error = StoreError;

    fn try_from(row: TallyRow) -> Result<Self> {
        let tally = tally(&row.counts)
            .ok_or_else(|| StoreError::inconsistent("insights", "counts", row.day, UNREADABLE))?;
        Ok(Self {
            day: Day(row.day),
            agent: AgentId(row.agent_id),
            team: (!row.team_id.is_nil()).then_some(TeamId(row.team_id)),
            tally,
        })
    }
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
    let mut bytes = Vec::with_capacity(64 + 10 * tally.ends().len());
    write(&mut bytes, FORMAT);
    write_length(&mut bytes, tally.hours().len());
    for (at, asked) in tally.hours() {
        write(&mut bytes, kind_code(at.kind));
        write(&mut bytes, at.hour.into());
        write(&mut bytes, *asked);
    }
    let people: BTreeSet<Uuid> = tally.ends().iter().filter_map(person).collect();
    let people: Vec<Uuid> = people.into_iter().collect();
    write_length(&mut bytes, people.len());
    for person in &people {
        bytes.extend(person.as_bytes());
    }
    write_length(&mut bytes, tally.ends().len());
    for (end, count) in tally.ends() {
        let goes_on = u64::from(end.mode == Mode::Async);
        write(&mut bytes, 2 * kind_code(end.kind) + goes_on);
        match end.by {
            By::Nobody => write(&mut bytes, 0),
            By::Policy => write(&mut bytes, 1),
            By::Grant => write(&mut bytes, 2),
            By::Memory => write(&mut bytes, 3),
            By::Responder(id) => {
                let place = people.binary_search(&id).unwrap_or_default();
                write_length(&mut bytes, PEOPLE + place);
            }
        }
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
    let mut hours = Vec::new();
    for _ in 0..read(&mut rest)? {
        let kind = kind_of(read(&mut rest)?)?;
        let hour = u8::try_from(read(&mut rest)?).ok()?;
        hours.push((Hour { kind, hour }, read(&mut rest)?));
    }
    let mut people = Vec::new();
    for _ in 0..read(&mut rest)? {
        let (id, after) = rest.split_first_chunk::<16>()?;
        people.push(Uuid::from_bytes(*id));
        rest = after;
    }
    let mut ends = Vec::new();
    for _ in 0..read(&mut rest)? {
        let asked = read(&mut rest)?;
        let kind = kind_of(asked / 2)?;
        let mode = if asked % 2 == 0 {
            Mode::Sync
        } else {
            Mode::Async
        };
        let by = match usize::try_from(read(&mut rest)?).ok()? {
            0 => By::Nobody,
            1 => By::Policy,
            2 => By::Grant,
            3 => By::Memory,
            place => By::Responder(*people.get(place - PEOPLE)?),
        };
        let outcome = read(&mut rest)?;
        let mut outcomes = Outcome::ALL.into_iter();
        let end = End {
            kind,
            mode,
            by,
            outcome: outcomes.find(|known| code(*known) == outcome)?,
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

/// What stands for a kind, for ever.
fn kind_code(kind: Kind) -> u64 {
    match kind {
        Kind::Question => 0,
        Kind::Choice => 1,
        Kind::Acknowledgement => 2,
        Kind::Approval => 3,
        Kind::PlanReview => 4,
        Kind::Form => 5,
        Kind::Notification => 6,
    }
}

fn kind_of(code: u64) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind_code(*kind) == code)
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
        insight::{By, Count, End, Hour, Span, Tally},
        interaction::{Kind, Mode, Outcome},
    };
    use uuid::Uuid;

    use super::{code, kind_code, kind_of, read, tally, tally_bytes, write};

    fn some() -> Tally {
        let hour = |kind, hour, asked| (Hour { kind, hour }, asked);
        let hours = [hour(Kind::Question, 23, 300), hour(Kind::Form, 0, 1)];
        let count = |ended, waited| Count { ended, waited };
        let end = |by, outcome, place| End {
            kind: Kind::Question,
            mode: Mode::Sync,
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
                (
                    End {
                        kind: Kind::Form,
                        mode: Mode::Async,
                        ..end(By::Responder(ana), Outcome::Answered, 3)
                    },
                    count(1, 1),
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
    fn each_kind_has_a_code_of_its_own() {
        for kind in Kind::ALL {
            assert_eq!(kind_of(kind_code(kind)), Some(kind));
        }
        assert_eq!(kind_of(7), None);
    }

    #[test]
    fn each_outcome_has_a_code_of_its_own() {
        let mut codes = Outcome::ALL.map(code);
        codes.sort_unstable();
        assert_eq!(codes.to_vec(), (0..12).collect::<Vec<u64>>());
    }
}
