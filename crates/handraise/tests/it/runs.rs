//! Rule 13 and what follows: an approval is good for one run, and the agent says what came of it.

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{app::TestApp, caller::json_of};

store::on_both_databases!(
    an_approval_is_good_for_one_run,
    of_many_runs_at_once_one_begins,
    a_run_that_the_row_forgot_is_still_the_only_one,
    only_what_was_approved_is_run,
    an_agent_reports_once_what_came_of_it,
    operands_are_shown_and_signed,
);

fn approval() -> Value {
    json!({
        "kind": "approval", "prompt": "Deploy?",
        "action": {"tool": "shell", "arguments": {"command": "make deploy"}},
    })
}

async fn an_approval_is_good_for_one_run(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let other = app.agent("devops").await;
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let run = |name: &str| json!({"run": name});
    let hidden = other.send(&asked, "consume", run("one")).await;
    assert_eq!(hidden.status(), StatusCode::NOT_FOUND);
    let began = agent.done(&asked, "consume", run("one")).await;
    assert_eq!(began["consumed"]["run"], "one");
    assert_eq!(began["collected_at"], began["consumed"]["at"]);
    // A reply may be lost.
    assert_eq!(agent.done(&asked, "consume", run("one")).await, began);
    let second = agent.send(&asked, "consume", run("two")).await;
    let second = json_of(second, StatusCode::CONFLICT).await;
    assert_eq!(second["code"], "already_consumed");
    assert_eq!(second["consumed_by"], "one");
    assert_eq!(second["consumed_at"], began["consumed"]["at"]);
    assert_eq!(agent.poll(&asked).await, began);
    let events = agent.read("/api/v1/events").await;
    let mut types = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["type"]);
    assert_eq!(types.next_back(), Some(&json!("interaction.consumed")));
}

async fn of_many_runs_at_once_one_begins(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let runs = (0..16).map(|n| {
        let (agent, asked) = (&agent, &asked);
        async move {
            let run = json!({"run": format!("run {n}")});
            agent.send(asked, "consume", run).await.status()
        }
    });
    let statuses = join_all(runs).await;
    let began = statuses.iter().filter(|status| **status == StatusCode::OK);
    assert_eq!(began.count(), 1, "{statuses:?}");
}

async fn a_run_that_the_row_forgot_is_still_the_only_one(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    agent.done(&asked, "consume", json!({"run": "one"})).await;
    let forgotten = database
        .execute("UPDATE interactions SET consumed = NULL")
        .await;
    forgotten.unwrap();
    let second = agent.send(&asked, "consume", json!({"run": "two"})).await;
    let second = json_of(second, StatusCode::CONFLICT).await;
    assert_eq!(
        (&second["code"], &second["consumed_by"]),
        (&json!("already_consumed"), &json!("one"))
    );
}

async fn only_what_was_approved_is_run(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let pending = agent.ask(approval()).await;
    let denied = agent.ask(approval()).await;
    desk.done(&denied, "answer", json!({"approved": false}))
        .await;
    let cancelled = agent.ask(approval()).await;
    agent.done(&cancelled, "cancel", json!({})).await;
    let question = agent.ask(json!({})).await;
    desk.done(&question, "answer", json!({"text": "80"})).await;
    for asked in [&pending, &denied, &cancelled, &question] {
        let refused = agent.send(asked, "consume", json!({"run": "one"})).await;
        let refused = json_of(refused, StatusCode::CONFLICT).await;
        assert_eq!(refused["code"], "not_approved", "{asked}");
    }
    for (body, path) in [
        (json!({}), "$"),
        (json!({"run": ""}), "run"),
        (json!({"run": "a\nb"}), "run"),
        (json!({"run": "x".repeat(129)}), "run"),
    ] {
        let refused = agent.send(&denied, "consume", body.clone()).await;
        let refused = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(refused["errors"][0]["path"], path, "{body}");
    }
}

async fn an_agent_reports_once_what_came_of_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    let done = json!({"outcome": "done", "text": "exit code 0"});
    let code = async |asked: &Value, body: &Value| {
        let refused = agent.send(asked, "report", body.clone()).await;
        json_of(refused, StatusCode::CONFLICT).await["code"].clone()
    };
    assert_eq!(code(&asked, &done).await, "still_pending");
    desk.done(&asked, "answer", json!({"approved": true})).await;
    agent.done(&asked, "consume", json!({"run": "one"})).await;
    let reported = agent.done(&asked, "report", done.clone()).await;
    assert_eq!(reported["report"]["outcome"], "done");
    assert_eq!(reported["report"]["text"], "exit code 0");
    assert_eq!(agent.done(&asked, "report", done).await, reported);
    let failed = json!({"outcome": "failed"});
    assert_eq!(code(&asked, &failed).await, "already_reported");
    let denied = agent.ask(approval()).await;
    desk.done(&denied, "answer", json!({"approved": false}))
        .await;
    assert_eq!(code(&denied, &failed).await, "not_approved");
}

async fn operands_are_shown_and_signed(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut body = approval();
    let operand = json!({"name": "deploy.sh", "sha256": "0a".repeat(32), "size": 12});
    body["action"]["operands"] = json!([operand]);
    let asked = agent.ask(body).await;
    assert_eq!(asked["action"]["operands"], json!([operand]));
    let without = agent.ask(approval()).await;
    assert_ne!(asked["action_digest"], without["action_digest"]);
    assert_eq!(without["action"].get("operands"), None);
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let path = format!("{}/receipt", crate::support::caller::path_of(&asked));
    assert_eq!(
        agent.read(&path).await["action_digest"],
        asked["action_digest"]
    );
}
