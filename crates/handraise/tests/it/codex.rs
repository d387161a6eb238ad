//! `handraise codex` between a client and a program that asks what `codex app-server` asks. Codex itself asks nothing without a
//! model; its messages are held against its schemas in `crates/agent/src/race/codex/tests.rs`.

use std::{fs, process::Command};

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    mcp::{Stdio, question_after},
};

store::on_both_databases!(
    what_people_approve_is_the_command_and_the_changes,
    the_client_may_be_first_and_codex_may_resolve_it,
    a_question_of_the_model_is_answered_and_a_secret_stays_with_the_client,
);

/// Says the lines that its client gives it, and what it hears as an answer.
const APP_SERVER: &str = r#"
const readline = require("node:readline");
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
say({ method: "started", params: process.argv.slice(2) });
readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === "say") message.params.forEach(say);
    else say({ method: "heard", params: message });
});
"#;

struct Connected {
    stdio: Stdio,
    _folder: tempfile::TempDir,
}

impl Connected {
    async fn start(app: &TestApp, agent: &Caller<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // What Node.js is told to run.
        fs::write(folder.path().join("app-server"), APP_SERVER).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
        command
            .current_dir(folder.path())
            .args(["codex", "--program", "node", "--", "-c", "model=none"])
            .env("HANDRAISE_URL", app.url(""))
            .env("HANDRAISE_TOKEN", &agent.token)
            .env("HANDRAISE_PUBLIC_KEY", app.public_key());
        let mut connected = Self {
            stdio: Stdio::of(command),
            _folder: folder,
        };
        let started = connected.stdio.hear().await;
        assert_eq!(started["params"], json!(["-c", "model=none"]));
        connected
    }

    /// Codex says this; the client sees it as it is.
    async fn says(&mut self, messages: &[Value]) {
        let say = json!({ "method": "say", "params": messages });
        self.stdio.say(&say.to_string());
        for message in messages {
            assert_eq!(self.stdio.hear().await, *message);
        }
    }

    /// What Codex hears.
    async fn heard(&mut self) -> Value {
        let said = self.stdio.hear().await;
        assert_eq!(said["method"], "heard", "{said}");
        said["params"].clone()
    }
}

fn request(id: u32, method: &str, more: Value) -> Value {
    let mut params = json!({ "threadId": "t-1", "turnId": "u-1", "itemId": "i-1" });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    json!({ "id": id, "method": method, "params": params })
}

async fn what_people_approve_is_the_command_and_the_changes(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let command = json!({ "command": "cargo test", "cwd": "/srv", "startedAtMs": 1 });
    let asks = request(0, "item/commandExecution/requestApproval", command);
    connected.says(&[asks]).await;
    let asked = desk.poll(&question_after(&desk, 0).await).await;
    assert_eq!(asked["action"]["tool"], "codex/commandExecution");
    assert_eq!(asked["session_id"], "t-1");
    let mut arguments = asked["action"]["arguments"].clone();
    assert_eq!(arguments["cwd"], "/srv");
    assert_eq!(arguments["request"], json!({ "command": "cargo test" }));
    arguments["option"] = "acceptForSession".into();
    let answer = json!({ "approved": true, "arguments": arguments });
    desk.done(&asked, "answer", answer).await;
    let heard = json!({ "id": 0, "result": { "decision": "acceptForSession" } });
    assert_eq!(connected.heard().await, heard);
    let run = agent.poll(&asked).await["consumed"]["run"].clone();
    assert!(run.as_str().unwrap().starts_with("codex "), "{run}");
    // Too late.
    connected
        .stdio
        .say(r#"{"id":0,"result":{"decision":"accept"}}"#);

    let change = json!([{ "path": "/srv/a", "kind": { "type": "add" }, "diff": "hello\n" }]);
    let item =
        json!({ "type": "fileChange", "id": "i-1", "status": "inProgress", "changes": change });
    let started = json!({ "method": "item/started", "params": {
        "threadId": "t-1", "turnId": "u-1", "item": item, "startedAtMs": 1,
    }});
    let asks = request(
        1,
        "item/fileChange/requestApproval",
        json!({ "startedAtMs": 1 }),
    );
    let after = app.last_seq().await;
    connected.says(&[started, asks]).await;
    let asked = desk.poll(&question_after(&desk, after).await).await;
    let arguments = &asked["action"]["arguments"];
    assert_eq!(arguments["request"]["changes"], change);
    desk.done(&asked, "answer", json!({ "approved": false }))
        .await;
    let heard = json!({ "id": 1, "result": { "decision": "decline" } });
    assert_eq!(connected.heard().await, heard);
    connected.stdio.end();
}

async fn is_taken_back(desk: &Caller<'_>, asked: &Value) {
    let closed = desk
        .get(&path_of(asked))
        .header("prefer", "wait=30")
        .send()
        .await;
    let closed = json_of(closed.unwrap(), StatusCode::OK).await;
    assert_eq!(closed["state"], "cancelled", "{closed}");
}

async fn the_client_may_be_first_and_codex_may_resolve_it(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let asks = |id: u32| {
        let command = json!({ "command": "make", "startedAtMs": 1 });
        request(id, "item/commandExecution/requestApproval", command)
    };
    connected.says(&[asks(0)]).await;
    let asked = desk.poll(&question_after(&desk, 0).await).await;
    let answer = json!({ "id": 0, "result": { "decision": "accept" } });
    connected.stdio.say(&answer.to_string());
    assert_eq!(connected.heard().await, answer);
    is_taken_back(&desk, &asked).await;

    let after = app.last_seq().await;
    connected.says(&[asks(1)]).await;
    let asked = desk.poll(&question_after(&desk, after).await).await;
    let params = json!({ "threadId": "t-1", "requestId": 1 });
    let resolved = json!({ "method": "serverRequest/resolved", "params": params });
    connected.says(&[resolved]).await;
    is_taken_back(&desk, &asked).await;
    connected.stdio.end();
}

async fn a_question_of_the_model_is_answered_and_a_secret_stays_with_the_client(
    database: TestDatabase,
) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let asks = |id: u32, is_secret: bool| {
        let question = json!({
            "id": "port", "header": "Port", "question": "Which?", "isSecret": is_secret, "isOther": false,
            "options": [{ "label": "80", "description": "plain" }, { "label": "443", "description": "TLS" }],
        });
        let more = json!({ "isBlocking": true, "questions": [question] });
        request(id, "item/tool/requestUserInput", more)
    };
    let after = app.last_seq().await;
    connected.says(&[asks(0, true), asks(1, false)]).await;
    let asked = desk.poll(&question_after(&desk, after).await).await;
    assert_eq!(asked["kind"], "choice");
    assert_eq!(
        desk.read("/api/v1/interactions?state=pending").await["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    desk.done(&asked, "answer", json!({ "selected": ["443"] }))
        .await;
    let result = json!({ "answers": { "port": { "answers": ["443"] } } });
    assert_eq!(
        connected.heard().await,
        json!({ "id": 1, "result": result })
    );
    connected.stdio.end();
}
