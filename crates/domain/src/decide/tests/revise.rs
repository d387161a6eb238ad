//! Which plans may take the place of which.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use crate::{
    AgentId, AgentRef, Fault, InteractionId, Role, TeamId, TeamRef,
    decide::interaction::{self as decide, Versions},
    interaction::{Interaction, Kind},
    limits,
    testing::{Counter, agent, answer_to, at, body, given, opened, person, request, with, written},
};

const FIRST: Versions = Versions {
    number: 1,
    newer: None,
};

fn revised(earlier: &Interaction, versions: Versions, seconds: i64) -> Result<(), String> {
    let ids = Counter::default();
    let earlier = Some((earlier, versions));
    let end = decide::revises(earlier, &agent(), None, at(&ids, seconds));
    end.map_err(|Fault { path, message }| {
        assert_eq!(path, "revises");
        message
    })
}

fn plan(ids: &Counter) -> Interaction {
    let body = with(Kind::PlanReview, json!({"timeout_seconds": 60}));
    written(&opened(body, None, ids))
}

/// A plan in each state that it can be in.
fn in_every_state(ids: &Counter) -> [(&'static str, Interaction); 5] {
    let pending = plan(ids);
    let ana = person(Role::Responder);
    let answered = |answer| {
        let answer = decide::answer(&pending, given(answer), &ana, None, at(ids, 1));
        written(&answer.unwrap())
    };
    let cancelled = decide::cancel(&pending, &ana, None, None, at(ids, 1)).unwrap();
    let expired = decide::expire(&pending, None, at(ids, 60)).unwrap();
    [
        (
            "adjust",
            answered(json!({"decision": "adjust", "feedback": "Test first"})),
        ),
        ("proceed", answered(answer_to(Kind::PlanReview))),
        ("cancelled", written(&cancelled)),
        ("expired", written(&expired)),
        ("pending", pending),
    ]
}

#[test]
fn a_plan_that_is_closed_is_revised_and_one_that_waits_is_not() {
    let ids = Counter::default();
    for (state, earlier) in in_every_state(&ids) {
        let end = revised(&earlier, FIRST, 59);
        match state {
            "pending" => {
                let message = end.unwrap_err();
                assert!(message.contains("take it back first"), "{message}");
                // Whether or not the job has come by.
                assert_eq!(revised(&earlier, FIRST, 60), Ok(()));
            }
            _ => assert_eq!(end, Ok(()), "{state}"),
        }
    }
}

#[test]
fn a_plan_is_revised_once_so_versions_are_one_line() {
    let ids = Counter::default();
    let newer = InteractionId(Uuid::from_u128(77));
    let versions = Versions {
        newer: Some(newer),
        ..FIRST
    };
    for (state, earlier) in in_every_state(&ids) {
        let message = revised(&earlier, versions, 1).unwrap_err();
        assert!(message.ends_with(&newer.to_string()), "{state}: {message}");
    }
}

#[test]
fn what_is_not_there_and_what_is_another_agents_is_said_alike_and_names_no_id() {
    let ids = Counter::default();
    let earlier = plan(&ids);
    let other = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "other".into(),
    };
    let newer = Versions {
        newer: Some(InteractionId(Uuid::from_u128(77))),
        ..FIRST
    };
    let end = |earlier| decide::revises(earlier, &other, None, at(&ids, 1));
    let unknown = end(None).unwrap_err();
    assert_eq!(
        unknown,
        Fault::new("revises", "is no plan that this agent has asked about")
    );
    for versions in [FIRST, newer] {
        assert_eq!(end(Some((&earlier, versions))), Err(unknown.clone()));
    }
    // What is no id at all is no plan either.
    let draft = crate::testing::draft(with(Kind::PlanReview, json!({"revises": "x"})));
    assert_eq!(draft.check(|_| None), Err(vec![unknown]));
}

#[test]
fn nothing_but_a_plan_is_revised() {
    let ids = Counter::default();
    for kind in Kind::ALL {
        let earlier = written(&opened(body(kind), None, &ids));
        let message = revised(&earlier, FIRST, 1).unwrap_err();
        assert_eq!(
            message.starts_with("is no plan"),
            kind != Kind::PlanReview,
            "{kind:?}: {message}"
        );
    }
}

#[test]
fn a_plan_of_another_team_is_not_revised() {
    let ids = Counter::default();
    let team = |id| TeamRef {
        id: TeamId(Uuid::from_u128(id)),
        name: "ops".into(),
    };
    let (_, closed) = in_every_state(&ids).into_iter().next().unwrap();
    for (asked, asks, fine) in [
        (None, None, true),
        (Some(3), Some(3), true),
        (Some(3), None, false),
        (None, Some(3), false),
        (Some(3), Some(4), false),
    ] {
        let earlier = Interaction {
            team: asked.map(team),
            ..closed.clone()
        };
        let asks = asks.map(|id| team(id).id);
        let end = decide::revises(Some((&earlier, FIRST)), &agent(), asks, at(&ids, 2));
        assert_eq!(end.is_ok(), fine, "{asked:?} {asks:?}");
    }
}

#[test]
fn versions_end_somewhere() {
    let ids = Counter::default();
    let (_, closed) = in_every_state(&ids).into_iter().next().unwrap();
    let numbered = |number| {
        let versions = Versions {
            number,
            newer: None,
        };
        revised(&closed, versions, 2)
    };
    assert_eq!(numbered(limits::PLAN_VERSIONS - 1), Ok(()));
    assert!(numbered(limits::PLAN_VERSIONS).is_err());
}

#[test]
fn the_plan_that_it_revises_is_part_of_what_was_asked_and_not_of_its_words() {
    let id = InteractionId(Uuid::from_u128(5));
    let asked = request(with(Kind::PlanReview, json!({"revises": id})));
    let ids = Counter::default();
    let opened = decide::open(asked.clone(), agent(), None, None, None, None, at(&ids, 0));
    let changed = written(&opened);
    assert_eq!(changed.request.ask.revises(), Some(id));
    assert_eq!(
        changed.expires_at,
        Some(crate::testing::epoch() + TimeDelta::hours(24))
    );
    let blank = changed.without_words();
    assert_eq!(blank.request.ask.revises(), Some(id));
    let json = serde_json::to_value(&asked).unwrap();
    assert_eq!(json["revises"], json!(id));
    // Another plan of the same words does not count as asked before.
    let plain = request(body(Kind::PlanReview));
    assert_ne!(plain.ask, asked.ask);
}
