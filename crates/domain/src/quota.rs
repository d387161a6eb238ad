//! How much an agent may have stored in a day, so that one token cannot fill the disk.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use crate::{event::NewEvent, ids::AgentId, principal::Actor, refused::Refused};

/// A day in UTC: so many after 1 January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The day of a moment.
    pub fn of(at: DateTime<Utc>) -> Self {
        Self(at.timestamp().div_euclid(24 * 60 * 60))
    }

    /// Its first moment; that of the last day there is, where it is later than any.
    pub fn begins(self) -> DateTime<Utc> {
        let seconds = self.0.saturating_mul(24 * 60 * 60);
        DateTime::from_timestamp(seconds, 0).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// The first moment after it.
    pub fn ends(self) -> DateTime<Utc> {
        Self(self.0.saturating_add(1)).begins()
    }
}

/// How many bytes an agent may have stored in a day; 0 = any number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quota(pub u64);

impl Quota {
    /// The limit that must not be passed, if there is such a thing.
    pub fn limit(self) -> Option<u64> {
        (self.0 > 0).then_some(self.0)
    }

    /// Whether an agent that has had `used` bytes stored today may have more. The last one may pass the
    /// limit: by one request at most.
    ///
    /// # Errors
    /// [`Refused::QuotaUsedUp`], with when it ends.
    pub fn admit(self, used: u64, now: DateTime<Utc>) -> Result<(), Refused> {
        match self.limit() {
            Some(limit) if used >= limit => {
                let until = tomorrow(now);
                let wait = until - now;
                Err(Refused::QuotaUsedUp { limit, until, wait })
            }
            _ => Ok(()),
        }
    }
}

/// The beginning of the next day in UTC.
fn tomorrow(now: DateTime<Utc>) -> DateTime<Utc> {
    let today = now.date_naive().and_time(NaiveTime::MIN).and_utc();
    today + TimeDelta::days(1)
}

/// The agent and day whose quota events count for: those of the agent that caused them, on the day
/// of the first.
pub fn charged(events: &[NewEvent]) -> Option<(AgentId, Day)> {
    events.iter().find_map(|event| match &event.actor {
        Actor::Agent(agent) => Some((agent.id, Day::of(event.at))),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_quota_ends_with_the_day_in_utc() {
        let now = at("2026-11-23T23:59:59.999Z");
        assert_eq!(Quota(100).admit(99, now), Ok(()));
        let until = at("2026-11-24T00:00:00Z");
        for used in [100, u64::MAX] {
            let wait = TimeDelta::milliseconds(1);
            let limit = 100;
            let refused = Refused::QuotaUsedUp { limit, until, wait };
            assert_eq!(Quota(100).admit(used, now), Err(refused));
        }
        assert_eq!(Day::of(now).0 + 1, Day::of(until).0);
        assert_eq!(Day::of(at("1969-12-31T23:00:00Z")), Day(-1));
    }

    #[test]
    fn without_a_quota_there_is_no_limit() {
        assert_eq!(Quota(0).admit(u64::MAX, at("2026-11-23T12:00:00Z")), Ok(()));
    }
}
