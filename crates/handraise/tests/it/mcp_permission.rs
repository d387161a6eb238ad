//! `approve_tool_use`, as Claude Code calls it with `--permission-prompt-tool`. Only `"behavior": "allow"` lets a tool run.

use chrono::TimeDelta;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    mcp::{first_question, question_after},
};

store::on_both_databases!(
    only_an_approval_of_this_action_lets_it_run,
    whatever_goes_wrong_is_a_denial,
    nobody_is_asked_what_cannot_be_waited_for,
    a_client_that_gives_up_leaves_nothing_to_approve,
    a_server_that_stops_denies,
);

fn wanted() -> Value {
    json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1",
        "input": { "command": "rm -rf build", "description": "Clean up", "timeout": 120_000, "é": [null, false, ""] },
    })
}

async fn calls(agent: &Caller<'_>, arguments: Value) -> Result<Value, reqwest::Error> {
    let params = json!({ "name": "approve_tool_use", "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = agent.post("/mcp").json(&call);
    let accept = "application/json, text/event-stream";
    let response = request.header(header::ACCEPT, accept).send().await?;
    let said = json_of(response, StatusCode::OK).await;
    let result = &said["result"];
    assert_ne!(result["isError"], json!(true), "{said}");
    let [content] = &result["content"].as_array().unwrap()[..] else {
        panic!("{said}");
    };
    let text = content["text"].as_str().unwrap();
    Ok(serde_json::from_str(text).unwrap())
}

async fn only_an_approval_of_this_action_lets_it_run(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    for (answer, expected) in [
        (
            Some(json!({ "approved": true, "text": "only once" })),
            json!({ "behavior": "allow", "updatedInput": wanted()["input"] }),
        ),
        (
            Some(json!({ "approved": false, "text": "not that" })),
            json!({ "behavior": "deny", "message": "desk denied it: not that" }),
        ),
        (
            Some(json!({ "approved": false, "text": null })),
            json!({ "behavior": "deny", "message": "desk denied it" }),
        ),
        (
            None,
            json!({ "behavior": "deny", "message": "nobody approved it in time, so it must not run" }),
        ),
    ] {
        let after = app.last_seq().await;
        let decide = async {
            let asked = question_after(&desk, after).await;
            let seen = desk.poll(&asked).await;
            assert_eq!(seen["kind"], "approval");
            assert_eq!(seen["action"]["tool"], "Bash");
            assert_eq!(seen["action"]["arguments"], wanted()["input"]);
            let prompt = seen["prompt"].as_str().unwrap();
            assert!(
                prompt.starts_with("May `Bash` run?\n\nClean up\n\n"),
                "{prompt}"
            );
            assert!(
                prompt.contains("no file that it names was looked into"),
                "{prompt}"
            );
            assert_eq!(seen["metadata"]["tool_use_id"], "toolu_1");
            match answer {
                Some(answer) => {
                    desk.done(&asked, "answer", answer).await;
                }
                None => {
                    app.clock.advance(TimeDelta::seconds(241));
                    app.state.service.expire_due().await.unwrap();
                }
            }
            asked
        };
        let (said, asked) = tokio::join!(calls(&agent, wanted()), decide);
        assert_eq!(said.unwrap(), expected);
        let seen = desk.poll(&asked).await;
        assert_ne!(seen["collected_at"], Value::Null);
        // Nobody could know its name before, and use the approval under it.
        let run = seen["consumed"]["run"].as_str();
        let secret = run.and_then(|run| run.strip_prefix("claude-code toolu_1 "));
        assert_eq!(secret.is_some(), seen["approved"] == true, "{run:?}");
        assert!(secret.is_none_or(|it| it.parse::<uuid::Uuid>().is_ok()));
    }
}

async fn whatever_goes_wrong_is_a_denial(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("coder").await;
    let with = |name: &str, value: Value| {
        let mut wanted = wanted();
        wanted[name] = value;
        wanted
    };
    for arguments in [
        json!({}),
        with("input", json!("rm")),
        with("tool_name", json!(7)),
        with("tool_name", json!("")),
        with("tool_name", json!("x".repeat(300))),
        // Not the same number in every parser, so nobody could say what was approved.
        with("input", json!({ "n": 9_007_199_254_740_993_i64 })),
    ] {
        let said = calls(&agent, arguments.clone()).await.unwrap();
        assert_eq!(said["behavior"], "deny", "{arguments}");
        assert!(!said["message"].as_str().unwrap().is_empty());
    }
    let asked = agent.read("/api/v1/interactions").await;
    assert_eq!(asked["items"], json!([]));
}

async fn nobody_is_asked_what_cannot_be_waited_for(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.limits.held = 1).await;
    let agent = app.agent("coder").await;
    let other = "01890000-0000-7000-8000-000000000000".parse().unwrap();
    let place = app.state.limits.held.take(other);
    let said = calls(&agent, wanted()).await.unwrap();
    assert_eq!(said["behavior"], "deny");
    assert!(
        said["message"].as_str().unwrap().starts_with("busy: "),
        "{said}"
    );
    let asked = agent.read("/api/v1/interactions").await;
    assert_eq!(asked["items"], json!([]));
    drop(place);
}

async fn a_client_that_gives_up_leaves_nothing_to_approve(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let asked = tokio::select! {
        said = calls(&agent, wanted()) => panic!("{said:?}"),
        asked = first_question(&desk) => asked,
    };
    let path = path_of(&asked);
    let closed = desk.get(&path).header("prefer", "wait=30").send().await;
    let closed = json_of(closed.unwrap(), StatusCode::OK).await;
    assert_eq!(closed["state"], "cancelled");
    assert_eq!(closed["approved"], false);
}

async fn a_server_that_stops_denies(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let stop = async {
        first_question(&desk).await;
        app.begin_to_stop();
    };
    let (said, ()) = tokio::join!(calls(&agent, wanted()), stop);
    let expected = "the request was taken back, so it must not run";
    assert_eq!(
        said.unwrap(),
        json!({ "behavior": "deny", "message": expected })
    );
}
