//! Spans of time in words.

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc};

/// `45s`, `5m`, `2h`, `3d`: for columns of times. Never negative.
pub fn compact(span: TimeDelta) -> String {
    let (count, unit) = split(span);
    let letter = match unit {
        Unit::Second => 's',
        Unit::Minute => 'm',
        Unit::Hour => 'h',
        Unit::Day => 'd',
    };
    format!("{count}{letter}")
}

/// `45 s`, `5 min`, `2 h`, `1 day`, `3 days`: for sentences. Never negative.
pub fn words(span: TimeDelta) -> String {
    let (count, unit) = split(span);
    match unit {
        Unit::Second => format!("{count} s"),
        Unit::Minute => format!("{count} min"),
        Unit::Hour => format!("{count} h"),
        Unit::Day if count == 1 => "1 day".to_owned(),
        Unit::Day => format!("{count} days"),
    }
}

/// The part left of the time between asking and the deadline, from 1 (all of it) to 0.
pub fn fraction_left(from: DateTime<Utc>, until: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let whole = (until - from).as_seconds_f64();
    if whole <= 0.0 {
        return 0.0;
    }
    ((until - now).as_seconds_f64() / whole).clamp(0.0, 1.0)
}

/// For people and machines alike, to the second.
pub fn exact(at: DateTime<Utc>) -> String {
    // By hand: chrono's format language would come along for this one line.
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

enum Unit {
    Second,
    Minute,
    Hour,
    Day,
}

/// Two hours are worth more than "119 minutes", 90 minutes more than "1 hour".
fn split(span: TimeDelta) -> (i64, Unit) {
    let seconds = span.num_seconds().max(0);
    match seconds {
        0..60 => (seconds, Unit::Second),
        60..7_200 => (seconds / 60, Unit::Minute),
        7_200..172_800 => (seconds / 3_600, Unit::Hour),
        _ => (seconds / 86_400, Unit::Day),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::{compact, exact, words};

    #[test]
    fn a_time_is_exact_to_the_second() {
        let at = chrono::DateTime::from_timestamp(1_700_000_005, 0).unwrap();
        assert_eq!(exact(at), "2023-11-14 22:13:25 UTC");
    }

    #[test]
    fn spans_read_naturally() {
        for (seconds, short, long) in [
            (-5, "0s", "0 s"),
            (59, "59s", "59 s"),
            (60, "1m", "1 min"),
            (7_199, "119m", "119 min"),
            (7_200, "2h", "2 h"),
            (86_400, "24h", "24 h"),
            (172_800, "2d", "2 days"),
        ] {
            let span = TimeDelta::seconds(seconds);
            assert_eq!((&*compact(span), &*words(span)), (short, long));
        }
    }
}
