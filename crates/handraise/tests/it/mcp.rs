//! The tools of `/mcp`, as a client without a library sees them.

use chrono::TimeDelta;
use domain::Role;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    mcp::{call, first_question, newest, post, sent, tool_call},
    people::operator,
};

store::on_both_databases!(
    only_agents_come_in,
    pages_of_other_sites_stay_out,
    calls_are_counted_and_bounded,
    a_question_is_asked_and_answered,
    an_answer_that_comes_during_the_hold_is_returned,
    without_a_place_nothing_is_held_and_nothing_lost,
    a_client_that_went_away_has_not_taken_the_answer,
    a_token_revoked_during_the_hold_gets_nothing,
    every_kind_is_asked_and_answered,
    only_an_approval_in_time_is_a_yes,
    a_replayed_call_asks_nobody_twice,
    what_is_wrong_is_the_tools_error_with_its_path,
    people_are_told,
    a_question_is_taken_back,
    questions_are_listed_without_being_collected,
    agents_do_not_see_each_others_questions,
    another_node_takes_the_next_call,
    a_question_is_a_task_for_clients_that_know_tasks,
);

/// A server whose `ask_human` does not wait.
async fn at_once(database: &TestDatabase) -> TestApp {
    TestApp::start_with(database, |config| config.mcp_hold_seconds = 0).await
}

/// The data of a tool that did what it was called for.
async fn done(agent: &Caller<'_>, tool: &str, arguments: Value) -> Value {
    let result = call(agent, tool, arguments).await;
    assert_ne!(result["isError"], json!(true), "{result}");
    let data = result["structuredContent"].clone();
    let text = result["content"][1]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), data);
    data
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

async fn self_contained(agent: &Caller<'_>, method: &str, params: Value, tasks: bool) -> Value {
    let extensions = if tasks {
        json!({ "io.modelcontextprotocol/tasks": {} })
    } else {
        json!({})
    };
    newest(agent, method, params, json!({ "extensions": extensions })).await
}

async fn only_agents_come_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let admin = app.sign_in("Ana", Role::Admin).await;
    for request in [
        app.post("/mcp"),
        app.post("/mcp").bearer_auth("hr_agent_nobody"),
        app.post("/mcp").header(header::COOKIE, &admin),
    ] {
        let response = sent(request, &list).send().await.unwrap();
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], "Bearer");
        json_of(response, StatusCode::UNAUTHORIZED).await;
    }
    let desk = app.responder("desk").await;
    let refused = json_of(post(&desk, list.clone()).await, StatusCode::FORBIDDEN).await;
    assert_eq!(refused["code"], "agents_only");
    let agent = app.agent("backend").await;
    let listed = json_of(post(&agent, list).await, StatusCode::OK).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "ask_human",
            "wait_for_answer",
            "notify_human",
            "cancel_question",
            "list_my_questions",
            "approve_tool_use"
        ]
    );
    let get = agent.get("/mcp").send().await.unwrap();
    assert_eq!(get.status(), StatusCode::METHOD_NOT_ALLOWED);
}

async fn pages_of_other_sites_stay_out(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for (origin, status) in [
        ("https://evil.example".to_owned(), StatusCode::FORBIDDEN),
        ("null".to_owned(), StatusCode::FORBIDDEN),
        (app.url(""), StatusCode::OK),
    ] {
        let request = sent(agent.post("/mcp"), &list).header(header::ORIGIN, origin);
        json_of(request.send().await.unwrap(), status).await;
    }
    // A name that somebody else has made to lead here.
    let request = sent(agent.post("/mcp"), &list)
        .header(header::HOST, "evil.example")
        .header(header::ORIGIN, "http://evil.example");
    json_of(request.send().await.unwrap(), StatusCode::FORBIDDEN).await;
}

async fn calls_are_counted_and_bounded(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.rate_limit_per_minute = 2).await;
    let agent = app.agent("backend").await;
    let large = json!({ "prompt": "x".repeat(300_000) });
    let response = post(&agent, tool_call("ask_human", large)).await;
    json_of(response, StatusCode::PAYLOAD_TOO_LARGE).await;
    done(&agent, "list_my_questions", json!({})).await;
    let response = post(&agent, tool_call("list_my_questions", json!({}))).await;
    assert!(response.headers().contains_key(header::RETRY_AFTER));
    let refused = json_of(response, StatusCode::TOO_MANY_REQUESTS).await;
    assert_eq!(refused["code"], "rate_limited");
}

async fn a_question_is_asked_and_answered(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = json!({
        "prompt": "Which port?", "title": "Port", "session_id": "p11", "urgent": true,
        "task": { "id": "T-1", "title": "Serve" }, "timeout_seconds": 3600,
    });
    let result = call(&agent, "ask_human", asked).await;
    assert!(text(&result).contains("end your turn"), "{result}");
    let waiting = result["structuredContent"].clone();
    assert_eq!(waiting["state"], "pending");
    assert_eq!(waiting["answer"], Value::Null);
    assert!(text(&result).contains(waiting["id"].as_str().unwrap()));
    assert_eq!(waiting["next"], text(&result));
    let seen = desk.poll(&waiting).await;
    for (name, value) in [
        ("kind", json!("question")),
        ("mode", json!("sync")),
        ("priority", json!("urgent")),
        ("title", json!("Port")),
        ("session_id", json!("p11")),
    ] {
        assert_eq!(seen[name], value, "{name}");
    }
    assert_eq!(seen["task"]["id"], "T-1");

    let id = waiting["id"].clone();
    let still = done(&agent, "wait_for_answer", json!({ "id": id, "seconds": 0 })).await;
    assert_eq!(still["state"], "pending");
    assert_eq!(desk.poll(&waiting).await["collected_at"], Value::Null);

    let lines = "8080\n\n  and 8081 ";
    desk.answer(&waiting, lines).await;
    let result = call(&agent, "wait_for_answer", json!({ "id": id })).await;
    let answered = &result["structuredContent"];
    assert_eq!(answered["outcome"], "answered");
    assert_eq!(answered["answer"]["text"], lines);
    assert_eq!(answered["next"], Value::Null);
    assert!(text(&result).contains(lines), "{result}");
    assert_ne!(desk.poll(&waiting).await["collected_at"], Value::Null);
    // A reply that was lost can be had again.
    let again = done(&agent, "wait_for_answer", json!({ "id": id })).await;
    assert_eq!(again["answer"]["text"], lines);
}

async fn an_answer_that_comes_during_the_hold_is_returned(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asking = call(&agent, "ask_human", json!({ "prompt": "Which port?" }));
    let answering = async {
        let asked = first_question(&desk).await;
        desk.done(&asked, "answer", json!({ "text": "80" })).await
    };
    let (result, _) = tokio::join!(asking, answering);
    assert_eq!(result["structuredContent"]["answer"]["text"], "80");
    assert_ne!(result["structuredContent"]["collected_at"], Value::Null);
}

async fn without_a_place_nothing_is_held_and_nothing_lost(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.limits.held = 1).await;
    let agent = app.agent("backend").await;
    let other = agent.ask(json!({})).await;
    let place = app
        .state
        .limits
        .held
        .take("01890000-0000-7000-8000-000000000000".parse().unwrap());
    let asked = done(&agent, "ask_human", json!({ "prompt": "?" })).await;
    assert_eq!(asked["state"], "pending");
    let waited = done(&agent, "wait_for_answer", json!({ "id": other["id"] })).await;
    assert_eq!(waited["state"], "pending");
    drop(place);
}

/// Until so many requests are held.
async fn held(app: &TestApp, count: usize) {
    while app.state.limits.held.taken() != count {
        tokio::task::yield_now().await;
    }
}

async fn a_client_that_went_away_has_not_taken_the_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asking = Box::pin(call(&agent, "ask_human", json!({ "prompt": "?" })));
    let holding = Box::pin(held(&app, 1));
    drop(futures::future::select(asking, holding).await);
    held(&app, 0).await;
    let asked = first_question(&desk).await;
    desk.answer(&asked, "80").await;
    assert_eq!(desk.poll(&asked).await["collected_at"], Value::Null);
    let answered = done(&agent, "wait_for_answer", asked).await;
    assert_eq!(answered["answer"]["text"], "80");
}

async fn a_token_revoked_during_the_hold_gets_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asking = call(&agent, "ask_human", json!({ "prompt": "?" }));
    let revoking = async {
        held(&app, 1).await;
        let service = &app.state.service;
        let tokens = service.tokens(&operator()).await.unwrap();
        let token = tokens.iter().find(|one| one.token.name == "backend");
        let id = token.unwrap().token.id;
        service.revoke_token(id, &operator()).await.unwrap();
        let asked = first_question(&desk).await;
        desk.answer(&asked, "80").await;
    };
    let (result, ()) = tokio::join!(asking, revoking);
    assert!(text(&result).starts_with("bad_token"), "{result}");
    assert!(!result.to_string().contains("80"), "{result}");
}

async fn every_kind_is_asked_and_answered(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    for (arguments, answer, outcome, member, value) in [
        (
            json!({"kind": "choice", "options": ["a", {"value": "b", "label": "B"}]}),
            json!({"selected": ["b"]}),
            "answered",
            "/answer/selected",
            json!(["b"]),
        ),
        (
            json!({"kind": "choice", "options": ["a", "b"], "multiple": true, "fallback": ["a"]}),
            json!({"selected": ["a", "b"]}),
            "answered",
            "/answer/selected",
            json!(["a", "b"]),
        ),
        (
            json!({"kind": "acknowledgement"}),
            json!({}),
            "answered",
            "/answer/text",
            Value::Null,
        ),
        (
            json!({"kind": "approval", "action": {"tool": "deploy", "arguments": {"to": "prod"}}}),
            json!({"approved": true, "text": "go"}),
            "approved",
            "/approved",
            json!(true),
        ),
        (
            json!({"kind": "plan_review", "plan": "# One"}),
            json!({"decision": "adjust", "feedback": "two"}),
            "adjust",
            "/answer/feedback",
            json!("two"),
        ),
        (
            json!({"kind": "form", "questions": [{"id": "q", "prompt": "?", "options": ["x", "y"]}]}),
            json!({"answers": {"q": ["x"]}}),
            "answered",
            "/answer/answers/q",
            json!("x"),
        ),
    ] {
        let mut asked = arguments.clone();
        asked["prompt"] = json!("?");
        let waiting = done(&agent, "ask_human", asked).await;
        desk.done(&waiting, "answer", answer).await;
        let id = &waiting["id"];
        let closed = done(&agent, "wait_for_answer", json!({ "id": id })).await;
        assert_eq!(closed["outcome"], outcome, "{arguments}");
        assert_eq!(closed.pointer(member), Some(&value), "{closed}");
    }
}

async fn only_an_approval_in_time_is_a_yes(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let approval = json!({
        "kind": "approval", "prompt": "?", "action": { "tool": "deploy" }, "timeout_seconds": 60,
    });
    let mut with_fallback = approval.clone();
    with_fallback["fallback"] = json!("approved");
    let refused = call(&agent, "ask_human", with_fallback).await;
    assert_eq!(refused["isError"], true);
    for end in ["approve", "deny", "cancel", "expire"] {
        let waiting = done(&agent, "ask_human", approval.clone()).await;
        assert_eq!(waiting["approved"], false);
        match end {
            "approve" => drop(
                desk.done(&waiting, "answer", json!({"approved": true}))
                    .await,
            ),
            "deny" => drop(
                desk.done(&waiting, "answer", json!({"approved": false}))
                    .await,
            ),
            "cancel" => drop(desk.done(&waiting, "cancel", json!({})).await),
            _ => {
                app.clock.advance(TimeDelta::seconds(61));
                app.state.service.expire_due().await.unwrap();
            }
        }
        let id = &waiting["id"];
        let result = call(&agent, "wait_for_answer", json!({ "id": id })).await;
        let yes = end == "approve";
        assert_eq!(result["structuredContent"]["approved"], yes, "{end}");
        let said = format!("approved: {yes}");
        assert!(text(&result).contains(&said), "{end}: {result}");
    }
}

async fn a_replayed_call_asks_nobody_twice(database: TestDatabase) {
    let app = at_once(&database).await;
    let agent = app.agent("backend").await;
    let asked = json!({ "prompt": "Which port?", "idempotency_key": "k" });
    let first = done(&agent, "ask_human", asked.clone()).await;
    let second = done(&agent, "ask_human", asked).await;
    assert_eq!(first["id"], second["id"]);
    let other = json!({ "prompt": "Which host?", "idempotency_key": "k" });
    let refused = call(&agent, "ask_human", other).await;
    assert!(text(&refused).starts_with("idempotency_key_reused"));
}

async fn what_is_wrong_is_the_tools_error_with_its_path(database: TestDatabase) {
    let app = at_once(&database).await;
    let agent = app.agent("backend").await;
    let before = app.last_seq().await;
    for (tool, arguments, said) in [
        ("ask_human", json!({}), "\n- prompt: "),
        (
            "ask_human",
            json!({"prompt": 1}),
            "\n- prompt: invalid type",
        ),
        (
            "ask_human",
            json!({"prompt": "?", "colour": 1}),
            "\n- colour: ",
        ),
        (
            "ask_human",
            json!({"prompt": "?", "callback_url": "http://h/"}),
            "\n- callback_url: ",
        ),
        (
            "ask_human",
            json!({"prompt": "?", "urgent": "yes"}),
            "\n- urgent: ",
        ),
        (
            "ask_human",
            json!({"prompt": "?", "kind": "notification"}),
            "\n- kind: ",
        ),
        (
            "ask_human",
            json!({"prompt": "?", "kind": "choice"}),
            "\n- options: ",
        ),
        (
            "ask_human",
            json!({"prompt": "?", "task": {"x": 1}}),
            "\n- task.x: ",
        ),
        (
            "notify_human",
            json!({"prompt": "?", "kind": "question"}),
            "\n- kind: ",
        ),
        ("wait_for_answer", json!({}), "missing field `id`"),
        ("wait_for_answer", json!({"id": "x"}), "not_found"),
        ("cancel_question", json!({"id": "x"}), "not_found"),
        ("list_my_questions", json!({"state": "open"}), "\n- state: "),
        ("list_my_questions", json!({"limit": 0}), "\n- limit: "),
        ("list_my_questions", json!({"cursor": "x"}), "\n- cursor: "),
    ] {
        let result = call(&agent, tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null());
        assert!(text(&result).contains(said), "{said}: {result}");
    }
    assert_eq!(app.last_seq().await, before);
    let unknown = post(&agent, tool_call("answer", json!({}))).await;
    let unknown = json_of(unknown, StatusCode::OK).await;
    assert_eq!(unknown["error"]["code"], -32602);
}

async fn people_are_told(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let told = json!({ "prompt": "Deployed", "level": "success", "session_id": "p11" });
    let told = done(&agent, "notify_human", told).await;
    let seen = desk.poll(&told).await;
    assert_eq!(seen["kind"], "notification");
    assert_eq!(seen["level"], "success");
}

async fn a_question_is_taken_back(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let waiting = done(&agent, "ask_human", json!({ "prompt": "?" })).await;
    let back = json!({ "id": waiting["id"], "reason": "Found it" });
    let cancelled = done(&agent, "cancel_question", back.clone()).await;
    assert_eq!(cancelled["state"], "cancelled");
    assert_eq!(desk.poll(&waiting).await["outcome"], "cancelled");
    let again = call(&agent, "cancel_question", back).await;
    assert!(text(&again).starts_with("already_closed"), "{again}");
}

async fn questions_are_listed_without_being_collected(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let long = "é".repeat(300);
    let first = done(
        &agent,
        "ask_human",
        json!({ "prompt": long, "session_id": "a" }),
    )
    .await;
    let second = done(&agent, "ask_human", json!({ "prompt": "?" })).await;
    desk.answer(&first, "80").await;
    let all = done(&agent, "list_my_questions", json!({ "limit": 1 })).await;
    assert_eq!(all["items"][0]["id"], second["id"]);
    let rest = json!({ "cursor": all["next_cursor"] });
    let rest = done(&agent, "list_my_questions", rest).await;
    assert_eq!(rest["items"][0]["id"], first["id"]);
    assert_eq!(
        rest["items"][0]["prompt"].as_str().unwrap().chars().count(),
        201
    );
    assert_eq!(rest["next_cursor"], Value::Null);
    for (narrowed, expected) in [
        (json!({ "state": "pending" }), &second),
        (json!({ "session_id": "a" }), &first),
    ] {
        let found = done(&agent, "list_my_questions", narrowed).await;
        assert_eq!(found["items"].as_array().unwrap().len(), 1);
        assert_eq!(found["items"][0]["id"], expected["id"]);
    }
    assert_eq!(desk.poll(&first).await["collected_at"], Value::Null);
}

async fn agents_do_not_see_each_others_questions(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let waiting = done(&agent, "ask_human", json!({ "prompt": "?" })).await;
    let id = &waiting["id"];
    for (tool, arguments) in [
        ("wait_for_answer", json!({ "id": id })),
        ("cancel_question", json!({ "id": id })),
    ] {
        let result = call(&other, tool, arguments).await;
        assert!(text(&result).starts_with("not_found"), "{result}");
    }
    let task = self_contained(&other, "tasks/get", json!({ "taskId": id }), true).await;
    assert_eq!(task["error"]["code"], -32602, "{task}");
    let listed = done(&other, "list_my_questions", json!({})).await;
    assert_eq!(listed["items"], json!([]));
    assert_eq!(agent.poll(&waiting).await["state"], "pending");
}

async fn another_node_takes_the_next_call(database: TestDatabase) {
    let app = at_once(&database).await;
    let agent = app.agent("backend").await;
    let waiting = done(&agent, "ask_human", json!({ "prompt": "?" })).await;
    app.responder("desk").await.answer(&waiting, "80").await;
    let second = TestApp::start(&database).await;
    let arguments = json!({ "id": waiting["id"] });
    let message = tool_call("wait_for_answer", arguments);
    let request = sent(second.post("/mcp"), &message).bearer_auth(&agent.token);
    let said = json_of(request.send().await.unwrap(), StatusCode::OK).await;
    let answer = &said["result"]["structuredContent"]["answer"];
    assert_eq!(answer["text"], "80");
}

async fn a_question_is_a_task_for_clients_that_know_tasks(database: TestDatabase) {
    let app = at_once(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ask = json!({ "name": "ask_human", "arguments": { "prompt": "Which port?" } });
    let plain = self_contained(&agent, "tools/call", ask.clone(), false).await;
    assert_eq!(plain["result"]["resultType"], "complete", "{plain}");

    let created = self_contained(&agent, "tools/call", ask.clone(), true).await;
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    assert_eq!(created["result"]["status"], "working");
    let id = created["result"]["taskId"].clone();
    let get = json!({ "taskId": id });
    let working = self_contained(&agent, "tasks/get", get.clone(), true).await;
    assert_eq!(working["result"]["status"], "working", "{working}");
    desk.answer(&json!({ "id": id }), "80").await;
    let completed = self_contained(&agent, "tasks/get", get, true).await;
    assert_eq!(completed["result"]["status"], "completed");
    let result = &completed["result"]["result"];
    assert_eq!(result["structuredContent"]["answer"]["text"], "80");
    let seen = desk.poll(&json!({ "id": id })).await;
    assert_ne!(seen["collected_at"], Value::Null);

    let created = self_contained(&agent, "tools/call", ask, true).await;
    let get = json!({ "taskId": created["result"]["taskId"] });
    self_contained(&agent, "tasks/cancel", get.clone(), true).await;
    let cancelled = self_contained(&agent, "tasks/get", get, true).await;
    assert_eq!(cancelled["result"]["status"], "cancelled", "{cancelled}");
}
