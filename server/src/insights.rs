//! What ended, in numbers, as tables: the same for the API, for the page and for files of it.

use std::fmt::{self, Display, Formatter, Write};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{Day, fault::Faults, interaction::Kind, limits};
use serde::Deserialize;
use service::{Figures, Insights, LookBack};

use crate::{problem::Problem, resource::names};

/// How many days are looked back on where nothing is said.
pub(crate) const DAYS: i64 = 30;

/// What is looked back on, as an address says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Params {
    /// The last day on which it was asked, in UTC. Today if absent.
    #[param(value_type = Option<names::CalendarDay>)]
    pub(crate) to: Option<String>,
    /// How many days, with that one. 30 if absent.
    #[param(value_type = Option<names::InsightDays>)]
    pub(crate) days: Option<i64>,
    #[param(value_type = Option<names::BlockerKind>)]
    pub(crate) kind: Option<String>,
    /// The name of an agent.
    #[param(value_type = Option<names::Line>)]
    pub(crate) agent: Option<String>,
    /// The id or the name of a team; `everyone`: what no team was asked.
    #[param(value_type = Option<names::Line>)]
    pub(crate) team: Option<String>,
}

impl Params {
    /// # Errors
    /// With everything that is wrong, by its name.
    pub(crate) fn read(self, now: DateTime<Utc>) -> Result<LookBack, Problem> {
        let mut faults = Faults::default();
        let to = match self.to.as_deref().map(date) {
            None => Day::of(now),
            Some(Some(day)) => day,
            Some(None) => {
                faults.add("to", "must be a date, such as 2030-01-31");
                Day::of(now)
            }
        };
        let days = self.days.unwrap_or(DAYS);
        if !(1..=limits::INSIGHT_DAYS).contains(&days) {
            faults.add("days", format!("must be 1 to {}", limits::INSIGHT_DAYS));
        }
        let kind = match self.kind.as_deref() {
            None => None,
            Some(name) => {
                let kind = blocker_kinds().find(|kind| kind.name() == name);
                if kind.is_none() {
                    let names: Vec<&str> = blocker_kinds().map(Kind::name).collect();
                    faults.add("kind", format!("must be one of {}", names.join(", ")));
                }
                kind
            }
        };
        for (path, text) in [("agent", &self.agent), ("team", &self.team)] {
            faults.line(path, text.clone(), limits::LINE_CHARS);
        }
        let read = LookBack {
            to,
            days,
            kind,
            agent: self.agent,
            team: self.team,
        };
        faults.into_result(read).map_err(Problem::invalid)
    }
}

/// Those that are answered.
pub(crate) fn blocker_kinds() -> impl Iterator<Item = Kind> {
    let all = Kind::ALL.into_iter();
    all.filter(|kind| *kind != Kind::Notification)
}

/// As RFC 3339 has it: years have four digits.
pub(crate) fn date(text: &str) -> Option<Day> {
    let is_so = |(n, byte): (usize, u8)| match n {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    if text.len() != "2030-01-31".len() || !text.bytes().enumerate().all(is_so) {
        return None;
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(Day::of(date.and_hms_opt(0, 0, 0)?.and_utc()))
}

/// One of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Days,
    Kinds,
    Agents,
    Teams,
    People,
    Hours,
    AskedMost,
}

impl Table {
    pub(crate) const ALL: [Self; 7] = [
        Self::Days,
        Self::Kinds,
        Self::Agents,
        Self::Teams,
        Self::People,
        Self::Hours,
        Self::AskedMost,
    ];

    /// The file that it is.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Days => "days.csv",
            Self::Kinds => "kinds.csv",
            Self::Agents => "agents.csv",
            Self::Teams => "teams.csv",
            Self::People => "people.csv",
            Self::Hours => "hours.csv",
            Self::AskedMost => "asked_most.csv",
        }
    }

    /// The table of this file.
    ///
    /// # Errors
    /// When there is no such file.
    pub(crate) fn of_file(file: &str) -> Result<Self, Problem> {
        let found = Self::ALL.into_iter().find(|table| table.file() == file);
        found.ok_or_else(Problem::not_found)
    }

    /// The table as RFC 4180 has it.
    pub(crate) fn csv(self, insights: &Insights) -> String {
        let mut csv = Csv::default();
        match self {
            Self::Days => {
                csv.figures("day", insights.days.iter(), |day| {
                    day.begins().format("%Y-%m-%d").to_string()
                });
            }
            Self::Kinds => {
                csv.figures("kind", insights.kinds.iter(), |kind| kind.name().into());
            }
            Self::Agents => {
                csv.figures("agent", insights.agents.iter(), |one| one.name.clone());
            }
            Self::Teams => {
                csv.figures("team", insights.teams.iter(), |team| {
                    let name = team.as_ref().map(|team| team.name.clone());
                    name.unwrap_or_else(|| service::EVERYONE.to_owned())
                });
            }
            Self::People => {
                csv.figures("answered_by", insights.people.iter(), |one| {
                    one.name.clone()
                });
            }
            Self::Hours => {
                csv.row(&[&"weekday", &"hour_utc", &"asked"]);
                for (weekday, hours) in WEEKDAYS.iter().zip(&insights.hours) {
                    for (hour, asked) in hours.iter().enumerate() {
                        csv.row(&[weekday, &hour, asked]);
                    }
                }
            }
            Self::AskedMost => {
                csv.row(&[
                    &"asked",
                    &"approved",
                    &"denied",
                    &"agent",
                    &"team",
                    &"newest",
                    &"words",
                ]);
                for one in &insights.asked_most {
                    let most = &one.most;
                    let team = most.team.as_ref().map(|team| team.name.as_str());
                    csv.row(&[
                        &most.asked,
                        &most.approved,
                        &most.denied,
                        &most.agent.name,
                        &team.unwrap_or(service::EVERYONE),
                        &most.newest,
                        &one.words,
                    ]);
                }
            }
        }
        csv.0
    }
}

/// The days of a week, as tables have them.
pub(crate) const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

#[derive(Default)]
struct Csv(String);

impl Csv {
    fn figures<'a, T: 'a>(
        &mut self,
        first: &str,
        lines: impl Iterator<Item = &'a (T, Figures)>,
        name: impl Fn(&T) -> String,
    ) {
        self.row(&[
            &first,
            &"ended",
            &"by_people",
            &"by_rules",
            &"fallback",
            &"expired",
            &"cancelled",
            &"denied",
            &"median_seconds",
            &"p90_seconds",
            &"stood_still_seconds",
        ]);
        for (line, figures) in lines {
            self.row(&[
                &name(line),
                &figures.ended,
                &figures.by_people,
                &figures.by_rules,
                &figures.fallback,
                &figures.expired,
                &figures.cancelled,
                &figures.denied,
                &Maybe(figures.median().map(seconds)),
                &Maybe(figures.nine_in_ten().map(seconds)),
                &seconds_of(figures.stood_still),
            ]);
        }
    }

    fn row(&mut self, cells: &[&dyn Display]) {
        for (n, cell) in cells.iter().enumerate() {
            if n > 0 {
                self.0.push(',');
            }
            self.cell(&cell.to_string());
        }
        self.0.push_str("\r\n");
    }

    /// What a spreadsheet would take for a formula it takes for a text: names and words come from outside.
    fn cell(&mut self, text: &str) {
        let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let is_number = text.parse::<f64>().is_ok();
        let guard = if is_formula && !is_number { "'" } else { "" };
        if !text.contains([',', '"', '\r', '\n']) {
            let _ = write!(self.0, "{guard}{text}");
            return;
        }
        // Writing to a string cannot fail.
        let _ = write!(self.0, "\"{guard}{}\"", text.replace('"', "\"\""));
    }
}

/// Nothing where there is nothing.
struct Maybe<T>(Option<T>);

impl<T: Display> Display for Maybe<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |it| it.fmt(f))
    }
}

/// Seconds, with their parts.
pub(crate) fn seconds(time: TimeDelta) -> f64 {
    time.as_seconds_f64()
}

/// The same of milliseconds.
pub(crate) fn seconds_of(millis: u64) -> f64 {
    std::time::Duration::from_millis(millis).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut csv = Csv::default();
        csv.cell(text);
        csv.0
    }

    #[test]
    fn a_cell_is_whole_and_no_formula() {
        for (text, expected) in [
            ("backend", "backend"),
            ("a, \"b\"\nc", "\"a, \"\"b\"\"\nc\""),
            ("=1+1", "'=1+1"),
            ("@x, y", "\"'@x, y\""),
            ("-1.5", "-1.5"),
            ("-1-1", "'-1-1"),
            ("", ""),
        ] {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn a_date_has_four_two_and_two_digits() {
        assert_eq!(date("1970-01-02"), Some(Day(1)));
        assert_eq!(date("0001-01-01").map(|day| day.0), Some(-719_162));
        assert!(date("9999-12-31").is_some());
        for wrong in [
            "",
            "2030-02-30",
            "2030-1-31",
            "+2030-1-31",
            "2030-01-31T",
            "20300-1-31",
        ] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let params = Params {
            to: Some("yesterday".into()),
            days: Some(0),
            kind: Some("notification".into()),
            agent: Some(String::new()),
            team: None,
        };
        let refused = params.read(DateTime::UNIX_EPOCH).unwrap_err();
        let refused = serde_json::to_value(&refused).unwrap();
        let paths: Vec<&str> = refused["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| fault["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["to", "days", "kind", "agent"]);
        let read = Params::default().read(DateTime::UNIX_EPOCH).unwrap();
        assert_eq!((read.first(), read.to), (Day(-29), Day(0)));
    }
}
