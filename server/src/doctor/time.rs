//! The clock: deadlines, receipts and the journal all go by it.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use store::Inspection;

use super::Report;

const ABOUT: &str = "clock";
/// When this was written. A clock that shows an earlier time was never set.
const LONG_AGO: i64 = 1_767_225_600;
/// How far nodes may be apart before deadlines come noticeably early or late.
const APART: TimeDelta = TimeDelta::seconds(2);

pub(super) fn examine(now: DateTime<Utc>, found: Option<&Inspection>, report: &mut Report) {
    let set = "set the clock, and let the system keep it (`timedatectl set-ntp true`)";
    let shown = said(now);
    if now.timestamp() < LONG_AGO {
        report.problem(ABOUT, format!("it shows {shown}; {set}"));
        return;
    }
    let content = found.and_then(|found| found.content.as_ref());
    if let Some(last) = content.and_then(|content| content.last_event_at)
        && last > now + APART
    {
        let last = said(last);
        report.problem(
            ABOUT,
            format!("it shows {shown}, and the last event was written at {last}; {set}"),
        );
        return;
    }
    if let Some(other) = found.and_then(|found| found.clock)
        && (other - now).abs() > APART
    {
        let other = said(other);
        report.warning(
            ABOUT,
            format!("it shows {shown}, and that of the database server {other}; {set}"),
        );
        return;
    }
    report.ok(ABOUT, format!("it shows {shown}"));
}

fn said(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use store::{Content, Schema};

    use super::*;

    #[test]
    fn a_clock_that_cannot_be_right_is_a_problem() {
        let now = DateTime::from_timestamp(LONG_AGO + 1_000, 0).unwrap();
        let content = |last_event_at| Content {
            last_seq: 1,
            last_event_at,
            ..Content::default()
        };
        let found = |clock, last_event_at| Inspection {
            place: "h.db".to_owned(),
            engine: "SQLite".to_owned(),
            schema: Schema::Current(1),
            hindrances: Vec::new(),
            remarks: Vec::new(),
            content: Some(content(last_event_at)),
            clock,
        };
        let at = |seconds| Some(now + TimeDelta::seconds(seconds));
        for (now, found, begins) in [
            (now, None, "ok "),
            (now, Some(found(at(1), at(-5))), "ok "),
            (now, Some(found(at(9), at(-5))), "warning "),
            (now, Some(found(at(-9), None)), "warning "),
            (now, Some(found(None, at(9))), "problem "),
            (DateTime::UNIX_EPOCH, None, "problem "),
        ] {
            let mut report = Report::default();
            examine(now, found.as_ref(), &mut report);
            assert_eq!(report.0.len(), 1);
            let said = report.0[0].to_string();
            assert!(said.starts_with(begins), "{said}");
        }
    }
}
