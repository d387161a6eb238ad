//! Rungs and waits, who is told and when not, and quiet hours in nasty weeks.

mod checks;
mod climbing;
mod properties;
mod quiet_hours;
mod telling;

use chrono::{DateTime, NaiveDateTime, Utc};
use uuid::Uuid;

use super::{Quiet, QuietDraft, Reachable, Sent};
use crate::{
    access::PersonRef,
    delivery::{ReachKind, ReachRef},
    ids::{DestinationId, PersonId},
    principal::Role,
};

/// A moment to the minute, such as `2026-03-29T01:00Z`.
fn utc(text: &str) -> DateTime<Utc> {
    let naive = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%MZ");
    naive.unwrap_or_else(|_| panic!("{text}")).and_utc()
}

fn who(n: u128) -> PersonId {
    PersonId(Uuid::from_u128(n))
}

/// Person `n`, who has these ways, each once.
fn person(n: u128, kinds: &[ReachKind]) -> Reachable {
    let ways = kinds.iter().zip(1..).map(|(kind, at)| ReachRef {
        id: DestinationId(Uuid::from_u128(n * 100 + at)),
        kind: *kind,
        person: who(n),
    });
    Reachable {
        person: PersonRef {
            id: who(n),
            name: format!("Person {n}"),
            role: Role::Responder,
        },
        ways: ways.collect(),
        quiet: None,
        snoozed_until: None,
        sent: Sent::default(),
    }
}

fn quiet(zone: &str, from: &str, until: &str, days: &[&str]) -> Quiet {
    let draft = QuietDraft {
        zone: zone.to_owned(),
        from: from.to_owned(),
        until: until.to_owned(),
        days: days.iter().map(|day| (*day).to_owned()).collect(),
        urgent: true,
    };
    draft.check().unwrap().unwrap()
}
