//! Equal questions are one message in a channel, and a press decides exactly those that it showed.

use chrono::TimeDelta;
use domain::interaction::Posted;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    caller::{Caller, id_of},
    fake_slack::{ANA, FakeSlack, Fault, MAIN, Message, World},
    slack_cards::{pass, settle, started},
    slack_desk::{Desk, typed},
};

store::on_both_databases!(
    equal_questions_are_one_message_and_each_is_decided_by_itself,
    a_press_on_an_older_state_decides_only_what_it_showed,
    what_is_decided_elsewhere_leaves_the_others,
    equal_ones_that_come_at_once_are_posted_as_one,
    all_of_them_are_denied_with_one_reason,
    the_rest_is_denied_where_the_first_is_closed,
    of_a_message_that_is_gone_comes_another,
    what_changes_while_equals_are_posted_is_shown_with_the_rest,
    a_message_that_is_found_again_shows_all_that_stand_on_it,
    what_joins_while_a_card_is_changed_stays_on_it,
    a_message_takes_others_only_while_it_is_near,
);

fn migrate() -> Value {
    json!({"kind": "approval", "prompt": "May I?", "action": {"tool": "psql", "arguments": {"file": "0042.sql"}}})
}

/// Asked and shown.
async fn asked(desk: &Desk, agent: &Caller<'_>, body: Value) -> Value {
    let asked = agent.ask(body).await;
    desk.app.drain().await;
    asked
}

async fn ts(desk: &Desk, asked: &Value) -> String {
    let card = desk.interaction(id_of(asked)).await.card;
    card.unwrap().posted.unwrap().ts
}

fn only_message(desk: &Desk) -> Message {
    let mut messages = desk.slack.messages(MAIN);
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

/// How often a method was called.
fn calls(world: &World, method: &str) -> usize {
    world
        .calls
        .iter()
        .filter(|(name, _)| name == method)
        .count()
}

/// What a node keeps that has shown this on that message.
async fn keep(desk: &Desk, asked: &Value, card: &Message) {
    let kept = Posted {
        ts: card.ts.clone(),
        permalink: None,
    };
    let service = &desk.app.state.service;
    service.card_posted(id_of(asked), kept).await.unwrap();
}

async fn equal_questions_are_one_message_and_each_is_decided_by_itself(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let first = asked(&desk, &agent, migrate()).await;
    let mut second = migrate();
    second["session_id"] = "night".into();
    let second = asked(&desk, &agent, second).await;
    let third = asked(&desk, &agent, migrate()).await;
    let card = only_message(&desk);
    for one in [&first, &second, &third] {
        assert_eq!(ts(&desk, one).await, card.ts);
        assert!(
            card.text.contains(one["id"].as_str().unwrap()),
            "{}",
            card.text
        );
    }
    assert!(card.text.starts_with("3 equal ones wait."), "{}", card.text);
    // Another action, and another agent's, are other questions.
    let mut other = migrate();
    other["action"]["arguments"]["file"] = "0043.sql".into();
    let other = asked(&desk, &agent, other).await;
    let stranger = desk.app.agent("web").await;
    let anothers = asked(&desk, &stranger, migrate()).await;
    assert_eq!(desk.slack.messages(MAIN).len(), 3);

    desk.press(ANA, &card, "approve").await;
    let mut receipts = Vec::new();
    for one in [&first, &second, &third] {
        let now = agent.poll(one).await;
        assert_eq!(
            (&now["approved"], &now["closed_by"]),
            (&true.into(), &"Ana".into())
        );
        let receipt = agent
            .read(&format!(
                "/api/v1/interactions/{}/receipt",
                one["id"].as_str().unwrap()
            ))
            .await;
        receipts.push(receipt.to_string());
    }
    receipts.sort();
    receipts.dedup();
    assert_eq!(receipts.len(), 3, "each has its own");
    assert_eq!(agent.poll(&other).await["state"], "pending");
    assert_eq!(stranger.poll(&anothers).await["state"], "pending");
    desk.app.drain().await;
    let closed = desk.shown(&card.ts);
    assert!(
        closed.text.contains("none waits any more"),
        "{}",
        closed.text
    );
    assert!(!json!(closed.blocks).to_string().contains("approve\""));
    assert!(desk.notes(ANA).is_empty());
    // What comes after that is a message of its own.
    let late = asked(&desk, &agent, migrate()).await;
    assert_ne!(ts(&desk, &late).await, card.ts);
    assert_eq!(desk.slack.take_violations(), [""; 0]);
    desk.stop().await;
}

async fn a_press_on_an_older_state_decides_only_what_it_showed(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let first = asked(&desk, &agent, migrate()).await;
    let one = only_message(&desk);
    let second = asked(&desk, &agent, migrate()).await;
    let two = only_message(&desk);
    let third = asked(&desk, &agent, migrate()).await;
    // Somebody has the message before them as it was with two.
    desk.press(ANA, &two, "approve").await;
    for answered in [&first, &second] {
        assert_eq!(agent.poll(answered).await["approved"], true);
    }
    assert_eq!(agent.poll(&third).await["state"], "pending");
    // As it was with one, whose question is decided.
    desk.press(ANA, &one, "approve").await;
    assert_eq!(agent.poll(&third).await["state"], "pending");
    assert_eq!(desk.notes(ANA).len(), 1, "it is too late");
    desk.app.drain().await;
    let left = only_message(&desk);
    desk.press(ANA, &left, "approve").await;
    assert_eq!(agent.poll(&third).await["approved"], true);
    desk.stop().await;
}

async fn what_is_decided_elsewhere_leaves_the_others(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let person = desk.app.responder("desk").await;
    let first = asked(&desk, &agent, migrate()).await;
    let second = asked(&desk, &agent, migrate()).await;
    let third = asked(&desk, &agent, migrate()).await;
    let all = only_message(&desk);
    person
        .done(&first, "answer", json!({"approved": false}))
        .await;
    desk.app.drain().await;
    let left = only_message(&desk);
    assert!(
        left.text.starts_with("Of 3 equal ones 2 wait."),
        "{}",
        left.text
    );
    // On the older state: two are decided, and of the third it is said who was faster.
    desk.press(ANA, &all, "approve").await;
    assert_eq!(agent.poll(&first).await["approved"], false);
    assert_eq!(agent.poll(&second).await["approved"], true);
    assert_eq!(agent.poll(&third).await["approved"], true);
    let notes = desk.notes(ANA);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("2 of 3 were decided."), "{notes:?}");
    desk.stop().await;
}

async fn equal_ones_that_come_at_once_are_posted_as_one(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    // Nothing is posted for a while.
    desk.slack.fail("chat.postMessage", [Fault::Limited(5)]);
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(asked(&desk, &agent, migrate()).await);
    }
    desk.app.clock.advance(TimeDelta::seconds(6));
    desk.slack.advance(TimeDelta::seconds(6));
    desk.app.drain().await;
    let card = only_message(&desk);
    assert!(card.text.starts_with("4 equal ones wait."), "{}", card.text);
    desk.press(ANA, &card, "approve").await;
    for one in &all {
        assert_eq!(agent.poll(one).await["approved"], true);
    }
    desk.stop().await;
}

async fn all_of_them_are_denied_with_one_reason(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let first = asked(&desk, &agent, migrate()).await;
    let second = asked(&desk, &agent, migrate()).await;
    let card = only_message(&desk);
    desk.press(ANA, &card, "deny").await;
    // Joined while the window was open: it says nothing of this one.
    let third = asked(&desk, &agent, migrate()).await;
    assert_eq!(desk.send(ANA, &typed("not today")).await, None);
    for one in [&first, &second] {
        let now = agent.poll(one).await;
        assert_eq!(now["approved"], false, "{now}");
    }
    assert_eq!(agent.poll(&third).await["state"], "pending");
    desk.stop().await;
}

async fn the_rest_is_denied_where_the_first_is_closed(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let person = desk.app.responder("desk").await;
    let first = asked(&desk, &agent, migrate()).await;
    let second = asked(&desk, &agent, migrate()).await;
    let third = asked(&desk, &agent, migrate()).await;
    let all = only_message(&desk);
    person
        .done(&first, "answer", json!({"approved": true}))
        .await;
    desk.press(ANA, &all, "deny").await;
    assert_eq!(desk.send(ANA, &typed("not today")).await, None);
    assert_eq!(agent.poll(&first).await["approved"], true);
    for one in [&second, &third] {
        assert_eq!(agent.poll(one).await["approved"], false);
    }
    assert!(desk.notes(ANA).is_empty());
    desk.stop().await;
}

async fn of_a_message_that_is_gone_comes_another(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let first = asked(&desk, &agent, migrate()).await;
    desk.slack
        .fail("chat.update", [Fault::Refused("message_not_found")]);
    let second = asked(&desk, &agent, migrate()).await;
    assert_ne!(ts(&desk, &first).await, ts(&desk, &second).await);
    assert_eq!(desk.slack.messages(MAIN).len(), 2);
    desk.stop().await;
}

async fn what_changes_while_equals_are_posted_is_shown_with_the_rest(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let person = desk.app.responder("desk").await;
    desk.slack.fail("chat.postMessage", [Fault::Limited(5)]);
    let mut all = Vec::new();
    for _ in 0..3 {
        all.push(asked(&desk, &agent, migrate()).await);
    }
    // Somebody is on the first before it is shown, and the second is answered while it is kept where they are.
    person.done(&all[0], "claim", json!({"minutes": 15})).await;
    desk.slack.hold_answers("chat.getPermalink");
    pass(&desk.app, &desk.slack, TimeDelta::seconds(6));
    let meanwhile = async {
        desk.slack
            .wait_for(|world| (calls(world, "chat.getPermalink") > 0).then_some(()))
            .await;
        person
            .done(&all[1], "answer", json!({"approved": false}))
            .await;
        desk.slack.answer_held("chat.getPermalink");
    };
    tokio::join!(desk.app.drain(), meanwhile);
    settle(&desk.app, &desk.slack).await;
    let card = only_message(&desk);
    assert!(
        card.text.starts_with("Of 3 equal ones 2 wait."),
        "{}",
        card.text
    );
    for one in &all {
        assert_eq!(ts(&desk, one).await, card.ts);
    }
    desk.press(ANA, &card, "approve").await;
    for (one, approved) in all.iter().zip([true, false, true]) {
        assert_eq!(agent.poll(one).await["approved"], approved);
    }
    desk.stop().await;
}

async fn a_message_that_is_found_again_shows_all_that_stand_on_it(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let person = desk.app.responder("desk").await;
    desk.slack
        .fail("chat.postMessage", [Fault::Limited(5), Fault::DoneThen500]);
    let first = asked(&desk, &agent, migrate()).await;
    let second = asked(&desk, &agent, migrate()).await;
    pass(&desk.app, &desk.slack, TimeDelta::seconds(6));
    desk.app.drain().await;
    // As if the node had been killed after it had kept the first.
    keep(&desk, &first, &only_message(&desk)).await;
    person
        .done(&first, "answer", json!({"approved": false}))
        .await;
    desk.app.drain().await;
    let id = second["id"].as_str().unwrap();
    let alone = only_message(&desk);
    assert!(!alone.text.contains(id), "{}", alone.text);
    settle(&desk.app, &desk.slack).await;
    let both = only_message(&desk);
    assert!(both.text.contains(id), "{}", both.text);
    desk.press(ANA, &both, "approve").await;
    assert_eq!(agent.poll(&first).await["approved"], false);
    assert_eq!(agent.poll(&second).await["approved"], true);
    desk.stop().await;
}

async fn what_joins_while_a_card_is_changed_stays_on_it(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let person = desk.app.responder("desk").await;
    let first = asked(&desk, &agent, migrate()).await;
    let card = only_message(&desk);
    desk.slack.hold_answers("chat.update");
    person.done(&first, "claim", json!({"minutes": 15})).await;
    desk.slack
        .wait_for(|world| (calls(world, "chat.update") == 1).then_some(()))
        .await;
    // This node shows the second nowhere, and another keeps that it has shown it there: before this change has landed.
    desk.slack
        .fail("chat.update", [Fault::Refused("message_not_found")]);
    desk.slack.fail("chat.postMessage", [Fault::Limited(60)]);
    let second = agent.ask(migrate()).await;
    desk.slack
        .wait_for(|world| (calls(world, "chat.update") == 2).then_some(()))
        .await;
    keep(&desk, &second, &card).await;
    desk.slack.answer_held("chat.update");
    desk.app.drain().await;
    let both = only_message(&desk);
    let id = second["id"].as_str().unwrap();
    assert!(both.text.contains(id), "{}", both.text);
    settle(&desk.app, &desk.slack).await;
    desk.press(ANA, &only_message(&desk), "approve").await;
    for one in [&first, &second] {
        assert_eq!(agent.poll(one).await["approved"], true);
    }
    desk.stop().await;
}

async fn a_message_takes_others_only_while_it_is_near(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let store = app.state.service.store();
    // What somebody stands still for has to be seen sooner.
    for (mode, near, far) in [("async", 50, 20), ("sync", 8, 4)] {
        let shown = async || {
            let mut body = migrate();
            body["mode"] = mode.into();
            body["timeout_seconds"] = 36_000.into();
            let asked = agent.ask(body).await;
            app.drain().await;
            let card = store.interaction(id_of(&asked)).await.unwrap().unwrap();
            card.card.unwrap().posted.unwrap().ts
        };
        let first = shown().await;
        pass(&app, &slack, TimeDelta::minutes(near));
        assert_eq!(shown().await, first, "{mode}");
        // The one that has just joined does not keep it near.
        pass(&app, &slack, TimeDelta::minutes(far));
        assert_ne!(shown().await, first, "{mode}");
    }
}
