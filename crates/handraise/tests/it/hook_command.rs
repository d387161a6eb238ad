//! `handraise hook claude-code`, as Claude Code runs it. Exit code 2 blocks the tool; at any other it would run.

use std::{fs, path::Path, process::Stdio};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Role, policy::Policies};
use reqwest::StatusCode;
use serde_json::{Value, json};
use server::config::Config;
use signing::Keyring;
use store::testing::TestDatabase;
use tokio::{
    io::AsyncWriteExt,
    net::TcpListener,
    process::{Child, Command},
};

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    liar::{self, Liar, Lie},
    pages::{holds, read},
    people::{operator, owned},
    substitute::Substitute,
};

store::on_both_databases!(
    only_an_approval_of_this_call_lets_it_run,
    whatever_goes_wrong_blocks_the_tool,
    tools_that_were_not_named_are_not_asked_about,
    a_script_that_was_changed_while_its_approval_waited_does_not_run,
    an_approval_is_used_by_the_call_it_was_given_for,
    an_unused_approval_of_an_earlier_call_lets_no_later_one_run_that_was_denied,
    what_came_of_a_call_is_reported,
    a_server_that_has_another_key_is_not_believed,
    a_key_that_was_announced_is_followed,
    an_always_is_a_persons_grant_and_never_the_hooks,
    what_a_rule_decides_is_told_as_the_rules,
    the_answers_to_claudes_questions_go_back_as_its_input,
    a_plan_comes_back_with_comments_and_its_next_version_revises_it,
    a_dialog_of_claude_code_is_answered_by_people,
    a_stop_is_told_once_and_keeps_nothing_from_stopping,
);

/// As Claude Code calls it, with the answers of people to each question in turn.
async fn answered(
    app: &TestApp,
    token: &str,
    input: &Value,
    answers: &[(&str, Value)],
) -> (i32, Value, Vec<Value>) {
    let desk = app.responder("desk").await;
    let mut after = app.last_seq().await;
    let mut child = hook_of(app, &app.known_servers(), token);
    tell(&mut child, &input.to_string()).await;
    let mut seen = Vec::new();
    for (kind, answer) in answers {
        let asked = waiting(&desk, after).await;
        after = app.last_seq().await;
        let found = desk.poll(&asked).await;
        assert_eq!(found["kind"], *kind);
        seen.push(found);
        desk.done(&asked, "answer", answer.clone()).await;
    }
    let output = child.wait_with_output().await.unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (
        output.status.code().unwrap(),
        said["hookSpecificOutput"].clone(),
        seen,
    )
}

fn called(tool: &str, input: Value) -> Value {
    let mut call = call();
    call["tool_name"] = tool.into();
    call["tool_input"] = input;
    call
}

async fn the_answers_to_claudes_questions_go_back_as_its_input(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let input = json!({"questions": [
        {"question": "Which cache?", "header": "Cache", "multiSelect": false,
            "options": [{"label": "Redis", "description": "a service"}, {"label": "LRU", "description": "in process"}]},
        {"question": "Which checks?", "header": "Checks", "multiSelect": true,
            "options": [{"label": "Lint", "description": ""}, {"label": "Types", "description": ""}]},
    ]});
    let (code, said, _) = answered(
        &app,
        &agent.token,
        &called("AskUserQuestion", input.clone()),
        &[
            (
                "form",
                json!({"answers": {"0": "Something else", "1": ["Lint", "Types"]}}),
            ),
            ("question", json!({"text": "Memcached,\nplease"})),
        ],
    )
    .await;
    assert_eq!((code, &said["permissionDecision"]), (0, &json!("allow")));
    let mut expected = input;
    expected["answers"] =
        json!({"Which cache?": "Memcached,\nplease", "Which checks?": "Lint, Types"});
    assert_eq!(said["updatedInput"], expected);
}

async fn a_plan_comes_back_with_comments_and_its_next_version_revises_it(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let plan = |text: &str| called("ExitPlanMode", json!({ "plan": text }));
    let adjust = json!({"decision": "adjust", "feedback": "not yet",
        "comments": [{"line": 2, "text": "why this?"}]});
    let (code, said, seen) = answered(
        &app,
        &agent.token,
        &plan("# Go\n- drop the table"),
        &[("plan_review", adjust)],
    )
    .await;
    let first = seen[0]["id"].clone();
    assert_eq!((code, &said["permissionDecision"]), (2, &json!("deny")));
    let reason = said["permissionDecisionReason"].as_str().unwrap();
    for said in ["not yet", "why this?", "drop the table"] {
        assert!(reason.contains(said), "{reason}");
    }
    let (code, said, seen) = answered(
        &app,
        &agent.token,
        &plan("# Go\n- copy the table"),
        &[("plan_review", json!({"decision": "proceed"}))],
    )
    .await;
    assert_eq!(seen[0]["revises"], first);
    assert_eq!((code, &said["permissionDecision"]), (0, &json!("allow")));
    assert_eq!(
        said["updatedInput"],
        json!({"plan": "# Go\n- copy the table"})
    );
}

async fn a_dialog_of_claude_code_is_answered_by_people(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let mut input = call();
    input["hook_event_name"] = "PermissionRequest".into();
    for (approved, decision) in [
        (true, json!({"behavior": "allow"})),
        // 2 would show the dialog, with a reason of its own.
        (
            false,
            json!({"behavior": "deny", "message": "desk denied it"}),
        ),
    ] {
        let answer = [("approval", json!({ "approved": approved }))];
        let (code, said, _) = answered(&app, &agent.token, &input, &answer).await;
        let expected = json!({"hookEventName": "PermissionRequest", "decision": decision});
        assert_eq!((code, said), (0, expected));
    }
    // Nobody is there to ask.
    let mut child = hook("http://127.0.0.1:9", &agent.token, &["--timeout", "1"]);
    tell(&mut child, &input.to_string()).await;
    let output = child.wait_with_output().await.unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let decision = &said["hookSpecificOutput"]["decision"]["behavior"];
    assert_eq!((output.status.code(), decision), (Some(0), &json!("deny")));
}

async fn a_stop_is_told_once_and_keeps_nothing_from_stopping(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let stop = json!({"hook_event_name": "Stop", "session_id": "abc", "cwd": "/srv/app", "stop_hook_active": false,
        "last_assistant_message": "All tests pass."});
    let (code, ..) = answered(&app, &agent.token, &stop, &[]).await;
    assert_eq!(code, 0);
    let listed = desk
        .get("/api/v1/interactions?kind=notification")
        .send()
        .await;
    let listed: Value = listed.unwrap().json().await.unwrap();
    assert_eq!(listed["items"][0]["prompt"], "All tests pass.");
    // 2 would have Claude Code go on.
    let mut child = hook("http://127.0.0.1:9", "hr_agent_guess", &[]);
    tell(&mut child, &stop.to_string()).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

fn command(url: &str, token: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .args(["hook", "claude-code"])
        .args(arguments)
        .env("HANDRAISE_URL", url)
        .env("HANDRAISE_TOKEN", token)
        .env(
            "HANDRAISE_PUBLIC_KEY",
            liar::key().verifying_key().to_string(),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

fn hook(url: &str, token: &str, arguments: &[&str]) -> Child {
    command(url, token, arguments).spawn().unwrap()
}

/// One that knows what was known of this server before.
fn hook_of(app: &TestApp, known: &Path, token: &str) -> Child {
    let mut command = command(&app.url(""), token, &["--timeout", "60"]);
    command
        .env_remove("HANDRAISE_PUBLIC_KEY")
        .env("HANDRAISE_KNOWN_SERVERS", known);
    command.spawn().unwrap()
}

/// Its answer, when somebody approves what it asks after `also` was done.
async fn approved(
    app: &TestApp,
    known: &Path,
    token: &str,
    call: &Value,
    also: impl FnOnce(),
) -> (i32, String, String, Value) {
    let desk = app.responder("desk").await;
    let after = app.last_seq().await;
    let mut child = hook_of(app, known, token);
    tell(&mut child, &call.to_string()).await;
    let asked = waiting(&desk, after).await;
    also();
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let (code, decision, reason) = decided(child).await;
    (code, decision, reason, desk.poll(&asked).await)
}

fn call() -> Value {
    json!({
        "session_id": "abc", "transcript_path": "/x", "cwd": "/srv/app", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "rm -rf build", "description": "Clean up", "timeout": 120_000},
    })
}

async fn tell(child: &mut Child, input: &str) {
    let mut stdin = child.stdin.take().unwrap();
    // It may have ended without listening.
    let _ = stdin.write_all(input.as_bytes()).await;
}

/// Its exit code, the decision it printed, and why.
async fn decided(child: Child) -> (i32, String, String) {
    let output = child.wait_with_output().await.unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let said = &said["hookSpecificOutput"];
    let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
    let code = output.status.code().unwrap();
    (
        code,
        text("permissionDecision"),
        text("permissionDecisionReason"),
    )
}

/// The question that waits, as soon as there is one.
async fn waiting(desk: &Caller<'_>, after: i64) -> Value {
    let mut after = after;
    loop {
        let path = format!("/api/v1/events?after={after}");
        let page = desk
            .get(&path)
            .header("prefer", "wait=30")
            .send()
            .await
            .unwrap();
        let page: Value = page.json().await.unwrap();
        for event in page["items"].as_array().unwrap() {
            if event["type"] == "interaction.requested" {
                return json!({"id": event["interaction_id"]});
            }
        }
        after = page["last_seq"].as_i64().unwrap();
    }
}

async fn only_an_approval_of_this_call_lets_it_run(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    for (answer, code, decision, reason) in [
        (
            Some(json!({"approved": true, "text": "only once"})),
            0,
            "allow",
            "desk approved it: only once",
        ),
        (
            Some(json!({"approved": false, "text": "not that"})),
            2,
            "deny",
            "desk denied it: not that",
        ),
        (
            None,
            2,
            "deny",
            "nobody approved it in time, so it must not run",
        ),
    ] {
        let after = app.last_seq().await;
        let mut child = hook_of(&app, &app.known_servers(), &agent.token);
        tell(&mut child, &call().to_string()).await;
        let asked = waiting(&desk, after).await;
        let seen = desk.poll(&asked).await;
        assert_eq!(
            (&seen["kind"], &seen["action"]["tool"]),
            (&json!("approval"), &json!("Bash"))
        );
        assert_eq!(
            seen["action"]["arguments"],
            json!({"cwd": "/srv/app", "input": call()["tool_input"]})
        );
        assert_eq!(seen["session_id"], "abc");
        assert_eq!(seen["metadata"]["tool_use_id"], "toolu_1");
        assert_eq!(
            seen["prompt"],
            "May `Bash` run in `/srv/app`?\n\nClean up\n\nFiles that are listed with it are approved as they are now. \
             Others were not looked into."
        );
        match answer {
            Some(answer) => {
                desk.done(&asked, "answer", answer).await;
            }
            None => {
                app.clock.advance(TimeDelta::seconds(61));
                app.state.service.expire_due().await.unwrap();
            }
        }
        assert_eq!(
            decided(child).await,
            (code, decision.to_owned(), reason.to_owned())
        );
    }
}

async fn whatever_goes_wrong_blocks_the_tool(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let with = |name: &str, value: Value| {
        let mut call = call();
        call[name] = value;
        call.to_string()
    };
    let whole = call().to_string();
    // Nobody listens there.
    let nowhere = "http://127.0.0.1:9";
    for (url, token, arguments, input) in [
        (&*app.url(""), &*agent.token, &[][..], ""),
        (&app.url(""), &agent.token, &[], "{}"),
        (
            &app.url(""),
            &agent.token,
            &[],
            &with("hook_event_name", json!("SubagentStop")),
        ),
        (
            &app.url(""),
            &agent.token,
            &[],
            &with("tool_input", json!("rm")),
        ),
        // Not the same number in every parser, so nobody could say what was approved.
        (
            &app.url(""),
            &agent.token,
            &[],
            &with("tool_input", json!({"n": 9_007_199_254_740_993_i64})),
        ),
        (
            &app.url(""),
            &agent.token,
            &[],
            &whole.replace("\"tool_input\":{", "\"tool_input\":{\"command\":\"ls\","),
        ),
        (&app.url(""), "", &[], &whole),
        (&app.url(""), "hr_agent_guess", &[], &whole),
        (&app.url(""), &desk.token, &[], &whole),
        (nowhere, &agent.token, &["--timeout", "1"], &whole),
    ] {
        let mut child = hook(url, token, arguments);
        tell(&mut child, input).await;
        let (code, decision, reason) = decided(child).await;
        assert_eq!((code, &*decision), (2, "deny"), "{input}: {reason}");
        assert!(!reason.is_empty());
    }
    // A mistake in the settings prints no decision, and blocks all the same.
    for wrong in [
        &["--timeout", "soon"][..],
        &["--tools", ""],
        &["--tools", " , "],
        &["--tools", "Bash|Write"],
        &["--tools", "Write,"],
        &["--nothing"],
        // It decides nothing, so it lets nothing run.
        &["--help"],
        &["--version"],
    ] {
        let mut child = hook(nowhere, &agent.token, wrong);
        tell(&mut child, &whole).await;
        let (code, ..) = decided(child).await;
        assert_eq!(code, 2, "{wrong:?}");
    }
}

async fn tools_that_were_not_named_are_not_asked_about(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("coder").await;
    for (tools, asks) in [
        ("Write,Edit", false),
        ("mcp__*", false),
        ("Ba*", true),
        ("Write,Bash", true),
        ("Write, Bash", true),
        (" bash ", true),
    ] {
        let url = if asks {
            "http://127.0.0.1:9".to_owned()
        } else {
            app.url("")
        };
        let mut child = hook(&url, &agent.token, &["--tools", tools, "--timeout", "1"]);
        tell(&mut child, &call().to_string()).await;
        let (code, decision, _) = decided(child).await;
        let expected = if asks { (2, "deny") } else { (0, "") };
        assert_eq!((code, &*decision), expected, "{tools}");
    }
}

async fn a_script_that_was_changed_while_its_approval_waited_does_not_run(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("deploy.sh");
    let mut call = call();
    call["cwd"] = folder.path().to_str().into();
    call["tool_input"] = json!({"command": "cd /tmp && bash -x deploy.sh --now"});
    let known = app.known_servers();
    for (change, code, reason) in [
        (None, 0, "desk approved it"),
        (
            Some("rm -rf /"),
            2,
            "deploy.sh has changed since it was approved, so it must not run",
        ),
    ] {
        fs::write(&script, "make deploy").unwrap();
        let also = || {
            if let Some(change) = change {
                fs::write(&script, change).unwrap();
            }
        };
        let (found, _, why, seen) = approved(&app, &known, &agent.token, &call, also).await;
        assert_eq!((found, &*why), (code, reason));
        let sha256 = domain::digest::sha256(b"make deploy").replace("sha256:", "");
        let operand = json!({"name": "deploy.sh", "sha256": sha256, "size": 11});
        assert_eq!(seen["action"]["operands"], json!([operand]));
        // What did not run was not used.
        assert_eq!(seen["consumed"].is_null(), code == 2);
    }
}

async fn an_unused_approval_of_an_earlier_call_lets_no_later_one_run_that_was_denied(
    database: TestDatabase,
) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let after = app.last_seq().await;
    let mut first = hook_of(&app, &app.known_servers(), &agent.token);
    tell(&mut first, &call().to_string()).await;
    let earlier = waiting(&desk, after).await;
    // It has died before it heard of it.
    first.kill().await.unwrap();
    desk.done(&earlier, "answer", json!({"approved": true}))
        .await;

    let substitute = Substitute::of(&app, &agent.poll(&earlier).await).await;
    let after = app.last_seq().await;
    let mut second = command(&substitute.url, &agent.token, &["--timeout", "60"]);
    second.env("HANDRAISE_PUBLIC_KEY", app.public_key());
    let mut second = second.spawn().unwrap();
    tell(&mut second, &call().to_string()).await;
    let denied = waiting(&desk, after).await;
    desk.done(&denied, "answer", json!({"approved": false}))
        .await;
    let (code, decision, reason) = decided(second).await;
    assert_eq!((code, &*decision), (2, "deny"), "{reason}");
    let why = "it answers another question than this agent has asked";
    assert!(reason.contains(why), "{reason}");
    assert_eq!(agent.poll(&earlier).await["consumed"], Value::Null);
}

async fn an_approval_is_used_by_the_call_it_was_given_for(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let known = app.known_servers();
    let (code, .., seen) = approved(&app, &known, &agent.token, &call(), || {}).await;
    assert_eq!(code, 0);
    let run = seen["consumed"]["run"].as_str().unwrap();
    assert!(run.starts_with("claude-code toolu_1 "), "{run}");
    let again = agent
        .send(&seen, "consume", json!({"run": "another"}))
        .await;
    let problem = json_of(again, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "already_consumed");
}

async fn what_came_of_a_call_is_reported(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let known = app.known_servers();
    for (n, event, error, outcome) in [
        (1, "PostToolUse", Value::Null, "done"),
        (2, "PostToolUseFailure", json!("exit code 1"), "failed"),
    ] {
        let mut call = call();
        call["tool_use_id"] = format!("toolu_{n}").into();
        let (code, .., seen) = approved(&app, &known, &agent.token, &call, || {}).await;
        assert_eq!(code, 0);
        call["hook_event_name"] = event.into();
        call["error"] = error.clone();
        let mut child = hook_of(&app, &known, &agent.token);
        tell(&mut child, &call.to_string()).await;
        let (code, decision, _) = decided(child).await;
        assert_eq!((code, &*decision), (0, ""));
        let report = &desk.poll(&seen).await["report"];
        assert_eq!(
            (&report["outcome"], &report["text"]),
            (&json!(outcome), &error)
        );
    }
    // What was not approved here is not reported.
    let mut other = call();
    other["tool_use_id"] = "toolu_9".into();
    other["hook_event_name"] = "PostToolUse".into();
    let before = app.last_seq().await;
    let mut child = hook_of(&app, &known, &agent.token);
    tell(&mut child, &other.to_string()).await;
    assert_eq!(decided(child).await.0, 0);
    assert_eq!(app.last_seq().await, before);
}

/// A call of Bash.
fn runs(command: &str) -> Value {
    let mut call = call();
    call["tool_input"] = json!({"command": command, "description": "as it says"});
    call
}

/// All that the hook prints, and its exit code, where nobody is asked.
async fn at_once(app: &TestApp, token: &str, call: &Value) -> (i32, Value) {
    let mut child = hook_of(app, &app.known_servers(), token);
    tell(&mut child, &call.to_string()).await;
    let output = child.wait_with_output().await.unwrap();
    let said = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), said)
}

/// What stands in the page after this.
fn value_after<'a>(html: &'a str, before: &str) -> &'a str {
    let (_, rest) = html.split_once(before).expect(before);
    rest.split_once('"').unwrap().0
}

async fn an_always_is_a_persons_grant_and_never_the_hooks(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let ada = app.sign_in("Ada", Role::Responder).await;

    // She answers on her phone, and goes on from there.
    let after = app.last_seq().await;
    let mut child = hook_of(&app, &app.known_servers(), &agent.token);
    tell(&mut child, &runs("cargo test -p store").to_string()).await;
    let asked = waiting(&desk, after).await;
    let id = asked["id"].as_str().unwrap();
    let question = format!("/q/{id}");
    let html = read(&app, &ada, &question).await;
    let digest = value_after(&html, "name=\"digest\" value=\"");
    let form = [("approved", "true"), ("digest", digest), ("text", "")].map(owned);
    let sent = app.submit(&question, &ada, &form).await;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    let (code, decision, reason) = decided(child).await;
    assert_eq!(
        (code, &*decision, &*reason),
        (0, "allow", "Ada approved it")
    );
    let make = "/settings/grants/new";
    let way = format!("{make}?from={id}");
    holds(&read(&app, &ada, &question).await, &[&way]);
    let html = read(&app, &ada, &way).await;
    let offers: Vec<_> = html.split("name=\"what\" value=\"").skip(1).collect();
    let [exactly, words] = &*offers else {
        panic!("{html}");
    };
    holds(exactly, &["Exactly this again"]);
    holds(words, &["Others like it", "cargo test", "in ", "/srv/app"]);
    let what = words.split('"').next().unwrap();
    let form = [
        ("from", id),
        ("what", what),
        ("lasts", "week"),
        ("zone", ""),
    ]
    .map(owned);
    let made = app.submit(make, &ada, &form).await;
    assert_eq!(made.status(), StatusCode::SEE_OTHER);
    let grants = desk.read("/api/v1/grants").await;
    let grant = &grants["items"][0];
    let path = format!("/api/v1/grants/{}", grant["id"].as_str().unwrap());

    // The agent is told by whose word it goes on, and is told nothing else: no rule of its own, no mode.
    let at: DateTime<Utc> = grant["made_at"].as_str().unwrap().parse().unwrap();
    let reason = format!("Approved by Ada's grant of {}", at.format("%A, %-d %B"));
    for command in ["cargo test -p store", "cargo test -p domain writer"] {
        let said = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": reason,
        }});
        let found = at_once(&app, &agent.token, &runs(command)).await;
        assert_eq!(found, (0, said), "{command}");
    }
    assert_eq!(desk.read(&path).await["uses"], 2);
    let waits = desk.read("/api/v1/interactions?state=pending").await;
    assert_eq!(waits["items"], json!([]));

    // What only looks like it, or is like it elsewhere, reaches a person.
    let mut elsewhere = runs("cargo test -p store");
    elsewhere["cwd"] = "/srv/other".into();
    for call in [
        runs("cargo test -p store; rm -rf /"),
        runs("cargo test --config x"),
        elsewhere,
    ] {
        let (code, reason) = denied(&app, &desk, &agent.token, &call).await;
        assert_eq!((code, &*reason), (2, "desk denied it"), "{call}");
    }
    assert_eq!(desk.read(&path).await["uses"], 2);

    let form = [("id", grant["id"].as_str().unwrap())].map(owned);
    let revoked = app.submit("/settings/grants/revoke", &ada, &form).await;
    assert_eq!(revoked.status(), StatusCode::SEE_OTHER);
    let again = runs("cargo test -p store");
    let (code, reason) = denied(&app, &desk, &agent.token, &again).await;
    assert_eq!((code, &*reason), (2, "desk denied it"));
}

/// Its exit code and its reason, when the desk denies what it asks.
async fn denied(app: &TestApp, desk: &Caller<'_>, token: &str, call: &Value) -> (i32, String) {
    let after = app.last_seq().await;
    let mut child = hook_of(app, &app.known_servers(), token);
    tell(&mut child, &call.to_string()).await;
    let asked = waiting(desk, after).await;
    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    let (code, _, reason) = decided(child).await;
    (code, reason)
}

async fn what_a_rule_decides_is_told_as_the_rules(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let wrapped = |command: &str, cwd: &str| json!({"tool": "Bash", "arguments": {"cwd": cwd, "input": {"command": command}}});
    let policies: Policies = serde_json::from_value(json!({"rules": [
        {
            "name": "tests", "then": "allow",
            "matcher": {"like": {"tool": "Bash", "like": {"cwd": "/srv/app", "input": {}}, "varies": [
                {"at": ["input", "command"], "by": {"words": {"begin": ["cargo", "test"], "options": ["-p"]}}},
                {"at": ["input", "description"], "by": "any"},
            ]}},
            "match": [wrapped("cargo test -p store", "/srv/app")],
            "not_match": [wrapped("cargo test -p store", "/srv/other")],
        },
        {
            "name": "no-force", "then": "forbid", "reason": "Nobody rewrites what others have.",
            "when": {"tools": ["Bash"], "arguments": [{"has": {"words": ["git", "push", "--force"]}}]},
            "match": [{"tool": "Bash", "arguments": {"command": "git push --force"}}],
            "not_match": [{"tool": "Bash", "arguments": {"command": "git push"}}],
        },
    ]}))
    .unwrap();
    let service = &app.state.service;
    service
        .set_policies(policies, None, &operator())
        .await
        .unwrap();
    for (command, code, decision, reason) in [
        (
            "cargo test -p store",
            0,
            "allow",
            "Approved by the policy `tests`",
        ),
        (
            "git push --force",
            2,
            "deny",
            "The policy `no-force` denied it: Nobody rewrites what others have.",
        ),
    ] {
        let (found, said) = at_once(&app, &agent.token, &runs(command)).await;
        let said = &said["hookSpecificOutput"];
        assert_eq!(
            (found, &said["permissionDecision"]),
            (code, &json!(decision))
        );
        assert_eq!(said["permissionDecisionReason"], reason);
    }
}

async fn a_server_that_has_another_key_is_not_believed(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let known = app.known_servers();
    let other = liar::key().verifying_key();
    let line = format!("{} {other}\n", app.url(""));
    fs::write(&known, &line).unwrap();
    let (code, decision, reason, seen) = approved(&app, &known, &agent.token, &call(), || {}).await;
    assert_eq!((code, &*decision), (2, "deny"));
    let key = app.public_key();
    for part in [
        format!("the key of {} has CHANGED", app.url("")),
        format!("signed with\n  {key}\nand trusted here is\n  {other}\n"),
        format!("handraise trust add {} {key}", app.url("")),
    ] {
        assert!(reason.contains(&part), "{reason}");
    }
    assert_eq!(seen["consumed"], Value::Null);
    // Nothing was learnt from it.
    assert_eq!(fs::read_to_string(&known).unwrap(), line);
}

async fn a_key_that_was_announced_is_followed(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let known = folder.path().join("known_servers");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = |config: &mut Config| config.key_file = Some(path.clone());
    let mut app = TestApp::start_now_at(listener, &database, place).await;
    let token = app.agent("coder").await.token;
    let mut keys = Vec::new();
    // Twice between two calls, and then not at all.
    for rotations in [0, 2, 0] {
        let addr = app.addr;
        app.stop().await;
        for _ in 0..rotations {
            Keyring::rotate(&path, DateTime::UNIX_EPOCH).unwrap();
        }
        let listener = TcpListener::bind(addr).await.unwrap();
        app = TestApp::start_now_at(listener, &database, place).await;
        let (code, _, reason, _) = approved(&app, &known, &token, &call(), || {}).await;
        assert_eq!(code, 0, "{reason}");
        let line = format!("{} {}\n", app.url(""), app.public_key());
        assert_eq!(fs::read_to_string(&known).unwrap(), line);
        keys.push(app.public_key());
    }
    assert!(keys[0] != keys[1] && keys[1] == keys[2]);
    // A new key that none of them announced.
    let addr = app.addr;
    app.stop().await;
    for file in ["key", "key.1", "key.2", "key.rotations"] {
        fs::remove_file(folder.path().join(file)).unwrap();
    }
    let listener = TcpListener::bind(addr).await.unwrap();
    let app = TestApp::start_now_at(listener, &database, place).await;
    let (code, _, reason, _) = approved(&app, &known, &token, &call(), || {}).await;
    assert_eq!(code, 2);
    assert!(reason.contains("has CHANGED"), "{reason}");
}

#[tokio::test]
async fn whatever_a_server_claims_only_a_proof_lets_the_tool_run() {
    let other = "00000000-0000-7000-8000-000000000002";
    for (lie, why) in [
        (Lie::default(), ""),
        (
            Lie {
                said: Some(("outcome", json!("denied"))),
                ..Lie::default()
            },
            "its approval was denied",
        ),
        (
            Lie {
                said: Some(("action_digest", json!("sha256:00"))),
                ..Lie::default()
            },
            "void for this action: sha256:00",
        ),
        (
            Lie {
                said: Some(("interaction_id", json!(other))),
                ..Lie::default()
            },
            "it is of the interaction",
        ),
        (
            Lie {
                said: Some(("agent", json!({"id": other, "name": "devops"}))),
                ..Lie::default()
            },
            "it was given to the agent devops",
        ),
        (
            Lie {
                seconds_ago: 3_600,
                ..Lie::default()
            },
            "it is an old one",
        ),
        (
            Lie {
                seconds_ago: -3_600,
                ..Lie::default()
            },
            "one of the clocks is wrong",
        ),
        (
            Lie {
                changed: Some(("action_digest", json!("sha256:00"))),
                ..Lie::default()
            },
            "its signature is not over what it says",
        ),
        (
            Lie {
                changed: Some(("note", json!("also"))),
                ..Lie::default()
            },
            "it holds more than was signed",
        ),
        (
            Lie {
                changed: Some(("version", json!(2))),
                ..Lie::default()
            },
            "its version 2 is not known here",
        ),
        (
            Lie {
                other_key: true,
                ..Lie::default()
            },
            "does not name",
        ),
        (
            Lie {
                no_receipt: true,
                ..Lie::default()
            },
            "the server answered 404",
        ),
        (
            Lie {
                consumed: Some((
                    409,
                    json!({
                        "code": "already_consumed", "consumed_at": "2027-01-15T08:00:00Z", "consumed_by": "deploy 7",
                    }),
                )),
                ..Lie::default()
            },
            "the approval was used already, at 2027-01-15T08:00:00Z, by deploy 7",
        ),
        (
            Lie {
                consumed: Some((
                    409,
                    json!({"code": "not_approved", "title": "Not approved"}),
                )),
                ..Lie::default()
            },
            "Not approved",
        ),
        (
            Lie {
                closed: Some(json!({"id": other})),
                ..Lie::default()
            },
            "and answers with 00000000-0000-7000-8000-000000000002",
        ),
        (
            Lie {
                closed: Some(json!({"kind": "question", "outcome": "answered", "approved": null})),
                ..Lie::default()
            },
            "there is no clear answer",
        ),
        // Nobody but the server can have signed that this very run may begin.
        (
            Lie {
                consumed: Some((
                    200,
                    json!({
                        "id": liar::ID, "kind": "approval", "state": "resolved", "fallback_used": false, "agent": {},
                        "dashboard_url": "", "consumed": {
                            "at": "2027-01-15T08:00:00Z", "run": "claude-code toolu_1",
                            "public_key": liar::key().verifying_key(), "signature": "AAAA",
                        },
                    }),
                )),
                ..Lie::default()
            },
            "the server has not signed that this run may begin",
        ),
        // It goes away before it can say that nobody else has used it.
        (
            Lie {
                consumed: Some((503, Value::Null)),
                ..Lie::default()
            },
            "must not",
        ),
    ] {
        let liar = Liar::start(lie.clone()).await;
        let mut child = hook(&liar.url, "hr_agent_x", &["--timeout", "1"]);
        tell(&mut child, &call().to_string()).await;
        let (code, decision, reason) = decided(child).await;
        let expected = if why.is_empty() {
            (0, "allow")
        } else {
            (2, "deny")
        };
        assert_eq!((code, &*decision), expected, "{lie:?}: {reason}");
        assert!(reason.contains(why), "{lie:?}: {reason}");
    }
}

/// Runs the hook as a shell would, with what the shell does to it before.
#[cfg(unix)]
fn in_shell(before: &str, after: &str, url: &str) -> std::process::ExitStatus {
    use std::io::Write;
    let script = format!("{before} exec \"$HOOK\" hook claude-code --timeout 1 {after}");
    let mut child = std::process::Command::new("sh")
        .args(["-c", &script])
        .env("HOOK", env!("CARGO_BIN_EXE_handraise"))
        .env("HANDRAISE_URL", url)
        .env("HANDRAISE_TOKEN", "hr_agent_x")
        .env(
            "HANDRAISE_PUBLIC_KEY",
            liar::key().verifying_key().to_string(),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let _ = input.write_all(call().to_string().as_bytes());
    drop(input);
    child.wait().unwrap()
}

#[cfg(unix)]
#[test]
fn a_denial_blocks_however_little_the_program_has() {
    let nowhere = "http://127.0.0.1:9";
    for (before, after) in [
        ("", "2>/dev/full"),
        ("", ">/dev/full 2>/dev/full"),
        ("", ">&- 2>&-"),
        ("", "<&-"),
        ("", "< /"),
        ("ulimit -n 5;", ""),
        ("ulimit -n 4;", ""),
        ("ulimit -n 6;", ""),
        ("ulimit -u 1;", ""),
        ("unset HANDRAISE_TOKEN;", ""),
        ("unset HANDRAISE_TOKEN;", "2>/dev/full"),
        ("HANDRAISE_URL=$(printf 'h\\377');", ""),
        ("HANDRAISE_PUBLIC_KEY=x;", ""),
        (
            "HANDRAISE_PUBLIC_KEY=; unset HOME XDG_CONFIG_HOME HANDRAISE_KNOWN_SERVERS;",
            "",
        ),
        (
            "HANDRAISE_PUBLIC_KEY=; HANDRAISE_KNOWN_SERVERS=/dev/null/x;",
            "",
        ),
        ("", "--timeout soon 2>/dev/full"),
        ("", "\"$(printf 'a\\377')\""),
    ] {
        // To wait for somebody takes files, and time.
        let url = match before.starts_with("ulimit") {
            true => nowhere,
            false => "nonsense",
        };
        let status = in_shell(before, after, url);
        assert_eq!(status.code(), Some(2), "{before} {after}");
    }
}

#[tokio::test]
async fn a_hook_that_is_held_up_blocks() {
    // Whoever started it says nothing more, so it waits where nothing can be given up.
    let mut child = hook("http://127.0.0.1:9", "hr_agent_x", &["--timeout", "1"]);
    let input = child.stdin.take();
    assert_eq!(child.wait().await.unwrap().code(), Some(2));
    drop(input);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_that_cannot_be_passed_on_blocks() {
    let liar = Liar::start(Lie::default()).await;
    let url = liar.url.clone();
    let run = move |after: &'static str| {
        let url = url.clone();
        tokio::task::spawn_blocking(move || in_shell("", after, &url).code())
    };
    assert_eq!(run("").await.unwrap(), Some(0));
    assert_eq!(run(">/dev/full").await.unwrap(), Some(2));
}

#[cfg(unix)]
#[tokio::test]
async fn a_hook_that_is_told_to_stop_blocks() {
    // Each that a program may catch.
    for signal in [
        "TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "XFSZ",
        "IO",
    ] {
        // Nobody answers there, so it waits.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut child = hook(&url, "hr_agent_x", &[]);
        tell(&mut child, &call().to_string()).await;
        let _connection = listener.accept().await.unwrap();
        let id = child.id().unwrap().to_string();
        let killed = std::process::Command::new("kill")
            .args(["-s", signal, &id])
            .status();
        assert!(killed.unwrap().success());
        assert_eq!(decided(child).await.0, 2, "{signal}");
    }
}
