//! The description of the API is whole, and the one that is committed.

use std::collections::BTreeSet;

use domain::interaction::Kind;
use reqwest::{StatusCode, header};
use serde_json::Value;
use server::api::openapi;
use store::testing::TestDatabase;

use crate::support::{app::TestApp, caller::json_of, openapi::document};

store::on_both_databases!(
    whoever_wants_it_gets_the_document_and_the_page,
    the_book_is_there_offline_and_can_be_searched,
    the_examples_work_and_are_answered_as_shown,
);

const COMMITTED: &str = include_str!("../../../../docs/openapi.json");
const ROUTER: &str = include_str!("../../../../server/src/router.rs");
const PROBLEMS: &str = include_str!("../../../../server/src/problem.rs");
const EVENTS: [&str; 12] = [
    include_str!("../../../domain/src/event/interaction.rs"),
    include_str!("../../../domain/src/event/task.rs"),
    include_str!("../../../domain/src/event/access.rs"),
    include_str!("../../../domain/src/event/team.rs"),
    include_str!("../../../domain/src/event/duty.rs"),
    include_str!("../../../domain/src/event/outbound.rs"),
    include_str!("../../../domain/src/event/grant.rs"),
    include_str!("../../../domain/src/event/memory.rs"),
    include_str!("../../../domain/src/event/policy.rs"),
    include_str!("../../../domain/src/event/journal.rs"),
    include_str!("../../../domain/src/event/ladder.rs"),
    include_str!("../../../domain/src/event/reach.rs"),
];

/// Of pages, of MCP, and of addresses that there are not.
const NOT_OF_CALLS: [&str; 9] = [
    "not_slack",
    "slack_again",
    "signed_out",
    "cross_origin",
    "admins_only",
    "too_many_sockets",
    "not_in_time",
    "no_such_address",
    "method_not_allowed",
];

#[test]
fn the_committed_document_is_that_of_the_program() {
    assert!(
        COMMITTED == openapi::json(),
        "docs/openapi.json is of another program. Write it anew: handraise openapi > docs/openapi.json"
    );
}

#[test]
fn every_call_is_described() {
    let mut routes = BTreeSet::new();
    for route in ROUTER.split(".route(").skip(1) {
        let path = route.split('"').nth(1).unwrap();
        let path = match path.strip_prefix("/v1/") {
            Some(rest) => format!("/api/v1/{rest}"),
            None if ["/healthz", "/readyz", "/metrics"].contains(&path) => path.to_owned(),
            None => continue,
        };
        for method in ["get", "put", "post", "delete"] {
            let calls = |before: char| route.contains(&format!("{before}{method}("));
            if calls(' ') || calls('.') {
                routes.insert(format!("{method} {path}"));
            }
        }
    }
    let document = document();
    let described: BTreeSet<String> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{method} {path}"))
        })
        .collect();
    assert_eq!(described, routes);
}

#[test]
fn every_code_of_the_api_is_described() {
    let document = document();
    let described: BTreeSet<&str> = document["components"]["responses"]
        .as_object()
        .unwrap()
        .keys()
        .flat_map(|name| name.split("_or_"))
        .collect();
    // A code stands behind its status.
    let codes: BTreeSet<&str> = PROBLEMS
        .split("StatusCode::")
        .skip(1)
        .filter_map(|text| {
            let (_, code) = text.split_once(',')?;
            let code = code.trim_start().strip_prefix('"')?;
            Some(code.split('"').next().unwrap())
        })
        .collect();
    assert!(codes.len() > 20, "{codes:?}");
    let not_of_calls = BTreeSet::from(NOT_OF_CALLS);
    assert_eq!(&described | &not_of_calls, codes);
}

#[test]
fn every_type_of_event_is_described() {
    let document = document();
    let described = &document["components"]["schemas"]["Event"]["properties"]["type"]["enum"];
    let described: Vec<&str> = described
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let names = EVENTS
        .iter()
        .flat_map(|nouns| nouns.split("#[serde(rename = \"").skip(1));
    let names: Vec<&str> = names.map(|text| text.split('"').next().unwrap()).collect();
    assert_eq!(described, names);
}

#[test]
fn every_reference_leads_somewhere() {
    fn check(part: &Value, document: &Value) {
        match part {
            Value::Object(fields) => {
                if let Some(place) = fields.get("$ref").and_then(Value::as_str) {
                    assert!(document.pointer(&place[1..]).is_some(), "{place}");
                }
                fields.values().for_each(|field| check(field, document));
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, document)),
            _ => {}
        }
    }
    let document = document();
    check(&document, &document);
}

async fn the_book_is_there_offline_and_can_be_searched(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let page = async |path: &str, status: StatusCode| {
        let response = app.get(path).send().await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].clone();
        let policy = policy.to_str().unwrap().to_owned();
        assert!(
            !policy.contains("script") && !policy.contains("unsafe"),
            "{policy}"
        );
        response.text().await.unwrap()
    };
    let index = page("/docs/index", StatusCode::OK).await;
    for link in index.split("href=\"/docs/").skip(1) {
        let name = link.split(['"', '#']).next().unwrap();
        page(&format!("/docs/{name}"), StatusCode::OK).await;
    }
    assert!(
        page("/docs/receipts", StatusCode::OK)
            .await
            .contains("<title>Receipts")
    );
    // As its file is called.
    let file = app.get("/docs/receipts.md").send().await.unwrap();
    assert_eq!(file.headers()[header::LOCATION], "/docs/receipts");
    let found = page("/docs/search?q=known+servers", StatusCode::OK).await;
    assert!(
        found.contains("href=\"/docs/receipts#the-file-of-known-servers\""),
        "{found}"
    );
    assert!(found.contains("<mark>"), "{found}");
    let nothing = page(
        "/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
        StatusCode::OK,
    )
    .await;
    assert!(
        nothing.contains("Nothing in the book has") && !nothing.contains("<script"),
        "{nothing}"
    );
    for empty in ["/docs/search", "/docs/search?q="] {
        assert!(
            page(empty, StatusCode::OK)
                .await
                .contains("<h1>The book</h1>")
        );
    }
    let missing = page("/docs/nowhere", StatusCode::NOT_FOUND).await;
    assert!(missing.contains("href=\"/docs/agents\""), "{missing}");
}

async fn whoever_wants_it_gets_the_document_and_the_page(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let response = app.get("/api/v1/openapi.json").send().await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    assert_eq!(response.text().await.unwrap(), openapi::json());

    let dark = app.get("/docs").header(header::COOKIE, "theme=dark");
    let response = dark.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let policy = response.headers()[header::CONTENT_SECURITY_POLICY].clone();
    let policy = policy.to_str().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self';"),
        "{policy}"
    );
    assert!(
        !policy.contains("script") && !policy.contains("unsafe"),
        "{policy}"
    );
    let page = response.text().await.unwrap();
    assert!(page.contains("data-theme=\"dark\""));
    for nothing in ["<script", "style=\"", "://"] {
        // Addresses of examples stand in text.
        let tags = page
            .split('<')
            .filter(|tag| tag.split('>').next().unwrap().contains(nothing));
        assert_eq!(tags.count(), 0, "{nothing}");
    }
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
    let targets = page.split("href=\"#").skip(1);
    for target in targets.map(|text| text.split('"').next().unwrap()) {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

async fn the_examples_work_and_are_answered_as_shown(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let document = document();
    let json = |content: &Value| content["content"]["application/json"]["examples"].clone();
    let interactions = &document["paths"]["/api/v1/interactions"]["post"];
    let answering = &document["paths"]["/api/v1/interactions/{id}/answer"]["post"];
    for kind in Kind::ALL.map(Kind::name) {
        let body = &json(&interactions["requestBody"])[kind]["value"];
        let sent = agent.post("/api/v1/interactions").json(body).send().await;
        let asked = json_of(sent.unwrap(), StatusCode::CREATED).await;
        assert_same_shape(
            &json(&interactions["responses"]["201"])[kind]["value"],
            &asked,
        );
        let answer = &json(&answering["requestBody"])[kind]["value"];
        if answer.is_null() {
            assert_eq!(kind, "notification");
            continue;
        }
        let answered = desk.done(&asked, "answer", answer.clone()).await;
        let shown = &json(&answering["responses"]["200"])[kind]["value"];
        assert_same_shape(shown, &answered);
        assert_eq!(shown["outcome"], answered["outcome"]);
        assert_eq!(shown["resume_prompt"], answered["resume_prompt"]);
    }
}

/// The same fields, of the same types.
fn assert_same_shape(shown: &Value, found: &Value) {
    match (shown, found) {
        (Value::Object(shown), Value::Object(found)) => {
            assert!(shown.keys().eq(found.keys()), "{shown:?} {found:?}");
            for (name, value) in shown {
                assert_same_shape(value, &found[name]);
            }
        }
        _ => assert_eq!(
            std::mem::discriminant(shown),
            std::mem::discriminant(found),
            "{shown} {found}"
        ),
    }
}
