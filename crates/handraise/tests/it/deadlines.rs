//! Deadlines pass, whoever is late.

use chrono::TimeDelta;
use futures::{StreamExt, stream};
use reqwest::StatusCode;
use serde_json::json;
use store::{testing::TestDatabase, verify_journal};

use crate::support::{
    app::TestApp,
    caller::{json_of, path_of},
    slack_inbound::until,
};

store::on_both_databases!(
    an_answer_after_the_deadline_is_refused_before_the_job_came_by,
    all_that_is_due_expires,
    the_fallback_is_the_answer,
    more_than_a_page_is_due_at_once,
    many_of_one_task_are_due_at_once,
    every_kind_has_its_default_and_may_have_none,
    a_clock_that_jumps_back_expires_nothing_early,
    an_agent_may_not_ask_without_end,
);

async fn an_answer_after_the_deadline_is_refused_before_the_job_came_by(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({"timeout_seconds": 60})).await;
    app.clock.advance(TimeDelta::seconds(60));
    let problem = json_of(desk.answer(&asked, "80").await, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "already_closed");
    assert_eq!(problem["outcome"], "expired");
    assert_eq!(problem["closed_by"], json!(null));
    // It was not said before it was so.
    assert_eq!(agent.poll(&asked).await["state"], "expired");
}

async fn all_that_is_due_expires(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let mut due = Vec::new();
    for _ in 0..30 {
        due.push(agent.ask(json!({"timeout_seconds": 60})).await);
    }
    let later = agent.ask(json!({"timeout_seconds": 61})).await;
    let never = agent.ask(json!({"timeout_seconds": null})).await;
    app.clock.advance(TimeDelta::seconds(60));
    // The scheduled job may have taken some of them already.
    app.state.service.expire_due().await.unwrap();
    for asked in &due {
        let seen = agent.poll(asked).await;
        assert_eq!(seen["outcome"], "expired");
        assert_eq!(seen["answer"], json!(null));
        assert_eq!(seen["version"], 2);
    }
    for asked in [later, never] {
        assert_eq!(agent.poll(&asked).await["state"], "pending");
    }
}

async fn the_fallback_is_the_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent
        .ask(json!({"timeout_seconds": 60, "fallback": "", "task": {"id": "T-1"}}))
        .await;
    let held = tokio::spawn(
        agent
            .get(&path_of(&asked))
            .header("prefer", "wait=30")
            .send(),
    );
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    let seen = json_of(held.await.unwrap().unwrap(), StatusCode::OK).await;
    assert_eq!(
        (&seen["state"], &seen["outcome"]),
        (&json!("expired"), &json!("fallback"))
    );
    assert_eq!(seen["fallback_used"], true);
    assert_eq!(seen["answer"]["text"], "");
    assert_eq!(seen["answer"]["responder"], json!(null));
    assert!(
        seen["resume_prompt"]
            .as_str()
            .unwrap()
            .contains("User answer: \n")
    );
    assert_eq!(agent.read("/api/v1/tasks/T-1").await["status"], "running");
    let problem = json_of(desk.answer(&asked, "80").await, StatusCode::CONFLICT).await;
    assert_eq!(problem["outcome"], "fallback");
    let events = agent.read("/api/v1/events?after=4").await;
    assert_eq!(events["items"][0]["type"], "interaction.expired");
    assert_eq!(events["items"][0]["payload"]["fallback_used"], true);
}

async fn every_kind_has_its_default_and_may_have_none(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.timeout.approval = 300;
        config.timeout.question = 0;
    })
    .await;
    let agent = app.agent("backend").await;
    for (body, expected) in [
        (json!({}), json!(null)),
        (json!({"timeout_seconds": 5}), json!("2027-01-15T08:00:05Z")),
        (
            json!({"kind": "approval", "action": {"tool": "t"}}),
            json!("2027-01-15T08:05:00Z"),
        ),
        (
            json!({"kind": "acknowledgement"}),
            json!("2027-01-16T08:00:00Z"),
        ),
    ] {
        assert_eq!(agent.ask(body).await["expires_at"], expected);
    }
}

async fn a_clock_that_jumps_back_expires_nothing_early(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({"timeout_seconds": 60})).await;
    app.clock.advance(TimeDelta::hours(-2));
    assert_eq!(app.state.service.expire_due().await.unwrap(), 0);
    let later = agent.ask(json!({"timeout_seconds": 60})).await;
    assert!(later["expires_at"].as_str() < asked["expires_at"].as_str());
    app.clock.advance(TimeDelta::seconds(90));
    app.state.service.expire_due().await.unwrap();
    assert_eq!(agent.poll(&later).await["outcome"], "expired");
    assert_eq!(desk.answer(&asked, "80").await.status(), StatusCode::OK);
}

async fn an_agent_may_not_ask_without_end(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.max_pending_per_agent = 3).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let first = agent.ask(json!({})).await;
    for _ in 0..2 {
        agent.ask(json!({})).await;
    }
    let body = json!({"kind": "question", "prompt": "?"});
    let request = agent.post("/api/v1/interactions").json(&body);
    let response = request.send().await.unwrap();
    assert!(response.headers().contains_key("retry-after"));
    let problem = json_of(response, StatusCode::TOO_MANY_REQUESTS).await;
    assert_eq!(problem["code"], "too_many_pending");
    // Telling is not asking, and others are not concerned.
    agent.ask(json!({"kind": "notification"})).await;
    other.ask(json!({})).await;
    app.responder("desk").await.answer(&first, "80").await;
    agent.ask(json!({})).await;
}

async fn more_than_a_page_is_due_at_once(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.max_pending_per_agent = 0;
        config.rate_limit_per_minute = 0;
    })
    .await;
    let agent = app.agent("backend").await;
    let ask = |n: usize| {
        let body = json!({
            "kind": "question", "prompt": "?", "timeout_seconds": 60, "session_id": format!("s{n}"),
        });
        agent.post("/api/v1/interactions").json(&body).send()
    };
    let asked: Vec<_> = stream::iter(0..1_100)
        .map(ask)
        .buffer_unordered(64)
        .collect()
        .await;
    assert!(
        asked
            .iter()
            .all(|sent| sent.as_ref().unwrap().status() == StatusCode::CREATED)
    );
    app.clock.advance(TimeDelta::seconds(60));
    // Where the job ticks at the same time, each leaves what the other is at to the next tick.
    until("all have expired", async || {
        app.state.service.expire_due().await.unwrap();
        let left = agent.read("/api/v1/interactions?state=pending").await;
        left["items"] == json!([])
    })
    .await;
    verify_journal(&**app.state.service.store()).await.unwrap();
}

async fn many_of_one_task_are_due_at_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let body =
        |fallback| json!({"task": {"id": "T-1"}, "timeout_seconds": 60, "fallback": fallback});
    let mut with_fallback = Vec::new();
    for _ in 0..20 {
        with_fallback.push(agent.ask(body(json!("8080"))).await);
    }
    let without = agent.ask(body(json!(null))).await;
    app.clock.advance(TimeDelta::seconds(60));
    app.state.service.expire_due().await.unwrap();
    for asked in &with_fallback {
        assert_eq!(agent.poll(asked).await["outcome"], "fallback");
    }
    assert_eq!(agent.poll(&without).await["outcome"], "expired");
    assert_eq!(agent.read("/api/v1/tasks/T-1").await["status"], "failed");
}
