//! So many requests a minute for each key, with a burst of as many.

use std::{hash::Hash, num::NonZeroU32, sync::Arc, time::Duration};

use governor::{
    Quota, RateLimiter, clock, middleware::NoOpMiddleware, state::keyed::HashMapStateStore,
};
use machine::clock::Clock;

type Limiter<K> = RateLimiter<K, HashMapStateStore<K>, Uptime, NoOpMiddleware<Duration>>;

/// A limit by the minute. A caller who has used it up gets it back evenly, one request at a time.
pub struct Rate<K: Hash + Eq + Clone> {
    /// `None` = no limit.
    limiter: Option<Limiter<K>>,
    uptime: Uptime,
}

/// A caller asked too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFast {
    /// After so many seconds one more request will pass.
    pub retry_after: u32,
}

impl<K: Hash + Eq + Clone> Rate<K> {
    /// `limit` requests a minute; 0 = any number.
    pub fn per_minute(limit: u32, clock: Arc<dyn Clock>) -> Self {
        let uptime = Uptime(clock);
        let limiter = NonZeroU32::new(limit).map(|limit| {
            let quota = Quota::per_minute(limit);
            RateLimiter::new(quota, HashMapStateStore::default(), uptime.clone())
        });
        Self { limiter, uptime }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// [`TooFast`], and then it is not counted.
    pub fn count(&self, key: &K) -> Result<(), TooFast> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        limiter.check_key(key).map_err(|refused| {
            let wait = refused.wait_time_from(clock::Clock::now(&self.uptime));
            let seconds = wait.as_millis().div_ceil(1_000).max(1);
            TooFast {
                retry_after: u32::try_from(seconds).unwrap_or(u32::MAX),
            }
        })
    }

    /// Forgets the keys that have all their requests back: new ones are as good.
    pub fn forget_idle(&self) {
        if let Some(limiter) = &self.limiter {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }

    /// How many keys are remembered.
    pub fn known(&self) -> usize {
        self.limiter.as_ref().map_or(0, RateLimiter::len)
    }
}

/// The server's clock as governor wants it.
#[derive(Clone)]
struct Uptime(Arc<dyn Clock>);

impl clock::Clock for Uptime {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.uptime()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use chrono::{DateTime, Utc};

    use super::*;

    #[derive(Default)]
    struct Moved(Mutex<Duration>);

    impl Clock for Moved {
        fn now(&self) -> DateTime<Utc> {
            DateTime::UNIX_EPOCH
        }

        fn uptime(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    #[test]
    fn each_key_has_a_burst_and_gets_it_back_evenly() {
        let clock = Arc::new(Moved::default());
        let rate = Rate::per_minute(6, clock.clone());
        let advance = |millis| *clock.0.lock().unwrap() += Duration::from_millis(millis);
        for _ in 0..6 {
            assert_eq!(rate.count(&"a"), Ok(()));
        }
        assert_eq!(rate.count(&"a"), Err(TooFast { retry_after: 10 }));
        advance(1);
        // Never a second too early.
        assert_eq!(rate.count(&"a"), Err(TooFast { retry_after: 10 }));
        assert_eq!(rate.count(&"b"), Ok(()));
        advance(9_000);
        assert_eq!(rate.count(&"a"), Err(TooFast { retry_after: 1 }));
        advance(999);
        assert_eq!(rate.count(&"a"), Ok(()));
        assert_eq!(rate.count(&"a"), Err(TooFast { retry_after: 10 }));
    }

    #[test]
    fn nothing_is_kept_of_those_who_went_away() {
        let clock = Arc::new(Moved::default());
        let rate = Rate::per_minute(60, clock.clone());
        for key in 0..1_000 {
            assert_eq!(rate.count(&key), Ok(()));
        }
        for _ in 0..30 {
            assert_eq!(rate.count(&0), Ok(()));
        }
        rate.forget_idle();
        assert_eq!(rate.known(), 1_000);
        *clock.0.lock().unwrap() += Duration::from_secs(5);
        rate.forget_idle();
        assert_eq!(rate.known(), 1);
    }

    #[test]
    fn no_limit_counts_nothing() {
        let rate = Rate::per_minute(0, Arc::new(Moved::default()));
        for key in 0..10_000 {
            assert_eq!(rate.count(&(key % 2)), Ok(()));
        }
        assert_eq!(rate.known(), 0);
    }
}
