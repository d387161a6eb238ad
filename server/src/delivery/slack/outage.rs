//! Whether Slack is there at all, as this node sees it: while it is not, one call of each method at a time finds out when
//! it is back, and nothing else is begun. Cards and messages to people learn it from one another.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use domain::{DestinationId, delivery::outage_pause};

/// How many lanes are remembered. Others may be tried at any time.
const REMEMBERED: usize = 10_000;

/// What may be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::delivery) enum Permit {
    /// Anything.
    All,
    /// One thing, to see whether it arrives.
    One,
    Nothing,
}

/// How often a method failed in a row, and when it is tried again.
#[derive(Clone, Copy)]
struct Broken {
    failures: u32,
    resume_at: DateTime<Utc>,
}

#[derive(Default)]
struct Known {
    broken: HashMap<&'static str, Broken>,
    /// Which method a lane uses.
    methods: HashMap<DestinationId, &'static str>,
}

/// See the module.
#[derive(Default)]
pub struct Outage(Mutex<Known>);

impl Outage {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call failed as it does when Slack is not there.
    pub(in crate::delivery) fn begins(&self, method: &'static str, now: DateTime<Utc>) {
        let mut known = self.known();
        let failures = known.broken.get(method).map_or(1, |one| one.failures + 1);
        let resume_at = now + outage_pause(failures);
        let broken = Broken {
            failures,
            resume_at,
        };
        known.broken.insert(method, broken);
    }

    /// A call was answered.
    pub(in crate::delivery) fn ends(&self, method: &'static str) {
        self.known().broken.remove(method);
    }

    /// Whether the method failed so last.
    pub(super) fn is_on(&self, method: &'static str) -> bool {
        self.known().broken.contains_key(method)
    }

    /// A lane uses this method.
    pub(super) fn learn(&self, lane: DestinationId, method: &'static str) {
        let mut known = self.known();
        if known.methods.len() >= REMEMBERED {
            known.methods.clear();
        }
        known.methods.insert(lane, method);
    }

    /// What may be begun in a lane. Who gets one thing has to begin it: the next comes after the pause.
    pub(super) fn permit(&self, lane: DestinationId, now: DateTime<Utc>) -> Permit {
        let method = self.known().methods.get(&lane).copied();
        method.map_or(Permit::All, |method| self.permit_call(method, now))
    }

    /// The same of what calls this method.
    pub(in crate::delivery) fn permit_call(&self, method: &str, now: DateTime<Utc>) -> Permit {
        let mut known = self.known();
        let Some(broken) = known.broken.get_mut(method) else {
            return Permit::All;
        };
        if broken.resume_at > now {
            return Permit::Nothing;
        }
        broken.resume_at = now + outage_pause(broken.failures);
        Permit::One
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn while_slack_is_away_one_thing_at_a_time_is_tried_in_all_lanes_of_a_method() {
        let outage = Outage::default();
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let at = |seconds| now + TimeDelta::seconds(seconds);
        let [asks, news, changes, new] = [1, 2, 3, 4].map(|n| DestinationId(Uuid::from_u128(n)));
        for (lane, method) in [
            (asks, "chat.postMessage"),
            (news, "chat.postMessage"),
            (changes, "chat.update"),
        ] {
            outage.learn(lane, method);
            assert_eq!(outage.permit(lane, now), Permit::All);
        }
        outage.begins("chat.postMessage", now);
        assert_eq!(outage.permit(asks, now), Permit::Nothing);
        assert_eq!(outage.permit(changes, now), Permit::All);
        assert_eq!(outage.permit(new, now), Permit::All);
        assert_eq!(outage.permit(news, at(1)), Permit::One);
        assert_eq!(outage.permit(asks, at(1)), Permit::Nothing);
        outage.begins("chat.postMessage", at(2));
        assert_eq!(outage.permit(asks, at(3)), Permit::Nothing);
        assert_eq!(outage.permit(asks, at(4)), Permit::One);
        outage.ends("chat.postMessage");
        assert_eq!(outage.permit(news, at(4)), Permit::All);
    }
}
