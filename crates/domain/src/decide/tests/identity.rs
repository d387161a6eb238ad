//! Who comes in by a provider, and as what.

use crate::{
    Actor, Changeset, Identity, Membership, Part, Parts, Payload, PersonEvent, PersonId, Principal,
    Refused, Role, SessionId, TeamId, TeamRef, Write,
    access::{Access, NewSession, Person, SecretHash, WaysIn},
    decide::identity::{self as decide, Arrival, Departure, GivenTeams},
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
        teams: None,
        leaves: None,
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

fn ways() -> WaysIn {
    WaysIn {
        passwords: true,
        issuers: vec![ISSUER.into()],
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
            let came = decide::come_in(&ben, &arrival(new), true, &ways(), at(&ids, 1)).unwrap();
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
                .any(|write| matches!(write, Access::AdminRemains { but, .. } if *but == ben.id));
            assert_eq!(guards, old == Role::Admin && change.is_some());
        }
    }
}

#[test]
fn who_needs_a_factor_by_the_provider_s_word_leaves_where_they_came_without_one() {
    let ids = Counter::default();
    let ben = person(8, Role::Responder);
    let known = vec![SessionId(Uuid::from_u128(5))];
    for (known, signed_out) in [(known, true), (Vec::new(), false)] {
        let arrival = Arrival {
            leaves: Some(known),
            ..arrival(Some(Role::Admin))
        };
        let came = decide::come_in(&ben, &arrival, true, &ways(), at(&ids, 1)).unwrap();
        // First the others leave, then this one comes in.
        assert!(matches!(
            written(&came)[..],
            [
                Access::Person(_),
                Access::SignOutAll { .. },
                Access::ComeIn { version: 4, .. }
            ]
        ));
        let mut told = told(&came);
        let signed = told.iter().position(|one| one.0 == "person.signed_out");
        assert_eq!(signed.is_some(), signed_out);
        if let Some(signed) = signed {
            let expected = ("person.signed_out", Some("Company"));
            assert_eq!(told.remove(signed), expected);
        }
        assert_eq!(
            told,
            [
                ("person.changed", Some("Company")),
                ("person.signed_in", Some("Ben"))
            ]
        );
    }
}

#[test]
fn the_last_admin_stays_one_whatever_a_provider_says() {
    let ids = Counter::default();
    let ana = person(9, Role::Admin);
    for role in [Role::Viewer, Role::Responder] {
        let came = decide::come_in(&ana, &arrival(Some(role)), false, &ways(), at(&ids, 1));
        assert_eq!(came, Err(Refused::LastAdmin));
    }
    for role in [None, Some(Role::Admin)] {
        assert!(decide::come_in(&ana, &arrival(role), false, &ways(), at(&ids, 1)).is_ok());
    }
}

#[test]
fn who_is_kept_out_does_not_come_by_a_provider_either() {
    let ids = Counter::default();
    let ben = Person {
        disabled_at: Some(epoch()),
        ..person(8, Role::Viewer)
    };
    let came = decide::come_in(
        &ben,
        &arrival(Some(Role::Admin)),
        true,
        &ways(),
        at(&ids, 1),
    );
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
        let gone = decide::disconnect(&ben, &identity("1"), another_way, &ways(), &by, at(&ids, 1));
        match expected {
            Some(refused) => assert_eq!(gone, Err(refused)),
            None => {
                let gone = gone.unwrap();
                assert_eq!(told(&gone)[0].0, "person.identity_unlinked");
                // Looked at once more when it goes; an admin takes it in any case.
                let remains = Write::Access(Access::WayRemains {
                    person: ben.id,
                    ways: ways(),
                });
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

fn team(n: u128, name: &str) -> TeamRef {
    TeamRef {
        id: TeamId(Uuid::from_u128(n)),
        name: name.into(),
    }
}

fn member(team: TeamRef, part: Part, issuer: Option<&str>) -> Membership {
    let issuer = issuer.map(str::to_owned);
    Membership { team, part, issuer }
}

/// Each change of teams: the team, and the part that there is from now on.
fn moved(changeset: &Changeset) -> Vec<(u128, Option<Part>)> {
    let writes = written(changeset).into_iter();
    let moved = writes.filter_map(|write| match write {
        Access::Member { team, part, .. } => Some((team.0.as_u128(), *part)),
        Access::GivenPart {
            team, part, issuer, ..
        } => {
            assert_eq!(issuer, ISSUER);
            Some((team.0.as_u128(), Some(*part)))
        }
        _ => None,
    });
    moved.collect()
}

#[test]
fn teams_are_what_the_provider_says_and_those_that_it_cannot_give_stay() {
    let ids = Counter::default();
    let (pay, search, rota) = (team(1, "Payments"), team(2, "Search"), team(3, "Rota"));
    let (reads, answers) = (Part::Reads, Part::Answers);
    let other = Some("https://other.example");
    let ours = Some(ISSUER);
    for (until_now, given, expected) in [
        (vec![], vec![], vec![]),
        (vec![], vec![(pay.clone(), reads)], vec![(1, Some(reads))]),
        // It is so already.
        (
            vec![member(pay.clone(), answers, ours)],
            vec![(pay.clone(), answers)],
            vec![],
        ),
        // Another part.
        (
            vec![member(pay.clone(), answers, ours)],
            vec![(pay.clone(), reads)],
            vec![(1, Some(reads))],
        ),
        // Whoever gave it: who it is in there the provider says from now on.
        (
            vec![
                member(pay.clone(), answers, None),
                member(search.clone(), answers, other),
            ],
            vec![(pay.clone(), answers)],
            vec![(2, None), (1, Some(answers))],
        ),
        // Taken out of the map, or given another name since.
        (
            vec![member(rota.clone(), answers, ours)],
            vec![],
            vec![(3, None)],
        ),
        // By an admin's hand, or another provider's, where this one has no say.
        (
            vec![
                member(rota.clone(), answers, None),
                member(team(4, "Ops"), reads, other),
            ],
            vec![],
            vec![],
        ),
    ] {
        let arrival = Arrival {
            teams: Some(GivenTeams {
                given,
                named: ["payments".into(), "search".into()].into(),
                until_now,
            }),
            ..arrival(None)
        };
        let ben = person(8, Role::Responder);
        let came = decide::come_in(&ben, &arrival, true, &ways(), at(&ids, 1)).unwrap();
        assert_eq!(moved(&came), expected);
        let all = told(&came);
        let (last, teams) = all.split_last().unwrap();
        assert_eq!(*last, ("person.signed_in", Some("Ben")));
        assert_eq!(teams.len(), expected.len());
        for (event, (_, part)) in teams.iter().zip(&expected) {
            let name = match part {
                Some(_) => "team.member_set",
                None => "team.member_removed",
            };
            assert_eq!(*event, (name, Some("Company")));
        }
    }
    let arrival = Arrival {
        teams: Some(GivenTeams {
            given: vec![(pay, reads)],
            ..GivenTeams::default()
        }),
        ..arrival(None)
    };
    let came = decide::come_first("Cem", Role::Viewer, &arrival, at(&ids, 1)).unwrap();
    assert_eq!(moved(&came), [(1, Some(reads))]);
}

#[test]
fn who_has_no_role_by_the_provider_any_more_is_out_everywhere() {
    let ids = Counter::default();
    let departure = |sessions: &[u128]| Departure {
        identity: identity("1"),
        provider: "Company".into(),
        teams: Some(GivenTeams {
            until_now: vec![member(team(1, "Payments"), Part::Answers, Some(ISSUER))],
            ..GivenTeams::default()
        }),
        sessions: sessions
            .iter()
            .map(|n| SessionId(Uuid::from_u128(*n)))
            .collect(),
    };
    let away = |person: &Person, departure, another| {
        decide::turn_away(person, departure, another, &ways(), at(&ids, 1))
    };
    let gone = away(&person(8, Role::Admin), departure(&[4, 5]), true).unwrap();
    assert_eq!(
        told(&gone),
        [
            ("person.changed", Some("Company")),
            ("team.member_removed", Some("Company")),
            ("person.signed_out", Some("Company")),
        ]
    );
    let writes = written(&gone);
    let [
        Access::AdminRemains { but, ways: by },
        Access::Person(ben),
        Access::Member { part: None, .. },
        Access::SignOutAll { person: whose },
    ] = writes[..]
    else {
        panic!("{gone:?}");
    };
    assert_eq!((*but, by, ben.role), (ben.id, &ways(), Role::Viewer));
    assert_eq!(*whose, ben.id);
    let Payload::Person(PersonEvent::SignedOut { sessions, .. }) = &gone.events[2].payload else {
        panic!("{gone:?}");
    };
    assert_eq!(sessions.len(), 2);
    // The last admin keeps everything.
    let refused = away(&person(8, Role::Admin), departure(&[4]), false);
    assert_eq!(refused, Err(Refused::LastAdmin));
    let nothing = Departure {
        teams: None,
        ..departure(&[])
    };
    let unchanged = away(&person(8, Role::Viewer), nothing, false);
    assert_eq!(unchanged, Err(Refused::Unchanged));
}

#[test]
fn only_what_a_server_has_open_is_a_way_in() {
    let closed = WaysIn {
        passwords: false,
        issuers: vec![ISSUER.into()],
    };
    for (ways, of_their_own, issuers, expected) in [
        (ways(), true, &[][..], true),
        (ways(), false, &[ISSUER], true),
        (ways(), false, &["https://gone.example"], false),
        (closed.clone(), true, &[], false),
        (
            closed.clone(),
            true,
            &["https://gone.example", ISSUER],
            true,
        ),
        (WaysIn::default(), true, &[ISSUER], false),
    ] {
        let leads = ways.lead_in(of_their_own, issuers.iter().copied());
        assert_eq!(leads, expected, "{ways:?} {of_their_own} {issuers:?}");
    }
}
