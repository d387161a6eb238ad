//! Clients that are slow, send too much, or are too many, on bare sockets.

use domain::{Role, TokenKind, access::Lifetime};
use serde_json::json;
use server::config::Config;
use store::testing::TestDatabase;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{
    app::TestApp,
    people::{operator, person_named},
};

async fn start(configure: impl FnOnce(&mut Config)) -> (TestApp, TestDatabase) {
    let database = TestDatabase::sqlite();
    (TestApp::start_with(&database, configure).await, database)
}

async fn connect(app: &TestApp) -> TcpStream {
    TcpStream::connect(app.addr).await.unwrap()
}

/// Everything until the server ends the connection.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    // A server that has not read everything resets the connection.
    let _ = stream.read_to_end(&mut said).await;
    String::from_utf8(said).unwrap()
}

/// One answer of a connection that stays open.
async fn probed(stream: &mut TcpStream) -> bool {
    let probe = b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";
    if stream.write_all(probe).await.is_err() {
        return false;
    }
    let mut said = Vec::new();
    let mut part = [0; 1_024];
    while !said.ends_with(b"ok\n") {
        match stream.read(&mut part).await {
            Ok(read) if read > 0 => said.extend_from_slice(&part[..read]),
            _ => return false,
        }
    }
    said.starts_with(b"HTTP/1.1 200 ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_have_to_arrive_in_time() {
    let (app, _database) = start(|config| config.limits.header_seconds = 1).await;
    for begun in ["", "GET /healthz HTTP/1.1\r\nHost: "] {
        let mut stream = connect(&app).await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        assert_eq!(until_closed(&mut stream).await, "", "{begun}");
    }
    // So must the next request of a connection.
    let mut stream = connect(&app).await;
    assert!(probed(&mut stream).await);
    assert_eq!(until_closed(&mut stream).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_has_to_arrive_in_time() {
    let (app, _database) = start(|config| config.limits.body_seconds = 1).await;
    let agent = app.agent("backend").await;
    let mut stream = connect(&app).await;
    let head = format!(
        "POST /api/v1/interactions HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        agent.token
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let said = until_closed(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
    assert!(said.contains("\"code\":\"body_too_slow\""), "{said}");

    // Forms of pages as well.
    let cookie = app.sign_in("Ana", Role::Responder).await;
    for path in ["/ui/load-desk", "/sign-in"] {
        let mut stream = connect(&app).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: h\r\nOrigin: http://h\r\nCookie: {cookie}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let said = until_closed(&mut stream).await;
        assert!(!said.starts_with("HTTP/1.1 2"), "{path}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_have_a_size() {
    let (app, _database) = start(|config| config.limits.header_bytes = 1_000).await;
    for (length, status) in [(500, "200"), (5_000, "431")] {
        let mut stream = connect(&app).await;
        let cookie = "x".repeat(length);
        let head = format!(
            "GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let said = until_closed(&mut stream).await;
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_body_of_a_form_has_a_size() {
    let (app, _database) = start(|_| {}).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    for (length, fits) in [(1_000, true), (300_000, false)] {
        let form = app.post("/ui/load-desk").header("origin", app.url(""));
        let form = form.header("cookie", &cookie);
        let sent = form.form(&[("x", "y".repeat(length))]).send().await;
        // The server may also hang up before everything is sent.
        let succeeded = sent.is_ok_and(|response| response.status().is_success());
        assert_eq!(succeeded, fits, "{length}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_are_so_many_connections() {
    let (app, _database) = start(|config| config.limits.connections = 2).await;
    let (mut first, mut second) = (connect(&app).await, connect(&app).await);
    assert!(probed(&mut first).await && probed(&mut second).await);
    let mut third = connect(&app).await;
    let said = until_closed(&mut third).await;
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 503 Service Unavailable\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nRetry-After: 10"), "{head}");
    let problem: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(problem["code"], "busy");
    // Those who are in stay in, and whoever leaves makes room.
    assert!(probed(&mut first).await && probed(&mut second).await);
    drop(first);
    while !probed(&mut connect(&app).await).await {}
}

/// A POST of which the server awaits the body: it has looked at who sends it.
async fn begun(app: &TestApp, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = connect(app).await;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\
         Expect: 100-continue\r\n\r\n",
        app.addr,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = [0; 25];
    stream.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_lost_their_rights_before_the_body_came_decides_nothing() {
    let (app, _database) = start(|_| {}).await;
    let agent = app.agent("backend").await;
    let approval = json!({
        "kind": "approval", "prompt": "?", "action": {"tool": "sh", "arguments": {"command": "make"}},
    });
    let asked = agent.ask(approval).await;
    let id = asked["id"].as_str().unwrap();
    let service = &app.state.service;

    let secret = service
        .create_token(
            TokenKind::Responder,
            "night",
            Lifetime::Never,
            &[],
            &operator(),
        )
        .await
        .unwrap();
    let bearer = format!(
        "Authorization: Bearer {}\r\nContent-Type: application/json\r\n",
        secret.reveal()
    );
    let body = r#"{"approved":true}"#;
    let path = format!("/api/v1/interactions/{id}/answer");
    let mut stream = begun(&app, &path, &bearer, body).await;
    let tokens = service.tokens(&operator()).await.unwrap();
    let night = tokens.iter().find(|one| one.token.name == "night").unwrap();
    let revoked = service.revoke_token(night.token.id, &operator()).await;
    assert!(revoked.unwrap());
    stream.write_all(body.as_bytes()).await.unwrap();
    let said = until_closed(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 401 "), "{said}");

    for (name, call, body) in [
        ("Ben", "answer-blocker", format!("id={id}&approved=true")),
        (
            "Bea",
            "answer-together",
            format!("ticked[0]={id}&approved=true"),
        ),
    ] {
        let cookie = app.sign_in(name, Role::Responder).await;
        let browser = format!(
            "Origin: http://{}\r\nCookie: {cookie}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n",
            app.addr
        );
        let mut stream = begun(&app, &format!("/ui/{call}"), &browser, &body).await;
        let person = person_named(&app, name).await;
        let by = operator();
        let disabled = service.disable_person(person, true, false, &by).await;
        disabled.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let said = until_closed(&mut stream).await;
        assert!(said.starts_with("HTTP/1.1 401 "), "{said}");
    }
    assert_eq!(agent.poll(&asked).await["state"], "pending");
}
