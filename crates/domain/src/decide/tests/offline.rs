//! Blockers that nobody waits for any more: dismissed by a person, withdrawn with their session.

use chrono::TimeDelta;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Actor, AgentId, AgentRef, InteractionEvent, Payload, Principal, Refused, Role,
    decide::interaction as decide,
    interaction::{AgentPresence, CancelCode, Interaction, Kind, State},
    testing::{Counter, agent, at, epoch, journalled, opened, person, request, with, written},
};

fn presence(offline: bool) -> AgentPresence {
    AgentPresence {
        seen_at: epoch(),
        offline,
    }
}

fn asked(kind: Kind, fields: Value, ids: &Counter) -> Interaction {
    written(&opened(with(kind, fields), None, ids))
}

#[test]
fn whoever_may_answer_dismisses_what_an_agent_that_is_gone_has_asked() {
    let ids = Counter::default();
    let asked = asked(Kind::Approval, json!({"timeout_seconds": 60}), &ids);
    let ana = person(Role::Responder);
    let dismiss = |by: &Principal, offline, second| {
        decide::dismiss(&asked, presence(offline), by, None, at(&ids, second))
    };
    for by in [person(Role::Viewer), Principal::Agent(agent())] {
        assert_eq!(dismiss(&by, true, 1), Err(Refused::NotAResponder));
    }
    assert_eq!(dismiss(&ana, false, 1), Err(Refused::NotOffline));
    assert!(matches!(
        dismiss(&ana, true, 60),
        Err(Refused::Closed { .. })
    ));
    let changeset = dismiss(&ana, true, 1).unwrap();
    let dismissed = written(&changeset);
    let State::Cancelled {
        at: when,
        by,
        reason,
        code,
    } = &dismissed.state
    else {
        panic!("{:?}", dismissed.state);
    };
    assert_eq!(*when, epoch() + TimeDelta::seconds(1));
    assert!(matches!(by, Actor::Responder(by) if by.name == "Ana"));
    assert_eq!(reason.as_deref(), Some("The asking agent was offline."));
    assert_eq!(*code, Some(CancelCode::AgentOffline));
    // Rule 2, however it ends.
    assert_eq!(dismissed.approved(), Some(false));
    let again = decide::dismiss(&dismissed, presence(true), &ana, None, at(&ids, 2));
    assert!(matches!(again, Err(Refused::Closed { .. })));
}

#[test]
fn the_events_tell_the_same_of_a_dismissal_as_the_row() {
    let ids = Counter::default();
    let opening = opened(with(Kind::Question, json!({})), None, &ids);
    let asked = written(&opening);
    let ana = person(Role::Responder);
    let dismissal = decide::dismiss(&asked, presence(true), &ana, None, at(&ids, 1)).unwrap();
    let dismissed = written(&dismissal);
    let mut all = opening;
    all.events.extend(dismissal.events);
    assert_eq!(Interaction::replay(&journalled(all)), Some(dismissed));
}

#[test]
fn a_session_takes_along_what_asked_for_it_and_nothing_else() {
    let ids = Counter::default();
    let fields = json!({"session_id": "s", "withdraw_on_disconnect": true});
    let flagged = asked(Kind::Question, fields, &ids);
    let withdraw = |of: &Interaction, session, by: &AgentRef, second| {
        decide::withdraw(of, session, by, None, at(&ids, second))
    };
    let other = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "other".into(),
    };
    assert_eq!(withdraw(&flagged, "s", &other, 1), Err(Refused::NotYours));
    assert_eq!(
        withdraw(&flagged, "t", &agent(), 1),
        Err(Refused::Unchanged)
    );
    let unflagged = asked(Kind::Question, json!({"session_id": "s"}), &ids);
    assert_eq!(
        withdraw(&unflagged, "s", &agent(), 1),
        Err(Refused::Unchanged)
    );
    let changeset = withdraw(&flagged, "s", &agent(), 1).unwrap();
    let cancelled = InteractionEvent::Cancelled {
        reason: Some("The agent's session has ended.".to_owned()),
        code: Some(CancelCode::SessionEnded),
    };
    assert_eq!(changeset.events[0].payload, Payload::Interaction(cancelled));
    assert_eq!(changeset.events[0].actor, Actor::Agent(agent()));
    let again = withdraw(&written(&changeset), "s", &agent(), 2);
    assert!(matches!(again, Err(Refused::Closed { .. })));
    // Somebody was faster.
    let taken_back =
        decide::cancel(&flagged, &person(Role::Responder), None, None, at(&ids, 1)).unwrap();
    let late = withdraw(&written(&taken_back), "s", &agent(), 2);
    assert!(matches!(late, Err(Refused::Closed { .. })));
}

#[test]
fn what_was_stored_before_reads_and_writes_as_ever() {
    let cancelled = r#"{"type":"interaction.cancelled","payload":{"reason":null}}"#;
    let event: InteractionEvent = serde_json::from_str(cancelled).unwrap();
    assert_eq!(serde_json::to_string(&event).unwrap(), cancelled);
    let plain = request(with(Kind::Question, json!({"session_id": "s"})));
    let json = serde_json::to_value(&plain).unwrap();
    assert_eq!(json.get("withdraw_on_disconnect"), None);
}
