//! Several people approve one action: by the API, on the pages, and at the command line's receipts.

use std::collections::BTreeSet;

use domain::{PersonId, Role, access::Lifetime};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    pages::{holds, read},
    people::{operator, owned, person_named},
};

store::on_both_databases!(
    two_people_approve_and_one_receipt_names_both,
    one_denial_ends_it,
    a_person_at_three_places_at_once_counts_once,
    a_token_may_deny_and_does_not_count,
    the_owner_of_the_agent_does_not_count_under_four_eyes,
    who_is_disabled_meanwhile_has_not_approved,
    one_press_approves_none_of_several_that_count_people,
    what_cannot_be_counted_is_refused_with_its_place,
);

fn deploy(approvals: Value) -> Value {
    json!({
        "kind": "approval", "prompt": "Deploy?", "timeout_seconds": 3600, "approvals": approvals,
        "action": {"tool": "deploy", "arguments": {"service": "api"}},
    })
}

fn id(asked: &Value) -> &str {
    asked["id"].as_str().unwrap()
}

/// What a person's page says, and with which status.
async fn says(app: &TestApp, cookie: &str, asked: &Value, approved: &str) -> (StatusCode, String) {
    let form = [("id", id(asked)), ("approved", approved)].map(owned);
    let response = app.submit("/ui/answer-blocker", cookie, &form).await;
    (response.status(), response.text().await.unwrap())
}

async fn kept(app: &TestApp, cookie: &str, asked: &Value) {
    let (status, said) = says(app, cookie, asked, "true").await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert!(said.contains("kept"), "{said}");
}

async fn sent(app: &TestApp, cookie: &str, asked: &Value, approved: &str) {
    let (status, said) = says(app, cookie, asked, approved).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert!(said.contains("sent"), "{said}");
}

async fn refused(app: &TestApp, cookie: &str, asked: &Value, why: &str) {
    let (status, said) = says(app, cookie, asked, "true").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
    holds(&said, &[why]);
}

fn named(people: &Value) -> Vec<&str> {
    let people = people.as_array().unwrap().iter();
    people.map(|one| one["name"].as_str().unwrap()).collect()
}

async fn two_people_approve_and_one_receipt_names_both(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Admin).await;
    let asked = agent.ask(deploy(json!({"needed": 2}))).await;
    assert_eq!(
        asked["approvals"],
        json!({"needed": 2, "of": "anyone", "four_eyes": false})
    );
    assert_eq!(asked["progress"], json!({"needed": 2, "approved": []}));
    kept(&app, &ana, &asked).await;
    let one = agent.poll(&asked).await;
    assert_eq!(
        (&one["state"], &one["approved"]),
        (&json!("pending"), &json!(false))
    );
    assert_eq!(named(&one["progress"]["approved"]), ["Ana"]);
    refused(
        &app,
        &ana,
        &asked,
        "You have approved this; it takes 1 more.",
    )
    .await;
    // Everybody sees who has.
    let seen = "2 people have to approve it. Approved by Ana; it takes 1 more.";
    holds(
        &read(&app, &ben, &format!("/blockers/{}", id(&asked))).await,
        &[seen],
    );
    holds(
        &read(&app, &ben, &format!("/q/{}", id(&asked))).await,
        &[seen],
    );
    let yours = "Approved by you; it takes 1 more.";
    holds(
        &read(&app, &ana, &format!("/q/{}", id(&asked))).await,
        &[yours],
    );
    holds(&read(&app, &ben, "/").await, &["1 of 2"]);
    sent(&app, &ben, &asked, "true").await;
    let both = agent.poll(&asked).await;
    assert_eq!(both["approved"], true);
    assert_eq!(named(&both["answer"]["approvers"]), ["Ana", "Ben"]);
    assert_eq!(both["answer"]["responder"]["name"], "Ben");
    let receipt = agent
        .read(&format!("/api/v1/interactions/{}/receipt", id(&asked)))
        .await;
    assert_eq!(receipt["approvers"], both["answer"]["approvers"]);
    assert_eq!(receipt["action_digest"], asked["action_digest"]);
    holds(
        &read(&app, &ana, &format!("/interactions/{}", id(&asked))).await,
        &["approved it, 1 of 2"],
    );
    holds(
        &read(&app, &ana, &format!("/q/{}", id(&asked))).await,
        &["Ana and Ben"],
    );
    let events = agent.read("/api/v1/events").await;
    let given = events["items"].as_array().unwrap().iter();
    let given = given.filter(|one| one["type"] == "interaction.approval_given");
    let given: Vec<_> = given.collect();
    assert_eq!(given.len(), 1);
    assert_eq!(named(&given[0]["payload"]["approved"]), ["Ana"]);
}

async fn one_denial_ends_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let asked = agent.ask(deploy(json!({"needed": 3}))).await;
    kept(&app, &ana, &asked).await;
    sent(&app, &ben, &asked, "false").await;
    let denied = agent.poll(&asked).await;
    assert_eq!(
        (&denied["outcome"], &denied["approved"]),
        (&json!("denied"), &json!(false))
    );
    assert_eq!(denied["answer"]["approvers"], Value::Null);
    let (status, said) = says(&app, &ana, &asked, "true").await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert!(said.contains("too_late"), "{said}");
}

async fn a_person_at_three_places_at_once_counts_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let mut cookies = Vec::new();
    for name in ["Ana", "Ben", "Cy"] {
        cookies.push(app.sign_in(name, Role::Responder).await);
    }
    for _ in 0..3 {
        let asked = agent.ask(deploy(json!({"needed": 3}))).await;
        let clicks = (0..9).map(|n| says(&app, &cookies[n % 3], &asked, "true"));
        let ended = futures::future::join_all(clicks).await;
        let sent = ended
            .iter()
            .filter(|(_, said)| said.contains("sent"))
            .count();
        assert_eq!(sent, 1, "{ended:?}");
        let approved = agent.poll(&asked).await;
        assert_eq!(approved["approved"], true);
        let names: BTreeSet<_> = named(&approved["answer"]["approvers"])
            .into_iter()
            .collect();
        assert_eq!(names, ["Ana", "Ben", "Cy"].into());
        assert_eq!(approved["answer"]["approvers"].as_array().unwrap().len(), 3);
    }
}

async fn a_token_may_deny_and_does_not_count(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    let asked = agent.ask(deploy(json!({"needed": 2}))).await;
    let no = desk.send(&asked, "answer", json!({"approved": true})).await;
    let problem = json_of(no, StatusCode::FORBIDDEN).await;
    assert_eq!(problem["code"], "not_a_person");
    let denied = desk
        .done(&asked, "answer", json!({"approved": false}))
        .await;
    assert_eq!(denied["outcome"], "denied");
}

/// An agent of this person's.
async fn agent_of<'a>(app: &'a TestApp, name: &str, owner: PersonId) -> Caller<'a> {
    let (service, by) = (&app.state.service, operator());
    let token = service
        .create_owned_token(name, owner, None, Lifetime::Never, &by)
        .await
        .unwrap();
    Caller {
        app,
        token: token.reveal().to_owned(),
    }
}

async fn the_owner_of_the_agent_does_not_count_under_four_eyes(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let agent = agent_of(&app, "backend", person_named(&app, "Ana").await).await;
    let asked = agent.ask(deploy(json!({"four_eyes": true}))).await;
    refused(
        &app,
        &ana,
        &asked,
        "The agent that asks is yours: another person has to approve it.",
    )
    .await;
    sent(&app, &ben, &asked, "true").await;
    assert_eq!(agent.poll(&asked).await["approved"], true);
    // No is no, whoever may say it.
    let asked = agent.ask(deploy(json!({"four_eyes": true}))).await;
    sent(&app, &ana, &asked, "false").await;
}

async fn who_is_disabled_meanwhile_has_not_approved(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let asked = agent.ask(deploy(json!({"needed": 2}))).await;
    kept(&app, &ana, &asked).await;
    let (service, by) = (&app.state.service, operator());
    let person = person_named(&app, "Ana").await;
    service
        .disable_person(person, true, false, &by)
        .await
        .unwrap();
    // Nor when they are let in again before the next one approves.
    service
        .disable_person(person, false, false, &by)
        .await
        .unwrap();
    kept(&app, &ben, &asked).await;
    let now = agent.poll(&asked).await;
    assert_eq!(named(&now["progress"]["approved"]), ["Ben"]);
}

async fn one_press_approves_none_of_several_that_count_people(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let counted = agent.ask(deploy(json!({"needed": 2}))).await;
    let plain = agent.ask(deploy(Value::Null)).await;
    let together = async |approved: &str| {
        let form = [
            ("ticked[0]", id(&counted)),
            ("ticked[1]", id(&plain)),
            ("approved", approved),
        ];
        let form = form.map(owned);
        let response = app.submit("/ui/answer-together", &ana, &form).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.text().await.unwrap()
    };
    let said = together("true").await;
    assert!(said.contains("It counts who approves it"), "{said}");
    assert_eq!(agent.poll(&plain).await["approved"], true);
    let waits = agent.poll(&counted).await;
    assert_eq!(waits["progress"], json!({"needed": 2, "approved": []}));
    // No is no, however it is said.
    together("false").await;
    assert_eq!(agent.poll(&counted).await["outcome"], "denied");
}

async fn what_cannot_be_counted_is_refused_with_its_place(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let mut amendable = deploy(json!({"needed": 2}));
    amendable["amendable"] = true.into();
    for (body, path) in [
        (deploy(json!({"needed": 0})), "approvals.needed"),
        (deploy(json!({"needed": 11})), "approvals.needed"),
        (deploy(json!({"need": 2})), "approvals"),
        (deploy(json!({"needed": 2, "of": "payments"})), "approvals"),
        (deploy(json!(2)), "approvals"),
        // Nobody owns this agent.
        (deploy(json!({"four_eyes": true})), "approvals.four_eyes"),
        // Nor is any team asked.
        (deploy(json!({"of": "team"})), "approvals.of"),
        (amendable, "amendable"),
    ] {
        let response = agent.post("/api/v1/interactions").json(&body).send().await;
        let problem = json_of(response.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["code"], "invalid_request", "{body}");
        let found = problem["errors"][0]["path"].as_str().unwrap();
        assert!(found.starts_with(path), "{problem}");
    }
    let waiting = agent.read("/api/v1/interactions").await;
    assert_eq!(waiting["items"], json!([]));
}
