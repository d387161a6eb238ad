//! PyPI's Schemathesis makes requests from the description of the API, good ones and bad ones, and holds every
//! answer against it, with all of its checks but one at one address (`schemathesis.toml` says why). What comes
//! after an event stream's head is no JSON and left to `events.rs`: a generated request never asks for one.

use std::path::Path;

use serde_json::Value;
use server::api::openapi;
use store::testing::TestDatabase;

use crate::support::{app::TestApp, python};

/// So many requests are made up for each call, besides those at the borders of what is allowed.
const EXAMPLES: u32 = 8;

store::on_both_databases!(
    agents_are_answered_as_described,
    scripts_are_answered_as_described,
);

async fn agents_are_answered_as_described(database: TestDatabase) {
    check(&database, "agent").await;
}

async fn scripts_are_answered_as_described(database: TestDatabase) {
    check(&database, "responder").await;
}

/// Tries all that takes the token of this kind, and with a responder's also what needs none.
async fn check(database: &TestDatabase, kind: &'static str) {
    let app = TestApp::start_with(database, |config| {
        config.rate_limit_per_minute = 0;
        config.max_pending_per_agent = 0;
    })
    .await;
    let team = app.team("Desk").await;
    let tokens = [
        app.agent("backend").await.token,
        app.responder_of("desk", team).await.token,
    ];
    let own = if kind == "agent" {
        &tokens[0]
    } else {
        &tokens[1]
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemathesis");
    // What it remembers of one run must not make the next another one.
    let nothing_known = tempfile::tempdir().unwrap();
    let mut schemathesis = python::command();
    schemathesis
        .current_dir(nothing_known.path())
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(folder.join("schemathesis.toml"))
        .arg("run")
        .arg(app.url("/api/v1/openapi.json"))
        .args(["--header", &format!("Authorization: Bearer {own}")])
        .args(["--phases", phases(database)])
        .args(["--max-examples", &EXAMPLES.to_string()])
        .args(["--generation-deterministic", "--no-color"])
        .args(["--include-operation-id-regex", &calls_for(kind)])
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("HANDRAISE_URL", app.url(""))
        .env("HANDRAISE_AGENT_TOKEN", &tokens[0])
        .env("HANDRAISE_RESPONDER_TOKEN", &tokens[1]);
    let output = tokio::task::spawn_blocking(move || schemathesis.output().unwrap());
    let output = output.await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Nothing was left out without a word.
    assert!(!said.contains("Warnings:"), "{said}");
}

/// The borders of what is allowed are the same with either database, and half of the time.
fn phases(database: &TestDatabase) -> &'static str {
    if database.url.starts_with("sqlite") {
        "examples,coverage,fuzzing,stateful"
    } else {
        "examples,fuzzing,stateful"
    }
}

/// A pattern of their names.
fn calls_for(kind: &str) -> String {
    let document: Value = serde_json::from_str(openapi::json()).unwrap();
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let names: Vec<&str> = operations
        .filter(|operation| match operation["security"].as_array() {
            Some(schemes) => schemes.iter().any(|scheme| scheme.get(kind).is_some()),
            None => kind == "responder",
        })
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    assert!(names.len() > 10, "{names:?}");
    format!("^({})$", names.join("|"))
}
