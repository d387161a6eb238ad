//! The cost of one request, however much one token has stored: memory and processor time of the reads that hold most.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::Bench;
use crate::client::{Call, Client, INTERACTIONS, Interaction};
use crate::process::{forget_peak, peak_kib, processor_time, resident_kib};
use crate::report::{progress, row};
use crate::server::Server;

const TARGET: &str = "<= 20 MB, <= 1 s";

/// A server that has used no processor for so long has nothing left to do; its jobs take less than a tick of its clock.
const QUIET: Duration = Duration::from_millis(400);

/// How many of each of the largest things are stored.
const EACH: usize = 250;
/// As many as an action may have: objects of one member take most room for what they are as text.
const OBJECTS: usize = 2_498;
/// How many of those one task takes.
const IN_TASK: usize = 3;
/// The longest texts, in characters of four bytes.
const PROMPT: usize = 20_000;
const DESCRIPTION: usize = 4_000;

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let mut server = Server::start(bench)?;
    progress("bounds: storing the largest things there are");
    let held = fill(&server).await?;
    let end = format!("{INTERACTIONS}/{held}");
    let reads = [
        ("GET /events?limit=1000", get("/api/v1/events?limit=1000")),
        ("GET /interactions?limit=200", list("limit=200")),
        ("... of approvals", list("limit=200&kind=approval")),
        ("... found by a word", list("limit=200&q=word")),
        ("... found by a beginning", list("limit=200&q=wo")),
        ("GET /tasks?limit=200", get("/api/v1/tasks?limit=200")),
        ("GET /tasks/{id} with all of them", get("/api/v1/tasks/T")),
        ("GET /interactions/{id} of the largest", Call::get(&end)),
        ("POST /interactions of the largest", ask(&approval(None))),
        ("MCP list_my_questions", mcp()),
    ];
    for (what, call) in reads {
        server = server.restarted(bench)?;
        let client = server.connect_agent().await?;
        measure(&server, client, what, &call).await?;
    }
    for (what, path) in [
        ("GET /events?limit=1000, by a person", "events?limit=1000"),
        (
            "GET /interactions?limit=200, by a person",
            "interactions?limit=200",
        ),
        ("GET /tasks?limit=200, by a person", "tasks?limit=200"),
        (
            "GET /deliveries?limit=200, by a person",
            "deliveries?limit=200",
        ),
    ] {
        server = server.restarted(bench)?;
        let client = server.connect_responder().await?;
        measure(&server, client, what, &get(&format!("/api/v1/{path}"))).await?;
    }
    // Last, since it takes all of them back.
    server = server.restarted(bench)?;
    let client = server.connect_agent().await?;
    let done = Call::put("/api/v1/tasks/T", &json!({ "status": "done" }));
    measure(
        &server,
        client,
        "PUT /tasks/{id} that ends the largest",
        &done,
    )
    .await
}

/// One request to a server that has done nothing else: memory that it has given back once would hide what it
/// takes again.
async fn measure(server: &Server, mut client: Client, what: &str, call: &Call) -> Result<()> {
    // The connection, the token and the first page of the file are there then.
    client.send(&get("/api/v1/events?limit=1&after=0")).await?;
    let pid = server.pid();
    becomes_quiet(pid).await?;
    let before = resident_kib(pid)?;
    forget_peak(pid)?;
    let used = processor_time(pid)?;
    let answer = client.send(call).await.context(what.to_owned())?;
    let used = processor_time(pid)?.saturating_sub(used);
    let grown = peak_kib(pid)?.saturating_sub(before);
    let value = format!("{} MB, {} ms", mb(grown * 1_024), whole_millis(used));
    row(
        "bounds",
        &format!("{what} ({} kB)", answer.len() / 1_000),
        value,
        TARGET,
    );
    Ok(())
}

/// The work a server does by itself when it starts is no request's.
async fn becomes_quiet(pid: u32) -> Result<()> {
    let mut used = processor_time(pid)?;
    loop {
        sleep(QUIET).await;
        let now = processor_time(pid)?;
        if now == used {
            return Ok(());
        }
        used = now;
    }
}

fn mb(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn whole_millis(time: Duration) -> u128 {
    time.as_millis()
}

fn get(path: &str) -> Call {
    Call::get(path)
}

fn list(query: &str) -> Call {
    Call::get(format!("{INTERACTIONS}?{query}"))
}

fn ask(body: &Value) -> Call {
    Call::post(INTERACTIONS, body)
}

fn mcp() -> Call {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "list_my_questions", "arguments": { "limit": 100 } },
    });
    Call::post("/mcp", &body).accepting("application/json, text/event-stream")
}

/// Returns the id of one of the largest.
async fn fill(server: &Server) -> Result<String> {
    let mut agent = server.connect_agent().await?;
    let mut responder = server.connect_responder().await?;
    let mut last = String::new();
    for n in 0..EACH {
        let in_task = (n < IN_TASK).then_some("T");
        let dense = agent.send(&ask(&approval(in_task))).await?;
        last = Interaction::read(&dense)?.id;
        let plan = agent.send(&ask(&plan(n))).await?;
        let path = format!("{}/answer", Interaction::read(&plan)?.path());
        let feedback = "𝔘".repeat(PROMPT);
        let answer = json!({ "decision": "adjust", "feedback": feedback });
        responder.send(&Call::post(path, &answer)).await?;
        let task = json!({ "title": "t".repeat(200), "description": "𝔘".repeat(DESCRIPTION) });
        let path = format!("/api/v1/tasks/T-{n}");
        agent.send(&Call::put(path, &task)).await?;
    }
    Ok(last)
}

/// The most values an action may have.
fn approval(task: Option<&str>) -> Value {
    let mut body = json!({
        "kind": "approval",
        "prompt": format!("word {}", "𝔘".repeat(PROMPT - 5)),
        "action": { "tool": "t", "arguments": { "list": vec![json!({ "": 0 }); OBJECTS] } },
    });
    if let Some(id) = task {
        body["task"] = json!({ "id": id });
    }
    body
}

/// The most text a request may have.
fn plan(n: usize) -> Value {
    json!({
        "kind": "plan_review",
        "prompt": format!("word {}", "𝔘".repeat(PROMPT - 5)),
        "plan": "𝔘".repeat(PROMPT),
        "session_id": format!("{n}{}", "s".repeat(100)),
    })
}
