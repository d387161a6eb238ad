//! `handraise opencode` beside a server that asks what OpenCode's asks.

use std::process::{Child, Command, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    mcp::question_after,
    opencode::{FOLDER, OpenCode},
};

store::on_both_databases!(
    what_people_say_is_replied_once_and_how_it_went_is_reported,
    the_terminal_may_be_first_and_no_reply_follows,
    a_follower_that_is_killed_asks_once_and_replies_once,
    a_server_that_is_away_is_asked_again_for_all_that_waits,
    a_question_of_the_model_is_answered,
);

/// Ended when it is dropped.
struct Follower(Child);

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn follow(app: &TestApp, agent: &Caller<'_>, opencode: &OpenCode) -> Follower {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .args(["opencode", &opencode.url(), "--name", "coder"])
        .env("HANDRAISE_URL", app.url(""))
        .env("HANDRAISE_TOKEN", &agent.token)
        .env("HANDRAISE_PUBLIC_KEY", app.public_key())
        .env("OPENCODE_SERVER_PASSWORD", "secret")
        .stdin(Stdio::null());
    Follower(command.spawn().unwrap())
}

fn bash(id: &str) -> Value {
    json!({
        "id": id, "sessionID": "ses_1", "permission": "bash", "patterns": ["npm test"],
        "metadata": { "command": "npm test" }, "always": ["npm *"],
        "tool": { "messageID": "msg_1", "callID": "call_1" },
    })
}

async fn asked_after(desk: &Caller<'_>, after: i64) -> Value {
    desk.poll(&question_after(desk, after).await).await
}

/// Until it is closed, and what came of it if it is to be heard.
async fn seen(caller: &Caller<'_>, asked: &Value) -> Value {
    let request = caller.get(&path_of(asked)).header("prefer", "wait=30");
    json_of(request.send().await.unwrap(), StatusCode::OK).await
}

/// What the agent reports, once it has.
async fn reported(agent: &Caller<'_>, desk: &Caller<'_>, asked: &Value) -> Value {
    let mut after = json!(0);
    loop {
        let page = desk.get(&format!("/api/v1/events?after={after}"));
        let page = page.header("prefer", "wait=30").send().await.unwrap();
        let page = json_of(page, StatusCode::OK).await;
        let mut events = page["items"].as_array().unwrap().iter();
        if events.any(|it| it["type"] == "interaction.reported") {
            return agent.poll(asked).await["report"].clone();
        }
        after = page["last_seq"].clone();
    }
}

async fn what_people_say_is_replied_once_and_how_it_went_is_reported(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut opencode = OpenCode::start(0).await;
    // It waits before there is a follower.
    opencode.ask("permission.asked", &bash("per_1"), false);
    let _follower = follow(&app, &agent, &opencode);
    let asked = asked_after(&desk, 0).await;
    assert_eq!(asked["action"]["tool"], "coder/bash");
    assert_eq!(asked["session_id"], "ses_1");
    let arguments = &asked["action"]["arguments"];
    assert_eq!(arguments["cwd"], FOLDER);
    assert_eq!(arguments["request"]["metadata"]["command"], "npm test");
    assert_eq!(arguments["request"]["input"]["workdir"], "/srv/project/web");
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    let (path, reply) = opencode.replied().await;
    assert_eq!(path, "/permission/per_1/reply");
    assert_eq!(reply, json!({ "reply": "once" }));
    let run = agent.poll(&asked).await["consumed"]["run"].clone();
    assert_eq!(run, "opencode opencode:ses_1:per_1");
    opencode.end_call("call_1", "error");
    assert_eq!(reported(&agent, &desk, &asked).await["outcome"], "failed");

    let after = app.last_seq().await;
    let mut newer =
        json!({ "id": "per_2", "sessionID": "ses_1", "action": "bash", "resources": ["ls"] });
    newer["save"] = json!(["ls *"]);
    opencode.ask("permission.v2.asked", &newer, true);
    let asked = asked_after(&desk, after).await;
    let mut arguments = asked["action"]["arguments"].clone();
    arguments["option"] = "always".into();
    let answer = json!({ "approved": true, "arguments": arguments });
    desk.done(&asked, "answer", answer).await;
    let (path, reply) = opencode.replied().await;
    assert_eq!(path, "/api/session/ses_1/permission/per_2/reply");
    assert_eq!(reply, json!({ "reply": "always" }));

    let after = app.last_seq().await;
    opencode.ask("permission.asked", &bash("per_3"), true);
    let asked = asked_after(&desk, after).await;
    let answer = json!({ "approved": false, "text": "not at night" });
    desk.done(&asked, "answer", answer).await;
    let (_, reply) = opencode.replied().await;
    assert_eq!(reply["reply"], "reject");
    let why = reply["message"].as_str().unwrap();
    assert!(why.ends_with("denied it: not at night"), "{why}");
    assert!(!opencode.has_replies());
}

async fn the_terminal_may_be_first_and_no_reply_follows(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let opencode = OpenCode::start(0).await;
    opencode.ask("permission.asked", &bash("per_1"), false);
    let _follower = follow(&app, &agent, &opencode);
    let asked = asked_after(&desk, 0).await;
    opencode.answer_in_terminal("permission.replied", "per_1");
    let closed = seen(&desk, &asked).await;
    assert_eq!(closed["state"], "cancelled", "{closed}");
    assert_eq!(closed["cancel_reason"], "answered in the terminal");

    // OpenCode lists what it asked in a turn that was aborted on, and says only that its tool has ended.
    let after = app.last_seq().await;
    opencode.ask("permission.asked", &bash("per_2"), true);
    let asked = asked_after(&desk, after).await;
    opencode.end_call("call_1", "error");
    let closed = seen(&desk, &asked).await;
    assert_eq!(closed["state"], "cancelled", "{closed}");
    assert!(!opencode.has_replies());
}

async fn a_follower_that_is_killed_asks_once_and_replies_once(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut opencode = OpenCode::start(0).await;
    opencode.ask("permission.asked", &bash("per_1"), false);
    let follower = follow(&app, &agent, &opencode);
    let asked = asked_after(&desk, 0).await;
    drop(follower);
    // Answered while it is away.
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    let after = app.last_seq().await;
    let follower = follow(&app, &agent, &opencode);
    let (_, reply) = opencode.replied().await;
    assert_eq!(reply, json!({ "reply": "once" }));
    drop(follower);

    opencode.ask("permission.asked", &bash("per_2"), false);
    let follower = follow(&app, &agent, &opencode);
    let asked = asked_after(&desk, after).await;
    assert_ne!(asked["state"], "resolved");
    drop(follower);
    let _follower = follow(&app, &agent, &opencode);
    desk.done(&asked, "answer", json!({ "approved": false }))
        .await;
    assert_eq!(opencode.replied().await.1["reply"], "reject");
    let all = json_of(
        desk.get("/api/v1/interactions").send().await.unwrap(),
        StatusCode::OK,
    )
    .await;
    assert_eq!(all["items"].as_array().unwrap().len(), 2, "{all}");
    assert!(!opencode.has_replies());
}

async fn a_server_that_is_away_is_asked_again_for_all_that_waits(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let opencode = OpenCode::start(0).await;
    let port = opencode.port;
    opencode.ask("permission.asked", &bash("per_1"), false);
    let _follower = follow(&app, &agent, &opencode);
    let asked = asked_after(&desk, 0).await;
    // It is started anew, and has forgotten what it asked.
    opencode.stop().await;
    let after = app.last_seq().await;
    let mut opencode = OpenCode::start(port).await;
    opencode.ask("permission.asked", &bash("per_2"), false);
    let next = asked_after(&desk, after).await;
    let closed = seen(&desk, &asked).await;
    assert_eq!(closed["state"], "cancelled", "{closed}");
    assert_eq!(closed["cancel_reason"], "OpenCode asks it no longer");
    desk.done(&next, "answer", json!({ "approved": true }))
        .await;
    assert_eq!(opencode.replied().await.0, "/permission/per_2/reply");
    assert!(!opencode.has_replies());
}

async fn a_question_of_the_model_is_answered(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut opencode = OpenCode::start(0).await;
    let options = json!([
        { "label": "SQLite", "description": "one file" },
        { "label": "Postgres", "description": "a server" },
    ]);
    let question = json!({ "id": "que_1", "sessionID": "ses_1", "questions": [
        { "question": "Which database?", "header": "Database", "options": options },
    ]});
    opencode.ask("question.asked", &question, false);
    let _follower = follow(&app, &agent, &opencode);
    let asked = asked_after(&desk, 0).await;
    assert_eq!(asked["kind"], "choice");
    desk.done(&asked, "answer", json!({ "selected": ["Postgres"] }))
        .await;
    let (path, reply) = opencode.replied().await;
    assert_eq!(path, "/question/que_1/reply");
    assert_eq!(reply, json!({ "answers": [["Postgres"]] }));
}
