//! The door of A2A 1.0: its card, its tasks, and the official clients.

use domain::Role;
use futures::StreamExt;
use reqwest::{Response, StatusCode, header};
use serde_json::{Value, json};
use server::config::Config;
use store::testing::TestDatabase;
use tokio::net::TcpListener;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    mcp::first_question,
    node, python,
};

store::on_both_databases!(
    the_card_says_how_to_call,
    a_message_is_a_question_and_its_task_has_the_answer,
    a_message_that_is_sent_again_asks_nobody_twice,
    what_is_no_yes_is_not_completed,
    an_approval_comes_with_its_receipt,
    a_task_ends_as_its_question_does,
    a_task_is_followed_to_its_end,
    what_is_wrong_has_its_path_and_asks_nobody,
    only_its_own_agent_has_a_task,
    npms_client_follows_a_task,
    pypis_client_follows_a_task,
);

fn call(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "1", "method": method, "params": params })
}

fn message(id: &str, parts: Value) -> Value {
    json!({ "message": { "messageId": id, "role": "ROLE_USER", "parts": parts } })
}

async fn posted(agent: &Caller<'_>, body: &Value) -> Response {
    let request = agent.post("/a2a").header("a2a-version", "1.0").json(body);
    request.send().await.unwrap()
}

async fn answered(agent: &Caller<'_>, method: &str, params: Value) -> Value {
    json_of(posted(agent, &call(method, params)).await, StatusCode::OK).await
}

async fn result(agent: &Caller<'_>, method: &str, params: Value) -> Value {
    let answer = answered(agent, method, params).await;
    assert!(answer["error"].is_null(), "{answer}");
    assert_eq!(answer["id"], "1");
    answer["result"].clone()
}

async fn error(agent: &Caller<'_>, method: &str, params: Value) -> Value {
    let answer = answered(agent, method, params).await;
    assert!(answer["result"].is_null(), "{answer}");
    answer["error"].clone()
}

/// The task of a message with these parts.
async fn sent(agent: &Caller<'_>, id: &str, parts: Value) -> Value {
    let result = result(agent, "SendMessage", message(id, parts)).await;
    let task = result["task"].clone();
    assert_eq!(
        task["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
        "{task}"
    );
    task
}

async fn task(agent: &Caller<'_>, task: &Value) -> Value {
    result(agent, "GetTask", json!({ "id": task["id"] })).await
}

async fn the_card_says_how_to_call(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let response = app
        .get("/.well-known/agent-card.json")
        .send()
        .await
        .unwrap();
    assert!(response.headers().contains_key(header::CACHE_CONTROL));
    let tag = response.headers()[header::ETAG].clone();
    let again = app.get("/.well-known/agent-card.json");
    let again = again.header(header::IF_NONE_MATCH, tag).send().await;
    assert_eq!(again.unwrap().status(), StatusCode::NOT_MODIFIED);
    let card = json_of(response, StatusCode::OK).await;
    let interface = &card["supportedInterfaces"][0];
    assert!(
        interface["url"].as_str().unwrap().ends_with("/a2a"),
        "{card}"
    );
    assert_eq!(interface["protocolVersion"], "1.0");
    assert_eq!(card["capabilities"]["streaming"], true);
    let list = call("GetTask", json!({ "id": "1" }));
    for request in [
        app.post("/a2a"),
        app.post("/a2a").bearer_auth("hr_agent_nobody"),
    ] {
        let response = request.json(&list).send().await.unwrap();
        json_of(response, StatusCode::UNAUTHORIZED).await;
    }
    let desk = app.responder("desk").await;
    json_of(posted(&desk, &list).await, StatusCode::FORBIDDEN).await;
    let admin = app.sign_in("Ana", Role::Admin).await;
    let with_cookie = app.post("/a2a").header(header::COOKIE, &admin).json(&list);
    json_of(with_cookie.send().await.unwrap(), StatusCode::UNAUTHORIZED).await;
}

async fn a_message_is_a_question_and_its_task_has_the_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut params = message(
        "m1",
        json!([{ "text": "Which port?" }, { "text": "Of staging." }]),
    );
    params["message"]["contextId"] = json!("deploy-7");
    let asked = result(&agent, "SendMessage", params).await["task"].clone();
    assert_eq!(asked["contextId"], "deploy-7");
    assert!(asked["artifacts"].is_null(), "{asked}");
    let says = asked["status"]["message"]["parts"][0]["text"]
        .as_str()
        .unwrap();
    assert!(says.contains(asked["id"].as_str().unwrap()), "{says}");
    let seen = desk.poll(&asked).await;
    assert_eq!(seen["prompt"], "Which port?\n\nOf staging.");
    assert_eq!(seen["session_id"], "deploy-7");
    json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await;
    let closed = task(&agent, &asked).await;
    assert_eq!(closed["status"]["state"], "TASK_STATE_COMPLETED");
    let parts = &closed["artifacts"][0]["parts"];
    assert!(
        parts[0]["text"].as_str().unwrap().contains("8080"),
        "{closed}"
    );
    assert_eq!(parts[1]["data"]["answer"]["text"], "8080");
    assert_ne!(desk.poll(&asked).await["collected_at"], Value::Null);
}

async fn a_message_that_is_sent_again_asks_nobody_twice(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let parts = json!([{ "text": "Which port?" }]);
    let first = sent(&agent, "m1", parts.clone()).await;
    let again = sent(&agent, "m1", parts.clone()).await;
    assert_eq!(first["id"], again["id"]);
    let other = sent(&agent, "m2", parts).await;
    assert_ne!(first["id"], other["id"]);
    let changed = error(
        &agent,
        "SendMessage",
        message("m1", json!([{ "text": "?" }])),
    )
    .await;
    assert_eq!(
        changed["data"][0]["metadata"]["code"], "idempotency_key_reused",
        "{changed}"
    );
}

fn approval() -> Value {
    let action = json!({ "tool": "deploy", "arguments": { "to": "production" } });
    json!([{ "text": "May I?" }, { "data": { "kind": "approval", "action": action } }])
}

async fn what_is_no_yes_is_not_completed(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let denied = sent(&agent, "m1", approval()).await;
    desk.done(
        &denied,
        "answer",
        json!({ "approved": false, "text": "not on a Friday" }),
    )
    .await;
    let closed = task(&agent, &denied).await;
    assert_eq!(closed["status"]["state"], "TASK_STATE_REJECTED");
    let data = &closed["artifacts"][0]["parts"][1]["data"];
    assert_eq!(data["approved"], false);
    assert_eq!(data["answer"]["text"], "not on a Friday");

    let plan =
        json!([{ "text": "Right?" }, { "data": { "kind": "plan_review", "plan": "1. Stop it" } }]);
    let adjusted = sent(&agent, "m2", plan.clone()).await;
    let decision = json!({ "decision": "adjust", "feedback": "Copy it first" });
    desk.done(&adjusted, "answer", decision).await;
    let closed = task(&agent, &adjusted).await;
    assert_eq!(closed["status"]["state"], "TASK_STATE_REJECTED", "{closed}");
    let proceeds = sent(&agent, "m3", plan).await;
    desk.done(&proceeds, "answer", json!({ "decision": "proceed" }))
        .await;
    let closed = task(&agent, &proceeds).await;
    assert_eq!(
        closed["status"]["state"], "TASK_STATE_COMPLETED",
        "{closed}"
    );
}

async fn an_approval_comes_with_its_receipt(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = sent(&agent, "m1", approval()).await;
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    let closed = task(&agent, &asked).await;
    assert_eq!(closed["status"]["state"], "TASK_STATE_COMPLETED");
    let data = &closed["artifacts"][0]["parts"][1]["data"];
    let path = format!(
        "/api/v1/interactions/{}/receipt",
        asked["id"].as_str().unwrap()
    );
    assert_eq!(data["receipt"], agent.read(&path).await);
    assert_eq!(data["receipt"]["action_digest"], data["action_digest"]);
}

async fn a_task_ends_as_its_question_does(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = sent(&agent, "m1", json!([{ "text": "Which port?" }])).await;
    let cancelled = result(&agent, "CancelTask", json!({ "id": asked["id"] })).await;
    assert_eq!(cancelled["status"]["state"], "TASK_STATE_CANCELED");
    let again = error(&agent, "CancelTask", json!({ "id": asked["id"] })).await;
    assert_eq!(again["code"], -32002, "{again}");

    for (id, more, state) in [
        ("m2", json!({ "timeout_seconds": 1 }), "TASK_STATE_FAILED"),
        (
            "m3",
            json!({ "timeout_seconds": 1, "fallback": "80" }),
            "TASK_STATE_COMPLETED",
        ),
    ] {
        let asked = sent(
            &agent,
            id,
            json!([{ "text": "Which port?" }, { "data": more }]),
        )
        .await;
        app.clock.advance(chrono::TimeDelta::seconds(2));
        // The question's own end is looked at by whoever reads it.
        let closed = until_closed(&agent, &asked).await;
        assert_eq!(closed["status"]["state"], state, "{closed}");
    }
    let told = result(
        &agent,
        "SendMessage",
        message(
            "m4",
            json!([{ "text": "Done." }, { "data": { "kind": "notification" } }]),
        ),
    );
    let told = told.await["task"].clone();
    assert_eq!(told["status"]["state"], "TASK_STATE_COMPLETED", "{told}");
}

async fn until_closed(agent: &Caller<'_>, asked: &Value) -> Value {
    let path = format!("/api/v1/interactions/{}", asked["id"].as_str().unwrap());
    let closed = agent.get(&path).header("prefer", "wait=30");
    json_of(closed.send().await.unwrap(), StatusCode::OK).await;
    task(agent, asked).await
}

/// The frames of a stream, until it ends.
async fn frames(response: Response) -> Vec<Value> {
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "text/event-stream"
    );
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

async fn a_task_is_followed_to_its_end(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let send = call(
        "SendStreamingMessage",
        message("m1", json!([{ "text": "Which port?" }])),
    );
    let mut stream = posted(&agent, &send).await.bytes_stream();
    let first = stream.next().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("INPUT_REQUIRED"));
    let asked = first_question(&desk).await;
    let follow = call("SubscribeToTask", json!({ "id": asked["id"] }));
    let following = posted(&agent, &follow).await;
    let answering = async { json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await };
    let (frames, _) = tokio::join!(frames(following), answering);
    let results: Vec<_> = frames.iter().map(|frame| &frame["result"]).collect();
    let [task, artifact, status] = results[..] else {
        panic!("{frames:#?}");
    };
    assert_eq!(task["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let parts = &artifact["artifactUpdate"]["artifact"]["parts"];
    assert_eq!(parts[1]["data"]["answer"]["text"], "8080");
    assert_eq!(
        status["statusUpdate"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
    let rest: Vec<_> = stream.collect().await;
    let rest: String = rest
        .into_iter()
        .map(|part| String::from_utf8_lossy(&part.unwrap()).into_owned())
        .collect();
    assert!(rest.contains("TASK_STATE_COMPLETED"), "{rest}");
    let late = error(&agent, "SubscribeToTask", json!({ "id": asked["id"] })).await;
    assert_eq!(late["code"], -32004, "{late}");
    // What was answered before it was followed is told at once.
    let again = posted(&agent, &send).await;
    assert_eq!(self::frames(again).await.len(), 1);
}

async fn what_is_wrong_has_its_path_and_asks_nobody(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let text = json!([{ "text": "?" }]);
    let mut of_task = message("m", text.clone());
    of_task["message"]["taskId"] = json!("01a21d4a-ac00-7d95-b6cb-86642bc7c458");
    let mut of_long_context = message("m", text.clone());
    of_long_context["message"]["contextId"] = json!("x".repeat(2_000));
    let mut with_push = message("m", text.clone());
    with_push["configuration"] =
        json!({ "taskPushNotificationConfig": { "url": "http://127.0.0.1" } });
    let field = |error: &Value| error["data"][1]["fieldViolations"][0]["field"].clone();
    for (method, params, code, path) in [
        ("SendMessage", json!({}), -32602, "params"),
        (
            "SendMessage",
            message("", text.clone()),
            -32602,
            "params.message.messageId",
        ),
        (
            "SendMessage",
            message("m", json!([])),
            -32602,
            "params.message.parts",
        ),
        (
            "SendMessage",
            message("m", json!([{ "text": "x".repeat(200_000) }])),
            -32602,
            "params.message.parts",
        ),
        (
            "SendMessage",
            message(
                "m",
                json!([{ "text": "?" }, { "data": { "kind": "choice", "options": ["a"] } }]),
            ),
            -32602,
            "params.message.parts[1].data.options",
        ),
        (
            "SendMessage",
            of_long_context,
            -32602,
            "params.message.contextId",
        ),
        (
            "SendMessage",
            message("m", json!([{ "text": "?" }, { "data": { "prompt": "?" } }])),
            -32602,
            "params.message.parts[1].data.prompt",
        ),
        (
            "SendMessage",
            message("m", json!([{ "data": { "prompt": "?", "kind": 7 } }])),
            -32602,
            "params.message.parts[0].data.kind",
        ),
        (
            "SendMessage",
            message("m", json!([{ "data": { "prompt": "?", "colour": "red" } }])),
            -32602,
            "params.message.parts[0].data.colour",
        ),
        (
            "SendMessage",
            message("m", json!([{ "data": [1] }])),
            -32602,
            "params.message.parts[0].data",
        ),
        (
            "SendMessage",
            message("m", json!([{ "url": "http://127.0.0.1/a.png" }])),
            -32005,
            "",
        ),
        (
            "SendMessage",
            message("m", json!([{ "text": "?", "raw": "AAAA" }])),
            -32005,
            "",
        ),
        (
            "SendMessage",
            message(
                "m",
                json!([{ "text": "?", "data": { "kind": "approval" } }]),
            ),
            -32602,
            "params.message.parts[0]",
        ),
        ("SendMessage", of_task, -32004, ""),
        ("SendMessage", with_push, -32003, ""),
        ("CreateTaskPushNotificationConfig", json!({}), -32003, ""),
        ("GetExtendedAgentCard", json!({}), -32007, ""),
        ("ListTasks", json!({}), -32004, ""),
        ("GetTask", json!({ "id": "nonsense" }), -32001, ""),
        ("message/send", message("m", text.clone()), -32601, ""),
    ] {
        let said = error(&agent, method, params).await;
        assert_eq!(said["code"], code, "{method}: {said}");
        if !path.is_empty() {
            assert_eq!(field(&said), path, "{said}");
        }
    }
    let raw = |version: &'static str, body: &'static str| {
        let request = agent
            .post("/a2a")
            .header(header::CONTENT_TYPE, "application/json");
        request.header("a2a-version", version).body(body)
    };
    for (version, body, code) in [
        ("1.0", "{", -32700),
        ("1.0", "[]", -32600),
        ("1.0", r#"{"id":1,"method":"GetTask"}"#, -32600),
        (
            "1.0",
            r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#,
            -32600,
        ),
        ("1.0", r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (
            "0.3",
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"1"}}"#,
            -32009,
        ),
        (
            "1.00",
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"1"}}"#,
            -32009,
        ),
        (
            "",
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"1"}}"#,
            -32009,
        ),
    ] {
        let said = json_of(raw(version, body).send().await.unwrap(), StatusCode::OK).await;
        assert_eq!(said["error"]["code"], code, "{body}: {said}");
    }
    let listed = agent.read("/api/v1/interactions").await;
    assert_eq!(listed["items"], json!([]));
}

async fn only_its_own_agent_has_a_task(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("frontend").await);
    let asked = sent(&agent, "m1", json!([{ "text": "Which port?" }])).await;
    for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
        let refused = error(&other, method, json!({ "id": asked["id"] })).await;
        assert_eq!(refused["code"], -32001, "{method}: {refused}");
    }
    // The same message of another agent is another question.
    let theirs = sent(&other, "m1", json!([{ "text": "Which port?" }])).await;
    assert_ne!(theirs["id"], asked["id"]);
}

/// Finds the card, asks with what is held against the schemas, follows to the end, looks again, and takes one back.
const NODE: &str = r#"
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
(async () => {
    const { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } = await import(`${input.modules}/@a2a-js/sdk/dist/client/index.js`);
    const authorized = (url, init = {}) => {
        const headers = new Headers(init.headers);
        headers.set("authorization", `Bearer ${input.token}`);
        return fetch(url, { ...init, headers });
    };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new JsonRpcTransportFactory({ fetchImpl: authorized })],
        cardResolver: new DefaultAgentCardResolver({ fetchImpl: authorized }),
    }));
    const client = await factory.createFromUrl(input.url);
    const message = (text) => ({ message: { messageId: crypto.randomUUID(), role: 1, parts: [{ content: { $case: "text", value: text } }], contextId: "", taskId: "", extensions: [], referenceTaskIds: [] } });
    const heard = [];
    for await (const event of client.sendMessageStream(message("Which port?"))) heard.push(event.payload ? event.payload.$case : Object.keys(event)[0]);
    const second = await client.sendMessage(message("Still?"));
    const cancelled = await client.cancelTask({ id: second.id, tenant: "" });
    process.stdout.write(JSON.stringify({ heard, cancelled: cancelled.id }));
})();
"#;

const PYTHON: &str = r#"
import asyncio, json, sys, uuid
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import CancelTaskRequest, GetTaskRequest, Message, Part, Role, SendMessageRequest

given = json.load(sys.stdin)

def message(text):
    said = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
    return SendMessageRequest(message=said)

async def main():
    headers = {"Authorization": f"Bearer {given['token']}"}
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        factory = ClientFactory(ClientConfig(httpx_client=http, streaming=True))
        client = await factory.create_from_url(given["url"])
        heard, task = [], None
        async for event in client.send_message(message("Which port?")):
            heard.append(event.WhichOneof("payload"))
            if event.HasField("task"):
                task = event.task.id
        found = await client.get_task(GetTaskRequest(id=task))
        polling = ClientFactory(ClientConfig(httpx_client=http, streaming=False))
        plain = await polling.create_from_url(given["url"])
        async for event in plain.send_message(message("Still?")):
            second = event.task.id
        cancelled = await plain.cancel_task(CancelTaskRequest(id=second))
        answer = found.artifacts[0].parts[1].data.struct_value.fields["answer"].struct_value.fields["text"].string_value
        print(json.dumps({"heard": heard, "answer": answer, "cancelled": cancelled.id}))

asyncio.run(main())
"#;

async fn npms_client_follows_a_task(database: TestDatabase) {
    follows(&database, node::run_script, NODE).await;
}

async fn pypis_client_follows_a_task(database: TestDatabase) {
    let said = follows(&database, python::run_script, PYTHON).await;
    assert_eq!(said["answer"], "8080", "{said}");
}

async fn follows(
    database: &TestDatabase,
    run: fn(&str, &Value) -> String,
    script: &'static str,
) -> Value {
    // The card leads there.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let configure = |config: &mut Config| config.public_url = Some(address);
    let app = TestApp::start_at(listener, database, configure).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let input = json!({ "url": app.url(""), "token": agent.token, "modules": node::NODE_MODULES });
    let client = tokio::task::spawn_blocking(move || run(script, &input));
    let asked = first_question(&desk).await;
    json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await;
    let said: Value = serde_json::from_str(&client.await.unwrap()).unwrap();
    let heard = json!(["task", "artifact_update", "status_update"]);
    let camel = json!(["task", "artifactUpdate", "statusUpdate"]);
    assert!(said["heard"] == heard || said["heard"] == camel, "{said}");
    let second = json!({ "id": said["cancelled"] });
    assert_eq!(desk.poll(&second).await["state"], "cancelled");
    said
}
