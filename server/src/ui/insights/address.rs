//! The address of a view of the page: what it is narrowed to stands in the query.

use chrono::{DateTime, Utc};
use domain::{Day, interaction::Kind, limits};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use service::LookBack;

use super::PLACE;
use crate::{
    insights::{DAYS, blocker_kinds, date},
    plain_page::html::Text,
};

/// The periods that are offered.
pub(super) const PERIODS: [(i64, &str); 4] = [
    (7, "7 days"),
    (30, "30 days"),
    (90, "90 days"),
    (366, "a year"),
];

/// What an address says. A part that cannot be read narrows nothing.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Given {
    to: String,
    days: String,
    kind: String,
    agent: String,
    team: String,
}

impl Given {
    pub(super) fn read(self, now: DateTime<Utc>) -> LookBack {
        let days = self.days.parse().ok();
        let days = days.filter(|days| (1..=limits::INSIGHT_DAYS).contains(days));
        let some = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        LookBack {
            to: date(&self.to).unwrap_or(Day::of(now)),
            days: days.unwrap_or(DAYS),
            kind: blocker_kinds().find(|kind| kind.name() == self.kind),
            agent: some(self.agent),
            team: some(self.team),
        }
    }
}

/// Where a view of this is.
pub(super) fn of(path: &str, back: &LookBack) -> String {
    let to = back.to.begins().format("%Y-%m-%d").to_string();
    let days = back.days.to_string();
    let said = [
        ("days", Some(days.as_str()).filter(|_| back.days != DAYS)),
        ("to", Some(to.as_str())),
        ("kind", back.kind.map(Kind::name)),
        ("agent", back.agent.as_deref()),
        ("team", back.team.as_deref()),
    ];
    let said: Vec<String> = said
        .into_iter()
        .filter_map(|(name, value)| {
            let value = utf8_percent_encode(value?, NON_ALPHANUMERIC);
            Some(format!("{name}={value}"))
        })
        .collect();
    format!("{path}?{}", said.join("&"))
}

/// The way to the period before this one, and to the one after it.
pub(super) fn turns(back: &LookBack) -> String {
    let at = |to: i64| LookBack {
        to: Day(to),
        ..back.clone()
    };
    let (before, after) = (at(back.to.0 - back.days), at(back.to.0 + back.days));
    let (first, last) = (back.first().begins(), back.to.begins());
    format!(
        "<span class=\"insight-period\"><a class=\"button small\" href=\"{}\" aria-label=\"The {days} days before\">‹</a> \
         {} – {} <a class=\"button small\" href=\"{}\" aria-label=\"The {days} days after\">›</a></span>",
        Text(&of(PLACE, &before)),
        first.format("%Y-%m-%d"),
        last.format("%Y-%m-%d"),
        Text(&of(PLACE, &after)),
        days = back.days,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_what_narrows_and_is_read_again() {
        let back = LookBack {
            to: Day(20_000),
            days: 7,
            kind: Some(Kind::PlanReview),
            agent: Some("a & b".into()),
            team: Some("ü".into()),
        };
        let address = of(PLACE, &back);
        assert_eq!(
            address,
            "/insights?days=7&to=2024%2D10%2D04&kind=plan%5Freview&agent=a%20%26%20b&team=%C3%BC"
        );
        let (_, query) = address.split_once('?').unwrap();
        let given: Given = serde_urlencoded(query);
        assert_eq!(given.read(DateTime::UNIX_EPOCH), back);
    }

    #[test]
    fn what_cannot_be_read_narrows_nothing() {
        let given = serde_urlencoded("days=367&to=soon&kind=notification&agent=%20&more=1");
        let all = LookBack {
            to: Day(0),
            days: DAYS,
            kind: None,
            agent: None,
            team: None,
        };
        assert_eq!(given.read(DateTime::UNIX_EPOCH), all);
    }

    fn serde_urlencoded(query: &str) -> Given {
        let uri = format!("/?{query}").parse().unwrap();
        axum::extract::Query::try_from_uri(&uri).unwrap().0
    }
}
