//! How people are reached, in numbers, for admins.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Principal, Refused};
use store::{MessagesBy, Reaching, WaysBy};

use super::super::{Service, ServiceError};

/// The newest so many blockers are looked at.
const LOOKED_AT: u32 = 5_000;

/// How people were reached since then, by all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachNumbers {
    /// How many blockers were asked.
    pub asked: usize,
    /// Whether these are only the newest of them.
    pub is_cut: bool,
    /// What became of the messages, by way.
    pub messages: Vec<MessagesBy>,
    /// The ways that there are now.
    pub ways: Vec<WaysBy>,
    /// From asking until somebody was reached.
    pub reached: Spread,
    /// From asking until somebody opened it.
    pub seen: Spread,
    /// From asking to the answer.
    pub answered: Spread,
    /// How many blockers have been told of by so many rungs, from one rung on.
    pub rungs: Vec<usize>,
}

/// How long something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// How often it was.
    pub count: usize,
    /// As long as half of them took at most.
    pub median: TimeDelta,
    /// As long as nine in ten took at most.
    pub most: TimeDelta,
    /// The longest.
    pub longest: TimeDelta,
}

impl Spread {
    fn of(mut times: Vec<TimeDelta>) -> Self {
        times.sort_unstable();
        let part = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or_default()
        };
        Self {
            count: times.len(),
            median: part(50),
            most: part(90),
            longest: part(100),
        }
    }
}

impl Service {
    /// How people were reached since then.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub async fn reach_numbers(
        &self,
        since: DateTime<Utc>,
        by: &Principal,
    ) -> Result<ReachNumbers, ServiceError> {
        by.admin().map_err(|_| Refused::NotAnAdmin)?;
        let reaching = self.store.reaching_since(since, LOOKED_AT).await?;
        let until = |at: fn(&Reaching) -> Option<DateTime<Utc>>| {
            let times = reaching.iter().filter_map(|one| {
                let took = at(one)? - one.asked_at;
                Some(took.max(TimeDelta::zero()))
            });
            Spread::of(times.collect())
        };
        Ok(ReachNumbers {
            asked: reaching.len(),
            is_cut: reaching.len() >= LOOKED_AT as usize,
            messages: self.store.messages_since(since).await?,
            ways: self.ways().await?,
            reached: until(|one| one.reached_at),
            seen: until(|one| one.seen_at),
            answered: until(|one| one.answered_at),
            rungs: rungs(&reaching),
        })
    }

    /// The ways by which people can be reached now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn ways(&self) -> Result<Vec<WaysBy>, ServiceError> {
        Ok(self.store.ways().await?)
    }
}

/// How many got as far as each rung, at least.
fn rungs(reaching: &[Reaching]) -> Vec<usize> {
    let highest = reaching.iter().map(|one| one.rungs).max().unwrap_or(0);
    let as_far_as = |rung| reaching.iter().filter(|one| one.rungs >= rung).count();
    (1..=highest).map(as_far_as).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_of_times_that_were() {
        let times = (1..=10).rev().map(TimeDelta::seconds).collect();
        let spread = Spread::of(times);
        assert_eq!(spread.count, 10);
        assert_eq!(spread.median, TimeDelta::seconds(5));
        assert_eq!(spread.most, TimeDelta::seconds(9));
        assert_eq!(spread.longest, TimeDelta::seconds(10));
        assert_eq!(Spread::of(Vec::new()), Spread::default());
    }

    #[test]
    fn a_higher_rung_counts_among_the_lower_ones() {
        let with = |rungs| Reaching {
            asked_at: DateTime::UNIX_EPOCH,
            rungs,
            reached_at: None,
            seen_at: None,
            answered_at: None,
        };
        assert_eq!(rungs(&[with(0), with(1), with(3)]), [2, 1, 1]);
        assert!(rungs(&[]).is_empty());
    }
}
