//! Who is on duty at one moment.

use chrono::{DateTime, Utc};

use super::{Absence, Duty, Why};
use crate::ids::PersonId;

impl Duty {
    /// The person, and why; `turn` is the number of the turn. The last override that names somebody who can be goes
    /// first, then the person whose turn it is, then those who follow in the rota.
    pub(super) fn who(
        &self,
        here: &dyn Fn(PersonId) -> bool,
        turn: u64,
        at: DateTime<Utc>,
    ) -> (Option<PersonId>, Why) {
        let reached = |named: PersonId| stand_in(&self.absences, here, named, at);
        let instead = self.overrides.iter().rev().filter(|one| one.covers(at));
        for one in instead {
            if let Some(person) = reached(one.person) {
                let why = match person == one.person {
                    true => Why::Override,
                    false => Why::For(one.person),
                };
                return (Some(person), why);
            }
        }
        let people = &self.rota.people;
        let Some(index) = place(turn, people.len()) else {
            return (None, Why::Turn);
        };
        let mut in_turn = people[index..].iter().chain(&people[..index]);
        match in_turn.find_map(|named| reached(*named)) {
            Some(person) if person == people[index] => (Some(person), Why::Turn),
            Some(person) => (Some(person), Why::For(people[index])),
            None => (None, Why::Turn),
        }
    }
}

fn place(turn: u64, people: usize) -> Option<usize> {
    let place = turn.checked_rem(u64::try_from(people).ok()?)?;
    usize::try_from(place).ok()
}

/// Who comes for this person: themselves, or their delegate, or that one's. `None` when it leads nowhere: to a person
/// who can't come in, to one who is away without a delegate, or back to where it began.
fn stand_in(
    absences: &[Absence],
    here: &dyn Fn(PersonId) -> bool,
    named: PersonId,
    at: DateTime<Utc>,
) -> Option<PersonId> {
    let mut passed = Vec::new();
    let mut person = named;
    while here(person) && !passed.contains(&person) {
        let mut away = absences.iter().rev();
        match away.find(|one| one.person == person && one.covers(at)) {
            None => return Some(person),
            Some(absence) => {
                passed.push(person);
                person = absence.delegate?;
            }
        }
    }
    None
}
