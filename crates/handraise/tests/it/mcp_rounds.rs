//! A call that goes on in the client's next request while people think: `input_required` of 2026-07-28.

use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, id_of, json_of},
    mcp::{first_question, newest},
    node,
    people::operator,
    python,
};

store::on_both_databases!(
    a_call_goes_on_until_people_answer,
    a_model_that_says_how_long_gets_no_rounds,
    a_reply_that_was_lost_is_had_again,
    a_state_is_good_for_one_call_of_one_agent,
    after_the_last_round_the_model_gets_the_id,
    a_client_that_cannot_be_asked_gets_the_id_at_once,
    a_question_that_ends_otherwise_ends_the_rounds,
    a_deadline_and_an_erasure_end_the_rounds,
    a_token_that_is_revoked_has_no_next_round,
    a_state_of_another_key_is_not_opened,
    another_node_takes_the_next_round,
    npms_client_gets_its_answer_from_the_call_that_asked,
    pypis_client_gets_its_answer_from_the_call_that_asked,
);

async fn patient(database: &TestDatabase) -> TestApp {
    TestApp::start_with(database, |config| config.mcp_hold_seconds = 1).await
}

fn ask(prompt: &str) -> Value {
    json!({ "name": "ask_human", "arguments": { "prompt": prompt } })
}

/// A call of a client that can be asked.
async fn called(agent: &Caller<'_>, call: &Value) -> Value {
    let can = json!({ "elicitation": { "form": {} } });
    let said = newest(agent, "tools/call", call.clone(), can).await;
    assert!(said["error"].is_null(), "{said}");
    said["result"].clone()
}

fn state_of(result: &Value) -> Value {
    assert_eq!(result["resultType"], "input_required", "{result}");
    assert!(result["inputRequests"].is_null(), "{result}");
    let state = result["requestState"].clone();
    assert!(state.is_string(), "{result}");
    state
}

/// The same call with the state of the round before.
fn next(call: &Value, before: &Value) -> Value {
    let mut call = call.clone();
    call["requestState"] = state_of(before);
    call
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

async fn a_call_goes_on_until_people_answer(database: TestDatabase) {
    let app = patient(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    let second = called(&agent, &next(&call, &first)).await;
    assert_ne!(state_of(&first), state_of(&second));
    let asked = first_question(&desk).await;
    let third = next(&call, &second);
    let (answered, _) = tokio::join!(called(&agent, &third), desk.answer(&asked, "8080"));
    let data = &answered["structuredContent"];
    assert_eq!(data["answer"]["text"], "8080", "{answered}");
    assert_eq!(data["id"], asked["id"]);
    assert_ne!(data["collected_at"], Value::Null);
    let listed = json!({ "name": "list_my_questions", "arguments": {} });
    let listed = called(&agent, &listed).await;
    let items = &listed["structuredContent"]["items"];
    assert_eq!(items.as_array().unwrap().len(), 1, "{listed}");
}

async fn a_model_that_says_how_long_gets_no_rounds(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.mcp_hold_seconds = 0).await;
    let agent = app.agent("backend").await;
    let asked = called(&agent, &ask("?")).await;
    assert_eq!(asked["resultType"], "complete", "{asked}");
    let id = &asked["structuredContent"]["id"];
    // How long is the model's own word.
    let wait = json!({ "name": "wait_for_answer", "arguments": { "id": id, "seconds": 1 } });
    let waited = called(&agent, &wait).await;
    assert_eq!(waited["structuredContent"]["state"], "pending", "{waited}");
}

async fn a_reply_that_was_lost_is_had_again(database: TestDatabase) {
    let app = patient(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    let asked = first_question(&desk).await;
    json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await;
    let second = next(&call, &first);
    for _ in 0..2 {
        let answered = called(&agent, &second).await;
        assert_eq!(answered["structuredContent"]["answer"]["text"], "8080");
    }
}

async fn a_state_is_good_for_one_call_of_one_agent(database: TestDatabase) {
    let app = patient(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("frontend").await);
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    let good = next(&call, &first);
    let id = first_question(&app.responder("desk").await).await["id"].clone();

    let mut changed = good.clone();
    changed["arguments"]["prompt"] = json!("Which host?");
    let mut elsewhere = good.clone();
    elsewhere["name"] = json!("wait_for_answer");
    elsewhere["arguments"] = json!({ "id": id });
    let mut garbage = good.clone();
    garbage["requestState"] = json!("AAAA");
    let mut longer = good.clone();
    longer["requestState"] = json!(format!("{}A", good["requestState"].as_str().unwrap()));
    for (caller, call) in [
        (&other, &good),
        (&agent, &changed),
        (&agent, &elsewhere),
        (&agent, &garbage),
        (&agent, &longer),
    ] {
        let refused = called(caller, call).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(
            text_of(&refused).starts_with("request_state_invalid: "),
            "{refused}"
        );
    }
    app.clock.advance(TimeDelta::minutes(10));
    let refused = called(&agent, &good).await;
    assert!(text_of(&refused).contains("too old"), "{refused}");
    // Nothing was asked a second time, and the question waits.
    let listed = json!({ "name": "list_my_questions", "arguments": { "state": "pending" } });
    for (caller, count) in [(&agent, 1), (&other, 0)] {
        let listed = called(caller, &listed).await;
        let items = &listed["structuredContent"]["items"];
        assert_eq!(items.as_array().unwrap().len(), count, "{listed}");
    }
}

async fn after_the_last_round_the_model_gets_the_id(database: TestDatabase) {
    let app = patient(&database).await;
    let agent = app.agent("backend").await;
    let call = ask("Which port?");
    let mut result = called(&agent, &call).await;
    let mut rounds = 0;
    while result["resultType"] == "input_required" {
        rounds += 1;
        result = called(&agent, &next(&call, &result)).await;
    }
    // Ten are as many as the official clients go along with.
    assert_eq!(rounds, 8);
    assert_eq!(result["structuredContent"]["state"], "pending", "{result}");
    assert!(text_of(&result).contains("wait_for_answer"), "{result}");
}

async fn a_client_that_cannot_be_asked_gets_the_id_at_once(database: TestDatabase) {
    let app = patient(&database).await;
    let agent = app.agent("backend").await;
    let said = newest(&agent, "tools/call", ask("?"), json!({})).await;
    let result = &said["result"];
    assert_eq!(result["resultType"], "complete", "{said}");
    assert_eq!(result["structuredContent"]["state"], "pending", "{said}");
}

async fn a_question_that_ends_otherwise_ends_the_rounds(database: TestDatabase) {
    let app = patient(&database).await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    let id = first_question(&desk).await["id"].clone();
    let cancel = json!({ "name": "cancel_question", "arguments": { "id": id } });
    called(&agent, &cancel).await;
    let ended = called(&agent, &next(&call, &first)).await;
    assert_eq!(ended["structuredContent"]["state"], "cancelled", "{ended}");
}

async fn a_deadline_and_an_erasure_end_the_rounds(database: TestDatabase) {
    let app = patient(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut call = ask("Which port?");
    call["arguments"]["timeout_seconds"] = json!(60);
    let first = called(&agent, &call).await;
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    let expired = called(&agent, &next(&call, &first)).await;
    let data = &expired["structuredContent"];
    assert_eq!(data["outcome"], "expired", "{expired}");

    let call = ask("Which host?");
    let first = called(&agent, &call).await;
    let waiting = desk.read("/api/v1/interactions?state=pending").await;
    let asked = waiting["items"][0].clone();
    json_of(desk.answer(&asked, "db-1").await, StatusCode::OK).await;
    let erased = app.state.service.erase(id_of(&asked), &operator()).await;
    erased.unwrap();
    let gone = called(&agent, &next(&call, &first)).await;
    assert_eq!(gone["resultType"], "complete", "{gone}");
    assert!(!gone.to_string().contains("db-1"), "{gone}");
}

async fn a_token_that_is_revoked_has_no_next_round(database: TestDatabase) {
    let app = patient(&database).await;
    let agent = app.agent("backend").await;
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    let (service, by) = (&app.state.service, operator());
    let tokens = service.tokens(&by).await.unwrap();
    for token in tokens {
        assert!(service.revoke_token(token.token.id, &by).await.unwrap());
    }
    let can = json!({ "elicitation": { "form": {} } });
    let refused = newest(&agent, "tools/call", next(&call, &first), can).await;
    assert_eq!(refused["code"], "bad_token", "{refused}");
}

async fn a_state_of_another_key_is_not_opened(database: TestDatabase) {
    let app = patient(&database).await;
    let agent = app.agent("backend").await;
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    // It has a key of its own.
    let second = patient(&database).await;
    let there = Caller {
        app: &second,
        token: agent.token.clone(),
    };
    let refused = called(&there, &next(&call, &first)).await;
    assert!(
        text_of(&refused).starts_with("request_state_invalid: "),
        "{refused}"
    );
    // The question waits, and is not asked again.
    let listed = json!({ "name": "list_my_questions", "arguments": { "state": "pending" } });
    let listed = called(&there, &listed).await;
    let items = &listed["structuredContent"]["items"];
    assert_eq!(items.as_array().unwrap().len(), 1, "{listed}");
}

async fn another_node_takes_the_next_round(database: TestDatabase) {
    let app = patient(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let call = ask("Which port?");
    let first = called(&agent, &call).await;
    let asked = first_question(&desk).await;
    json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await;
    let key = app.state.config.key_file();
    let second = TestApp::start_with(&database, |config| {
        config.mcp_hold_seconds = 1;
        config.key_file = Some(key);
    })
    .await;
    let there = Caller {
        app: &second,
        token: agent.token.clone(),
    };
    let answered = called(&there, &next(&call, &first)).await;
    assert_eq!(
        answered["structuredContent"]["answer"]["text"], "8080",
        "{answered}"
    );
}

/// Goes along by itself.
const NODE: &str = r#"
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
(async () => {
    const client = new Client({ name: "test", version: "1" }, {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        capabilities: { elicitation: { form: {} } },
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(input.url), {
        requestInit: { headers: { authorization: `Bearer ${input.token}` } },
    }));
    const answered = await client.callTool({ name: "ask_human", arguments: { prompt: "Which port?" } });
    const late = await client.callTool({ name: "ask_human", arguments: { prompt: "Which host?" } });
    process.stdout.write(JSON.stringify({ answered, late }));
    await client.close();
})();
"#;

const PYTHON: &str = r#"
import asyncio, json, sys
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

given = json.load(sys.stdin)

async def elicited(context, params):
    raise AssertionError("people are asked, not this client's user")

async def main():
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {given['token']}"})
    server = streamable_http_client(given["url"], http_client=http)
    async with Client(server, elicitation_callback=elicited) as client:
        answered = await client.call_tool("ask_human", {"prompt": "Which port?"})
        late = await client.call_tool("ask_human", {"prompt": "Which host?"})
        said = {"answered": answered, "late": late}
        print(json.dumps({name: one.model_dump(mode="json", by_alias=True) for name, one in said.items()}))

asyncio.run(main())
"#;

async fn npms_client_gets_its_answer_from_the_call_that_asked(database: TestDatabase) {
    goes_along(&database, node::run_script, NODE).await;
}

async fn pypis_client_gets_its_answer_from_the_call_that_asked(database: TestDatabase) {
    goes_along(&database, python::run_script, PYTHON).await;
}

/// Answers the first question; the second is left alone for as many rounds as there are.
async fn goes_along(
    database: &TestDatabase,
    run: fn(&str, &Value) -> String,
    script: &'static str,
) {
    let app = patient(database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let input = json!({ "url": app.url("/mcp"), "token": agent.token });
    let client = tokio::task::spawn_blocking(move || run(script, &input));
    let asked = first_question(&desk).await;
    json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await;
    let said: Value = serde_json::from_str(&client.await.unwrap()).unwrap();
    let answered = &said["answered"]["structuredContent"];
    assert_eq!(answered["answer"]["text"], "8080", "{said}");
    let late = &said["late"]["structuredContent"];
    assert_eq!(late["state"], "pending", "{said}");
}
