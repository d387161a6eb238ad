//! The agent's trace: where it asks is kept and given back, however it asks.

use reqwest::{RequestBuilder, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::process::Command;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    mcp::{sent, tool_call},
};

store::on_both_databases!(
    where_in_its_trace_an_agent_asks_is_given_back,
    what_is_no_place_in_a_trace_is_ignored,
    the_same_request_from_elsewhere_in_a_trace_is_the_same,
    a_model_names_its_place_in_the_call,
    a_call_of_a2a_is_in_the_trace_of_its_request,
    a_command_passes_on_the_trace_that_it_was_started_in,
);

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const ELSEWHERE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01";

/// A question, asked with these headers.
fn asking(agent: &Caller<'_>, headers: &[&str]) -> RequestBuilder {
    let body = json!({"kind": "question", "prompt": "Which port?"});
    let request = agent.post("/api/v1/interactions").json(&body);
    headers.iter().fold(request, |request, traceparent| {
        request.header("traceparent", *traceparent)
    })
}

async fn asked(agent: &Caller<'_>, headers: &[&str]) -> Value {
    let asked = asking(agent, headers).send().await.unwrap();
    json_of(asked, StatusCode::CREATED).await
}

async fn where_in_its_trace_an_agent_asks_is_given_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = asked(&agent, &[TRACE]).await;
    assert_eq!(asked["traceparent"], TRACE);
    desk.answer(&asked, "8080").await;
    assert_eq!(agent.poll(&asked).await["traceparent"], TRACE);
    // The journal tells of it too.
    store::verify_journal(&**app.state.service.store())
        .await
        .unwrap();
    let body = json!({"kind": "notification", "prompt": "Done."});
    let told = agent.post("/api/v1/interactions").json(&body);
    let told = told.header("traceparent", ELSEWHERE).send().await.unwrap();
    let told = json_of(told, StatusCode::CREATED).await;
    assert_eq!(agent.poll(&told).await["traceparent"], ELSEWHERE);
}

async fn what_is_no_place_in_a_trace_is_ignored(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let zero = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
    for headers in [&[][..], &["nonsense"], &[""], &[zero], &[TRACE, ELSEWHERE]] {
        let asked = asked(&agent, headers).await;
        assert_eq!(asked["traceparent"], json!(null), "{headers:?}");
    }
}

async fn the_same_request_from_elsewhere_in_a_trace_is_the_same(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let under_key = async |traceparent| {
        let request = asking(&agent, &[traceparent]).header("idempotency-key", "k");
        json_of(request.send().await.unwrap(), StatusCode::CREATED).await
    };
    let first = under_key(TRACE).await;
    let again = under_key(ELSEWHERE).await;
    assert_eq!(again, first);
}

async fn a_model_names_its_place_in_the_call(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let newest = async || {
        let list = agent.read("/api/v1/interactions?limit=1").await;
        list["items"][0]["traceparent"].clone()
    };
    for (meta, header, expected) in [
        (json!({"traceparent": TRACE}), None, json!(TRACE)),
        // The request carries the call: the call knows better.
        (json!({"traceparent": TRACE}), Some(ELSEWHERE), json!(TRACE)),
        (json!({}), Some(ELSEWHERE), json!(ELSEWHERE)),
        (json!({"traceparent": "nonsense"}), None, json!(null)),
        (json!({"traceparent": 7}), None, json!(null)),
    ] {
        let mut call = tool_call("notify_human", json!({"prompt": "Done."}));
        call["params"]["_meta"] = meta.clone();
        let request = sent(agent.post("/mcp"), &call);
        let request = match header {
            Some(header) => request.header("traceparent", header),
            None => request,
        };
        let said = json_of(request.send().await.unwrap(), StatusCode::OK).await;
        assert!(
            said["result"]["structuredContent"]["id"].is_string(),
            "{said}"
        );
        assert_eq!(newest().await, expected, "{meta} {header:?}");
    }
}

async fn a_call_of_a2a_is_in_the_trace_of_its_request(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let params = json!({"message": {
        "messageId": "1", "role": "ROLE_USER", "parts": [{"text": "Which port?"}],
    }});
    let call = json!({"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": params});
    let request = agent.post("/a2a").header("a2a-version", "1.0").json(&call);
    let answer = request.header("traceparent", TRACE).send().await.unwrap();
    json_of(answer, StatusCode::OK).await;
    let list = agent.read("/api/v1/interactions").await;
    assert_eq!(list["items"][0]["traceparent"], TRACE);
}

async fn a_command_passes_on_the_trace_that_it_was_started_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    for (variable, expected) in [(TRACE, json!(TRACE)), ("nonsense", json!(null))] {
        let told = Command::new(env!("CARGO_BIN_EXE_handraise"))
            .args(["notify", "--prompt", "Done."])
            .env("HANDRAISE_URL", app.url(""))
            .env("HANDRAISE_TOKEN", &agent.token)
            .env("TRACEPARENT", variable)
            .output();
        assert!(told.await.unwrap().status.success());
        let list = agent.read("/api/v1/interactions?limit=1").await;
        assert_eq!(list["items"][0]["traceparent"], expected);
    }
}
