//! The time of a simulated world, and its ids: both follow from the seed.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Ids, Salt};
use machine::clock::Clock;
use uuid::{Builder, Uuid};

/// When every simulated world begins.
const BEGIN_MILLIS: i64 = 1_800_000_000_000;

/// One time for all nodes. It goes on between the turns of a schedule, and at no other moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Time(Arc<Mutex<Passed>>);

#[derive(Debug, Default)]
struct Passed {
    millis: i64,
    ids: u64,
}

impl Time {
    fn passed<T>(&self, of: impl FnOnce(&mut Passed) -> T) -> T {
        of(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn pass(&self, millis: i64) {
        self.passed(|passed| passed.millis += millis);
    }

    /// Milliseconds since the beginning.
    pub(crate) fn millis(&self) -> i64 {
        self.passed(|passed| passed.millis)
    }

    /// So many milliseconds after the beginning.
    pub(crate) fn at(&self, millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(BEGIN_MILLIS + millis).unwrap_or_default()
    }

    fn fresh(&self) -> (i64, u64) {
        self.passed(|passed| {
            passed.ids += 1;
            (passed.millis, passed.ids)
        })
    }
}

impl Clock for Time {
    fn now(&self) -> DateTime<Utc> {
        self.at(self.millis())
    }

    fn uptime(&self) -> Duration {
        Duration::from_millis(self.millis().unsigned_abs())
    }
}

/// UUIDv7 of the simulated time, whose other bits count: each is greater than those before it.
impl Ids for Time {
    fn next(&self) -> Uuid {
        let (millis, number) = self.fresh();
        let mut rest = [0; 10];
        rest[2..].copy_from_slice(&number.to_be_bytes());
        let millis = (BEGIN_MILLIS + millis).unsigned_abs();
        Builder::from_unix_timestamp_millis(millis, &rest).into_uuid()
    }

    fn salt(&self) -> Salt {
        Uuid::from_u64_pair(u64::MAX, self.fresh().1).into_bytes()
    }
}

/// A clock that is wrong by as much: for a planted fault.
#[derive(Clone, Debug)]
pub(crate) struct Skewed(pub(crate) Time, pub(crate) TimeDelta);

impl Clock for Skewed {
    fn now(&self) -> DateTime<Utc> {
        self.0.now() + self.1
    }

    fn uptime(&self) -> Duration {
        self.0.uptime()
    }
}
