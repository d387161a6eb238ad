//! The hours in which a person is told only what cannot wait.

use chrono::Weekday;
use serde::{Deserialize, Serialize};

use crate::duty::{Hour, Zone};

/// A person's quiet hours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// By which clocks.
    pub zone: Zone,
    /// From then to then on every day, past midnight where the second is not later than the first; `None` = no hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<(Hour, Hour)>,
    /// Days that are quiet as a whole, from midnight to midnight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Weekday>,
    /// Whether what is urgent is told all the same.
    pub urgent: bool,
}

/// Quiet hours as a person writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuietDraft {
    /// A time zone such as `Europe/Berlin`.
    pub zone: String,
    /// A time of day such as `22:00`, or nothing.
    pub from: String,
    /// A time of day such as `07:00`, or nothing.
    pub until: String,
    /// Names of days such as `sat`.
    pub days: Vec<String>,
    /// Whether what is urgent is told all the same.
    pub urgent: bool,
}

/// The days of a week with the names by which they are written.
pub const DAYS: [(Weekday, &str); 7] = [
    (Weekday::Mon, "mon"),
    (Weekday::Tue, "tue"),
    (Weekday::Wed, "wed"),
    (Weekday::Thu, "thu"),
    (Weekday::Fri, "fri"),
    (Weekday::Sat, "sat"),
    (Weekday::Sun, "sun"),
];

#[cfg(feature = "zones")]
mod when {
    use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};

    use super::{DAYS, Quiet, QuietDraft};
    use crate::{
        duty::{Hour, Zone},
        fault::{Fault, Faults},
    };

    /// Hours of a night can follow a quiet day and lead into the next one; with one day in seven that is not quiet no run
    /// of them is longer.
    const LONGEST_RUN: u32 = 9;

    impl Quiet {
        /// Until when it is quiet, if it is at `now`: hours and days that follow each other are one time.
        pub fn until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
            let mut end = None;
            let mut at = now;
            for _ in 0..2 * LONGEST_RUN {
                match self.run_at(at) {
                    // An hour that comes twice may end before it began.
                    Some(until) if until > at => (end, at) = (Some(until), until),
                    _ => break,
                }
            }
            end
        }

        /// The end of the one time, of hours or of a day, that covers a moment; the later one where both do.
        fn run_at(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
            let today = self.zone.local(at).date();
            let yesterday = today.checked_sub_days(Days::new(1));
            let hours = [yesterday, Some(today)].into_iter().flatten();
            let hours = hours.filter_map(|day| self.hours_of(day));
            let day = self.is_quiet(today.weekday()).then(|| {
                let next = today.succ_opt().unwrap_or(today);
                (self.midnight(today), self.midnight(next))
            });
            hours
                .chain(day)
                .filter(|(from, until)| *from <= at && at < *until)
                .map(|(_, until)| until)
                .max()
        }

        /// The hours that begin on a day.
        fn hours_of(&self, day: NaiveDate) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
            let (from, until) = self.hours?;
            let last = match until > from {
                true => day,
                false => day.succ_opt()?,
            };
            let (from, until) = (from.on(day), until.on(last));
            Some((self.zone.moment(from), self.zone.moment(until)))
        }

        fn midnight(&self, day: NaiveDate) -> DateTime<Utc> {
            self.zone.moment(NaiveDateTime::new(day, NaiveTime::MIN))
        }

        fn is_quiet(&self, day: Weekday) -> bool {
            self.days.contains(&day)
        }
    }

    impl QuietDraft {
        /// The quiet hours; `None` when there are none.
        ///
        /// # Errors
        /// Everything that is wrong, each with its path.
        pub fn check(&self) -> Result<Option<Quiet>, Vec<Fault>> {
            let mut faults = Faults::default();
            let hours = match (self.from.trim(), self.until.trim()) {
                ("", "") => None,
                ("", _) => {
                    faults.add("from", "needs a time, since Until has one");
                    None
                }
                (_, "") => {
                    faults.add("until", "needs a time, since From has one");
                    None
                }
                (from, until) => {
                    let mut hour = |path: &str, text: &str| {
                        let read = Hour::parse(text);
                        read.map_err(|fault| faults.add(path, fault.message)).ok()
                    };
                    let both = hour("from", from).zip(hour("until", until));
                    if both.is_some_and(|(from, until)| from == until) {
                        let how = "must be another time than From; choose days to be left alone on them as a whole";
                        faults.add("until", how);
                    }
                    both
                }
            };
            let mut days = Vec::new();
            for (n, name) in self.days.iter().enumerate() {
                let known = DAYS.iter().find(|(_, known)| *known == name.trim());
                match known {
                    Some((day, _)) if days.contains(day) => {}
                    Some((day, _)) => days.push(*day),
                    None => faults.add(
                        &format!("days[{n}]"),
                        "must be one of mon, tue, wed, thu, fri, sat, sun",
                    ),
                }
            }
            days.sort_unstable_by_key(Weekday::num_days_from_monday);
            if days.len() == DAYS.len() {
                let how = "must leave a day: to be told nothing, remove your ways to be reached";
                faults.add("days", how);
            }
            if hours.is_none() && days.is_empty() {
                return faults.into_result(None);
            }
            let zone = Zone::parse(&self.zone);
            let zone = zone.map_err(|fault| faults.add(&fault.path, fault.message));
            let Ok(zone) = zone else {
                return faults.into_result(None);
            };
            faults.into_result(Some(Quiet {
                zone,
                hours,
                days,
                urgent: self.urgent,
            }))
        }
    }
}

impl From<&Quiet> for QuietDraft {
    fn from(quiet: &Quiet) -> Self {
        let hour = |hour: Option<Hour>| hour.map_or_else(String::new, |hour| hour.to_string());
        let named = |day: &Weekday| DAYS.iter().find(|(known, _)| known == day);
        let days = quiet.days.iter().filter_map(named);
        Self {
            zone: quiet.zone.to_string(),
            from: hour(quiet.hours.map(|(from, _)| from)),
            until: hour(quiet.hours.map(|(_, until)| until)),
            days: days.map(|(_, name)| (*name).to_owned()).collect(),
            urgent: quiet.urgent,
        }
    }
}
