//! What was held back from a person is told as one.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{Class, Held, Reachable};
use crate::{delivery::ReachRef, ids::InteractionId, limits::SUMMED_UP};

/// A question that was held back from a person and still waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Which one.
    pub held: Held,
    /// How much it presses.
    pub class: Class,
    /// Its deadline.
    pub deadline: Option<DateTime<Utc>>,
}

/// What becomes of all that was held back from a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Summary {
    /// They are told now, by these ways, of these, what presses most first.
    Now {
        /// By which.
        ways: Vec<ReachRef>,
        /// Of which.
        of: Vec<InteractionId>,
        /// And of how many more, which press less.
        more: usize,
    },
    /// It is still quiet.
    Later(DateTime<Utc>),
    /// Nothing of it waits any more, or they have no way to be reached.
    Nothing,
}

/// What becomes of what was held back from this person, as much of it as still waits. A summary counts in no limit: there
/// is one at most in a while.
pub fn summary(person: &Reachable, mut kept: Vec<Kept>, now: DateTime<Utc>) -> Summary {
    if kept.is_empty() || person.ways.is_empty() {
        return Summary::Nothing;
    }
    // Quiet hours that have begun since hold it back again, unless something in it cannot wait for their end.
    let until = |one: &Kept| {
        let quiet = person.quiet_until(one.class, now)?;
        let waits = one.deadline.is_none_or(|deadline| deadline > quiet);
        waits.then_some(quiet)
    };
    let ends: Option<Vec<_>> = kept.iter().map(until).collect();
    if let Some(end) = ends.and_then(|ends| ends.into_iter().min()) {
        return Summary::Later(end);
    }
    kept.sort_by_key(|one| {
        let deadline = one.deadline.unwrap_or(DateTime::<Utc>::MAX_UTC);
        (one.class, deadline, one.held.interaction)
    });
    let mut of: Vec<_> = kept.into_iter().map(|one| one.held.interaction).collect();
    // One that was held back on several rungs comes once.
    let mut known = BTreeSet::new();
    of.retain(|id| known.insert(*id));
    let more = of.len().saturating_sub(SUMMED_UP);
    of.truncate(SUMMED_UP);
    Summary::Now {
        ways: person.ways.clone(),
        of,
        more,
    }
}
