//! Cards in Slack: where an interaction is shown, and what its channel is owed.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Interaction, InteractionId,
    decide::interaction as decide,
    delivery::{DeliveryState, DestinationKind, Health, Lane, Next, SlackChannel},
    interaction::Posted,
    slack::OnCard,
    slack_pace::{Limit, Pace, Turn, Urgency},
};
use store::{AttemptEnd, Claimed, CommitError, DeliveryQuery, Mark, Store, StuckChannel, Thread};

use crate::database::{Database, epoch, written};

store::on_both_databases!(
    a_card_comes_back_as_it_was_and_is_found_by_its_message,
    what_a_message_shows_is_found_and_what_it_could_show_too,
    a_card_is_posted_once,
    a_channel_is_owed_every_change_in_order,
    nothing_is_ready_for_a_channel_that_something_is_on_its_way_to,
    a_channel_is_stuck_while_it_is_owed_something_and_pauses,
    a_try_that_was_none_is_not_counted_and_what_may_have_arrived_is_remembered,
    threads_are_those_of_what_is_open_or_was_closed_lately,
    a_card_has_one_question_since_it_was_known_first,
    a_question_does_not_come_back_to_a_card_that_is_being_erased,
    a_channel_that_is_stuck_in_two_lanes_is_one,
    what_is_about_to_go_out_is_written_down_under_a_good_lease,
    a_card_that_is_there_twice_is_known_by_both_messages,
    all_nodes_take_turns_by_one_pace,
    a_lane_is_told_by_one_worker_at_a_time,
);

const MAIN: &str = "C0MAIN";
const MINUTE: TimeDelta = TimeDelta::minutes(1);

fn at(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

fn message(ts: &str) -> Posted {
    Posted {
        ts: ts.to_owned(),
        permalink: Some(format!("https://fake.slack.com/archives/C0MAIN/p{ts}")),
    }
}

impl Database {
    async fn post(
        &self,
        store: &dyn Store,
        id: InteractionId,
        ts: &str,
    ) -> Result<Interaction, CommitError> {
        let interaction = store.interaction(id).await?.unwrap();
        let changeset = decide::posted(&interaction, message(ts), self.at(1)).unwrap();
        let posted = written(&changeset);
        store.commit(changeset).await.map(|_| posted)
    }
}

async fn claim(store: &dyn Store, now: i64) -> Vec<Claimed> {
    let ready = store.ready(at(now)).await.unwrap();
    let wanted: Vec<_> = ready.iter().map(|one| (one.destination, 10)).collect();
    let claimed = store.claim(&wanted, at(now), at(now) + MINUTE).await;
    claimed.unwrap()
}

async fn a_card_comes_back_as_it_was_and_is_found_by_its_message(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, MAIN, 0).await;
    let found = store.interaction(asked.id).await.unwrap();
    assert_eq!(found.as_ref(), Some(&asked));
    assert_eq!(asked.card.as_ref().unwrap().posted, None);
    let posted = database.post(&*store, asked.id, "1.000100").await.unwrap();
    let found = store.interaction(asked.id).await.unwrap();
    assert_eq!(found.as_ref(), Some(&posted));
    assert_eq!(posted.card.unwrap().posted, Some(message("1.000100")));
    for (channel, ts, expected) in [
        (MAIN, "1.000100", Some(asked.id)),
        (MAIN, "1.000200", None),
        ("C0URGENT", "1.000100", None),
    ] {
        let found = store.interaction_of_card(channel, ts).await.unwrap();
        assert_eq!(found, expected, "{channel} {ts}");
    }
    let events = store.events_of(asked.id, 0, 1_000).await.unwrap().collect();
    let replayed = Interaction::replay(&events);
    assert_eq!(replayed, found);
}

async fn what_a_message_shows_is_found_and_what_it_could_show_too(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "web").await;
    let mut asked = Vec::new();
    for (by, channel) in [
        (&agent, MAIN),
        (&agent, MAIN),
        (&agent, "C0URGENT"),
        (&other, MAIN),
    ] {
        asked.push(database.asked_in(&*store, by, channel, 0).await);
    }
    let ids = |all: Vec<Interaction>| all.into_iter().map(|one| one.id).collect::<Vec<_>>();
    let on =
        async |ts: &str, limit| ids(store.interactions_of_card(MAIN, ts, limit).await.unwrap());
    let like = async |since, limit| {
        ids(store
            .like_it_on_cards(&asked[0], at(since), limit)
            .await
            .unwrap())
    };
    assert!(like(0, 10).await.is_empty(), "no card is there yet");
    for one in &asked {
        database.post(&*store, one.id, "1.000100").await.unwrap();
    }
    assert_eq!(
        on("1.000100", 10).await,
        [asked[0].id, asked[1].id, asked[3].id]
    );
    assert_eq!(on("1.000100", 2).await, [asked[0].id, asked[1].id]);
    assert!(on("1.000200", 10).await.is_empty());
    assert_eq!(like(0, 10).await, [asked[1].id, asked[0].id]);
    assert_eq!(like(0, 1).await, [asked[1].id]);
    assert!(like(1, 10).await.is_empty(), "asked before");
    let now = store.interaction(asked[1].id).await.unwrap().unwrap();
    store.commit(database.answer(&now, "80")).await.unwrap();
    assert_eq!(like(0, 10).await, [asked[0].id], "only what waits");
    assert_eq!(on("1.000100", 10).await.len(), 3, "and all that is shown");
    // What is said below it is for the first that waits, as the card shows it.
    let first = async || store.interaction_of_card(MAIN, "1.000100").await.unwrap();
    assert_eq!(first().await, Some(asked[0].id));
    for (closed, expected) in [(0, asked[3].id), (3, asked[0].id)] {
        let now = store.interaction(asked[closed].id).await.unwrap();
        let changeset = database.answer(&now.unwrap(), "80");
        store.commit(changeset).await.unwrap();
        assert_eq!(first().await, Some(expected));
    }
}

async fn a_card_is_posted_once(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, MAIN, 0).await;
    let once = decide::posted(&asked, message("1.1"), database.at(1)).unwrap();
    let twice = decide::posted(&asked, message("2.2"), database.at(1)).unwrap();
    store.commit(once).await.unwrap();
    let late = store.commit(twice).await;
    assert!(matches!(late, Err(CommitError::Conflict)));
    let kept = store.interaction(asked.id).await.unwrap().unwrap();
    assert_eq!(kept.card.unwrap().posted, Some(message("1.1")));
}

async fn a_channel_is_owed_every_change_in_order(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, MAIN, 0).await;
    let posted = database.post(&*store, asked.id, "1.1").await.unwrap();
    let answer = database.answer(&posted, "80");
    store.commit(answer).await.unwrap();
    database.asked_in(&*store, &agent, "C0URGENT", 3).await;
    let all = DeliveryQuery {
        limit: 10,
        ..DeliveryQuery::default()
    };
    let mut owed = store.deliveries(&all).await.unwrap();
    owed.reverse();
    let seen: Vec<_> = owed
        .iter()
        .map(|one| (one.kind, &*one.name, &*one.event_type))
        .collect();
    let slack = DestinationKind::Slack;
    assert_eq!(
        seen,
        [
            (slack, MAIN, "interaction.requested"),
            (slack, MAIN, "interaction.resolved"),
            (slack, "C0URGENT", "interaction.requested"),
        ]
    );
    let main = SlackChannel(MAIN.to_owned());
    let lanes = [Lane::Asks, Lane::Changes].map(|lane| main.lane(lane));
    assert_eq!(owed[0].delivery.destination, lanes[0]);
    assert_eq!(owed[1].delivery.destination, lanes[1]);
    assert!(!lanes.contains(&owed[2].delivery.destination));
}

async fn nothing_is_ready_for_a_channel_that_something_is_on_its_way_to(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.asked_in(&*store, &agent, MAIN, 0).await;
    let ready = store.ready(at(1)).await.unwrap();
    assert_eq!(ready.len(), 1);
    assert_eq!(ready[0].kind, DestinationKind::Slack);
    assert_eq!(claim(&*store, 1).await.len(), 1);
    assert_eq!(store.ready(at(2)).await.unwrap(), []);
    database.asked_in(&*store, &agent, MAIN, 2).await;
    assert_eq!(store.ready(at(3)).await.unwrap(), []);
    // The lease of the first has run out.
    assert_eq!(store.ready(at(61)).await.unwrap().len(), 1);
}

async fn a_channel_is_stuck_while_it_is_owed_something_and_pauses(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.asked_in(&*store, &agent, MAIN, 0).await;
    database.asked_in(&*store, &agent, MAIN, 0).await;
    assert_eq!(store.stuck_channels().await.unwrap(), []);
    let bad_luck = Health::default().after(false, at(1));
    let parked = bad_luck.parked(at(2));
    let end = |error: &str| AttemptEnd {
        error: Some(error.to_owned()),
        ..AttemptEnd::default()
    };
    let marked = async |now, end: AttemptEnd, next, health| {
        let mut claimed = claim(&*store, now).await;
        claimed.sort_by_key(|one| one.delivery.id);
        for one in &claimed {
            let mark = Mark {
                delivery: one.delivery.id,
                destination: one.delivery.destination,
                lease: one.lease,
                at: at(now),
                end: end.clone(),
                next,
                counts: false,
                health: Some(health),
            };
            assert_eq!(store.mark(&[mark]).await.unwrap(), [true]);
        }
        assert_eq!(claimed.len(), 2);
    };
    marked(1, end("once"), Next::Again(at(2)), bad_luck).await;
    assert_eq!(store.stuck_channels().await.unwrap(), []);
    marked(2, end("not_in_channel"), Next::Again(at(3)), parked).await;
    let stuck = StuckChannel {
        destination: SlackChannel(MAIN.to_owned()).lane(Lane::Asks),
        channel: MAIN.to_owned(),
        since: at(1),
        error: "not_in_channel".to_owned(),
    };
    assert_eq!(store.stuck_channels().await.unwrap(), [stuck]);
    let later = at(62);
    // What is given up is not waited for, and says nothing of the channel.
    let dead = marked(62, end("not_in_channel"), Next::Dead, parked.parked(later));
    dead.await;
    assert_eq!(store.stuck_channels().await.unwrap(), []);
    database.asked_in(&*store, &agent, MAIN, 63).await;
    database.asked_in(&*store, &agent, MAIN, 63).await;
    marked(
        122,
        end("not_in_channel"),
        Next::Again(at(123)),
        parked.parked(at(122)),
    )
    .await;
    assert_eq!(store.stuck_channels().await.unwrap().len(), 1);
    let well = Health::default();
    marked(182, AttemptEnd::default(), Next::Delivered, well).await;
    assert_eq!(store.stuck_channels().await.unwrap(), []);
}

async fn a_try_that_was_none_is_not_counted_and_what_may_have_arrived_is_remembered(
    database: Database,
) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.asked_in(&*store, &agent, MAIN, 0).await;
    for (round, (counts, may_have_arrived)) in (0..).zip([(false, false), (true, true)]) {
        let claimed = claim(&*store, round * 10).await.pop().unwrap();
        let mark = Mark {
            delivery: claimed.delivery.id,
            destination: claimed.delivery.destination,
            lease: claimed.lease,
            at: at(round * 10),
            end: AttemptEnd {
                error: Some("not now".to_owned()),
                may_have_arrived,
                ..AttemptEnd::default()
            },
            next: Next::Again(at(round * 10 + 5)),
            counts,
            health: None,
        };
        assert_eq!(store.mark(&[mark]).await.unwrap(), [true]);
        let kept = store.delivery(claimed.delivery.id).await.unwrap().unwrap();
        assert_eq!(kept.state, DeliveryState::Due);
        assert_eq!(kept.tries, u32::from(counts));
        let attempts = store.attempts(claimed.delivery.id).await.unwrap();
        let end = attempts.last().unwrap().end.as_ref().unwrap();
        assert_eq!(end.may_have_arrived, may_have_arrived);
    }
}

async fn threads_are_those_of_what_is_open_or_was_closed_lately(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(database.asked_in(&*store, &agent, MAIN, 0).await.id);
    }
    // The last is not posted.
    for (id, ts) in ids.iter().zip(["1.1", "2.2", "3.3"]) {
        database.post(&*store, *id, ts).await.unwrap();
    }
    let thread = |ts: &str| Thread {
        channel: MAIN.to_owned(),
        ts: ts.to_owned(),
    };
    let all = [thread("1.1"), thread("2.2"), thread("3.3")];
    let seen = async |since| {
        let mut threads = store.threads(at(since)).await.unwrap();
        threads.sort();
        threads
    };
    assert_eq!(seen(0).await, all);
    let second = store.interaction(ids[1]).await.unwrap().unwrap();
    store.commit(database.answer(&second, "80")).await.unwrap();
    let second = store.interaction(ids[1]).await.unwrap().unwrap();
    let closed = (second.state.closed_at().unwrap() - epoch()).num_seconds();
    assert_eq!(seen(closed).await, all);
    assert_eq!(seen(closed + 1).await, [thread("1.1"), thread("3.3")]);
}

async fn a_card_has_one_question_since_it_was_known_first(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let [asked, other] = [
        database.asked_in(&*store, &agent, MAIN, 0).await.id,
        database.asked_in(&*store, &agent, MAIN, 0).await.id,
    ];
    assert_eq!(store.question_on_card(asked).await.unwrap(), None);
    let on_card = |question: &str, since| OnCard {
        question: question.to_owned(),
        since: at(since),
    };
    for (question, since, known) in [
        ("port", 5, 5),
        // It is shown again.
        ("port", 9, 5),
        ("port", 1, 5),
        ("env \"2\"", 20, 20),
        // Who had shown another one before says so later.
        ("port", 15, 20),
        ("env \"2\"", 15, 20),
        // With the answers that are sent along.
        ("why\nsha256:0", 30, 30),
        ("why\nsha256:1", 40, 40),
    ] {
        let shows = on_card(question, since);
        store.put_question_on_card(asked, &shows).await.unwrap();
        let found = store.question_on_card(asked).await.unwrap();
        assert_eq!(found, Some(on_card(question, known)), "{question} {since}");
    }
    assert_eq!(store.question_on_card(other).await.unwrap(), None);
}

async fn a_question_does_not_come_back_to_a_card_that_is_being_erased(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, MAIN, 0).await.id;
    let mut erasing = database.place.hold_writes().await.unwrap();
    let erased = "UPDATE interactions SET erased = '{}'";
    erasing.execute(erased).await.unwrap();
    let mut shown = tokio::spawn({
        let store = store.clone();
        async move {
            let on_card = OnCard {
                question: "port".into(),
                since: at(5),
            };
            store.put_question_on_card(asked, &on_card).await
        }
    });
    // It waits to see what comes of the erasure, or is done by then.
    let early = tokio::time::timeout(Duration::from_millis(500), &mut shown).await;
    erasing.commit().await.unwrap();
    match early {
        Ok(done) => done.unwrap().unwrap(),
        Err(_) => shown.await.unwrap().unwrap(),
    }
    assert_eq!(store.question_on_card(asked).await.unwrap(), None);
}

async fn a_channel_that_is_stuck_in_two_lanes_is_one(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, MAIN, 0).await;
    let posted = database.post(&*store, asked.id, "1.1").await.unwrap();
    store.commit(database.answer(&posted, "80")).await.unwrap();
    let claimed = claim(&*store, 60).await;
    assert_eq!(claimed.len(), 2);
    for one in &claimed {
        let mark = Mark {
            delivery: one.delivery.id,
            destination: one.delivery.destination,
            lease: one.lease,
            at: at(61),
            end: AttemptEnd {
                error: Some("is_archived".to_owned()),
                ..AttemptEnd::default()
            },
            next: Next::Again(at(121)),
            counts: false,
            health: Some(Health::default().parked(at(61))),
        };
        assert_eq!(store.mark(&[mark]).await.unwrap(), [true]);
    }
    let stuck = store.stuck_channels().await.unwrap();
    assert_eq!(stuck.len(), 1);
    assert_eq!(
        (&*stuck[0].channel, &*stuck[0].error),
        (MAIN, "is_archived")
    );
}

async fn what_is_about_to_go_out_is_written_down_under_a_good_lease(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.asked_in(&*store, &agent, MAIN, 0).await;
    database.asked_in(&*store, &agent, MAIN, 0).await;
    let claimed = claim(&*store, 1).await;
    let held: Vec<_> = claimed
        .iter()
        .map(|one| (one.delivery.id, one.lease))
        .collect();
    let called = async |id| {
        let attempts = store.attempts(id).await.unwrap();
        attempts.iter().map(|one| one.called).collect::<Vec<_>>()
    };
    assert_eq!(called(held[0].0).await, [false]);
    assert!(store.call(&held[..1]).await.unwrap());
    assert_eq!(called(held[0].0).await, [true]);
    assert_eq!(called(held[1].0).await, [false]);
    // Another has both now.
    let again = claim(&*store, 100).await;
    assert_eq!(again.len(), 2);
    assert!(!store.call(&held).await.unwrap());
    assert_eq!(called(held[1].0).await, [false, false]);
    // All of them or none.
    let (id, lease) = (again[0].delivery.id, again[0].lease);
    assert!(
        !store
            .call(&[(id, lease), (held[1].0, lease + 7)])
            .await
            .unwrap()
    );
    assert!(!called(id).await.last().unwrap());
    assert!(store.call(&[(id, lease)]).await.unwrap());
}

async fn a_card_that_is_there_twice_is_known_by_both_messages(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, MAIN, 0).await;
    database.post(&*store, asked.id, "2.2").await.unwrap();
    for _ in 0..2 {
        store.put_twin(asked.id, MAIN, "1.1").await.unwrap();
    }
    for (channel, ts, expected) in [
        (MAIN, "1.1", Some(asked.id)),
        (MAIN, "2.2", None),
        ("C0URGENT", "1.1", None),
    ] {
        let found = store.interaction_of_twin(channel, ts).await.unwrap();
        assert_eq!(found, expected, "{channel} {ts}");
    }
}

async fn all_nodes_take_turns_by_one_pace(database: Database) {
    let (one, two) = (database.store().await, database.store().await);
    let limit = Limit {
        calls: 2,
        within: MINUTE,
        gap: TimeDelta::zero(),
    };
    let next = |pace: &Pace, now| match pace.turn(limit, Urgency::First, at(now)) {
        Turn::Now(next) => next,
        other => panic!("{other:?}"),
    };
    let update = "chat.update";
    let (empty, read) = one.pace(update).await.unwrap();
    assert_eq!((&empty, read), (&Pace::default(), 0));
    let first = next(&empty, 1);
    assert!(one.put_pace(update, &first, read).await.unwrap());
    // The other had read what is not so any more.
    assert!(!two.put_pace(update, &next(&empty, 1), read).await.unwrap());
    let (pace, read) = two.pace(update).await.unwrap();
    assert_eq!(pace, first);
    let second = next(&pace, 2);
    assert!(two.put_pace(update, &second, read).await.unwrap());
    assert!(
        !one.put_pace(update, &first.refused(at(9)), read)
            .await
            .unwrap()
    );
    let (pace, read) = one.pace(update).await.unwrap();
    assert_eq!(
        pace.turn(limit, Urgency::First, at(3)),
        Turn::Later(at(1) + MINUTE)
    );
    let rests = pace.refused(at(30));
    assert!(one.put_pace(update, &rests, read).await.unwrap());
    assert_eq!(two.pace(update).await.unwrap().0, rests);
    assert_eq!(two.pace("chat.postMessage").await.unwrap().1, 0);
    let damage = "UPDATE slack_pace SET pace = 'x'";
    database.place.execute(damage).await.unwrap();
    let (pace, read) = one.pace(update).await.unwrap();
    assert_eq!(pace, Pace::default());
    assert!(one.put_pace(update, &next(&pace, 4), read).await.unwrap());
}

async fn a_lane_is_told_by_one_worker_at_a_time(database: Database) {
    let stores = [database.store().await, database.store().await];
    let agent = database.agent(&*stores[0], "backend").await;
    for _ in 0..20 {
        database.asked_in(&*stores[0], &agent, MAIN, 0).await;
    }
    let lane = SlackChannel(MAIN.to_owned()).lane(Lane::Asks);
    let claims = stores.iter().cycle().take(10).cloned().map(|store| {
        tokio::spawn(async move {
            let claimed = store.claim(&[(lane, 2)], at(1), at(1) + MINUTE).await;
            claimed.unwrap().len()
        })
    });
    let claims: Vec<_> = claims.collect();
    let mut claimed = Vec::new();
    for claim in claims {
        claimed.push(claim.await.unwrap());
    }
    claimed.sort_unstable();
    assert_eq!(claimed, [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    // Until its lease is over.
    assert_eq!(claim(&*stores[1], 60).await.len(), 0);
    assert_eq!(claim(&*stores[1], 61).await.len(), 10);
}
