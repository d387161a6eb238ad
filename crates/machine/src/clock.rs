//! The one place that asks for the time and makes ids; everything else gets them handed in.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use chrono::{DateTime, SubsecRound, Utc};
use domain::{Ids, Salt};
use uuid::Uuid;

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
