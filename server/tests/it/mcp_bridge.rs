//! `handraise mcp`, line by line.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Output, Stdio},
};

use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::{net::TcpListener, sync::mpsc};

use crate::app::TestApp;

store::on_both_databases!(
    a_restart_between_two_calls_is_not_noticed,
    what_goes_wrong_is_an_answer_to_the_call,
);

/// The program, with a client at its other end.
struct Bridge {
    child: Child,
    input: ChildStdin,
    lines: mpsc::UnboundedReceiver<String>,
}

fn command(url: &str, token: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command.arg("mcp");
    command.env("HANDRAISE_URL", url);
    command.env("HANDRAISE_TOKEN", token);
    command
}

impl Bridge {
    fn start(url: &str, token: &str) -> Self {
        let mut command = command(url, token);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                send.send(line.unwrap()).unwrap();
            }
        });
        Self {
            input: child.stdin.take().unwrap(),
            child,
            lines,
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.lines.recv().await.unwrap()).unwrap()
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.say(&call.to_string());
        let said = self.hear().await;
        assert_eq!(said["id"], 7);
        said["result"]["structuredContent"].clone()
    }

    /// It goes when nobody speaks to it any more.
    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

async fn a_restart_between_two_calls_is_not_noticed(database: TestDatabase) {
    let first = TestApp::start_with(&database, |config| config.mcp_hold_seconds = 0).await;
    let agent = first.agent("backend").await;
    let desk = first.responder("desk").await.token;
    let mut bridge = Bridge::start(&first.url(""), &agent.token);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    }});
    bridge.say(&hello.to_string());
    let said = bridge.hear().await;
    assert_eq!(said["result"]["protocolVersion"], "2025-11-25");
    bridge.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let asked = bridge
        .call("ask_human", json!({ "prompt": "Which port?" }))
        .await;
    assert_eq!(asked["state"], "pending");

    let addr = first.addr;
    first.stop().await;
    // A call that comes while the server is away waits for the next one.
    let arguments = json!({ "id": asked["id"], "seconds": 0 });
    let waiting = bridge.call("wait_for_answer", arguments.clone());
    let starting = async {
        let listener = TcpListener::bind(addr).await.unwrap();
        TestApp::start_at(listener, &database, |_| {}).await
    };
    let (still, second) = tokio::join!(waiting, starting);
    assert_eq!(still["state"], "pending");
    let path = format!(
        "/api/v1/interactions/{}/answer",
        asked["id"].as_str().unwrap()
    );
    let answer = second
        .post(&path)
        .bearer_auth(desk)
        .json(&json!({ "text": "80" }));
    assert_eq!(answer.send().await.unwrap().status(), 200);
    let answered = bridge.call("wait_for_answer", arguments).await;
    assert_eq!(answered["answer"]["text"], "80");
    bridge.end();
}

async fn what_goes_wrong_is_an_answer_to_the_call(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let mut bridge = Bridge::start(&app.url("/"), "hr_agent_nobody");
    bridge.say("no JSON");
    assert_eq!(bridge.hear().await["error"]["code"], -32_700);
    // Nobody waits for an answer to this one.
    bridge.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    bridge.say(r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#);
    let said = bridge.hear().await;
    assert_eq!(said["id"], "a");
    let message = said["error"]["message"].as_str().unwrap();
    assert!(message.contains("401"), "{message}");
    assert!(
        message.contains("This token is not known here"),
        "{message}"
    );
    bridge.end();

    let Output { status, stderr, .. } = command(&app.url(""), "").output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(!status.success());
    assert!(
        said.starts_with("handraise: HANDRAISE_TOKEN is not set"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1);
}
