//! `handraise mcp proxy` in front of a server that is made with the official package.

use std::{fs, path::PathBuf, process::Command};

use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    mcp::{Stdio, question_after},
    node, python,
};

store::on_both_databases!(
    a_call_reaches_the_server_once_people_have_approved_it,
    an_approval_that_is_not_proven_is_none,
    people_change_arguments_and_what_does_not_fit_does_not_run,
    several_calls_at_once_get_each_its_own_answer,
    what_is_no_longer_waited_for_is_taken_back,
    a_server_that_dies_leaves_no_call_open,
    a_client_hears_that_people_are_asked,
    pypis_client_is_let_through,
    pypis_client_of_before_2026_is_let_through,
    npms_client_is_let_through,
);

const SERVER: &str = r#"
import os, sys
from typing import Annotated
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("a name that no policy hears")

def note(line):
    with open(sys.argv[1], "a") as log:
        log.write(line + "\n")

class Port(BaseModel):
    port: int = Field(ge=1, le=9000)

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look() -> str:
    note("look")
    return os.environ.get("HANDRAISE_TOKEN", "no token")

@server.tool()
def write(path: str, replicas: int = 1) -> str:
    note(f"write {path} {replicas}")
    return f"wrote {path}"

@server.tool()
def fail() -> str:
    raise ValueError("the disk is full")

@server.tool()
def die() -> str:
    note("die")
    os._exit(3)

def which() -> Elicit[Port]:
    return Elicit("Which port?", Port)

@server.tool()
def listen(port: Annotated[Port, Resolve(which)]) -> str:
    note(f"listen {port.port}")
    return f"listens on {port.port}"

server.run("stdio")
"#;

const PYTHON: &str = r#"
import asyncio, json, sys
from mcp import Client, StdioServerParameters

given = json.load(sys.stdin)

async def main():
    server = StdioServerParameters(command=given["program"], args=given["args"], env=given["env"])
    async with Client(server, mode=given["mode"]) as client:
        await client.list_tools()
        said = {"look": await client.call_tool("look", {})}
        said["write"] = await client.call_tool("write", {"path": "/x"})
        said["listen"] = await client.call_tool("listen", {})
        said["denied"] = await client.call_tool("write", {"path": "/y"})
        said = {name: one.model_dump(mode="json", by_alias=True) for name, one in said.items()}
        print(json.dumps(said))

asyncio.run(main())
"#;

const NODE: &str = r#"
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const transport = new StdioClientTransport({ command: input.program, args: input.args, env: input.env });
(async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    await client.listTools();
    const said = {};
    said.look = await client.callTool({ name: "look", arguments: {} });
    said.write = await client.callTool({ name: "write", arguments: { path: "/x" } });
    said.listen = await client.callTool({ name: "listen", arguments: {} });
    said.denied = await client.callTool({ name: "write", arguments: { path: "/y" } });
    process.stdout.write(JSON.stringify(said));
    await client.close();
})();
"#;

/// The proxy, and what the server behind it notes that it has done.
struct Proxied {
    stdio: Stdio,
    log: Log,
}

struct Log {
    folder: tempfile::TempDir,
}

impl Log {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn arguments(log: &Log, more: &[&str]) -> Vec<String> {
    let python = python::command();
    let mut all: Vec<String> = ["mcp", "proxy", "--name", "files"]
        .map(str::to_owned)
        .to_vec();
    all.extend(more.iter().map(|&it| it.to_owned()));
    all.push("--".to_owned());
    all.push(python.get_program().to_str().unwrap().to_owned());
    all.extend(["-c", SERVER].map(str::to_owned));
    all.push(log.path().to_str().unwrap().to_owned());
    all
}

impl Proxied {
    async fn start(app: &TestApp, agent: &Caller<'_>, more: &[&str]) -> Self {
        Self::with_key(app, agent, more, &app.public_key()).await
    }

    async fn with_key(app: &TestApp, agent: &Caller<'_>, more: &[&str], key: &str) -> Self {
        let log = Log::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
        command.args(arguments(&log, more));
        command.env("HANDRAISE_URL", app.url(""));
        command.env("HANDRAISE_TOKEN", &agent.token);
        command.env("HANDRAISE_PUBLIC_KEY", key);
        let mut proxied = Self {
            stdio: Stdio::of(command),
            log,
        };
        let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        }});
        proxied.stdio.say(&hello.to_string());
        assert_eq!(proxied.stdio.hear().await["id"], "hello");
        proxied
            .stdio
            .say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        proxied
            .stdio
            .say(r#"{"jsonrpc":"2.0","id":"tools","method":"tools/list"}"#);
        assert_eq!(
            proxied.stdio.hear().await["result"]["tools"][1]["name"],
            "write"
        );
        proxied
    }

    fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        self.stdio.say(&call.to_string());
    }

    /// What a call returns, and its text.
    async fn heard(&mut self, id: u32) -> (Value, String) {
        let said = self.stdio.hear().await;
        assert_eq!(said["id"], id, "{said}");
        let text = said["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        (said["result"].clone(), text.to_owned())
    }

    /// Calls a tool that people are asked about.
    async fn asks(
        &mut self,
        app: &TestApp,
        desk: &Caller<'_>,
        (id, tool): (u32, &str),
        arguments: Value,
    ) -> Value {
        let after = app.last_seq().await;
        self.call(id, tool, arguments);
        let asked = question_after(desk, after).await;
        desk.poll(&asked).await
    }
}

/// What is known of it as soon as it is reported.
async fn reported(desk: &Caller<'_>, asked: &Value) -> Value {
    let mut after = json!(0);
    loop {
        let page = desk.get(&format!("/api/v1/events?after={after}"));
        let page = page.header("prefer", "wait=30").send().await.unwrap();
        let page = json_of(page, StatusCode::OK).await;
        let mut events = page["items"].as_array().unwrap().iter();
        let is_it = |event: &&Value| {
            event["type"] == "interaction.reported" && event["interaction_id"] == asked["id"]
        };
        if events.any(|event| is_it(&event)) {
            return desk.poll(asked).await;
        }
        after = page["last_seq"].clone();
    }
}

async fn a_call_reaches_the_server_once_people_have_approved_it(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut proxied = Proxied::start(&app, &agent, &[]).await;
    // It only reads; and the server does not get the agent's token.
    proxied.call(1, "look", json!({}));
    assert_eq!(proxied.heard(1).await.1, "no token");

    let arguments = json!({ "path": "/x" });
    let asked = proxied
        .asks(&app, &desk, (2, "write"), arguments.clone())
        .await;
    assert_eq!(
        asked["action"],
        json!({ "tool": "files/write", "arguments": arguments })
    );
    assert_eq!(proxied.log.lines(), ["look"]);
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    let (result, text) = proxied.heard(2).await;
    assert_eq!((&result["isError"], &*text), (&json!(false), "wrote /x"));
    let seen = reported(&desk, &asked).await;
    assert_eq!(seen["report"]["outcome"], "done");
    assert!(
        seen["consumed"]["run"]
            .as_str()
            .unwrap()
            .starts_with("mcp proxy ")
    );

    let asked = proxied
        .asks(&app, &desk, (3, "write"), json!({ "path": "/etc" }))
        .await;
    let no = json!({ "approved": false, "text": "not there" });
    desk.done(&asked, "answer", no).await;
    let (result, text) = proxied.heard(3).await;
    assert_eq!(result["isError"], true);
    assert_eq!(text, "This call was not made. desk denied it: not there");

    let asked = proxied.asks(&app, &desk, (4, "fail"), json!({})).await;
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    assert_eq!(proxied.heard(4).await.0["isError"], true);
    assert_eq!(reported(&desk, &asked).await["report"]["outcome"], "failed");

    // Two readers could take it for two calls.
    let twice = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"write","arguments":{"path":"/a","path":"/b"}}}"#;
    proxied.stdio.say(twice);
    assert!(proxied.heard(5).await.1.contains("in several ways"));
    assert_eq!(proxied.log.lines(), ["look", "write /x 1"]);
    proxied.stdio.end();
}

async fn an_approval_that_is_not_proven_is_none(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let other = signing::SigningKey::from_seed([9; 32])
        .verifying_key()
        .to_string();
    let mut proxied = Proxied::with_key(&app, &agent, &[], &other).await;
    let asked = proxied
        .asks(&app, &desk, (1, "write"), json!({ "path": "/x" }))
        .await;
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    let (result, text) = proxied.heard(1).await;
    assert_eq!(result["isError"], true);
    assert!(text.starts_with("This call was not made."), "{text}");
    assert_eq!(agent.poll(&asked).await["consumed"], Value::Null);

    // People have their time, and no more.
    let mut hasty = Proxied::start(&app, &agent, &["--timeout", "1"]).await;
    let asked = hasty
        .asks(&app, &desk, (1, "write"), json!({ "path": "/x" }))
        .await;
    assert_eq!(hasty.heard(1).await.0["isError"], true);
    // It waited by its own clock; the server's stands still until here.
    app.clock.advance(TimeDelta::seconds(1));
    app.state.service.expire_due().await.unwrap();
    assert_eq!(agent.poll(&asked).await["state"], "expired");
    for proxied in [proxied, hasty] {
        assert!(proxied.log.lines().is_empty());
        proxied.stdio.end();
    }
}

async fn people_change_arguments_and_what_does_not_fit_does_not_run(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut proxied = Proxied::start(&app, &agent, &["--amendable"]).await;
    for (id, replicas, is_run) in [(1, json!(2), true), (2, json!("two"), false)] {
        let arguments = json!({ "path": "/x", "replicas": 5 });
        let asked = proxied.asks(&app, &desk, (id, "write"), arguments).await;
        assert_eq!(asked["amendable"], true);
        let changed = json!({ "path": "/x", "replicas": replicas });
        let answer = json!({ "approved": true, "arguments": changed });
        desk.done(&asked, "answer", answer).await;
        let (result, text) = proxied.heard(id).await;
        assert_eq!(result["isError"], !is_run, "{text}");
        if !is_run {
            assert!(text.contains("/replicas: "), "{text}");
            assert_eq!(agent.poll(&asked).await["consumed"], Value::Null);
        }
    }
    assert_eq!(proxied.log.lines(), ["write /x 2"]);
    proxied.stdio.end();
}

async fn several_calls_at_once_get_each_its_own_answer(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut proxied = Proxied::start(&app, &agent, &[]).await;
    let first = proxied
        .asks(&app, &desk, (1, "write"), json!({ "path": "/1" }))
        .await;
    let second = proxied
        .asks(&app, &desk, (2, "write"), json!({ "path": "/2" }))
        .await;
    // One id is one call.
    proxied.call(2, "write", json!({ "path": "/3" }));
    assert_eq!(proxied.stdio.hear().await["error"]["code"], -32_600);
    desk.done(&second, "answer", json!({ "approved": true }))
        .await;
    assert_eq!(proxied.heard(2).await.1, "wrote /2");
    desk.done(&first, "answer", json!({ "approved": false }))
        .await;
    assert_eq!(proxied.heard(1).await.0["isError"], true);
    assert_eq!(proxied.log.lines(), ["write /2 1"]);
    proxied.stdio.end();
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

async fn what_is_no_longer_waited_for_is_taken_back(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut proxied = Proxied::start(&app, &agent, &[]).await;
    let cancelled = proxied
        .asks(&app, &desk, (1, "write"), json!({ "path": "/x" }))
        .await;
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 },
    });
    proxied.stdio.say(&cancel.to_string());
    is_taken_back(&desk, &cancelled).await;
    // It has no reply, and its id may be used again.
    let left = proxied
        .asks(&app, &desk, (1, "write"), json!({ "path": "/y" }))
        .await;
    let log = proxied.log;
    proxied.stdio.end();
    is_taken_back(&desk, &left).await;
    assert!(log.lines().is_empty());
}

async fn a_server_that_dies_leaves_no_call_open(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut proxied = Proxied::start(&app, &agent, &[]).await;
    let waits = proxied
        .asks(&app, &desk, (1, "write"), json!({ "path": "/x" }))
        .await;
    let dies = proxied.asks(&app, &desk, (2, "die"), json!({})).await;
    desk.done(&dies, "answer", json!({ "approved": true }))
        .await;
    let mut ended = [proxied.stdio.hear().await, proxied.stdio.hear().await];
    ended.sort_by_key(|said| said["id"].as_u64());
    for (said, id) in ended.iter().zip(1..) {
        assert_eq!(
            (&said["id"], &said["error"]["code"]),
            (&json!(id), &json!(-32_603))
        );
    }
    is_taken_back(&desk, &waits).await;
    assert_eq!(reported(&desk, &dies).await["report"]["outcome"], "failed");
    assert!(!proxied.stdio.child.wait().unwrap().success());
    assert_eq!(proxied.log.lines(), ["die"]);
}

async fn a_client_hears_that_people_are_asked(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut proxied = Proxied::start(&app, &agent, &["--tools", "wr*"]).await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "write", "arguments": { "path": "/x" }, "_meta": { "progressToken": "p" },
    }});
    proxied.stdio.say(&call.to_string());
    let told = proxied.stdio.hear().await;
    assert_eq!(told["method"], "notifications/progress");
    assert_eq!(told["params"]["progressToken"], "p");
    let asked = question_after(&desk, 0).await;
    let id = asked["id"].as_str().unwrap();
    assert!(
        told["params"]["message"].as_str().unwrap().contains(id),
        "{told}"
    );
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    loop {
        let said = proxied.stdio.hear().await;
        if said["id"] == 1 {
            assert_eq!(said["result"]["isError"], false);
            break;
        }
        assert_eq!(said["method"], "notifications/progress");
    }
    proxied.stdio.end();
}

async fn pypis_client_is_let_through(database: TestDatabase) {
    lets_through(&database, python::run_script, PYTHON, "auto").await;
}

async fn pypis_client_of_before_2026_is_let_through(database: TestDatabase) {
    lets_through(&database, python::run_script, PYTHON, "legacy").await;
}

async fn npms_client_is_let_through(database: TestDatabase) {
    lets_through(&database, node::run_script, NODE, "").await;
}

/// None of them asks its user, so people answer the server as well.
async fn lets_through(
    database: &TestDatabase,
    run: fn(&str, &Value) -> String,
    script: &'static str,
    mode: &str,
) {
    let app = TestApp::start_now(database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let log = Log::new();
    let input = json!({
        "mode": mode, "program": env!("CARGO_BIN_EXE_handraise"), "args": arguments(&log, &[]),
        "env": {
            "HANDRAISE_URL": app.url(""), "HANDRAISE_TOKEN": agent.token, "HANDRAISE_PUBLIC_KEY": app.public_key(),
        },
    });
    let client = tokio::task::spawn_blocking(move || run(script, &input));
    let (said, ()) = tokio::join!(client, answer_all(&desk));
    let said: Value = serde_json::from_str(&said.unwrap()).unwrap();
    let text = |name: &str| {
        said[name]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(text("look"), "no token");
    assert_eq!(text("write"), "wrote /x");
    assert_eq!(text("listen"), "listens on 80");
    assert_eq!(text("denied"), "This call was not made. desk denied it");
    assert_eq!(said["denied"]["isError"], true);
    assert_eq!(log.lines(), ["look", "write /x 1", "listen 80"]);
}

/// One answer does not fit, and is asked for again.
async fn answer_all(desk: &Caller<'_>) {
    let mut after = 0;
    for (kind, answer) in [
        ("approval", json!({ "approved": true })),
        ("approval", json!({ "approved": true })),
        ("question", json!({ "text": "9001" })),
        ("question", json!({ "text": "80" })),
        ("approval", json!({ "approved": false })),
    ] {
        let asked = desk.poll(&question_after(desk, after).await).await;
        assert_eq!(asked["kind"], kind, "{asked}");
        if answer["text"] == "80" {
            let prompt = asked["prompt"].as_str().unwrap();
            assert!(prompt.contains("Which port?"), "{prompt}");
            assert!(
                prompt.contains("The answer before does not fit: /port: "),
                "{prompt}"
            );
        }
        after = last_seq(desk).await;
        desk.done(&asked, "answer", answer).await;
    }
}

async fn last_seq(desk: &Caller<'_>) -> i64 {
    desk.read("/api/v1/events?limit=1000").await["last_seq"]
        .as_i64()
        .unwrap()
}
