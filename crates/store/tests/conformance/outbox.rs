//! What goes out: owed with the event, claimed by one, marked by who holds the lease.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentRef, Audience, Changeset, Delivery, DeliveryEvent, DeliveryId, DestinationId, Endpoint,
    Event, Ids, Retry, TeamId, TokenKind, Write,
    decide::{
        access,
        delivery::{self as decide, NewEndpoint},
        interaction,
    },
    delivery::{
        DeliveryState, DestinationKind, DisabledWhy, Filter, Format, Health, Next, SealedSecret,
        Topic,
    },
    interaction::{Draft, Mode},
    obligation::News,
};
use futures::future::join_all;
use store::{AttemptEnd, Claimed, CommitError, DeliveryQuery, Mark, Owing, Store};

use crate::database::{Database, epoch, operator, written};

store::on_both_databases!(
    an_endpoint_comes_back_as_it_was,
    an_event_and_what_it_obliges_to_are_kept_together_or_not_at_all,
    an_endpoint_follows_the_journal_from_when_it_was_made,
    workers_that_make_deliveries_for_the_same_endpoints_do_not_wait_for_each_other,
    a_delivery_is_claimed_by_one_worker_only,
    a_lease_that_ran_out_is_due_again_and_whoever_held_it_cannot_mark,
    a_lease_that_is_renewed_lasts_longer_and_one_that_was_lost_is_not_renewed,
    one_destinations_backlog_does_not_fill_the_claim,
    a_destination_that_pauses_is_not_ready,
    what_is_due_for_an_endpoint_that_is_disabled_is_given_up,
    what_was_given_up_can_be_due_again,
    every_try_is_kept,
    what_ended_long_ago_is_forgotten_with_its_tries,
    deliveries_are_listed_newest_first_page_by_page,
    an_agent_is_owed_a_call_where_it_wants_it,
    a_place_is_forgotten_once_nothing_is_owed_there,
    what_is_owed_while_its_place_is_forgotten_is_not_lost,
    the_good_tokens_of_an_agent_are_listed_newest_first,
);

const MINUTE: TimeDelta = TimeDelta::minutes(1);

fn at(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

impl Database {
    async fn endpoint(&self, store: &dyn Store, name: &str, filter: Filter) -> Endpoint {
        let wished = NewEndpoint {
            id: DestinationId(self.ids.next()),
            name: name.into(),
            url: format!("https://{name}.example/hook"),
            filter,
            format: Format::Flat,
            secret: SealedSecret(vec![0, 1, 255]),
        };
        let (endpoint, created) = decide::create(wished, &operator(), self.at(0)).unwrap();
        store.commit(created).await.unwrap();
        endpoint
    }

    async fn asks(&self, store: &dyn Store, agent: &AgentRef, times: usize) {
        for _ in 0..times {
            self.asked(store, agent, Draft::default()).await;
        }
    }
}

fn changed(changeset: &Changeset) -> Endpoint {
    match &changeset.writes[..] {
        [Write::Endpoint(endpoint)] => endpoint.clone(),
        other => panic!("{other:?}"),
    }
}

async fn list(store: &dyn Store, state: Option<DeliveryState>) -> Vec<Delivery> {
    let query = DeliveryQuery {
        state,
        limit: 1_000,
        ..DeliveryQuery::default()
    };
    let found = store.deliveries(&query).await.unwrap();
    found.into_iter().map(|one| one.delivery).collect()
}

/// What endpoints are owed of everything that has happened.
async fn owing(store: &dyn Store, now: i64) -> Vec<Owing> {
    let mut owing = Vec::new();
    for one in store.followers(at(now)).await.unwrap() {
        let page = store.news(one.made_up_to, 1_000).await.unwrap();
        assert!(!page.more);
        let end = one.stopped.map_or(page.up_to, |stopped| stopped.after);
        let news: Vec<_> = page.news.into_iter().filter(|one| one.seq <= end).collect();
        owing.push(Owing {
            destination: one.listener.id,
            from: one.made_up_to,
            up_to: end,
            owed: one.listener.owed(&news, usize::MAX),
            given_up: one.stopped.map(|stopped| stopped.at),
        });
    }
    owing
}

async fn owe(store: &dyn Store, now: i64) {
    store.owe(&owing(store, now).await).await.unwrap();
}

async fn claim(store: &dyn Store, now: i64, most: u32) -> Vec<Claimed> {
    owe(store, now).await;
    let ready = store.ready(at(now)).await.unwrap();
    let wanted: Vec<_> = ready.iter().map(|one| (one.destination, most)).collect();
    store
        .claim(&wanted, at(now), at(now) + MINUTE)
        .await
        .unwrap()
}

fn mark(claimed: &Claimed, now: i64, next: Next) -> Mark {
    Mark {
        delivery: claimed.delivery.id,
        destination: claimed.delivery.destination,
        lease: claimed.lease,
        at: at(now),
        end: AttemptEnd {
            latency: 12,
            status: Some(500),
            error: (next != Next::Delivered).then(|| "answered 500".into()),
            body: "oh \u{fffd} no".into(),
            may_have_arrived: next != Next::Delivered,
        },
        next,
        counts: true,
        health: None,
    }
}

async fn an_endpoint_comes_back_as_it_was(database: Database) {
    let store = database.store().await;
    let filter = Filter {
        topics: vec![Topic::Requested, Topic::TaskFailed],
        sync_only: true,
        teams: vec![TeamId(uuid::Uuid::from_u128(5))],
    };
    let first = database.endpoint(&*store, "one", filter).await;
    let second = database.endpoint(&*store, "two", Filter::default()).await;
    let endpoints = store.endpoints().await.unwrap();
    let endpoints: Vec<_> = endpoints.into_iter().map(|one| one.endpoint).collect();
    assert_eq!(endpoints, [first.clone(), second.clone()]);

    let rotate = decide::rotate(&first, SealedSecret(vec![2]), &operator(), database.at(5));
    let rotate = rotate.unwrap();
    let rotated = changed(&rotate);
    store.commit(rotate.clone()).await.unwrap();
    // Decided on what is no longer there.
    let again = store.commit(rotate).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    let gone = decide::give_up(&rotated, DisabledWhy::Gone, database.at(6)).unwrap();
    let disabled = changed(&gone);
    store.commit(gone).await.unwrap();
    let found = store.endpoint(first.id).await.unwrap().unwrap();
    assert_eq!(found.endpoint, disabled);

    let delete = decide::delete(&disabled, &operator(), database.at(7)).unwrap();
    let deleted = changed(&delete);
    store.commit(delete).await.unwrap();
    let found = store.endpoint(first.id).await.unwrap().unwrap();
    assert_eq!(found.endpoint, deleted);
    assert_eq!(store.endpoints().await.unwrap().len(), 1);
}

async fn an_event_and_what_it_obliges_to_are_kept_together_or_not_at_all(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let wants = Draft {
        callback_url: Some("https://agent.example/1".into()),
        ..Draft::default()
    };
    let asked = database.asked(&*store, &agent, wants).await;
    // Of many who answer at once one is kept, and only that one is told of.
    let answers = (0..16).map(|n| {
        let (store, answer) = (store.clone(), database.answer(&asked, &n.to_string()));
        tokio::spawn(async move { store.commit(answer).await.is_ok() })
    });
    let kept = join_all(answers).await;
    let kept = kept.into_iter().filter(|kept| *kept.as_ref().unwrap());
    assert_eq!(kept.count(), 1);
    let events = store.events_of(asked.id, 0, 1_000).await.unwrap().collect();
    let owed = list(&*store, None).await;
    let expected = Delivery {
        id: DeliveryId::of(events[1].id, owed[0].destination),
        destination: owed[0].destination,
        event_seq: events[1].seq,
        state: DeliveryState::Due,
        tries: 0,
        next_at: events[1].at,
        created_at: events[1].at,
        ended_at: None,
        last_error: None,
    };
    assert_eq!(owed, [expected]);
}

async fn an_endpoint_follows_the_journal_from_when_it_was_made(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.asks(&*store, &agent, 1).await;
    let endpoint = database.endpoint(&*store, "one", Filter::default()).await;
    let deaf = Filter {
        topics: vec![Topic::Expired],
        sync_only: false,
        teams: Vec::new(),
    };
    let deaf = database.endpoint(&*store, "two", deaf).await;
    let sync_only = Filter {
        sync_only: true,
        ..Filter::default()
    };
    let impatient = database.endpoint(&*store, "three", sync_only).await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let goes_on = Draft {
        mode: Some(Mode::Async),
        ..Draft::default()
    };
    let goes_on = database.asked(&*store, &agent, goes_on).await;
    // Asking made nothing but the event.
    assert_eq!(list(&*store, None).await, []);

    let first = store
        .events_of(asked.id, 0, 1_000)
        .await
        .unwrap()
        .collect()
        .remove(0);
    let second = store
        .events_of(goes_on.id, 0, 1_000)
        .await
        .unwrap()
        .collect()
        .remove(0);
    let end = second.seq;
    let page = store.news(first.seq - 1, 1).await.unwrap();
    let news = |event: &Event, stops| News {
        seq: event.seq,
        event: event.id,
        at: event.at,
        topic: Topic::Requested,
        stops,
        team: None,
    };
    assert_eq!(page.news, [news(&first, true)]);
    assert_eq!((page.up_to, page.more), (first.seq, true));
    let page = store.news(first.seq, 2).await.unwrap();
    assert_eq!(page.news, [news(&second, false)]);
    assert_eq!((page.up_to, page.more), (end, false));
    let page = store.news(end, 2).await.unwrap();
    assert_eq!((page.news.len(), page.up_to, page.more), (0, end, false));

    let made = owing(&*store, 1).await;
    let of = |endpoint: &Endpoint| made.iter().find(|one| one.destination == endpoint.id);
    assert_eq!(of(&endpoint).unwrap().owed.len(), 2);
    assert_eq!(of(&deaf).unwrap().owed, []);
    assert_eq!(of(&impatient).unwrap().owed.len(), 1);
    store.owe(&made).await.unwrap();
    // Another worker has read the same.
    store.owe(&made).await.unwrap();
    let due = list(&*store, Some(DeliveryState::Due)).await;
    let told: BTreeSet<_> = due
        .iter()
        .map(|one| (one.destination, one.event_seq))
        .collect();
    let expected = [
        (endpoint.id, first.seq),
        (endpoint.id, end),
        (impatient.id, first.seq),
    ];
    assert_eq!(told, BTreeSet::from(expected));
    assert_eq!(due.len(), 3);
    let followers = store.followers(at(1)).await.unwrap();
    assert!(followers.iter().all(|one| one.made_up_to == end));
}

async fn workers_that_make_deliveries_for_the_same_endpoints_do_not_wait_for_each_other(
    database: Database,
) {
    let (store, elsewhere) = (database.store().await, database.store().await);
    let agent = database.agent(&*store, "backend").await;
    for name in 0..20 {
        let name = format!("e-{name}");
        database.endpoint(&*store, &name, Filter::default()).await;
    }
    for round in 1..=5 {
        database.asks(&*store, &agent, 1).await;
        let made = owing(&*store, 1).await;
        let backwards: Vec<_> = made.iter().rev().cloned().collect();
        let (one, other) = futures::join!(store.owe(&made), elsewhere.owe(&backwards));
        one.unwrap();
        other.unwrap();
        let due = list(&*store, Some(DeliveryState::Due)).await;
        assert_eq!(due.len(), 20 * round);
    }
}

async fn a_delivery_is_claimed_by_one_worker_only(database: Database) {
    let (store, other) = (database.store().await, database.store().await);
    let agent = database.agent(&*store, "backend").await;
    for name in ["one", "two", "three"] {
        database.endpoint(&*store, name, Filter::default()).await;
    }
    database.asks(&*store, &agent, 40).await;
    let workers = (0..8).map(|n| {
        let store = if n % 2 == 0 {
            store.clone()
        } else {
            other.clone()
        };
        tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claimed = claim(&*store, 1, 3).await;
                if claimed.is_empty() && store.ready(at(1)).await.unwrap().is_empty() {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|one| one.delivery.id));
            }
        })
    });
    let claimed: Vec<_> = join_all(workers)
        .await
        .into_iter()
        .flat_map(|mine| mine.unwrap())
        .collect();
    assert_eq!(claimed.len(), 120);
    assert_eq!(claimed.iter().collect::<BTreeSet<_>>().len(), 120);
}

async fn a_lease_that_ran_out_is_due_again_and_whoever_held_it_cannot_mark(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.endpoint(&*store, "one", Filter::default()).await;
    database.asks(&*store, &agent, 1).await;
    let first = claim(&*store, 1, 4).await.remove(0);
    assert_eq!(first.delivery.state, DeliveryState::Sending);
    assert_eq!((first.delivery.tries, first.lease), (1, 1));
    assert_eq!(first.kind, DestinationKind::Webhook);
    assert_eq!(claim(&*store, 60, 4).await, []);
    // The worker is gone, as far as anybody knows: killed, or asleep.
    let second = claim(&*store, 61, 4).await.remove(0);
    assert_eq!((second.delivery.tries, second.lease), (2, 2));
    assert_eq!(second.delivery.id, first.delivery.id);

    let late = [mark(&first, 62, Next::Delivered)];
    assert_eq!(store.mark(&late).await.unwrap(), [false]);
    let now = store.delivery(first.delivery.id).await.unwrap().unwrap();
    assert_eq!(now.state, DeliveryState::Sending);
    let marks = [mark(&second, 63, Next::Delivered)];
    assert_eq!(store.mark(&marks).await.unwrap(), [true]);
    assert_eq!(store.mark(&marks).await.unwrap(), [false]);
    let now = store.delivery(first.delivery.id).await.unwrap().unwrap();
    assert_eq!(
        (now.state, now.ended_at),
        (DeliveryState::Delivered, Some(at(63)))
    );
    assert_eq!(store.ready(at(9_999)).await.unwrap(), []);
}

async fn a_lease_that_is_renewed_lasts_longer_and_one_that_was_lost_is_not_renewed(
    database: Database,
) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.endpoint(&*store, "one", Filter::default()).await;
    database.asks(&*store, &agent, 2).await;
    let claimed = claim(&*store, 1, 4).await;
    let held: Vec<_> = claimed
        .iter()
        .map(|one| (one.delivery.id, one.lease))
        .collect();
    assert!(store.renew(&held, at(90)).await.unwrap());
    assert_eq!(claim(&*store, 89, 4).await, []);
    assert_eq!(claim(&*store, 91, 1).await.len(), 1);
    // One of the two has another holder now.
    assert!(!store.renew(&held, at(200)).await.unwrap());
    let marks = [mark(&claimed[1], 92, Next::Delivered)];
    assert_eq!(store.mark(&marks).await.unwrap(), [true]);
    assert!(!store.renew(&held[1..], at(300)).await.unwrap());
}

async fn one_destinations_backlog_does_not_fill_the_claim(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let slow = database.endpoint(&*store, "slow", Filter::default()).await;
    database.asks(&*store, &agent, 50).await;
    let quick = database.endpoint(&*store, "quick", Filter::default()).await;
    database.asks(&*store, &agent, 1).await;
    let claimed = claim(&*store, 1, 4).await;
    let of = |endpoint: &Endpoint| {
        let theirs = |one: &&Claimed| one.delivery.destination == endpoint.id;
        claimed.iter().filter(theirs).count()
    };
    assert_eq!((of(&slow), of(&quick)), (4, 1));
}

async fn a_destination_that_pauses_is_not_ready(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let endpoint = database.endpoint(&*store, "one", Filter::default()).await;
    database.asks(&*store, &agent, 2).await;
    let claimed = claim(&*store, 1, 1).await.remove(0);
    let failing = Health {
        failures: 3,
        failing_since: Some(at(1)),
        resume_at: Some(at(31)),
    };
    let failed = Mark {
        health: Some(failing),
        ..mark(&claimed, 1, Next::Again(at(6)))
    };
    store.mark(&[failed]).await.unwrap();
    assert_eq!(store.ready(at(30)).await.unwrap(), []);
    let ready = store.ready(at(31)).await.unwrap();
    assert_eq!(ready[0].health, failing);
    // Since when it fails stays, whoever marks.
    let claimed = claim(&*store, 31, 1).await.remove(0);
    let worse = Health {
        failures: 4,
        failing_since: Some(at(31)),
        resume_at: None,
    };
    let failed = Mark {
        health: Some(worse),
        ..mark(&claimed, 31, Next::Again(at(99)))
    };
    store.mark(&[failed]).await.unwrap();
    let found = store.endpoint(endpoint.id).await.unwrap().unwrap();
    assert_eq!(found.health.failing_since, Some(at(1)));
    let claimed = claim(&*store, 32, 1).await.remove(0);
    let arrived = Mark {
        health: Some(Health::default()),
        ..mark(&claimed, 32, Next::Delivered)
    };
    store.mark(&[arrived]).await.unwrap();
    let found = store.endpoint(endpoint.id).await.unwrap().unwrap();
    assert_eq!(found.health, Health::default());
}

async fn what_is_due_for_an_endpoint_that_is_disabled_is_given_up(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let endpoint = database.endpoint(&*store, "one", Filter::default()).await;
    database.asks(&*store, &agent, 3).await;
    let held = claim(&*store, 1, 1).await.remove(0);
    database.asks(&*store, &agent, 2).await;
    // A worker has read what there is, and is slow.
    let late = owing(&*store, 1).await;
    let disable = decide::disable(&endpoint, true, &operator(), database.at(2)).unwrap();
    let disabled = changed(&disable);
    store.commit(disable).await.unwrap();
    store.owe(&late).await.unwrap();
    let dead = list(&*store, Some(DeliveryState::Dead)).await;
    assert_eq!(dead.len(), 2);
    assert_eq!(dead[0].ended_at, Some(at(2)));
    // Whoever is sending says for itself how that ended.
    let marks = [mark(&held, 3, Next::Delivered)];
    assert_eq!(store.mark(&marks).await.unwrap(), [true]);
    // What happens now is not owed to it. What happened before and was not sent is given up.
    database.asks(&*store, &agent, 1).await;
    owe(&*store, 3).await;
    assert_eq!(list(&*store, None).await.len(), 5);
    let dead = list(&*store, Some(DeliveryState::Dead)).await;
    assert_eq!((dead.len(), dead[0].ended_at), (4, Some(at(2))));
    let why = dead[0].last_error.as_deref();
    assert_eq!(why, Some("the endpoint was disabled"));
    assert_eq!(store.followers(at(3)).await.unwrap(), []);

    let enable = decide::disable(&disabled, false, &operator(), database.at(4)).unwrap();
    store.commit(enable).await.unwrap();
    assert_eq!(claim(&*store, 5, 9).await, []);
    database.asks(&*store, &agent, 1).await;
    assert_eq!(claim(&*store, 5, 9).await.len(), 1);
}

async fn what_was_given_up_can_be_due_again(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let one = database.endpoint(&*store, "one", Filter::default()).await;
    let two = database.endpoint(&*store, "two", Filter::default()).await;
    database.asks(&*store, &agent, 2).await;
    let claimed = claim(&*store, 1, 9).await;
    let dead: Vec<_> = claimed.iter().map(|one| mark(one, 2, Next::Dead)).collect();
    store.mark(&dead).await.unwrap();
    assert_eq!(list(&*store, Some(DeliveryState::Dead)).await.len(), 4);

    let first = claimed[0].delivery.clone();
    let retry = |delivery: &Delivery| decide::retry(delivery, None, &operator(), database.at(9));
    let dead = store.delivery(first.id).await.unwrap().unwrap();
    let again = retry(&dead).unwrap();
    store.commit(again.clone()).await.unwrap();
    let due = store.delivery(first.id).await.unwrap().unwrap();
    assert_eq!(
        (due.state, due.tries, due.next_at),
        (DeliveryState::Due, 0, at(9))
    );
    let claimed = claim(&*store, 9, 9).await;
    assert_eq!((claimed.len(), claimed[0].lease), (1, 2));
    // It is on its way already.
    let refused = store.commit(again).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));

    let since = |seconds, destination| {
        let retry = decide::retry_since(at(seconds), destination, &operator(), database.at(10));
        store.commit(retry.unwrap())
    };
    let dead = async || list(&*store, Some(DeliveryState::Dead)).await.len();
    since(1, None).await.unwrap();
    assert_eq!(dead().await, 3);
    let disable = decide::disable(&one, true, &operator(), database.at(10)).unwrap();
    store.commit(disable).await.unwrap();
    let of_two = 2 - usize::from(first.destination == two.id);
    since(0, Some(one.id)).await.unwrap();
    assert_eq!(dead().await, 3, "a disabled endpoint gets nothing");
    since(0, Some(two.id)).await.unwrap();
    assert_eq!(dead().await, 3 - of_two);
    let events = store
        .events_after(0, &Audience::All, 1_000)
        .await
        .unwrap()
        .collect();
    let last = events.last().unwrap();
    let expected = domain::Payload::Delivery(DeliveryEvent::Retried(Retry::Since {
        since: at(0),
        destination: Some(two.id),
    }));
    assert_eq!(last.payload, expected);
}

async fn every_try_is_kept(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.endpoint(&*store, "one", Filter::default()).await;
    database.asks(&*store, &agent, 1).await;
    let first = claim(&*store, 1, 1).await.remove(0);
    store
        .mark(&[mark(&first, 2, Next::Again(at(7)))])
        .await
        .unwrap();
    claim(&*store, 7, 1).await;
    let third = claim(&*store, 67, 1).await.remove(0);
    store
        .mark(&[mark(&third, 68, Next::Delivered)])
        .await
        .unwrap();
    let attempts = store.attempts(first.delivery.id).await.unwrap();
    let begun: Vec<_> = attempts
        .iter()
        .map(|one| (one.number, one.started_at))
        .collect();
    assert_eq!(begun, [(1, at(1)), (2, at(7)), (3, at(67))]);
    assert_eq!(attempts[0].end, Some(mark(&first, 2, Next::Dead).end));
    assert_eq!(attempts[1].end, None);
    assert_eq!(attempts[2].end, Some(mark(&third, 68, Next::Delivered).end));
}

async fn what_ended_long_ago_is_forgotten_with_its_tries(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.endpoint(&*store, "one", Filter::default()).await;
    database.asks(&*store, &agent, 4).await;
    let claimed = claim(&*store, 1, 4).await;
    let [due, early, late, dead] = &claimed[..] else {
        panic!("{claimed:?}");
    };
    let marks = [
        mark(due, 2, Next::Again(at(1_000))),
        mark(early, 3, Next::Delivered),
        mark(late, 50, Next::Delivered),
        mark(dead, 4, Next::Dead),
    ];
    store.mark(&marks).await.unwrap();
    let forget = async |limit| store.forget_deliveries(at(50), limit).await.unwrap();
    assert_eq!(forget(1).await + forget(2).await + forget(100).await, 2);
    assert_eq!(forget(100).await, 0);
    let left: BTreeSet<_> = list(&*store, None).await.iter().map(|one| one.id).collect();
    assert_eq!(left, BTreeSet::from([due.delivery.id, late.delivery.id]));
    assert!(store.attempts(early.delivery.id).await.unwrap().is_empty());
    assert_eq!(store.attempts(due.delivery.id).await.unwrap().len(), 1);
    // Nothing of it is owed anew.
    let owing = owing(&*store, 60).await;
    assert!(owing.iter().all(|one| one.owed.is_empty()));
}

async fn deliveries_are_listed_newest_first_page_by_page(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let one = database.endpoint(&*store, "one", Filter::default()).await;
    database.endpoint(&*store, "two", Filter::default()).await;
    let opened = database.question(&agent, Draft::default(), 0);
    let asked = written(&opened);
    store.commit(opened).await.unwrap();
    database.asks(&*store, &agent, 4).await;
    owe(&*store, 1).await;
    let mut query = DeliveryQuery {
        limit: 3,
        ..DeliveryQuery::default()
    };
    let mut seen = Vec::new();
    loop {
        let page = store.deliveries(&query).await.unwrap();
        query.before = page.last().map(|last| last.delivery.id);
        if page.is_empty() {
            break;
        }
        seen.extend(page);
    }
    assert_eq!(seen.len(), 10);
    assert!(seen.is_sorted_by(|a, b| a.delivery.id > b.delivery.id));
    let told: Vec<_> = seen
        .iter()
        .filter(|one| one.interaction_id == Some(asked.id))
        .collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].event_type, "interaction.requested");
    let query = DeliveryQuery {
        destination: Some(one.id),
        state: Some(DeliveryState::Due),
        limit: 100,
        ..DeliveryQuery::default()
    };
    let found = store.deliveries(&query).await.unwrap();
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|found| found.name == "one"));
    let query = DeliveryQuery {
        id: Some(told[1].delivery.id),
        limit: 100,
        ..DeliveryQuery::default()
    };
    let found = store.deliveries(&query).await.unwrap();
    assert_eq!(found, [told[1].clone()]);
}

async fn an_agent_is_owed_a_call_where_it_wants_it(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let wants = |path: &str| Draft {
        callback_url: Some(format!("https://agent.example/{path}")),
        ..Draft::default()
    };
    let first = database.asked(&*store, &agent, wants("1")).await;
    let second = database.asked(&*store, &agent, wants("2")).await;
    assert_eq!(list(&*store, None).await, []);
    let read = store.interaction(first.id).await.unwrap().unwrap();
    assert_eq!(read, first);
    for asked in [&first, &second] {
        let answer = database.answer(asked, "80");
        store.commit(answer).await.unwrap();
    }
    let query = DeliveryQuery {
        limit: 10,
        ..DeliveryQuery::default()
    };
    let found = store.deliveries(&query).await.unwrap();
    assert_eq!(found.len(), 2);
    for one in &found {
        assert_eq!(one.kind, DestinationKind::Callback);
        assert_eq!(
            (&*one.name, &*one.event_type),
            ("backend", "interaction.resolved")
        );
    }
    // Both lead to one place.
    let claimed = claim(&*store, 10, 4).await;
    assert_eq!(claimed.len(), 2);
    assert_eq!(claimed[0].kind, DestinationKind::Callback);
    let places: BTreeSet<_> = claimed.iter().map(|one| one.delivery.destination).collect();
    assert_eq!(places.len(), 1);

    let answered = store.interaction(first.id).await.unwrap().unwrap();
    let offline = interaction::agent_offline(&answered, database.at(20)).unwrap();
    let expected = written(&offline);
    store.commit(offline).await.unwrap();
    let read = store.interaction(first.id).await.unwrap().unwrap();
    assert_eq!(read, expected);
}

impl Database {
    /// What an agent asked that is called back at this host, and the answer to it.
    async fn answered_for(&self, store: &dyn Store, agent: &AgentRef, host: &str) {
        let wants = Draft {
            callback_url: Some(format!("https://{host}.example/")),
            ..Draft::default()
        };
        let asked = self.asked(store, agent, wants).await;
        store.commit(self.answer(&asked, "80")).await.unwrap();
    }
}

async fn a_place_is_forgotten_once_nothing_is_owed_there(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for host in ["delivered", "dead", "due"] {
        database.answered_for(&*store, &agent, host).await;
    }
    assert_eq!(store.forget_places(10).await.unwrap(), 0);
    let claimed = claim(&*store, 10, 4).await;
    let ends = [Next::Delivered, Next::Dead, Next::Again(at(99))];
    let marks: Vec<_> = claimed
        .iter()
        .zip(ends)
        .map(|(one, next)| mark(one, 11, next))
        .collect();
    assert_eq!(store.mark(&marks).await.unwrap(), [true; 3]);
    assert_eq!(store.forget_places(10).await.unwrap(), 1);
    assert_eq!(store.forget_places(10).await.unwrap(), 0);
    // Of the delivery nothing is forgotten.
    let query = DeliveryQuery {
        limit: 10,
        ..DeliveryQuery::default()
    };
    let found = store.deliveries(&query).await.unwrap();
    assert_eq!(found.len(), 3);
    for one in &found {
        assert_eq!(
            (one.kind, &*one.name),
            (DestinationKind::Callback, "backend")
        );
    }
    // What is dead can be tried again, and the place that was forgotten is made again.
    let dead = list(&*store, Some(DeliveryState::Dead)).await.remove(0);
    let again = decide::retry(&dead, None, &operator(), database.at(12)).unwrap();
    store.commit(again).await.unwrap();
    database.answered_for(&*store, &agent, "delivered").await;
    assert_eq!(claim(&*store, 100, 4).await.len(), 3);
}

async fn what_is_owed_while_its_place_is_forgotten_is_not_lost(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for round in 0..150 {
        let is_owed = AtomicBool::new(false);
        let owing = async {
            database.answered_for(&*store, &agent, "agent").await;
            is_owed.store(true, Ordering::Relaxed);
        };
        // As often as it can, so that some come between the place and the end of its transaction.
        let forgetting = async {
            while !is_owed.load(Ordering::Relaxed) {
                store.forget_places(10).await.unwrap();
            }
        };
        tokio::join!(owing, forgetting);
        let claimed = claim(&*store, 100 + round, 4).await;
        assert_eq!(claimed.len(), 1, "in round {round}");
        let marks = [mark(&claimed[0], 100 + round, Next::Delivered)];
        store.mark(&marks).await.unwrap();
    }
}

async fn the_good_tokens_of_an_agent_are_listed_newest_first(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.agent(&*store, "other").await;
    let hash = database.token(&*store, TokenKind::Agent, "backend").await;
    let newest = store.token_holder(&hash).await.unwrap().unwrap().token;
    let all = store.agent_tokens(agent.id, epoch(), 10).await.unwrap();
    assert_eq!((all.len(), all[0]), (2, newest));
    assert_eq!(
        store.agent_tokens(agent.id, epoch(), 1).await.unwrap(),
        [newest]
    );
    let tokens = store.tokens().await.unwrap();
    let found = tokens.iter().find(|one| one.token.id == newest).unwrap();
    let revoked = access::revoke_token(&found.token, &operator(), database.at(1));
    store.commit(revoked.unwrap()).await.unwrap();
    assert_eq!(
        store.agent_tokens(agent.id, epoch(), 10).await.unwrap(),
        all[1..]
    );
}
