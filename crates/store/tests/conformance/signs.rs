//! The signs of life of agents, as far as they say something of what waits.

use chrono::TimeDelta;
use domain::{
    InteractionId,
    interaction::{Draft, Signs},
};

use crate::database::{Database, epoch};

store::on_both_databases!(
    the_signs_of_an_agent_are_read_for_what_waits,
    a_later_sign_is_not_forgotten_for_an_earlier_one,
    what_is_closed_is_forgotten_and_what_waits_is_not,
);

async fn the_signs_of_an_agent_are_read_for_what_waits(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let silent = database.asked(&*store, &agent, Draft::default()).await;
    let draft = Draft {
        callback_url: Some("https://agent.example/1".into()),
        ..Draft::default()
    };
    let called = database.asked(&*store, &agent, draft).await;
    let closed = database.asked(&*store, &agent, Draft::default()).await;
    store.commit(database.answer(&closed, "80")).await.unwrap();
    let ids = [silent.id, called.id, closed.id];
    let none = Signs::default();
    let is_called_back = Signs {
        is_called_back: true,
        ..none
    };
    let found = store.signs(&ids).await.unwrap();
    assert_eq!(
        found,
        [(silent.id, none), (called.id, is_called_back)].into()
    );
    assert!(store.signs(&[]).await.unwrap().is_empty());

    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    store.asked_after(&[(silent.id, at(5))]).await.unwrap();
    store.listened(&[(agent.id, at(6))]).await.unwrap();
    let token = store.tokens().await.unwrap()[0].token.id;
    store.tokens_used(&[(token, at(7))]).await.unwrap();
    let found = store.signs(&ids).await.unwrap();
    let of_agent = Signs {
        listened: Some(at(6)),
        called: Some(at(7)),
        ..none
    };
    let asked_after = Signs {
        asked_after: Some(at(5)),
        ..of_agent
    };
    assert_eq!(found[&silent.id], asked_after);
    let is_called_back = Signs {
        is_called_back: true,
        ..of_agent
    };
    assert_eq!(found[&called.id], is_called_back);
}

async fn a_later_sign_is_not_forgotten_for_an_earlier_one(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut all: Vec<InteractionId> = Vec::new();
    // More than fit into one statement.
    for _ in 0..501 {
        let one = database.asked(&*store, &agent, Draft::default()).await;
        all.push(one.id);
    }
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    for seconds in [9, 5] {
        let asked: Vec<_> = all.iter().map(|id| (*id, at(seconds))).collect();
        store.asked_after(&asked).await.unwrap();
        store.listened(&[(agent.id, at(seconds))]).await.unwrap();
    }
    let found = store.signs(&all).await.unwrap();
    assert_eq!(found.len(), all.len());
    for signs in found.values() {
        assert_eq!(
            (signs.asked_after, signs.listened),
            (Some(at(9)), Some(at(9)))
        );
    }
}

async fn what_is_closed_is_forgotten_and_what_waits_is_not(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let waits = database.asked(&*store, &agent, Draft::default()).await;
    let closed = database.asked(&*store, &agent, Draft::default()).await;
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    let asked = [(waits.id, at(5)), (closed.id, at(5))];
    store.asked_after(&asked).await.unwrap();
    assert_eq!(store.forget_signs(at(6)).await.unwrap(), 0);
    store.commit(database.answer(&closed, "80")).await.unwrap();
    assert_eq!(store.forget_signs(at(5)).await.unwrap(), 0);
    assert_eq!(store.forget_signs(at(6)).await.unwrap(), 1);
    let found = store.signs(&[waits.id]).await.unwrap();
    assert_eq!(found[&waits.id].asked_after, Some(at(5)));
}
