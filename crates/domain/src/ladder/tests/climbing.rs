//! Which rung comes when, and whom it tells.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{person, who};
use crate::{
    Interaction, InteractionEvent, Payload, Refused, Role, State, Write,
    changeset::Changeset,
    decide::interaction as decide,
    delivery::{
        Lane,
        ReachKind::{Mail, Push},
        SlackChannel,
    },
    event::SeenOn,
    interaction::{Card, Claim, Kind},
    ladder::{After, Circle, Class, Ladder, LadderWrite, People, Place, Reachable},
    obligation::obligations,
    principal::{Responder, Via},
    testing::{Counter, at, epoch, opened, person as principal, with, written},
};

fn seconds(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

fn asked(fields: serde_json::Value) -> Interaction {
    written(&opened(
        with(Kind::Question, fields),
        None,
        &Counter::default(),
    ))
}

/// Person 1 is on duty, 1 to 3 are the team, 4 is an admin without any way to be reached.
fn team() -> (People, BTreeMap<crate::PersonId, Reachable>) {
    let people = People {
        addressees: BTreeSet::new(),
        on_duty: Some(who(1)),
        is_in_slack: false,
        team: BTreeSet::from([who(1), who(2), who(3)]),
        admins: BTreeSet::from([who(4)]),
    };
    let known = [
        person(1, &[Push, Mail]),
        person(2, &[Push]),
        person(3, &[]),
        person(4, &[]),
    ];
    let known = known.into_iter().map(|one| (one.person.id, one));
    (people, known.collect())
}

fn climbed(interaction: &Interaction, rung: u32, now: i64) -> Result<Changeset, Refused> {
    let (people, known) = team();
    let place = Place {
        rung,
        at: seconds(now),
    };
    let ids = Counter::default();
    decide::climb(
        interaction,
        place,
        &Ladder::default(),
        &people,
        &known,
        at(&ids, now),
    )
}

fn step(changeset: &Changeset) -> (u32, Option<DateTime<Utc>>, usize) {
    match changeset.writes.first() {
        Some(Write::Ladder(LadderWrite::Climb {
            rung,
            next_at,
            told,
            ..
        })) => (*rung, *next_at, told.len()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_day_has_its_rungs_at_once_after_five_minutes_and_after_half_of_what_is_left() {
    let day = 24 * 60 * 60;
    let question = asked(json!({"timeout_seconds": day}));
    let first = climbed(&question, 0, 0).unwrap();
    assert_eq!(
        step(&first),
        (0, Some(seconds(300)), 1),
        "whoever is on duty"
    );
    let second = climbed(&question, 1, 300).unwrap();
    let half = 300 + (day - 300) / 2;
    assert_eq!(
        step(&second),
        (1, Some(seconds(half)), 2),
        "all who can be told"
    );
    let third = climbed(&question, 2, half).unwrap();
    let half = half + (day - half) / 2;
    assert_eq!(step(&third), (2, Some(seconds(half)), 2), "again");
    let last = climbed(&question, 3, half).unwrap();
    assert_eq!(step(&last), (3, None, 2), "the last of a sync question");
    assert_eq!(climbed(&question, 4, half), Err(Refused::Unchanged));
}

#[test]
fn a_short_deadline_shortens_the_waits_and_ends_the_ladder_before_it() {
    let question = asked(json!({"timeout_seconds": 300}));
    let mut now = 0;
    let mut told = Vec::new();
    for rung in 0.. {
        told.push(now);
        let (_, next, _) = step(&climbed(&question, rung, now).unwrap());
        match next {
            Some(next) => now = (next - epoch()).num_seconds(),
            None => break,
        }
    }
    assert_eq!(
        told,
        [0, 150, 225, 262],
        "the next would come 30 s before the deadline"
    );
    let question = asked(json!({"timeout_seconds": 50}));
    assert_eq!(step(&climbed(&question, 0, 0).unwrap()).1, None);
}

#[test]
fn without_a_deadline_half_is_a_day() {
    let question = asked(json!({"timeout_seconds": null}));
    let second = climbed(&question, 1, 300).unwrap();
    assert_eq!(step(&second).1, Some(seconds(300 + 24 * 60 * 60)));
    assert_eq!(After::Half.from(epoch(), None), Some(seconds(24 * 60 * 60)));
}

#[test]
fn a_rung_that_came_late_moves_those_after_it() {
    let question = asked(json!({"timeout_seconds": 7200}));
    let (people, known) = team();
    let place = Place {
        rung: 0,
        at: seconds(0),
    };
    let ids = Counter::default();
    // The server was down for half an hour.
    let late = decide::climb(
        &question,
        place,
        &Ladder::default(),
        &people,
        &known,
        at(&ids, 1800),
    );
    assert_eq!(step(&late.unwrap()).1, Some(seconds(1800 + 300)));
}

#[test]
fn nothing_climbs_before_its_time_after_the_answer_or_while_somebody_is_on_it() {
    let question = asked(json!({"timeout_seconds": 3600}));
    let (people, known) = team();
    let climb = |interaction: &Interaction, due: i64, now: i64| {
        let place = Place {
            rung: 1,
            at: seconds(due),
        };
        let ids = Counter::default();
        let ladder = Ladder::default();
        decide::climb(interaction, place, &ladder, &people, &known, at(&ids, now))
    };
    assert_eq!(climb(&question, 300, 299), Err(Refused::NotDue));
    assert!(climb(&question, 300, 300).is_ok());
    let closed = Interaction {
        state: State::Cancelled {
            at: seconds(10),
            by: crate::Actor::Deadline,
            reason: None,
            code: None,
        },
        ..question.clone()
    };
    assert!(matches!(
        climb(&closed, 300, 300),
        Err(Refused::Closed { .. })
    ));
    assert!(matches!(
        climb(&question, 300, 3600),
        Err(Refused::Closed { .. })
    ));
    let claimed = Interaction {
        claim: Some(Claim {
            by: Responder {
                id: who(2).0,
                name: "Ben".into(),
                via: Via::Dashboard,
            },
            until: seconds(900),
        }),
        ..question
    };
    assert_eq!(climb(&claimed, 300, 899), Err(Refused::NotDue));
    assert!(climb(&claimed, 300, 900).is_ok(), "it has run out");
}

#[test]
fn whom_it_is_for_comes_before_whoever_is_on_duty() {
    let (mut people, _) = team();
    let of = |people: &People, circle| people.of(circle).into_iter().collect::<Vec<_>>();
    assert_eq!(of(&people, Circle::Duty), [who(1)]);
    assert_eq!(of(&people, Circle::Team), [who(1), who(2), who(3)]);
    assert_eq!(of(&people, Circle::Admins), [who(4)]);
    assert_eq!(of(&people, Circle::Person(who(2))), [who(2)]);
    let gone = of(&people, Circle::Person(who(9)));
    assert_eq!(
        gone,
        [who(1), who(2), who(3)],
        "who may not answer it any more"
    );
    people.addressees.insert(who(4));
    assert_eq!(of(&people, Circle::Duty), [who(4)]);
    assert_eq!(of(&people, Circle::Team).len(), 4);
    people = People {
        on_duty: None,
        addressees: BTreeSet::new(),
        ..people
    };
    assert_eq!(
        of(&people, Circle::Duty).len(),
        3,
        "nobody on duty: the team"
    );
    people.team.clear();
    assert_eq!(
        of(&people, Circle::Duty),
        [who(4)],
        "an empty team: the admins"
    );
    assert_eq!(of(&people, Circle::Team), [who(4)]);
}

#[test]
fn a_rung_tells_of_everybody_it_is_for_and_sends_to_those_who_can_be_told() {
    let question = asked(json!({}));
    let second = climbed(&question, 1, 300).unwrap();
    let Payload::Interaction(InteractionEvent::Climbed {
        rung, told, others, ..
    }) = &second.events[0].payload
    else {
        panic!("{:?}", second.events);
    };
    assert_eq!((*rung, told.len(), *others), (1, 3, 0));
    assert_eq!(told[0].by, [Push, Mail]);
    assert_eq!(told[2].person.id, who(3));
    assert!(told[2].by.is_empty() && told[2].held.is_none(), "no way");
    let sent = second.writes.iter().find_map(|write| match write {
        Write::Tell { reaches, .. } => Some(reaches.len()),
        _ => None,
    });
    assert_eq!(sent, Some(3), "two ways of one, one of the other");
    assert_eq!(second.events.len(), 1);
}

#[test]
fn of_very_many_an_event_names_the_first_and_counts_the_rest() {
    let question = asked(json!({}));
    let people = People {
        team: (1..=1_000).map(who).collect(),
        ..People::default()
    };
    let known = (1..=1_000).map(|n| (who(n), person(n, &[Push])));
    let place = Place {
        rung: 1,
        at: seconds(0),
    };
    let ids = Counter::default();
    let told = decide::climb(
        &question,
        place,
        &Ladder::default(),
        &people,
        &known.collect(),
        at(&ids, 0),
    );
    let told = told.unwrap();
    assert_eq!(step(&told).2, 1_000, "all are told");
    let size = told.events[0].payload.stored().unwrap().len();
    assert!(size < 20_000, "{size}");
}

#[test]
fn the_first_rung_has_the_person_on_duty_mentioned_and_nobody_else_ever() {
    let question = |fields| {
        let mut asked = asked(fields);
        asked.card = Some(Card {
            channel: "C1".to_owned(),
            posted: None,
        });
        asked
    };
    let (mut people, mut known) = team();
    let mentioned = |asked: &Interaction, rung, people: &People, known: &BTreeMap<_, _>| {
        let place = Place {
            rung,
            at: seconds(0),
        };
        let (ids, ladder) = (Counter::default(), Ladder::default());
        let told = decide::climb(asked, place, &ladder, people, known, at(&ids, 0)).unwrap();
        let Payload::Interaction(InteractionEvent::Climbed { told, .. }) = &told.events[0].payload
        else {
            panic!("{:?}", told.events);
        };
        let mentioned = told.iter().filter(|one| one.mentioned_in.is_some());
        mentioned.map(|one| one.person.id).collect::<Vec<_>>()
    };
    let plain = question(json!({}));
    assert!(
        mentioned(&plain, 0, &people, &known).is_empty(),
        "nobody knows them in Slack"
    );
    people.is_in_slack = true;
    assert_eq!(mentioned(&plain, 0, &people, &known), [who(1)]);
    assert!(mentioned(&plain, 1, &people, &known).is_empty(), "once");
    // Without any other way, too.
    known.insert(who(1), person(1, &[]));
    assert_eq!(mentioned(&plain, 0, &people, &known), [who(1)]);
    let no_card = asked(json!({}));
    assert!(mentioned(&no_card, 0, &people, &known).is_empty());
    let mut of_webhook = plain.clone();
    of_webhook.card = Some(Card {
        channel: SlackChannel::OF_WEBHOOK.to_owned(),
        posted: None,
    });
    assert!(mentioned(&of_webhook, 0, &people, &known).is_empty());
    let others = People {
        addressees: BTreeSet::from([who(2)]),
        ..people.clone()
    };
    assert!(
        mentioned(&plain, 0, &others, &known).is_empty(),
        "it is for another"
    );
    let nobody = People {
        on_duty: None,
        ..people.clone()
    };
    assert!(mentioned(&plain, 0, &nobody, &known).is_empty());
    // Quiet all day today: what can wait does, and what ends in it does not.
    let day = super::quiet("UTC", "", "", &["fri", "thu", "wed", "tue", "mon", "sun"]);
    let mut quiet = known.clone();
    quiet.get_mut(&who(1)).unwrap().quiet = Some(day);
    if quiet[&who(1)].quiet_until(Class::Sync, epoch()).is_some() {
        assert!(
            mentioned(
                &question(json!({"timeout_seconds": null})),
                0,
                &people,
                &quiet
            )
            .is_empty()
        );
        let soon = question(json!({"timeout_seconds": 60}));
        assert_eq!(mentioned(&soon, 0, &people, &quiet), [who(1)]);
    } else {
        panic!("the epoch is a Saturday: {}", epoch());
    }
    // It goes to the channel's lane of cards.
    let (ids, ladder) = (Counter::default(), Ladder::default());
    let place = Place {
        rung: 0,
        at: seconds(0),
    };
    let told = decide::climb(&plain, place, &ladder, &people, &known, at(&ids, 0)).unwrap();
    let owed = obligations(&crate::testing::journalled(told.clone()), &told.writes);
    let lane = SlackChannel("C1".to_owned()).lane(Lane::Changes);
    assert_eq!(
        owed.iter()
            .filter(|one| one.destination.id() == lane)
            .count(),
        1
    );
}

#[test]
fn a_rung_leaves_the_interaction_and_its_replay_as_they_are() {
    let question = asked(json!({}));
    let opened = opened(with(Kind::Question, json!({})), None, &Counter::default());
    let mut events = crate::testing::journalled(opened);
    let before = Interaction::replay(&events).unwrap();
    events.extend(crate::testing::journalled(
        climbed(&question, 0, 0).unwrap(),
    ));
    let ids = Counter::default();
    let by = principal(Role::Responder);
    let seen = decide::seen(&question, who(8), SeenOn::Page, &by, at(&ids, 5)).unwrap();
    events.extend(crate::testing::journalled(seen));
    assert_eq!(Interaction::replay(&events).unwrap(), before);
    assert_eq!(Class::of(&question.request), Class::Sync);
}

#[test]
fn whoever_cannot_answer_it_has_not_seen_it_and_nobody_has_once_it_is_closed() {
    let question = asked(json!({"timeout_seconds": 60}));
    let ids = Counter::default();
    let seen = |role, now| {
        let by = principal(role);
        decide::seen(&question, who(8), SeenOn::Page, &by, at(&ids, now))
            .map(|seen| seen.events.len())
    };
    assert_eq!(seen(Role::Responder, 1), Ok(1));
    assert_eq!(seen(Role::Admin, 1), Ok(1));
    assert_eq!(seen(Role::Viewer, 1), Err(Refused::NotAResponder));
    assert!(matches!(
        seen(Role::Responder, 60),
        Err(Refused::Closed { .. })
    ));
}

#[test]
fn where_whoever_is_on_duty_cannot_be_told_the_team_is() {
    let (people, mut known) = team();
    known.insert(who(1), person(1, &[]));
    let question = asked(json!({}));
    let place = Place {
        rung: 0,
        at: seconds(0),
    };
    let (ids, ladder) = (Counter::default(), Ladder::default());
    let told = decide::climb(&question, place, &ladder, &people, &known, at(&ids, 0));
    let told = told.unwrap();
    assert_eq!(step(&told).2, 1, "person 2");
    let Payload::Interaction(InteractionEvent::Climbed { told, .. }) = &told.events[0].payload
    else {
        panic!("{:?}", told.events);
    };
    assert_eq!(
        told.len(),
        3,
        "and of the others it is said that they cannot be"
    );
}
