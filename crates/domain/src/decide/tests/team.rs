//! Rule 18: who sees and answers what belongs to a team, and who says so.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use crate::{
    AgentId, AgentRef, Audience, Interaction, Membership, Part, Parts, Payload, Person, PersonId,
    Principal, Refused, Role, Team, TeamId, TokenId, Write,
    access::Access,
    decide::{interaction, team as decide},
    event::TeamEvent,
    interaction::Kind,
    limits::PROOF_LASTS,
    team::Profile,
    testing::{Counter, agent, answer_to, at, body, draft, epoch, given, journalled, written},
};

fn id(n: u128) -> TeamId {
    TeamId(Uuid::from_u128(n))
}

fn team(n: u128, name: &str) -> Team {
    Team {
        id: id(n),
        version: 1,
        profile: profile(name),
        created_at: epoch(),
        deleted_at: None,
    }
}

fn profile(name: &str) -> Profile {
    Profile {
        name: name.into(),
        ..Profile::default()
    }
}

fn parts(parts: &[(u128, Part)]) -> Parts {
    parts.iter().map(|(n, part)| (id(*n), *part)).collect()
}

fn person(role: Role, teams: Parts) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role,
        proven_at: epoch(),
        teams,
    }
}

fn ben() -> Person {
    Person {
        id: PersonId(Uuid::from_u128(9)),
        version: 1,
        name: "Ben".into(),
        role: Role::Responder,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

fn asked(kind: Kind, of: Option<&Team>, ids: &Counter) -> Interaction {
    let request = draft(body(kind)).check(|_| Some(TimeDelta::hours(1)));
    let team = of.map(Team::named);
    written(&interaction::open(
        request.unwrap(),
        agent(),
        team,
        None,
        None,
        None,
        at(ids, 0),
    ))
}

/// Each principal that could answer, by its part in the team that is asked.
fn everybody(part: Option<Part>) -> Vec<(Principal, Role)> {
    let teams = || match part {
        Some(part) => parts(&[(1, part), (3, Part::Answers)]),
        None => parts(&[(3, Part::Answers)]),
    };
    let mut all = vec![(
        Principal::Script {
            id: TokenId(Uuid::from_u128(5)),
            name: "night desk".into(),
            teams: teams(),
        },
        Role::Responder,
    )];
    for role in Role::ALL {
        all.push((person(role, teams()), role));
        let slack = Principal::SlackUser {
            id: Uuid::from_u128(6),
            name: "Ana".into(),
            role,
            teams: teams(),
        };
        all.push((slack, role));
    }
    all
}

#[test]
fn members_who_answer_and_admins_answer_for_a_team_and_all_others_see_nothing_of_it() {
    let ids = Counter::default();
    let payments = team(1, "Payments");
    let asked = asked(Kind::Question, Some(&payments), &ids);
    for part in [None, Some(Part::Reads), Some(Part::Answers)] {
        for (by, role) in everybody(part) {
            let answer = given(answer_to(Kind::Question));
            let answered = interaction::answer(&asked, answer.clone(), &by, None, at(&ids, 1));
            let cancelled = interaction::cancel(&asked, &by, None, None, at(&ids, 1));
            let late = interaction::reject_answer(
                &asked,
                answer,
                crate::interaction::Outcome::Cancelled,
                &by,
                at(&ids, 1),
            );
            let sees = by.audience().includes(agent().id, Some(payments.id));
            let expected = match (role, part) {
                (Role::Admin, _) | (Role::Responder, Some(Part::Answers)) => None,
                (Role::Viewer, Some(_)) => Some(Refused::NotAResponder),
                (Role::Responder, Some(Part::Reads)) => Some(Refused::NotInTeam {
                    team: "Payments".into(),
                }),
                (_, None) => Some(Refused::NotSeen),
            };
            assert_eq!(sees, expected != Some(Refused::NotSeen), "{by:?}");
            for outcome in [answered, cancelled, late] {
                assert_eq!(outcome.err(), expected, "{by:?}");
            }
        }
    }
}

#[test]
fn what_belongs_to_no_team_is_everyones() {
    let ids = Counter::default();
    let asked = asked(Kind::Question, None, &ids);
    for (by, role) in everybody(None) {
        assert!(by.audience().includes(agent().id, None));
        let answer = given(answer_to(Kind::Question));
        let answered = interaction::answer(&asked, answer, &by, None, at(&ids, 1));
        assert_eq!(answered.is_ok(), role != Role::Viewer, "{by:?}");
    }
}

#[test]
fn an_audience_hears_of_its_own_and_an_agent_of_nothing_else() {
    let (own, other) = (agent().id, AgentId(Uuid::from_u128(99)));
    let agents = Audience::Agent(own);
    assert!(agents.hears(Some(own), Some(id(1)), false) && agents.hears(Some(own), None, false));
    assert!(!agents.hears(Some(other), None, false) && !agents.hears(None, None, false));
    let members = Audience::Teams(vec![id(1)]);
    assert!(members.hears(Some(own), Some(id(1)), false));
    assert!(members.hears(Some(own), None, false) && members.hears(None, None, false));
    assert!(!members.hears(Some(own), Some(id(2)), false) && !members.hears(None, None, true));
    assert!(Audience::All.hears(Some(other), Some(id(2)), false));
    assert!(Audience::All.hears(None, None, false) && Audience::All.hears(None, None, true));
    let least = Audience::default();
    assert!(least.hears(Some(own), None, false) && !least.hears(Some(own), Some(id(1)), false));
    assert!(members.sees_all(&[id(1)]) && !members.sees_all(&[id(1), id(2)]));
    assert!(least.sees_all(&[]) && Audience::All.sees_all(&[id(9)]));
    assert!(agents.sees_all(&[]) && !agents.sees_all(&[id(1)]));
}

#[test]
fn admins_alone_change_teams_and_let_people_in_only_with_their_password_given_lately() {
    let ids = Counter::default();
    let (payments, ben, backend) = (team(1, "Payments"), ben(), agent());
    let all = |by: &Principal, seconds| {
        let now = || at(&ids, seconds);
        let channel = Profile {
            slack_channel: Some("C0123".into()),
            ..profile("Payments")
        };
        let lets_in = [
            decide::set_member(&payments, &ben, None, Part::Reads, by, now()),
            decide::set_home(&backend, Some(id(1)), None, by, now()),
            decide::change(&payments, channel, by, now()),
        ];
        let others = [
            decide::create(profile("Search"), by, now()),
            decide::change(&payments, profile("Billing"), by, now()),
            decide::delete(&payments, 0, 0, by, now()),
            decide::remove_member(&payments, &ben, Some(Part::Reads), by, now()),
            decide::set_open(&payments, &backend, false, true, by, now()),
        ];
        (lets_in, others)
    };
    for (by, role) in everybody(Some(Part::Answers)) {
        let (lets_in, others) = all(&by, 1);
        let may = role == Role::Admin && matches!(by, Principal::Person { .. });
        for outcome in lets_in.into_iter().chain(others) {
            assert_eq!(
                outcome.err(),
                (!may).then_some(Refused::NotAnAdmin),
                "{by:?}"
            );
        }
    }
    let admin = person(Role::Admin, Parts::default());
    let (lets_in, others) = all(&admin, PROOF_LASTS.num_seconds());
    assert!(lets_in.iter().all(|it| *it == Err(Refused::Unproven)));
    assert!(others.iter().all(Result::is_ok));
}

#[test]
fn a_team_that_is_asked_or_is_a_home_stays_and_one_that_is_gone_takes_nothing() {
    let ids = Counter::default();
    let admin = person(Role::Admin, Parts::default());
    let (payments, ben, backend) = (team(1, "Payments"), ben(), agent());
    let now = || at(&ids, 1);
    for (pending, agents) in [(1, 0), (0, 1), (3, 2)] {
        assert_eq!(
            decide::delete(&payments, pending, agents, &admin, now()),
            Err(Refused::TeamInUse { pending, agents })
        );
    }
    let gone = Team {
        deleted_at: Some(epoch()),
        ..payments.clone()
    };
    let question = asked(Kind::Question, Some(&team(2, "Search")), &ids);
    for refused in [
        decide::delete(&gone, 0, 0, &admin, now()),
        decide::change(&gone, profile("Billing"), &admin, now()),
        decide::set_member(&gone, &ben, None, Part::Reads, &admin, now()),
        decide::remove_member(&gone, &ben, Some(Part::Reads), &admin, now()),
        decide::set_home(&backend, None, Some(&gone), &admin, now()),
        decide::set_open(&gone, &backend, false, true, &admin, now()),
        interaction::move_to(&question, &gone, &admin, now()),
    ] {
        assert_eq!(refused, Err(Refused::TeamDeleted));
    }
    let disabled = Person {
        disabled_at: Some(epoch()),
        ..ben
    };
    assert_eq!(
        decide::set_member(&payments, &disabled, None, Part::Reads, &admin, now()),
        Err(Refused::Disabled)
    );
}

#[test]
fn whom_a_provider_made_a_member_an_admin_can_keep() {
    let ids = Counter::default();
    let (payments, ben) = (team(1, "Payments"), ben());
    let admin = person(Role::Admin, Parts::default());
    let member = |issuer: Option<&str>| Membership {
        team: payments.named(),
        part: Part::Reads,
        issuer: issuer.map(str::to_owned),
    };
    for (now_is, part, unchanged) in [
        (member(None), Part::Reads, true),
        (member(None), Part::Answers, false),
        (member(Some("https://id.example")), Part::Reads, false),
        (member(Some("https://id.example")), Part::Answers, false),
    ] {
        let now = at(&ids, 1);
        let set = decide::set_member(&payments, &ben, Some(&now_is), part, &admin, now);
        assert_eq!(set == Err(Refused::Unchanged), unchanged, "{now_is:?}");
    }
}

#[test]
fn a_question_that_is_moved_belongs_to_the_other_team_alone() {
    let ids = Counter::default();
    let (payments, search) = (team(1, "Payments"), team(2, "Search"));
    let admin = person(Role::Admin, Parts::default());
    let asking = interaction::open(
        draft(body(Kind::Question)).check(|_| None).unwrap(),
        agent(),
        Some(payments.named()),
        None,
        None,
        None,
        at(&ids, 0),
    );
    let question = written(&asking);
    let member = person(Role::Responder, parts(&[(1, Part::Answers)]));
    assert_eq!(
        interaction::move_to(&question, &search, &member, at(&ids, 1)),
        Err(Refused::NotAnAdmin)
    );
    assert_eq!(
        interaction::move_to(&question, &payments, &admin, at(&ids, 1)),
        Err(Refused::Unchanged)
    );
    let moving = interaction::move_to(&question, &search, &admin, at(&ids, 1)).unwrap();
    let moved = written(&moving);
    assert_eq!(moved.team, Some(search.named()));
    let mut events = journalled(asking);
    events.extend(journalled(moving));
    let told = Interaction::replay(&events).unwrap();
    assert_eq!(told, moved);
    // A row that says another team than the journal is a changed row.
    assert_eq!(question.as_told(&told), Err(Refused::Altered));
    let answer = given(json!({"text": "80"}));
    assert_eq!(
        interaction::answer(&moved, answer.clone(), &member, None, at(&ids, 2)),
        Err(Refused::NotSeen)
    );
    let other = person(Role::Responder, parts(&[(2, Part::Answers)]));
    assert!(interaction::answer(&moved, answer, &other, None, at(&ids, 2)).is_ok());
}

#[test]
fn events_of_teams_are_read_back_and_end_the_access_of_those_who_leave() {
    let ids = Counter::default();
    let admin = person(Role::Admin, Parts::default());
    let (payments, ben, backend) = (team(1, "Payments"), ben(), agent());
    let now = || at(&ids, 1);
    let wished = Profile {
        name: "  Payments ".into(),
        slack_channel: Some("C0123ABCD".into()),
        timeouts: [(Kind::Approval, Some(60)), (Kind::Question, None)].into(),
    };
    let changesets = [
        (decide::create(wished, &admin, now()), false),
        (
            decide::change(&payments, profile("Billing"), &admin, now()),
            false,
        ),
        (decide::delete(&payments, 0, 0, &admin, now()), true),
        (
            decide::set_member(&payments, &ben, None, Part::Reads, &admin, now()),
            true,
        ),
        (
            decide::remove_member(&payments, &ben, Some(Part::Reads), &admin, now()),
            true,
        ),
        (
            decide::set_home(&backend, None, Some(&payments), &admin, now()),
            false,
        ),
        (
            decide::set_open(&payments, &backend, false, true, &admin, now()),
            false,
        ),
        (
            decide::set_open(&payments, &backend, true, false, &admin, now()),
            false,
        ),
    ];
    for (changeset, ends) in changesets {
        let changeset = changeset.unwrap();
        let payload = &changeset.events[0].payload;
        let tagged = serde_json::to_value(payload).unwrap();
        let read = Payload::read(payload.event_type(), &tagged["payload"].to_string()).unwrap();
        assert_eq!(read, *payload);
        assert_eq!(payload.ends_access(), ends, "{payload:?}");
        if let (
            Payload::Team(TeamEvent::Created { profile, .. }),
            [Write::Access(Access::Team(team))],
        ) = (payload, &changeset.writes[..])
        {
            assert_eq!(profile.name, "Payments");
            assert_eq!(team.profile, *profile);
        }
    }
}

#[test]
fn a_profile_is_refused_with_the_path_of_its_fault() {
    let ids = Counter::default();
    let admin = person(Role::Admin, Parts::default());
    let long = "x".repeat(crate::limits::LINE_CHARS + 1);
    for (wrong, path) in [
        (profile(" "), "name"),
        (profile(&long), "name"),
        (
            Profile {
                slack_channel: Some("#payments".into()),
                ..profile("a")
            },
            "slack_channel",
        ),
        (
            Profile {
                timeouts: [(Kind::Notification, None)].into(),
                ..profile("a")
            },
            "timeouts.notification",
        ),
        (
            Profile {
                timeouts: [(Kind::Form, Some(0))].into(),
                ..profile("a")
            },
            "timeouts.form",
        ),
    ] {
        let refused = decide::create(wrong, &admin, at(&ids, 1));
        let Err(Refused::Invalid(faults)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].path, path);
    }
}

#[test]
fn an_agent_s_token_has_no_teams() {
    let ids = Counter::default();
    let admin = person(Role::Admin, Parts::default());
    let teams = [team(1, "Payments")];
    let wished = |kind| crate::decide::access::NewToken {
        kind,
        name: "desk",
        agent: None,
        lifetime: crate::access::Lifetime::Never,
        teams: &teams,
        owner: None,
    };
    let hash = crate::access::SecretHash([1; 32]);
    let made = |kind| crate::decide::access::create_token(&wished(kind), hash, &admin, at(&ids, 1));
    assert!(matches!(
        made(crate::TokenKind::Agent),
        Err(Refused::Invalid(faults)) if faults[0].path == "team"
    ));
    let made = made(crate::TokenKind::Responder).unwrap();
    let [Write::Access(Access::Token { token, .. })] = &made.writes[..] else {
        panic!("{made:?}");
    };
    assert_eq!(token.teams, [id(1)]);
}

#[test]
fn an_agent_is_named_by_its_id_whatever_its_team() {
    let ids = Counter::default();
    let other = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "other".into(),
    };
    let asked = asked(Kind::Question, Some(&team(1, "Payments")), &ids);
    let by = Principal::Agent(other);
    assert_eq!(
        interaction::cancel(&asked, &by, None, None, at(&ids, 1)),
        Err(Refused::NotYours)
    );
}
