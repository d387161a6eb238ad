//! Every kind from asking to going on, by API alone.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
};

store::on_both_databases!(
    a_choice_is_one_of_its_options,
    a_choice_of_several_is_any_of_them,
    an_acknowledgement_is_a_nod,
    an_approval_is_of_one_exact_action,
    an_approval_nobody_gives_is_not_approved,
    a_plan_review_says_what_the_agent_may_do,
    a_form_is_answered_question_by_question,
    a_notification_waits_for_nobody,
    the_agent_hears_of_follow_ups_and_picks_answers_up,
    what_is_wrong_with_a_request_is_named,
    what_is_wrong_with_an_answer_is_named,
);

/// Asks, has the agent held, answers, and returns what the agent gets.
async fn answered(app: &TestApp, body: Value, answer: Value) -> Value {
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(body).await;
    let held = agent
        .get(&path_of(&asked))
        .header("prefer", "wait=30")
        .send();
    let held = tokio::spawn(held);
    desk.done(&asked, "answer", answer).await;
    json_of(held.await.unwrap().unwrap(), StatusCode::OK).await
}

/// The answer's fields that are not null, but for who and when.
fn content(interaction: &Value) -> Value {
    let mut answer = interaction["answer"].clone();
    let fields = answer.as_object_mut().unwrap();
    fields.retain(|name, value| {
        !value.is_null() && !["responder", "answered_at", "attachments"].contains(&name.as_str())
    });
    answer
}

fn resume(interaction: &Value) -> &str {
    interaction["resume_prompt"].as_str().unwrap()
}

async fn a_choice_is_one_of_its_options(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let body = json!({
        "kind": "choice", "prompt": "Which approach?", "fallback": "0",
        "options": ["0", {"value": "lru", "label": "LRU in process", "description": "no new service"}],
    });
    let got = answered(&app, body, json!({"selected": ["lru"]})).await;
    assert_eq!(got["outcome"], "answered");
    assert_eq!(got["fallback"], "0");
    assert_eq!(content(&got), json!({"selected": ["lru"]}));
    assert_eq!(
        got["options"][0],
        json!({"value": "0", "label": "0", "description": null})
    );
    assert_eq!(
        resume(&got),
        "Previous blocker question: Which approach?\nUser answer: lru\n\
         Continue task execution with this answer."
    );
}

async fn a_choice_of_several_is_any_of_them(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let body = || json!({"kind": "choice", "options": ["a", "b", "c"], "multiple": true});
    let got = answered(&app, body(), json!({"selected": ["c", "a"]})).await;
    assert_eq!(content(&got), json!({"selected": ["a", "c"]}));
    let got = answered(&app, body(), json!({"selected": []})).await;
    assert_eq!(content(&got), json!({"selected": []}));
    assert_eq!(got["state"], "resolved");
}

async fn an_acknowledgement_is_a_nod(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let got = answered(&app, json!({"kind": "acknowledgement"}), json!({})).await;
    assert_eq!(got["outcome"], "answered");
    assert_eq!(content(&got), json!({}));
    assert!(resume(&got).contains("User answer: Acknowledged\n"));
}

fn approval() -> Value {
    json!({
        "kind": "approval", "prompt": "Deploy?",
        "action": {"tool": "shell", "arguments": {"command": "make deploy", "n": 1}},
    })
}

async fn an_approval_is_of_one_exact_action(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let got = answered(&app, approval(), json!({"approved": true})).await;
    assert_eq!(
        (&got["outcome"], &got["approved"]),
        (&json!("approved"), &json!(true))
    );
    assert_eq!(got["action"], approval()["action"]);
    // printf '{"arguments":{"command":"make deploy","n":1},"tool":"shell"}' | sha256sum
    let digest = "sha256:8d670dbf36f1e4ca3a860875fe2e2ff85d5b807ef5405aa99dfc6f164ae75cd4";
    assert_eq!(got["action_digest"], digest);

    let got = answered(
        &app,
        approval(),
        json!({"approved": false, "text": "not on a Friday"}),
    )
    .await;
    assert_eq!(
        (&got["outcome"], &got["approved"]),
        (&json!("denied"), &json!(false))
    );
    assert_eq!(content(&got), json!({"text": "not on a Friday"}));
    assert!(resume(&got).contains("User answer: Denied: not on a Friday\n"));
}

async fn an_approval_nobody_gives_is_not_approved(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let mut body = approval();
    body["timeout_seconds"] = 60.into();
    let [expires, cancelled] = [agent.ask(body.clone()).await, agent.ask(body).await];
    assert_eq!(expires["approved"], false);
    let refused = agent
        .send(&expires, "answer", json!({"approved": true}))
        .await;
    let problem = json_of(refused, StatusCode::FORBIDDEN).await;
    assert_eq!(problem["code"], "responders_only");
    let cancelled = agent.done(&cancelled, "cancel", json!({})).await;
    assert_eq!(cancelled["approved"], false);
    app.clock.advance(chrono::TimeDelta::seconds(60));
    app.state.service.expire_due().await.unwrap();
    let expired = agent.poll(&expires).await;
    assert_eq!(
        (&expired["outcome"], &expired["approved"]),
        (&json!("expired"), &json!(false))
    );
    assert_eq!(expired["resume_prompt"], json!(null));
}

async fn a_plan_review_says_what_the_agent_may_do(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let body = || json!({"kind": "plan_review", "plan": "1. Test\n2. Deploy"});
    for (decision, clear, target) in [
        ("proceed", false, json!("edit")),
        ("proceed_clean", true, json!("edit")),
        ("proceed_default", true, json!("default")),
        ("adjust", false, json!(null)),
    ] {
        let feedback = (decision == "adjust").then_some("Test twice");
        let answer = json!({"decision": decision, "feedback": feedback});
        let got = answered(&app, body(), answer).await;
        assert_eq!(got["outcome"], decision);
        assert_eq!(got["answer"]["decision"], decision);
        assert_eq!(got["answer"]["clear_context"], clear);
        assert_eq!(got["answer"]["target_mode"], target);
        assert_eq!(got["answer"]["feedback"], json!(feedback));
    }
}

async fn a_form_is_answered_question_by_question(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent
        .ask(json!({"kind": "form", "questions": [
            {"id": "port", "prompt": "Which port?"},
            {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
            {"id": "tags", "prompt": "Tags?", "options": ["a", "b"], "multiple": true},
        ]}))
        .await;
    assert_eq!(asked["progress"], json!({}));
    let part = desk
        .done(&asked, "answer", json!({"answers": {"port": "0"}}))
        .await;
    assert_eq!(part["state"], "pending");
    assert_eq!(part["progress"], json!({"port": "0"}));
    // Somebody else goes on where it stands, in any order.
    let other = app.responder("night").await;
    other
        .done(&asked, "answer", json!({"answers": {"tags": []}}))
        .await;
    let got = desk
        .done(&asked, "answer", json!({"answers": {"env": "staging"}}))
        .await;
    assert_eq!(got["state"], "resolved");
    assert_eq!(got["progress"], json!(null));
    assert_eq!(
        content(&got)["answers"],
        json!({"port": "0", "env": "staging", "tags": []})
    );
    assert!(resume(&got).contains("User answer: port: 0\nenv: staging\ntags: \n"));
}

async fn a_notification_waits_for_nobody(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let told = agent
        .ask(json!({"kind": "notification", "prompt": "Tests failed", "level": "error"}))
        .await;
    assert_eq!(
        (&told["state"], &told["outcome"]),
        (&json!("resolved"), &json!("delivered"))
    );
    assert_eq!(
        (&told["mode"], &told["level"]),
        (&json!("async"), &json!("error"))
    );
    assert_eq!(told["expires_at"], json!(null));
    // Held polls return at once.
    let held = agent
        .get(&path_of(&told))
        .header("prefer", "wait=60")
        .send();
    json_of(held.await.unwrap(), StatusCode::OK).await;
    let events = agent.read("/api/v1/events").await;
    assert_eq!(events["items"][0]["type"], "notification.sent");
}

async fn the_agent_hears_of_follow_ups_and_picks_answers_up(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let asked = agent.ask(json!({})).await;
    for (caller, verb, body) in [
        (&agent, "collect", json!({})),
        (&desk, "follow_up", json!({"text": "x"})),
    ] {
        let problem = json_of(caller.send(&asked, verb, body).await, StatusCode::CONFLICT).await;
        assert_eq!(problem["code"], "still_pending");
    }
    desk.answer(&asked, "80").await;
    for (caller, status) in [
        (&other, StatusCode::NOT_FOUND),
        (&desk, StatusCode::FORBIDDEN),
    ] {
        let refused = caller.send(&asked, "collect", json!({})).await;
        assert_eq!(refused.status(), status);
    }
    let collected = agent.done(&asked, "collect", json!({})).await;
    assert_eq!(collected["collected_at"], "2027-01-15T08:00:00Z");
    app.clock.advance(chrono::TimeDelta::seconds(5));
    let again = agent.done(&asked, "collect", json!({})).await;
    assert_eq!(again, collected);

    let refused = agent
        .send(&asked, "follow_up", json!({"text": "thanks"}))
        .await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    desk.done(&asked, "follow_up", json!({"text": "And\r\nTLS"}))
        .await;
    let seen = agent.poll(&asked).await;
    assert_eq!(seen["follow_ups"][0]["text"], "And\r\nTLS");
    assert_eq!(seen["follow_ups"][0]["responder"]["name"], "desk");
    assert_eq!(seen["answer"], collected["answer"]);
    assert_eq!(seen["version"], 4);
}

/// The paths of what is wrong.
fn paths(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().unwrap();
    errors
        .iter()
        .map(|error| error["path"].as_str().unwrap())
        .collect()
}

async fn refused(caller: &Caller<'_>, method: Method, path: &str, body: &Value) -> Value {
    let request = match method {
        Method::PUT => caller.put(path),
        _ => caller.post(path),
    };
    let response = request.json(body).send().await.unwrap();
    json_of(response, StatusCode::UNPROCESSABLE_ENTITY).await
}

async fn what_is_wrong_with_a_request_is_named(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let before = app.last_seq().await;
    for (body, expected) in [
        (json!({"kind": "choice"}), &["options"][..]),
        (
            json!({"kind": "choice", "options": ["a", 1]}),
            &["options[1]"],
        ),
        (
            json!({"kind": "choice", "options": ["a", "a"]}),
            &["options[1].value"],
        ),
        (
            json!({"kind": "choice", "options": ["a", "b"], "fallback": "c"}),
            &["fallback"],
        ),
        (json!({"kind": "question", "plan": "x"}), &["plan"]),
        (
            json!({"kind": "approval", "action": {"tool": "t"}, "fallback": {"approved": true}}),
            &["fallback"],
        ),
        (
            json!({"kind": "approval", "action": {"tool": "t", "arguments": {"n": 9007199254740993u64}}}),
            &["action.arguments"],
        ),
        (
            json!({"kind": "plan_review", "plan": "x", "fallback": "proceed"}),
            &["fallback"],
        ),
        (json!({"kind": "form", "questions": []}), &["questions"]),
        (json!({"kind": "notification", "mode": "sync"}), &["mode"]),
        (json!({"kind": "notification", "level": "loud"}), &["level"]),
        (json!({"timeout_seconds": 0}), &["timeout_seconds"]),
        (json!({"timeout_seconds": -1}), &["timeout_seconds"]),
        (json!({"timeout_seconds": 34_560_001}), &["timeout_seconds"]),
    ] {
        let mut whole = json!({"kind": "question", "prompt": "?"});
        for (name, value) in body.as_object().unwrap() {
            whole[name] = value.clone();
        }
        let problem = refused(&agent, Method::POST, "/api/v1/interactions", &whole).await;
        assert_eq!(paths(&problem), expected, "{body}");
    }
    let twice =
        r#"{"kind":"approval","prompt":"?","action":{"tool":"t","arguments":{"a":1,"a":2}}}"#;
    let response = agent
        .post("/api/v1/interactions")
        .header("content-type", "application/json")
        .body(twice);
    let problem = json_of(
        response.send().await.unwrap(),
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
    assert!(
        paths(&problem)[0].starts_with("action.arguments"),
        "{problem}"
    );
    assert_eq!(app.last_seq().await, before);
}

async fn what_is_wrong_with_an_answer_is_named(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let choice = agent
        .ask(json!({"kind": "choice", "options": ["a", "b"]}))
        .await;
    let approval = agent.ask(approval()).await;
    let plan = agent.ask(json!({"kind": "plan_review", "plan": "x"})).await;
    let form = agent
        .ask(json!({"kind": "form", "questions": [{"id": "q", "prompt": "?"}]}))
        .await;
    for (asked, answer, expected) in [
        (&choice, json!({"text": "a"}), &["text", "selected"][..]),
        (&choice, json!({"selected": "a"}), &["selected"]),
        (&choice, json!({"selected": ["c"]}), &["selected"]),
        (&approval, json!({"approved": "true"}), &["approved"]),
        (&approval, json!({}), &["approved"]),
        (&plan, json!({"decision": "adjust"}), &["feedback"]),
        (&plan, json!({"decision": "go"}), &["decision"]),
        (&form, json!({"answers": {"x": "y"}}), &["answers.x"]),
        (&form, json!({"answers": ["q", "y"]}), &["answers"]),
    ] {
        let path = format!("{}/answer", path_of(asked));
        let problem = refused(&desk, Method::POST, &path, &answer).await;
        assert_eq!(paths(&problem), expected, "{answer}");
        assert_eq!(agent.poll(asked).await["version"], 1);
    }
    let twice = desk
        .post(&format!("{}/answer", path_of(&form)))
        .header("content-type", "application/json")
        .body(r#"{"answers":{"q":"1","q":"2"}}"#);
    let problem = twice.send().await.unwrap();
    let problem = json_of(problem, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert!(paths(&problem)[0].starts_with("answers"), "{problem}");
    assert_eq!(agent.poll(&form).await["version"], 1);
}
