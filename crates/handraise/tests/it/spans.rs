//! Spans for a collector of traces: the time that people take in the trace of the agent that asks, and what the server does.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{TokenKind, TraceParent, access::Lifetime};
use machine::clock::{SystemClock, SystemIds};
use reqwest::StatusCode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use service::Service;
use store::testing::TestDatabase;
use tokio::net::TcpListener;

use crate::support::{
    app::{TestApp, http_client},
    caller::{Caller, id_of, json_of},
    collector::{Collector, named, parent, place, spans},
    people::operator,
    python,
    receiver::{Manner, Receiver},
};

store::on_both_databases!(
    the_time_that_people_take_is_a_span_of_the_agents_trace,
    a_trace_that_is_not_recorded_gets_no_span,
    a_collector_that_is_away_gets_its_spans_when_it_is_back,
    spans_that_no_collector_takes_stand_in_nobodys_way,
    nodes_at_one_database_make_each_span_once,
    a_webhook_goes_on_from_where_the_agent_asked,
    a_span_is_made_though_the_server_is_killed_before_it_is,
    requests_commits_and_deliveries_are_spans_of_one_trace,
    a_real_collector_takes_them,
);

const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const AGENTS_SPAN: &str = "00f067aa0ba902b7";

/// In a trace that is recorded.
fn recorded() -> String {
    format!("00-{TRACE_ID}-{AGENTS_SPAN}-01")
}

async fn app(database: &TestDatabase, collector: &Collector) -> TestApp {
    TestApp::start_with(database, |config| {
        config.tracing.endpoint = Some(collector.endpoint());
    })
    .await
}

async fn asked_in(agent: &Caller<'_>, traceparent: &str, more: Value) -> Value {
    let mut body = json!({"kind": "question", "prompt": "PROMPT-of-nobody-else"});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    let request = agent.post("/api/v1/interactions").json(&body);
    let request = request.header("traceparent", traceparent);
    json_of(request.send().await.unwrap(), StatusCode::CREATED).await
}

/// The place of the time that people take for it.
fn wait_of(asked: &Value) -> String {
    let trace = TraceParent::read(asked["traceparent"].as_str().unwrap()).unwrap();
    let place = trace.waiting_for(id_of(asked)).to_string();
    place[3..52].to_owned()
}

fn time(nanos: u64) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(i64::try_from(nanos).unwrap())
}

async fn the_time_that_people_take_is_a_span_of_the_agents_trace(database: TestDatabase) {
    let collector = Collector::start([]).await;
    let app = app(&database, &collector).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let action =
        json!({"tool": "TOOL-of-nobody-else", "arguments": {"a": "ARGUMENT-of-nobody-else"}});
    let fields = json!({"kind": "approval", "action": action, "mode": "async", "title": "TITLE-of-nobody-else",
        "session_id": "SESSION-of-nobody-else", "metadata": {"m": "METADATA-of-nobody-else"}});
    let asked = asked_in(&agent, &recorded(), fields).await;
    app.clock.advance(TimeDelta::seconds(90));
    let body = json!({"approved": false, "text": "ANSWER-of-nobody-else"});
    desk.done(&asked, "answer", body).await;
    let got = collector.receiver.wait().await;
    let said = String::from_utf8_lossy(&got.bytes);
    assert!(!said.contains("of-nobody-else"), "{said}");
    let spans = spans(&got);
    let [span] = &spans[..] else {
        panic!("{spans:?}");
    };
    assert_eq!(span.name, "wait for approval");
    assert_eq!(place(span), wait_of(&asked));
    assert_eq!(parent(span), format!("{TRACE_ID}-{AGENTS_SPAN}"));
    let created_at = asked["created_at"].as_str().unwrap();
    let created_at = created_at.parse::<DateTime<Utc>>().unwrap();
    assert_eq!(time(span.start_time_unix_nano), created_at);
    let ended = created_at + TimeDelta::seconds(90);
    assert_eq!(time(span.end_time_unix_nano), ended);
    assert_eq!(
        named(&span.attributes),
        json!({
            "handraise.interaction.id": asked["id"], "handraise.kind": "approval", "handraise.mode": "async",
            "handraise.state": "resolved", "handraise.outcome": "denied", "handraise.agent": "backend",
        })
    );
}

async fn a_trace_that_is_not_recorded_gets_no_span(database: TestDatabase) {
    let collector = Collector::start([]).await;
    let app = app(&database, &collector).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let unrecorded = recorded().replace("-01", "-00");
    let body = json!({"kind": "notification", "prompt": "Done."});
    let first = asked_in(&agent, &unrecorded, json!({})).await;
    let second = asked_in(&agent, "no trace", json!({})).await;
    asked_in(&agent, &recorded(), body).await;
    let last = asked_in(&agent, &recorded(), json!({})).await;
    for asked in [&first, &second, &last] {
        desk.answer(asked, "8080").await;
    }
    // They would have come before it.
    assert_eq!(place(&collector.next().await), wait_of(&last));
}

async fn a_collector_that_is_away_gets_its_spans_when_it_is_back(database: TestDatabase) {
    let away = [Manner::DropsTheReply, Manner::Answers(503, "", "")];
    let collector = Collector::start(away).await;
    let app = app(&database, &collector).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = asked_in(&agent, &recorded(), json!({})).await;
    desk.answer(&asked, "8080").await;
    for _ in 0..3 {
        // The same, again and again.
        assert_eq!(place(&collector.next().await), wait_of(&asked));
    }
    let next = asked_in(&agent, &recorded(), json!({})).await;
    agent.send(&next, "cancel", json!({})).await;
    let span = collector.next().await;
    assert_eq!(place(&span), wait_of(&next));
    assert_eq!(named(&span.attributes)["handraise.state"], "cancelled");
}

async fn spans_that_no_collector_takes_stand_in_nobodys_way(database: TestDatabase) {
    let collector = Collector::start([Manner::Answers(400, "", "")]).await;
    let app = app(&database, &collector).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = asked_in(&agent, &recorded(), json!({})).await;
    desk.answer(&asked, "8080").await;
    assert_eq!(place(&collector.next().await), wait_of(&asked));
    let next = asked_in(&agent, &recorded(), json!({})).await;
    desk.answer(&next, "8080").await;
    assert_eq!(place(&collector.next().await), wait_of(&next));
    let metrics = app.get("/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(
        metrics.contains(r#"handraise_spans_total{result="failed"} 1"#),
        "{metrics}"
    );
}

async fn nodes_at_one_database_make_each_span_once(database: TestDatabase) {
    let collector = Collector::start([]).await;
    // One after the other: the first one makes the tables.
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(app(&database, &collector).await);
    }
    let agent = nodes[0].agent("backend").await;
    let desk = nodes[0].responder("desk").await;
    let answered = async || {
        let asked = asked_in(&agent, &recorded(), json!({})).await;
        desk.answer(&asked, "8080").await;
        wait_of(&asked)
    };
    let mut made = Vec::new();
    for _ in 0..20 {
        made.push(answered().await);
    }
    let mut come = Vec::new();
    while come.len() < made.len() {
        come.push(place(&collector.next().await));
    }
    // One that came twice would have come before this.
    made.push(answered().await);
    come.push(place(&collector.next().await));
    assert_eq!(come, made);
}

async fn a_webhook_goes_on_from_where_the_agent_asked(database: TestDatabase) {
    let receiver = Receiver::start([]).await;
    // Without a collector: what the agent says is passed on.
    let app = TestApp::start_with(&database, |config| {
        config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
    })
    .await;
    let agent = app.agent("backend").await;
    let callback = json!({"callback_url": receiver.url()});
    let asked = asked_in(&agent, &recorded(), callback.clone()).await;
    agent.send(&asked, "cancel", json!({})).await;
    app.drain().await;
    let got = receiver.wait().await;
    assert_eq!(got.headers["traceparent"], recorded());
    assert_eq!(got.json()["interaction"]["traceparent"], recorded());
    let asked = asked_in(&agent, "no trace", callback).await;
    agent.send(&asked, "cancel", json!({})).await;
    app.drain().await;
    assert_eq!(receiver.wait().await.headers.get("traceparent"), None);
}

/// The real program.
struct Program {
    child: Child,
    url: String,
    _output: Box<dyn Send>,
}

impl Program {
    fn start(database: &TestDatabase, folder: &Path, endpoint: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
            .args(["serve", "--addr", "127.0.0.1:0", "--database"])
            .arg(&database.url)
            .env("HANDRAISE_KEY_FILE", folder.join("key"))
            .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"))
            .env("HANDRAISE_OUTBOUND_ALLOW", "127.0.0.1")
            .env("HANDRAISE_TRACING_ENDPOINT", endpoint)
            .env("HANDRAISE_TRACING_HEADERS", "x-tenant=night")
            .env("HANDRAISE_LOG", "json")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines
            .next()
            .expect("handraise does not start: is the page built? `cargo xtask test` builds it")
            .unwrap();
        Self {
            child,
            url: first.rsplit(' ').next().unwrap().to_owned(),
            _output: Box::new(lines),
        }
    }

    async fn ask(&self, token: &str, more: Value) -> Value {
        let mut body = json!({"kind": "question", "prompt": "Which port?"});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let request = http_client().post(format!("{}/api/v1/interactions", self.url));
        let request = request.header("traceparent", recorded()).json(&body);
        let asked = request.bearer_auth(token).send().await.unwrap();
        json_of(asked, StatusCode::CREATED).await
    }

    async fn cancel(&self, token: &str, asked: &Value) {
        let id = asked["id"].as_str().unwrap();
        let cancel = http_client().post(format!("{}/api/v1/interactions/{id}/cancel", self.url));
        let cancel = cancel.bearer_auth(token).json(&json!({}));
        json_of(cancel.send().await.unwrap(), StatusCode::OK).await;
    }

    /// Ends as it does when it is asked to, and returns its log.
    fn stop(mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        assert!(self.child.wait().unwrap().success(), "{log}");
        log
    }
}

async fn agent_token(database: &TestDatabase) -> String {
    let store = store::connect(&database.url).await.unwrap();
    let settings = server::config::Config::default().settings();
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
    let service = Service::new(store.clone(), clock, ids, settings);
    let (never, by) = (Lifetime::Never, operator());
    let token = service.create_token(TokenKind::Agent, "backend", never, &[], &by);
    let token = token.await.unwrap().reveal().to_owned();
    store.close().await;
    token
}

async fn a_span_is_made_though_the_server_is_killed_before_it_is(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database).await;
    // Nobody answers, so that no span can be out.
    let silent = Receiver::start([Manner::Hangs, Manner::Hangs, Manner::Hangs]).await;
    let mut first = Program::start(&database, folder.path(), &silent.url());
    let asked = first.ask(&token, json!({})).await;
    first.cancel(&token, &asked).await;
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let collector = Collector::start([]).await;
    let second = Program::start(&database, folder.path(), &collector.endpoint());
    let span = collector.span("wait for question").await;
    assert_eq!(place(&span), wait_of(&asked));
    second.stop();
}

async fn requests_commits_and_deliveries_are_spans_of_one_trace(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let (collector, receiver) = (Collector::start([]).await, Receiver::start([]).await);
    let token = agent_token(&database).await;
    let program = Program::start(&database, folder.path(), &collector.endpoint());
    let asked = program
        .ask(&token, json!({"callback_url": receiver.url()}))
        .await;
    program.cancel(&token, &asked).await;
    let called = receiver.wait().await;
    // What is still under way goes out before it ends.
    let log = program.stop();
    assert!(!log.contains("handraise.events"), "{log}");
    let answered = log
        .lines()
        .find(|line| line.contains("\"message\":\"answered\""));
    // Its lines are as they are without a collector.
    assert!(
        answered.is_some_and(|line| line.contains("token.id")),
        "{log}"
    );
    let got = collector.receiver.got();
    assert!(got.iter().all(|got| got.headers["x-tenant"] == "night"));
    let all: Vec<_> = got.iter().flat_map(spans).collect();
    let named_so = |name: &str| {
        let found: Vec<_> = all.iter().filter(|span| span.name == name).collect();
        assert_eq!(found.len(), 1, "{name}: {all:#?}");
        found[0]
    };
    let agents = format!("{TRACE_ID}-{AGENTS_SPAN}");
    let wait = named_so("wait for question");
    assert_eq!(
        (place(wait), parent(wait)),
        (wait_of(&asked), agents.clone())
    );
    let request = named_so("POST /api/v1/interactions");
    assert_eq!(parent(request), agents);
    assert_eq!(
        named(&request.attributes),
        json!({
            "http.request.method": "POST", "http.route": "/api/v1/interactions",
            "http.response.status_code": 201,
        })
    );
    let commits = || all.iter().filter(|span| span.name == "commit");
    let of_asking = commits().find(|commit| parent(commit) == place(request));
    let of_asking = named(&of_asking.expect("the question is committed").attributes);
    assert_eq!(of_asking["handraise.interaction.id"], asked["id"]);
    assert!(commits().all(|commit| commit.end_time_unix_nano >= commit.start_time_unix_nano));
    let delivery = named_so("deliver callback");
    assert_eq!(parent(delivery), place(wait));
    assert_eq!(
        called.headers["traceparent"],
        format!("00-{}-01", place(delivery))
    );
}

async fn a_real_collector_takes_them(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database).await;
    // It listens where it is told to, so a port is found for it.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = free.local_addr().unwrap();
    drop(free);
    let mut rotel = Command::new(rotel())
        .args(["start", "--exporter", "blackhole", "--debug-log", "traces"])
        .args(["--debug-log-verbosity", "detailed", "--otlp-http-endpoint"])
        .arg(addr.to_string())
        // It listens for gRPC as well.
        .args(["--otlp-grpc-endpoint", "127.0.0.1:0"])
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let program = Program::start(&database, folder.path(), &format!("http://{addr}"));
    let asked = program.ask(&token, json!({})).await;
    program.cancel(&token, &asked).await;
    let wait = wait_of(&asked);
    let span = wait.rsplit('-').next().unwrap().to_owned();
    let mut lines = BufReader::new(rotel.stdout.take().unwrap()).lines();
    let shown = tokio::task::spawn_blocking(move || {
        let mut shown = String::new();
        loop {
            let line = lines.next().expect("it ended").unwrap();
            shown += &format!("{line}\n");
            // The whole of a span is there once the next one begins, or the wait is.
            if shown.contains(&span) && shown.contains("handraise.outcome") {
                return shown;
            }
        }
    });
    let shown = shown.await.unwrap();
    for part in ["wait for question", TRACE_ID, AGENTS_SPAN] {
        assert!(shown.contains(part), "{shown}");
    }
    program.stop();
    rotel.kill().unwrap();
    rotel.wait().unwrap();
}

/// The program of PyPI's `rotel`.
fn rotel() -> String {
    let script =
        "import os, rotel; print(os.path.join(os.path.dirname(rotel.__file__), 'rotel-agent'))";
    let output = python::run_script(script, &json!(null));
    output.trim().to_owned()
}
