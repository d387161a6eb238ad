//! An agent asks.

use futures::future::join_all;
use reqwest::{StatusCode, header};
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
};

store::on_both_databases!(
    a_question_comes_back_whole,
    an_agent_sees_only_its_own,
    an_agent_takes_its_question_back,
    whatever_is_accepted_can_be_read_back,
    asking_again_under_a_key_asks_nothing_new,
    of_many_at_once_under_one_key_one_asks,
    a_key_outlives_other_default_deadlines,
);

async fn a_question_comes_back_whole(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let prompt = "Which **port**?\r\n\n  line two 🦀\ttab";
    let response = agent
        .post("/api/v1/interactions")
        .json(&json!({
            "kind": "question", "mode": "async", "title": "Ports", "prompt": prompt,
            "session_id": "p11", "priority": "urgent", "timeout_seconds": 60, "fallback": "",
            "task": {"id": "T-1", "title": "Serve", "step": "bind"}, "metadata": {"pr": 12},
        }))
        .send()
        .await
        .unwrap();
    let location = response.headers()[header::LOCATION]
        .to_str()
        .unwrap()
        .to_owned();
    let asked = json_of(response, StatusCode::CREATED).await;
    assert_eq!(location, path_of(&asked));
    let mut rest = asked.clone();
    for nobody in [
        "claim",
        "to",
        "cancel_code",
        "agent_seen_at",
        "agent_offline",
        "amendable",
        "approvals",
        "ruled",
        "amended",
        "revises",
        "traceparent",
    ] {
        let found = rest.as_object_mut().unwrap().remove(nobody);
        assert_eq!(found, Some(json!(null)), "{nobody}");
    }
    let withdraws = rest.as_object_mut().unwrap();
    let withdraws = withdraws.remove("withdraw_on_disconnect");
    assert_eq!(withdraws, Some(json!(false)));
    let attachments = rest.as_object_mut().unwrap().remove("attachments");
    assert_eq!(attachments, Some(json!([])));
    assert_eq!(
        rest,
        json!({
            "id": asked["id"], "version": 1, "kind": "question", "mode": "async", "state": "pending",
            "outcome": null, "callback": null, "title": "Ports", "prompt": prompt,
            "agent": {"id": asked["agent"]["id"], "name": "backend"}, "team": null, "session_id": "p11",
            "task": {"id": "T-1", "title": "Serve", "description": null, "step": "bind"},
            "priority": "urgent", "created_at": "2027-01-15T08:00:00Z",
            "expires_at": "2027-01-15T08:01:00Z", "closed_at": null, "closed_by": null, "cancel_reason": null, "collected_at": null,
            "fallback": "", "fallback_used": false, "answer": null, "resume_prompt": null,
            "approved": null, "options": null, "multiple": null, "questions": null, "action": null,
            "action_digest": null, "plan": null, "level": null, "progress": null, "follow_ups": [],
            "consumed": null, "report": null, "slack_permalink": null, "erased": null,
            "dashboard_url": app.page_url(&format!("/blockers/{}", asked["id"].as_str().unwrap())),
            "metadata": {"pr": 12},
        })
    );
    assert_eq!(agent.poll(&asked).await, asked);
}

async fn an_agent_sees_only_its_own(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let asked = agent.ask(json!({})).await;
    let response = other.get(&path_of(&asked)).send().await.unwrap();
    let problem = json_of(response, StatusCode::NOT_FOUND).await;
    assert_eq!(problem["code"], "not_found");
    let list = other.get("/api/v1/interactions").send().await.unwrap();
    assert_eq!(
        json_of(list, StatusCode::OK).await,
        json!({"items": [], "next_cursor": null})
    );
    // A responder sees all.
    let script = app.responder("desk").await;
    assert_eq!(script.poll(&asked).await["id"], asked["id"]);
}

async fn an_agent_takes_its_question_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let asked = agent.ask(json!({})).await;
    let cancel = format!("{}/cancel", path_of(&asked));
    let body = json!({"reason": "done without"});
    let stranger = other.post(&cancel).json(&body).send().await.unwrap();
    json_of(stranger, StatusCode::NOT_FOUND).await;

    let response = agent.post(&cancel).json(&body).send().await.unwrap();
    let cancelled = json_of(response, StatusCode::OK).await;
    assert_eq!(cancelled["state"], "cancelled");
    assert_eq!(cancelled["version"], 2);
    assert_eq!(cancelled["closed_by"], "backend");
    assert_eq!(cancelled["cancel_reason"], "done without");

    let again = agent.post(&cancel).json(&body).send().await.unwrap();
    let problem = json_of(again, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "already_closed");
    assert_eq!(problem["outcome"], "cancelled");
    assert_eq!(problem["closed_by"], "backend");
}

/// serde_json gives one key a meaning of its own, and stops at 128 levels: neither may keep people from
/// seeing what others ask.
async fn whatever_is_accepted_can_be_read_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let deepest = (0..30).fold(json!(1), |inner, _| json!([inner]));
    // In an order that is not that of the alphabet.
    let odd = json!({
        "b": deepest,
        "a": {"$serde_json::private::RawValue": format!("{}{}", "[".repeat(120), "]".repeat(120))},
        "c": {"$serde_json::private::Number": "1"},
    });
    let asked = agent.ask(json!({"metadata": odd})).await;
    // As text: this test's own parser would read that key its own way, too.
    let seen = agent.get(&path_of(&asked)).send().await.unwrap();
    let seen = seen.text().await.unwrap();
    assert!(seen.contains(&format!("\"metadata\":{odd}")), "{seen}");
    for path in ["/api/v1/events?after=2", "/api/v1/interactions"] {
        let page = json_of(desk.get(path).send().await.unwrap(), StatusCode::OK).await;
        assert_eq!(page["items"].as_array().unwrap().len(), 1, "{page}");
    }
    assert_eq!(desk.answer(&asked, "80").await.status(), StatusCode::OK);
}

async fn asking_again_under_a_key_asks_nothing_new(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let ask = |caller: &Caller<'_>, key: &str, body: &'static str| {
        caller
            .post("/api/v1/interactions")
            .header("idempotency-key", key)
            .header(header::CONTENT_TYPE, "application/json")
            .body(body)
            .send()
    };
    let body = r#"{"kind":"question","prompt":"Which port?"}"#;
    let first = ask(&agent, "k-1", body).await.unwrap();
    assert!(!first.headers().contains_key("idempotent-replayed"));
    let first = json_of(first, StatusCode::CREATED).await;
    // Spaced otherwise, the same; answered meanwhile, as it is now.
    desk.answer(&first, "80").await;
    let spaced = r#"{ "prompt": "Which port?", "kind": "question" }"#;
    let again = ask(&agent, "k-1", spaced).await.unwrap();
    assert_eq!(again.headers()["idempotent-replayed"], "true");
    assert_eq!(again.headers()[header::LOCATION], path_of(&first));
    let again = json_of(again, StatusCode::CREATED).await;
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["answer"]["text"], "80");

    let differs = r#"{"kind":"question","prompt":"Which host?"}"#;
    let refused = ask(&agent, "k-1", differs).await.unwrap();
    let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["code"], "idempotency_key_reused");
    // Another agent's keys are its own, and no key is no key.
    for (caller, key) in [(&other, "k-1"), (&agent, "k-2")] {
        let asked = ask(caller, key, body).await.unwrap();
        assert_ne!(json_of(asked, StatusCode::CREATED).await["id"], first["id"]);
    }
    for key in ["", &"k".repeat(256), "k\u{fc}"] {
        let refused = ask(&agent, key, body).await.unwrap();
        let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], "Idempotency-Key");
    }
    // Three tokens and four questions.
    assert_eq!(app.last_seq().await, 3 + 4);
}

async fn of_many_at_once_under_one_key_one_asks(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asks = (0..32).map(|_| {
        let request = agent
            .post("/api/v1/interactions")
            .header("idempotency-key", "k-1")
            .json(&json!({"kind": "question", "prompt": "Which port?"}));
        tokio::spawn(request.send())
    });
    let mut ids = Vec::new();
    for response in join_all(asks).await {
        let asked = json_of(response.unwrap().unwrap(), StatusCode::CREATED).await;
        ids.push(asked["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(app.last_seq().await, 1 + 1);
}

async fn a_key_outlives_other_default_deadlines(database: TestDatabase) {
    let ask = async |agent: &Caller<'_>| {
        let request = agent
            .post("/api/v1/interactions")
            .header("idempotency-key", "k-1")
            .json(&json!({"kind": "question", "prompt": "Which port?"}));
        json_of(request.send().await.unwrap(), StatusCode::CREATED).await
    };
    let app = TestApp::start(&database).await;
    let first = ask(&app.agent("backend").await).await;
    app.stop().await;
    let app = TestApp::start_with(&database, |config| config.timeout.question = 60).await;
    let again = ask(&app.agent("backend").await).await;
    assert_eq!(again["id"], first["id"]);
}
