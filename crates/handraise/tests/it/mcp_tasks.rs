//! The official clients with tasks switched on: npm's `client` with `ext-tasks`, and PyPI's `mcp`. Asks as a
//! task, looks after it until a person has answered; asks again, and takes that back.

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{app::TestApp, caller::json_of, mcp::first_question, node, python};

store::on_both_databases!(
    npms_client_looks_after_a_task,
    pypis_client_looks_after_a_task,
    npms_client_of_2025_11_25_is_promised_no_tasks,
);

const ANSWER: &str = "8080\n\n  \"and\" 8081 é";

/// The library leaves sending to its host: that is `dispatch`.
const NODE: &str = r#"
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
(async () => {
    const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
    const tasks = await import(`${input.modules}/@modelcontextprotocol/ext-tasks/dist/client/index.js`);
    const protocolVersion = "2026-07-28";
    const clientInfo = { name: "test", version: "1" };
    const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: protocolVersion } } });
    const authorization = `Bearer ${input.token}`;
    await client.connect(new StreamableHTTPClientTransport(new URL(input.url), {
        requestInit: { headers: { authorization } },
    }));
    const sent = [];
    let id = 0;
    const dispatch = async (request) => {
        sent.push(request.method);
        const headers = {
            authorization,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": protocolVersion,
            "mcp-method": request.method,
            "mcp-name": request.params.taskId ?? request.params.name,
        };
        const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, ...request });
        const reply = await (await fetch(input.url, { method: "POST", headers, body })).json();
        return reply.error ? { kind: "error", error: reply.error } : { kind: "result", result: reply.result };
    };
    const session = tasks.createTaskSessionFromClient(client, {
        endpointId: "handraise",
        rawDispatch: dispatch,
        v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
    });
    const asked = await session.callTool("ask_human", { prompt: "Which port?" });
    const { outcome } = await asked.settle();
    const answered = tasks.resultFromTaskOutcome(outcome);
    const second = await session.callTool("ask_human", { prompt: "Still?" });
    await second.cancel();
    process.stdout.write(JSON.stringify({
        kind: asked.kind, id: asked.handle.taskId, answered, cancelled: second.handle.taskId, sent,
    }));
    await session.close();
    await client.close();
})();
"#;

/// Its library leaves the extension's messages to whoever switches it on.
const PYTHON: &str = r#"
import asyncio, json, sys
from typing import Any, Literal
import mcp_types as types
from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from pydantic import ConfigDict, Field

given = json.load(sys.stdin)
sent = []

class Task(types.Result):
    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId")

class State(types.Result):
    model_config = ConfigDict(extra="allow")
    status: str = ""

class About(types.Request[dict[str, Any], str]):
    name_param = "taskId"

async def call(session, method, task_id):
    sent.append(method)
    return await session.send_request(About(method=method, params={"taskId": task_id}), State)

async def settle(task, context):
    while True:
        state = await call(context.session, "tasks/get", task.task_id)
        if state.status == "completed":
            return types.CallToolResult.model_validate(state.model_extra["result"])
        # Tasks are polled: there is nothing to wait for.
        await asyncio.sleep(0.2)

class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def claims(self):
        return [ResultClaim(result_type="task", model=Task, resolve=settle)]

async def main():
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {given['token']}"})
    server = streamable_http_client(given["url"], http_client=http)
    async with Client(server, extensions=[Tasks()]) as client:
        answered = await client.call_tool("ask_human", {"prompt": "Which port?"})
        second = await client.session.call_tool("ask_human", {"prompt": "Still?"}, allow_claimed=True)
        await call(client.session, "tasks/cancel", second.task_id)
        print(json.dumps({
            "kind": second.result_type,
            "id": answered.structured_content["id"],
            "answered": answered.model_dump(mode="json", by_alias=True),
            "cancelled": second.task_id,
            "sent": sent,
        }))

asyncio.run(main())
"#;

async fn npms_client_looks_after_a_task(database: TestDatabase) {
    looks_after(&database, node::run_script, NODE).await;
}

async fn pypis_client_looks_after_a_task(database: TestDatabase) {
    looks_after(&database, python::run_script, PYTHON).await;
}

async fn looks_after(
    database: &TestDatabase,
    run: fn(&str, &Value) -> String,
    script: &'static str,
) {
    let app = TestApp::start(database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let input =
        json!({ "url": app.url("/mcp"), "token": agent.token, "modules": node::NODE_MODULES });
    let client = tokio::task::spawn_blocking(move || run(script, &input));
    let answer = async {
        let asked = first_question(&desk).await;
        let response = desk.answer(&asked, ANSWER).await;
        json_of(response, StatusCode::OK).await["id"].clone()
    };
    let (said, id) = tokio::join!(client, answer);
    let said: Value = serde_json::from_str(&said.unwrap()).unwrap();
    assert_eq!((&said["kind"], &said["id"]), (&json!("task"), &id));
    let answered = &said["answered"]["structuredContent"];
    assert_eq!(answered["answer"]["text"], ANSWER);
    let sent = said["sent"].as_array().unwrap();
    assert!(sent.contains(&json!("tasks/get")), "{said}");
    assert!(sent.contains(&json!("tasks/cancel")), "{said}");
    assert_ne!(
        desk.poll(&json!({ "id": id })).await["collected_at"],
        Value::Null
    );
    let cancelled = desk.poll(&json!({ "id": said["cancelled"] })).await;
    assert_eq!(cancelled["state"], "cancelled");
}

/// `@modelcontextprotocol/sdk` knows the tasks that version 2025-11-25 tried out, and no others. We do not
/// promise those, so it calls as ever.
async fn npms_client_of_2025_11_25_is_promised_no_tasks(database: TestDatabase) {
    let script = r#"
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const http = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
(async () => {
    const client = new Client({ name: "test", version: "1" }, { capabilities: { tasks: {} } });
    await client.connect(new http.StreamableHTTPClientTransport(new URL(input.url), {
        requestInit: { headers: { Authorization: `Bearer ${input.token}` } },
    }));
    await client.listTools();
    const messages = [];
    const params = { name: "ask_human", arguments: { prompt: "Which port?" } };
    for await (const message of client.experimental.tasks.callToolStream(params)) messages.push(message);
    process.stdout.write(JSON.stringify({ messages, promised: client.getServerCapabilities().tasks ?? null }));
    await client.close();
})();
"#;
    let app = TestApp::start_with(&database, |config| config.mcp_hold_seconds = 0).await;
    let agent = app.agent("backend").await;
    let input = json!({ "url": app.url("/mcp"), "token": agent.token });
    let said = tokio::task::spawn_blocking(move || node::run_script(script, &input)).await;
    let said: Value = serde_json::from_str(&said.unwrap()).unwrap();
    assert_eq!(said["promised"], Value::Null);
    let [message] = &said["messages"].as_array().unwrap()[..] else {
        panic!("{said}");
    };
    assert_eq!(message["type"], "result", "{message}");
    assert_eq!(message["result"]["structuredContent"]["state"], "pending");
}
