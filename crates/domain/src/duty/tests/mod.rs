//! Rotas in nasty weeks, and who stands in for whom.

mod checks;
mod properties;
mod weeks;
mod who;

use chrono::{DateTime, NaiveDateTime, Utc};
use uuid::Uuid;

use super::{Absence, Duty, Every, Hour, Override, Rota, Zone};
use crate::ids::{AbsenceId, OverrideId, PersonId};

/// A moment to the minute, such as `2026-03-29T01:00Z`.
fn utc(text: &str) -> DateTime<Utc> {
    let naive = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%MZ");
    naive.unwrap_or_else(|_| panic!("{text}")).and_utc()
}

/// People by a number.
fn who(n: u128) -> PersonId {
    PersonId(Uuid::from_u128(n))
}

fn rota(people: &[u128], every: Every, zone: &str, at: &str, starts: &str) -> Rota {
    Rota {
        people: people.iter().copied().map(who).collect(),
        every,
        at: Hour::parse(at).unwrap(),
        zone: Zone::parse(zone).unwrap(),
        starts: starts.parse().unwrap(),
    }
}

/// A duty of one rota, by days in UTC from the 2nd of November 2026, a Monday.
fn daily(people: &[u128]) -> Duty {
    Duty {
        rota: rota(people, Every::Day, "UTC", "09:00", "2026-11-02"),
        overrides: Vec::new(),
        absences: Vec::new(),
    }
}

fn instead(person: u128, from: &str, until: &str) -> Override {
    Override {
        id: OverrideId(Uuid::nil()),
        person: who(person),
        from: utc(from),
        until: utc(until),
    }
}

fn away(person: u128, delegate: Option<u128>, from: &str, until: &str) -> Absence {
    Absence {
        id: AbsenceId(Uuid::nil()),
        person: who(person),
        from: utc(from),
        until: utc(until),
        delegate: delegate.map(who),
    }
}

fn everybody(_: PersonId) -> bool {
    true
}
