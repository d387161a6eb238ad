//! Who may change whose second factors.

use chrono::TimeDelta;
use uuid::Uuid;

use crate::{
    Access, Changeset, FactorId, Parts, Payload, PersonEvent, PersonId, Principal, Refused, Role,
    SecretHash, SessionId, Write,
    access::{
        NewSession, Person, WaysIn,
        factor::{Factor, FactorChange, FactorFor, FactorSecret, Shown},
    },
    decide::{
        access::{change, sign_in},
        factor::{self as decide, NewFactor, Removal},
    },
    delivery::SealedSecret,
    limits::{FACTORS, PROOF_LASTS},
    testing::{Counter, at, epoch},
};

fn person(n: u128) -> Person {
    Person {
        id: PersonId(Uuid::from_u128(n)),
        version: 1,
        name: "Ben".into(),
        role: Role::Responder,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

fn principal(n: u128, role: Role) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(n)),
        name: "Ana".into(),
        role,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn operator() -> Principal {
    Principal::Operator {
        name: "root".into(),
    }
}

fn new(name: &str) -> NewFactor {
    NewFactor {
        id: FactorId(Uuid::from_u128(50)),
        name: name.into(),
        secret: FactorSecret::App(SealedSecret(vec![1])),
        used: 7,
    }
}

fn factor(n: u128) -> Factor {
    Factor {
        id: FactorId(Uuid::from_u128(n)),
        person: PersonId(Uuid::from_u128(8)),
        name: "Phone".into(),
        secret: FactorSecret::App(SealedSecret(vec![1])),
        used: 7,
        added_at: epoch(),
        used_at: None,
    }
}

fn changes(changeset: &Changeset) -> Vec<&FactorChange> {
    let changes = changeset.writes.iter().map(|write| match write {
        Write::Access(Access::Factor { change, .. }) => change,
        other => panic!("{other:?}"),
    });
    changes.collect()
}

fn types(changeset: &Changeset) -> Vec<&'static str> {
    let events = changeset.events.iter();
    events.map(|event| event.payload.event_type()).collect()
}

fn ways() -> WaysIn {
    WaysIn {
        passwords: true,
        issuers: vec!["https://id.example".into()],
    }
}

fn removal(factor: &Factor, had: usize, needed: bool, another_way: bool) -> Removal<'_> {
    Removal {
        factor,
        had,
        needed,
        another_way,
        ways: ways(),
    }
}

#[test]
fn people_change_their_own_factors_and_only_soon_after_their_password() {
    let (ids, ben) = (Counter::default(), person(8));
    let had = [factor(1), factor(2)];
    let seconds = PROOF_LASTS.num_seconds();
    for (by, second, may) in [
        (principal(8, Role::Responder), 0, true),
        (principal(8, Role::Responder), seconds - 1, true),
        (principal(8, Role::Responder), seconds, false),
        (principal(9, Role::Admin), 0, false),
        (operator(), 0, false),
    ] {
        let now = || at(&ids, second);
        let outcomes = [
            decide::add(&ben, &had, new("Phone"), Vec::new(), &by, now()),
            decide::remove(&ben, removal(&had[0], 2, true, true), &by, now()),
            decide::make_codes(&ben, &had, vec![SecretHash([1; 32])], &by, now()),
        ];
        for outcome in outcomes {
            match outcome {
                Ok(changeset) => {
                    assert!(may, "{by:?}");
                    assert_eq!(changeset.events[0].actor.name(), Some("Ben"));
                }
                Err(refused) => assert_eq!((refused, may), (Refused::Unproven, false)),
            }
        }
    }
}

#[test]
fn the_first_factor_brings_recovery_codes_and_no_other_does() {
    let (ids, ben, by) = (Counter::default(), person(8), principal(8, Role::Viewer));
    let codes = vec![SecretHash([1; 32])];
    let add = |had: &[Factor]| {
        decide::add(&ben, had, new(" Phone "), codes.clone(), &by, at(&ids, 1)).unwrap()
    };
    let first = add(&[]);
    let [
        FactorChange::Add {
            factor,
            first: true,
        },
        FactorChange::Codes { codes: kept },
    ] = changes(&first)[..]
    else {
        panic!("{first:?}");
    };
    assert_eq!((&*factor.name, factor.used), ("Phone", 7));
    assert_eq!(*kept, codes);
    assert_eq!(
        types(&first),
        ["person.factor_added", "person.recovery_codes_made"]
    );
    let second = add(std::slice::from_ref(factor));
    assert!(matches!(
        changes(&second)[..],
        [FactorChange::Add { first: false, .. }]
    ));
    assert_eq!(types(&second), ["person.factor_added"]);
    // On the way in only the first is added: who has one shows it.
    let on_the_way = |had: &[Factor]| {
        decide::add_on_the_way_in(&ben, had, new("Phone"), codes.clone(), at(&ids, 1))
    };
    assert_eq!(changes(&on_the_way(&[]).unwrap()).len(), 2);
    assert_eq!(
        on_the_way(std::slice::from_ref(factor)),
        Err(Refused::Unproven)
    );
}

#[test]
fn a_factor_has_a_name_and_there_are_not_too_many() {
    let (ids, ben, by) = (Counter::default(), person(8), principal(8, Role::Viewer));
    for name in ["", " ", "two\nlines", &"x".repeat(301)] {
        let added = decide::add(&ben, &[], new(name), Vec::new(), &by, at(&ids, 1));
        let Err(Refused::Invalid(faults)) = added else {
            panic!("{name:?}");
        };
        assert_eq!(faults[0].path, "name");
    }
    let had: Vec<_> = (0..FACTORS as u128).map(factor).collect();
    let added = decide::add(&ben, &had, new("Phone"), Vec::new(), &by, at(&ids, 1));
    assert!(matches!(added, Err(Refused::Invalid(_))));
    assert!(decide::add(&ben, &had[1..], new("Phone"), Vec::new(), &by, at(&ids, 1)).is_ok());
}

#[test]
fn whoever_needs_a_factor_keeps_the_last() {
    let (ids, ben, by) = (Counter::default(), person(8), principal(8, Role::Viewer));
    for (had, needed, refused) in [(1, true, true), (1, false, false), (2, true, false)] {
        let removed = decide::remove(
            &ben,
            removal(&factor(1), had, needed, true),
            &by,
            at(&ids, 1),
        );
        assert_eq!(
            removed == Err(Refused::FactorNeeded),
            refused,
            "{had} {needed}"
        );
    }
    let made = decide::make_codes(&ben, &[], Vec::new(), &by, at(&ids, 1));
    assert_eq!(made, Err(Refused::Unchanged));
}

#[test]
fn nobody_removes_their_only_way_in() {
    let (ids, ben, by) = (Counter::default(), person(8), principal(8, Role::Viewer));
    for another_way in [true, false] {
        let removed = decide::remove(
            &ben,
            removal(&factor(1), 1, false, another_way),
            &by,
            at(&ids, 1),
        );
        assert_eq!(removed == Err(Refused::OnlyWay), !another_way);
    }
}

#[test]
fn what_must_remain_is_looked_at_once_more_when_a_factor_goes() {
    let (ids, ben, by) = (Counter::default(), person(8), principal(8, Role::Viewer));
    let passkey = Factor {
        secret: FactorSecret::Passkey {
            credential: vec![1],
            json: "{}".into(),
        },
        ..factor(2)
    };
    let person = ben.id;
    let (way, one) = (
        Access::WayRemains {
            person,
            ways: ways(),
        },
        Access::FactorRemains { person },
    );
    for (gone, needed, expected) in [
        (&factor(1), false, vec![]),
        (&factor(1), true, vec![&one]),
        (&passkey, false, vec![&way]),
        (&passkey, true, vec![&one, &way]),
    ] {
        let removed =
            decide::remove(&ben, removal(gone, 2, needed, true), &by, at(&ids, 1)).unwrap();
        let rest = removed.writes[1..].iter().map(|write| match write {
            Write::Access(access) => access,
            other => panic!("{other:?}"),
        });
        assert_eq!(rest.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn admins_and_operators_reset_others_and_nobody_themselves() {
    let (ids, ben) = (Counter::default(), person(8));
    let had = [factor(1)];
    for (by, second, expected) in [
        (principal(9, Role::Admin), 1, None),
        (operator(), 1, None),
        (
            principal(9, Role::Admin),
            PROOF_LASTS.num_seconds(),
            Some(Refused::Unproven),
        ),
        (principal(8, Role::Admin), 1, Some(Refused::Yourself)),
        (principal(9, Role::Responder), 1, Some(Refused::NotAnAdmin)),
        (principal(8, Role::Viewer), 1, Some(Refused::NotAnAdmin)),
    ] {
        match decide::reset(&ben, &had, &by, at(&ids, second)) {
            Ok(reset) => {
                assert_eq!(expected, None);
                assert_eq!(changes(&reset), [&FactorChange::Reset]);
                assert_eq!(reset.events[0].actor, by.admin().unwrap());
                assert!(reset.events[0].payload.ends_access());
            }
            Err(refused) => assert_eq!(Some(refused), expected),
        }
    }
    let none = decide::reset(&ben, &[], &operator(), at(&ids, 1));
    assert_eq!(none, Err(Refused::Unchanged));
}

#[test]
fn a_factor_is_used_in_the_moment_in_which_its_owner_comes_in() {
    let (ids, ben) = (Counter::default(), person(8));
    let session = NewSession {
        id: SessionId(Uuid::from_u128(4)),
        hash: SecretHash([3; 32]),
        created_at: epoch(),
        expires_at: epoch() + TimeDelta::days(1),
        browser: String::new(),
        address: String::new(),
        host: String::new(),
    };
    let code = SecretHash([9; 32]);
    for (shown, named, expected) in [
        (
            Shown::App {
                factor: factor(1),
                step: 12,
            },
            true,
            FactorChange::Use {
                factor: factor(1).id,
                used: 12,
                json: None,
                at: at(&ids, 1).at,
            },
        ),
        (
            Shown::Passkey {
                factor: factor(1),
                json: "{}".into(),
            },
            true,
            FactorChange::Use {
                factor: factor(1).id,
                used: 8,
                json: Some("{}".into()),
                at: at(&ids, 1).at,
            },
        ),
        (
            Shown::Recovery { code },
            false,
            FactorChange::UseCode { code },
        ),
    ] {
        let entry = sign_in(&ben, session.clone(), at(&ids, 1));
        let came = decide::shown(&ben, shown, entry, at(&ids, 1));
        assert_eq!(types(&came), ["person.factor_used", "person.signed_in"]);
        let [
            Write::Access(Access::Factor { person, change }),
            Write::Access(Access::SignIn { .. }),
        ] = &came.writes[..]
        else {
            panic!("{came:?}");
        };
        assert_eq!((*person, change), (ben.id, &expected));
        assert!(matches!(
            &came.events[0].payload,
            Payload::Person(PersonEvent::FactorUsed { factor, .. }) if factor.is_some() == named
        ));
    }
}

#[test]
fn who_needs_one_in_a_new_role_leaves_as_it_changes() {
    let (ids, ben, by) = (Counter::default(), person(8), principal(9, Role::Admin));
    let changed = || change(&ben, "Ben", Role::Admin, &by, at(&ids, 1)).unwrap();
    // Somebody may come in meanwhile: all leave, whether one is known or none.
    let person = ben.id;
    let all = Write::Access(Access::SignOutAll { person });
    let quiet = decide::short_of_one(&ben, Vec::new(), changed(), &by, at(&ids, 1)).unwrap();
    assert_eq!(types(&quiet), ["person.changed"]);
    assert_eq!(quiet.writes.last(), Some(&all));
    let sessions = vec![SessionId(Uuid::from_u128(3))];
    let leaves = |by| decide::short_of_one(&ben, sessions.clone(), changed(), by, at(&ids, 1));
    let left = leaves(&by).unwrap();
    assert_eq!(types(&left), ["person.changed", "person.signed_out"]);
    assert_eq!(left.events[1].actor, by.admin().unwrap());
    assert!(matches!(
        &left.events[1].payload,
        Payload::Person(PersonEvent::SignedOut { sessions: left, .. }) if *left == sessions
    ));
    assert!(matches!(left.writes[0], Write::Access(Access::Person(_))));
    assert_eq!(left.writes[1..], [all]);
    assert_eq!(
        leaves(&principal(9, Role::Responder)),
        Err(Refused::NotAnAdmin)
    );
}

#[test]
fn a_setting_says_who_needs_a_factor() {
    let needs = |setting: FactorFor| Role::ALL.map(|role| setting.needs(role));
    assert_eq!(needs(FactorFor::Nobody), [false, false, false]);
    assert_eq!(needs(FactorFor::Admin), [false, false, true]);
    assert_eq!(needs(FactorFor::Responder), [false, true, true]);
    assert_eq!(needs(FactorFor::Viewer), [true, true, true]);
}
