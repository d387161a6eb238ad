//! Deadlines pass, whoever is late.

use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::json;
use store::testing::TestDatabase;

use crate::app::{TestApp, json_of};

store::on_both_databases!(
    an_answer_after_the_deadline_is_refused_before_the_job_came_by,
    all_that_is_due_expires,
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
