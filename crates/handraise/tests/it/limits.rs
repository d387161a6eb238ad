//! How much one caller, and everybody together, may ask of the server by the minute and at once.

use std::time::Duration;

use chrono::TimeDelta;
use domain::Role;
use futures::{SinkExt, StreamExt, future::join_all};
use reqwest::{Response, StatusCode, header};
use serde_json::{Value, json};
use server::config::Config;
use store::testing::TestDatabase;
use tokio::task::JoinHandle;
use tokio_tungstenite::{
    connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::HeaderValue},
};

use crate::support::{
    app::TestApp,
    caller::{Caller, path_of},
    people::operator,
};

store::on_both_databases!(
    a_token_has_so_many_requests_a_minute,
    strangers_are_counted_by_their_address,
    waiting_is_not_counted,
    people_who_work_are_not_hindered,
    a_token_is_held_so_many_times_at_once,
    everybody_together_is_held_so_many_times_at_once,
    a_token_that_is_revoked_hears_nothing_more,
    a_stream_ends_when_its_token_is_revoked_elsewhere,
    a_person_has_so_many_sockets,
);

fn rate(limit: u32) -> impl FnOnce(&mut Config) {
    move |config| config.rate_limit_per_minute = limit
}

/// What a refused caller is told: the code, and when to try again.
async fn refusal(response: Response) -> (u16, String, Option<u64>) {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after = retry_after.map(|seconds| seconds.to_str().unwrap().parse().unwrap());
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "application/problem+json"
    );
    let problem: Value = response.json().await.unwrap();
    assert_eq!(problem["status"], status);
    let code = problem["code"].as_str().unwrap().to_owned();
    (status, code, retry_after)
}

fn told(status: u16, code: &str, retry_after: u64) -> (u16, String, Option<u64>) {
    (status, code.to_owned(), Some(retry_after))
}

async fn a_token_has_so_many_requests_a_minute(database: TestDatabase) {
    let app = TestApp::start_with(&database, rate(3)).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let call = async |caller: &Caller<'_>| caller.get("/api/v1/tasks").send().await.unwrap();
    for _ in 0..3 {
        assert_eq!(call(&agent).await.status(), StatusCode::OK);
    }
    let limited = told(429, "rate_limited", 20);
    assert_eq!(refusal(call(&agent).await).await, limited);
    // Whoever shares its address is not hindered.
    assert_eq!(call(&other).await.status(), StatusCode::OK);
    app.clock.advance(TimeDelta::milliseconds(12_500));
    assert_eq!(refusal(call(&agent).await).await.2, Some(8));
    app.clock.advance(TimeDelta::seconds(8));
    assert_eq!(call(&agent).await.status(), StatusCode::OK);
    assert_eq!(refusal(call(&agent).await).await.1, "rate_limited");
    // Nothing of what is refused happens.
    let before = app.last_seq().await;
    let ask = agent.post("/api/v1/interactions");
    let ask = ask.json(&json!({"kind": "question", "prompt": "p"}));
    assert_eq!(ask.send().await.unwrap().status(), 429);
    assert_eq!(app.last_seq().await, before);
    app.clock.advance(TimeDelta::seconds(120));
    app.state.limits.forget_idle();
    assert_eq!(app.state.limits.known(), 0);
}

async fn strangers_are_counted_by_their_address(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.rate_limit_per_minute = 2;
        config.trusted_proxies = 1;
    })
    .await;
    let agent = app.agent("backend").await;
    let from = |path: &str, address: &str| app.get(path).header("x-forwarded-for", address);
    let guess = async |address: &str| {
        let guess = from("/api/v1/tasks", address).bearer_auth("hr_agent_guess");
        guess.send().await.unwrap().status().as_u16()
    };
    assert_eq!(guess("192.0.2.1").await, 401);
    let nobody = from("/api/v1/tasks", "192.0.2.1").send().await.unwrap();
    assert_eq!(nobody.status(), 401);
    assert_eq!(guess("192.0.2.1").await, 429);
    for path in ["/api/v1/tasks", "/", "/sign-in", "/metrics"] {
        let refused = from(path, "192.0.2.1").send().await.unwrap();
        assert_eq!(
            refusal(refused).await,
            told(429, "rate_limited", 30),
            "{path}"
        );
    }
    // A good token, from the same address.
    let good = agent.get("/api/v1/tasks");
    let good = good.header("x-forwarded-for", "192.0.2.1").send().await;
    assert_eq!(good.unwrap().status(), 200);
    // Probes always get through.
    for path in ["/healthz", "/readyz"] {
        let probe = from(path, "192.0.2.1").send().await.unwrap();
        assert_ne!(probe.status(), 429, "{path}");
    }
    assert_eq!(guess("192.0.2.2").await, 401);
    assert_eq!(guess("2001:db8::1").await, 401);
    assert_eq!(guess("2001:db8::2").await, 401);
    assert_eq!(guess("2001:db8::3:4:5:6").await, 429);
    assert_eq!(guess("2001:db8:0:1::1").await, 401);
}

/// Requests that are held, once the server has taken them all.
async fn held(app: &TestApp, requests: Vec<reqwest::RequestBuilder>) -> Vec<JoinHandle<Response>> {
    let before = app.state.limits.held.taken();
    let count = requests.len();
    let held = requests
        .into_iter()
        .map(|request| tokio::spawn(async move { request.send().await.unwrap() }))
        .collect();
    while app.state.limits.held.taken() < before + count {
        tokio::task::yield_now().await;
    }
    held
}

/// The address of what happens from now on.
async fn news(app: &TestApp) -> String {
    format!("/api/v1/events?after={}", app.last_seq().await)
}

fn waiting(caller: &Caller<'_>, interaction: &Value) -> reqwest::RequestBuilder {
    let poll = caller.get(&path_of(interaction));
    poll.header("prefer", "wait=30")
}

async fn waiting_is_not_counted(database: TestDatabase) {
    let app = TestApp::start_with(&database, rate(3)).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    let polls = (0..20).map(|_| waiting(&agent, &asked)).collect();
    let polls = held(&app, polls).await;
    let events = agent.get(&news(&app).await);
    let events = held(&app, vec![events.header("prefer", "wait=30")]).await;
    desk.answer(&asked, "80").await;
    for answered in join_all(polls.into_iter().chain(events)).await {
        assert_eq!(answered.unwrap().status(), StatusCode::OK);
    }
    assert_eq!(app.state.limits.held.taken(), 0);
    // Only what was held: this one has its answer at once.
    for expected in [200, 200, 429] {
        let response = waiting(&agent, &asked).send().await.unwrap();
        assert_eq!(response.status(), expected);
    }
}

async fn people_who_work_are_not_hindered(database: TestDatabase) {
    let app = TestApp::start_with(&database, rate(2)).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let desk = async || {
        let desk = app
            .post("/ui/load-desk")
            .header(header::ORIGIN, app.url(""));
        let desk = desk.header(header::COOKIE, &cookie).form(&[("", "")]);
        desk.send().await.unwrap()
    };
    for _ in 0..600 {
        assert_eq!(desk().await.status(), StatusCode::OK);
    }
    assert_eq!(refusal(desk().await).await, told(429, "rate_limited", 1));
    // Colleagues have their own.
    app.clock.advance(TimeDelta::seconds(60));
    let other = app.sign_in("Ben", Role::Viewer).await;
    let page = app.get("/history").header(header::COOKIE, &other);
    assert_eq!(page.send().await.unwrap().status(), StatusCode::OK);
}

async fn a_token_is_held_so_many_times_at_once(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.limits.held_per_token = 2).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (first, second) = (agent.ask(json!({})).await, agent.ask(json!({})).await);
    let mut polls = held(&app, vec![waiting(&agent, &first)]).await;
    let stream = agent.get(&news(&app).await);
    let stream = stream.header(header::ACCEPT, "text/event-stream");
    let stream = held(&app, vec![stream]).await.pop().unwrap().await.unwrap();
    assert_eq!(stream.status(), StatusCode::OK);

    let refused = waiting(&agent, &second).send().await.unwrap();
    assert_eq!(refusal(refused).await, told(429, "too_many_held", 10));
    let refused = agent.get("/api/v1/events");
    let refused = refused.header(header::ACCEPT, "text/event-stream");
    let refused = refused.send().await.unwrap();
    assert_eq!(refusal(refused).await, told(429, "too_many_held", 10));
    // Who does not wait needs no place, and others have their own.
    assert_eq!(agent.poll(&second).await["state"], "pending");
    let other = app.agent("devops").await;
    let asked = other.ask(json!({})).await;
    let others = held(&app, vec![waiting(&other, &asked)]).await;

    desk.answer(&first, "80").await;
    let answered = polls.pop().unwrap().await.unwrap();
    assert_eq!(answered.status(), StatusCode::OK);
    let polls = held(&app, vec![waiting(&agent, &second)]).await;
    desk.answer(&second, "81").await;
    desk.answer(&asked, "82").await;
    for answered in join_all(polls.into_iter().chain(others)).await {
        assert_eq!(answered.unwrap().status(), StatusCode::OK);
    }
    // The stream gives its place back when its reader goes away.
    drop(stream);
    while app.state.limits.held.taken() > 0 {
        tokio::task::yield_now().await;
    }
}

async fn everybody_together_is_held_so_many_times_at_once(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.limits.held = 1).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let asked = agent.ask(json!({})).await;
    let polls = held(&app, vec![waiting(&agent, &asked)]).await;
    let refused = other.get(&news(&app).await);
    let refused = refused.header("prefer", "wait=30").send().await.unwrap();
    assert_eq!(refusal(refused).await, told(503, "busy", 10));
    agent.done(&asked, "cancel", json!({})).await;
    for answered in join_all(polls).await {
        assert_eq!(answered.unwrap().status(), StatusCode::OK);
    }
}

async fn revoke(app: &TestApp, name: &str) {
    let service = &app.state.service;
    let tokens = service.tokens(&operator()).await.unwrap();
    let found = tokens.iter().find(|found| found.token.name == name);
    let id = found.unwrap().token.id;
    assert!(service.revoke_token(id, &operator()).await.unwrap());
}

async fn a_token_that_is_revoked_hears_nothing_more(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    let events = agent.get(&news(&app).await);
    let polls = vec![waiting(&agent, &asked), events.header("prefer", "wait=30")];
    let polls = held(&app, polls).await;
    let stream = agent.get(&news(&app).await);
    let stream = stream.header(header::ACCEPT, "text/event-stream");
    let mut stream = stream.send().await.unwrap();

    revoke(&app, "backend").await;
    while stream.chunk().await.unwrap().is_some() {}
    desk.answer(&asked, "80").await;
    for answered in join_all(polls).await {
        let answered = answered.unwrap();
        assert_eq!(answered.status(), StatusCode::UNAUTHORIZED);
        let problem: Value = answered.json().await.unwrap();
        assert_eq!(problem["code"], "bad_token");
        assert!(!problem.to_string().contains("80"), "{problem}");
    }
}

async fn a_stream_ends_when_its_token_is_revoked_elsewhere(database: TestDatabase) {
    let (here, there) = (
        TestApp::start(&database).await,
        TestApp::start(&database).await,
    );
    let agent = here.agent("backend").await;
    let stream = agent.get("/api/v1/events");
    let stream = stream.header(header::ACCEPT, "text/event-stream");
    let stream = stream.timeout(Duration::from_secs(20));
    let mut stream = stream.send().await.unwrap();
    revoke(&there, "backend").await;
    while stream.chunk().await.unwrap().is_some() {}
}

async fn a_person_has_so_many_sockets(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.limits.sockets = 3;
        config.limits.sockets_per_person = 2;
    })
    .await;
    let cookies = [
        app.sign_in("Ana", Role::Responder).await,
        app.sign_in("Ben", Role::Viewer).await,
    ];
    let open = async |cookie: &str| {
        let mut request = format!("ws://{}/ws", app.addr)
            .into_client_request()
            .unwrap();
        let headers = request.headers_mut();
        headers.insert("cookie", HeaderValue::from_str(cookie).unwrap());
        headers.insert("origin", HeaderValue::from_str(&app.url("")).unwrap());
        match connect_async(request).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => Err((
                response.status().as_u16(),
                response.headers()["retry-after"]
                    .to_str()
                    .unwrap()
                    .to_owned(),
            )),
            Err(error) => panic!("{error}"),
        }
    };
    let refused = |status: u16| (status, "10".to_owned());
    let mut first = open(&cookies[0]).await.unwrap();
    let _second = open(&cookies[0]).await.unwrap();
    assert_eq!(open(&cookies[0]).await.unwrap_err(), refused(429));
    let _third = open(&cookies[1]).await.unwrap();
    assert_eq!(open(&cookies[1]).await.unwrap_err(), refused(503));
    assert_eq!(app.state.limits.sockets.taken(), 3);
    first.send(Message::Close(None)).await.unwrap();
    while first.next().await.is_some() {}
    while app.state.limits.sockets.taken() == 3 {
        tokio::task::yield_now().await;
    }
    open(&cookies[1]).await.unwrap();
}

#[test]
fn ten_thousand_waiting_agents_fit_the_defaults() {
    let config = Config::default();
    assert!(config.limits.connections > 10_000 && config.limits.held > 10_000);
    // And one agent that has asked as much as it may can wait for all of it.
    assert!(config.limits.held_per_token > config.max_pending_per_agent);
}
