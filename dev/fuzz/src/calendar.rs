//! A calendar file with overrides of a rota.

use std::sync::LazyLock;

use domain::{
    Person, PersonId, Role,
    duty::{Every, Hour, Rota, Zone},
};
use service::calendar::read_overrides;
use uuid::Uuid;

use crate::known::{Counter, at, have_places};

pub(crate) static ROTA: LazyLock<Rota> = LazyLock::new(|| Rota {
    people: vec![who(1), who(2)],
    every: Every::Week,
    at: Hour::parse("09:00").unwrap(),
    zone: Zone::parse("Europe/Berlin").unwrap(),
    starts: "2027-01-11".parse().unwrap(),
});

pub(crate) static MEMBERS: LazyLock<Vec<Person>> = LazyLock::new(|| {
    let people = (1..).zip(["Ana", "Ben, Dr"]).map(|(n, name)| Person {
        id: who(n),
        version: 1,
        name: name.to_owned(),
        role: Role::Responder,
        invited_at: at(0),
        disabled_at: None,
        slack_id: None,
    });
    people.collect()
});

fn who(n: u128) -> PersonId {
    PersonId(Uuid::from_u128(n))
}

/// Each override is of a member, has an end after its beginning, and is not over; each fault says which event it is of.
pub fn calendar(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let read = read_overrides(text, &ROTA, &MEMBERS, &Counter::default(), at(0));
    let read = match read {
        Ok(read) => read,
        Err(faults) => {
            have_places(&faults);
            let is_place = |path: &str| path == "calendar" || path.starts_with("events[");
            assert!(
                faults.iter().all(|fault| is_place(&fault.path)),
                "{faults:?}"
            );
            return;
        }
    };
    assert_eq!(read.overrides.len(), read.places.len());
    for one in &read.overrides {
        assert!(one.from < one.until, "{one:?}");
        assert!(one.until > at(0), "{one:?}");
        assert!(MEMBERS.iter().any(|member| member.id == one.person));
    }
}
