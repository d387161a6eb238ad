//! What ended, counted.

use chrono::{DateTime, TimeDelta, Timelike, Utc};
use uuid::Uuid;

use super::Span;
use crate::{
    interaction::{Kind, Mode},
    outcome::Outcome,
    quota::Day,
};

/// Whose decision it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// Nobody's: its deadline passed, or it was taken back.
    Nobody,
    /// A policy's, as it was asked.
    Policy,
    /// A standing approval's, as it was asked.
    Grant,
    /// That of an answer that stands, as it was asked.
    Memory,
    /// That of this person, responder token or user of Slack.
    Responder(Uuid),
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// What was asked for.
    pub kind: Kind,
    /// Whether the agent had stopped for it.
    pub mode: Mode,
    /// By whom.
    pub by: By,
    /// How.
    pub outcome: Outcome,
    /// After how long.
    pub span: Span,
}

/// How often that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// So many ended so.
    pub ended: u64,
    /// And waited so long, all together, in milliseconds.
    pub waited: u64,
}

/// A blocker that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When it was asked.
    pub asked_at: DateTime<Utc>,
    /// When it ended.
    pub closed_at: DateTime<Utc>,
    /// What was asked for.
    pub kind: Kind,
    /// Whether the agent had stopped for it.
    pub mode: Mode,
    /// By whom.
    pub by: By,
    /// How.
    pub outcome: Outcome,
}

impl Ended {
    /// The day that it is counted on.
    pub fn day(&self) -> Day {
        Day::of(self.asked_at)
    }

    fn waited(&self) -> TimeDelta {
        (self.closed_at - self.asked_at).max(TimeDelta::zero())
    }
}

/// How many of a kind were asked in an hour of the day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour {
    /// What was asked for.
    pub kind: Kind,
    /// From 0 to 23.
    pub hour: u8,
}

/// The counts of one day. The same blockers make the same tally, in whatever order they are added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many of them were asked when: each hour once, in their order.
    hours: Vec<(Hour, u64)>,
    /// Each once, in their order.
    ends: Vec<(End, Count)>,
}

impl Tally {
    /// Of these counts; those of the same hour and of the same end are added up.
    pub fn new(
        hours: impl IntoIterator<Item = (Hour, u64)>,
        ends: impl IntoIterator<Item = (End, Count)>,
    ) -> Self {
        let mut tally = Self::default();
        for (hour, asked) in hours {
            *at(&mut tally.hours, hour) += asked;
        }
        for (end, count) in ends {
            tally.count(end, count);
        }
        tally
    }

    /// Adds one.
    pub fn add(&mut self, ended: &Ended) {
        let hour = Hour {
            kind: ended.kind,
            hour: u8::try_from(ended.asked_at.hour()).unwrap_or_default(),
        };
        *at(&mut self.hours, hour) += 1;
        let waited = ended.waited();
        let end = End {
            kind: ended.kind,
            mode: ended.mode,
            by: ended.by,
            outcome: ended.outcome,
            span: Span::of(waited),
        };
        let count = Count {
            ended: 1,
            waited: u64::try_from(waited.num_milliseconds()).unwrap_or_default(),
        };
        self.count(end, count);
    }

    fn count(&mut self, end: End, more: Count) {
        let count = at(&mut self.ends, end);
        count.ended = count.ended.saturating_add(more.ended);
        count.waited = count.waited.saturating_add(more.waited);
    }

    /// Of one kind alone.
    pub fn only(mut self, kind: Kind) -> Self {
        self.hours.retain(|(hour, _)| hour.kind == kind);
        self.ends.retain(|(end, _)| end.kind == kind);
        self
    }

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many of them were asked when: each hour once, always in the same order.
    pub fn hours(&self) -> &[(Hour, u64)] {
        &self.hours
    }

    /// How they ended: each way once, always in the same order, those of a kind together.
    pub fn ends(&self) -> &[(End, Count)] {
        &self.ends
    }
}

/// What is counted of a key, in a list that stays in order.
fn at<K: Copy + Ord, V: Default>(counts: &mut Vec<(K, V)>, key: K) -> &mut V {
    // Counts that were kept come in their order.
    let place = match counts.last() {
        Some((last, _)) if *last >= key => counts.binary_search_by_key(&key, |(known, _)| *known),
        _ => Err(counts.len()),
    };
    let place = place.unwrap_or_else(|place| {
        counts.insert(place, (key, V::default()));
        place
    });
    &mut counts[place].1
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use uuid::Uuid;

    use super::{By, Ended, Tally};
    use crate::{
        interaction::{Kind, Mode},
        outcome::Outcome,
    };

    fn ended(hour: i64, waited: i64, by: By, outcome: Outcome) -> Ended {
        let asked_at = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(24 * 20_000 + hour);
        Ended {
            asked_at,
            closed_at: asked_at + TimeDelta::seconds(waited),
            kind: Kind::Approval,
            mode: Mode::Sync,
            by,
            outcome,
        }
    }

    #[test]
    fn the_order_of_adding_does_not_matter() {
        let ana = By::Responder(Uuid::from_u128(8));
        let all = [
            ended(3, 60, ana, Outcome::Approved),
            ended(3, 61, ana, Outcome::Approved),
            ended(4, 60, ana, Outcome::Denied),
            ended(23, 0, By::Grant, Outcome::Approved),
            Ended {
                kind: Kind::Question,
                mode: Mode::Async,
                ..ended(0, 3_600, By::Nobody, Outcome::Expired)
            },
        ];
        let (mut one, mut other) = (Tally::default(), Tally::default());
        for ended in &all {
            one.add(ended);
        }
        for ended in all.iter().rev() {
            other.add(ended);
        }
        assert_eq!(one, other);
        let (hours, ends) = (one.hours().to_vec(), one.ends().to_vec());
        assert_eq!(one, Tally::new(hours, ends));
        let hours: Vec<_> = one
            .hours()
            .iter()
            .map(|(at, asked)| (at.hour, *asked))
            .collect();
        assert_eq!(hours, [(0, 1), (3, 2), (4, 1), (23, 1)]);
        // 60 and 61 seconds are one span, whose times are still added up as they were.
        assert_eq!(one.ends().len(), 4);
        let questions = one.clone().only(Kind::Question);
        assert_eq!((questions.hours().len(), questions.ends().len()), (1, 1));
        assert!(one.clone().only(Kind::Form).is_empty());
        let waited: u64 = one.ends().iter().map(|(_, count)| count.waited).sum();
        assert_eq!(waited, 1_000 * (60 + 61 + 60 + 3_600));
    }

    #[test]
    fn a_clock_that_was_set_back_takes_no_time_away() {
        let mut tally = Tally::default();
        tally.add(&ended(3, -5, By::Nobody, Outcome::Cancelled));
        assert_eq!(tally.ends()[0].1.waited, 0);
    }
}
