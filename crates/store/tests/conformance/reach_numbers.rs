//! How people are reached, in numbers.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Interaction, Person, Role, Write,
    decide::{interaction as decide, reach},
    delivery::{Next, Reach, ReachKind},
    event::SeenOn,
    interaction::Draft,
};
use store::{AttemptEnd, Claimed, Mark, MessagesBy, Reaching, Store, WaysBy};

use crate::{
    database::{Database, epoch, written},
    reaches::{added, claim, person},
};

store::on_both_databases!(
    messages_are_counted_by_way_and_end,
    how_far_a_question_got_is_known_of_the_newest,
    ways_that_fail_are_counted_while_they_do,
);

/// A question of which this reach is told, at second 2.
async fn told(
    database: &Database,
    store: &dyn Store,
    reach: &Reach,
    draft: Draft,
) -> (Interaction, Claimed) {
    let agent = database.agent(store, "backend").await;
    let mut asked = database.question(&agent, draft, 2);
    let interaction = written(&asked);
    asked.writes.push(Write::Tell {
        interaction: interaction.id,
        reaches: vec![reach.id],
    });
    store.commit(asked).await.unwrap();
    let claimed = claim(store, reach, 2).await.remove(0);
    (interaction, claimed)
}

async fn arrives(
    database: &Database,
    store: &dyn Store,
    person: &Person,
    reach: &Reach,
    after: i64,
) -> Interaction {
    let (interaction, claimed) = told(database, store, reach, Draft::default()).await;
    let message = (claimed.delivery.id, claimed.lease);
    let now = database.at(2 + after);
    let told = store.event(claimed.delivery.event_seq).await;
    let told = told.unwrap().unwrap();
    let reached = reach::reached(&told, person.into(), reach.kind, 0, message, now);
    store.commit(reached).await.unwrap();
    interaction
}

fn mark(claimed: &Claimed, next: Next, seconds: i64) -> Mark {
    Mark {
        delivery: claimed.delivery.id,
        destination: claimed.delivery.destination,
        lease: claimed.lease,
        at: later(seconds),
        next,
        counts: true,
        health: None,
        end: AttemptEnd {
            latency: 1,
            status: None,
            error: Some("no connection".into()),
            body: String::new(),
            may_have_arrived: false,
        },
    }
}

fn later(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

async fn messages_are_counted_by_way_and_end(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let since = DateTime::UNIX_EPOCH;
    assert_eq!(store.messages_since(since).await.unwrap(), []);
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let push = added(&database, store, &ana, ReachKind::Push).await;
    let ntfy = added(&database, store, &ana, ReachKind::Ntfy).await;
    for after in [0, 1, 2, 60, 61] {
        arrives(&database, store, &ana, &push, after).await;
    }
    let (answered, late) = told(&database, store, &push, Draft::default()).await;
    let answer = database.answer(&answered, "80");
    store.commit(answer).await.unwrap();
    let (_, gone) = told(&database, store, &push, Draft::default()).await;
    store
        .mark(&[mark(&late, Next::Dead, 20), mark(&gone, Next::Dead, 20)])
        .await
        .unwrap();
    told(&database, store, &ntfy, Draft::default()).await;
    // A test is no question.
    let by = crate::reaches::principal(&ana);
    let test = reach::test(&push, &by, database.at(3)).unwrap();
    store.commit(test).await.unwrap();
    let by_ntfy = MessagesBy {
        by: ReachKind::Ntfy,
        within_second: 0,
        within_minute: 0,
        later: 0,
        under_way: 1,
        not_needed: 0,
        not_reached: 0,
    };
    let by_push = MessagesBy {
        by: ReachKind::Push,
        within_second: 2,
        within_minute: 2,
        later: 1,
        under_way: 0,
        not_needed: 1,
        not_reached: 1,
    };
    let found = store.messages_since(since).await.unwrap();
    assert_eq!(found, [by_ntfy, by_push]);
    // Ids begin with the time, and these are from long before.
    assert_eq!(store.messages_since(epoch()).await.unwrap(), []);
}

async fn how_far_a_question_got_is_known_of_the_newest(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let since = DateTime::UNIX_EPOCH;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let push = added(&database, store, &ana, ReachKind::Push).await;
    arrives(&database, store, &ana, &push, 1).await;
    let second = arrives(&database, store, &ana, &push, 3).await;
    let agent = database.agent(store, "backend").await;
    let told = Draft {
        kind: Some("notification".into()),
        ..Draft::default()
    };
    database.asked(store, &agent, told).await;
    let by = crate::reaches::principal(&ana);
    let seen = decide::seen(&second, ana.id, SeenOn::Page, &by, database.at(5));
    store.commit(seen.unwrap()).await.unwrap();
    store.commit(database.answer(&second, "80")).await.unwrap();
    let nothing = Reaching {
        asked_at: later(2),
        rungs: 0,
        reached_at: Some(later(3)),
        seen_at: None,
        answered_at: None,
    };
    let answered = Reaching {
        reached_at: Some(later(5)),
        seen_at: Some(later(5)),
        answered_at: Some(later(10)),
        ..nothing
    };
    let found = store.reaching_since(since, 9).await.unwrap();
    assert_eq!(found, [answered, nothing]);
    assert_eq!(store.reaching_since(since, 1).await.unwrap(), [answered]);
    assert_eq!(store.reaching_since(epoch(), 9).await.unwrap(), []);
}

async fn ways_that_fail_are_counted_while_they_do(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let push = added(&database, store, &ana, ReachKind::Push).await;
    let other = added(&database, store, &ana, ReachKind::Push).await;
    // Its owner has not shown yet that it is theirs.
    added(&database, store, &ana, ReachKind::Mail).await;
    let ways = |ways, failing| WaysBy {
        by: ReachKind::Push,
        ways,
        failing,
    };
    assert_eq!(store.ways().await.unwrap(), [ways(2, 0)]);
    let (_, claimed) = told(&database, store, &push, Draft::default()).await;
    let health = domain::delivery::Health::default().after(false, later(3));
    let failed = Mark {
        health: Some(health),
        ..mark(&claimed, Next::Again(later(9)), 3)
    };
    store.mark(&[failed]).await.unwrap();
    assert_eq!(store.ways().await.unwrap(), [ways(2, 1)]);
    let by = crate::reaches::principal(&ana);
    for reach in [&push, &other] {
        let removed = reach::remove(reach, &by, database.at(4)).unwrap();
        store.commit(removed).await.unwrap();
    }
    assert_eq!(store.ways().await.unwrap(), []);
}
