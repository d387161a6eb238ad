//! Receipts of decisions: through the API, at the command line, and checked by somebody else.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    Sign,
    interaction::{Action, Receipt},
};
use reqwest::StatusCode;
use serde_json::{Value, json};
use signing::{Keyring, SigningKey};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    node::verified_by_node,
};

store::on_both_databases!(
    every_decision_has_a_receipt_and_nothing_else_has,
    a_receipt_holds_for_another_implementation,
    a_receipt_is_void_for_anything_that_was_not_decided,
    what_was_denied_does_not_verify_unless_that_is_asked_for,
    a_file_that_is_a_part_of_the_action_is_looked_at_again,
    a_receipt_is_used_once,
    anybody_is_told_the_keys,
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
    app.public_key()
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
    alone(folder, &[&arguments[..], more].concat())
        .output()
        .unwrap()
}

/// The program, which knows no server but those in this folder.
fn alone(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .args(arguments)
        .env("HANDRAISE_KNOWN_SERVERS", folder.join("known_servers"));
    command
}

fn void(output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(why), "{said}");
}

async fn a_receipt_is_void_for_anything_that_was_not_decided(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
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
        "the receipt holds: approval of {} was approved by desk on {}; public key {key}\n",
        asked["id"].as_str().unwrap(),
        receipt["answered_at"].as_str().unwrap()
    );
    for (action, more) in [
        (Some(&action), &named[..]),
        (None, &named),
        (None, &["--key", key_file.to_str().unwrap()]),
    ] {
        let output = verify(folder, &receipt, action, more);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), holds);
    }

    // It would hold for whoever has made both.
    for action in [Some(&action), None] {
        void(
            &verify(folder, &receipt, action, &[]),
            "the receipt names its key itself, which proves nothing",
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

async fn what_was_denied_does_not_verify_unless_that_is_asked_for(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = public_key(&app);
    let named = ["--public-key", key.as_str()];
    let with = |more: &[&'static str]| -> Vec<String> {
        let all = named.iter().copied().chain(more.iter().copied());
        all.map(str::to_owned).collect()
    };
    let run = |receipt: &Value, action: Option<&Value>, more: &[&'static str]| {
        let more = with(more);
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        verify(folder, receipt, action, &more)
    };
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    let denied = receipt(&agent, &asked).await;
    let action = &approval()["action"];
    void(&run(&denied, Some(action), &[]), "its approval was denied");
    void(
        &run(&denied, None, &["--outcome", "approved"]),
        "its approval was denied",
    );
    let asked_for = run(&denied, Some(action), &["--outcome", "denied"]);
    assert!(asked_for.status.success(), "{asked_for:?}");
    void(&run(&denied, None, &[]), "its approval was denied");
    let wrong = run(&denied, None, &["--outcome", "expired"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");

    let plan = folder.join("plan.md");
    fs::write(&plan, "1. Test").unwrap();
    let plan = plan.to_str().unwrap().to_owned();
    for (decision, proceeds) in [
        ("proceed", true),
        ("proceed_clean", true),
        ("adjust", false),
    ] {
        let asked = agent
            .ask(json!({"kind": "plan_review", "plan": "1. Test"}))
            .await;
        let answer = json!({"decision": decision, "feedback": (!proceeds).then_some("more")});
        desk.done(&asked, "answer", answer).await;
        let reviewed = receipt(&agent, &asked).await;
        let followed = verify(
            folder,
            &reviewed,
            None,
            &[&named[..], &["--plan", &plan]].concat(),
        );
        assert_eq!(followed.status.success(), proceeds, "{followed:?}");
        fs::write(&plan, "1. Test\n2. Deploy").unwrap();
        let other = verify(
            folder,
            &reviewed,
            None,
            &[&named[..], &["--plan", &plan]].concat(),
        );
        void(&other, "void for this plan");
        fs::write(&plan, "1. Test").unwrap();
    }
}

async fn a_file_that_is_a_part_of_the_action_is_looked_at_again(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("deploy.sh");
    fs::write(&script, "make deploy").unwrap();
    let sha256 = domain::digest::sha256(b"make deploy").replace("sha256:", "");
    let mut body = approval();
    body["action"] = json!({
        "tool": "sh", "arguments": {"cwd": folder.path()},
        "operands": [{"name": "deploy.sh", "sha256": sha256, "size": 11}],
    });
    let asked = agent.ask(body.clone()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let receipt = receipt(&agent, &asked).await;
    let key = public_key(&app);
    let verified = |more: &[&str]| {
        let more = [&["--public-key", &key], more].concat();
        verify(folder.path(), &receipt, Some(&body["action"]), &more)
    };
    let waited = async |more: &[&str]| {
        let id = asked["id"].as_str().unwrap();
        let about = folder.path().join("action.json");
        let arguments = [&["wait", id, "--action", about.to_str().unwrap()], more].concat();
        let mut command = tokio::process::Command::from(alone(folder.path(), &arguments));
        command
            .env("HANDRAISE_URL", app.url(""))
            .env("HANDRAISE_PUBLIC_KEY", &key)
            .env("HANDRAISE_TOKEN", &agent.token);
        command.output().await.unwrap()
    };
    assert!(verified(&[]).status.success());
    fs::write(&script, "make DEPLOY").unwrap();
    let why = "deploy.sh is not as it was approved";
    void(&verified(&[]), why);
    void(&waited(&[]).await, why);
    fs::remove_file(&script).unwrap();
    void(&verified(&[]), "--no-files");
    assert!(verified(&["--no-files"]).status.success());
    assert!(waited(&["--no-files"]).await.status.success());
}

async fn a_receipt_is_used_once(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let receipt = receipt(&agent, &asked).await;
    let (file, about) = (
        folder.path().join("receipt.json"),
        folder.path().join("action.json"),
    );
    fs::write(&file, receipt.to_string()).unwrap();
    fs::write(&about, approval()["action"].to_string()).unwrap();
    let use_it = async |url: &str, run: &str| {
        let arguments = [
            "receipt",
            "verify",
            "--receipt",
            file.to_str().unwrap(),
            "--action",
            about.to_str().unwrap(),
            "--use",
            "--run",
            run,
        ];
        let mut command = tokio::process::Command::from(alone(folder.path(), &arguments));
        command
            .env("HANDRAISE_URL", url)
            .env("HANDRAISE_PUBLIC_KEY", public_key(&app))
            .env("HANDRAISE_TOKEN", &agent.token);
        command.output().await.unwrap()
    };
    let used = use_it(&app.url(""), "deploy 7").await;
    assert!(used.status.success(), "{used:?}");
    // Its reply may have been lost.
    assert!(use_it(&app.url(""), "deploy 7").await.status.success());
    let second = use_it(&app.url(""), "deploy 8").await;
    void(&second, "the approval was used already, at 20");
    void(&second, ", by deploy 7");
}

#[test]
fn what_is_about_to_run_was_approved_within_a_day() {
    let (key, folder) = (SigningKey::from_seed([1; 32]), tempfile::tempdir().unwrap());
    let action: Action = serde_json::from_value(approval()["action"].clone()).unwrap();
    let id = "00000000-0000-7000-8000-000000000001";
    for (hours, now, ever) in [(23, true, true), (25, false, true), (-1, false, true)] {
        let at = machine::clock::Clock::now(&machine::clock::SystemClock)
            - chrono::TimeDelta::hours(hours);
        let mut receipt: Receipt = serde_json::from_value(json!({
            "version": 1, "interaction_id": id, "kind": "approval", "outcome": "approved",
            "action_digest": action.digest().unwrap(), "agent": {"id": id, "name": "backend"},
            "responder": {"id": id, "name": "Ana", "via": "dashboard"}, "asked_at": at, "answered_at": at,
            "public_key": key.verifying_key(), "signature": "",
        }))
        .unwrap();
        let signature = key.sign(&receipt.decision.signed_bytes().unwrap());
        receipt.signature = STANDARD.encode(signature);
        let receipt = serde_json::to_value(receipt).unwrap();
        let key = key.verifying_key().to_string();
        let verified = |action: Option<&Value>| {
            let output = verify(folder.path(), &receipt, action, &["--public-key", &key]);
            output.status.success()
        };
        assert_eq!(verified(Some(&approval()["action"])), now, "{hours}");
        assert_eq!(verified(None), ever, "{hours}");
        // To name the outcome that lets it run makes it no younger.
        let output = verify(
            folder.path(),
            &receipt,
            Some(&approval()["action"]),
            &["--public-key", &key, "--outcome", "approved"],
        );
        assert_eq!(output.status.success(), now, "{hours}");
    }
}

async fn anybody_is_told_the_keys(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let first = Keyring::load_or_create(&path).unwrap().verifying_key();
    let rotation = Keyring::rotate(&path, chrono::DateTime::UNIX_EPOCH).unwrap();
    let other = SigningKey::from_seed([9; 32]).verifying_key();
    let app = TestApp::start_with(&database, |config| {
        config.key_file = Some(path.clone());
        config.trusted_keys = vec![other];
    })
    .await;
    let told = async |path| {
        let told = app.get(path).send().await.unwrap();
        json_of(told, StatusCode::OK).await
    };
    let elsewhere = told("/.well-known/handraise-keys.json").await;
    let told = told("/api/v1/keys").await;
    assert_eq!(
        told,
        json!({"public_key": rotation.new, "rotations": [rotation], "trusted": [other]})
    );
    assert_eq!(elsewhere, told);
    for key in [first, rotation.new, other] {
        assert!(app.state.trusted.trusts(&key));
    }
    // What the statement says, another implementation can check.
    let script = r#"
        const { signature, ...signed } = input;
        const sorted = Object.fromEntries(Object.keys(signed).sort().map((key) => [key, signed[key]]));
        return verify(
            Buffer.from(signed.old, "base64"),
            Buffer.from(JSON.stringify(sorted)),
            Buffer.from(signature, "base64"),
        );
    "#;
    assert!(verified_by_node(script, &told["rotations"][0]));
    let mut forged = told["rotations"][0].clone();
    forged["new"] = json!(other);
    assert!(!verified_by_node(script, &forged));
}
