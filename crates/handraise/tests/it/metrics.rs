//! `/metrics` and `/readyz`.

use axum::{body::Body, extract::ConnectInfo, http::Request};
use chrono::TimeDelta;
use domain::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use server::router;
use std::net::SocketAddr;
use store::testing::TestDatabase;
use tower::ServiceExt;

use crate::support::{
    app::{TestApp, http_client},
    caller::{json_of, path_of},
};

store::on_both_databases!(
    what_was_done_is_counted,
    nothing_in_the_numbers_is_anybody_s,
    a_server_is_ready_while_its_parts_are,
);

async fn scraped(app: &TestApp) -> String {
    let response = app.get("/metrics").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let content_type = response.headers()["content-type"].to_str().unwrap();
    assert!(content_type.starts_with("application/openmetrics-text"));
    let text = response.text().await.unwrap();
    assert!(text.ends_with("# EOF\n"), "{text}");
    text
}

fn number(text: &str, series: &str) -> f64 {
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    let found = found.unwrap_or_else(|| panic!("no {series} in {text}"));
    found.parse().unwrap()
}

async fn what_was_done_is_counted(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let empty = scraped(&app).await;
    let answered = "handraise_interactions_closed_total{outcome=\"answered\"}";
    assert_eq!(number(&empty, answered), 0.0);
    // Those of the tokens.
    assert_eq!(number(&empty, "handraise_journal_seq"), 2.0);
    assert!(!empty.contains("handraise_checkpoint_age"), "{empty}");

    let asked = agent.ask(json!({"timeout_seconds": 600})).await;
    agent.ask(json!({"mode": "async"})).await;
    agent.ask(json!({"mode": "async"})).await;
    agent
        .ask(json!({"kind": "notification", "prompt": "done", "mode": null}))
        .await;
    let late = agent
        .ask(json!({"timeout_seconds": 60, "fallback": "8080"}))
        .await;
    let waiting = scraped(&app).await;
    assert_eq!(number(&waiting, "handraise_waiting{mode=\"sync\"}"), 2.0);
    assert_eq!(number(&waiting, "handraise_waiting{mode=\"async\"}"), 2.0);
    let opened = "handraise_interactions_asked_total{kind=\"question\",mode=\"async\"}";
    assert_eq!(number(&waiting, opened), 2.0);

    app.clock.advance(TimeDelta::seconds(90));
    let poll = agent.get(&path_of(&late)).header("prefer", "wait=30");
    assert_eq!(poll.send().await.unwrap().status(), StatusCode::OK);
    desk.answer(&asked, "80").await;
    // Neither of these is an answer.
    assert_eq!(desk.answer(&asked, "81").await.status(), 409);
    agent.done(&asked, "collect", json!({})).await;
    app.state.checkpoints.sign_new().await.unwrap();

    let text = scraped(&app).await;
    assert_eq!(number(&text, answered), 1.0);
    let closed = |outcome: &str| {
        let series = format!("handraise_interactions_closed_total{{outcome=\"{outcome}\"}}");
        number(&text, &series)
    };
    assert_eq!(closed("fallback"), 1.0);
    assert_eq!(closed("expired"), 0.0);
    let took = |part: &str| number(&text, &format!("handraise_resolution_seconds_{part}"));
    assert_eq!(took("sum{state=\"resolved\"}"), 90.0);
    assert_eq!(took("bucket{le=\"60.0\",state=\"resolved\"}"), 0.0);
    assert_eq!(took("bucket{le=\"300.0\",state=\"resolved\"}"), 1.0);
    assert_eq!(took("sum{state=\"expired\"}"), 60.0);
    assert_eq!(number(&text, "handraise_waiting{mode=\"sync\"}"), 0.0);
    let last_seq = app.last_seq().await as f64;
    assert_eq!(number(&text, "handraise_journal_seq"), last_seq);
    assert_eq!(number(&text, "handraise_journal_signed_seq"), last_seq);
    assert!(number(&text, "handraise_checkpoint_age_seconds") >= 0.0);
    let asked = "{method=\"POST\",route=\"/api/v1/interactions\",status=\"2xx\"}";
    let requests = |labels: &str| number(&text, &format!("handraise_http_requests_total{labels}"));
    assert_eq!(requests(asked), 5.0);
    let series = "handraise_http_request_seconds_count{route=\"/api/v1/interactions\"}";
    assert_eq!(number(&text, series), 5.0);
    // It was held, which says nothing of the server.
    let polled = "{method=\"GET\",route=\"/api/v1/interactions/{id}\",status=\"2xx\"}";
    assert_eq!(requests(polled), 1.0);
    assert!(!text.contains("_count{route=\"/api/v1/interactions/{id}\"}"));
    let refused = "handraise_refusals_total{code=\"already_closed\"}";
    assert_eq!(number(&text, refused), 1.0);
    assert_eq!(number(&text, "handraise_held_requests"), 0.0);
    assert_eq!(number(&text, "handraise_sockets"), 0.0);
    assert!(number(&text, "handraise_connections") >= 1.0);
}

async fn nothing_in_the_numbers_is_anybody_s(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("secret-agent").await;
    let asked = agent.ask(json!({"prompt": "SECRET PROMPT"})).await;
    let cookie = app.sign_in("Ana Secret", Role::Responder).await;
    for (method, path) in [
        ("GET", "/sign-in/secretlink"),
        ("GET", "/no/such/secret"),
        ("GET", "/api/no/such/secret"),
        ("BREW", "/api/v1/tasks/secret"),
        ("GET", "/api/v1/tasks/secret"),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let client = http_client();
        let request = client.request(method, app.url(path));
        let request = request.bearer_auth(&agent.token);
        request.header("cookie", &cookie).send().await.unwrap();
    }
    let text = scraped(&app).await;
    for known in [
        &agent.token,
        "ecret",
        "ECRET",
        asked["id"].as_str().unwrap(),
    ] {
        assert!(!text.contains(known), "{known}: {text}");
    }
    for (method, route) in [
        ("GET", "/api/v1/tasks/{id}"),
        ("other", "/api/v1/tasks/{id}"),
    ] {
        let labels = format!("{{method=\"{method}\",route=\"{route}\",status=\"4xx\"}}");
        assert_eq!(
            number(&text, &format!("handraise_http_requests_total{labels}")),
            1.0
        );
    }
    // As many routes as there are, and one for all that are none.
    let routes = text.lines().filter(|line| line.contains("route=\"-\""));
    assert!(routes.count() > 0, "{text}");
    assert!(!text.contains("/no/such"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_numbers_may_have_an_address_of_their_own() {
    let database = TestDatabase::sqlite();
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = free.local_addr().unwrap();
    drop(free);
    let app = TestApp::start_with(&database, |config| config.metrics_addr = Some(addr)).await;
    let here = app.get("/metrics").send().await.unwrap();
    assert_ne!(here.status(), StatusCode::OK);
    let get = |path: &str| http_client().get(format!("http://{addr}{path}")).send();
    let there = get("/metrics").await.unwrap();
    let text = there.text().await.unwrap();
    assert!(text.contains("handraise_journal_seq 0\n"), "{text}");
    let other = get("/healthz").await.unwrap();
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
    // It stops with the server.
    app.stop().await;
    assert!(get("/metrics").await.is_err());
}

async fn readiness(app: &TestApp) -> (StatusCode, Value) {
    let response = app.get("/readyz").send().await.unwrap();
    let status = response.status();
    (status, json_of(response, status).await)
}

async fn a_server_is_ready_while_its_parts_are(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    // As soon as the live feed has found the end of the journal.
    loop {
        let (status, body) = readiness(&app).await;
        if status == StatusCode::OK {
            assert_eq!(
                body,
                json!({"ready": true, "not_ready": [], "degraded": []})
            );
            break;
        }
        assert_eq!(body["not_ready"], json!(["live_feed"]));
    }
    database
        .execute("ALTER TABLE events RENAME TO elsewhere")
        .await
        .unwrap();
    // First the database, then what lives on it.
    let (status, body) = readiness(&app).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(body["ready"], false);
    assert_eq!(body["not_ready"][0], "database");
    while readiness(&app).await.1["not_ready"] != json!(["database", "live_feed"]) {
        tokio::task::yield_now().await;
    }
    assert_eq!(app.get("/healthz").send().await.unwrap().status(), 200);
    database
        .execute("ALTER TABLE elsewhere RENAME TO events")
        .await
        .unwrap();
    while readiness(&app).await.0 != StatusCode::OK {
        tokio::task::yield_now().await;
    }

    // Nobody new gets in while it stops, but a request may be on its way.
    let routes = router::router(app.state.clone());
    app.state.stopping.cancel();
    let mut request = Request::get("/readyz").body(Body::empty()).unwrap();
    let peer = SocketAddr::from(([127, 0, 0, 1], 1));
    request.extensions_mut().insert(ConnectInfo(peer));
    let response = routes.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let body = axum::body::to_bytes(response.into_body(), 1_000)
        .await
        .unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["not_ready"], json!(["server"]));
}
