//! Who comes in by a provider, and as what.

use crate::{
    Actor, Changeset, Identity, Parts, PersonId, Principal, Refused, Role, SessionId, Write,
    access::{Access, NewSession, Person, SecretHash},
    decide::identity::{self as decide, Arrival},
    testing::{Counter, at, epoch},
};
use chrono::TimeDelta;
use uuid::Uuid;

const ISSUER: &str = "https://id.example";

fn person(n: u128, role: Role) -> Person {
    Person {
        id: PersonId(Uuid::from_u128(n)),
        version: 3,
        name: "Ben".into(),
        role,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

fn identity(subject: &str) -> Identity {
    Identity::new(ISSUER, subject).unwrap()
}

fn arrival(role: Option<Role>) -> Arrival {
    Arrival {
        identity: identity("248289761001"),
        provider: "Company".into(),
        role,
        session: NewSession {
            id: SessionId(Uuid::from_u128(4)),
            hash: SecretHash([3; 32]),
            created_at: epoch(),
            expires_at: epoch(),
            browser: String::new(),
            address: String::new(),
            host: String::new(),
        },
        proven_at: epoch(),
    }
}

fn written(changeset: &Changeset) -> Vec<&Access> {
    let writes = changeset.writes.iter().map(|write| match write {
        Write::Access(access) => access,
        other => panic!("{other:?}"),
    });
    writes.collect()
}

fn told(changeset: &Changeset) -> Vec<(&'static str, Option<&str>)> {
    let told = changeset.events.iter();
    told.map(|event| (event.payload.event_type(), event.actor.name()))
        .collect()
}

#[test]
fn a_provider_gives_and_takes_roles_in_the_moment_in_which_somebody_comes() {
    let ids = Counter::default();
    for old in Role::ALL {
        for new in [
            None,
            Some(Role::Viewer),
            Some(Role::Responder),
            Some(Role::Admin),
        ] {
            let ben = person(8, old);
            let came = decide::come_in(&ben, &arrival(new), true, at(&ids, 1)).unwrap();
            let writes = written(&came);
            let Some(Access::ComeIn { person, .. }) = writes.last() else {
                panic!("{came:?}");
            };
            assert_eq!(*person, ben.id);
            let changed = writes.iter().find_map(|write| match write {
                Access::Person(person) => Some((person.version, person.role)),
                _ => None,
            });
            let change = new.filter(|new| *new != old);
            assert_eq!(changed, change.map(|role| (4, role)), "{old:?} {new:?}");
            let events = told(&came);
            match change {
                None => assert_eq!(events, [("person.signed_in", Some("Ben"))]),
                Some(_) => assert_eq!(
                    events,
                    [
                        ("person.changed", Some("Company")),
                        ("person.signed_in", Some("Ben"))
                    ]
                ),
            }
            // That it is true when it is written is for the store to see.
            let guards = writes
                .iter()
                .any(|write| matches!(write, Access::AdminRemains { but } if *but == ben.id));
            assert_eq!(guards, old == Role::Admin && change.is_some());
        }
    }
}

#[test]
fn the_last_admin_stays_one_whatever_a_provider_says() {
    let ids = Counter::default();
    let ana = person(9, Role::Admin);
    for role in [Role::Viewer, Role::Responder] {
        let came = decide::come_in(&ana, &arrival(Some(role)), false, at(&ids, 1));
        assert_eq!(came, Err(Refused::LastAdmin));
    }
    for role in [None, Some(Role::Admin)] {
        assert!(decide::come_in(&ana, &arrival(role), false, at(&ids, 1)).is_ok());
    }
}

#[test]
fn who_is_kept_out_does_not_come_by_a_provider_either() {
    let ids = Counter::default();
    let ben = Person {
        disabled_at: Some(epoch()),
        ..person(8, Role::Viewer)
    };
    let came = decide::come_in(&ben, &arrival(Some(Role::Admin)), true, at(&ids, 1));
    assert_eq!(came, Err(Refused::Disabled));
    let until = epoch() + TimeDelta::hours(1);
    let connected = decide::connect(&ben, &identity("1"), None, None, until, at(&ids, 1));
    assert_eq!(connected, Err(Refused::Disabled));
}

#[test]
fn who_comes_first_is_made_linked_and_signed_in_at_once() {
    let ids = Counter::default();
    let came = decide::come_first(" Cem ", Role::Viewer, &arrival(None), at(&ids, 1)).unwrap();
    let [
        Access::Person(cem),
        Access::Identify {
            person, identity, ..
        },
        Access::ComeIn { .. },
    ] = written(&came)[..]
    else {
        panic!("{came:?}");
    };
    assert_eq!(
        (cem.name.as_str(), cem.role, cem.version),
        ("Cem", Role::Viewer, 1)
    );
    assert_eq!((*person, &*identity.subject), (cem.id, "248289761001"));
    assert_eq!(
        told(&came),
        [
            ("person.invited", Some("Company")),
            ("person.identity_linked", Some("Company")),
            ("person.signed_in", Some("Cem")),
        ]
    );
    assert!(matches!(&came.events[0].actor, Actor::Provider { issuer, .. } if issuer == ISSUER));
    for name in ["", "  ", "a\nb"] {
        let refused = decide::come_first(name, Role::Viewer, &arrival(None), at(&ids, 1));
        assert!(matches!(refused, Err(Refused::Invalid(_))), "{name:?}");
    }
}

#[test]
fn an_identity_is_one_persons_and_a_browser_left_open_connects_nothing() {
    let ids = Counter::default();
    let (ben, cem) = (person(8, Role::Viewer), person(7, Role::Viewer));
    let (one, other) = (identity("1"), identity("2"));
    let until = epoch() + TimeDelta::hours(1);
    let late = epoch() - TimeDelta::hours(1);
    let now = || at(&ids, 1);
    let cem_has_it = Err(Refused::IdentityTaken { by: "Ben".into() });
    for (holder, has, until, expected) in [
        (Some(&cem), None, until, cem_has_it),
        (Some(&ben), None, until, Err(Refused::Unchanged)),
        (None, Some(&other), until, Err(Refused::IdentityKept)),
        (None, None, late, Err(Refused::Unproven)),
    ] {
        let connected = decide::connect(&ben, &one, holder, has, until, now());
        assert_eq!(connected, expected);
    }
    let connected = decide::connect(&ben, &one, None, None, until, now()).unwrap();
    assert_eq!(told(&connected), [("person.identity_linked", Some("Ben"))]);
    assert!(matches!(written(&connected)[..], [Access::Identify { .. }]));
}

#[test]
fn nobody_takes_their_own_only_way_in() {
    let ids = Counter::default();
    let ben = person(8, Role::Responder);
    let by = |n, role| Principal::Person {
        id: PersonId(Uuid::from_u128(n)),
        name: "Ana".into(),
        role,
        proven_at: epoch(),
        teams: Parts::default(),
    };
    for (by, another_way, expected) in [
        (by(8, Role::Responder), true, None),
        (by(8, Role::Responder), false, Some(Refused::OnlyWay)),
        (by(9, Role::Admin), false, None),
        (by(9, Role::Responder), true, Some(Refused::NotAnAdmin)),
    ] {
        let gone = decide::disconnect(&ben, &identity("1"), another_way, &by, at(&ids, 1));
        match expected {
            Some(refused) => assert_eq!(gone, Err(refused)),
            None => {
                let gone = gone.unwrap();
                assert_eq!(told(&gone)[0].0, "person.identity_unlinked");
                // Looked at once more when it goes; an admin takes it in any case.
                let remains = Write::Access(Access::WayRemains { person: ben.id });
                assert_eq!(gone.writes.contains(&remains), by.is_person(ben.id));
            }
        }
    }
}

#[test]
fn what_no_provider_may_say_names_nobody() {
    let longest = "x".repeat(255);
    assert!(Identity::new(ISSUER, &longest).is_ok());
    for (issuer, subject) in [
        ("", "1"),
        (ISSUER, ""),
        (ISSUER, "a\0b"),
        (ISSUER, &format!("{longest}x")),
    ] {
        assert!(Identity::new(issuer, subject).is_err(), "{subject}");
    }
}
