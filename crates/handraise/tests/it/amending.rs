//! An action is changed before it is approved: by the API, and on plain pages that show what would run.

use domain::{Role, interaction::Action};
use reqwest::{Response, StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::json_of,
    pages::{holds, read},
};

store::on_both_databases!(
    a_script_changes_what_the_agent_lets_it,
    what_the_agent_does_not_take_is_refused_with_its_place,
    the_page_shows_what_would_run_before_it_is_approved,
    a_field_that_nobody_touched_is_as_it_was,
    what_was_shown_is_what_is_approved,
    where_nothing_may_be_changed_there_is_no_page_for_it,
);

fn deploy(amendable: Value) -> Value {
    json!({
        "kind": "approval", "prompt": "Deploy **now**?", "timeout_seconds": 3600, "amendable": amendable,
        "action": {"tool": "deploy", "arguments": {"replicas": 2, "service": "api"}},
    })
}

fn schema() -> Value {
    json!({"schema": {"type": "object", "properties": {
        "replicas": {"type": "integer", "title": "How many", "minimum": 1, "maximum": 5},
    }}})
}

fn digest(arguments: Value) -> String {
    let action: Action =
        serde_json::from_value(json!({"tool": "deploy", "arguments": arguments})).unwrap();
    action.digest().unwrap()
}

fn amend(asked: &Value) -> String {
    format!("/q/{}/amend", asked["id"].as_str().unwrap())
}

async fn sends(app: &TestApp, cookie: &str, asked: &Value, form: &[(&str, &str)]) -> Response {
    app.post(&amend(asked))
        .header(header::ORIGIN, app.url(""))
        .header(header::COOKIE, cookie)
        .form(form)
        .send()
        .await
        .unwrap()
}

async fn shows(app: &TestApp, cookie: &str, asked: &Value, form: &[(&str, &str)]) -> String {
    let response = sends(app, cookie, asked, form).await;
    assert_eq!(response.status(), StatusCode::OK);
    response.text().await.unwrap()
}

/// The value of a hidden field.
fn hidden(html: &str, name: &str) -> String {
    let before = format!("name=\"{name}\" value=\"");
    let (_, rest) = html.split_once(&before).expect(name);
    rest.split_once('"').unwrap().0.replace("&quot;", "\"")
}

async fn a_script_changes_what_the_agent_lets_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    let asked = agent.ask(deploy(json!({"paths": ["/replicas"]}))).await;
    assert_eq!(asked["amendable"], json!({"paths": ["/replicas"]}));
    assert_eq!(asked["amended"], Value::Null);
    let changed = json!({"replicas": 1, "service": "api"});
    let answer = json!({"approved": true, "arguments": changed});
    let approved = desk.done(&asked, "answer", answer).await;
    assert_eq!(approved["approved"], true);
    let amended = json!({"arguments": changed, "digest": digest(changed.clone())});
    assert_eq!(approved["amended"], amended);
    assert_eq!(agent.poll(&asked).await, approved);
    let path = format!(
        "/api/v1/interactions/{}/receipt",
        asked["id"].as_str().unwrap()
    );
    let receipt = agent.read(&path).await;
    assert_eq!(receipt["action_digest"], amended["digest"]);
    assert_eq!(receipt["asked_digest"], asked["action_digest"]);
    // Run once, as every approval.
    let used = agent.done(&asked, "consume", json!({"run": "run 1"})).await;
    assert_eq!(used["consumed"]["run"], "run 1");
    let ana = app.sign_in("Ana", Role::Responder).await;
    let here = format!("/blockers/{}", asked["id"].as_str().unwrap());
    holds(
        &read(&app, &ana, &here).await,
        &["Changed before it was approved:", "replicas: 2 → 1"],
    );
}

async fn what_the_agent_does_not_take_is_refused_with_its_place(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    for (amendable, arguments, path) in [
        (
            json!(null),
            json!({"replicas": 1, "service": "api"}),
            "arguments",
        ),
        (
            json!({"paths": ["/replicas"]}),
            json!({"replicas": 1, "service": "db"}),
            "arguments.service",
        ),
        (
            schema(),
            json!({"replicas": 9, "service": "api"}),
            "arguments.replicas",
        ),
        (
            schema(),
            json!({"replicas": "1", "service": "api"}),
            "arguments.replicas",
        ),
    ] {
        let asked = agent.ask(deploy(amendable)).await;
        let answer = json!({"approved": true, "arguments": arguments});
        let refused = desk.send(&asked, "answer", answer).await;
        let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["code"], "invalid_request");
        assert_eq!(problem["errors"][0]["path"], path, "{problem}");
        assert_eq!(agent.poll(&asked).await["state"], "pending");
    }
    for (amendable, path) in [
        (json!({"paths": ["/replica"]}), "amendable.paths[0]"),
        (
            json!({"schema": {"type": "object", "properties": {"replicas": {"type": "integer", "pattern": "1"}}}}),
            "amendable.schema.properties.replicas.pattern",
        ),
        (
            json!({"schema": {"type": "object", "properties": {"replicas": {"type": "integer", "minimum": 3}}}}),
            "action.arguments.replicas",
        ),
    ] {
        let body = deploy(amendable);
        let response = agent.post("/api/v1/interactions").json(&body).send().await;
        let problem = json_of(response.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], path, "{problem}");
    }
}

async fn the_page_shows_what_would_run_before_it_is_approved(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(deploy(schema())).await;
    let id = asked["id"].as_str().unwrap();
    holds(
        &read(&app, &ana, &format!("/q/{id}")).await,
        &["Change it first"],
    );
    holds(
        &read(&app, &ana, &format!("/blockers/{id}")).await,
        &["Change it first"],
    );
    let fields = read(&app, &ana, &amend(&asked)).await;
    holds(&fields, &["How many", "name=\"a.replicas\" value=\"2\""]);
    let digest = hidden(&fields, "digest");
    // What does not fit is told, and what was typed is there.
    let wrong = [
        ("digest", &*digest),
        ("a.replicas", "9"),
        ("text", "fewer, please"),
        ("step", "show"),
    ];
    let again = shows(&app, &ana, &asked, &wrong).await;
    holds(
        &again,
        &[
            "arguments.replicas must be 5 or less.",
            "value=\"9\"",
            "name=\"text\" value=\"fewer, please\"",
        ],
    );
    let same = [("digest", &*digest), ("a.replicas", "2"), ("step", "show")];
    holds(
        &shows(&app, &ana, &asked, &same).await,
        &["Nothing is changed."],
    );
    let right = [("digest", &*digest), ("a.replicas", "3"), ("step", "show")];
    let shown = shows(&app, &ana, &asked, &right).await;
    holds(
        &shown,
        &[
            "What you have changed",
            "<del>2</del> → <ins>3</ins>",
            "What will run, as you have changed it",
        ],
    );
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let (amended, arguments) = (hidden(&shown, "amended"), hidden(&shown, "arguments"));
    let back = [
        ("arguments", &*arguments),
        ("digest", &*digest),
        ("step", "edit"),
    ];
    holds(
        &shows(&app, &ana, &asked, &back).await,
        &["name=\"a.replicas\" value=\"3\""],
    );
    let approve = [
        ("digest", &*digest),
        ("amended", &*amended),
        ("arguments", &*arguments),
        ("text", "fewer"),
        ("step", "approve"),
    ];
    let done = sends(&app, &ana, &asked, &approve).await;
    assert_eq!(done.status(), StatusCode::SEE_OTHER);
    let closed = agent.poll(&asked).await;
    assert_eq!(closed["approved"], true);
    assert_eq!(
        closed["amended"]["arguments"],
        json!({"replicas": 3, "service": "api"})
    );
    assert_eq!(closed["answer"]["text"], "fewer");
}

/// A text area turns every line break into CR LF, and what comes back has none that the agent wrote.
async fn a_field_that_nobody_touched_is_as_it_was(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let properties = json!({"replicas": {"type": "integer"}, "script": {"type": "string"}});
    let mut body = deploy(json!({"schema": {"type": "object", "properties": properties}}));
    body["action"]["arguments"] = json!({"replicas": 2, "script": "one\r\ntwo\r\n"});
    let asked = agent.ask(body).await;
    let digest = hidden(&read(&app, &ana, &amend(&asked)).await, "digest");
    let sent = |script: &'static str, replicas: &'static str| {
        [
            ("digest", digest.clone()),
            ("a.replicas", replicas.to_owned()),
            ("a.script", script.to_owned()),
            ("step", "show".to_owned()),
        ]
    };
    for (script, replicas, expected) in [
        ("one\r\ntwo\r\n", "2", "Nothing is changed."),
        ("one\r\ntwo\r\n", "3", "<del>2</del> → <ins>3</ins>"),
    ] {
        let form = sent(script, replicas);
        let form: Vec<_> = form.iter().map(|(name, value)| (*name, &**value)).collect();
        let shown = shows(&app, &ana, &asked, &form).await;
        holds(&shown, &[expected]);
        assert_eq!(shown.matches("<del>").count(), usize::from(replicas == "3"));
    }
}

async fn what_was_shown_is_what_is_approved(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(deploy(json!(true))).await;
    let shown = asked["action_digest"].as_str().unwrap();
    let arguments = r#"{"replicas": 3, "service": "api"}"#;
    let other = digest(json!({"replicas": 1, "service": "api"}));
    for form in [
        // Approved without having been shown.
        vec![
            ("digest", shown),
            ("arguments", arguments),
            ("step", "approve"),
        ],
        // Something else was shown.
        vec![
            ("digest", shown),
            ("arguments", arguments),
            ("amended", &*other),
            ("step", "approve"),
        ],
    ] {
        let page = shows(&app, &ana, &asked, &form).await;
        holds(&page, &["Approve what is shown"]);
        assert_eq!(agent.poll(&asked).await["state"], "pending");
    }
    // Too long to be shown whole.
    let long = json!({"service": "a b ".repeat(10_000)}).to_string();
    let form = [("digest", shown), ("arguments", &*long), ("step", "show")];
    let page = shows(&app, &ana, &asked, &form).await;
    holds(&page, &["longer than what can be shown here"]);
    assert!(!page.contains("Approve what is shown"));
}

async fn where_nothing_may_be_changed_there_is_no_page_for_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let eve = app.sign_in("Eve", Role::Viewer).await;
    let plain = agent.ask(deploy(json!(null))).await;
    let asked = agent.ask(deploy(json!(true))).await;
    for (cookie, asked) in [(&ana, &plain), (&eve, &asked)] {
        let fields = app
            .get(&amend(asked))
            .header(header::COOKIE, cookie)
            .send()
            .await;
        assert!(fields.unwrap().status().is_client_error());
        let form = [("arguments", "{}"), ("step", "show")];
        let sent = sends(&app, cookie, asked, &form).await;
        assert!(sent.status().is_client_error(), "{}", sent.status());
    }
    let quick = format!("/q/{}", plain["id"].as_str().unwrap());
    assert!(!read(&app, &ana, &quick).await.contains("Change it first"));
}
