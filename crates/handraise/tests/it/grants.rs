//! Standing approvals (rule 15): made after an approval, used as it is asked, ended at once, by the API and by the pages.

use std::process::Output;

use chrono::TimeDelta;
use domain::{Role, TokenKind};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    pages::{holds, read},
    people::{operator, owned, person_named},
    program::handraise,
};

store::on_both_databases!(
    what_is_approved_ahead_asks_nobody_until_it_is_revoked,
    what_only_looks_like_it_reaches_a_person,
    a_grant_is_shown_with_what_it_would_have_approved,
    what_is_wrong_with_a_grant_makes_none,
    another_node_uses_it_and_not_after_it_was_revoked,
    a_grant_ends_with_the_token_that_made_it,
    a_person_makes_one_on_the_page_and_loses_it_with_their_role,
    a_session_that_ends_takes_its_grants_along,
);

/// An ask for a command of a coding agent.
fn ask_for(command: &str) -> Value {
    json!({
        "kind": "approval", "prompt": format!("May `{command}` run?"), "session_id": "run-1",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    })
}

async fn approved(agent: &Caller<'_>, by: &Caller<'_>, command: &str) -> Value {
    let asked = agent.ask(ask_for(command)).await;
    by.done(&asked, "answer", json!({"approved": true})).await
}

async fn make(by: &Caller<'_>, body: Value, status: StatusCode) -> Value {
    let made = by.post("/api/v1/grants").json(&body).send().await.unwrap();
    json_of(made, status).await
}

/// A grant for a week for whatever begins with `cargo test`.
async fn of_tests(agent: &Caller<'_>, by: &Caller<'_>) -> Value {
    let approval = approved(agent, by, "cargo test -p store").await;
    let offers = by.read(&format!("{}/grants", path_of(&approval))).await;
    let offers = offers.as_array().unwrap();
    let words = |offer: &&Value| offer["in_words"].as_str().unwrap().contains("`cargo test`");
    let offer = offers.iter().find(words).unwrap();
    let body = json!({"from": approval["id"], "matcher": offer["matcher"], "expires_at": "2027-01-20T00:00:00Z"});
    make(by, body, StatusCode::CREATED).await
}

fn grant_path(grant: &Value) -> String {
    format!("/api/v1/grants/{}", grant["id"].as_str().unwrap())
}

async fn verifies(app: &TestApp, database: &TestDatabase) {
    let output = verified(app, database).await;
    assert!(output.status.success(), "{output:?}");
}

async fn verified(app: &TestApp, database: &TestDatabase) -> Output {
    app.state.checkpoints.sign_new().await.unwrap();
    let key = app.state.config.key_file().display().to_string();
    let checkpoints = app.state.config.checkpoint_file().display().to_string();
    let arguments = [
        "journal",
        "verify",
        "--database",
        &database.url,
        "--checkpoints",
        &checkpoints,
        "--key",
        &key,
    ];
    handraise(&arguments)
}

async fn what_is_approved_ahead_asks_nobody_until_it_is_revoked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let grant = of_tests(&agent, &desk).await;
    assert_eq!(
        (&grant["uses"], &grant["in_force"]),
        (&json!(0), &json!(true))
    );
    let body = ask_for("cargo test -p domain");
    let key = "k-1";
    let ask = || {
        agent
            .post("/api/v1/interactions")
            .header("idempotency-key", key)
            .json(&body)
    };
    let asked = json_of(ask().send().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(
        (&asked["state"], &asked["approved"]),
        (&json!("resolved"), &json!(true))
    );
    assert_eq!(asked["answer"]["responder"]["name"], "desk");
    let receipt = agent.read(&format!("{}/receipt", path_of(&asked))).await;
    assert_eq!(
        receipt["grant"],
        json!({"id": grant["id"], "made_at": grant["made_at"]})
    );
    assert_eq!(
        (&receipt["version"], &receipt["outcome"]),
        (&json!(2), &json!("approved"))
    );
    // Asked again it is the same one, and counted once.
    let again = json_of(ask().send().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(again["id"], asked["id"]);
    let used = desk.read(&grant_path(&grant)).await;
    assert_eq!(
        (&used["uses"], &used["uses_this_week"]),
        (&json!(1), &json!(1))
    );
    // It is good for one run, as any approval.
    agent.done(&asked, "consume", json!({"run": "one"})).await;
    let second = agent.send(&asked, "consume", json!({"run": "two"})).await;
    assert_eq!(second.status(), StatusCode::CONFLICT);
    let late = agent.ask(ask_for("cargo test -p late")).await;
    assert_eq!(late["approved"], true);

    let revoked = desk.delete(&grant_path(&grant)).send().await.unwrap();
    let revoked = json_of(revoked, StatusCode::OK).await;
    assert_eq!(
        (&revoked["in_force"], &revoked["ended_why"]),
        (&json!(false), &json!("revoked"))
    );
    // What it approved and has not begun to run runs no more; what has, has.
    let response = agent.send(&late, "consume", json!({"run": "late"})).await;
    let problem = json_of(response, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "not_approved");
    agent.done(&asked, "consume", json!({"run": "one"})).await;
    let waits = agent.ask(ask_for("cargo test -p domain")).await;
    assert_eq!(waits["state"], "pending");
    let again = desk.delete(&grant_path(&grant)).send().await.unwrap();
    assert_eq!(
        json_of(again, StatusCode::OK).await,
        desk.read(&grant_path(&grant)).await
    );
    verifies(&app, &database).await;
}

async fn what_only_looks_like_it_reaches_a_person(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let grant = of_tests(&agent, &desk).await;
    for command in [
        "cargo test; rm -rf /",
        "cargo test && ls",
        "cargo test $(ls)",
        "cargo test > x",
        "cargo test\nls",
        "cargo test --config x",
        "cargo test ../x",
        "cargo test .env",
        "cargo  build",
        "сargo test",
    ] {
        let asked = agent.ask(ask_for(command)).await;
        assert_eq!(asked["state"], "pending", "{command}");
    }
    let other = app.agent("devops").await;
    assert_eq!(other.ask(ask_for("cargo test")).await["state"], "pending");
    let mut waits = desk.read("/api/v1/interactions?state=pending").await;
    assert_eq!(waits["items"].as_array_mut().unwrap().len(), 11);
    assert_eq!(desk.read(&grant_path(&grant)).await["uses"], 0);
    app.clock.advance(TimeDelta::days(6));
    assert_eq!(agent.ask(ask_for("cargo test")).await["state"], "pending");
}

async fn a_grant_is_shown_with_what_it_would_have_approved(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let denied = agent.ask(ask_for("cargo test slow")).await;
    desk.done(&denied, "answer", json!({"approved": false}))
        .await;
    approved(&agent, &desk, "cargo build").await;
    let approval = approved(&agent, &desk, "cargo test -p store").await;
    let offers = desk.read(&format!("{}/grants", path_of(&approval))).await;
    let words = |offer: &&Value| offer["in_words"].as_str().unwrap().contains("`cargo test`");
    let offer = offers.as_array().unwrap().iter().find(words).unwrap();
    let past = &offer["past"];
    assert_eq!(
        (
            &past["looked_at"],
            &past["would_approve"],
            &past["denied"],
            &past["more"]
        ),
        (&json!(3), &json!(2), &json!(1), &json!(false))
    );
    assert_eq!(past["newest"][1]["outcome"], "denied");
    let body = json!({"from": approval["id"], "matcher": offer["matcher"], "expires_at": "2027-01-20T00:00:00Z"});
    let preview = desk
        .post("/api/v1/grants/preview")
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(json_of(preview, StatusCode::OK).await, *offer);
    assert_eq!(desk.read("/api/v1/grants").await["items"], json!([]));
}

async fn what_is_wrong_with_a_grant_makes_none(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let approval = approved(&agent, &desk, "cargo test").await;
    let from = &approval["id"];
    let soon = "2027-01-20T00:00:00Z";
    let everything =
        json!({"like": {"tool": "Bash", "like": {}, "varies": [{"at": ["command"], "by": "any"}]}});
    for (body, path) in [
        (json!({"from": from}), "expires_at"),
        (
            json!({"from": from, "expires_at": "2027-02-15T00:00:00Z"}),
            "expires_at",
        ),
        (
            json!({"from": from, "expires_at": "2027-01-01T00:00:00Z"}),
            "expires_at",
        ),
        (json!({"from": from, "expires_at": soon, "uses": 0}), "uses"),
        (
            json!({"from": from, "expires_at": soon, "matcher": everything}),
            "matcher.like.varies[0].by",
        ),
    ] {
        let problem = make(&desk, body, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], path, "{problem}");
    }
    for body in [
        json!({}),
        json!({"from": from, "matcher": {"all": {}}}),
        json!({"from": from, "more": 1}),
    ] {
        let response = desk
            .post("/api/v1/grants")
            .json(&body)
            .send()
            .await
            .unwrap();
        assert!(response.status().is_client_error(), "{body}");
    }
    // What is destructive, exactly or not at all.
    let push = approved(&agent, &desk, "git push origin main").await;
    let offers = desk.read(&format!("{}/grants", path_of(&push))).await;
    assert_eq!(offers.as_array().unwrap().len(), 1);
    let body = json!({"from": push["id"], "expires_at": soon, "matcher": {"like": {
        "tool": "Bash", "like": {}, "varies": [{"at": ["command"], "by": {"words": {"begin": ["git", "push"]}}}],
    }}});
    make(&desk, body, StatusCode::UNPROCESSABLE_ENTITY).await;
    let denied = agent.ask(ask_for("cargo test x")).await;
    desk.done(&denied, "answer", json!({"approved": false}))
        .await;
    let problem = make(
        &desk,
        json!({"from": denied["id"], "expires_at": soon}),
        StatusCode::CONFLICT,
    )
    .await;
    assert_eq!(problem["code"], "not_approved");
    assert_eq!(
        desk.read("/api/v1/grants?all=true").await["items"],
        json!([])
    );
}

async fn another_node_uses_it_and_not_after_it_was_revoked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    // What another node has signed counts where its key does.
    let key = app.public_key();
    let other = TestApp::start_with(&database, |config| {
        config.trusted_keys = vec![key.try_into().unwrap()];
    })
    .await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let grant = of_tests(&agent, &desk).await;
    let there = |path: &str| other.post(path).bearer_auth(&agent.token);
    let ask = || {
        there("/api/v1/interactions")
            .json(&ask_for("cargo test"))
            .send()
    };
    let used = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(used["approved"], true);
    desk.delete(&grant_path(&grant)).send().await.unwrap();
    let waits = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(waits["state"], "pending");
}

async fn a_grant_ends_with_the_token_that_made_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let night = app.responder("night").await;
    let grant = of_tests(&agent, &desk).await;
    let tokens = app.state.service.tokens(&operator()).await.unwrap();
    let is_desk = |name: &str, kind: TokenKind| name == "desk" && kind == TokenKind::Responder;
    let token = tokens
        .into_iter()
        .find(|one| is_desk(&one.token.name, one.token.kind));
    app.state
        .service
        .revoke_token(token.unwrap().token.id, &operator())
        .await
        .unwrap();
    assert_eq!(agent.ask(ask_for("cargo test")).await["state"], "pending");
    assert_eq!(
        night.read(&grant_path(&grant)).await["ended_why"],
        "holder_lost"
    );
}

async fn a_person_makes_one_on_the_page_and_loses_it_with_their_role(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Responder).await;
    let approval = approved(&agent, &desk, "cargo test <b>").await;
    let id = approval["id"].as_str().unwrap();
    let html = read(&app, &ana, &format!("/settings/grants/new?from={id}")).await;
    holds(
        &html,
        &[
            "Exactly this again",
            "&lt;b&gt;",
            "In the last 30 days it would have approved 1 of",
        ],
    );
    let what = html.split("name=\"what\" value=\"").nth(1).unwrap();
    let what = what.split('"').next().unwrap();
    let form = [
        ("from", id),
        ("what", what),
        ("lasts", "tonight"),
        ("zone", "Europe/Berlin"),
    ]
    .map(owned);
    let made = app.submit("/settings/grants/new", &ana, &form).await;
    assert_eq!(made.status(), StatusCode::SEE_OTHER);
    assert_eq!(agent.ask(ask_for("cargo test <b>")).await["approved"], true);
    let html = read(&app, &ana, "/settings/grants").await;
    holds(
        &html,
        &["In force", "used once in the last seven days", "Revoke"],
    );
    let grants = desk.read("/api/v1/grants").await;
    let grant = &grants["items"][0];
    assert_eq!(grant["made_by"]["name"], "Ana");
    // The clock stands at eight in the morning, nine in Berlin.
    assert_eq!(grant["expires_at"], "2027-01-15T23:00:00Z");
    let wrong = [
        ("from", id),
        ("what", "sha256:0"),
        ("lasts", "tonight"),
        ("zone", ""),
    ]
    .map(owned);
    let refused = app.submit("/settings/grants/new", &ana, &wrong).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);

    let person = person_named(&app, "Ana").await;
    let service = &app.state.service;
    service
        .change_person(person, "Ana", Role::Viewer, &operator())
        .await
        .unwrap();
    assert_eq!(
        agent.ask(ask_for("cargo test <b>")).await["state"],
        "pending"
    );
    assert_eq!(
        desk.read(&grant_path(grant)).await["ended_why"],
        "holder_lost"
    );
    verifies(&app, &database).await;
}

async fn a_session_that_ends_takes_its_grants_along(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let approval = approved(&agent, &desk, "cargo test").await;
    let body = json!({"from": approval["id"], "for_session": true});
    let grant = make(&desk, body, StatusCode::CREATED).await;
    assert_eq!(grant["expires_at"], "2027-01-16T08:00:00Z");
    assert_eq!(agent.ask(ask_for("cargo test")).await["approved"], true);
    let mut elsewhere = ask_for("cargo test");
    elsewhere["session_id"] = "run-2".into();
    assert_eq!(agent.ask(elsewhere).await["state"], "pending");
    let end = agent
        .post("/api/v1/sessions/end")
        .json(&json!({"session_id": "run-1"}));
    assert_eq!(end.send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(agent.ask(ask_for("cargo test")).await["state"], "pending");
    assert_eq!(
        desk.read(&grant_path(&grant)).await["ended_why"],
        "session_ended"
    );
    let story = desk.read("/api/v1/events?limit=1000").await;
    let ended = json!({"id": grant["id"], "why": "session_ended"});
    let mut told = story["items"].as_array().unwrap().iter();
    assert!(told.any(|event| event["type"] == "grant.ended" && event["payload"] == ended));
    verifies(&app, &database).await;

    // A row that forgets it approves nothing, and is found.
    let forget = "UPDATE grants SET ended_at = NULL, ended_why = NULL";
    database.execute(forget).await.unwrap();
    assert_eq!(agent.ask(ask_for("cargo test")).await["state"], "pending");
    let output = verified(&app, &database).await;
    assert!(!output.status.success());
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let how = "it has ended, and the row does not say so";
    assert!(said.contains(how), "{said}");
}
