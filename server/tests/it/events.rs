//! The journal, page by page.

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::{testing::TestDatabase, verify_journal};

use crate::app::{Caller, TestApp, json_of};

store::on_both_databases!(every_change_is_an_event);

async fn page(caller: &Caller<'_>, query: &str) -> Value {
    let response = caller.get(&format!("/api/v1/events{query}")).send().await;
    json_of(response.unwrap(), StatusCode::OK).await
}

async fn every_change_is_an_event(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    assert_eq!(page(&agent, "").await, json!({"items": [], "last_seq": 0}));
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
            (1, "interaction.requested"),
            (3, "interaction.resolved"),
            (4, "interaction.answer_rejected"),
        ]
    );
    assert_eq!(own["last_seq"], 4);
    let resolved = &own["items"][1];
    assert_eq!(resolved["interaction_id"], asked["id"]);
    assert_eq!(resolved["task_id"], "T-1");
    assert_eq!(resolved["actor"]["type"], "responder");
    assert_eq!(resolved["actor"]["name"], "desk");
    assert_eq!(resolved["payload"]["answer"]["content"]["text"], "80");

    let all = page(&desk, "?limit=2").await;
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    let rest = page(&desk, &format!("?after={}", all["last_seq"])).await;
    assert_eq!(rest["items"].as_array().unwrap().len(), 2);
    assert_eq!(page(&desk, "?after=4").await["last_seq"], 4);
    verify_journal(&**app.state.service.store()).await.unwrap();
}
