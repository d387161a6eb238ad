//! Rule 12: what a row says of a decision counts only as far as its receipt proves it.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    AgentId, Interaction, InteractionId, Refused, Role,
    decide::interaction as decide,
    interaction::{Ask, Kind, Outcome, Request, State, Unproven},
    testing::{
        Counter, Stamp, agent, answer_to, at, body, given, opened, person, request, with, written,
    },
};
use uuid::Uuid;

fn pending(kind: Kind) -> Interaction {
    written(&opened(body(kind), None, &Counter::default()))
}

fn decided(kind: Kind, answer: Value) -> Interaction {
    let ana = person(Role::Responder);
    let ids = Counter::default();
    let answer = decide::answer(&pending(kind), given(answer), &ana, None, at(&ids, 1));
    written(&answer.unwrap())
}

/// The row after somebody has changed it behind the program's back.
fn changed(row: &Interaction, change: impl FnOnce(&mut Value)) -> Interaction {
    let mut stored = serde_json::to_value(&row.state).unwrap();
    change(&mut stored);
    Interaction {
        state: serde_json::from_value(stored).unwrap(),
        ..row.clone()
    }
}

fn why(row: &Interaction) -> Option<Unproven> {
    let read = row.clone().proven(&Stamp);
    match &read.state {
        State::Void { why, .. } => {
            assert_eq!(read.state.outcome(), Some(Outcome::Void));
            assert_ne!(read.approved(), Some(true));
            assert_eq!((read.answer(), read.receipt()), (None, None));
            assert_eq!(read.resume_prompt(), None);
            Some(*why)
        }
        _ => {
            assert_eq!(&read, row);
            None
        }
    }
}

#[test]
fn what_a_receipt_proves_is_read_as_it_is() {
    for kind in Kind::ALL {
        assert_eq!(why(&pending(kind)), None, "{kind:?}");
        if kind != Kind::Notification {
            assert_eq!(why(&decided(kind, answer_to(kind))), None, "{kind:?}");
        }
    }
    assert_eq!(
        why(&decided(Kind::Approval, json!({"approved": false}))),
        None
    );
}

#[test]
fn a_row_that_says_more_than_its_receipt_is_void() {
    let denied = decided(Kind::Approval, json!({"approved": false}));
    let approved = decided(Kind::Approval, json!({"approved": true}));
    let adjusted = decided(
        Kind::PlanReview,
        json!({"decision": "adjust", "feedback": "x"}),
    );
    let mut other_receipt = approved.clone();
    other_receipt.id = InteractionId(Uuid::from_u128(77));
    let mut other_agent = approved.clone();
    other_agent.agent.id = AgentId(Uuid::from_u128(77));
    for (row, expected) in [
        (
            changed(&denied, |row| {
                row["answer"]["content"]["approved"] = true.into();
            }),
            Unproven::OtherDecision,
        ),
        (
            changed(&denied, |row| {
                row["answer"]["content"]["approved"] = true.into();
                row["answer"]["receipt"]["outcome"] = "approved".into();
            }),
            Unproven::NotSigned,
        ),
        (
            changed(&denied, |row| {
                row["answer"]["content"]["approved"] = true.into();
                row["answer"].as_object_mut().unwrap().remove("receipt");
            }),
            Unproven::NoReceipt,
        ),
        (
            changed(&approved, |row| {
                row["answer"]["responder"]["name"] = "Eve".into();
            }),
            Unproven::OtherDecision,
        ),
        (
            changed(&approved, |row| {
                row["answer"]["answered_at"] = "2030-01-01T00:00:00Z".into();
            }),
            Unproven::OtherDecision,
        ),
        (
            changed(&approved, |row| {
                row["answer"]["receipt"]["version"] = 2.into();
            }),
            Unproven::UnknownVersion,
        ),
        (
            changed(&approved, |row| {
                // Signed indeed, but by a key that nobody trusts.
                row["answer"]["receipt"]["public_key"] =
                    "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg=".into();
            }),
            Unproven::NotSigned,
        ),
        (
            changed(&approved, |row| {
                row["answer"]["receipt"]["signature"] = "".into();
            }),
            Unproven::NotSigned,
        ),
        (
            changed(&adjusted, |row| {
                row["answer"]["content"]["decision"] = "proceed".into();
            }),
            Unproven::OtherDecision,
        ),
        (other_receipt, Unproven::OtherInteraction),
        (other_agent, Unproven::OtherDecision),
    ] {
        assert_eq!(why(&row), Some(expected), "{row:?}");
    }
}

#[test]
fn a_decision_about_other_content_is_void() {
    let approved = decided(Kind::Approval, json!({"approved": true}));
    let planned = decided(Kind::PlanReview, json!({"decision": "proceed"}));
    let with_ask = |row: &Interaction, ask: Ask| Interaction {
        request: Request {
            ask,
            ..row.request.clone()
        },
        ..row.clone()
    };
    let other = with(
        Kind::Approval,
        json!({"action": {"tool": "shell", "arguments": {"command": "rm"}}}),
    );
    let other = written(&opened(other, None, &Counter::default()));
    // With its digest, and with the one that was signed.
    assert_eq!(
        why(&with_ask(&approved, other.request.ask.clone())),
        Some(Unproven::OtherContent)
    );
    let (Ask::Approval { action, .. }, Ask::Approval { action_digest, .. }) =
        (other.request.ask, approved.request.ask.clone())
    else {
        panic!("no approvals");
    };
    let forged = Ask::Approval {
        action,
        action_digest,
        amendable: None,
        approvals: None,
    };
    assert_eq!(
        why(&with_ask(&approved, forged)),
        Some(Unproven::OtherContent)
    );
    let plan = Ask::PlanReview {
        plan: "1. Test\n2. Deploy\n3. Drop".into(),
        revises: None,
    };
    assert_eq!(why(&with_ask(&planned, plan)), Some(Unproven::OtherContent));
    // An approval made of another kind's answer is none either.
    let moved = Interaction {
        state: planned.state.clone(),
        ..approved
    };
    assert_eq!(why(&moved), Some(Unproven::OtherDecision));
}

#[test]
fn a_deadline_approves_nothing_whatever_the_row_says() {
    let expired: State = serde_json::from_value(json!({
        "state": "expired", "at": "2023-11-14T22:13:20Z",
        "fallback": {"type": "approval", "approved": true, "text": null},
    }))
    .unwrap();
    let row = Interaction {
        state: expired,
        ..pending(Kind::Approval)
    };
    assert_eq!(why(&row), Some(Unproven::NoReceipt));
}

#[test]
fn nothing_can_be_done_with_what_is_void_and_it_is_never_stored() {
    let ids = Counter::default();
    let approved = decided(Kind::Approval, json!({"approved": true}));
    let row = changed(&approved, |row| {
        row["answer"]["receipt"]["signature"] = "".into();
    });
    let void = row.proven(&Stamp);
    let ana = person(Role::Responder);
    let now = || at(&ids, 9);
    assert_eq!(
        decide::collect(&void, &agent(), now()),
        Err(Refused::Unchanged)
    );
    assert_eq!(
        decide::consume(&void, &agent(), "run".into(), now()),
        Err(Refused::NotApproved)
    );
    assert_eq!(decide::called_back(&void, now()), Err(Refused::Unchanged));
    assert_eq!(decide::agent_offline(&void, now()), Err(Refused::Unchanged));
    for refused in [
        decide::follow_up(&void, "more".into(), &ana, now()),
        decide::answer(&void, given(json!({"approved": true})), &ana, None, now()),
        decide::cancel(&void, &ana, None, None, now()),
    ] {
        assert!(
            matches!(
                refused,
                Err(Refused::Closed {
                    outcome: Outcome::Void,
                    ..
                })
            ),
            "{refused:?}"
        );
    }
    assert!(serde_json::to_string(&void.state).is_err());
}

#[test]
fn what_waits_is_void_if_another_action_stands_there_than_was_asked_about() {
    let row = pending(Kind::Approval);
    let Ask::Approval { action_digest, .. } = row.request.ask.clone() else {
        panic!("no approval");
    };
    let other = with(Kind::Approval, json!({"action": {"tool": "ls"}}));
    let Ask::Approval { action, .. } = request(other).ask else {
        panic!("no approval");
    };
    let shown = Interaction {
        request: Request {
            ask: Ask::Approval {
                action: action.clone(),
                amendable: None,
                approvals: None,
                action_digest,
            },
            ..row.request.clone()
        },
        ..row
    };
    assert_eq!(why(&shown), Some(Unproven::OtherContent));
    // And whoever decided all the same has decided about what stood there.
    let ana = person(Role::Responder);
    let ids = Counter::default();
    let answer = decide::answer(
        &shown,
        given(json!({"approved": true})),
        &ana,
        None,
        at(&ids, 1),
    );
    let decided = written(&answer.unwrap());
    let signed = decided.receipt().unwrap().decision.action_digest.clone();
    assert_eq!(signed, Some(action.digest().unwrap()));
}

#[test]
fn a_run_that_nobody_signed_makes_the_approval_void() {
    let ids = Counter::default();
    let approved = decided(Kind::Approval, json!({"approved": true}));
    let run = decide::consume(&approved, &agent(), "run".into(), at(&ids, 2)).unwrap();
    let mut consumed = written(&run);
    assert_eq!(why(&consumed), None);
    consumed.consumed.as_mut().unwrap().run = "another".into();
    assert_eq!(why(&consumed), Some(Unproven::OtherRun));
}

#[test]
fn an_event_is_passed_on_as_far_as_a_receipt_proves_it() {
    use crate::{Event, InteractionEvent, Payload};
    let told = |kind: Kind, answer: Value| {
        let row = decided(kind, answer);
        let State::Resolved { answer } = row.state else {
            panic!("it is answered");
        };
        let outcome = answer.content.outcome();
        Event {
            seq: 2,
            id: crate::EventId(Uuid::nil()),
            at: answer.answered_at,
            actor: crate::Actor::Responder(answer.responder.clone()),
            agent_id: Some(row.agent.id),
            interaction_id: Some(row.id),
            task_id: None,
            payload: Payload::Interaction(InteractionEvent::Resolved { outcome, answer }),
            is_erased: false,
        }
    };
    let changed = |event: &Event, change: &dyn Fn(&mut Value)| {
        let mut payload = serde_json::to_value(&event.payload).unwrap();
        change(&mut payload["payload"]);
        Event {
            payload: Payload::read(event.payload.event_type(), &payload["payload"].to_string())
                .unwrap(),
            ..event.clone()
        }
    };
    for kind in Kind::ALL {
        if kind != Kind::Notification {
            assert!(told(kind, answer_to(kind)).is_proven(&Stamp), "{kind:?}");
        }
    }
    let no = told(Kind::Approval, json!({"approved": false}));
    assert!(no.is_proven(&Stamp));
    let approves = |payload: &mut Value| {
        payload["outcome"] = json!("approved");
        payload["answer"]["content"]["approved"] = json!(true);
    };
    let forgeries: [&dyn Fn(&mut Value); 6] = [
        &approves,
        &|payload| payload["outcome"] = json!("approved"),
        &|payload| {
            approves(payload);
            payload["answer"]["receipt"]["decision"]["outcome"] = json!("approved");
        },
        &|payload| payload["answer"]["receipt"] = Value::Null,
        &|payload| payload["answer"]["answered_at"] = json!("2026-01-01T00:00:00Z"),
        &|payload| payload["answer"]["receipt"]["signature"] = json!("AAAA"),
    ];
    for (n, forge) in forgeries.iter().enumerate() {
        assert!(!changed(&no, forge).is_proven(&Stamp), "{n}");
    }
    let elsewhere = Event {
        interaction_id: Some(InteractionId(Uuid::max())),
        ..no.clone()
    };
    assert!(!elsewhere.is_proven(&Stamp));
    let expired = Event {
        payload: Payload::Interaction(InteractionEvent::Expired {
            outcome: Outcome::Approved,
            fallback_used: false,
            answer: None,
        }),
        ..no
    };
    assert!(!expired.is_proven(&Stamp));
}

/// The places of everything in some JSON that is no list and no object.
fn leaves(of: &Value, at: &str, places: &mut Vec<String>) {
    match of {
        Value::Object(members) => {
            for (name, member) in members {
                leaves(member, &format!("{at}/{name}"), places);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                leaves(item, &format!("{at}/{n}"), places);
            }
        }
        _ => places.push(at.to_owned()),
    }
}

proptest! {
    /// Whatever is written over one place of a row: nothing else is approved by it than what was, by nobody else, and what was
    /// denied is not approved.
    #[test]
    fn whatever_is_written_into_a_row_nothing_more_is_approved(
        approves in any::<bool>(),
        amends in any::<bool>(),
        place in any::<prop::sample::Index>(),
        other in prop_oneof![
            Just(json!(true)), Just(json!(false)), Just(json!(null)), Just(json!(1)), Just(json!("")), Just(json!("approved")),
            Just(json!("Bo")), Just(json!("2023-11-14T22:13:20Z")), Just(json!("00000000-0000-0000-0000-000000000009")),
            Just(json!("sha256:00")), Just(json!("make deploy-staging")),
        ],
    ) {
        let ids = Counter::default();
        let asked = written(&opened(with(Kind::Approval, json!({"amendable": true})), None, &ids));
        let mut answer = json!({"approved": approves});
        if approves && amends {
            answer["arguments"] = json!({"command": "make deploy-staging"});
        }
        let ana = person(Role::Responder);
        let row = written(&decide::answer(&asked, given(answer), &ana, None, at(&ids, 1)).unwrap());
        let mut stored = json!({"state": row.state, "request": row.request, "agent": row.agent, "id": row.id});
        let mut places = Vec::new();
        leaves(&stored, "", &mut places);
        let place = place.get(&places);
        let there = stored.pointer_mut(place).unwrap();
        prop_assume!(*there != other);
        *there = other;
        // What cannot be read approves nothing either.
        let (Ok(state), Ok(request), Ok(agent), Ok(id)) = (
            serde_json::from_value(stored["state"].clone()),
            serde_json::from_value::<Request>(stored["request"].clone()),
            serde_json::from_value(stored["agent"].clone()),
            serde_json::from_value(stored["id"].clone()),
        ) else {
            return Ok(());
        };
        let read = Interaction { state, request, agent, id, ..row.clone() }.proven(&Stamp);
        if read.approved() == Some(true) {
            prop_assert_eq!(row.approved(), Some(true), "{}", place);
            prop_assert_eq!(read.amended(), row.amended(), "{}", place);
            prop_assert_eq!(read.receipt(), row.receipt(), "{}", place);
            let action = |of: &Interaction| match &of.request.ask {
                Ask::Approval { action, .. } => action.clone(),
                other => panic!("{other:?}"),
            };
            prop_assert_eq!(action(&read), action(&row), "{}", place);
            prop_assert_eq!((read.id, read.agent.id), (row.id, row.agent.id), "{}", place);
            prop_assert_eq!(read.state.closed_by(), row.state.closed_by(), "{}", place);
        }
    }
}
