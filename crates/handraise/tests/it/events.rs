//! The journal, page by page.

use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use store::{testing::TestDatabase, verify_journal};

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
};

store::on_both_databases!(
    every_change_is_an_event,
    an_empty_page_is_held_until_something_happens,
    a_stream_brings_every_event_once_and_resumes,
);

async fn page(caller: &Caller<'_>, query: &str) -> Value {
    let response = caller.get(&format!("/api/v1/events{query}")).send().await;
    json_of(response.unwrap(), StatusCode::OK).await
}

async fn every_change_is_an_event(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    // Their tokens, which are no agent's news.
    assert_eq!(app.last_seq().await, 3);
    let nothing = page(&agent, "").await;
    assert_eq!(nothing["items"], json!([]));
    let asked = agent.ask(json!({"task": {"id": "T-1"}})).await;
    other.ask(json!({})).await;
    desk.answer(&asked, "80").await;
    desk.answer(&asked, "81").await;

    let own = page(&agent, "").await;
    let types: Vec<_> = own["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            (
                event["seq"].as_i64().unwrap(),
                event["type"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        types,
        [
            (4, "interaction.requested"),
            (5, "task.waiting"),
            (7, "interaction.resolved"),
            (8, "task.running"),
            (9, "interaction.answer_rejected"),
        ]
    );
    assert_eq!(own["last_seq"], 9);
    let resolved = &own["items"][2];
    assert_eq!(resolved["interaction_id"], asked["id"]);
    assert_eq!(resolved["task_id"], "T-1");
    assert_eq!(resolved["actor"]["type"], "responder");
    assert_eq!(resolved["actor"]["name"], "desk");
    assert_eq!(resolved["payload"]["answer"]["content"]["text"], "80");

    let all = page(&desk, "?limit=5").await;
    assert_eq!(all["items"].as_array().unwrap().len(), 5);
    assert_eq!(all["items"][0]["type"], "token.created");
    let rest = page(&desk, &format!("?after={}", all["last_seq"])).await;
    assert_eq!(rest["items"].as_array().unwrap().len(), 4);
    assert_eq!(page(&desk, "?after=9").await["last_seq"], 9);
    assert_eq!(page(&desk, "?after=600").await["last_seq"], 9);
    verify_journal(&**app.state.service.store()).await.unwrap();
}

async fn an_empty_page_is_held_until_something_happens(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let asked = agent.ask(json!({})).await;
    let held = tokio::spawn(
        agent
            .get("/api/v1/events?after=3")
            .header("prefer", "wait=30")
            .send(),
    );
    // What others do is not this agent's news.
    other.ask(json!({})).await;
    app.responder("desk").await.answer(&asked, "80").await;
    let last = app.last_seq().await;
    let response = held.await.unwrap().unwrap();
    assert_eq!(response.headers()["preference-applied"], "wait=30");
    let page = json_of(response, StatusCode::OK).await;
    assert_eq!(page["items"][0]["type"], "interaction.resolved");
    assert_eq!(page["items"].as_array().unwrap().len(), 1);

    let response = agent
        .get(&format!("/api/v1/events?after={last}"))
        .header("prefer", "wait=0");
    let page = json_of(response.send().await.unwrap(), StatusCode::OK).await;
    assert_eq!(page, json!({"items": [], "last_seq": last}));
}

/// The next frame of a stream: its lines, by name.
async fn frame(stream: &mut Response, rest: &mut String) -> (i64, String, Value) {
    loop {
        if let Some((frame, after)) = rest.split_once("\n\n") {
            let field = |name: &str| {
                let line = frame.lines().find_map(|line| line.strip_prefix(name));
                line.map(|value| value.trim().to_owned())
            };
            let read = (field("id:"), field("event:"), field("data:"));
            *rest = after.to_owned();
            if let (Some(id), Some(event), Some(data)) = read {
                return (
                    id.parse().unwrap(),
                    event,
                    serde_json::from_str(&data).unwrap(),
                );
            }
            continue;
        }
        let chunk = stream.chunk().await.unwrap().expect("the stream has ended");
        rest.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

async fn a_stream_brings_every_event_once_and_resumes(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let open = async |last: Option<i64>| {
        let mut request = agent
            .get("/api/v1/events")
            .header("accept", "text/event-stream");
        if let Some(last) = last {
            request = request.header("last-event-id", last.to_string());
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let content_type = response.headers()["content-type"].to_str().unwrap();
        assert!(content_type.starts_with("text/event-stream"));
        response
    };
    let asked = agent.ask(json!({})).await;
    let (mut stream, mut rest) = (open(None).await, String::new());
    let (seq, event, data) = frame(&mut stream, &mut rest).await;
    assert_eq!((seq, &*event), (4, "interaction.requested"));
    assert_eq!(data["interaction_id"], asked["id"]);
    other.ask(json!({})).await;
    desk.answer(&asked, "80").await;
    let (seq, event, _) = frame(&mut stream, &mut rest).await;
    assert_eq!((seq, &*event), (6, "interaction.resolved"));
    drop(stream);

    agent.done(&asked, "collect", json!({})).await;
    let (mut stream, mut rest) = (open(Some(6)).await, String::new());
    let (seq, event, _) = frame(&mut stream, &mut rest).await;
    assert_eq!((seq, &*event), (7, "interaction.collected"));
    // Beyond the end, as after a restored backup: what comes is not missed.
    let (mut beyond, mut rest_beyond) = (open(Some(4_000)).await, String::new());
    agent.ask(json!({})).await;
    let (seq, event, _) = frame(&mut beyond, &mut rest_beyond).await;
    assert_eq!((seq, &*event), (8, "interaction.requested"));
    // A server that stops ends its streams.
    app.begin_to_stop();
    while stream.chunk().await.unwrap().is_some() {}
}
