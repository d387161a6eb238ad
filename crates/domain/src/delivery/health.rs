//! How a destination has been doing. One that fails again and again is asked less often, no matter
//! how much waits for it, and one that does nothing but fail is asked no more.

use chrono::{DateTime, TimeDelta, Utc};

use super::schedule::PARKED;

/// So many failures in a row are bad luck.
const LUCK: u32 = 2;
/// The pause after one failure more, which doubles with each.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(5);
/// The longest pause.
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(5);
/// How long an endpoint may do nothing but fail.
const PATIENCE: TimeDelta = TimeDelta::days(5);
/// So many failures in a row are more than a few that happened to fall days apart.
const MANY: u32 = 10;
/// How many deliveries a healthy destination gets at once.
const TOGETHER: u32 = 4;

/// How a destination has been doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// How many tries have failed since the last success.
    pub failures: u32,
    /// The first of them.
    pub failing_since: Option<DateTime<Utc>>,
    /// Nothing is sent before.
    pub resume_at: Option<DateTime<Utc>>,
}

impl Health {
    /// How it does after one more try.
    pub fn after(self, success: bool, now: DateTime<Utc>) -> Self {
        if success {
            return Self::default();
        }
        let failures = self.failures.saturating_add(1);
        let pause = failures.checked_sub(LUCK + 1).map(|more| {
            let doubled = FIRST_PAUSE * 2_i32.pow(more.min(10));
            doubled.min(LONGEST_PAUSE)
        });
        Self {
            failures,
            failing_since: self.failing_since.or(Some(now)),
            resume_at: pause.map(|pause| now + pause),
        }
    }

    /// How it does after one more try that showed that something has to be set up first.
    pub fn parked(self, now: DateTime<Utc>) -> Self {
        Self {
            failures: self.failures.saturating_add(1),
            failing_since: self.failing_since.or(Some(now)),
            resume_at: Some(now + PARKED),
        }
    }

    /// How many deliveries it may get at once: one that fails is tried with one.
    pub fn together(self) -> u32 {
        if self.failures > LUCK { 1 } else { TOGETHER }
    }

    /// Whether it has done nothing but fail for five days.
    pub fn is_hopeless(self, now: DateTime<Utc>) -> bool {
        self.failing_since
            .is_some_and(|since| now - since >= PATIENCE)
    }

    /// The same of what is asked seldom, where two failures may well be five days apart: it has failed many times, too.
    pub fn is_hopeless_after_many(self, now: DateTime<Utc>) -> bool {
        self.failures >= MANY && self.is_hopeless(now)
    }
}
