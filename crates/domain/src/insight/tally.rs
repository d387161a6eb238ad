//! What ended, counted.

use chrono::{DateTime, TimeDelta, Timelike, Utc};
use uuid::Uuid;

use super::Span;
use crate::{outcome::Outcome, quota::Day};

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

/// The counts of one day. The same blockers make the same tally, in whatever order they are added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many of them were asked in each hour of UTC.
    hours: [u64; 24],
    /// Each once, in their order.
    ends: Vec<(End, Count)>,
}

impl Tally {
    /// Of these counts; those of the same end are added up.
    pub fn new(hours: [u64; 24], ends: impl IntoIterator<Item = (End, Count)>) -> Self {
        let mut tally = Self {
            hours,
            ends: Vec::new(),
        };
        for (end, count) in ends {
            tally.count(end, count);
        }
        tally
    }

    /// Adds one.
    pub fn add(&mut self, ended: &Ended) {
        if let Some(hour) = usize::try_from(ended.asked_at.hour())
            .ok()
            .and_then(|hour| self.hours.get_mut(hour))
        {
            *hour += 1;
        }
        let waited = ended.waited();
        let end = End {
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
        // Counts that were kept come in their order.
        if self.ends.last().is_none_or(|(last, _)| *last < end) {
            self.ends.push((end, more));
            return;
        }
        match self.ends.binary_search_by(|(known, _)| known.cmp(&end)) {
            Ok(at) => {
                let count = &mut self.ends[at].1;
                count.ended = count.ended.saturating_add(more.ended);
                count.waited = count.waited.saturating_add(more.waited);
            }
            Err(at) => self.ends.insert(at, (end, more)),
        }
    }

    /// How many of them were asked in each hour of UTC.
    pub fn hours(&self) -> &[u64; 24] {
        &self.hours
    }

    /// How they ended: each way once, always in the same order.
    pub fn ends(&self) -> &[(End, Count)] {
        &self.ends
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use uuid::Uuid;

    use super::{By, Ended, Tally};
    use crate::outcome::Outcome;

    fn ended(hour: i64, waited: i64, by: By, outcome: Outcome) -> Ended {
        let asked_at = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(24 * 20_000 + hour);
        Ended {
            asked_at,
            closed_at: asked_at + TimeDelta::seconds(waited),
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
            ended(0, 3_600, By::Nobody, Outcome::Expired),
        ];
        let (mut one, mut other) = (Tally::default(), Tally::default());
        for ended in &all {
            one.add(ended);
        }
        for ended in all.iter().rev() {
            other.add(ended);
        }
        assert_eq!(one, other);
        assert_eq!(one, Tally::new(*one.hours(), one.ends().iter().copied()));
        assert_eq!(one.hours()[3], 2);
        assert_eq!(one.hours().iter().sum::<u64>(), 5);
        // 60 and 61 seconds are one span, whose times are still added up as they were.
        assert_eq!(one.ends().len(), 4);
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
