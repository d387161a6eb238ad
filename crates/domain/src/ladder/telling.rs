//! Whether a person is told of a question now, later with others, or not at all.

use chrono::{DateTime, Utc};

use super::{Class, HeldBack, HeldWhy, Quiet};
use crate::{
    access::PersonRef,
    delivery::{ReachKind, ReachRef},
    limits::{
        MESSAGES_AN_HOUR, MESSAGES_KEPT_FOR_URGENT, MESSAGES_WINDOW, SUMMARY_AFTER, SUMMARY_APART,
    },
};

/// A person, as far as telling them needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reachable {
    /// Who.
    pub person: PersonRef,
    /// The ways that they have set up and that work.
    pub ways: Vec<ReachRef>,
    /// Their quiet hours.
    pub quiet: Option<Quiet>,
    /// Until when they do not want to see this question.
    pub snoozed_until: Option<DateTime<Utc>>,
    /// What they were told lately.
    pub sent: Sent,
}

/// What a person was told in the hour before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// How many messages, each counted once however many ways it took.
    pub messages: u32,
    /// When the first of them was sent.
    pub first: Option<DateTime<Utc>>,
    /// When the last of them was sent.
    pub last: Option<DateTime<Utc>>,
}

/// What becomes of telling a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Telling {
    /// They are told now.
    Now {
        /// By these ways.
        ways: Vec<ReachRef>,
        /// As long as that makes no more messages than this in an hour.
        most: u32,
    },
    /// They are told later, with what else was held back.
    Later {
        /// From then on.
        until: DateTime<Utc>,
        /// Why not now.
        why: HeldWhy,
    },
    /// They have no way to be reached.
    Never,
}

/// Whether this person is told at `now` of a question of this class. `wished` are the ways of the rung; whoever has none
/// of them is told by those that they have.
pub fn telling(
    person: &Reachable,
    wished: &[ReachKind],
    class: Class,
    deadline: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Telling {
    if person.ways.is_empty() {
        return Telling::Never;
    }
    let most = match room(person, class, deadline, now) {
        Ok(most) => most,
        Err(HeldBack { until, why }) => return Telling::Later { until, why },
    };
    let named = |way: &ReachRef| wished.is_empty() || wished.contains(&way.kind);
    let fitting: Vec<_> = person.ways.iter().copied().filter(named).collect();
    let ways = match fitting.is_empty() {
        true => person.ways.clone(),
        false => fitting,
    };
    Telling::Now { ways, most }
}

/// How many messages an hour may bring, if a message may come to this person at `now`; otherwise when one may, and why not
/// now.
pub(crate) fn room(
    person: &Reachable,
    class: Class,
    deadline: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<u32, HeldBack> {
    person.left_alone(class, deadline, now)?;
    let most = person.sent.most(class, deadline, now);
    if person.sent.messages >= most {
        // Half of the time that is left, where a summary would come too late.
        let room = person.sent.room_at(now);
        let half = deadline.map(|deadline| now + (deadline - now) / 2);
        let until = half.map_or(room, |half| room.min(half));
        // Short deadlines make no storm of summaries.
        let apart = person.sent.last.map(|last| last + SUMMARY_APART);
        let until = apart.map_or(until, |apart| until.max(apart));
        let why = HeldWhy::Many;
        return Err(HeldBack { until, why });
    }
    Ok(most)
}

impl Reachable {
    /// Whether they may be told of this at all, by what they wish: they have put it off, or have quiet hours.
    ///
    /// # Errors
    /// Until when not, and why. What is over before that cannot wait.
    pub fn left_alone(
        &self,
        class: Class,
        deadline: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<(), HeldBack> {
        let waits = |until: &DateTime<Utc>| deadline.is_none_or(|deadline| deadline > *until);
        let snoozed = self.snoozed_until.filter(|until| *until > now);
        let quiet = || self.quiet_until(class, now).filter(waits);
        let held = match snoozed.filter(waits) {
            Some(until) => Some((until, HeldWhy::Snoozed)),
            None => quiet().map(|until| (until, HeldWhy::Quiet)),
        };
        match held {
            Some((until, why)) => Err(HeldBack { until, why }),
            None => Ok(()),
        }
    }

    /// Until when their quiet hours hold back what is of this class.
    pub fn quiet_until(&self, class: Class, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let quiet = self.quiet.as_ref()?;
        match class == Class::Urgent && quiet.urgent {
            true => None,
            false => quiet.until(now),
        }
    }
}

impl Sent {
    /// How many messages there may be. The last few of an hour are kept for what is urgent, and for what is over before
    /// the next summary could come.
    fn most(self, class: Class, deadline: Option<DateTime<Utc>>, now: DateTime<Utc>) -> u32 {
        let cannot_wait = deadline.is_some_and(|deadline| deadline <= self.room_at(now));
        match class == Class::Urgent || cannot_wait {
            true => MESSAGES_AN_HOUR,
            false => MESSAGES_AN_HOUR - MESSAGES_KEPT_FOR_URGENT,
        }
    }

    /// When the rest is told as one: soon, and not before the hour has room for it again if that is sooner.
    fn room_at(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let soon = now + SUMMARY_AFTER;
        let room = self.first.map(|first| first + MESSAGES_WINDOW);
        room.filter(|room| *room > now)
            .map_or(soon, |room| room.min(soon))
    }
}
