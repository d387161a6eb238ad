//! Policies: who puts which in force, and what each of them does to what is asked (rule 14).

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Actor, Changeset, Interaction, InteractionEvent, Part, Parts, Payload, PersonId, PolicyEvent,
    PolicyId, Principal, Refused, Role, TeamId, TokenId, Via, Write,
    attachment::{Media, tests::file},
    decide::{
        grant,
        interaction::{self as decide, AskedOf},
        policy::{self as policies, Before},
    },
    grant::{GrantDraft, GrantRecord, GrantWrite},
    interaction::{AnswerContent, Card, Outcome, Request, Then, Unproven, Whom},
    policy::{
        InForce, Policies, PolicySet, PolicyWrite, Question, Ruling, Source, Surroundings,
        TeamThere, rule, under,
    },
    testing::{Counter, Stamp, agent, at, epoch, given, journalled, person, request, written},
};

fn no() -> Before<'static> {
    Before::default()
}

fn those(set: &PolicySet) -> Before<'_> {
    Before {
        id: Some(set.terms.id),
        set: Some(set),
    }
}

fn read(rules: Value) -> Policies {
    serde_json::from_value(json!({"rules": rules})).unwrap()
}

pub(super) fn forbid(words: &[&str]) -> Value {
    json!({
        "name": "no force", "then": "forbid", "reason": "History stays as it is.",
        "when": {"tools": ["Bash"], "arguments": [{"has": {"words": words}}]},
        "match": [{"tool": "Bash", "arguments": {"command": words.join(" ")}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "ls"}}],
    })
}

pub(super) fn ask(words: &[&str], fields: Value) -> Value {
    let mut rule = forbid(words);
    rule["name"] = "ask first".into();
    rule["then"] = "ask".into();
    for (name, value) in fields.as_object().unwrap() {
        rule[name] = value.clone();
    }
    rule
}

pub(super) fn destructive(words: &[&str]) -> Value {
    let mut rule = forbid(words);
    rule["name"] = "it deletes".into();
    rule["destructive"] = true.into();
    rule.as_object_mut().unwrap().remove("then");
    rule
}

pub(super) fn allow(words: &[&str]) -> Value {
    json!({
        "name": "tests", "then": "allow",
        "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
            {"at": ["command"], "by": {"words": {"begin": words}}},
        ]}},
        "match": [{"tool": "Bash", "arguments": {"command": words.join(" ")}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "ls"}}],
    })
}

pub(super) fn asked(command: &str, fields: Value) -> Request {
    let mut body = json!({
        "kind": "approval", "prompt": "May it run?", "session_id": "run 1", "mode": "sync",
        "task": {"id": "T-1"},
        "action": {"tool": "Bash", "arguments": {"command": command}},
    });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    request(body)
}

pub(super) fn in_force(rules: Value, ids: &Counter) -> PolicySet {
    let changeset = policies::set(
        no(),
        read(rules),
        &Surroundings {
            people: 5,
            teams: Vec::new(),
        },
        &person(Role::Admin),
        at(ids, 0),
    );
    match changeset.unwrap().writes.remove(0) {
        Write::Policy(PolicyWrite::Set { set, .. }) => *set,
        other => panic!("{other:?}"),
    }
}

fn ruling(set: &PolicySet, request: &Request) -> Option<Ruling> {
    let crate::interaction::Ask::Approval { action, .. } = &request.ask else {
        panic!("no approval");
    };
    let question = Question {
        agent: "backend",
        team: None,
        action,
    };
    rule(&[InForce::Known(set)], &question)
}

/// Opens it as the rules say, where they decide it at once.
fn decided(rules: Value, request: Request, ids: &Counter) -> Result<Changeset, Refused> {
    let set = in_force(rules, ids);
    let ruling = ruling(&set, &request).unwrap();
    decide::open_ruled(
        request,
        agent(),
        AskedOf::default(),
        None,
        None,
        &ruling,
        at(ids, 1),
    )
}

/// Opens it so that people are asked, as the rules say.
fn opened(rules: Value, request: Request, ids: &Counter) -> Interaction {
    let request = match rules.as_array().is_some_and(Vec::is_empty) {
        true => request,
        false => {
            let ruling = ruling(&in_force(rules, ids), &request).unwrap();
            under(request, &ruling)
        }
    };
    written(&decide::open_for(
        request,
        agent(),
        AskedOf::default(),
        None,
        None,
        None,
        at(ids, 1),
    ))
}

/// Whether an approval with these arguments passes the rules of `now`, where it was asked under those of `then`.
fn approved_under(then: Value, now: Value, command: Option<&str>) -> Result<(), Refused> {
    let ids = Counter::default();
    let request = asked("git status", json!({"amendable": true}));
    let interaction = match then.as_array().is_some_and(Vec::is_empty) {
        true => opened(json!([]), request, &ids),
        false => opened(then, request, &ids),
    };
    let answer = match command {
        Some(command) => json!({"approved": true, "arguments": {"command": command}}),
        None => json!({"approved": true}),
    };
    let owner = person(Role::Admin);
    let answer = decide::answer(&interaction, given(answer), &owner, None, at(&ids, 5))?;
    let approves = decide::approves(&answer).unwrap();
    assert_eq!(approves.amended.is_some(), command.is_some());
    let set = in_force(now, &ids);
    let says = |action| {
        let question = Question {
            agent: "backend",
            team: None,
            action,
        };
        rule(&[InForce::Known(&set)], &question)
    };
    let (asked, amended) = (says(&approves.asked), approves.amended.as_ref().map(says));
    let amended = amended.as_ref().map(Option::as_ref);
    decide::stays_approved(
        &interaction,
        asked.as_ref(),
        amended,
        epoch() + TimeDelta::seconds(5),
    )
}

#[test]
fn what_a_person_has_changed_is_held_against_the_rules() {
    let two = |fields| json!([ask(&["git", "push"], fields)]);
    for now in [
        json!([forbid(&["git", "push"])]),
        json!([destructive(&["git", "push"])]),
        two(json!({"approvals": {"needed": 2}})),
        two(json!({"approvals": {"four_eyes": true}})),
        two(json!({"approvals": {"of": "team"}})),
        two(json!({"deadline_seconds": 2})),
    ] {
        let refused = approved_under(json!([]), now.clone(), Some("git push"));
        match refused {
            Err(Refused::Invalid(faults)) => assert_eq!(faults[0].path, "arguments"),
            other => panic!("{now}: {other:?}"),
        }
        // As it was asked, and changed to what no rule is about.
        assert_eq!(
            approved_under(json!([]), now.clone(), None),
            Ok(()),
            "{now}"
        );
        let harmless = approved_under(json!([]), now.clone(), Some("git log"));
        assert_eq!(harmless, Ok(()), "{now}");
    }
    // A person has looked, and that is all that is asked for.
    let looked = approved_under(json!([]), two(json!({})), Some("git push"));
    assert_eq!(looked, Ok(()));
    let allowed = json!([allow(&["git", "status"])]);
    assert_eq!(
        approved_under(json!([]), allowed, Some("git status x")),
        Ok(())
    );
}

#[test]
fn what_waits_is_not_approved_under_rules_that_forbid_it_by_now() {
    let now = json!([forbid(&["git", "status"])]);
    let refused = approved_under(json!([]), now, None);
    match refused {
        Err(Refused::Invalid(faults)) => {
            assert_eq!(faults[0].path, "approved");
            assert!(faults[0].message.contains("History stays as it is."));
        }
        other => panic!("{other:?}"),
    }
    // The rules that it was asked under ask for nothing more.
    let same = json!([ask(&["git", "status"], json!({"destructive": true}))]);
    assert_eq!(approved_under(same.clone(), same.clone(), None), Ok(()));
    let others = json!([forbid(&["terraform"])]);
    assert_eq!(approved_under(same.clone(), others, None), Ok(()));
    assert!(approved_under(json!([]), same, None).is_err());
}

#[test]
fn what_is_denied_or_not_yet_approved_is_not_looked_at() {
    let ids = Counter::default();
    let waiting = opened(json!([]), asked("git push", json!({})), &ids);
    let no = given(json!({"approved": false}));
    let denied = decide::answer(&waiting, no, &person(Role::Admin), None, at(&ids, 5)).unwrap();
    assert_eq!(decide::approves(&denied), None);
}

#[test]
fn what_is_forbidden_is_denied_as_it_is_asked_with_the_reason() {
    let ids = Counter::default();
    let changeset = decided(
        json!([forbid(&["git", "push"])]),
        asked("git push", json!({})),
        &ids,
    )
    .unwrap();
    let interaction = written(&changeset);
    assert_eq!(interaction.state.outcome(), Some(Outcome::Denied));
    assert_eq!(interaction.approved(), Some(false));
    assert_eq!(
        interaction.answer(),
        Some(&AnswerContent::Approval {
            approved: false,
            text: Some("History stays as it is.".into()),
            amended: None,
        })
    );
    let decision = &interaction.receipt().unwrap().decision;
    assert_eq!((decision.version, decision.outcome), (3, Outcome::Denied));
    assert_eq!(
        (decision.responder.via, &*decision.responder.name),
        (Via::Policy, "no force")
    );
    assert_eq!(interaction.by_policy().unwrap().rule, "no force");
    assert!(decision.is_known());
    assert_eq!(interaction.ruled().unwrap().then, Some(Then::Forbid));
    // It is proven, nobody is told, its task is not stopped, and its events tell the same.
    assert_eq!(interaction.clone().proven(&Stamp), interaction);
    assert_eq!(interaction.card, None);
    let task = crate::testing::task_of(&changeset).unwrap();
    assert_eq!(task.status, crate::task::TaskStatus::Running);
    let events = journalled(changeset);
    let interactions: Vec<_> = events
        .into_iter()
        .filter(|event| matches!(event.payload, Payload::Interaction(_)))
        .collect();
    assert_eq!(interactions.len(), 2);
    assert_eq!(Interaction::replay(&interactions), Some(interaction));
    // What the journal holds of it can be read back.
    for event in interactions {
        let stored = event.payload.stored().unwrap();
        let read = Payload::read(event.payload.event_type(), &stored).unwrap();
        assert_eq!(read, event.payload);
    }
}

#[test]
fn what_is_allowed_is_approved_as_it_is_asked_and_used_once() {
    let ids = Counter::default();
    let rules = json!([allow(&["cargo", "test"])]);
    let changeset = decided(rules, asked("cargo test x", json!({})), &ids).unwrap();
    let interaction = written(&changeset).proven(&Stamp);
    assert_eq!(interaction.approved(), Some(true));
    assert_eq!(interaction.by_policy().unwrap().rule, "tests");
    assert_eq!(interaction.granted(), None);
    let used = decide::consume(&interaction, &agent(), "run".into(), at(&ids, 2)).unwrap();
    let again = decide::consume(&written(&used), &agent(), "other".into(), at(&ids, 3));
    assert!(
        matches!(again, Err(Refused::AlreadyConsumed { .. })),
        "{again:?}"
    );
    // A grant is a person's decision, and none was taken.
    let week = GrantDraft {
        expires_at: Some(epoch() + TimeDelta::days(7)),
        ..GrantDraft::default()
    };
    let made = grant::make(&interaction, week, &person(Role::Admin), 0, at(&ids, 2));
    assert_eq!(made, Err(Refused::NotApproved));
}

/// Every command on what a policy has decided: as on anything that is closed.
#[test]
fn every_command_on_what_a_policy_decided() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    for rules in [
        json!([forbid(&["cargo"])]),
        json!([allow(&["cargo", "test"])]),
    ] {
        let changeset = decided(rules, asked("cargo test", json!({})), &ids).unwrap();
        let closed = written(&changeset);
        let approved = closed.approved() == Some(true);
        for answer in [json!({"approved": true}), json!({"approved": false})] {
            let late = decide::answer(&closed, given(answer), &ana, None, at(&ids, 2));
            assert!(matches!(late, Err(Refused::Closed { .. })), "{late:?}");
        }
        let by = Principal::Agent(agent());
        let cancelled = decide::cancel(&closed, &by, None, None, at(&ids, 2));
        assert!(
            matches!(cancelled, Err(Refused::Closed { .. })),
            "{cancelled:?}"
        );
        let claimed = decide::claim(&closed, 15, &ana, at(&ids, 2));
        assert!(claimed.is_err(), "{claimed:?}");
        assert!(decide::expire(&closed, None, at(&ids, 999_999)).is_err());
        assert_eq!(
            decide::consume(&closed, &agent(), "run".into(), at(&ids, 2)).is_ok(),
            approved
        );
        assert!(decide::collect(&closed, &agent(), at(&ids, 2)).is_ok());
    }
}

#[test]
fn nothing_is_allowed_where_the_agent_wants_a_person_s_word() {
    let ids = Counter::default();
    let set = in_force(json!([allow(&["cargo", "test"])]), &ids);
    let plain = asked("cargo test", json!({}));
    let allowing = ruling(&set, &plain).unwrap();
    let open = |request: Request, of: AskedOf| {
        decide::open_ruled(request, agent(), of, None, None, &allowing, at(&ids, 1))
    };
    assert!(open(plain.clone(), AskedOf::default()).is_ok());
    let to = AskedOf {
        team: None,
        to: Some(Whom::Duty),
    };
    assert_eq!(open(plain, to), Err(Refused::NotApproved));
    let counted = asked("cargo test", json!({"approvals": {"needed": 1}}));
    assert_eq!(open(counted, AskedOf::default()), Err(Refused::NotApproved));
    // No rule has seen what is in a file.
    let mut filed = asked("cargo test", json!({}));
    if let crate::interaction::Ask::Approval { action, .. } = &mut filed.ask {
        let file = file(1, "log.txt", Media::Text, b"log");
        action.attachments.push(file.attachment);
    }
    assert!(!decide::may_be_allowed(&filed, &AskedOf::default()));
    assert_eq!(open(filed, AskedOf::default()), Err(Refused::NotApproved));
    // Without a key nothing is decided.
    let mut unsigned = at(&ids, 1);
    unsigned.signer = None;
    let without = decide::open_ruled(
        asked("cargo test", json!({})),
        agent(),
        AskedOf::default(),
        None,
        None,
        &allowing,
        unsigned,
    );
    assert_eq!(without, Err(Refused::NoKey));
}

#[test]
fn a_rule_that_asks_decides_nothing_at_once() {
    let ids = Counter::default();
    let rules = json!([ask(&["cargo"], json!({}))]);
    assert_eq!(
        decided(rules, asked("cargo test", json!({})), &ids),
        Err(Refused::NotApproved)
    );
}

fn grant_of(
    approval: &Interaction,
    matcher: Option<crate::matcher::Matcher>,
    ids: &Counter,
) -> Result<GrantRecord, Refused> {
    let draft = GrantDraft {
        matcher,
        expires_at: Some(epoch() + TimeDelta::days(7)),
        ..GrantDraft::default()
    };
    let mut changeset = grant::make(approval, draft, &person(Role::Responder), 0, at(ids, 3))?;
    match changeset.writes.remove(0) {
        Write::Grant(GrantWrite::Make(grant)) => Ok(GrantRecord {
            grant: *grant,
            uses: 0,
            last_used_at: None,
            ended: None,
        }),
        other => panic!("{other:?}"),
    }
}

fn approved(pending: &Interaction, ids: &Counter) -> Interaction {
    let yes = given(json!({"approved": true}));
    written(&decide::answer(pending, yes, &person(Role::Responder), None, at(ids, 2)).unwrap())
}

#[test]
fn no_grant_passes_over_a_policy_that_asks() {
    let ids = Counter::default();
    let before = approved(
        &opened(json!([]), asked("cargo test", json!({})), &ids),
        &ids,
    );
    let grant = grant_of(&before, None, &ids).unwrap();
    let set = in_force(json!([ask(&["cargo"], json!({}))]), &ids);
    let plain = asked("cargo test", json!({}));
    let ruled = under(plain.clone(), &ruling(&set, &plain).unwrap());
    let open = |request: Request| {
        decide::open_granted(
            request,
            agent(),
            AskedOf::default(),
            None,
            None,
            &grant,
            at(&ids, 4),
        )
    };
    assert!(open(plain).is_ok());
    assert!(decide::wanted(&ruled, &agent(), &AskedOf::default()).is_none());
    assert_eq!(open(ruled.clone()), Err(Refused::NotApproved));
    // Nor is one made of it: it would never be used.
    let pending = opened(
        json!([ask(&["cargo"], json!({}))]),
        asked("cargo test", json!({})),
        &ids,
    );
    let approval = approved(&pending, &ids);
    assert_eq!(grant_of(&approval, None, &ids), Err(Refused::NotApproved));
    assert!(!grant::can_be_made_of(&approval));
}

#[test]
fn what_is_destructive_is_granted_for_exactly_this_and_stands_alone() {
    let ids = Counter::default();
    let rules = json!([destructive(&["cargo"])]);
    let offers = grant::offers(
        &approved(
            &opened(json!([]), asked("cargo test x", json!({})), &ids),
            &ids,
        ),
        &person(Role::Responder),
    );
    let like = offers
        .iter()
        .find(|offer| !offer.is_exact())
        .cloned()
        .unwrap();
    let wide = grant_of(
        &approved(
            &opened(json!([]), asked("cargo test x", json!({})), &ids),
            &ids,
        ),
        Some(like.clone()),
        &ids,
    )
    .unwrap();
    let exact = grant_of(
        &approved(
            &opened(json!([]), asked("cargo test x", json!({})), &ids),
            &ids,
        ),
        None,
        &ids,
    )
    .unwrap();
    let pending = opened(rules.clone(), asked("cargo test x", json!({})), &ids);
    assert!(pending.request.is_destructive() && pending.stands_alone());
    assert_eq!(pending.ruled().unwrap().then, None);
    let open = |grant: &GrantRecord| {
        let request = pending.request.clone();
        decide::open_granted(
            request,
            agent(),
            AskedOf::default(),
            None,
            None,
            grant,
            at(&ids, 4),
        )
    };
    assert_eq!(open(&wide), Err(Refused::NotApproved));
    let used = written(&open(&exact).unwrap());
    assert_eq!(used.clone().proven(&Stamp).approved(), Some(true));
    assert!(used.granted().is_some());
    // Of it only exactly this is offered and made.
    let approval = approved(&pending, &ids);
    let offered = grant::offers(&approval, &person(Role::Responder));
    assert!(!offered.is_empty() && offered.iter().all(crate::matcher::Matcher::is_exact));
    assert!(grant_of(&approval, None, &ids).is_ok());
    match grant_of(&approval, Some(like), &ids) {
        Err(Refused::Invalid(faults)) => {
            assert!(faults[0].message.contains("a policy"), "{faults:?}");
        }
        other => panic!("{other:?}"),
    }
    // Never with others, however alike: neither in a list nor on a card.
    let plain = opened(json!([]), asked("cargo test x", json!({})), &ids);
    let on_card = |one: &Interaction| Interaction {
        card: Some(Card {
            channel: "C1".into(),
            posted: None,
        }),
        ..one.clone()
    };
    assert!(on_card(&plain).is_equal_to(&on_card(&plain)));
    for (one, other) in [(&pending, &pending), (&pending, &plain), (&plain, &pending)] {
        assert!(!on_card(one).is_equal_to(&on_card(other)));
    }
    let alike = |one: &Interaction| crate::interaction::Brief::from(one).fingerprint;
    assert!(alike(&plain).is_some());
    assert_eq!(alike(&pending), None);
}

#[test]
fn who_rules_by_a_row_decides_nothing() {
    let ids = Counter::default();
    let closed = written(
        &decided(
            json!([allow(&["cargo", "test"])]),
            asked("cargo test", json!({})),
            &ids,
        )
        .unwrap(),
    );
    let why = |row: &Interaction| match row.clone().proven(&Stamp).state {
        crate::State::Void { why, .. } => Some(why),
        _ => None,
    };
    assert_eq!(why(&closed), None);
    // The policies said nothing of it, or something else.
    for then in [None, Some(Then::Ask), Some(Then::Forbid)] {
        let mut row = closed.clone();
        match then {
            None => row.request.ruled = None,
            then => row.request.ruled.as_mut().unwrap().then = then,
        }
        assert_eq!(why(&row), Some(Unproven::OtherDecision), "{then:?}");
    }
    // A person's approval is none of a policy's.
    let person_s = approved(
        &opened(json!([]), asked("cargo test", json!({})), &ids),
        &ids,
    );
    let mut row = person_s.clone();
    row.request.ruled.clone_from(&closed.request.ruled);
    assert_eq!(why(&row), Some(Unproven::OtherDecision));
    // A receipt that says both, or a version that does not fit, is unknown.
    let receipt = closed.receipt().unwrap();
    let decision = |change: &dyn Fn(&mut crate::interaction::Decision)| {
        let mut decision = receipt.decision.clone();
        change(&mut decision);
        decision.is_known()
    };
    assert!(decision(&|_| {}));
    assert!(!decision(&|it| it.version = 1));
    assert!(!decision(&|it| it.version = 2));
    assert!(!decision(&|it| it.policy = None));
    assert!(!decision(&|it| it.responder.via = Via::Dashboard));
    assert!(!decision(&|it| it.responder.name = "another".into()));
    assert!(!decision(&|it| it.outcome = Outcome::Proceed));
    assert!(!decision(&|it| it.asked_digest = Some("x".into())));
}

fn surroundings() -> Surroundings {
    Surroundings {
        people: 3,
        teams: vec![TeamThere {
            id: TeamId(Uuid::from_u128(30)),
            name: "Payments".into(),
            members: 2,
            all: 3,
        }],
    }
}

fn script(parts: &[(u128, Part)]) -> Principal {
    Principal::Script {
        id: TokenId(Uuid::from_u128(5)),
        name: "ci".into(),
        teams: parts
            .iter()
            .map(|(team, part)| (TeamId(Uuid::from_u128(*team)), *part))
            .collect::<Parts>(),
    }
}

#[test]
fn an_admin_puts_policies_in_force_and_nobody_else_weakens_them() {
    let ids = Counter::default();
    let rules = json!([forbid(&["git", "push"]), allow(&["cargo", "test"])]);
    let set = |by: &Principal, seconds: i64| {
        policies::set(
            no(),
            read(rules.clone()),
            &surroundings(),
            by,
            at(&ids, seconds),
        )
    };
    let changeset = set(&person(Role::Admin), 1).unwrap();
    let [
        Write::Policy(PolicyWrite::Set {
            set: put,
            replaces: None,
        }),
    ] = &*changeset.writes
    else {
        panic!("{changeset:?}");
    };
    assert!(put.is_proven(&Stamp));
    assert_eq!(put.terms.source, Source::Here);
    assert_eq!(put.terms.rules, ["no force", "tests"]);
    let Payload::Policy(PolicyEvent::Set(terms)) = &changeset.events[0].payload else {
        panic!("{changeset:?}");
    };
    assert_eq!(**terms, put.terms);
    assert!(matches!(&changeset.events[0].actor, Actor::Person { name, .. } if name == "Ana"));
    let stored = changeset.events[0].payload.stored().unwrap();
    assert_eq!(
        Payload::read("policies.set", &stored).unwrap(),
        changeset.events[0].payload
    );
    let operator = Principal::Operator {
        name: "root".into(),
    };
    assert!(set(&operator, 1).is_ok());
    for (by, refused) in [
        (person(Role::Responder), Refused::NotAnAdmin),
        (person(Role::Viewer), Refused::NotAnAdmin),
        (Principal::Agent(agent()), Refused::NotAnAdmin),
    ] {
        assert_eq!(set(&by, 1), Err(refused));
    }
    // A browser that was left open is not enough.
    assert_eq!(
        set(&person(Role::Admin), 24 * 60 * 60),
        Err(Refused::Unproven)
    );
    // The same once more is nothing.
    let again = policies::set(
        those(put),
        read(rules.clone()),
        &surroundings(),
        &operator,
        at(&ids, 2),
    );
    assert_eq!(again, Err(Refused::Unchanged));
    let nothing = policies::set(
        no(),
        Policies::default(),
        &surroundings(),
        &operator,
        at(&ids, 2),
    );
    assert_eq!(nothing, Err(Refused::Unchanged));
    // Others take their place, and say so.
    let cleared = policies::set(
        those(put),
        Policies::default(),
        &surroundings(),
        &operator,
        at(&ids, 2),
    );
    let Write::Policy(PolicyWrite::Set { replaces, .. }) = &cleared.unwrap().writes[0] else {
        panic!("no set");
    };
    assert_eq!(*replaces, Some(put.terms.id));
    // Also of those that nobody can read any more; a token cannot.
    let lost = Before {
        id: Some(put.terms.id),
        set: None,
    };
    let over = policies::set(
        lost,
        Policies::default(),
        &surroundings(),
        &operator,
        at(&ids, 2),
    );
    assert!(over.is_ok(), "{over:?}");
    let by_token = policies::set(
        lost,
        Policies::default(),
        &surroundings(),
        &script(&[]),
        at(&ids, 2),
    );
    assert_eq!(by_token, Err(Refused::NotAnAdmin));
    // With a fault nothing of it is put in force.
    let faulty = json!([forbid(&["git", "push"]), {"name": "x", "then": "ask", "when": {}}]);
    let refused = policies::set(
        no(),
        read(faulty.clone()),
        &surroundings(),
        &operator,
        at(&ids, 2),
    );
    assert!(matches!(refused, Err(Refused::Invalid(_))), "{refused:?}");
    let refused = policies::load(no(), read(faulty), &operator, at(&ids, 2));
    assert!(matches!(refused, Err(Refused::Invalid(_))), "{refused:?}");
}

#[test]
fn a_token_only_makes_policies_stricter_and_for_its_own_teams() {
    let ids = Counter::default();
    let before = in_force(json!([forbid(&["git", "push"])]), &ids);
    let try_it = |rules: Value, by: &Principal| {
        policies::set(
            those(&before),
            read(rules),
            &surroundings(),
            by,
            at(&ids, 2),
        )
    };
    let own = script(&[(30, Part::Answers)]);
    let more = |fields: Value| {
        let mut rule = ask(&["terraform"], json!({"teams": ["payments"]}));
        for (name, value) in fields.as_object().unwrap() {
            rule[name] = value.clone();
        }
        rule
    };
    let kept = forbid(&["git", "push"]);
    let changeset = try_it(json!([kept, more(json!({}))]), &own).unwrap();
    assert!(matches!(&changeset.events[0].actor, Actor::Responder(by) if by.name == "ci"));
    let fields = json!({"team": "Payments", "deadline_seconds": 60});
    try_it(json!([kept, more(fields)]), &own).unwrap();
    for (rules, by) in [
        // It takes one away, or changes it.
        (json!([more(json!({}))]), &own),
        (json!([]), &own),
        (json!([forbid(&["git", "pull"]), more(json!({}))]), &own),
        // It allows.
        (json!([kept, allow(&["cargo", "test"])]), &own),
        // It is for others, or for all.
        (json!([kept, more(json!({"teams": []}))]), &own),
        (json!([kept, more(json!({"teams": ["Other"]}))]), &own),
        // It hands what its team is asked to others, or takes it away from all.
        (json!([kept, more(json!({"team": "Other"}))]), &own),
        (json!([kept, more(json!({"deadline_seconds": 59}))]), &own),
        (
            json!([kept, more(json!({}))]),
            &script(&[(30, Part::Reads)]),
        ),
        (json!([kept, more(json!({}))]), &script(&[])),
    ] {
        let refused = try_it(rules, by);
        assert!(matches!(refused, Err(Refused::Invalid(_))), "{refused:?}");
    }
}

#[test]
fn a_rule_that_is_added_once_more_changes_nothing() {
    let ids = Counter::default();
    let stands = ask(&["terraform"], json!({"teams": ["payments"]}));
    let of_all = forbid(&["git", "push"]);
    let rules = read(json!([of_all, stands]));
    let admin = person(Role::Admin);
    let put = policies::set(no(), rules, &surroundings(), &admin, at(&ids, 1)).unwrap();
    let [Write::Policy(PolicyWrite::Set { set: before, .. })] = &*put.writes else {
        panic!("{:?}", put.writes);
    };
    let add = |rules: Value, by: &Principal| {
        let surroundings = surroundings();
        let rules = read(rules);
        policies::add(those(before), &rules, &surroundings, by, at(&ids, 2))
    };
    let own = script(&[(30, Part::Answers)]);
    for by in [&own, &admin] {
        assert_eq!(add(json!([stands]), by), Err(Refused::Unchanged));
        // Another under its name is none that stands.
        let mut other = stands.clone();
        other["deadline_seconds"] = 600.into();
        let refused = add(json!([other]), by).unwrap_err();
        let Refused::Invalid(faults) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(faults[0].path, "rules[2].name");
        // Nor does a name stand twice in what is added.
        let mut new = stands.clone();
        new["name"] = "new".into();
        let twice = add(json!([new, new]), by);
        assert!(matches!(twice, Err(Refused::Invalid(_))), "{twice:?}");
        // What is new is added beside what stands.
        let changeset = add(json!([stands, new]), by).unwrap();
        let [Write::Policy(PolicyWrite::Set { set, .. })] = &*changeset.writes else {
            panic!("{:?}", changeset.writes);
        };
        assert_eq!(set.policies, read(json!([of_all, stands, new])));
    }
    assert_eq!(add(json!([of_all]), &admin), Err(Refused::Unchanged));
    // Rule 18: whether a rule of others stands there is not told.
    let refused = add(json!([of_all]), &own);
    assert!(matches!(refused, Err(Refused::Invalid(_))), "{refused:?}");
}

#[test]
fn a_file_is_loaded_once_and_by_nobody_who_is_no_admin() {
    let ids = Counter::default();
    let operator = Principal::Operator {
        name: "root".into(),
    };
    let rules = read(json!([forbid(&["git", "push"])]));
    let changeset = policies::load(no(), rules.clone(), &operator, at(&ids, 1)).unwrap();
    let Payload::Policy(PolicyEvent::Loaded(terms)) = &changeset.events[0].payload else {
        panic!("{changeset:?}");
    };
    assert_eq!(
        (terms.source, terms.id),
        (Source::File, PolicyId(terms.id.0))
    );
    let [Write::Policy(PolicyWrite::Set { set, .. })] = &*changeset.writes else {
        panic!("{changeset:?}");
    };
    let again = policies::load(those(set), rules.clone(), &operator, at(&ids, 2));
    assert_eq!(again, Err(Refused::Unchanged));
    let refused = policies::load(no(), rules.clone(), &person(Role::Responder), at(&ids, 2));
    assert_eq!(refused, Err(Refused::NotAnAdmin));
    // A browser that was left open reads nothing again, as it sets nothing.
    let late = crate::limits::PROOF_LASTS.num_seconds();
    let admin = person(Role::Admin);
    assert!(policies::load(no(), rules.clone(), &admin, at(&ids, 2)).is_ok());
    let refused = policies::load(no(), rules, &admin, at(&ids, late));
    assert_eq!(refused, Err(Refused::Unproven));
}

#[test]
fn a_request_without_policies_is_stored_as_it_was() {
    let plain = serde_json::to_value(asked("ls", json!({}))).unwrap();
    assert!(plain.get("ruled").is_none());
    let ids = Counter::default();
    let pending = opened(json!([]), asked("ls", json!({})), &ids);
    let receipt = approved(&pending, &ids).receipt().cloned().unwrap();
    let written = serde_json::to_value(&receipt).unwrap();
    assert!(written.get("policy").is_none());
    assert_eq!(written["version"], 1);
}

#[test]
fn what_policies_said_stays_when_the_words_go() {
    let ids = Counter::default();
    let changeset = decided(
        json!([forbid(&["git", "push"])]),
        asked("git push", json!({})),
        &ids,
    )
    .unwrap();
    let closed = written(&changeset);
    let blank = closed.without_words();
    assert_eq!(blank.ruled(), closed.ruled());
    assert_eq!(blank.receipt(), closed.receipt());
    let Payload::Interaction(InteractionEvent::Resolved { answer, .. }) =
        changeset.events[1].payload.without_words()
    else {
        panic!("no answer");
    };
    assert!(matches!(
        answer.content,
        AnswerContent::Approval { text: None, .. }
    ));
}

proptest! {
    /// Whatever rules there are: nothing is approved at once but what one allows and none is stricter about, and a forbidden
    /// ask never waits.
    #[test]
    fn nothing_is_approved_at_once_that_any_rule_is_stricter_about(
        which in proptest::collection::vec(0..4_usize, 0..4), command in "(cargo test|cargo test x|git push|ls|cargo test \\$X)",
    ) {
        let ids = Counter::default();
        let all = [allow(&["cargo", "test"]), ask(&["cargo"], json!({})), forbid(&["git"]), destructive(&["cargo"])];
        let mut kept: Vec<usize> = which;
        kept.sort_unstable();
        kept.dedup();
        let rules: Vec<Value> = kept.iter().map(|n| all[*n].clone()).collect();
        prop_assume!(!rules.is_empty());
        let set = in_force(Value::Array(rules), &ids);
        let request = asked(&command, json!({}));
        let Some(ruling) = ruling(&set, &request) else {
            prop_assert!(!command.starts_with("git") || !kept.contains(&2));
            return Ok(());
        };
        let opened = decide::open_ruled(request, agent(), AskedOf::default(), None, None, &ruling, at(&ids, 1));
        match opened {
            Ok(changeset) => {
                let interaction = written(&changeset).proven(&Stamp);
                prop_assert!(!interaction.state.is_pending());
                match interaction.approved() {
                    Some(true) => prop_assert!(kept == [0] || (kept == [0, 2] && command.starts_with("cargo"))),
                    _ => prop_assert!(kept.contains(&2) && command.starts_with("git")),
                }
            }
            Err(refused) => {
                prop_assert_eq!(refused, Refused::NotApproved);
                prop_assert!(!(kept.contains(&2) && command.starts_with("git")));
            }
        }
    }
}

/// Somebody else than the one who asks for it.
#[test]
fn a_quorum_of_a_policy_counts_people_like_any_other() {
    let ids = Counter::default();
    let rules = json!([ask(
        &["terraform"],
        json!({"approvals": {"needed": 2, "four_eyes": true}})
    )]);
    let pending = opened(rules, asked("terraform apply", json!({})), &ids);
    let quorum = pending.quorum().unwrap();
    assert_eq!((quorum.needed, quorum.four_eyes), (2, true));
    let voters = decide::Voters {
        people: vec![person(Role::Responder)],
        owners: vec![PersonId(Uuid::from_u128(99))],
        lapsed: Vec::new(),
    };
    let yes = given(json!({"approved": true}));
    let ana = person(Role::Responder);
    let first = decide::answer_counted(&pending, yes, &ana, &voters, None, at(&ids, 2)).unwrap();
    let first = written(&first);
    assert!(first.state.is_pending());
    assert_eq!(first.votes().len(), 1);
    assert_eq!(first.clone().proven(&Stamp), first);
}
