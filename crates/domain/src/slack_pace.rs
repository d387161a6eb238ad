//! How often a method of Slack's is called. The limits are the app's, whichever of its nodes calls: so they share one
//! [`Pace`] of each method, and take turns by it.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc, serde::ts_milliseconds_option};
use serde::{Deserialize, Serialize};

/// Nobody is asked to wait longer; a clock that was wrong may say so.
const LONGEST_REST: TimeDelta = TimeDelta::days(1);

/// How often something may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// So many calls,
    pub calls: u32,
    /// in any time that is so long.
    pub within: TimeDelta,
    /// And never two of them within this.
    pub gap: TimeDelta,
}

impl Limit {
    /// The same in another time: one in which a second is so long.
    pub fn in_seconds_of(self, second: TimeDelta) -> Self {
        let scaled = |span: TimeDelta| {
            let millis = span.num_milliseconds() * second.num_milliseconds() / 1_000;
            TimeDelta::milliseconds(millis)
        };
        Self {
            within: scaled(self.within),
            gap: scaled(self.gap),
            ..self
        }
    }
}

/// Who goes first. The less urgent leave a share of the calls to those who are more so, wherever these come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Somebody waits for it: a question, or buttons that must not be pressed any more.
    First,
    /// It shows how things stand.
    Next,
    /// It is good to know.
    Last,
}

impl Urgency {
    /// Its share of so many calls, in which there is always one.
    fn share(self, calls: u32) -> usize {
        let share = match self {
            Self::First => calls,
            Self::Next => calls * 9 / 10,
            Self::Last => calls * 3 / 4,
        };
        share.max(1) as usize
    }
}

/// The calls of one method lately, and how long it is to be left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// When it was called, in milliseconds, first to last.
    calls: VecDeque<i64>,
    /// Slack wants it to be left alone until then, or did.
    #[serde(with = "ts_milliseconds_option", default)]
    rests_until: Option<DateTime<Utc>>,
}

/// Whether it may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Now, if this is the pace from then on.
    Now(Pace),
    /// Not before then, and perhaps not then.
    Later(DateTime<Utc>),
    /// Slack wants it to be left alone until then.
    Rests(DateTime<Utc>),
}

impl Pace {
    /// Until when it is to be left alone.
    pub fn rest(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.rests_until
            .filter(|until| *until > now && *until - now <= LONGEST_REST)
    }

    /// A turn at `now`. After a rest there is no burst: Slack has counted what we have not.
    pub fn turn(&self, limit: Limit, urgency: Urgency, now: DateTime<Utc>) -> Turn {
        if let Some(until) = self.rest(now) {
            return Turn::Rests(until);
        }
        let at = now.timestamp_millis();
        let within = limit.within.num_milliseconds();
        // Those of a clock that is far ahead are none.
        let counts = |call: &i64| at - call < within && call - at <= within;
        let mut calls: VecDeque<i64> = self.calls.iter().copied().filter(counts).collect();
        let has_rested = self
            .rests_until
            .is_some_and(|until| now - until < limit.within);
        let gap = match has_rested {
            true => limit
                .gap
                .max(limit.within / limit.calls.max(1).cast_signed()),
            false => limit.gap,
        };
        let after_last = calls.back().map(|last| last + gap.num_milliseconds());
        let share = urgency.share(limit.calls);
        let in_window = calls
            .len()
            .checked_sub(share)
            .and_then(|first| calls.get(first))
            .map(|first| first + within);
        let next = after_last.into_iter().chain(in_window).max();
        match next.and_then(DateTime::from_timestamp_millis) {
            Some(next) if next > now => Turn::Later(next),
            _ => {
                // The clocks of nodes differ a little.
                let place = calls.partition_point(|call| *call <= at);
                calls.insert(place, at);
                Turn::Now(Self {
                    calls,
                    rests_until: self.rests_until,
                })
            }
        }
    }

    /// Slack has refused a call: the method is left alone until then.
    pub fn refused(&self, until: DateTime<Utc>) -> Self {
        Self {
            rests_until: self.rests_until.max(Some(until)),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIFTY: Limit = Limit {
        calls: 50,
        within: TimeDelta::seconds(60),
        gap: TimeDelta::milliseconds(200),
    };

    fn epoch() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn after(millis: i64) -> DateTime<Utc> {
        epoch() + TimeDelta::milliseconds(millis)
    }

    /// Calls as soon as it may, and returns when that was.
    fn call(pace: &mut Pace, limit: Limit, urgency: Urgency, now: &mut DateTime<Utc>) {
        loop {
            match pace.turn(limit, urgency, *now) {
                Turn::Now(next) => {
                    *pace = next;
                    return;
                }
                Turn::Later(at) | Turn::Rests(at) => {
                    assert!(at > *now);
                    *now = at;
                }
            }
        }
    }

    #[test]
    fn a_hundred_and_twenty_calls_take_two_minutes_and_none_is_too_soon() {
        let (mut pace, mut now) = (Pace::default(), epoch());
        let mut at = Vec::new();
        for _ in 0..120 {
            call(&mut pace, FIFTY, Urgency::First, &mut now);
            at.push((now - epoch()).num_milliseconds());
        }
        assert_eq!((at[0], at[49], at[50]), (0, 9_800, 60_000));
        assert_eq!(at[119], 123_800);
        assert!(at.windows(51).all(|calls| calls[50] - calls[0] >= 60_000));
        // It does not remember more than it has to.
        assert!(pace.calls.len() <= 50);
    }

    #[test]
    fn the_less_urgent_leave_a_share_to_the_others() {
        let (mut pace, mut now) = (Pace::default(), epoch());
        for _ in 0..37 {
            call(&mut pace, FIFTY, Urgency::Last, &mut now);
        }
        assert!(now < after(10_000));
        let later = now + FIFTY.gap;
        let turn = |urgency| pace.turn(FIFTY, urgency, later);
        assert_eq!(turn(Urgency::Last), Turn::Later(after(60_000)));
        assert!(matches!(turn(Urgency::Next), Turn::Now(_)));
        assert!(matches!(turn(Urgency::First), Turn::Now(_)));
    }

    #[test]
    fn what_is_to_be_left_alone_is_and_then_there_is_no_burst() {
        let pace = Pace::default().refused(after(30_000));
        assert_eq!(pace.rest(epoch()), Some(after(30_000)));
        for urgency in [Urgency::First, Urgency::Last] {
            let turn = pace.turn(FIFTY, urgency, after(29_999));
            assert_eq!(turn, Turn::Rests(after(30_000)));
        }
        // A shorter pause does not end it.
        assert_eq!(pace.refused(after(10_000)), pace);
        let (mut pace, mut now) = (pace, after(30_000));
        for n in 0..10 {
            call(&mut pace, FIFTY, Urgency::First, &mut now);
            assert_eq!(now, after(30_000 + n * 1_200));
        }
        // A minute later it is as before.
        now = after(95_000);
        call(&mut pace, FIFTY, Urgency::First, &mut now);
        call(&mut pace, FIFTY, Urgency::First, &mut now);
        assert_eq!(now, after(95_200));
    }

    #[test]
    fn a_clock_that_was_wrong_stops_nobody() {
        let mut far = epoch() + TimeDelta::days(400);
        let mut pace = Pace::default().refused(far);
        assert_eq!(pace.rest(epoch()), None);
        call(&mut pace, FIFTY, Urgency::First, &mut far);
        assert!(matches!(
            pace.turn(FIFTY, Urgency::First, epoch()),
            Turn::Now(_)
        ));
    }

    #[test]
    fn it_is_stored_as_it_is() {
        let (mut pace, mut now) = (Pace::default().refused(after(-5)), epoch());
        call(&mut pace, FIFTY, Urgency::First, &mut now);
        let stored = serde_json::to_string(&pace).unwrap();
        assert_eq!(serde_json::from_str::<Pace>(&stored).unwrap(), pace);
        assert_eq!(
            serde_json::from_str::<Pace>(r#"{"calls":[]}"#).unwrap(),
            Pace::default()
        );
    }

    #[test]
    fn a_second_may_be_shorter() {
        let short = FIFTY.in_seconds_of(TimeDelta::milliseconds(100));
        assert_eq!(short.calls, 50);
        assert_eq!(short.within, TimeDelta::seconds(6));
        assert_eq!(short.gap, TimeDelta::milliseconds(20));
    }

    proptest! {
        /// However they come, in any minute there are fifty at most, and everybody has a turn.
        #[test]
        fn no_minute_has_more_than_its_calls(
            wanted in prop::collection::vec((0_i64..5_000, 0_u8..3), 1..300),
        ) {
            let (mut pace, mut now) = (Pace::default(), epoch());
            let mut at = Vec::new();
            for (pause, urgency) in wanted {
                now += TimeDelta::milliseconds(pause);
                let urgency = [Urgency::First, Urgency::Next, Urgency::Last][urgency as usize];
                call(&mut pace, FIFTY, urgency, &mut now);
                at.push(now.timestamp_millis());
            }
            prop_assert!(at.windows(2).all(|two| two[1] - two[0] >= 200));
            prop_assert!(at.windows(51).all(|calls| calls[50] - calls[0] >= 60_000));
        }
    }
}
