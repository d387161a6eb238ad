//! The official clients, from the question to the answer.

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    mcp::{NEWEST, first_question},
    node, python,
};

store::on_both_databases!(
    npms_client_asks_over_http,
    npms_client_asks_over_stdio,
    pypis_client_asks_over_http,
    pypis_client_asks_over_http_as_before_2026,
    pypis_client_asks_over_stdio,
);

const ANSWER: &str = "8080\n\n  \"and\" 8081 é";

/// Asks, comes back for the answer until it is there, and prints what came of both. Its library holds what
/// is returned against the schemas.
const NODE: &str = r#"
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const http = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const stdio = require("@modelcontextprotocol/sdk/client/stdio.js");
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const transport = input.program
    ? new stdio.StdioClientTransport({ command: input.program, args: ["mcp"], env: input.env })
    : new http.StreamableHTTPClientTransport(new URL(input.url), {
        requestInit: { headers: { Authorization: `Bearer ${input.token}` } },
    });
(async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    const asked = await client.callTool({ name: "ask_human", arguments: input.asked });
    let answered = asked;
    while (answered.structuredContent.state === "pending") {
        const { id } = asked.structuredContent;
        answered = await client.callTool({ name: "wait_for_answer", arguments: { id } });
    }
    const refused = await client.callTool({ name: "ask_human", arguments: { prompt: "?", kind: "choice" } });
    const version = transport.protocolVersion;
    process.stdout.write(JSON.stringify({ asked, answered, refused, version, tools: tools.length }));
    await client.close();
})();
"#;

const PYTHON: &str = r#"
import asyncio, json, sys
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

given = json.load(sys.stdin)

async def main():
    if "program" in given:
        server = StdioServerParameters(command=given["program"], args=["mcp"], env=given["env"])
    else:
        headers = {"Authorization": f"Bearer {given['token']}"}
        http = create_mcp_http_client(headers=headers)
        server = streamable_http_client(given["url"], http_client=http)
    async with Client(server, mode=given["mode"]) as client:
        tools = (await client.list_tools()).tools
        asked = await client.call_tool("ask_human", given["asked"])
        answered = asked
        while answered.structured_content["state"] == "pending":
            again = {"id": asked.structured_content["id"]}
            answered = await client.call_tool("wait_for_answer", again)
        refused = await client.call_tool("ask_human", {"prompt": "?", "kind": "choice"})
        said = {"asked": asked, "answered": answered, "refused": refused}
        said = {name: one.model_dump(mode="json", by_alias=True) for name, one in said.items()}
        said["tools"] = len(tools)
        said["version"] = client.protocol_version
        print(json.dumps(said))

asyncio.run(main())
"#;

async fn npms_client_asks_over_http(database: TestDatabase) {
    asks(&database, node::run_script, NODE, false, "2025-11-25").await;
}

async fn npms_client_asks_over_stdio(database: TestDatabase) {
    asks(&database, node::run_script, NODE, true, "2025-11-25").await;
}

async fn pypis_client_asks_over_http(database: TestDatabase) {
    asks(&database, python::run_script, PYTHON, false, "2026-07-28").await;
}

async fn pypis_client_asks_over_http_as_before_2026(database: TestDatabase) {
    asks(&database, python::run_script, PYTHON, false, "2025-11-25").await;
}

async fn pypis_client_asks_over_stdio(database: TestDatabase) {
    asks(&database, python::run_script, PYTHON, true, "2026-07-28").await;
}

async fn asks(
    database: &TestDatabase,
    run: fn(&str, &Value) -> String,
    script: &'static str,
    by_stdio: bool,
    expected_version: &str,
) {
    // The default of PyPI's is to look for the newest.
    let newest = expected_version == NEWEST;
    let mode = if newest { "auto" } else { "legacy" };
    let app = TestApp::start_with(database, |config| config.mcp_hold_seconds = 0).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut input = json!({
        "mode": mode,
        "asked": { "prompt": "Which port?", "session_id": "p11" },
    });
    if by_stdio {
        input["program"] = json!(env!("CARGO_BIN_EXE_handraise"));
        input["env"] = json!({ "HANDRAISE_URL": app.url(""), "HANDRAISE_TOKEN": agent.token });
    } else {
        input["url"] = json!(app.url("/mcp"));
        input["token"] = json!(agent.token);
    }
    let client = tokio::task::spawn_blocking(move || run(script, &input));
    let (said, ()) = tokio::join!(client, answer_the_first(&desk));
    let said: Value = serde_json::from_str(&said.unwrap()).unwrap();
    assert_eq!(said["tools"], 6);
    // npm's bridge to a program keeps to itself what was agreed on.
    if let Some(version) = said["version"].as_str() {
        assert_eq!(version, expected_version);
    }
    let (asked, answered) = (&said["asked"], &said["answered"]);
    // On a busy machine the answer may be there before the question's own call returns.
    assert_ne!(asked["structuredContent"]["state"], Value::Null, "{said}");
    assert_eq!(answered["structuredContent"]["answer"]["text"], ANSWER);
    let id = &asked["structuredContent"]["id"];
    assert_eq!(&answered["structuredContent"]["id"], id);
    assert_eq!(said["refused"]["isError"], true);
    let seen = desk.poll(&json!({ "id": id })).await;
    assert_ne!(seen["collected_at"], Value::Null);
}

/// Somebody answers as soon as there is a question.
async fn answer_the_first(desk: &Caller<'_>) {
    let asked = first_question(desk).await;
    let response = desk.answer(&asked, ANSWER).await;
    json_of(response, StatusCode::OK).await;
}
