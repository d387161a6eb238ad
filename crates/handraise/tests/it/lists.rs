//! Lists of interactions: narrowed, searched, paged.

use reqwest::{StatusCode, header};
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
};

store::on_both_databases!(
    a_list_is_narrowed_by_every_filter,
    pages_follow_each_other_without_gap_or_overlap,
    a_filter_that_makes_no_sense_is_named,
);

/// The prompts of everything listed, page after page.
async fn prompts(caller: &Caller<'_>, query: &str) -> Vec<String> {
    let mut path = format!("/api/v1/interactions{query}");
    let mut found = Vec::new();
    loop {
        let response = caller.get(&path).send().await.unwrap();
        let link = response.headers().get(header::LINK).cloned();
        let page = json_of(response, StatusCode::OK).await;
        for item in page["items"].as_array().unwrap() {
            found.push(item["prompt"].as_str().unwrap().to_owned());
        }
        assert_eq!(link.is_some(), page["next_cursor"].is_string());
        let Some(link) = link else { return found };
        path = link.to_str().unwrap().split_once('>').unwrap().0[1..].to_owned();
    }
}

async fn a_list_is_narrowed_by_every_filter(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let one = agent
        .ask(json!({"prompt": "one", "session_id": "s 1", "task": {"id": "T&1"}}))
        .await;
    agent
        .ask(json!({"prompt": "two", "kind": "acknowledgement", "mode": "async"}))
        .await;
    other.ask(json!({"prompt": "three"})).await;
    desk.answer(&one, "use Redis on api.example.com").await;
    for (query, expected) in [
        ("", &["three", "two", "one"][..]),
        ("?state=resolved", &["one"]),
        ("?state=pending", &["three", "two"]),
        ("?kind=acknowledgement", &["two"]),
        ("?mode=sync", &["three", "one"]),
        ("?agent=devops", &["three"]),
        ("?agent=nobody", &[]),
        ("?session_id=s+1", &["one"]),
        ("?task_id=T%261", &["one"]),
        ("?q=redis+examp", &["one"]),
        ("?q=redis&state=pending", &[]),
        ("?q=%22%27%29+OR", &[]),
        (
            "?state=pending&agent=backend&kind=acknowledgement",
            &["two"],
        ),
    ] {
        assert_eq!(prompts(&desk, query).await, expected, "{query}");
    }
    assert_eq!(prompts(&agent, "").await, ["two", "one"]);
    assert!(prompts(&agent, "?agent=devops").await.is_empty());
    assert!(prompts(&agent, "?q=three").await.is_empty());
}

async fn pages_follow_each_other_without_gap_or_overlap(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let mut expected = Vec::new();
    for n in 0..7 {
        let prompt = format!("number {n}");
        agent.ask(json!({"prompt": prompt})).await;
        expected.insert(0, prompt);
    }
    for query in [
        "?limit=3",
        "?limit=7",
        "?limit=1&q=number",
        "?state=pending&limit=2",
    ] {
        assert_eq!(prompts(&agent, query).await, expected, "{query}");
    }
}

async fn a_filter_that_makes_no_sense_is_named(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    for (query, path) in [
        ("?state=open", "state"),
        ("?kind=riddle", "kind"),
        ("?mode=later", "mode"),
        ("?limit=201", "limit"),
        ("?cursor=x", "cursor"),
        ("?q=%20", "q"),
        ("?colour=red", "colour"),
    ] {
        let response = agent.get(&format!("/api/v1/interactions{query}")).send();
        let problem = json_of(response.await.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], path, "{problem}");
    }
}
