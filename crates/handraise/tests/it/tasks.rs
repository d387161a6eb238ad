//! Tasks follow their blockers.

use chrono::TimeDelta;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
};

store::on_both_databases!(
    a_task_waits_for_its_sync_blockers,
    a_blocker_that_expires_fails_its_task,
    ending_a_task_takes_its_questions_back,
    a_session_is_taken_back_at_once,
    tasks_are_listed_and_paged,
    what_is_wrong_with_a_task_is_named,
);

async fn put(caller: &Caller<'_>, id: &str, body: Value) -> Value {
    let response = caller
        .put(&format!("/api/v1/tasks/{id}"))
        .json(&body)
        .send();
    json_of(response.await.unwrap(), StatusCode::OK).await
}

async fn a_task_waits_for_its_sync_blockers(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let task = put(&agent, "T%201%2F%C3%BC", json!({"title": "Add caching"})).await;
    assert_eq!(task["id"], "T 1/ü");
    assert_eq!(
        (&task["status"], &task["version"]),
        (&json!("running"), &json!(1))
    );
    let named = json!({"id": "T 1/ü", "step": "choosing"});
    let first = agent.ask(json!({"task": named})).await;
    let second = agent.ask(json!({"task": named, "mode": "async"})).await;
    let path = "/api/v1/tasks/T%201%2F%C3%BC";
    let waiting = agent.read(path).await;
    assert_eq!(waiting["status"], "waiting");
    assert_eq!(
        (&waiting["title"], &waiting["step"]),
        (&json!("Add caching"), &json!("choosing"))
    );
    let on: Vec<_> = waiting["waiting_on"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].clone(), one["prompt"].as_str().unwrap()))
        .collect();
    assert_eq!(
        on,
        [
            (first["id"].clone(), "Which port?"),
            (second["id"].clone(), "Which port?")
        ]
    );
    desk.answer(&first, "80").await;
    let running = agent.read(path).await;
    assert_eq!(running["status"], "running");
    assert_eq!(running["waiting_on"].as_array().unwrap().len(), 1);

    // Another agent's tasks are its own; people say whose they mean.
    let other = app.agent("devops").await;
    let hidden = other.get(path).send().await.unwrap();
    json_of(hidden, StatusCode::NOT_FOUND).await;
    let unsaid = desk.get(path).send().await.unwrap();
    json_of(unsaid, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(desk.read(&format!("{path}?agent=backend")).await, running);
}

async fn a_blocker_that_expires_fails_its_task(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent
        .ask(json!({"task": {"id": "T-1"}, "timeout_seconds": 60}))
        .await;
    let more = agent
        .ask(json!({"task": {"id": "T-1"}, "mode": "async", "timeout_seconds": null}))
        .await;
    app.clock.advance(TimeDelta::seconds(60));
    app.state.service.expire_due().await.unwrap();
    assert_eq!(agent.poll(&asked).await["outcome"], "expired");
    let taken_back = agent.poll(&more).await;
    assert_eq!(taken_back["outcome"], "cancelled");
    let task = agent.read("/api/v1/tasks/T-1").await;
    assert_eq!(task["status"], "failed");
    assert_eq!(task["reason"], "Blocker expired without resolution");
    assert_eq!(task["waiting_on"], json!([]));
    let events = agent.read("/api/v1/events?after=4").await;
    let types: Vec<_> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "interaction.expired",
            "task.failed",
            "interaction.cancelled"
        ]
    );
    // It is opened again by its agent.
    let again = put(&agent, "T-1", json!({"status": "running"})).await;
    assert_eq!(
        (&again["status"], &again["reason"]),
        (&json!("running"), &json!(null))
    );
}

async fn ending_a_task_takes_its_questions_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    for (id, status, reason) in [("T-1", "done", None), ("T-2", "failed", Some("no quota"))] {
        let asked = agent.ask(json!({"task": {"id": id}})).await;
        let ended = put(&agent, id, json!({"status": status, "reason": reason})).await;
        assert_eq!(ended["status"], status);
        assert_eq!(ended["reason"], json!(reason));
        assert_eq!(agent.poll(&asked).await["state"], "cancelled");
    }
}

async fn a_session_is_taken_back_at_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let [first, answered, elsewhere] = [
        agent.ask(json!({"session_id": "s"})).await,
        agent.ask(json!({"session_id": "s"})).await,
        agent.ask(json!({"session_id": "t"})).await,
    ];
    let others = other.ask(json!({"session_id": "s"})).await;
    desk.answer(&answered, "80").await;
    let cancel = |caller: &Caller<'_>| {
        caller
            .post("/api/v1/interactions/cancel")
            .json(&json!({"session_id": "s", "reason": "the run is over"}))
            .send()
    };
    let taken_back = json_of(cancel(&agent).await.unwrap(), StatusCode::OK).await;
    assert_eq!(taken_back["items"].as_array().unwrap().len(), 1);
    assert_eq!(taken_back["items"][0]["id"], first["id"]);
    for (asked, state) in [
        (&first, "cancelled"),
        (&answered, "resolved"),
        (&elsewhere, "pending"),
    ] {
        assert_eq!(agent.poll(asked).await["state"], state);
    }
    let again = json_of(cancel(&agent).await.unwrap(), StatusCode::OK).await;
    assert_eq!(again, json!({"items": []}));
    // A responder ends it for everybody.
    json_of(cancel(&desk).await.unwrap(), StatusCode::OK).await;
    assert_eq!(other.poll(&others).await["state"], "cancelled");
}

async fn tasks_are_listed_and_paged(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    for id in ["a", "b", "c.d"] {
        app.clock.advance(TimeDelta::seconds(1));
        put(&agent, id, json!({})).await;
    }
    put(&other, "e", json!({"status": "done"})).await;
    let mut path = "/api/v1/tasks?limit=1&status=running".to_owned();
    let mut found = Vec::new();
    loop {
        let response = agent.get(&path).send().await.unwrap();
        let link = response.headers().get(header::LINK).cloned();
        let page = json_of(response, StatusCode::OK).await;
        for task in page["items"].as_array().unwrap() {
            found.push(task["id"].as_str().unwrap().to_owned());
        }
        let Some(link) = link else {
            assert_eq!(page["next_cursor"], json!(null));
            break;
        };
        let (next, rel) = link.to_str().unwrap().split_once('>').unwrap();
        assert_eq!(rel, "; rel=\"next\"");
        path = next[1..].to_owned();
    }
    assert_eq!(found, ["c.d", "b", "a"]);
    let desk = app.responder("desk").await;
    let all = desk.read("/api/v1/tasks").await;
    assert_eq!(all["items"].as_array().unwrap().len(), 4);
    let others = desk.read("/api/v1/tasks?agent=devops").await;
    assert_eq!(others["items"][0]["id"], "e");
    assert_eq!(
        desk.read("/api/v1/tasks?agent=nobody").await["items"],
        json!([])
    );
    assert_eq!(
        agent.read("/api/v1/tasks?agent=devops").await["items"],
        json!([])
    );
}

async fn what_is_wrong_with_a_task_is_named(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let before = app.last_seq().await;
    for (id, body, path) in [
        ("T-1", json!({"status": "waiting"}), "status"),
        ("T-1", json!({"status": "lost"}), "status"),
        ("T-1", json!({"reason": "x"}), "reason"),
        ("T-1", json!({"titel": "x"}), "titel"),
        ("%20", json!({}), "id"),
    ] {
        let response = agent.put(&format!("/api/v1/tasks/{id}")).json(&body).send();
        let problem = json_of(response.await.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], path);
    }
    let response = desk.put("/api/v1/tasks/T-1").json(&json!({})).send().await;
    let problem = json_of(response.unwrap(), StatusCode::FORBIDDEN).await;
    assert_eq!(problem["code"], "agents_only");
    for query in ["?status=lost", "?cursor=x", "?limit=0"] {
        let response = agent.get(&format!("/api/v1/tasks{query}")).send().await;
        json_of(response.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    assert_eq!(app.last_seq().await, before);
}
