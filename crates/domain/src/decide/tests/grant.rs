//! Grants: who may make one of what, and what each use of it is (rule 15).

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::sequences::bo;
use crate::{
    Actor, AgentId, AgentRef, Changeset, Event, Grant, GrantEvent, Interaction, InteractionEvent,
    Part, Parts, Payload, PersonId, Principal, Refused, Role, TeamId, TeamRef, TokenId, Write,
    decide::{
        grant as rules,
        interaction::{self as decide, AskedOf},
    },
    grant::{Ended, GrantDraft, GrantEnd, GrantRecord, GrantWrite, Holder},
    interaction::{Approver, Outcome, Receipt, Request},
    limits,
    matcher::Matcher,
    memory::MemoryEnd,
    sign::{PublicKey, Signature, Verify},
    testing::{Counter, Stamp, agent, at, epoch, given, journalled, person, request, written},
};

fn asked(command: &str) -> Request {
    asked_in(Some("run 1"), command)
}

fn asked_in(session: Option<&str>, command: &str) -> Request {
    request(json!({
        "kind": "approval", "prompt": "May it run?", "session_id": session, "mode": "sync",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    }))
}

fn opened(request: Request, team: Option<TeamRef>, ids: &Counter) -> Interaction {
    let of = AskedOf { team, to: None };
    written(&decide::open_for(
        request,
        agent(),
        of,
        None,
        None,
        None,
        at(ids, 0),
    ))
}

fn approved(command: &str, ids: &Counter) -> Interaction {
    let pending = opened(asked(command), None, ids);
    let yes = given(json!({"approved": true}));
    written(&decide::answer(&pending, yes, &person(Role::Responder), None, at(ids, 1)).unwrap())
}

fn for_a_week(matcher: Option<Matcher>) -> GrantDraft {
    GrantDraft {
        matcher,
        expires_at: Some(epoch() + TimeDelta::days(7)),
        ..GrantDraft::default()
    }
}

fn grant_of(changeset: &Changeset) -> Grant {
    match &*changeset.writes {
        [Write::Grant(GrantWrite::Make(grant))] => (**grant).clone(),
        other => panic!("{other:?}"),
    }
}

fn record(grant: Grant) -> GrantRecord {
    GrantRecord {
        grant,
        uses: 0,
        last_used_at: None,
        ended: None,
    }
}

/// A grant of Ana's for whatever begins with `cargo test`.
pub(super) fn of_tests(ids: &Counter) -> GrantRecord {
    let approval = approved("cargo test -p store", ids);
    let offers = rules::offers(&approval, &person(Role::Responder));
    let matcher = offers
        .into_iter()
        .find(|one| one.in_words().contains("`cargo test`"));
    let draft = for_a_week(Some(matcher.unwrap()));
    record(grant_of(
        &rules::make(&approval, draft, &person(Role::Responder), 0, at(ids, 2)).unwrap(),
    ))
}

fn covers(records: &[GrantRecord], request: &Request, seconds: i64, ids: &Counter) -> bool {
    covers_for(records, request, &agent(), None, seconds, ids)
}

fn covers_for(
    records: &[GrantRecord],
    request: &Request,
    agent: &AgentRef,
    team: Option<TeamRef>,
    seconds: i64,
    ids: &Counter,
) -> bool {
    let of = AskedOf { team, to: None };
    let wanted = decide::wanted(request, agent, &of).unwrap();
    rules::covering(
        records,
        &wanted,
        &|grant| grant.is_proven(&Stamp),
        at(ids, seconds),
    )
    .is_some()
}

fn team(id: u128) -> TeamRef {
    TeamRef {
        id: TeamId(Uuid::from_u128(id)),
        name: "shop".into(),
    }
}

fn outcome(result: &Result<Changeset, Refused>) -> String {
    match result {
        Ok(_) => "made".to_owned(),
        Err(other) => other.to_string(),
    }
}

#[test]
fn a_grant_is_made_of_an_approval_by_a_person_and_of_no_other_state() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let pending = opened(asked("cargo test"), None, &ids);
    let close = |answer: Value| {
        written(&decide::answer(&pending, given(answer), &ana, None, at(&ids, 1)).unwrap())
    };
    let approved = close(json!({"approved": true}));
    let denied = close(json!({"approved": false}));
    let cancelled = written(&decide::cancel(&pending, &ana, None, None, at(&ids, 1)).unwrap());
    let expired = written(&decide::expire(&pending, None, at(&ids, 90_000)).unwrap());
    let consumed =
        written(&decide::consume(&approved, &agent(), "run".into(), at(&ids, 1)).unwrap());
    let by_grant = {
        let record = record(grant_of(
            &rules::make(&approved, for_a_week(None), &ana, 0, at(&ids, 1)).unwrap(),
        ));
        let of = AskedOf::default();
        written(
            &decide::open_granted(
                asked("cargo test"),
                agent(),
                of,
                None,
                None,
                &record,
                at(&ids, 2),
            )
            .unwrap(),
        )
    };
    for (state, found) in [
        (&approved, "made"),
        (&consumed, "made"),
        (&pending, "this was not approved"),
        (&denied, "this was not approved"),
        (&cancelled, "this was not approved"),
        (&expired, "this was not approved"),
        // Approved, but no person looked at it.
        (&by_grant, "this was not approved"),
    ] {
        let made = rules::make(state, for_a_week(None), &ana, 0, at(&ids, 3));
        assert_eq!(outcome(&made), found, "{:?}", state.state);
        assert_eq!(rules::offers(state, &ana).is_empty(), made.is_err());
    }
    let question = opened(
        request(json!({"kind": "question", "prompt": "Which port?"})),
        None,
        &ids,
    );
    let answer = written(
        &decide::answer(
            &question,
            given(json!({"text": "80"})),
            &ana,
            None,
            at(&ids, 1),
        )
        .unwrap(),
    );
    assert_eq!(
        rules::make(&answer, for_a_week(None), &ana, 0, at(&ids, 2)),
        Err(Refused::NotApproved)
    );
}

/// As [`asked`], with more fields.
fn asked_with(fields: Value) -> Request {
    let mut body = json!({
        "kind": "approval", "prompt": "May it run?", "session_id": "run 1", "mode": "sync",
        "action": {"tool": "Bash", "arguments": {"command": "cargo test"}},
    });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    request(body)
}

/// What counts people, in each of its ways.
fn counting_people() -> [Value; 4] {
    [
        json!({"approvals": {"needed": 2}}),
        json!({"approvals": {"needed": 1, "four_eyes": true}}),
        json!({"approvals": {"of": "team"}}),
        json!({"approvals": {}}),
    ]
}

#[test]
fn no_grant_decides_where_people_are_counted() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let of = AskedOf::default();
    assert!(decide::wanted(&asked_with(json!({})), &agent(), &of).is_some());
    for fields in counting_people() {
        let asked = asked_with(fields.clone());
        assert!(decide::wanted(&asked, &agent(), &of).is_none(), "{fields}");
        let opened =
            decide::open_granted(asked, agent(), of.clone(), None, None, &tests, at(&ids, 9));
        assert_eq!(opened, Err(Refused::NotApproved), "{fields}");
    }
    // A receipt by a grant is none for it, whatever the row says.
    let used = decide::open_granted(
        asked_with(json!({})),
        agent(),
        of,
        None,
        None,
        &tests,
        at(&ids, 9),
    );
    let used = written(&used.unwrap());
    assert_eq!(used.clone().proven(&Stamp), used);
    for fields in counting_people() {
        let row = Interaction {
            request: asked_with(fields.clone()),
            ..used.clone()
        };
        assert_eq!(row.proven(&Stamp).approved(), Some(false), "{fields}");
    }
}

#[test]
fn a_grant_approves_as_it_is_asked_what_a_person_could_change() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let asked = asked_with(json!({"amendable": true}));
    let of = AskedOf::default();
    let used = decide::open_granted(asked, agent(), of, None, None, &tests, at(&ids, 9)).unwrap();
    let used = written(&used);
    assert_eq!((used.approved(), used.amended()), (Some(true), None));
    assert_eq!(used.receipt().unwrap().decision.asked_digest, None);
    assert_eq!(used.clone().proven(&Stamp), used);
}

#[test]
fn no_grant_is_made_of_what_was_changed_or_counted() {
    let ids = Counter::default();
    let shop = team(5);
    let ana = Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role: Role::Responder,
        proven_at: epoch(),
        teams: [(shop.id, Part::Answers)].into_iter().collect(),
    };
    let voters = decide::Voters {
        people: vec![ana.clone()],
        owners: vec![bo().id],
        lapsed: Vec::new(),
    };
    let approved = |fields: Value, answer: Value| {
        let pending = opened(asked_with(fields), Some(shop.clone()), &ids);
        let answer = given(answer);
        written(
            &decide::answer_counted(&pending, answer, &ana, &voters, None, at(&ids, 1)).unwrap(),
        )
    };
    let makes = |approval: &Interaction| {
        let made = rules::make(approval, for_a_week(None), &ana, 0, at(&ids, 2));
        assert_eq!(rules::offers(approval, &ana).is_empty(), made.is_err());
        outcome(&made)
    };
    let yes = || json!({"approved": true});
    assert_eq!(makes(&approved(json!({}), yes())), "made");
    let amendable = || json!({"amendable": true});
    assert_eq!(makes(&approved(amendable(), yes())), "made");
    let changed = json!({"approved": true, "arguments": {"command": "cargo test -p store"}});
    let changed = approved(amendable(), changed);
    assert!(changed.approved() == Some(true) && changed.amended().is_some());
    assert_eq!(makes(&changed), "this was not approved");
    for fields in &counting_people()[1..] {
        let counted = approved(fields.clone(), yes());
        assert_eq!(counted.approved(), Some(true), "{fields}");
        assert_eq!(makes(&counted), "this was not approved", "{fields}");
    }
}

#[test]
fn a_grant_is_a_person_s_who_may_answer() {
    let ids = Counter::default();
    let shop = team(5);
    let pending = opened(asked("cargo test"), Some(shop.clone()), &ids);
    let yes = given(json!({"approved": true}));
    let admin = person(Role::Admin);
    let approval = written(&decide::answer(&pending, yes, &admin, None, at(&ids, 1)).unwrap());
    let member = |role: Role, parts: &[(TeamId, Part)]| Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role,
        proven_at: epoch(),
        teams: parts.iter().copied().collect(),
    };
    let script = |parts: &[(TeamId, Part)]| Principal::Script {
        id: TokenId(Uuid::from_u128(9)),
        name: "night desk".into(),
        teams: parts.iter().copied().collect(),
    };
    let slack = Principal::SlackUser {
        id: Uuid::from_u128(8),
        name: "Ana".into(),
        role: Role::Admin,
        teams: Parts::default(),
    };
    let answers = [(shop.id, Part::Answers)];
    let reads = [(shop.id, Part::Reads)];
    for (by, holder) in [
        (admin, Some(Holder::Person(PersonId(Uuid::from_u128(8))))),
        (
            member(Role::Responder, &answers),
            Some(Holder::Person(PersonId(Uuid::from_u128(8)))),
        ),
        (
            script(&answers),
            Some(Holder::Token(TokenId(Uuid::from_u128(9)))),
        ),
        (member(Role::Responder, &reads), None),
        (member(Role::Responder, &[]), None),
        (member(Role::Viewer, &answers), None),
        (script(&[]), None),
        (Principal::Agent(agent()), None),
        (
            Principal::Operator {
                name: "root".into(),
            },
            None,
        ),
        // They may be nobody who has rights here.
        (slack, None),
    ] {
        let made = rules::make(&approval, for_a_week(None), &by, 0, at(&ids, 2));
        let found = made
            .as_ref()
            .ok()
            .map(|changeset| grant_of(changeset).terms.holder);
        assert_eq!(found, holder, "{by:?}");
    }
}

#[test]
fn a_grant_has_four_limits() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let approval = approved("cargo test", &ids);
    let now = at(&ids, 2);
    let month = now.at + limits::GRANT_LASTS;
    let until = |expires_at| GrantDraft {
        expires_at: Some(expires_at),
        ..GrantDraft::default()
    };
    let uses = |uses| GrantDraft {
        uses: Some(uses),
        ..until(month)
    };
    let second = TimeDelta::seconds(1);
    for (draft, in_force, path) in [
        (until(month), 0, None),
        (until(month + second), 0, Some("expires_at")),
        (until(now.at), 0, Some("expires_at")),
        (until(now.at - second), 0, Some("expires_at")),
        (GrantDraft::default(), 0, Some("expires_at")),
        (uses(1), 0, None),
        (uses(limits::GRANT_USES.into()), 0, None),
        (uses(0), 0, Some("uses")),
        (uses(-1), 0, Some("uses")),
        (uses(i64::from(limits::GRANT_USES) + 1), 0, Some("uses")),
        (until(month), limits::GRANTS_PER_AGENT - 1, None),
        (until(month), limits::GRANTS_PER_AGENT, Some("$")),
    ] {
        let made = rules::make(&approval, draft.clone(), &ana, in_force, now);
        match (made, path) {
            (Ok(_), None) => {}
            (Err(Refused::Invalid(faults)), Some(path)) => {
                assert_eq!(faults.len(), 1, "{faults:?}");
                assert_eq!(faults[0].path, path, "{draft:?}");
            }
            other => panic!("{draft:?}: {other:?}"),
        }
    }
    // The fourth is what it covers: see the tests of matchers.
    let other: Matcher =
        serde_json::from_value(json!({"exactly": {"tool": "Bash", "digest": "sha256:0"}})).unwrap();
    let made = rules::make(&approval, for_a_week(Some(other)), &ana, 0, now);
    assert!(matches!(made, Err(Refused::Invalid(faults)) if faults[0].path == "matcher"));
}

#[test]
fn what_is_destructive_is_approved_ahead_once_unless_more_is_said() {
    let ids = Counter::default();
    let most = |command: &str, uses| {
        let approval = approved(command, &ids);
        let draft = GrantDraft {
            uses,
            ..for_a_week(None)
        };
        let made = rules::make(&approval, draft, &person(Role::Responder), 0, at(&ids, 2));
        grant_of(&made.unwrap()).terms.most
    };
    assert_eq!(most("git push", None), 1);
    assert_eq!(most("git push", Some(5)), 5);
    assert_eq!(most("git status", None), limits::GRANT_USES);
}

#[test]
fn a_grant_for_a_session_is_for_that_one_and_a_day_at_most() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let draft = GrantDraft {
        for_session: true,
        ..GrantDraft::default()
    };
    let nameless = {
        let pending = opened(asked_in(None, "cargo test"), None, &ids);
        let yes = given(json!({"approved": true}));
        written(&decide::answer(&pending, yes, &ana, None, at(&ids, 1)).unwrap())
    };
    let made = rules::make(&nameless, draft.clone(), &ana, 0, at(&ids, 2));
    assert!(matches!(made, Err(Refused::Invalid(faults)) if faults[0].path == "for_session"));

    let approval = approved("cargo test", &ids);
    let longer = GrantDraft {
        expires_at: Some(epoch() + TimeDelta::days(20)),
        ..draft
    };
    let grant = grant_of(&rules::make(&approval, longer, &ana, 0, at(&ids, 2)).unwrap());
    assert_eq!(
        grant.terms.expires_at,
        at(&ids, 2).at + limits::GRANT_OF_SESSION
    );
    let records = [record(grant)];
    assert!(covers(&records, &asked("cargo test"), 3, &ids));
    for other in [Some("run 2"), Some("RUN 1"), Some("run 1 "), None] {
        assert!(
            !covers(&records, &asked_in(other, "cargo test"), 3, &ids),
            "{other:?}"
        );
    }
}

#[test]
fn a_grant_covers_its_agent_and_team_while_it_is_in_force() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let week = TimeDelta::days(7).num_seconds();
    for (seconds, covered) in [(2, true), (1, false), (week - 1, true), (week, false)] {
        let found = covers(
            std::slice::from_ref(&tests),
            &asked("cargo test -p domain"),
            seconds,
            &ids,
        );
        assert_eq!(found, covered, "{seconds}");
    }
    let other = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        ..agent()
    };
    let ask = asked("cargo test");
    let one = std::slice::from_ref(&tests);
    assert!(!covers_for(one, &ask, &other, None, 3, &ids));
    assert!(!covers_for(one, &ask, &agent(), Some(team(5)), 3, &ids));
    for why in GrantEnd::ALL {
        let ended = GrantRecord {
            ended: Some(Ended { at: epoch(), why }),
            ..tests.clone()
        };
        assert!(!covers(&[ended], &ask, 3, &ids), "{why:?}");
    }
    let used_up = GrantRecord {
        uses: tests.grant.terms.most,
        ..tests.clone()
    };
    assert!(!covers(&[used_up], &ask, 3, &ids));
    let mut erased = tests.clone();
    erased.grant.scope = None;
    assert!(!covers(&[erased], &ask, 3, &ids));
    // Whoever asks for somebody wants that person's word.
    let of = AskedOf {
        team: None,
        to: Some(crate::interaction::Whom::Person {
            id: bo().id,
            name: bo().name,
        }),
    };
    assert!(decide::wanted(&ask, &agent(), &of).is_none());
}

#[test]
fn a_grant_that_somebody_wrote_into_the_database_covers_nothing() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let ask = asked("cargo test");
    assert!(covers(std::slice::from_ref(&tests), &ask, 3, &ids));
    let changes: [fn(&mut Grant); 9] = [
        |grant| grant.terms.expires_at += TimeDelta::days(1),
        |grant| grant.terms.most += 1,
        |grant| grant.terms.by.name = "Bo".into(),
        |grant| grant.terms.holder = Holder::Person(PersonId(Uuid::from_u128(1))),
        |grant| grant.terms.made_at -= TimeDelta::seconds(1),
        |grant| grant.terms.version = 2,
        |grant| grant.terms.statement = "handraise consumption".into(),
        |grant| grant.signature = "AAAA".into(),
        |grant| {
            let scope = grant.scope.as_mut().unwrap();
            scope.matcher = crate::matcher::propose(
                &serde_json::from_value(
                    json!({"tool": "Bash", "arguments": {"command": "cargo test"}}),
                )
                .unwrap(),
            )[0]
            .clone();
        },
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut forged = tests.clone();
        change(&mut forged.grant);
        assert!(!covers(&[forged], &ask, 3, &ids), "{n}");
    }
    struct Another;
    impl Verify for Another {
        fn holds(&self, _: &PublicKey, _: &[u8], _: &Signature) -> bool {
            false
        }
    }
    let of = AskedOf::default();
    let wanted = decide::wanted(&ask, &agent(), &of).unwrap();
    assert!(
        rules::covering(
            &[tests],
            &wanted,
            &|grant| grant.is_proven(&Another),
            at(&ids, 3)
        )
        .is_none()
    );
}

#[test]
fn each_use_has_its_own_receipt_and_story_and_tells_nobody() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let of = AskedOf::default();
    let used = decide::open_granted(
        asked("cargo test -p domain"),
        agent(),
        of,
        None,
        None,
        &tests,
        at(&ids, 9),
    )
    .unwrap();
    let interaction = written(&used);
    assert_eq!(interaction.approved(), Some(true));
    assert_eq!(interaction.clone().proven(&Stamp), interaction);
    assert_eq!(interaction.granted(), Some(&tests.grant.named()));
    assert!(interaction.card.is_none() && interaction.claim.is_none());
    let receipt = interaction.receipt().unwrap();
    assert_eq!(receipt.decision.version, 2);
    assert!(receipt.decision.is_known());
    assert_eq!(receipt.decision.responder, tests.grant.terms.by);
    assert_eq!(
        (receipt.decision.asked_at, receipt.decision.answered_at),
        (at(&ids, 9).at, at(&ids, 9).at)
    );
    assert!(
        serde_json::to_string(receipt)
            .unwrap()
            .contains(&format!("\"grant\":{{\"id\":\"{}\"", tests.grant.terms.id))
    );
    let uses = used.writes.iter().filter(|write| {
        matches!(write, Write::Grant(GrantWrite::Use { grant, interaction: of, .. })
            if grant.terms.id == tests.grant.terms.id && *of == interaction.id)
    });
    assert_eq!(uses.count(), 1);

    let events: Vec<Event> = journalled(used.clone());
    assert_eq!(events.len(), 2);
    assert_eq!(Interaction::replay(&events).as_ref(), Some(&interaction));
    assert!(events.iter().all(|event| event.is_proven(&Stamp)));
    assert_eq!(
        events[1].actor,
        Actor::Responder(tests.grant.terms.by.clone())
    );
    assert!(matches!(
        &events[0].payload,
        Payload::Interaction(InteractionEvent::Requested {
            granted: Some(_),
            channel: None,
            ..
        })
    ));
    assert!(crate::obligation::obligations(&events, &used.writes).is_empty());
    // It was never there to be answered.
    let late = decide::answer(
        &interaction,
        given(json!({"approved": false})),
        &person(Role::Admin),
        None,
        at(&ids, 10),
    );
    assert!(matches!(
        late,
        Err(Refused::Closed {
            outcome: Outcome::Approved,
            ..
        })
    ));
    let consumed = decide::consume(&interaction, &agent(), "run".into(), at(&ids, 10)).unwrap();
    let consumed = written(&consumed);
    assert!(matches!(
        decide::consume(&consumed, &agent(), "again".into(), at(&ids, 11)),
        Err(Refused::AlreadyConsumed { .. })
    ));
}

#[test]
fn a_receipt_without_its_grant_is_not_believed() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let of = AskedOf::default();
    let used = decide::open_granted(
        asked("cargo test"),
        agent(),
        of,
        None,
        None,
        &tests,
        at(&ids, 9),
    )
    .unwrap();
    let interaction = written(&used);
    let changes: [fn(&mut Receipt); 5] = [
        |receipt| receipt.decision.asked_digest = Some("sha256:00".into()),
        |receipt| {
            let by = receipt.decision.responder.clone();
            let at = receipt.decision.answered_at;
            receipt.decision.approvers = vec![Approver { responder: by, at }];
        },
        |receipt| receipt.decision.grant = None,
        |receipt| {
            receipt.decision.grant = None;
            receipt.decision.version = 1;
        },
        |receipt| receipt.decision.version = 1,
    ];
    for change in changes {
        let mut forged = interaction.clone();
        if let crate::State::Resolved { answer } = &mut forged.state {
            change(answer.receipt.as_mut().unwrap());
            // Version 1 of what a person decides is known, and this was not signed so.
            let decision = &answer.receipt.as_ref().unwrap().decision;
            let is_plain = decision.grant.is_none() && decision.version == 1;
            assert_eq!(decision.is_known(), is_plain, "{decision:?}");
        }
        assert_eq!(forged.proven(&Stamp).approved(), Some(false));
    }
}

#[test]
fn nothing_is_approved_by_a_grant_that_does_not_cover_it() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    for command in [
        "cargo test; rm -rf /",
        "cargo build",
        "cargo test --config x",
        "cargo test ../x",
    ] {
        let of = AskedOf::default();
        let asked =
            decide::open_granted(asked(command), agent(), of, None, None, &tests, at(&ids, 9));
        assert_eq!(asked, Err(Refused::NotApproved), "{command}");
    }
    let mut unsigned = at(&ids, 9);
    unsigned.signer = None;
    let asked = decide::open_granted(
        asked("cargo test"),
        agent(),
        AskedOf::default(),
        None,
        None,
        &tests,
        unsigned,
    );
    assert_eq!(asked, Err(Refused::NoKey));
}

#[test]
fn a_task_goes_on_where_a_grant_answers() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    let mut request = asked("cargo test");
    request.task = Some(crate::interaction::TaskRef {
        id: "T-1".into(),
        title: Some("Tests".into()),
        description: None,
        step: None,
    });
    let used = decide::open_granted(
        request,
        agent(),
        AskedOf::default(),
        None,
        None,
        &tests,
        at(&ids, 9),
    )
    .unwrap();
    let task = crate::testing::task_of(&used).unwrap();
    assert_eq!(task.status, crate::task::TaskStatus::Running);
}

#[test]
fn whoever_may_answer_revokes_and_only_once() {
    let ids = Counter::default();
    let tests = of_tests(&ids);
    for by in [Principal::Agent(agent()), person(Role::Viewer)] {
        assert_eq!(
            rules::revoke(&tests, &by, at(&ids, 3)),
            Err(Refused::NotAResponder)
        );
    }
    let revoked = rules::revoke(&tests, &person(Role::Responder), at(&ids, 3)).unwrap();
    assert!(matches!(
        &*revoked.writes,
        [Write::Grant(GrantWrite::End {
            why: GrantEnd::Revoked,
            ..
        })]
    ));
    assert!(matches!(
        &revoked.events[0].payload,
        Payload::Grant(GrantEvent::Revoked { id }) if *id == tests.grant.terms.id
    ));
    let ended = GrantRecord {
        ended: Some(Ended {
            at: epoch(),
            why: GrantEnd::Revoked,
        }),
        ..tests.clone()
    };
    let ana = person(Role::Responder);
    assert_eq!(
        rules::revoke(&ended, &ana, at(&ids, 3)),
        Err(Refused::Unchanged)
    );
    let over = TimeDelta::days(7).num_seconds();
    assert_eq!(
        rules::revoke(&tests, &ana, at(&ids, over)),
        Err(Refused::Unchanged)
    );
}

#[test]
fn a_session_that_is_over_ends_what_was_approved_for_it_alone() {
    let ids = Counter::default();
    let approval = approved("cargo test", &ids);
    let draft = GrantDraft {
        for_session: true,
        ..GrantDraft::default()
    };
    let made = rules::make(&approval, draft, &person(Role::Responder), 0, at(&ids, 2)).unwrap();
    let [Write::Grant(GrantWrite::Make(grant))] = &*made.writes else {
        panic!("{made:?}")
    };
    let record = GrantRecord {
        grant: (**grant).clone(),
        uses: 0,
        last_used_at: None,
        ended: None,
    };
    let id = record.grant.terms.id;
    let ended = rules::end_with_session(&record, &agent(), at(&ids, 3)).unwrap();
    assert!(matches!(
        &*ended.writes,
        [Write::Grant(GrantWrite::End { grant, why: GrantEnd::SessionEnded, .. })] if *grant == id
    ));
    let [event] = &*ended.events else {
        panic!("{ended:?}")
    };
    let why = GrantEnd::SessionEnded;
    assert_eq!(event.payload, Payload::Grant(GrantEvent::Ended { id, why }));
    assert_eq!(event.interaction_id, Some(approval.id));
    let stored = event.payload.stored().unwrap();
    assert_eq!(stored, format!(r#"{{"id":"{id}","why":"session_ended"}}"#));
    let read = Payload::read("grant.ended", &stored).unwrap();
    assert_eq!(read, event.payload);

    let other = AgentRef {
        id: AgentId(Uuid::max()),
        ..agent()
    };
    let end = |record: &GrantRecord, agent: &AgentRef| {
        rules::end_with_session(record, agent, at(&ids, 4)).map(drop)
    };
    assert_eq!(end(&record, &other), Err(Refused::NotYours));
    let over = GrantRecord {
        ended: Some(Ended { at: epoch(), why }),
        ..record
    };
    assert_eq!(end(&over, &agent()), Err(Refused::Unchanged));
    let lasting = of_tests(&ids);
    assert_eq!(end(&lasting, &agent()), Err(Refused::Unchanged));
}

#[test]
fn an_end_is_told_by_the_name_that_its_row_has() {
    for why in GrantEnd::ALL {
        assert_eq!(serde_json::to_value(why).unwrap(), why.name());
    }
    for why in MemoryEnd::ALL {
        assert_eq!(serde_json::to_value(why).unwrap(), why.name());
    }
}

#[test]
fn the_journal_holds_no_word_of_what_is_covered() {
    let ids = Counter::default();
    let approval = approved("cargo test -p secret", &ids);
    let draft = GrantDraft {
        for_session: true,
        ..GrantDraft::default()
    };
    let made = rules::make(&approval, draft, &person(Role::Responder), 0, at(&ids, 2)).unwrap();
    let [event] = &*made.events else {
        panic!("{made:?}")
    };
    let stored = event.payload.stored().unwrap();
    for word in ["secret", "Bash", "run 1"] {
        assert!(!stored.contains(word), "{stored}");
    }
    let read = Payload::read(event.payload.event_type(), &stored).unwrap();
    assert_eq!(read, event.payload);
    assert_eq!(event.interaction_id, Some(approval.id));
    // It tells of nothing that changed the approval.
    let mut events = journalled(made);
    let opened = opened(asked("cargo test"), None, &ids);
    assert!(Interaction::replay(&events).is_none());
    events.clear();
    assert_eq!(opened.version, 1);
}

proptest! {
    /// Whatever is asked: it is approved only by a grant that is in force and covers it.
    #[test]
    fn only_what_begins_as_granted_is_approved(command in "(cargo|git|rm|sh)( (test|build|-p|-x|;|store|\\.\\.))*", seconds in 0_i64..1_000_000) {
        let ids = Counter::default();
        let tests = of_tests(&ids);
        let asked = decide::open_granted(asked(&command), agent(), AskedOf::default(), None, None, &tests, at(&ids, seconds));
        if asked.is_ok() {
            prop_assert!((2..TimeDelta::days(7).num_seconds()).contains(&seconds));
            prop_assert!(command == "cargo test" || command.starts_with("cargo test "), "{}", command);
            prop_assert!(!command.contains([';', '.']) && !command.contains("-x"), "{}", command);
        }
    }
}
