//! Bad input: a clear problem with a stable code and the path of the fault, and nothing stored.

use reqwest::{RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{app::TestApp, openapi};

store::on_both_databases!(
    every_fault_has_its_code_and_path,
    names_that_cannot_be_are_nobody_s,
);

async fn every_fault_has_its_code_and_path(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    let before = app.last_seq().await;
    let create = || agent.post("/api/v1/interactions");
    let asking = |body: Value| create().json(&body);
    let raw = |body: &'static str| {
        create()
            .header(header::CONTENT_TYPE, "application/json")
            .body(body)
    };
    let question = json!({"kind": "question", "prompt": "p"});
    let with = |key: &str, value: Value| {
        let mut body = question.clone();
        body[key] = value;
        asking(body)
    };
    let deep = (0..32).fold(json!(1), |inner, _| json!([inner]));
    let nobody = "/api/v1/interactions/01890000-0000-7000-8000-000000000000";

    let cases: Vec<(&str, RequestBuilder, u16, &str, &str)> = vec![
        (
            "unknown kind",
            asking(json!({"kind": "riddle", "prompt": "p"})),
            422,
            "invalid_request",
            "kind",
        ),
        (
            "no kind",
            asking(json!({"prompt": "p"})),
            422,
            "invalid_request",
            "kind",
        ),
        (
            "no prompt",
            asking(json!({"kind": "question"})),
            422,
            "invalid_request",
            "prompt",
        ),
        (
            "blank prompt",
            with("prompt", json!(" \n")),
            422,
            "invalid_request",
            "prompt",
        ),
        (
            "long prompt",
            with("prompt", json!("ü".repeat(20_001))),
            422,
            "invalid_request",
            "prompt",
        ),
        (
            "unknown field",
            with("colour", json!("red")),
            422,
            "invalid_request",
            "colour",
        ),
        (
            "unknown field inside",
            with("task", json!({"id": "1", "x": 2})),
            422,
            "invalid_request",
            "task.x",
        ),
        (
            "wrong type",
            with("title", json!(7)),
            422,
            "invalid_request",
            "title",
        ),
        (
            "wrong mode",
            with("mode", json!("maybe")),
            422,
            "invalid_request",
            "mode",
        ),
        (
            "timeout 0",
            with("timeout_seconds", json!(0)),
            422,
            "invalid_request",
            "timeout_seconds",
        ),
        (
            "timeout < 0",
            with("timeout_seconds", json!(-1)),
            422,
            "invalid_request",
            "timeout_seconds",
        ),
        (
            "timeout > 400 d",
            with("timeout_seconds", json!(400 * 86_400 + 1)),
            422,
            "invalid_request",
            "timeout_seconds",
        ),
        (
            "wrong fallback",
            with("fallback", json!(false)),
            422,
            "invalid_request",
            "fallback",
        ),
        (
            "NUL in a session",
            with("session_id", json!("a\u{0}")),
            422,
            "invalid_request",
            "session_id",
        ),
        (
            "big metadata",
            with("metadata", json!({"x": "x".repeat(9_000)})),
            422,
            "invalid_request",
            "metadata",
        ),
        ("an array", raw("[]"), 422, "invalid_request", "$"),
        ("bad JSON", raw("{\"kind\": "), 400, "unreadable_json", "$"),
        ("no body", raw(""), 400, "unreadable_json", "$"),
        ("two values", raw("{} {}"), 400, "unreadable_json", "$"),
        (
            "a form",
            create().form(&[("kind", "question")]),
            415,
            "unsupported_media_type",
            "",
        ),
        (
            "no content type",
            create().body("{}"),
            415,
            "unsupported_media_type",
            "",
        ),
        (
            "256 kB",
            with("metadata", json!({"x": "x".repeat(256 * 1024)})),
            413,
            "body_too_large",
            "",
        ),
        (
            "no token",
            app.post("/api/v1/interactions").json(&question),
            401,
            "no_token",
            "",
        ),
        (
            "wrong token",
            app.post("/api/v1/interactions")
                .bearer_auth("hr_agent_x")
                .json(&question),
            401,
            "bad_token",
            "",
        ),
        (
            "wrong scheme",
            app.get("/api/v1/events")
                .header("authorization", "Basic eDp5"),
            401,
            "no_token",
            "",
        ),
        (
            "a responder asks",
            desk.post("/api/v1/interactions").json(&question),
            403,
            "agents_only",
            "",
        ),
        ("unknown id", agent.get(nobody), 404, "not_found", ""),
        (
            "no id",
            agent.get("/api/v1/interactions/x"),
            404,
            "not_found",
            "",
        ),
        (
            "answer to nothing",
            desk.post(&format!("{nobody}/answer"))
                .json(&json!({"text": "x"})),
            404,
            "not_found",
            "",
        ),
        (
            "unknown address",
            agent.get("/api/v1/nothing"),
            404,
            "no_such_address",
            "",
        ),
        (
            "wrong method",
            app.get("/api/v1/interactions/x/answer"),
            405,
            "method_not_allowed",
            "",
        ),
        (
            "wrong query",
            agent.get("/api/v1/events?after=x"),
            422,
            "invalid_request",
            "after",
        ),
        (
            "unknown query",
            agent.get("/api/v1/events?from=1"),
            422,
            "invalid_request",
            "from",
        ),
        (
            "NUL in a query",
            agent.get("/api/v1/interactions?session_id=%00"),
            422,
            "invalid_request",
            "session_id",
        ),
        (
            "a stream from before the journal that is none",
            agent.get("/api/v1/events").header("last-event-id", "-1"),
            422,
            "invalid_request",
            "Last-Event-ID",
        ),
        (
            "half a timeout",
            with("timeout_seconds", json!(1.5)),
            422,
            "invalid_request",
            "timeout_seconds",
        ),
        (
            "an address that is only almost one",
            with("callback_url", json!("https:agent.example")),
            422,
            "invalid_request",
            "callback_url",
        ),
        (
            "before the journal",
            agent.get("/api/v1/events?after=-1"),
            422,
            "invalid_request",
            "after",
        ),
        (
            "deep metadata",
            with("metadata", json!({"a": deep})),
            422,
            "invalid_request",
            "metadata.a[0]*",
        ),
        (
            "an invisible prompt",
            with("prompt", json!("\u{200b}\u{2060}")),
            422,
            "invalid_request",
            "prompt",
        ),
        (
            "limit 0",
            agent.get("/api/v1/events?limit=0"),
            422,
            "invalid_request",
            "limit",
        ),
        (
            "wrong state",
            agent.get("/api/v1/interactions?state=open"),
            422,
            "invalid_request",
            "state",
        ),
    ];
    for (name, request, status, code, path) in cases {
        let request = request.build().unwrap();
        let (method, address) = (request.method().clone(), request.url().path().to_owned());
        let response = app.client().execute(request).await.unwrap();
        let found = response.status();
        let no_call = ["no_such_address", "method_not_allowed"].contains(&code);
        assert!(
            no_call || openapi::allows(method.as_str(), &address, status, Some(code)),
            "{name}: is not described"
        );
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "application/problem+json",
            "{name}"
        );
        let problem: Value = response.json().await.unwrap();
        assert_eq!(found, status, "{name}: {problem}");
        assert_eq!(problem["status"], status, "{name}");
        assert_eq!(problem["code"], code, "{name}: {problem}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{name}");
        if !path.is_empty() {
            let found = problem["errors"][0]["path"].as_str().unwrap();
            match path.strip_suffix('*') {
                Some(start) => assert!(found.starts_with(start), "{name}: {problem}"),
                None => assert_eq!(found, path, "{name}: {problem}"),
            }
        }
    }
    assert_eq!(app.last_seq().await, before);

    // The same for answers, on an interaction that exists.
    let asked = agent.ask(json!({})).await;
    let answer = |body: Value| {
        let path = format!("{}/answer", crate::support::caller::path_of(&asked));
        desk.post(&path).json(&body)
    };
    for (body, path) in [
        (json!({}), "text"),
        (json!({"text": null}), "text"),
        (json!({"text": 1}), "text"),
        (json!({"text": "x".repeat(20_001)}), "text"),
        (json!({"selected": ["x"]}), "selected"),
    ] {
        let response = answer(body.clone()).send().await.unwrap();
        assert_eq!(
            response.status(),
            StatusCode::UNPROCESSABLE_ENTITY,
            "{body}"
        );
        let problem: Value = response.json().await.unwrap();
        assert_eq!(problem["errors"][0]["path"], path, "{body}: {problem}");
    }
    assert_eq!(agent.poll(&asked).await["version"], 1);
}

async fn names_that_cannot_be_are_nobody_s(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    for (path, status) in [
        ("/api/v1/tasks/%00", StatusCode::NOT_FOUND),
        ("/api/v1/tasks/%FF", StatusCode::NOT_FOUND),
        ("/api/v1/interactions/%FF", StatusCode::NOT_FOUND),
        ("/api/v1/tasks/T?agent=%00", StatusCode::NOT_FOUND),
        ("/api/v1/tasks?agent=%00", StatusCode::OK),
        (
            "/api/v1/tasks?cursor=1.019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742.%00",
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let response = desk.get(path).send().await.unwrap();
        if status != StatusCode::OK {
            let kind = response.headers()["content-type"].clone();
            assert_eq!(kind, "application/problem+json", "{path}");
        }
        assert!(
            [status, StatusCode::UNPROCESSABLE_ENTITY].contains(&response.status()),
            "{path}"
        );
    }
    let put = agent.put("/api/v1/tasks/%00").json(&json!({})).send().await;
    assert_eq!(put.unwrap().status(), StatusCode::UNPROCESSABLE_ENTITY);
    let body = json!({"session_id": "\u{0}"});
    let cancel = agent.post("/api/v1/interactions/cancel").json(&body).send();
    assert_eq!(
        cancel.await.unwrap().status(),
        StatusCode::UNPROCESSABLE_ENTITY
    );
    let cookie = app.sign_in("Ana", domain::Role::Viewer).await;
    for query in [
        "q=%00",
        "session_id=%00",
        "agent=%00",
        "task_id=%00",
        "state=%00",
    ] {
        let page = app
            .get(&format!("/history?{query}"))
            .header("cookie", &cookie);
        let page = page.send().await.unwrap().text().await.unwrap();
        assert!(page.contains("Nothing matches"), "{query}: {page}");
    }
}
