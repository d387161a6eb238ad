//! `/mcp` without a library: calls of its tools, and the questions that come of them.

use std::{
    io::{BufRead, BufReader, Write},
    process::{self, Child, ChildStdin, Command},
};

use reqwest::{RequestBuilder, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::caller::{Caller, json_of};

pub(crate) const NEWEST: &str = "2026-07-28";

pub(crate) fn sent(request: RequestBuilder, message: &Value) -> RequestBuilder {
    request
        .header(header::ACCEPT, "application/json, text/event-stream")
        .json(message)
}

pub(crate) async fn post(agent: &Caller<'_>, message: Value) -> Response {
    sent(agent.post("/mcp"), &message).send().await.unwrap()
}

/// A request as the newest version wants it: it says by itself what it is, and what its client can do.
pub(crate) async fn newest(
    agent: &Caller<'_>,
    method: &str,
    mut params: Value,
    capabilities: Value,
) -> Value {
    let name = params["name"].as_str().or(params["taskId"].as_str());
    let name = name.unwrap_or_default().to_owned();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = sent(agent.post("/mcp"), &message)
        .header("mcp-protocol-version", NEWEST)
        .header("mcp-method", method)
        .header("mcp-name", name);
    request.send().await.unwrap().json().await.unwrap()
}

pub(crate) fn tool_call(tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

/// The first question that anybody asks, as soon as it is there.
pub(crate) async fn first_question(desk: &Caller<'_>) -> Value {
    question_after(desk, 0).await
}

/// As [`first_question`], of those after an event.
pub(crate) async fn question_after(desk: &Caller<'_>, after: i64) -> Value {
    let mut after = json!(after);
    loop {
        let page = desk.get(&format!("/api/v1/events?after={after}"));
        let page = page.header("prefer", "wait=30").send().await.unwrap();
        let page = json_of(page, StatusCode::OK).await;
        let mut events = page["items"].as_array().unwrap().iter();
        if let Some(event) = events.find(|it| it["type"] == "interaction.requested") {
            return json!({ "id": event["interaction_id"] });
        }
        after = page["last_seq"].clone();
    }
}

/// What a tool returned.
pub(crate) async fn call(agent: &Caller<'_>, tool: &str, arguments: Value) -> Value {
    let response = post(agent, tool_call(tool, arguments)).await;
    let said = json_of(response, StatusCode::OK).await;
    assert!(said["error"].is_null(), "{said}");
    said["result"].clone()
}

/// A program that speaks the protocol on standard input and output, with a client at its other end.
pub(crate) struct Stdio {
    pub(crate) child: Child,
    input: ChildStdin,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Stdio {
    pub(crate) fn of(mut command: Command) -> Self {
        command
            .stdin(process::Stdio::piped())
            .stdout(process::Stdio::piped());
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

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.lines.recv().await.unwrap()).unwrap()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result(tool, arguments).await["structuredContent"].clone()
    }

    pub(crate) async fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.say(&call.to_string());
        let said = self.hear().await;
        assert_eq!(said["id"], 7);
        said["result"].clone()
    }

    /// It goes when nobody speaks to it any more.
    pub(crate) fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}
