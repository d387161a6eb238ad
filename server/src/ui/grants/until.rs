//! How long a grant lasts, as a form says it.

use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};
use domain::{duty::Zone, grant::GrantDraft};

/// The choices of the form, the shortest first.
pub(super) const CHOICES: [(&str, &str); 3] = [
    ("session", "This session of the agent, a day at most"),
    (
        "tonight",
        "Until tonight, 24:00 where your browser is; in UTC if it does not say",
    ),
    ("week", "7 days"),
];

/// How long, as it was chosen; `None` for what no form sends.
pub(super) fn draft(choice: &str, zone: &str, now: DateTime<Utc>) -> Option<GrantDraft> {
    let (for_session, expires_at) = match choice {
        "session" => (true, None),
        "tonight" => (false, Some(tonight(zone, now)?)),
        "week" => (false, Some(now + TimeDelta::days(7))),
        _ => return None,
    };
    Some(GrantDraft {
        for_session,
        expires_at,
        ..GrantDraft::default()
    })
}

/// The end of the day where the person is. A zone that nobody knows is UTC.
fn tonight(zone: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let midnight = |day: chrono::NaiveDate| {
        day.checked_add_days(Days::new(1))
            .map(|day| day.and_time(NaiveTime::MIN))
    };
    match Zone::parse(zone) {
        Ok(zone) => Some(zone.moment(midnight(zone.local(now).date())?)),
        Err(_) => Some(midnight(now.date_naive())?.and_utc()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tonight_ends_where_the_person_is() {
        let now: DateTime<Utc> = "2026-11-26T22:30:00Z".parse().unwrap();
        for (zone, end) in [
            ("UTC", "2026-11-27T00:00:00Z"),
            ("Europe/Berlin", "2026-11-26T23:00:00Z"),
            ("Asia/Kolkata", "2026-11-27T18:30:00Z"),
            ("America/Los_Angeles", "2026-11-27T08:00:00Z"),
            ("", "2026-11-27T00:00:00Z"),
            ("Nowhere/At_All", "2026-11-27T00:00:00Z"),
        ] {
            let draft = draft("tonight", zone, now).unwrap();
            assert_eq!(draft.expires_at, Some(end.parse().unwrap()), "{zone}");
        }
        assert!(draft("session", "", now).unwrap().for_session);
        assert_eq!(draft("month", "", now), None);
    }
}
