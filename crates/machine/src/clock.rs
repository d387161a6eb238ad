//! The one place that asks for the time and makes ids; everything else gets them handed in.

use std::{
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, SubsecRound, Utc};
use domain::{Ids, Salt};
use uuid::{ContextV7, Timestamp, Uuid};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now, in whole milliseconds, as SQL keeps it.
    fn now(&self) -> DateTime<Utc>;

    /// The time since some moment that stays the same. It never goes back, even when the time of
    /// day is set.
    fn uptime(&self) -> Duration;
}

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }

    fn uptime(&self) -> Duration {
        STARTED.elapsed()
    }
}

/// UUIDv7, each greater than the last one made by this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the source of ids")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn salt(&self) -> Salt {
        rand::random()
    }
}

/// A clock that shows the time it is set to, and the ids of that time: for a history that is lived through in seconds, by the same
/// use cases as any other.
#[derive(Debug)]
pub struct SetClock(Mutex<(DateTime<Utc>, ContextV7)>);

impl SetClock {
    /// Shows this time.
    pub fn at(time: DateTime<Utc>) -> Self {
        Self(Mutex::new((time.trunc_subsecs(3), ContextV7::new())))
    }

    /// Shows this time from now on; an earlier one than it shows changes nothing.
    pub fn advance_to(&self, time: DateTime<Utc>) {
        let shown = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).0;
        *shown = (*shown).max(time.trunc_subsecs(3));
    }
}

impl Clock for SetClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    fn uptime(&self) -> Duration {
        STARTED.elapsed()
    }
}

impl Ids for SetClock {
    fn next(&self) -> Uuid {
        let (now, order) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
        Uuid::new_v7(Timestamp::from_unix(
            order,
            seconds,
            now.timestamp_subsec_nanos(),
        ))
    }

    fn salt(&self) -> Salt {
        rand::random()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_clock_that_is_set_makes_ids_of_its_time_in_order_and_never_goes_back() {
        let begin = DateTime::from_timestamp_millis(1_800_000_000_123).unwrap();
        let clock = SetClock::at(begin);
        let mut ids = Vec::new();
        for minute in 0..3 {
            let now = begin + TimeDelta::minutes(minute);
            clock.advance_to(now);
            clock.advance_to(begin);
            assert_eq!(clock.now(), now);
            for _ in 0..100 {
                let id = clock.next();
                let millis = i64::try_from(id.as_u128() >> 80).unwrap();
                assert_eq!(millis, now.timestamp_millis());
                ids.push(id);
            }
        }
        assert!(ids.is_sorted_by(|one, next| one < next));
    }
}
