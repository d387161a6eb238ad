//! Hand-overs where clocks do odd things. The moments were worked out by another program (Python's `zoneinfo`).

use chrono::TimeDelta;

use super::{Duty, Every, everybody, rota, utc, who};
use crate::duty::{on_duty, shifts};

type Week = (
    &'static str,
    Every,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// What is odd; the length of turns, the zone, the time of day and the first day; the hand-overs from then on.
#[rustfmt::skip]
const WEEKS: &[Week] = &[
    ("the clock goes forward, by day", Every::Day, "Europe/Berlin", "09:00", "2026-03-28", &["2026-03-28T08:00Z", "2026-03-29T07:00Z", "2026-03-30T07:00Z", "2026-03-31T07:00Z"]),
    ("the clock goes back, by day", Every::Day, "Europe/Berlin", "09:00", "2026-10-24", &["2026-10-24T07:00Z", "2026-10-25T08:00Z", "2026-10-26T08:00Z", "2026-10-27T08:00Z"]),
    ("an hour that does not exist", Every::Day, "Europe/Berlin", "02:30", "2026-03-27", &["2026-03-27T01:30Z", "2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"]),
    ("an hour that comes twice", Every::Day, "Europe/Berlin", "02:30", "2026-10-23", &["2026-10-23T00:30Z", "2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-27T01:30Z"]),
    ("the moment the clock goes forward", Every::Day, "Europe/Berlin", "02:00", "2026-03-28", &["2026-03-28T01:00Z", "2026-03-29T01:00Z", "2026-03-30T00:00Z"]),
    ("the hour after it went forward", Every::Day, "Europe/Berlin", "03:00", "2026-03-28", &["2026-03-28T02:00Z", "2026-03-29T01:00Z", "2026-03-30T01:00Z"]),
    ("the hour it goes back to", Every::Day, "Europe/Berlin", "02:00", "2026-10-24", &["2026-10-24T00:00Z", "2026-10-25T00:00Z", "2026-10-26T01:00Z"]),
    ("the moment the clock goes back", Every::Day, "Europe/Berlin", "03:00", "2026-10-24", &["2026-10-24T01:00Z", "2026-10-25T02:00Z", "2026-10-26T02:00Z"]),
    ("half an hour beside the others", Every::Day, "Asia/Kolkata", "09:00", "2026-03-28", &["2026-03-28T03:30Z", "2026-03-29T03:30Z", "2026-03-30T03:30Z"]),
    ("three quarters of an hour", Every::Day, "Asia/Kathmandu", "09:00", "2026-10-24", &["2026-10-24T03:15Z", "2026-10-25T03:15Z", "2026-10-26T03:15Z"]),
    ("half an hour that does not exist", Every::Day, "Australia/Lord_Howe", "02:15", "2026-10-03", &["2026-10-02T15:45Z", "2026-10-03T15:45Z", "2026-10-04T15:15Z"]),
    ("half an hour that comes twice", Every::Day, "Australia/Lord_Howe", "01:45", "2026-04-04", &["2026-04-03T14:45Z", "2026-04-04T14:45Z", "2026-04-05T15:15Z"]),
    ("three weeks before Europe", Every::Day, "America/New_York", "09:00", "2026-03-07", &["2026-03-07T14:00Z", "2026-03-08T13:00Z", "2026-03-09T13:00Z"]),
    ("a week after Europe", Every::Day, "America/New_York", "01:30", "2026-10-31", &["2026-10-31T05:30Z", "2026-11-01T05:30Z", "2026-11-02T06:30Z"]),
    ("the southern spring", Every::Day, "Australia/Sydney", "02:30", "2026-10-03", &["2026-10-02T16:30Z", "2026-10-03T16:30Z", "2026-10-04T15:30Z"]),
    ("midnight does not exist", Every::Day, "Africa/Cairo", "00:00", "2026-04-23", &["2026-04-22T22:00Z", "2026-04-23T22:00Z", "2026-04-24T21:00Z"]),
    ("midnight comes twice", Every::Day, "America/Havana", "00:30", "2026-10-31", &["2026-10-31T04:30Z", "2026-11-01T04:30Z", "2026-11-02T05:30Z"]),
    ("a fast moves the clock back", Every::Day, "Africa/Casablanca", "09:00", "2026-02-14", &["2026-02-14T08:00Z", "2026-02-15T09:00Z", "2026-02-16T09:00Z"]),
    ("and forward again", Every::Day, "Africa/Casablanca", "09:00", "2026-03-21", &["2026-03-21T09:00Z", "2026-03-22T08:00Z", "2026-03-23T08:00Z"]),
    ("a leap day", Every::Day, "Asia/Tokyo", "18:00", "2028-02-28", &["2028-02-28T09:00Z", "2028-02-29T09:00Z", "2028-03-01T09:00Z"]),
    ("no leap day", Every::Day, "UTC", "00:00", "2026-02-27", &["2026-02-27T00:00Z", "2026-02-28T00:00Z", "2026-03-01T00:00Z"]),
    ("the end of a year", Every::Day, "Pacific/Auckland", "00:00", "2026-12-31", &["2026-12-30T11:00Z", "2026-12-31T11:00Z", "2027-01-01T11:00Z"]),
    ("a day that did not exist", Every::Day, "Pacific/Apia", "09:00", "2011-12-28", &["2011-12-28T19:00Z", "2011-12-29T19:00Z", "2011-12-30T19:00Z", "2011-12-30T19:00Z", "2011-12-31T19:00Z"]),
    ("midnight of a day that did not exist", Every::Day, "Pacific/Apia", "00:00", "2011-12-29", &["2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"]),
    ("a zone that moved for good", Every::Day, "Europe/Istanbul", "03:30", "2016-03-26", &["2016-03-26T01:30Z", "2016-03-27T01:30Z", "2016-03-28T00:30Z"]),
    ("a week with the change to summer", Every::Week, "Europe/Berlin", "09:00", "2026-03-23", &["2026-03-23T08:00Z", "2026-03-30T07:00Z", "2026-04-06T07:00Z"]),
    ("a week with the change to winter", Every::Week, "Europe/Berlin", "02:30", "2026-10-18", &["2026-10-18T00:30Z", "2026-10-25T00:30Z", "2026-11-01T01:30Z"]),
    ("weeks round a year's end", Every::Week, "America/Los_Angeles", "17:00", "2026-12-25", &["2026-12-26T01:00Z", "2027-01-02T01:00Z", "2027-01-09T01:00Z"]),
    ("weeks round a leap day", Every::Week, "Asia/Kolkata", "08:00", "2028-02-23", &["2028-02-23T02:30Z", "2028-03-01T02:30Z", "2028-03-08T02:30Z"]),
    ("a week without one of its days", Every::Week, "Pacific/Apia", "09:00", "2011-12-23", &["2011-12-23T19:00Z", "2011-12-30T19:00Z", "2012-01-05T19:00Z"]),
];

#[test]
fn nasty_weeks_have_no_gap_and_nobody_twice() {
    for (odd, every, zone, at, starts, moments) in WEEKS {
        let rota = rota(&[0, 1, 2, 3, 4, 5], *every, zone, at, starts);
        let moments: Vec<_> = moments.iter().map(|text| utc(text)).collect();
        let days = (0..).step_by(every.days().unsigned_abs() as usize);
        for (n, moment) in days.zip(&moments) {
            let day = rota.starts + TimeDelta::days(n);
            assert_eq!(rota.hand_over_on(day), *moment, "{odd}: {day}");
        }
        let duty = Duty {
            rota,
            overrides: Vec::new(),
            absences: Vec::new(),
        };
        let first = moments[0];
        assert_eq!(
            on_duty(&duty, &everybody, first - TimeDelta::seconds(1)),
            None,
            "{odd}"
        );
        let last = moments[moments.len() - 1];
        let listed = shifts(&duty, &everybody, first, last);
        let mut expected = Vec::new();
        for (n, turn) in (0..).zip(moments.windows(2)) {
            let (from, until) = (turn[0], turn[1]);
            // A day that did not exist is nobody's.
            if from == until {
                continue;
            }
            expected.push((Some(who(n)), from, until));
            let inside = [
                from,
                from + (until - from) / 2,
                until - TimeDelta::seconds(1),
            ];
            for at in inside {
                let shift = on_duty(&duty, &everybody, at).unwrap();
                assert_eq!(
                    (shift.person, shift.from, shift.until),
                    (Some(who(n)), from, until),
                    "{odd}: {at}"
                );
            }
        }
        let listed: Vec<_> = listed
            .into_iter()
            .map(|shift| (shift.person, shift.from, shift.until))
            .collect();
        assert_eq!(listed, expected, "{odd}");
    }
}

#[test]
fn a_turn_is_as_long_as_its_day() {
    let hours = |starts| {
        let duty = Duty {
            rota: rota(&[0], Every::Day, "Europe/Berlin", "09:00", starts),
            overrides: Vec::new(),
            absences: Vec::new(),
        };
        let first = duty.rota.hand_over_on(duty.rota.starts);
        let shift = on_duty(&duty, &everybody, first).unwrap();
        (shift.until - shift.from).num_hours()
    };
    assert_eq!(hours("2026-03-28"), 23);
    assert_eq!(hours("2026-06-01"), 24);
    assert_eq!(hours("2026-10-24"), 25);
}
