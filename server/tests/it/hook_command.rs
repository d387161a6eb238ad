//! `handraise hook claude-code`, as Claude Code runs it. Exit code 2 blocks the tool; at any other it would run.

use std::process::Stdio;

use chrono::TimeDelta;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};

use crate::app::{Caller, TestApp};

store::on_both_databases!(
    only_an_approval_of_this_call_lets_it_run,
    whatever_goes_wrong_blocks_the_tool,
    tools_that_were_not_named_are_not_asked_about,
);

fn hook(url: &str, token: &str, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_handraise"))
        .args(["hook", "claude-code"])
        .args(arguments)
        .env("HANDRAISE_URL", url)
        .env("HANDRAISE_TOKEN", token)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
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
    let app = TestApp::start(&database).await;
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
        let mut child = hook(&app.url(""), &agent.token, &["--timeout", "60"]);
        tell(&mut child, &call().to_string()).await;
        let asked = waiting(&desk, after).await;
        let seen = desk.poll(&asked).await;
        assert_eq!(
            (&seen["kind"], &seen["action"]["tool"]),
            (&json!("approval"), &json!("Bash"))
        );
        assert_eq!(seen["action"]["arguments"], call()["tool_input"]);
        assert_eq!(seen["session_id"], "abc");
        assert_eq!(seen["prompt"], "May `Bash` run in `/srv/app`?\n\nClean up");
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
            &with("hook_event_name", json!("PostToolUse")),
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
    let (code, ..) = decided(hook(nowhere, &agent.token, &["--timeout", "soon"])).await;
    assert_eq!(code, 2);
}

async fn tools_that_were_not_named_are_not_asked_about(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("coder").await;
    for (tools, asks) in [
        ("Write,Edit", false),
        ("mcp__*", false),
        ("Ba*", true),
        ("Write,Bash", true),
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
