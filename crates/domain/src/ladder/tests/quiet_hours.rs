//! Quiet hours by the clocks of places, also where those are put forward and back.

use super::{quiet, utc};

#[test]
fn a_night_goes_past_midnight_and_a_noon_does_not() {
    let night = quiet("Europe/Berlin", "22:00", "07:00", &[]);
    let cases = [
        ("2026-11-23T20:59Z", None),
        ("2026-11-23T21:00Z", Some("2026-11-24T06:00Z")),
        ("2026-11-23T23:30Z", Some("2026-11-24T06:00Z")),
        ("2026-11-24T05:59Z", Some("2026-11-24T06:00Z")),
        ("2026-11-24T06:00Z", None),
    ];
    for (now, until) in cases {
        assert_eq!(night.until(utc(now)), until.map(utc), "{now}");
    }
    let noon = quiet("UTC", "12:00", "13:00", &[]);
    assert_eq!(noon.until(utc("2026-11-23T11:59Z")), None);
    assert_eq!(
        noon.until(utc("2026-11-23T12:00Z")),
        Some(utc("2026-11-23T13:00Z"))
    );
    assert_eq!(noon.until(utc("2026-11-23T13:00Z")), None);
}

#[test]
fn a_weekend_is_one_time_with_the_nights_around_it() {
    let off = quiet("Europe/Berlin", "22:00", "07:00", &["sat", "sun"]);
    // From Friday evening until Monday morning.
    let monday = utc("2026-11-30T06:00Z");
    for now in [
        "2026-11-27T21:00Z",
        "2026-11-28T12:00Z",
        "2026-11-29T23:30Z",
    ] {
        assert_eq!(off.until(utc(now)), Some(monday), "{now}");
    }
    assert_eq!(off.until(utc("2026-11-27T20:59Z")), None);
}

#[test]
fn six_quiet_days_end_on_the_seventh() {
    let days = ["tue", "wed", "thu", "fri", "sat", "sun"];
    let off = quiet("UTC", "22:00", "07:00", &days);
    let monday = utc("2026-11-30T07:00Z");
    assert_eq!(off.until(utc("2026-11-23T22:00Z")), Some(monday));
    assert_eq!(off.until(utc("2026-11-30T07:00Z")), None);
}

#[test]
fn a_night_is_an_hour_longer_or_shorter_when_clocks_are_changed() {
    let night = quiet("Europe/Berlin", "22:00", "07:00", &[]);
    let spring = night.until(utc("2026-03-28T21:00Z"));
    assert_eq!(spring, Some(utc("2026-03-29T05:00Z")), "eight hours");
    let autumn = night.until(utc("2026-10-24T20:00Z"));
    assert_eq!(autumn, Some(utc("2026-10-25T06:00Z")), "ten hours");
}

#[test]
fn an_hour_that_does_not_exist_or_comes_twice_is_quiet_for_no_longer_than_it_lasts() {
    // 02:00 to 03:00 does not exist on the 29th of March.
    let hour = quiet("Europe/Berlin", "02:00", "02:30", &[]);
    for minute in 0..240 {
        let now = utc("2026-03-28T23:00Z") + chrono::TimeDelta::minutes(minute);
        if let Some(until) = hour.until(now) {
            assert!(until > now && until <= now + chrono::TimeDelta::minutes(30));
        }
        let now = utc("2026-10-24T23:00Z") + chrono::TimeDelta::minutes(minute);
        if let Some(until) = hour.until(now) {
            assert!(until > now && until <= now + chrono::TimeDelta::minutes(90));
        }
    }
}
