//! What holds for every ladder, deadline, zone and week.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

use super::{person, quiet};
use crate::{
    delivery::ReachKind::Push,
    ladder::{After, Circle, Class, Ladder, Quiet, Rung, Telling, telling},
    limits::{RUNG_APART, RUNG_SECONDS_MAX, RUNG_SECONDS_MIN},
};

fn moment(minutes: i64) -> DateTime<Utc> {
    // From 1990 on.
    DateTime::from_timestamp(631_152_000 + minutes * 60, 0).unwrap()
}

fn zones() -> impl Strategy<Value = &'static str> {
    let names: Vec<_> = chrono_tz::TZ_VARIANTS
        .iter()
        .map(|zone| zone.name())
        .collect();
    prop::sample::select(names)
}

prop_compose! {
    fn quiets()(
        zone in zones(),
        from in (0..24_u32, 0..60_u32),
        until in (0..24_u32, 0..60_u32),
        days in prop::collection::btree_set(prop::sample::select(vec!["mon", "tue", "wed", "fri", "sat", "sun"]), 0..6),
        urgent in any::<bool>(),
    ) -> Quiet {
        let text = |(hour, minute): (u32, u32)| format!("{hour:02}:{minute:02}");
        let until = if from == until { ((until.0 + 1) % 24, until.1) } else { until };
        let days: Vec<_> = days.into_iter().collect();
        Quiet { urgent, ..quiet(zone, &text(from), &text(until), &days) }
    }
}

prop_compose! {
    fn ladders()(
        waits in prop::collection::vec(
            (prop::option::of(RUNG_SECONDS_MIN..=RUNG_SECONDS_MAX), 1..=10_u32), 0..9,
        ),
    ) -> Ladder {
        let rung = |after, times| Rung { after, whom: Circle::Team, by: Vec::new(), times };
        let mut rungs = vec![rung(After::Seconds(0), 1)];
        rungs.extend(waits.into_iter().map(|(wait, times)| {
            rung(wait.map_or(After::Half, After::Seconds), times)
        }));
        Ladder { urgent: rungs, ..Ladder::default() }
    }
}

proptest! {
    #[test]
    fn every_ladder_ends_before_its_deadline_and_no_two_rungs_come_close(
        ladder in ladders(),
        seconds in 1..40_000_000_i64,
    ) {
        let start = moment(0);
        let deadline = start + TimeDelta::seconds(seconds);
        let (mut now, mut place) = (start, 0);
        while let Some(next) = ladder.next_at(Class::Urgent, place + 1, now, Some(deadline)) {
            prop_assert!(next - now >= RUNG_APART);
            prop_assert!(deadline - next >= RUNG_APART);
            (now, place) = (next, place + 1);
            prop_assert!(place <= 100);
        }
        prop_assert!(ladder.rung(Class::Urgent, place).is_some());
    }

    #[test]
    fn quiet_hours_end_and_the_moment_after_them_is_not_quiet(
        quiet in quiets(),
        minutes in 0..20_000_000_i64,
    ) {
        let now = moment(minutes);
        if let Some(end) = quiet.until(now) {
            prop_assert!(end > now);
            prop_assert!(end - now <= TimeDelta::days(9), "{end} {now}");
            prop_assert_eq!(quiet.until(end), None);
            // All of it is one time.
            let middle = now + (end - now) / 2;
            prop_assert_eq!(quiet.until(middle), Some(end));
        }
    }

    #[test]
    fn quiet_hours_never_hold_back_what_ends_in_them(
        quiet in quiets(),
        minutes in 0..20_000_000_i64,
        left in 1..14_000_i64,
        class in prop::sample::select(Class::ALL.to_vec()),
    ) {
        let now = moment(minutes);
        let deadline = now + TimeDelta::minutes(left);
        let mut ana = person(1, &[Push]);
        ana.quiet = Some(quiet);
        match telling(&ana, &[], class, Some(deadline), now) {
            Telling::Now { .. } => {}
            Telling::Later { until, .. } => prop_assert!(until < deadline),
            Telling::Never => prop_assert!(false),
        }
    }

    #[test]
    fn what_is_quiet_is_what_the_clocks_on_the_wall_say(
        minutes in 0..20_000_000_i64,
        from in 0..24_u32,
        length in 1..24_u32,
    ) {
        // In UTC no clock is ever changed.
        let until = (from + length) % 24;
        let hours = quiet("UTC", &format!("{from:02}:00"), &format!("{until:02}:00"), &[]);
        let now = moment(minutes);
        let hour: u32 = now.format("%H").to_string().parse().unwrap();
        let is_quiet = (hour + 24 - from) % 24 < length;
        prop_assert_eq!(hours.until(now).is_some(), is_quiet);
    }
}
