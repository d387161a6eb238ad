//! Answers that stand for the same question: who lets which stand, for whom and how long, and what each use of one is.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::sequences::bo;
use crate::{
    Actor, AgentId, AgentRef, Changeset, Interaction, InteractionEvent, Memory, MemoryEvent, Part,
    Parts, Payload, PersonId, Principal, Refused, Role, State, TeamId, TeamRef, TokenId, Write,
    decide::{
        interaction::{self as decide, AskedOf},
        memory as rules,
    },
    grant::Holder,
    interaction::{AnswerContent, Granted, Kind, Outcome, Receipt, Request, Whom},
    limits,
    memory::{Ended, MemoryDraft, MemoryEnd, MemoryRecord, MemoryWrite},
    sign::{PublicKey, Signature, Verify},
    testing::{
        Counter, Stamp, agent, answer_to, at, body, epoch, given, journalled, person, request,
        with, written,
    },
};

fn ana() -> Principal {
    person(Role::Responder)
}

fn another_person() -> Principal {
    Principal::Person {
        id: bo().id,
        name: bo().name,
        role: Role::Responder,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn team(id: u128) -> TeamRef {
    TeamRef {
        id: TeamId(Uuid::from_u128(id)),
        name: "shop".into(),
    }
}

fn for_days(days: i64) -> MemoryDraft {
    MemoryDraft {
        days: Some(days),
        any_agent: false,
    }
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

fn answered_by(pending: &Interaction, by: &Principal, ids: &Counter) -> Interaction {
    let draft = given(answer_to(pending.request.kind()));
    written(&decide::answer(pending, draft, by, None, at(ids, 1)).unwrap())
}

fn answered(kind: Kind, ids: &Counter) -> Interaction {
    answered_by(&opened(request(body(kind)), None, ids), &ana(), ids)
}

fn memory_of(changeset: &Changeset) -> Memory {
    match &*changeset.writes {
        [Write::Memory(MemoryWrite::Keep(memory))] => (**memory).clone(),
        other => panic!("{other:?}"),
    }
}

fn record(memory: Memory) -> MemoryRecord {
    MemoryRecord {
        memory,
        uses: 0,
        last_used_at: None,
        ended: None,
    }
}

/// What Ana answered, for a week from the second second on.
pub(super) fn of(kind: Kind, ids: &Counter) -> MemoryRecord {
    let kept = rules::keep(&answered(kind, ids), for_days(7), &ana(), 0, at(ids, 2));
    record(memory_of(&kept.unwrap()))
}

fn recalls(records: &[MemoryRecord], request: &Request, seconds: i64, ids: &Counter) -> bool {
    let of = AskedOf::default();
    recalls_for(records, request, &agent(), &of, seconds, ids)
}

fn recalls_for(
    records: &[MemoryRecord],
    request: &Request,
    agent: &AgentRef,
    of: &AskedOf,
    seconds: i64,
    ids: &Counter,
) -> bool {
    let Some(asked) = decide::repeated(request, agent, of) else {
        return false;
    };
    let is_proven = |memory: &Memory| memory.is_proven(&Stamp);
    rules::recalled(records, &asked, &is_proven, at(ids, seconds)).is_some()
}

fn use_of(
    record: &MemoryRecord,
    request: Request,
    seconds: i64,
    ids: &Counter,
) -> Result<Changeset, Refused> {
    let now = at(ids, seconds);
    decide::open_remembered(
        request,
        agent(),
        AskedOf::default(),
        None,
        None,
        record,
        now,
    )
}

#[test]
fn an_answer_is_kept_of_a_question_that_a_person_answered_and_of_no_other_state() {
    let ids = Counter::default();
    let pending = opened(request(body(Kind::Question)), None, &ids);
    let fallback = json!({"fallback": "80", "timeout_seconds": 60});
    let late = opened(request(with(Kind::Question, fallback)), None, &ids);
    let mut erased = answered(Kind::Question, &ids);
    erased.erased = Some(crate::interaction::Erased {
        at: epoch(),
        by: Actor::Deadline,
    });
    let said_more = {
        let answered = answered(Kind::Question, &ids);
        let more = decide::follow_up(&answered, "Or 81".into(), &ana(), at(&ids, 2));
        written(&more.unwrap())
    };
    let by_itself = {
        let used = use_of(
            &of(Kind::Question, &ids),
            request(body(Kind::Question)),
            3,
            &ids,
        );
        written(&used.unwrap())
    };
    let cancelled = decide::cancel(&pending, &ana(), None, None, at(&ids, 1));
    let expired = decide::expire(&late, None, at(&ids, 90));
    let collected = decide::collect(&answered(Kind::Question, &ids), &agent(), at(&ids, 2));
    for (state, found) in [
        (answered(Kind::Question, &ids), Ok(())),
        (answered(Kind::Choice, &ids), Ok(())),
        (written(&collected.unwrap()), Ok(())),
        (said_more, Ok(())),
        (pending.clone(), Err(Refused::NothingToKeep)),
        (written(&cancelled.unwrap()), Err(Refused::NothingToKeep)),
        // Nobody's word: the agent named it for this case.
        (written(&expired.unwrap()), Err(Refused::NothingToKeep)),
        // It was given to one question by a person, and not to this one.
        (by_itself, Err(Refused::NothingToKeep)),
        (
            answered(Kind::Acknowledgement, &ids),
            Err(Refused::NothingToKeep),
        ),
        (answered(Kind::Approval, &ids), Err(Refused::NothingToKeep)),
        (
            answered(Kind::PlanReview, &ids),
            Err(Refused::NothingToKeep),
        ),
        (answered(Kind::Form, &ids), Err(Refused::NothingToKeep)),
        (
            opened(request(body(Kind::Notification)), None, &ids),
            Err(Refused::NothingToKeep),
        ),
        (
            answered_by(&pending, &another_person(), &ids),
            Err(Refused::NotYourAnswer),
        ),
    ] {
        let kept = rules::keep(&state, for_days(7), &ana(), 0, at(&ids, 100)).map(|_| ());
        assert_eq!(kept, found, "{:?}", state.state);
        assert_eq!(rules::can_be_kept(&state, &ana()), found.is_ok());
    }
    let kept = rules::keep(&erased, for_days(7), &ana(), 0, at(&ids, 100));
    assert!(matches!(kept, Err(Refused::Erased { .. })));
}

#[test]
fn only_who_gave_an_answer_and_may_still_answer_there_keeps_it() {
    let ids = Counter::default();
    let shop = team(5);
    let member = |id: u128, role: Role, parts: &[(TeamId, Part)]| Principal::Person {
        id: PersonId(Uuid::from_u128(id)),
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
    let slack = |id: u128| Principal::SlackUser {
        id: Uuid::from_u128(id),
        name: "Ana".into(),
        role: Role::Admin,
        teams: Parts::default(),
    };
    let (answers, reads) = ([(shop.id, Part::Answers)], [(shop.id, Part::Reads)]);
    let pending = opened(request(body(Kind::Question)), Some(shop.clone()), &ids);
    let by_ana = answered_by(&pending, &member(8, Role::Responder, &answers), &ids);
    let by_script = answered_by(&pending, &script(&answers), &ids);
    // Whoever is connected to Slack is the same person there.
    let in_slack = answered_by(&pending, &slack(8), &ids);
    let person = Holder::Person(PersonId(Uuid::from_u128(8)));
    let shop_only = Refused::NotInTeam {
        team: shop.name.clone(),
    };
    for (answered, by, found) in [
        (&by_ana, member(8, Role::Responder, &answers), Ok(person)),
        (&in_slack, member(8, Role::Responder, &answers), Ok(person)),
        (&by_ana, member(8, Role::Admin, &[]), Ok(person)),
        (
            &by_script,
            script(&answers),
            Ok(Holder::Token(TokenId(Uuid::from_u128(9)))),
        ),
        (&by_ana, script(&answers), Err(Refused::NotYourAnswer)),
        (
            &by_ana,
            member(10, Role::Admin, &[]),
            Err(Refused::NotYourAnswer),
        ),
        (&by_ana, member(8, Role::Responder, &reads), Err(shop_only)),
        (
            &by_ana,
            member(8, Role::Responder, &[]),
            Err(Refused::NotSeen),
        ),
        (
            &by_ana,
            member(8, Role::Viewer, &answers),
            Err(Refused::NotAResponder),
        ),
        (&by_script, script(&[]), Err(Refused::NotSeen)),
        (
            &by_ana,
            Principal::Agent(agent()),
            Err(Refused::NotAResponder),
        ),
        (
            &by_ana,
            Principal::Operator {
                name: "root".into(),
            },
            Err(Refused::NotAResponder),
        ),
        (&in_slack, slack(8), Err(Refused::NotAResponder)),
    ] {
        let kept = rules::keep(answered, for_days(7), &by, 0, at(&ids, 2));
        let kept = kept.map(|changeset| memory_of(&changeset).terms.holder);
        assert_eq!(kept, found, "{by:?}");
    }
}

#[test]
fn an_answer_stands_for_one_to_thirty_days_and_is_one_of_two_hundred() {
    let ids = Counter::default();
    let question = answered(Kind::Question, &ids);
    let now = at(&ids, 2);
    for (days, in_force, path) in [
        (Some(1), 0, None),
        (Some(30), 0, None),
        (Some(30), limits::MEMORIES - 1, None),
        (Some(30), limits::MEMORIES, Some("$")),
        (Some(0), 0, Some("days")),
        (Some(31), 0, Some("days")),
        (Some(-1), 0, Some("days")),
        (Some(i64::MAX), 0, Some("days")),
        (Some(i64::MIN), 0, Some("days")),
        (None, 0, Some("days")),
    ] {
        let draft = MemoryDraft {
            days,
            any_agent: true,
        };
        match (rules::keep(&question, draft, &ana(), in_force, now), path) {
            (Ok(kept), None) => {
                let until = memory_of(&kept).terms.expires_at;
                assert_eq!(Some((until - now.at).num_days()), days);
            }
            (Err(Refused::Invalid(faults)), Some(path)) => {
                assert_eq!(faults.len(), 1, "{faults:?}");
                assert_eq!(faults[0].path, path, "{days:?}");
            }
            other => panic!("{days:?}: {other:?}"),
        }
    }
    let read = |body: Value| serde_json::from_value::<MemoryDraft>(body);
    assert_eq!(read(json!({"days": 7.0})).unwrap(), for_days(7));
    for wrong in [
        json!({"days": 7.5}),
        json!({"days": "7"}),
        json!({"days": 7, "any_agent": "yes"}),
        json!({"days": 7, "for": "ever"}),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
    let mut unsigned = now;
    unsigned.signer = None;
    let kept = rules::keep(&question, for_days(7), &ana(), 0, unsigned);
    assert_eq!(kept, Err(Refused::NoKey));
}

#[test]
fn exactly_the_same_is_answered_and_nothing_that_reads_otherwise() {
    let ids = Counter::default();
    let options = json!([{"value": "eu"}, {"value": "us", "label": "America"}]);
    let task = json!({"id": "T-1", "title": "Shop", "step": "staging"});
    let base = json!({"kind": "choice", "prompt": "Where?", "title": "Region", "options": options, "task": task});
    let over = |fields: Value| {
        let mut body = base.clone();
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        request(body)
    };
    let pending = opened(over(json!({})), None, &ids);
    let draft = given(json!({"selected": ["eu"]}));
    let chosen = written(&decide::answer(&pending, draft, &ana(), None, at(&ids, 1)).unwrap());
    let kept = rules::keep(&chosen, for_days(7), &ana(), 0, at(&ids, 2)).unwrap();
    let one = [record(memory_of(&kept))];
    for same in [
        json!({}),
        json!({"session_id": "run 2", "mode": "async", "priority": "urgent"}),
        json!({"timeout_seconds": 60, "metadata": {"n": 1}}),
        json!({"task": {"id": "T-2", "title": "Shop", "step": "staging"}}),
    ] {
        assert!(recalls(&one, &over(same.clone()), 3, &ids), "{same}");
    }
    for other in [
        json!({"prompt": "Where? "}),
        json!({"prompt": "where?"}),
        json!({"prompt": "Whe\u{200b}re?"}),
        json!({"title": "Zone"}),
        json!({"title": null}),
        json!({"multiple": true}),
        json!({"options": [{"value": "us", "label": "America"}, {"value": "eu"}]}),
        json!({"options": ["eu", {"value": "us", "label": "Asia"}]}),
        json!({"options": ["eu", {"value": "us", "label": "America"}, "asia"]}),
        json!({"options": [{"value": "eu", "description": "Dear"}, {"value": "us", "label": "America"}]}),
        json!({"task": {"id": "T-1", "title": "Shop", "step": "production"}}),
        json!({"task": {"id": "T-1"}}),
        json!({"task": null}),
        json!({"timeout_seconds": 60, "fallback": "us"}),
    ] {
        assert!(!recalls(&one, &over(other.clone()), 3, &ids), "{other}");
    }
    // The same fallback is the same question, another one is not.
    let to_us = over(json!({"timeout_seconds": 60, "fallback": "us"}));
    let pending = opened(to_us.clone(), None, &ids);
    let draft = given(json!({"selected": ["eu"]}));
    let chosen = written(&decide::answer(&pending, draft, &ana(), None, at(&ids, 1)).unwrap());
    let kept = rules::keep(&chosen, for_days(7), &ana(), 0, at(&ids, 2)).unwrap();
    let two = [record(memory_of(&kept))];
    assert!(recalls(&two, &to_us, 3, &ids));
    let to_eu = over(json!({"timeout_seconds": 60, "fallback": "eu"}));
    assert!(!recalls(&two, &to_eu, 3, &ids));
    let question = json!({"kind": "question", "prompt": "Where?", "title": "Region", "task": task});
    assert!(!recalls(&one, &request(question), 3, &ids));
}

#[test]
fn it_answers_one_agent_or_all_that_ask_the_same_team() {
    let ids = Counter::default();
    let stranger = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "frontend".into(),
    };
    let shop = AskedOf {
        team: Some(team(5)),
        to: None,
    };
    let everyone = AskedOf::default();
    let for_somebody = AskedOf {
        team: None,
        to: Some(Whom::Person {
            id: bo().id,
            name: bo().name,
        }),
    };
    let ask = request(body(Kind::Question));
    for any_agent in [false, true] {
        let draft = MemoryDraft {
            any_agent,
            ..for_days(7)
        };
        let question = answered(Kind::Question, &ids);
        let kept = rules::keep(&question, draft, &ana(), 0, at(&ids, 2)).unwrap();
        let one = [record(memory_of(&kept))];
        for (agent, of, found) in [
            (agent(), &everyone, true),
            (stranger.clone(), &everyone, any_agent),
            // Rule 18: what one team answered is no other's to know.
            (agent(), &shop, false),
            (stranger.clone(), &shop, false),
            // Whoever asks for somebody wants that person's word.
            (agent(), &for_somebody, false),
        ] {
            let recalled = recalls_for(&one, &ask, &agent, of, 3, &ids);
            assert_eq!(recalled, found, "{any_agent} {agent:?} {of:?}");
        }
        // It is not told as this agent's where it is for all of them.
        assert_eq!(kept.events[0].agent_id.is_none(), any_agent);
    }
}

#[test]
fn it_answers_while_it_stands() {
    let ids = Counter::default();
    let one = of(Kind::Question, &ids);
    let ask = request(body(Kind::Question));
    let week = TimeDelta::days(7).num_seconds();
    for (seconds, found) in [(1, false), (2, true), (week + 1, true), (week + 2, false)] {
        assert_eq!(
            recalls(std::slice::from_ref(&one), &ask, seconds, &ids),
            found
        );
        assert_eq!(use_of(&one, ask.clone(), seconds, &ids).is_ok(), found);
    }
    for why in MemoryEnd::ALL {
        let ended = MemoryRecord {
            ended: Some(Ended { at: epoch(), why }),
            ..one.clone()
        };
        assert_eq!(
            use_of(&ended, ask.clone(), 3, &ids),
            Err(Refused::NothingToKeep)
        );
        assert!(!recalls(&[ended], &ask, 3, &ids), "{why:?}");
        assert_eq!(MemoryEnd::from_name(why.name()), Some(why));
    }
    let mut erased = one.clone();
    erased.memory.kept = None;
    assert!(!recalls(&[erased], &ask, 3, &ids));
}

#[test]
fn where_people_answered_differently_one_of_them_is_asked() {
    let ids = Counter::default();
    let ask = request(body(Kind::Question));
    let pending = opened(ask.clone(), None, &ids);
    let said = |text: &str, by: &Principal| {
        let draft = given(json!({"text": text}));
        let answered = written(&decide::answer(&pending, draft, by, None, at(&ids, 1)).unwrap());
        record(memory_of(
            &rules::keep(&answered, for_days(7), by, 0, at(&ids, 2)).unwrap(),
        ))
    };
    let (one, same, other) = (
        said("80", &ana()),
        said("80", &another_person()),
        said("81", &another_person()),
    );
    assert!(recalls(&[one.clone(), same.clone()], &ask, 3, &ids));
    assert!(!recalls(&[one.clone(), other.clone()], &ask, 3, &ids));
    assert!(!recalls(&[other.clone(), same, one.clone()], &ask, 3, &ids));
    // One that stands no longer says nothing.
    let revoked = MemoryRecord {
        ended: Some(Ended {
            at: epoch(),
            why: MemoryEnd::Revoked,
        }),
        ..other
    };
    assert!(recalls(&[one, revoked], &ask, 3, &ids));
}

#[test]
fn what_somebody_wrote_into_the_database_answers_nothing() {
    let ids = Counter::default();
    let one = of(Kind::Question, &ids);
    let ask = request(body(Kind::Question));
    let changes: [fn(&mut Memory); 11] = [
        |memory| memory.terms.expires_at += TimeDelta::days(1),
        |memory| memory.terms.by.name = "Bo".into(),
        |memory| memory.terms.holder = Holder::Person(PersonId(Uuid::from_u128(1))),
        |memory| memory.terms.made_at -= TimeDelta::seconds(1),
        |memory| memory.terms.answered_at -= TimeDelta::days(1),
        |memory| memory.terms.agent = None,
        |memory| memory.terms.version = 2,
        |memory| memory.terms.statement = "handraise grant".into(),
        |memory| memory.signature = "AAAA".into(),
        |memory| memory.kept.as_mut().unwrap().answer = AnswerContent::Text { text: "81".into() },
        |memory| memory.kept.as_mut().unwrap().salt = "AAAA".into(),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut forged = one.clone();
        change(&mut forged.memory);
        assert!(!recalls(&[forged], &ask, 3, &ids), "{n}");
    }
    struct Another;
    impl Verify for Another {
        fn holds(&self, _: &PublicKey, _: &[u8], _: &Signature) -> bool {
            false
        }
    }
    let asked = decide::repeated(&ask, &agent(), &AskedOf::default()).unwrap();
    let is_proven = |memory: &Memory| memory.is_proven(&Another);
    assert!(rules::recalled(&[one], &asked, &is_proven, at(&ids, 3)).is_none());
}

#[test]
fn each_use_says_whose_word_it_is_and_of_when_and_tells_nobody() {
    let ids = Counter::default();
    for kind in [Kind::Question, Kind::Choice] {
        let one = of(kind, &ids);
        let used = use_of(&one, request(body(kind)), 9, &ids).unwrap();
        let interaction = written(&used);
        assert_eq!(interaction.answer(), answered(kind, &ids).answer());
        assert_eq!(interaction.state.outcome(), Some(Outcome::Answered));
        assert_eq!(interaction.clone().proven(&Stamp), interaction);
        let mark = interaction.remembered().unwrap();
        assert_eq!(*mark, one.memory.named());
        assert_eq!(mark.answered_at, at(&ids, 1).at);
        assert_eq!(interaction.approved(), None);
        assert!(interaction.card.is_none() && interaction.claim.is_none());
        let decision = &interaction.receipt().unwrap().decision;
        assert!(decision.version == 4 && decision.is_known());
        assert_eq!(decision.responder, one.memory.terms.by);
        let written = serde_json::to_string(decision).unwrap();
        assert!(written.contains(&format!(
            "\"remembered\":{{\"id\":\"{}\"",
            one.memory.terms.id
        )));

        let events = journalled(used.clone());
        assert_eq!(Interaction::replay(&events).as_ref(), Some(&interaction));
        assert!(events.iter().all(|event| event.is_proven(&Stamp)));
        assert_eq!(
            events[1].actor,
            Actor::Responder(one.memory.terms.by.clone())
        );
        assert!(matches!(
            &events[0].payload,
            Payload::Interaction(InteractionEvent::Requested {
                remembered: Some(_),
                granted: None,
                channel: None,
                ..
            })
        ));
        assert!(crate::obligation::obligations(&events, &used.writes).is_empty());
        assert!(used.writes.iter().any(|write| {
            matches!(write, Write::Memory(MemoryWrite::Use { memory, interaction: of, .. })
                if memory.terms.id == one.memory.terms.id && *of == interaction.id)
        }));
        // It was never there to be answered, and what follows an answer may follow.
        let late = given(answer_to(kind));
        let late = decide::answer(&interaction, late, &person(Role::Admin), None, at(&ids, 10));
        assert!(matches!(
            late,
            Err(Refused::Closed {
                outcome: Outcome::Answered,
                ..
            })
        ));
        assert!(decide::collect(&interaction, &agent(), at(&ids, 10)).is_ok());
        assert!(decide::follow_up(&interaction, "81 by now".into(), &ana(), at(&ids, 10)).is_ok());
        // Rule 19: who and when stay.
        let blank = interaction.without_words().proven(&Stamp);
        assert!(!blank.state.is_void());
        assert_eq!(blank.remembered(), Some(mark));
    }
}

#[test]
fn an_answer_that_does_not_prove_to_be_given_before_is_void() {
    let ids = Counter::default();
    let one = of(Kind::Question, &ids);
    let interaction = written(&use_of(&one, request(body(Kind::Question)), 9, &ids).unwrap());
    let changes: [fn(&mut Receipt); 8] = [
        |receipt| receipt.decision.remembered = None,
        |receipt| receipt.decision.remembered.as_mut().unwrap().answered_at = epoch(),
        |receipt| receipt.decision.version = 1,
        |receipt| receipt.decision.responder.name = "Bo".into(),
        |receipt| receipt.decision.kind = Kind::Choice,
        |receipt| receipt.decision.action_digest = Some("sha256:00".into()),
        |receipt| {
            receipt.decision.grant = Some(Granted {
                id: crate::GrantId(Uuid::nil()),
                made_at: epoch(),
            });
        },
        |receipt| receipt.signature = "AAAA".into(),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut forged = interaction.clone();
        if let State::Resolved { answer } = &mut forged.state {
            change(answer.receipt.as_mut().unwrap());
        }
        assert!(forged.clone().proven(&Stamp).state.is_void(), "{n}");
        let payload = match forged.state {
            State::Resolved { answer } => InteractionEvent::Resolved {
                outcome: Outcome::Answered,
                answer,
            },
            other => panic!("{other:?}"),
        };
        let used = use_of(&one, request(body(Kind::Question)), 9, &ids).unwrap();
        let mut event = journalled(used).pop().unwrap();
        (event.interaction_id, event.payload) = (Some(interaction.id), payload.into());
        let is_word_of_row = n == 4;
        assert!(is_word_of_row || !event.is_proven(&Stamp), "{n}");
    }
    // By such a receipt nothing is approved.
    let approval = answered(Kind::Approval, &ids);
    let mut forged = approval.clone();
    if let State::Resolved { answer } = &mut forged.state {
        answer.receipt = interaction.receipt().cloned().map(Box::new);
    }
    assert_eq!(forged.proven(&Stamp).approved(), Some(false));
}

#[test]
fn without_a_key_a_person_is_asked() {
    let ids = Counter::default();
    let one = of(Kind::Question, &ids);
    let mut unsigned = at(&ids, 9);
    unsigned.signer = None;
    let ask = request(body(Kind::Question));
    let used =
        decide::open_remembered(ask, agent(), AskedOf::default(), None, None, &one, unsigned);
    assert_eq!(used, Err(Refused::NoKey));
}

#[test]
fn a_task_goes_on_where_an_earlier_answer_answers() {
    let ids = Counter::default();
    let ask = request(with(Kind::Question, json!({"task": {"id": "T-1"}})));
    let used = use_of(&of(Kind::Question, &ids), ask, 9, &ids).unwrap();
    let task = crate::testing::task_of(&used).unwrap();
    assert_eq!(task.status, crate::task::TaskStatus::Running);
}

#[test]
fn whoever_may_answer_for_it_revokes_and_only_once() {
    let ids = Counter::default();
    let one = of(Kind::Question, &ids);
    for by in [Principal::Agent(agent()), person(Role::Viewer)] {
        assert_eq!(
            rules::revoke(&one, &by, at(&ids, 3)),
            Err(Refused::NotAResponder)
        );
    }
    let revoked = rules::revoke(&one, &another_person(), at(&ids, 3)).unwrap();
    assert!(matches!(
        &*revoked.writes,
        [Write::Memory(MemoryWrite::End {
            why: MemoryEnd::Revoked,
            ..
        })]
    ));
    assert!(matches!(
        &revoked.events[0].payload,
        Payload::Memory(MemoryEvent::Revoked { id }) if *id == one.memory.terms.id
    ));
    let ended = MemoryRecord {
        ended: Some(Ended {
            at: epoch(),
            why: MemoryEnd::Revoked,
        }),
        ..one.clone()
    };
    assert_eq!(
        rules::revoke(&ended, &ana(), at(&ids, 3)),
        Err(Refused::Unchanged)
    );
    let over = TimeDelta::days(8).num_seconds();
    assert_eq!(
        rules::revoke(&one, &ana(), at(&ids, over)),
        Err(Refused::Unchanged)
    );
    let mut of_team = one;
    of_team.memory.terms.team = Some(team(5));
    assert_eq!(
        rules::revoke(&of_team, &ana(), at(&ids, 3)),
        Err(Refused::NotSeen)
    );
}

#[test]
fn the_journal_holds_no_word_of_question_and_answer_and_none_can_be_tried_out() {
    let ids = Counter::default();
    let question = answered(Kind::Question, &ids);
    let kept = rules::keep(&question, for_days(7), &ana(), 0, at(&ids, 2)).unwrap();
    let [event] = &*kept.events else {
        panic!("{kept:?}")
    };
    let stored = event.payload.stored().unwrap();
    for word in ["Which port", "\"80\""] {
        assert!(!stored.contains(word), "{stored}");
    }
    let read = Payload::read(event.payload.event_type(), &stored).unwrap();
    assert_eq!(read, event.payload);
    assert_eq!(event.interaction_id, Some(question.id));
    assert_eq!(event.payload.without_words(), event.payload);
    let again = rules::keep(&question, for_days(7), &ana(), 0, at(&ids, 2)).unwrap();
    let digest = |changeset: &Changeset| memory_of(changeset).terms.words_digest;
    assert_ne!(digest(&kept), digest(&again));
    // It changes nothing of the question that was answered.
    assert!(Interaction::replay(&journalled(kept)).is_none());
}

proptest! {
    /// Whatever is asked and whenever: it is answered by itself only where it is the same, in time, and by what was said.
    #[test]
    fn nothing_is_answered_but_the_same_in_time(
        prompt in "(Which port\\?|Which port|which port\\?|Which  port\\?|Which port\\? 80)",
        days in 1_i64..=30,
        seconds in 0_i64..3_000_000,
    ) {
        let ids = Counter::default();
        let question = answered(Kind::Question, &ids);
        let kept = rules::keep(&question, for_days(days), &ana(), 0, at(&ids, 2)).unwrap();
        let one = record(memory_of(&kept));
        let used = use_of(&one, request(with(Kind::Question, json!({"prompt": prompt}))), seconds, &ids);
        let stands = (2..2 + days * 86_400).contains(&seconds);
        prop_assert_eq!(used.is_ok(), stands && prompt == "Which port?");
        if let Ok(used) = used {
            let interaction = written(&used);
            prop_assert_eq!(interaction.answer(), question.answer());
            prop_assert!(interaction.remembered().is_some());
        }
    }
}
