//! Whose ways to be reached are whose, and what is owed by them.

use uuid::Uuid;

use crate::{
    Changeset, DestinationId, Payload, Principal, ReachEvent, Refused, Role, SecretHash, Write,
    decide::reach::{self as decide, NewReach},
    delivery::{Cause, DestinationKind, Reach, ReachEnd, ReachKind, SealedSecret},
    interaction::Kind,
    limits,
    obligation::{Destination, messages, obligations},
    testing::{Counter, at, body, journalled, opened, person, written},
};

fn wished(n: u128, kind: ReachKind) -> NewReach {
    NewReach {
        id: DestinationId(Uuid::from_u128(n)),
        kind,
        label: "  Firefox on Linux ".into(),
        address: SealedSecret(vec![1, 2]),
        browser: (kind == ReachKind::Push).then_some(SecretHash([7; 32])),
    }
}

fn added(n: u128, kind: ReachKind, by: &Principal) -> (Reach, Changeset) {
    let ids = Counter::default();
    decide::add(wished(n, kind), &[], &[], by, at(&ids, 0)).unwrap()
}

fn other() -> Principal {
    match person(Role::Admin) {
        Principal::Person {
            name,
            role,
            proven_at,
            teams,
            ..
        } => Principal::Person {
            id: crate::PersonId(Uuid::from_u128(99)),
            name,
            role,
            proven_at,
            teams,
        },
        other => other,
    }
}

#[test]
fn an_address_that_anybody_could_name_is_proven_before_anything_else_is_sent_there() {
    let ana = person(Role::Viewer);
    for (kind, works) in [
        (ReachKind::Push, true),
        (ReachKind::Mail, false),
        (ReachKind::Ntfy, true),
        (ReachKind::Slack, true),
    ] {
        let (reach, made) = added(5, kind, &ana);
        assert_eq!(reach.is_working(), works, "{kind:?}");
        assert_eq!(reach.label, "Firefox on Linux");
        let events = journalled(made.clone());
        let owed = obligations(&events, &made.writes);
        assert_eq!(owed.len(), usize::from(!works), "{kind:?}");
        let ids = Counter::default();
        let tested = decide::test(&reach, &ana, at(&ids, 1));
        assert_eq!(tested.is_ok(), works);
        if !works {
            assert_eq!(tested, Err(Refused::Unproven));
            assert_eq!(Cause::of(&events[0].payload), Some(Cause::Proof));
            let proven = decide::prove(&reach, &ana, at(&ids, 1)).unwrap();
            let [Write::Reach(proven)] = &proven.writes[..] else {
                panic!("{proven:?}");
            };
            assert!(proven.is_working());
            let again = decide::prove(proven, &ana, at(&ids, 2));
            assert_eq!(again, Err(Refused::Unchanged));
        }
    }
}

#[test]
fn others_find_no_such_reach_and_admins_can_only_take_it_away() {
    let ana = person(Role::Responder);
    let (reach, _) = added(5, ReachKind::Push, &ana);
    let ids = Counter::default();
    let now = at(&ids, 1);
    assert_eq!(decide::test(&reach, &other(), now), Err(Refused::NotSeen));
    assert_eq!(decide::prove(&reach, &other(), now), Err(Refused::NotSeen));
    let removed = decide::remove(&reach, &other(), now).unwrap();
    let [Write::Reach(gone)] = &removed.writes[..] else {
        panic!("{removed:?}");
    };
    assert_eq!(gone.ended.unwrap().why, ReachEnd::Removed);
    assert!(gone.address.0.is_empty() && !gone.is_working());
    assert_eq!(decide::remove(gone, &other(), now), Err(Refused::NotSeen));
    assert_eq!(decide::end(gone, ReachEnd::Gone, now), None);
    for nobody in [
        Principal::Operator {
            name: "root".into(),
        },
        Principal::Agent(crate::testing::agent()),
    ] {
        let refused = decide::add(wished(6, ReachKind::Push), &[], &[], &nobody, now);
        assert_eq!(refused.map(|_| ()), Err(Refused::NotSeen));
    }
}

#[test]
fn a_browser_that_another_adds_ends_for_the_first_and_one_added_again_counts_once() {
    let ana = person(Role::Responder);
    let (hers, _) = added(5, ReachKind::Push, &ana);
    let ids = Counter::default();
    let now = at(&ids, 1);
    let before = std::slice::from_ref(&hers);
    for (by, own, why) in [
        (other(), &[][..], ReachEnd::Taken),
        (ana.clone(), before, ReachEnd::Removed),
    ] {
        let (_, made) = decide::add(wished(6, ReachKind::Push), own, before, &by, now).unwrap();
        let first = &made.events[0].payload;
        assert!(
            matches!(first, Payload::Reach(ReachEvent::Ended { why: found, .. }) if *found == why)
        );
        assert_eq!(made.writes.len(), 2);
    }
    let many = vec![hers.clone(); limits::REACHES];
    let refused = decide::add(wished(6, ReachKind::Ntfy), &many, &[], &ana, now);
    assert!(matches!(refused, Err(Refused::Invalid(_))));
}

#[test]
fn a_commit_tells_the_reaches_that_it_names_of_its_event() {
    let ids = Counter::default();
    let mut asked = opened(body(Kind::Question), None, &ids);
    let interaction = written(&asked);
    let reaches = vec![
        DestinationId(Uuid::from_u128(1)),
        DestinationId(Uuid::from_u128(2)),
    ];
    asked.writes.push(Write::Tell {
        interaction: interaction.id,
        reaches: reaches.clone(),
    });
    let events = journalled(asked.clone());
    let owed = obligations(&events, &asked.writes);
    let to: Vec<_> = owed.iter().map(|one| one.destination.clone()).collect();
    let expected: Vec<_> = reaches.iter().map(|id| Destination::Reach(*id)).collect();
    assert_eq!(to, expected);
    // Made after the commit they are the same messages.
    let event = &events[0];
    assert_eq!(messages(event.id, event.seq, event.at, &reaches), owed);
    assert_eq!(Cause::of(&event.payload), Some(Cause::Rung(0)));
}

#[test]
fn only_so_many_messages_ask_whose_address_it_is() {
    for (kind, lately, may) in [
        (ReachKind::Mail, 0, true),
        (ReachKind::Mail, limits::PROOFS - 1, true),
        (ReachKind::Mail, limits::PROOFS, false),
        (ReachKind::Push, limits::PROOFS, true),
        (ReachKind::Ntfy, limits::PROOFS, true),
    ] {
        let asked = decide::may_ask_for_proof(kind, lately);
        assert_eq!(asked.is_ok(), may, "{kind:?} {lately}");
    }
}

#[test]
fn every_kind_of_reach_is_a_kind_of_destination() {
    for kind in ReachKind::ALL {
        assert_eq!(ReachKind::of(DestinationKind::from(kind)), Some(kind));
        assert_eq!(ReachKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(ReachKind::of(DestinationKind::Webhook), None);
}

#[test]
fn only_its_person_says_how_what_can_wait_comes_and_only_by_mail() {
    let ana = person(Role::Viewer);
    let ids = Counter::default();
    let now = at(&ids, 1);
    let (mail, _) = added(5, ReachKind::Mail, &ana);
    let changed = decide::gather(&mail, true, &ana, now).unwrap();
    let [Write::Reach(next)] = &changed.writes[..] else {
        panic!("{changed:?}");
    };
    assert!(next.digest);
    assert_eq!(next.version, 2);
    let again = decide::gather(next, true, &ana, now);
    assert_eq!(again, Err(Refused::Unchanged));
    let refused = decide::gather(&mail, true, &other(), now);
    assert_eq!(refused, Err(Refused::NotSeen));
    for kind in [ReachKind::Push, ReachKind::Ntfy, ReachKind::Slack] {
        let (reach, _) = added(5, kind, &ana);
        let refused = decide::gather(&reach, true, &ana, now);
        assert_eq!(refused, Err(Refused::NotSeen), "{kind:?}");
    }
}
