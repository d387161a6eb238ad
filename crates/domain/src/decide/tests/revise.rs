//! Which plans may take the place of which.

use chrono::TimeDelta;
use proptest::prelude::*;
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

/// What may happen to plans; each is named by its place among all that were asked.
#[derive(Clone, Debug)]
enum Step {
    /// An agent asks a team, in place of an earlier one if it says so.
    Asks {
        revises: Option<usize>,
        another: bool,
        team: bool,
    },
    SendsBack(usize),
    TakesBack(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let seldom = || prop::bool::weighted(0.15);
    prop_oneof![
        4 => (prop::option::weighted(0.8, 0usize..6), seldom(), seldom())
            .prop_map(|(revises, another, team)| Step::Asks { revises, another, team }),
        2 => (0usize..6).prop_map(Step::SendsBack),
        1 => (0usize..6).prop_map(Step::TakesBack),
    ]
}

proptest! {
    /// Whatever is asked in which order: versions are one line, of one agent and one team, none begins while the one before it
    /// waits, and what is refused would have been none.
    #[test]
    fn versions_are_one_line_of_one_agent_whatever_is_asked(steps in prop::collection::vec(step(), 1..24)) {
        let ids = Counter::default();
        let ana = person(Role::Responder);
        let mut plans: Vec<(Interaction, Versions)> = Vec::new();
        for step in steps {
            match step {
                Step::Asks { revises, another, team } => {
                    let asker = match another {
                        true => AgentRef { id: AgentId(Uuid::from_u128(99)), name: "other".into() },
                        false => agent(),
                    };
                    let team = team.then(|| TeamRef { id: TeamId(Uuid::from_u128(5)), name: "ops".into() });
                    let earlier = revises.and_then(|place| plans.get(place)).cloned();
                    let named = earlier.as_ref().map(|(earlier, versions)| (earlier, *versions));
                    let asked = team.as_ref().map(|team| team.id);
                    // By the test's own account.
                    let may = earlier.as_ref().is_some_and(|(earlier, versions)| {
                        earlier.agent.id == asker.id
                            && earlier.team_id() == asked
                            && !earlier.state.is_pending()
                            && versions.newer.is_none()
                            && versions.number < limits::PLAN_VERSIONS
                    });
                    if revises.is_some() {
                        let found = decide::revises(named, &asker, asked, at(&ids, 1));
                        prop_assert_eq!(found.is_ok(), may, "{:?}", found);
                        if !may {
                            continue;
                        }
                    }
                    let id = earlier.as_ref().filter(|_| may).map(|(earlier, _)| earlier.id);
                    let body = with(Kind::PlanReview, json!({"revises": id, "timeout_seconds": 60}));
                    let opened = decide::open(request(body), asker, team, None, None, None, at(&ids, 1));
                    let opened = written(&opened);
                    let mut number = 1;
                    if let Some((_, versions)) = plans.iter_mut().find(|(plan, _)| Some(plan.id) == id) {
                        prop_assert_eq!(versions.newer, None);
                        versions.newer = Some(opened.id);
                        number = versions.number + 1;
                    }
                    prop_assert_eq!(opened.request.ask.revises(), id);
                    plans.push((opened, Versions { number, newer: None }));
                }
                Step::SendsBack(place) => {
                    let Some((plan, _)) = plans.get_mut(place).filter(|(plan, _)| plan.team.is_none()) else {
                        continue;
                    };
                    let draft = given(json!({"decision": "adjust", "feedback": "Test first"}));
                    if let Ok(answered) = decide::answer(plan, draft, &ana, None, at(&ids, 1)) {
                        *plan = written(&answered);
                    }
                }
                Step::TakesBack(place) => {
                    let Some((plan, _)) = plans.get_mut(place) else { continue };
                    let by = crate::Principal::Agent(plan.agent.clone());
                    if let Ok(cancelled) = decide::cancel(plan, &by, None, None, at(&ids, 1)) {
                        *plan = written(&cancelled);
                    }
                }
            }
        }
        let named: Vec<_> = plans.iter().filter_map(|(plan, _)| plan.request.ask.revises()).collect();
        let once: std::collections::BTreeSet<_> = named.iter().collect();
        prop_assert_eq!(once.len(), named.len(), "two take the place of one");
    }
}
