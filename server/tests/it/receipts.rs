//! Receipts of decisions: through the API, at the command line, and checked by somebody else.

use std::{fs, path::Path, process::Output};

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::{
    app::{Caller, TestApp, json_of, path_of},
    cli::handraise,
    node::verified_by_node,
};

store::on_both_databases!(
    every_decision_has_a_receipt_and_nothing_else_has,
    a_receipt_holds_for_another_implementation,
    a_receipt_is_void_for_anything_that_was_not_decided,
);

fn approval() -> Value {
    json!({
        "kind": "approval", "prompt": "Deploy?",
        "action": {"tool": "shell", "arguments": {"command": "make deploy \u{1f980}", "n": 1}},
    })
}

async fn receipt(caller: &Caller<'_>, asked: &Value) -> Value {
    caller.read(&format!("{}/receipt", path_of(asked))).await
}

async fn refused(caller: &Caller<'_>, asked: &Value, status: StatusCode) -> Value {
    let path = format!("{}/receipt", path_of(asked));
    let problem = json_of(caller.get(&path).send().await.unwrap(), status).await;
    problem["code"].clone()
}

fn public_key(app: &TestApp) -> String {
    let key = server::signing::load(&app.state.config.key_file()).unwrap();
    key.verifying_key().to_string()
}

async fn every_decision_has_a_receipt_and_nothing_else_has(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let other = app.agent("devops").await;
    let plan = json!({"kind": "plan_review", "plan": "1. Test\n2. Deploy"});
    for (body, answer, outcome) in [
        (approval(), json!({"approved": true}), "approved"),
        (
            approval(),
            json!({"approved": false, "text": "no"}),
            "denied",
        ),
        (
            plan.clone(),
            json!({"decision": "proceed_clean"}),
            "proceed_clean",
        ),
        (
            plan,
            json!({"decision": "adjust", "feedback": "more"}),
            "adjust",
        ),
    ] {
        let asked = agent.ask(body.clone()).await;
        assert_eq!(
            refused(&agent, &asked, StatusCode::CONFLICT).await,
            "still_pending"
        );
        app.clock.advance(chrono::TimeDelta::seconds(5));
        let closed = desk.done(&asked, "answer", answer).await;
        let receipt = receipt(&agent, &asked).await;
        let mut expected = json!({
            "version": 1, "interaction_id": asked["id"], "kind": body["kind"], "outcome": outcome,
            "agent": closed["agent"], "responder": closed["answer"]["responder"],
            "asked_at": closed["created_at"], "answered_at": closed["closed_at"],
            "public_key": public_key(&app), "signature": receipt["signature"],
        });
        if body["kind"] == "approval" {
            expected["action_digest"] = closed["action_digest"].clone();
        } else {
            // printf '1. Test\n2. Deploy' | sha256sum
            let digest = "sha256:bf6c5d0ff53a8841d0ec3ed8533ede1f5edd939d987a9b6fbfc3822b07719bf3";
            expected["plan_digest"] = digest.into();
        }
        assert_eq!(receipt, expected);
        // What came later changes nothing.
        desk.done(&asked, "follow_up", json!({"text": "more"}))
            .await;
        assert_eq!(self::receipt(&desk, &asked).await, receipt);
        let hidden = refused(&other, &asked, StatusCode::NOT_FOUND).await;
        assert_eq!(hidden, "not_found");
        // It was committed with the answer.
        let events = agent.read("/api/v1/events?limit=1000").await;
        let mut kept = events["items"].as_array().unwrap().iter();
        assert!(kept.any(|event| event["payload"]["answer"]["receipt"] == receipt));
    }

    let question = agent.ask(json!({})).await;
    let expires = agent.ask({
        let mut body = approval();
        body["timeout_seconds"] = 60.into();
        body
    });
    let (expires, taken_back) = (expires.await, agent.ask(approval()).await);
    assert_eq!(
        refused(&agent, &question, StatusCode::NOT_FOUND).await,
        "no_receipt"
    );
    desk.answer(&question, "80").await;
    agent.done(&taken_back, "cancel", json!({})).await;
    app.clock.advance(chrono::TimeDelta::seconds(60));
    app.state.service.expire_due().await.unwrap();
    for asked in [&question, &expires, &taken_back] {
        assert_eq!(
            refused(&agent, asked, StatusCode::NOT_FOUND).await,
            "no_receipt"
        );
    }
}

async fn a_receipt_holds_for_another_implementation(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (
        app.agent("b\u{e4}ckend \"1\"").await,
        app.responder("\u{65e5}").await,
    );
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let receipt = receipt(&agent, &asked).await;
    // Strings and small integers: sorting the keys is all that RFC 8785 asks of JSON.stringify.
    let script = r#"
        const sorted = (value) => value === null || typeof value !== "object" ? value
            : Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
        const { signature, ...signed } = input.receipt;
        const action = JSON.stringify(sorted(input.action));
        const digest = "sha256:" + crypto.createHash("sha256").update(action).digest("hex");
        return digest === signed.action_digest && verify(
            Buffer.from(input.key, "base64"),
            Buffer.from(JSON.stringify(sorted(signed))),
            Buffer.from(signature, "base64"),
        );
    "#;
    let input =
        json!({"receipt": receipt, "action": approval()["action"], "key": public_key(&app)});
    assert!(verified_by_node(script, &input));
    for (pointer, forged) in [
        ("/receipt/outcome", json!("denied")),
        ("/receipt/responder/name", json!("Ana")),
        ("/action/arguments/n", json!(2)),
    ] {
        let mut changed = input.clone();
        *changed.pointer_mut(pointer).unwrap() = forged;
        assert!(!verified_by_node(script, &changed), "{pointer}");
    }
}

fn verify(folder: &Path, receipt: &Value, action: Option<&Value>, more: &[&str]) -> Output {
    let (file, about) = (folder.join("receipt.json"), folder.join("action.json"));
    fs::write(&file, receipt.to_string()).unwrap();
    let mut arguments = vec!["receipt", "verify", "--receipt", file.to_str().unwrap()];
    if let Some(action) = action {
        fs::write(&about, action.to_string()).unwrap();
        arguments.extend(["--action", about.to_str().unwrap()]);
    }
    handraise(&[&arguments[..], more].concat())
}

fn void(output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(why), "{said}");
}

async fn a_receipt_is_void_for_anything_that_was_not_decided(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let receipt = receipt(&agent, &asked).await;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (key, action) = (public_key(&app), approval()["action"].clone());
    let key_file = app.state.config.key_file();
    let named = ["--public-key", key.as_str()];

    let holds = format!(
        ": approval of {} was approved by desk on 2027-01-15T08:00:00Z; public key {key}\n",
        asked["id"].as_str().unwrap()
    );
    for (action, more, begins) in [
        (Some(&action), &named[..], "the receipt holds"),
        (
            None,
            &["--key", key_file.to_str().unwrap()],
            "the receipt holds",
        ),
        (
            Some(&action),
            &[],
            "the signature holds, by the key that the receipt names",
        ),
    ] {
        let output = verify(folder, &receipt, action, more);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{begins}{holds}")
        );
    }

    // Another argument, another tool, one argument more.
    for (pointer, other) in [
        ("/arguments/command", json!("make deploy")),
        ("/arguments/n", json!(1.5)),
        ("/tool", json!("bash")),
        (
            "/arguments",
            json!({"command": "make deploy \u{1f980}", "n": 1, "force": true}),
        ),
    ] {
        let mut changed = action.clone();
        *changed.pointer_mut(pointer).unwrap() = other;
        let output = verify(folder, &receipt, Some(&changed), &named);
        void(&output, "void for this action: sha256:");
    }
    for (field, forged, why) in [
        (
            "outcome",
            json!("denied"),
            "its signature is not over what it says",
        ),
        (
            "action_digest",
            json!("sha256:00"),
            "its signature is not over what it says",
        ),
        (
            "answered_at",
            json!("2027-01-15T08:00:01Z"),
            "its signature is not over what it says",
        ),
        ("signature", json!("AAAA"), "its signature is none"),
        ("version", json!(2), "its version 2 is not known"),
        (
            "note",
            json!("also approved"),
            "it holds more than was signed",
        ),
        (
            "public_key",
            json!("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="),
            "it was signed with the key",
        ),
    ] {
        let mut changed = receipt.clone();
        changed[field] = forged;
        void(&verify(folder, &changed, Some(&action), &named), why);
    }

    let asked = agent.ask(json!({"kind": "plan_review", "plan": "x"})).await;
    desk.done(&asked, "answer", json!({"decision": "proceed"}))
        .await;
    let plan = self::receipt(&agent, &asked).await;
    assert!(verify(folder, &plan, None, &named).status.success());
    void(
        &verify(folder, &plan, Some(&action), &named),
        "it is of a plan_review",
    );
}
