//! Questions that nobody waits for any more: the agent is offline and a person dismisses them, or its session ends.

use std::process::Stdio;

use app::desk::frames::ServerFrame;
use chrono::TimeDelta;
use domain::Role;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::{io::AsyncWriteExt, process::Command};

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    mcp,
    pages::{holds, read, send},
    second_step::place,
    socket::{next, resumed},
};

store::on_both_databases!(
    a_script_dismisses_what_an_agent_that_is_gone_has_asked,
    an_agent_is_there_while_it_asks_or_listens_or_is_called_back,
    what_is_dismissed_is_told_to_an_agent_that_comes_back,
    an_approval_that_is_dismissed_is_not_approved,
    the_page_says_who_is_offline_and_dismisses_without_scripts,
    a_page_that_is_open_hears_that_an_agent_fell_silent,
    the_end_of_a_session_takes_along_what_asked_for_it_and_nothing_else,
    a_request_that_ends_ends_no_session,
    the_program_ends_sessions,
);

const SAID: &str = "The asking agent is offline: nothing was heard of it for ";

async fn refused(desk: &Caller<'_>, asked: &Value, code: &str) {
    let refused = desk.send(asked, "dismiss", json!({})).await;
    let problem = json_of(refused, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], code);
}

/// As a responder sees it: when its agent was there, and whether that is too long ago.
async fn presence(desk: &Caller<'_>, asked: &Value) -> (Value, Value) {
    let seen = desk.poll(asked).await;
    (seen["agent_seen_at"].clone(), seen["agent_offline"].clone())
}

async fn a_script_dismisses_what_an_agent_that_is_gone_has_asked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    assert_eq!(asked["agent_seen_at"], json!(null));
    let there = (json!("2027-01-15T08:00:00Z"), json!(false));
    assert_eq!(presence(&desk, &asked).await, there);
    app.clock.advance(TimeDelta::minutes(9));
    assert_eq!(presence(&desk, &asked).await, there);
    refused(&desk, &asked, "agent_not_offline").await;
    app.clock.advance(TimeDelta::minutes(1));
    assert_eq!(presence(&desk, &asked).await, (there.0, json!(true)));

    // Agents dismiss nothing.
    let by_agent = agent.send(&asked, "dismiss", json!({})).await;
    assert_eq!(by_agent.status(), StatusCode::FORBIDDEN);
    // The agent is back, and asks.
    agent.poll(&asked).await;
    let there = (json!("2027-01-15T08:10:00Z"), json!(false));
    assert_eq!(presence(&desk, &asked).await, there);
    refused(&desk, &asked, "agent_not_offline").await;
    app.clock.advance(TimeDelta::minutes(10));
    // Another process of it does other things.
    agent.ask(json!({"mode": "async"})).await;
    let dismissed = desk.done(&asked, "dismiss", Value::Null).await;
    assert_eq!(
        (&dismissed["state"], &dismissed["cancel_code"]),
        (&json!("cancelled"), &json!("agent_offline"))
    );
    assert_eq!(dismissed["closed_by"], "desk");
    assert_eq!(dismissed["cancel_reason"], "The asking agent was offline.");
    assert_eq!(dismissed["agent_offline"], json!(null));
    refused(&desk, &asked, "already_closed").await;
    let unknown = json!({"id": "01890000-0000-7000-8000-000000000000"});
    let unknown = desk.send(&unknown, "dismiss", json!({})).await;
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
}

async fn an_agent_is_there_while_it_asks_or_listens_or_is_called_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("other").await);
    let desk = app.responder("desk").await;
    let listed = agent.ask(json!({"session_id": "listed"})).await;
    let silent = agent.ask(json!({"session_id": "silent"})).await;
    let listens = other.ask(json!({})).await;
    let goes_on = other.ask(json!({"mode": "async"})).await;
    let callback = json!({"callback_url": "https://agent.example/answers"});
    let called = app.agent("called").await.ask(callback).await;
    for asked in [&listed, &silent] {
        agent.poll(asked).await;
    }
    other.poll(&listens).await;
    app.clock.advance(TimeDelta::minutes(8));
    agent.read("/api/v1/interactions?session_id=listed").await;
    other.read("/api/v1/events").await;
    app.clock.advance(TimeDelta::minutes(8));
    for (asked, offline) in [
        (&listed, false),
        (&silent, true),
        (&listens, false),
        (&goes_on, false),
        (&called, false),
    ] {
        assert_eq!(presence(&desk, asked).await.1, offline, "{asked}");
    }
    app.clock.advance(TimeDelta::hours(7));
    for (asked, offline) in [(&listed, true), (&goes_on, true), (&called, false)] {
        assert_eq!(presence(&desk, asked).await.1, offline, "{asked}");
    }
    refused(&desk, &called, "agent_not_offline").await;
}

async fn what_is_dismissed_is_told_to_an_agent_that_comes_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    app.clock.advance(TimeDelta::minutes(10));
    desk.done(&asked, "dismiss", json!({})).await;
    let events = agent.read("/api/v1/events").await;
    let events = events["items"].as_array().unwrap();
    let dismissed = events
        .iter()
        .find(|event| event["type"] == "interaction.cancelled")
        .unwrap();
    let payload = json!({"reason": "The asking agent was offline.", "code": "agent_offline"});
    assert_eq!(dismissed["payload"], payload);
    assert_eq!(dismissed["actor"]["name"], "desk");
    // By the protocol, as a model reads it.
    let wait = json!({"id": asked["id"], "seconds": 0});
    let said = mcp::call(&agent, "wait_for_answer", wait).await;
    assert_eq!(said["structuredContent"]["outcome"], "cancelled");
    let text = said["content"][0]["text"].as_str().unwrap();
    holds(text, &["The asking agent was offline."]);
}

async fn an_approval_that_is_dismissed_is_not_approved(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let action = json!({"tool": "shell", "arguments": {"command": "make deploy"}});
    let asked = agent
        .ask(json!({"kind": "approval", "action": action}))
        .await;
    app.clock.advance(TimeDelta::minutes(10));
    let dismissed = desk.done(&asked, "dismiss", json!({})).await;
    assert_eq!(dismissed["approved"], json!(false));
    let run = agent.send(&asked, "consume", json!({"run": "r"})).await;
    let problem = json_of(run, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "not_approved");
    let receipt = agent.get(&format!("{}/receipt", path_of(&asked)));
    assert_eq!(
        receipt.send().await.unwrap().status(),
        StatusCode::NOT_FOUND
    );
}

async fn the_page_says_who_is_offline_and_dismisses_without_scripts(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let eve = app.sign_in("Eve", Role::Viewer).await;
    let first = agent.ask(json!({"prompt": "First?"})).await;
    let second = agent.ask(json!({"prompt": "Second?"})).await;
    let id = |asked: &Value| asked["id"].as_str().unwrap().to_owned();
    let dialog = format!("/blockers/{}", id(&first));
    let quick = format!("/q/{}", id(&second));
    for path in ["/", &dialog, &quick] {
        let page = read(&app, &ana, path).await;
        assert!(!page.contains(SAID) && !page.contains("Dismiss<"), "{path}");
    }
    // A form from somewhere else, while the agent is there.
    let form = [("id", &*id(&first)), ("dismiss", "1")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    let refused = app.submit("/ui/cancel-blocker", &ana, &form).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);

    app.clock.advance(TimeDelta::minutes(25));
    holds(&read(&app, &ana, "/").await, &["agent offline"]);
    for path in [&dialog, &quick] {
        let said = format!("{SAID}25 min.");
        holds(&read(&app, &ana, path).await, &[&said, "Dismiss"]);
        // Who only looks hears it, and has no button.
        let page = read(&app, &eve, path).await;
        holds(&page, &[&said]);
        assert!(!page.contains("Dismiss<"), "{path}");
    }
    let story = read(&app, &eve, &format!("/interactions/{}", id(&first))).await;
    holds(&story, &[SAID]);
    let by_viewer = app.submit("/ui/cancel-blocker", &eve, &form).await;
    assert_eq!(by_viewer.status(), StatusCode::FORBIDDEN);

    let fields = [("id", &*id(&first)), ("dismiss", "1")];
    let closed = send(&app, &ana, &dialog, "cancel-blocker", &fields).await;
    holds(&closed, &["The asking agent was offline."]);
    let dismiss = async || {
        let form = app
            .post(&quick)
            .header("cookie", &ana)
            .header(header::ORIGIN, app.url(""))
            .form(&[("dismiss", "1")]);
        form.send().await.unwrap()
    };
    let dismissed = dismiss().await;
    assert_eq!(dismissed.status(), StatusCode::SEE_OTHER);
    assert_eq!(place(&dismissed), format!("{quick}?after={}", id(&second)));
    holds(
        &read(&app, &ana, &quick).await,
        &["You", "The asking agent was offline."],
    );
    // Twice is once.
    assert_eq!(dismiss().await.status(), StatusCode::SEE_OTHER);
    let seen = agent.poll(&second).await;
    assert_eq!(
        (&seen["closed_by"], &seen["version"]),
        (&json!("Ana"), &json!(2))
    );
    let story = read(&app, &ana, &format!("/interactions/{}", id(&first))).await;
    holds(&story, &["The asking agent was offline."]);
}

async fn a_page_that_is_open_hears_that_an_agent_fell_silent(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let mut socket = resumed(&app, &ana, app.last_seq().await).await;
    let resync = async |socket: &mut _| {
        while !matches!(next(socket).await, ServerFrame::Resync) {}
    };
    app.clock.advance(TimeDelta::minutes(10));
    resync(&mut socket).await;
    holds(&read(&app, &ana, "/").await, &["agent offline"]);
    // And that it is back.
    agent.poll(&asked).await;
    resync(&mut socket).await;
    assert!(!read(&app, &ana, "/").await.contains("agent offline"));
}

async fn ended(agent: &Caller<'_>, session: &str) -> Vec<Value> {
    let end = agent.post("/api/v1/sessions/end");
    let end = end.json(&json!({ "session_id": session })).send().await;
    let ended = json_of(end.unwrap(), StatusCode::OK).await;
    ended["items"].as_array().unwrap().clone()
}

async fn the_end_of_a_session_takes_along_what_asked_for_it_and_nothing_else(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("other").await);
    let desk = app.responder("desk").await;
    let flagged = json!({"session_id": "s/1", "withdraw_on_disconnect": true});
    let goes = agent.ask(flagged.clone()).await;
    assert_eq!(goes["withdraw_on_disconnect"], true);
    let answered = agent.ask(flagged.clone()).await;
    desk.answer(&answered, "80").await;
    let stays = [
        agent.ask(json!({"session_id": "s/1"})).await,
        agent
            .ask(json!({"session_id": "s/2", "withdraw_on_disconnect": true}))
            .await,
        other.ask(flagged.clone()).await,
    ];
    let ids = |all: &[Value]| all.iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
    let taken = ended(&agent, "s/1").await;
    assert_eq!(ids(&taken), ids(std::slice::from_ref(&goes)));
    assert_eq!(taken[0]["cancel_code"], "session_ended");
    assert_eq!(taken[0]["cancel_reason"], "The agent's session has ended.");
    assert_eq!(taken[0]["closed_by"], "backend");
    // Again changes nothing.
    assert_eq!(ended(&agent, "s/1").await, [json!(null); 0]);
    for (one, by) in stays.iter().zip([&agent, &agent, &other]) {
        assert_eq!(by.poll(one).await["state"], "pending");
    }
    assert_eq!(agent.poll(&answered).await["outcome"], "answered");
    // There may be another session of that name.
    let later = agent.ask(flagged).await;
    assert_eq!(later["state"], "pending");

    let by_responder = desk.post("/api/v1/sessions/end");
    let by_responder = by_responder.json(&json!({"session_id": "s/1"}));
    let refused = by_responder.send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    for body in [
        json!({}),
        json!({"session_id": " "}),
        json!({"session_id": "s", "x": 1}),
    ] {
        let refused = agent.post("/api/v1/sessions/end").json(&body).send().await;
        let status = refused.unwrap().status();
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    }
    let alone = json!({"kind": "question", "prompt": "?", "withdraw_on_disconnect": true});
    let refused = agent.post("/api/v1/interactions").json(&alone).send().await;
    let problem = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "withdraw_on_disconnect");
}

async fn a_request_that_ends_ends_no_session(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.mcp_hold_seconds = 0).await;
    let agent = app.agent("backend").await;
    let arguments = json!({
        "prompt": "Which port?", "session_id": "run", "withdraw_on_disconnect": true,
    });
    let asked = mcp::call(&agent, "ask_human", arguments).await;
    let id = json!({"id": asked["structuredContent"]["id"]});
    assert_eq!(agent.poll(&id).await["withdraw_on_disconnect"], true);
    // Clients of the older versions say so when they go; here are no sessions of the protocol.
    assert_eq!(
        agent.delete("/mcp").send().await.unwrap().status(),
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(agent.poll(&id).await["state"], "pending");
    assert_eq!(ended(&agent, "run").await.len(), 1);
}

async fn the_program_ends_sessions(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.mcp_hold_seconds = 0).await;
    let agent = app.agent("backend").await;
    let run = async |arguments: &[&str], input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
        let mut child = command
            .args(arguments)
            .env("HANDRAISE_URL", app.url(""))
            .env("HANDRAISE_TOKEN", &agent.token)
            .env("HANDRAISE_KNOWN_SERVERS", app.known_servers())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).await.unwrap();
        drop(stdin);
        child.wait_with_output().await.unwrap()
    };
    let flagged = |session: &str| json!({"session_id": session, "withdraw_on_disconnect": true});
    let asked = agent.ask(flagged("nightly")).await;
    let output = run(&["end-session", "nightly"], "").await;
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.trim(), asked["id"].as_str().unwrap());
    assert_eq!(agent.poll(&asked).await["cancel_code"], "session_ended");

    // Claude Code says that a session is over.
    let asked = agent.ask(flagged("abc")).await;
    let end = json!({
        "session_id": "abc", "transcript_path": "/x", "cwd": "/", "hook_event_name": "SessionEnd",
        "reason": "other",
    });
    let output = run(&["hook", "claude-code"], &end.to_string()).await;
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert_eq!(agent.poll(&asked).await["cancel_code"], "session_ended");

    // A client of the bridge goes.
    let ask = |session: &str, withdraw: bool| {
        let arguments = json!({
            "prompt": "?", "session_id": session, "withdraw_on_disconnect": withdraw,
        });
        format!("{}\n", mcp::tool_call("ask_human", arguments))
    };
    let output = run(&["mcp"], &ask("goes", true)).await;
    assert!(output.status.success(), "{output:?}");
    let output = run(&["mcp"], &ask("stays", false)).await;
    assert!(output.status.success(), "{output:?}");
    let state = async |session: &str| {
        let list = agent
            .read(&format!("/api/v1/interactions?session_id={session}"))
            .await;
        list["items"][0]["state"].clone()
    };
    assert_eq!(state("goes").await, "cancelled");
    assert_eq!(state("stays").await, "pending");

    // Asked by the command line, which waits for it.
    let asking = run(
        &[
            "ask",
            "--prompt",
            "?",
            "--session",
            "cli",
            "--withdraw-on-disconnect",
        ],
        "",
    );
    let (desk, after) = (app.responder("desk").await, app.last_seq().await);
    let ending = async {
        mcp::question_after(&desk, after).await;
        assert_eq!(ended(&agent, "cli").await.len(), 1);
    };
    let (output, ()) = tokio::join!(asking, ending);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}
