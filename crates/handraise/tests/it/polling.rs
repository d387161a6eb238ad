//! Polling, and being held until there is an answer.

use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use reqwest::{StatusCode, header};
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{json_of, path_of},
};

store::on_both_databases!(
    an_unchanged_interaction_is_not_sent_again,
    a_held_poll_gets_the_answer,
    a_held_poll_ends_when_its_time_is_over,
    agents_that_wait_get_the_state_when_the_server_stops,
    an_answer_on_another_node_wakes_the_agent,
    a_deadline_wakes_the_agent,
);

async fn an_unchanged_interaction_is_not_sent_again(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    let first = agent.get(&path_of(&asked)).send().await.unwrap();
    assert_eq!(first.headers()[header::RETRY_AFTER], "10");
    let tag = first.headers()[header::ETAG].clone();
    let poll = || {
        agent
            .get(&path_of(&asked))
            .header(header::IF_NONE_MATCH, &tag)
    };
    let same = poll().send().await.unwrap();
    assert_eq!(same.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(same.headers()[header::ETAG], tag);
    desk.answer(&asked, "80").await;
    let changed = poll().send().await.unwrap();
    assert!(!changed.headers().contains_key(header::RETRY_AFTER));
    assert_ne!(changed.headers()[header::ETAG], tag);
    assert_eq!(
        json_of(changed, StatusCode::OK).await["answer"]["text"],
        "80"
    );
}

async fn a_held_poll_gets_the_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    let held = (0..20).map(|_| {
        let poll = agent.get(&path_of(&asked)).header("prefer", "wait=30");
        tokio::spawn(poll.send())
    });
    let held: Vec<_> = held.collect();
    desk.answer(&asked, "80").await;
    for response in join_all(held).await {
        let response = response.unwrap().unwrap();
        assert_eq!(response.headers()["preference-applied"], "wait=30");
        assert_eq!(
            json_of(response, StatusCode::OK).await["answer"]["text"],
            "80"
        );
    }
}

async fn a_held_poll_ends_when_its_time_is_over(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    let held = agent
        .get(&path_of(&asked))
        .header("prefer", "wait=1")
        .send()
        .await
        .unwrap();
    assert_eq!(held.headers()[header::RETRY_AFTER], "10");
    assert_eq!(json_of(held, StatusCode::OK).await["state"], "pending");
}

async fn agents_that_wait_get_the_state_when_the_server_stops(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    let poll = agent.get(&path_of(&asked)).header("prefer", "wait=60");
    let held = tokio::spawn(poll.send());
    // The server has taken the request once somebody waits for this interaction.
    let id = crate::support::caller::id_of(&asked);
    while !app.state.hub.is_awaited(id) {
        tokio::task::yield_now().await;
    }
    app.begin_to_stop();
    let response = held.await.unwrap().unwrap();
    assert_eq!(json_of(response, StatusCode::OK).await["state"], "pending");
    app.stop().await;
}

async fn an_answer_on_another_node_wakes_the_agent(database: TestDatabase) {
    let (here, there) = (
        TestApp::start(&database).await,
        TestApp::start(&database).await,
    );
    let (agent, desk) = (here.agent("backend").await, there.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    let poll = agent.get(&path_of(&asked)).header("prefer", "wait=30");
    let held = tokio::spawn(poll.timeout(Duration::from_secs(20)).send());
    desk.answer(&asked, "80").await;
    let response = held.await.unwrap().unwrap();
    assert_eq!(
        json_of(response, StatusCode::OK).await["answer"]["text"],
        "80"
    );
}

async fn a_deadline_wakes_the_agent(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent
        .ask(json!({"timeout_seconds": 60, "fallback": "8080"}))
        .await;
    let poll = agent.get(&path_of(&asked)).header("prefer", "wait=30");
    let held = tokio::spawn(poll.send());
    app.clock.advance(TimeDelta::seconds(60));
    let seen = json_of(held.await.unwrap().unwrap(), StatusCode::OK).await;
    assert_eq!(seen["state"], "expired");
    assert_eq!(seen["outcome"], "fallback");
    assert_eq!(seen["fallback_used"], true);
    assert_eq!(seen["answer"]["text"], "8080");
    assert_eq!(seen["answer"]["responder"], json!(null));
}
