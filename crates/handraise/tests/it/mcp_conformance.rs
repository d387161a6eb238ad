//! The official conformance suite of the protocol, run against `/mcp`. It has no way to send a token, so it comes
//! through a proxy that adds one.
//!
//! Many scenarios want tools, prompts and resources that a server has only for the suite. They are named in
//! [`NOT_OURS`] with the reason, and each of their faults must be that reason: anything else fails.

use std::{collections::BTreeSet, fs, path::Path, process::Stdio};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    response::Response,
};
use serde_json::Value;
use store::testing::TestDatabase;
use tokio::{net::TcpListener, process::Command, task::JoinHandle};

use crate::support::{
    app::{TestApp, http_client},
    node,
};

store::on_both_databases!(
    a_server_of_2025_11_25_conforms,
    a_server_of_2026_07_28_conforms
);

const PAGE: &str = include_str!("../../../../docs/mcp.md");

/// Why scenarios do not apply, and what a fault says for which that is the reason.
struct Reason {
    why: &'static str,
    says: &'static [&'static str],
    scenarios: &'static [&'static str],
}

const NOT_OURS: [Reason; 5] = [
    Reason {
        why: "want tools that only the suite has a use for",
        says: &[
            "there is no tool ",
            "Tool 'json_schema_2020_12_tool' not found",
            "Expected InputRequiredResult with inputRequests",
            "could not get initial InputRequiredResult",
        ],
        scenarios: &[
            "tools-call-simple-text",
            "tools-call-image",
            "tools-call-audio",
            "tools-call-embedded-resource",
            "tools-call-mixed-content",
            "tools-call-error",
            "tools-call-with-progress",
            "tools-call-sampling",
            "tools-call-elicitation",
            "json-schema-2020-12",
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "input-required-result-basic-elicitation",
            "input-required-result-basic-sampling",
            "input-required-result-basic-list-roots",
            "input-required-result-request-state",
            "input-required-result-multiple-input-requests",
            "input-required-result-multi-round",
            "input-required-result-result-type",
            "input-required-result-tampered-state",
            "input-required-result-capability-check",
        ],
    },
    Reason {
        why: "want a tool with headers of its own, or tools that show what a stream must not do",
        says: &["Not testable: server "],
        scenarios: &["http-custom-header-server-validation", "server-stateless"],
    },
    Reason {
        why: "want prompts, which the server does not declare",
        says: &["prompts/list", "prompts/get"],
        scenarios: &[
            "prompts-list",
            "prompts-get-simple",
            "prompts-get-with-args",
            "prompts-get-embedded-resource",
            "prompts-get-with-image",
            "input-required-result-non-tool-request",
            "caching",
        ],
    },
    Reason {
        why: "want resources, which the server does not declare",
        says: &[
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "resources/subscribe",
        ],
        scenarios: &[
            "resources-list",
            "resources-read-text",
            "resources-read-binary",
            "resources-templates-read",
            "resources-subscribe",
            "resources-unsubscribe",
            "caching",
        ],
    },
    Reason {
        why: "want logging or completion, which the server does not declare",
        says: &["logging/setLevel", "completion/complete"],
        scenarios: &[
            "logging-set-level",
            "tools-call-with-logging",
            "completion-complete",
        ],
    },
];

async fn a_server_of_2025_11_25_conforms(database: TestDatabase) {
    conforms(
        &database,
        "2025-11-25",
        &[
            "server-initialize",
            "ping",
            "tools-list",
            "dns-rebinding-protection",
        ],
    )
    .await;
}

async fn a_server_of_2026_07_28_conforms(database: TestDatabase) {
    conforms(
        &database,
        "2026-07-28",
        &[
            "tools-list",
            "dns-rebinding-protection",
            "caching",
            "http-header-validation",
            "server-stateless",
        ],
    )
    .await;
}

/// Runs every scenario of a version. `met` are those that must be run and be more than skipped.
async fn conforms(database: &TestDatabase, version: &str, met: &[&str]) {
    let app = TestApp::start(database).await;
    let agent = app.agent("conformance").await;
    let (address, proxy) = proxy(app.url(""), agent.token.clone()).await;
    let results = tempfile::tempdir().unwrap();
    let output = Command::new(node::NODE_22)
        .arg(format!(
            "{}/@modelcontextprotocol/conformance/dist/index.js",
            node::NODE_MODULES
        ))
        .args(["server", "--suite", "all", "--spec-version", version])
        .args(["--url", &format!("{address}/mcp")])
        .arg("--output-dir")
        .arg(results.path())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("Node.js 22 is not there: `npm ci` in end2end installs it");
    proxy.abort();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("=== SUMMARY ==="), "{said}");
    let mut succeeded = BTreeSet::new();
    let mut faults = Vec::new();
    for (scenario, checks) in checks(results.path()) {
        for check in checks.as_array().unwrap() {
            match check["status"].as_str().unwrap() {
                "SUCCESS" => {
                    succeeded.insert(scenario.clone());
                }
                "FAILURE" if !is_not_ours(&scenario, check) => {
                    faults.push(format!(
                        "{scenario}: {}: {}",
                        check["id"], check["errorMessage"]
                    ));
                }
                _ => {}
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for scenario in met {
        assert!(succeeded.contains(*scenario), "{scenario}: {succeeded:?}");
    }
}

/// Each scenario that was run, with what was checked in it.
fn checks(results: &Path) -> Vec<(String, Value)> {
    let folders = fs::read_dir(results).unwrap();
    folders
        .map(|folder| {
            let folder = folder.unwrap();
            let name = folder.file_name().into_string().unwrap();
            // Of the form server-SCENARIO-TIME.
            let scenario = name.strip_prefix("server-").unwrap();
            let scenario = &scenario[..scenario.len() - "-2026-01-01T00-00-00-000Z".len()];
            let checks = fs::read(folder.path().join("checks.json")).unwrap();
            (
                scenario.to_owned(),
                serde_json::from_slice(&checks).unwrap(),
            )
        })
        .collect()
}

fn is_not_ours(scenario: &str, check: &Value) -> bool {
    let error = check["errorMessage"].as_str().unwrap_or_default();
    NOT_OURS.iter().any(|reason| {
        reason.scenarios.contains(&scenario) && reason.says.iter().any(|says| error.contains(says))
    })
}

/// Adds a token to every request, and changes nothing else.
async fn proxy(target: String, token: String) -> (String, JoinHandle<()>) {
    async fn pass(State((target, token)): State<(String, String)>, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let response = http_client()
            .request(parts.method, format!("{target}{}", parts.uri))
            .headers(parts.headers)
            .bearer_auth(token)
            .body(body)
            .send()
            .await
            .unwrap();
        let mut passed = Response::builder().status(response.status());
        *passed.headers_mut().unwrap() = response.headers().clone();
        passed
            .body(Body::from(response.bytes().await.unwrap()))
            .unwrap()
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let routes = Router::new().fallback(pass).with_state((target, token));
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    (address, serving)
}

#[test]
fn the_manual_names_what_does_not_apply() {
    for reason in &NOT_OURS {
        assert!(PAGE.contains(reason.why), "docs/mcp.md: {}", reason.why);
        for scenario in reason.scenarios {
            let named = format!("`{scenario}`");
            assert!(PAGE.contains(&named), "docs/mcp.md should name {named}");
        }
    }
}
