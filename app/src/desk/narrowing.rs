//! What the list of those who wait is narrowed to. It stands in the address of the overview, and stays while dialogs are
//! opened from it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::interaction::Kind;
use leptos_router::params::ParamsMap;

use crate::{address::with_query, view::Row};

/// A deadline is near from here on.
const SOON: TimeDelta = TimeDelta::hours(1);
/// What stands in the address for a condition that is on.
const ON: &str = "1";

/// Each that is set leaves fewer rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// Only what is urgent.
    pub urgent: bool,
    /// Only what is over within an hour.
    pub soon: bool,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this agent's.
    pub agent: Option<String>,
}

impl Narrowing {
    /// The one that an address holds. A part that cannot be read narrows nothing.
    pub fn read(params: &ParamsMap) -> Self {
        let agent = params.get("agent").filter(|agent| !agent.trim().is_empty());
        Self {
            urgent: params.get_str("urgent") == Some(ON),
            soon: params.get_str("soon") == Some(ON),
            kind: params.get_str("kind").and_then(Kind::from_name),
            agent,
        }
    }

    /// Where the list is narrowed to this.
    pub fn address(&self) -> String {
        let is_on = |it: bool| it.then_some(ON);
        let query = [
            ("urgent", is_on(self.urgent)),
            ("soon", is_on(self.soon)),
            ("kind", self.kind.map(Kind::name)),
            ("agent", self.agent.as_deref()),
        ];
        with_query("/", &query)
    }

    /// Whether it leaves out anything.
    pub fn is_on(&self) -> bool {
        *self != Self::default()
    }

    /// Whether it leaves this row in.
    pub fn takes(&self, row: &Row, now: DateTime<Utc>) -> bool {
        (!self.urgent || row.urgent)
            && (!self.soon || row.expires_at.is_some_and(|until| until - now <= SOON))
            && self.kind.is_none_or(|kind| row.kind == kind)
            && self.agent.as_ref().is_none_or(|agent| row.agent == *agent)
    }
}

#[cfg(test)]
mod tests {
    use domain::interaction::Mode;

    use super::*;
    use crate::desk::tests::row;

    fn narrowing(query: &[(&'static str, &'static str)]) -> Narrowing {
        let params = query.iter().map(|(name, value)| (*name, *value));
        Narrowing::read(&params.collect())
    }

    #[test]
    fn an_address_holds_what_narrows() {
        assert_eq!(Narrowing::default().address(), "/");
        let all = narrowing(&[
            ("urgent", "1"),
            ("soon", "1"),
            ("kind", "plan_review"),
            ("agent", "a & b"),
        ]);
        assert_eq!(
            all.address(),
            "/?urgent=1&soon=1&kind=plan_review&agent=a%20%26%20b"
        );
        let none = narrowing(&[("urgent", "yes"), ("kind", "?"), ("agent", " "), ("x", "1")]);
        assert!(!none.is_on());
    }

    #[test]
    fn each_condition_leaves_out_what_is_not_so() {
        let now = DateTime::UNIX_EPOCH;
        let due = |minutes| Row {
            expires_at: Some(now + TimeDelta::minutes(minutes)),
            ..row(1, Mode::Sync, true)
        };
        for (query, taken, left) in [
            (("urgent", "1"), due(1), row(1, Mode::Sync, false)),
            (("soon", "1"), due(60), due(61)),
            (("soon", "1"), due(-1), row(1, Mode::Sync, true)),
            (
                ("kind", "question"),
                due(1),
                Row {
                    kind: Kind::Form,
                    ..due(1)
                },
            ),
            (
                ("agent", "backend"),
                due(1),
                Row {
                    agent: "Backend".into(),
                    ..due(1)
                },
            ),
        ] {
            let narrowing = narrowing(&[query]);
            assert!(narrowing.takes(&taken, now), "{query:?}");
            assert!(!narrowing.takes(&left, now), "{query:?}");
        }
    }
}
