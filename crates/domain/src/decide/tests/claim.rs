//! Claims, handing over, and putting off.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::sequences::bo;
use crate::{
    Actor, Changeset, InteractionEvent, Part, Parts, Payload, PersonId, Principal, Refused, Role,
    Team, TeamId, TokenId,
    decide::interaction::{self as decide, Receiver},
    interaction::{Interaction, Kind, Unclaimed, Whom},
    limits,
    team::Profile,
    testing::{
        Counter, agent, at, epoch, given, human, journalled, opened, person, request, with, written,
    },
};

fn question(ids: &Counter) -> Interaction {
    let fields = json!({"timeout_seconds": 3_600});
    written(&opened(with(Kind::Question, fields), None, ids))
}

fn signed_in(id: u128, name: &str, role: Role, parts: &[(&Team, Part)]) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(id)),
        name: name.to_owned(),
        role,
        proven_at: epoch(),
        teams: parts.iter().map(|(team, part)| (team.id, *part)).collect(),
    }
}

fn cy() -> Principal {
    signed_in(11, "Cy", Role::Responder, &[])
}

fn team(id: u128, name: &str) -> Team {
    Team {
        id: TeamId(Uuid::from_u128(id)),
        version: 1,
        profile: Profile {
            name: name.to_owned(),
            ..Profile::default()
        },
        created_at: epoch(),
        deleted_at: None,
    }
}

#[test]
fn one_person_is_on_it_and_the_others_hear_who_and_for_how_long() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let claiming = decide::claim(&question(&ids), 15, &ana, at(&ids, 60)).unwrap();
    let claimed = written(&claiming);
    let claim = claimed.claim.clone().unwrap();
    assert_eq!(claim.by.name, "Ana");
    assert_eq!(claim.until, epoch() + TimeDelta::seconds(960));
    let refused = decide::claim(&claimed, 15, &cy(), at(&ids, 240)).unwrap_err();
    assert_eq!(refused.to_string(), "Ana is on it for another 12 min");
    for refused in [
        decide::release(&claimed, &cy(), at(&ids, 240)),
        decide::hand_over(
            &claimed,
            Receiver::Person(Some((&bo(), &Parts::default()))),
            None,
            &cy(),
            at(&ids, 240),
        ),
    ] {
        assert!(matches!(refused, Err(Refused::Claimed { .. })));
    }
    // It is never needed in order to answer.
    let answer = given(json!({"text": "80"}));
    let answered = written(&decide::answer(&claimed, answer, &cy(), None, at(&ids, 240)).unwrap());
    assert_eq!(answered.claim, None);
}

fn taken_from(changeset: &Changeset) -> Option<String> {
    match &changeset.events[0].payload {
        Payload::Interaction(InteractionEvent::Claimed { taken_from, .. }) => {
            taken_from.as_ref().map(|by| by.name.clone())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_person_goes_on_being_on_it_and_an_admin_takes_it() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let claimed = written(&decide::claim(&question(&ids), 15, &ana, at(&ids, 0)).unwrap());
    assert_eq!(
        decide::claim(&claimed, 15, &ana, at(&ids, 0)),
        Err(Refused::Unchanged)
    );
    let renewing = decide::claim(&claimed, 15, &ana, at(&ids, 600)).unwrap();
    assert_eq!(taken_from(&renewing), None);
    let renewed = written(&renewing);
    // Nothing is taken from a person whose time has run out.
    let later = decide::claim(
        &renewed,
        5,
        &signed_in(12, "Di", Role::Admin, &[]),
        at(&ids, 1_500),
    );
    assert_eq!(taken_from(&later.unwrap()), None);
    let until = renewed.claim.as_ref().unwrap().until;
    assert_eq!(until, epoch() + TimeDelta::seconds(1_500));
    let admin = signed_in(12, "Di", Role::Admin, &[]);
    let taking = decide::claim(&renewed, 5, &admin, at(&ids, 601)).unwrap();
    assert_eq!(taken_from(&taking).as_deref(), Some("Ana"));
    let taken = written(&taking);
    assert_eq!(taken.claim.as_ref().unwrap().by.name, "Di");
    assert!(matches!(
        decide::claim(&taken, 5, &ana, at(&ids, 602)),
        Err(Refused::Claimed { .. })
    ));
    let given_up = decide::release(&renewed, &admin, at(&ids, 603)).unwrap();
    let Payload::Interaction(InteractionEvent::Released { by, why }) = &given_up.events[0].payload
    else {
        panic!("{given_up:?}");
    };
    assert_eq!((&*by.name, *why), ("Ana", Unclaimed::GivenUp));
    assert_eq!(written(&given_up).claim, None);
}

#[test]
fn an_admin_who_may_not_know_takes_nothing_from_the_one_who_is_on_it() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let open = question(&ids);
    let claimed = written(&decide::claim(&open, 15, &ana, at(&ids, 0)).unwrap());
    let admin = signed_in(12, "Di", Role::Admin, &[]);
    let check = |asked: &Interaction, by: &Principal, now| {
        decide::no_other_is_on_it(asked, by, at(&ids, now))
    };
    assert_eq!(check(&open, &admin, 0), Ok(()));
    assert_eq!(check(&claimed, &ana, 1), Ok(()));
    assert!(matches!(
        check(&claimed, &admin, 1),
        Err(Refused::Claimed { .. })
    ));
    // It has run out, though no job has come by.
    assert_eq!(check(&claimed, &admin, 900), Ok(()));
    let viewer = signed_in(13, "Eve", Role::Viewer, &[]);
    assert_eq!(check(&open, &viewer, 0), Err(Refused::NotAResponder));
}

#[test]
fn a_claim_that_is_taken_from_no_one_is_journalled_as_ever() {
    let event = InteractionEvent::Claimed {
        until: epoch(),
        taken_from: None,
    };
    let stored = serde_json::to_value(&event).unwrap();
    assert!(!stored.to_string().contains("taken_from"), "{stored}");
    assert_eq!(
        serde_json::from_value::<InteractionEvent>(stored).unwrap(),
        event
    );
}

#[test]
fn a_claim_runs_out_and_never_outlives_the_deadline() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let claimed = written(&decide::claim(&question(&ids), 1, &ana, at(&ids, 0)).unwrap());
    assert_eq!(
        decide::run_out(&claimed, true, at(&ids, 59)),
        Err(Refused::NotDue)
    );
    // Who may not answer any more keeps others silent no longer.
    assert!(decide::run_out(&claimed, false, at(&ids, 59)).is_ok());
    let ran_out = decide::run_out(&claimed, true, at(&ids, 60)).unwrap();
    assert_eq!(ran_out.events[0].actor, Actor::Deadline);
    assert_eq!(written(&ran_out).claim, None);
    // Before the job has come by, it is none any more.
    assert_eq!(claimed.claim_at(epoch() + TimeDelta::seconds(60)), None);
    assert!(decide::claim(&claimed, 15, &cy(), at(&ids, 60)).is_ok());

    let late = written(&decide::claim(&question(&ids), 15, &ana, at(&ids, 3_590)).unwrap());
    assert_eq!(
        late.claim.as_ref().map(|claim| claim.until),
        late.expires_at
    );
    assert!(matches!(
        decide::run_out(&late, true, at(&ids, 3_600)),
        Err(Refused::Closed { .. })
    ));
    let expired = written(&decide::expire(&late, None, at(&ids, 3_600)).unwrap());
    assert_eq!(expired.claim, None);
}

#[test]
fn only_who_may_answer_claims_hands_over_and_gives_up() {
    let ids = Counter::default();
    let payments = team(1, "payments");
    let asked = Interaction {
        team: Some(payments.named()),
        ..question(&ids)
    };
    let reader = signed_in(13, "Ed", Role::Responder, &[(&payments, Part::Reads)]);
    let member = signed_in(14, "Flo", Role::Responder, &[(&payments, Part::Answers)]);
    let script = Principal::Script {
        id: TokenId(Uuid::from_u128(9)),
        name: "night desk".into(),
        teams: Parts::default(),
    };
    let flo = human(14, "Flo", Role::Responder);
    let parts = Parts::from_iter([(payments.id, Part::Answers)]);
    for (by, expected) in [
        (Principal::Agent(agent()), Some(Refused::NotAResponder)),
        (person(Role::Viewer), Some(Refused::NotSeen)),
        (cy(), Some(Refused::NotSeen)),
        (script, Some(Refused::NotSeen)),
        (
            reader,
            Some(Refused::NotInTeam {
                team: "payments".into(),
            }),
        ),
        (member, None),
    ] {
        let to = Receiver::Person(Some((&flo, &parts)));
        let claimed = decide::claim(&asked, 15, &by, at(&ids, 1));
        assert_eq!(claimed.as_ref().err(), expected.as_ref());
        let handed = decide::hand_over(&asked, to, None, &by, at(&ids, 1));
        assert_eq!(handed.err(), expected);
        let released = decide::release(&asked, &by, at(&ids, 1)).unwrap_err();
        assert_eq!(released, expected.unwrap_or(Refused::Unchanged));
    }
    for minutes in [0, -1, limits::CLAIM_MINUTES_MAX + 1, i64::MAX, i64::MIN] {
        let refused = decide::claim(&question(&ids), minutes, &cy(), at(&ids, 1));
        assert!(matches!(refused, Err(Refused::Invalid(_))), "{minutes}");
    }
}

#[test]
fn it_is_handed_to_who_may_answer_it_and_to_nobody_else() {
    let ids = Counter::default();
    let payments = team(1, "payments");
    let asked = Interaction {
        team: Some(payments.named()),
        ..question(&ids)
    };
    let member = signed_in(14, "Flo", Role::Responder, &[(&payments, Part::Answers)]);
    let answers = Parts::from_iter([(payments.id, Part::Answers)]);
    let reads = Parts::from_iter([(payments.id, Part::Reads)]);
    let gone = crate::Person {
        disabled_at: Some(epoch()),
        ..bo()
    };
    let viewer = human(10, "Bo", Role::Viewer);
    let nobody = Receiver::Person(None);
    let said = |to| decide::hand_over(&asked, to, None, &member, at(&ids, 1)).unwrap_err();
    let Refused::Invalid(faults) = said(nobody) else {
        panic!("{:?}", said(nobody));
    };
    assert_eq!(faults[0].path, "person");
    let bo = bo();
    for to in [
        Some((&bo, &reads)),
        Some((&gone, &answers)),
        Some((&viewer, &answers)),
    ] {
        assert_eq!(said(Receiver::Person(to)), said(nobody));
    }
    let to = Receiver::Person(Some((&bo, &answers)));
    let why = Some("the ledger is yours".to_owned());
    let claimed = written(&decide::claim(&asked, 15, &member, at(&ids, 1)).unwrap());
    let handing = decide::hand_over(&claimed, to, why.clone(), &member, at(&ids, 2)).unwrap();
    let handed = written(&handing);
    assert_eq!((&handed.claim, handed.team_id()), (&None, asked.team_id()));
    let addressee = handed.to.clone().unwrap();
    assert_eq!(addressee.person(), Some((bo.id, "Bo")));
    assert_eq!(addressee.since, epoch() + TimeDelta::seconds(2));
    assert_eq!(addressee.handed.unwrap().why, why);
    assert!(!handing.events[0].payload.moves());
    assert_eq!(
        decide::hand_over(&handed, to, None, &member, at(&ids, 3)),
        Err(Refused::Unchanged)
    );
}

#[test]
fn it_is_handed_to_a_team_that_one_answers_in_oneself() {
    let ids = Counter::default();
    let (payments, search) = (team(1, "payments"), team(2, "search"));
    let opening = opened(with(Kind::Question, json!({})), None, &ids);
    let asked = written(&opening);
    let both = [(&payments, Part::Reads), (&search, Part::Answers)];
    let flo = signed_in(14, "Flo", Role::Responder, &both);
    let handing = decide::hand_over(
        &asked,
        Receiver::Team(Some(&search)),
        None,
        &flo,
        at(&ids, 1),
    )
    .unwrap();
    let handed = written(&handing);
    assert!(handing.events[0].payload.moves());
    assert_eq!(handed.team, Some(search.named()));
    assert_eq!(handed.to.as_ref().map(|to| &to.whom), Some(&Whom::Team));
    let events = [journalled(opening), journalled(handing)].concat();
    assert_eq!(Interaction::replay(&events), Some(handed.clone()));

    let refused = |to, by: &Principal| {
        decide::hand_over(&asked, Receiver::Team(to), None, by, at(&ids, 1)).unwrap_err()
    };
    let deleted = Team {
        deleted_at: Some(epoch()),
        ..team(1, "payments")
    };
    let admin = signed_in(12, "Di", Role::Admin, &[]);
    assert_eq!(refused(Some(&payments), &cy()), refused(None, &cy()));
    // Who only reads there does not give it to those who answer there.
    assert_eq!(refused(Some(&payments), &flo), refused(None, &flo));
    assert_eq!(refused(Some(&deleted), &flo), refused(None, &flo));
    assert_eq!(refused(Some(&deleted), &admin), refused(None, &admin));
    assert!(
        decide::hand_over(
            &asked,
            Receiver::Team(Some(&payments)),
            None,
            &admin,
            at(&ids, 1)
        )
        .is_ok()
    );
    // Back to the whole team: nothing moves.
    let to_cy = written(&decide::claim(&handed, 15, &admin, at(&ids, 2)).unwrap());
    assert!(to_cy.claim.is_some());
    let again = decide::hand_over(
        &to_cy,
        Receiver::Team(Some(&search)),
        None,
        &admin,
        at(&ids, 3),
    );
    assert_eq!(again, Err(Refused::Unchanged));
}

#[test]
fn what_a_policy_has_a_team_decide_stays_with_it_until_an_admin_moves_it() {
    let ids = Counter::default();
    let (payments, search) = (team(1, "payments"), team(2, "search"));
    let both = [(&payments, Part::Answers), (&search, Part::Answers)];
    let flo = signed_in(14, "Flo", Role::Responder, &both);
    let admin = signed_in(12, "Di", Role::Admin, &[]);
    let asked = |bound| {
        let mut asked = request(with(Kind::Approval, json!({})));
        asked.ruled = Some(Box::default());
        let asked = asked.asked_by_rule_of(bound);
        let named = Some(payments.named());
        written(&decide::open(
            asked,
            agent(),
            named,
            None,
            None,
            None,
            at(&ids, 0),
        ))
    };
    let hand = |asked: &Interaction, to: &Team, by: &Principal| {
        decide::hand_over(asked, Receiver::Team(Some(to)), None, by, at(&ids, 1))
    };
    let bound = asked(Some(payments.id));
    for by in [&flo, &admin] {
        assert!(hand(&asked(None), &search, by).is_ok());
        let refused = hand(&bound, &search, by);
        assert!(
            matches!(&refused, Err(Refused::Invalid(faults)) if faults[0].path == "team"),
            "{refused:?}"
        );
        // To the same team, or to a person of it, it may be given.
        assert!(hand(&bound, &payments, by).is_ok());
    }
    let moved = written(&decide::move_to(&bound, &search, &admin, at(&ids, 1)).unwrap());
    assert_eq!(moved.team_id(), Some(search.id));
    assert!(hand(&moved, &search, &flo).is_ok());
    assert!(hand(&moved, &payments, &flo).is_ok());
    let json = serde_json::to_value(&bound.request).unwrap();
    assert_eq!(json["ruled"], json!({"team": payments.id}));
    assert_eq!(
        serde_json::to_value(&asked(None).request).unwrap()["ruled"],
        json!({})
    );
}

#[test]
fn why_it_was_handed_over_is_gone_once_it_is_erased() {
    let ids = Counter::default();
    let bo = bo();
    let to = Receiver::Person(Some((&bo, &Parts::default())));
    let why = Some("the ledger is yours".to_owned());
    let handing = decide::hand_over(&question(&ids), to, why, &cy(), at(&ids, 2)).unwrap();
    let handed = written(&handing);
    let blank = handing.events[0].payload.without_words();
    assert_ne!(blank, handing.events[0].payload);
    for json in [
        serde_json::to_string(&blank).unwrap(),
        format!("{:?}", handed.without_words()),
    ] {
        assert!(json.contains("Bo") && !json.contains("ledger"), "{json}");
    }
}

#[test]
fn it_is_put_off_by_who_sees_it_and_comes_back_before_the_deadline() {
    let ids = Counter::default();
    let asked = question(&ids);
    let until = |seconds| epoch() + TimeDelta::seconds(seconds);
    let viewer = person(Role::Viewer);
    let snooze = decide::snooze(&asked, until(900), &viewer, at(&ids, 1)).unwrap();
    assert_eq!(
        (snooze.person, snooze.interaction, snooze.until),
        (PersonId(Uuid::from_u128(8)), asked.id, until(900))
    );
    for (seconds, said) in [
        (1, "has passed"),
        (3_600, "is not before its deadline"),
        (8 * 86_400, "is too far ahead"),
    ] {
        let refused = decide::snooze(&asked, until(seconds), &viewer, at(&ids, 1));
        let Err(Refused::Invalid(faults)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((&*faults[0].path, &*faults[0].message), ("until", said));
    }
    let of_others = Interaction {
        team: Some(team(1, "payments").named()),
        ..question(&ids)
    };
    assert_eq!(
        decide::snooze(&of_others, until(900), &cy(), at(&ids, 1)),
        Err(Refused::NotSeen)
    );
    let agent = Principal::Agent(agent());
    assert_eq!(
        decide::snooze(&asked, until(900), &agent, at(&ids, 1)),
        Err(Refused::NotAResponder)
    );
}
