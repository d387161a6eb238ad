//! Rule 18, through the front doors: who is asked, who sees it, and what happens when people and teams change.

use app::desk::frames::{Change, ServerFrame};
use domain::{Part, Role, team::Profile};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{id_of, json_of, path_of},
    people::operator,
    socket::{next, resumed},
};

store::on_both_databases!(
    an_agent_asks_its_home_and_the_teams_that_are_open_to_it,
    an_answer_from_who_left_the_team_a_moment_ago_is_refused,
    a_socket_hears_of_its_person_s_teams_and_learns_when_they_change,
    a_hook_hears_of_the_teams_it_is_for,
    a_team_s_deadlines_come_before_the_settings,
    what_waits_for_a_deleted_team_goes_to_the_named_one,
);

async fn an_agent_asks_its_home_and_the_teams_that_are_open_to_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let asked = agent.ask(json!({})).await;
    assert_eq!(asked["team"], Value::Null);
    app.home(payments, "backend").await;
    let asked = agent.ask(json!({})).await;
    assert_eq!(asked["team"], "Payments");
    let named = agent.ask(json!({"team": "payments"})).await;
    assert_eq!(named["team"], "Payments");
    let refused = async |team: &str| {
        let body = json!({"kind": "question", "prompt": "?", "team": team});
        let response = agent.post("/api/v1/interactions").json(&body).send().await;
        let problem = json_of(response.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], "team", "{problem}");
        problem["errors"][0]["message"].as_str().unwrap().to_owned()
    };
    // One that is not open, and one that is not there, are told apart by nothing.
    assert_eq!(refused("Search").await, refused("Nowhere").await);
    refused("").await;
    let service = &app.state.service;
    let backend = service.known_agent("backend").await.unwrap();
    let opened = service.set_open(search, &backend, true, &operator()).await;
    opened.unwrap();
    let asked = agent.ask(json!({"team": "Search"})).await;
    assert_eq!(asked["team"], "Search");
    // The agent reads its own, whatever team it asked.
    assert_eq!(agent.poll(&asked).await["team"], "Search");
}

async fn an_answer_from_who_left_the_team_a_moment_ago_is_refused(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let id = id_of(&asked).to_string();
    let answer = async || {
        let call = app.post("/ui/answer-blocker").header("cookie", &cookie);
        let call = call.header("origin", app.url(""));
        let sent = call.form(&[("id", &*id), ("text", "80")]).send().await;
        sent.unwrap().status()
    };
    assert_eq!(answer().await, StatusCode::NOT_FOUND);
    app.join(payments, "Ana", Part::Reads).await;
    assert_eq!(answer().await, StatusCode::UNPROCESSABLE_ENTITY);
    app.join(payments, "Ana", Part::Answers).await;
    app.part(payments, "Ana").await;
    assert_eq!(answer().await, StatusCode::NOT_FOUND);
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    app.join(payments, "Ana", Part::Answers).await;
    assert_eq!(answer().await, StatusCode::OK);
    assert_eq!(agent.poll(&asked).await["answer"]["text"], "80");
}

async fn a_socket_hears_of_its_person_s_teams_and_learns_when_they_change(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let open = app.agent("open").await;
    let cookie = app.sign_in("Ben", Role::Responder).await;
    let mut socket = resumed(&app, &cookie, app.last_seq().await).await;
    agent.ask(json!({})).await;
    let for_all = open.ask(json!({})).await;
    let asked = |frame: ServerFrame| match frame {
        ServerFrame::Event { change, .. } => match *change {
            Change::Asked { row } => row.id,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    // The first was not for them.
    assert_eq!(asked(next(&mut socket).await), id_of(&for_all));
    app.join(payments, "Ben", Part::Answers).await;
    assert_eq!(next(&mut socket).await, ServerFrame::Resync);
    let theirs = agent.ask(json!({})).await;
    assert_eq!(asked(next(&mut socket).await), id_of(&theirs));
    app.part(payments, "Ben").await;
    assert_eq!(next(&mut socket).await, ServerFrame::Resync);
    agent.ask(json!({})).await;
    let for_all = open.ask(json!({})).await;
    assert_eq!(asked(next(&mut socket).await), id_of(&for_all));
    // What came while the page was away is told by the same rule.
    let before = app.last_seq().await;
    agent.ask(json!({})).await;
    let for_all = open.ask(json!({})).await;
    let mut again = resumed(&app, &cookie, before).await;
    assert_eq!(asked(next(&mut again).await), id_of(&for_all));
}

async fn a_hook_hears_of_the_teams_it_is_for(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let desk = app.responder_of("desk", payments).await;
    let hook = async |more: Value, status| {
        let mut body = json!({"target_url": "http://hooks.invalid/"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        json_of(
            desk.post("/api/v1/hooks").json(&body).send().await.unwrap(),
            status,
        )
        .await
    };
    let own = hook(json!({}), StatusCode::CREATED).await;
    assert_eq!(own["teams"], json!([payments.to_string()]));
    let none = hook(json!({"teams": []}), StatusCode::CREATED).await;
    assert_eq!(none["teams"], json!([]));
    let refused = hook(
        json!({"teams": ["Payments", "Search"]}),
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
    assert_eq!(refused["errors"][0]["path"], "teams[1]");
    // Another team's script does not even see it.
    let other = app.responder_of("other desk", search).await;
    let listed = other.read("/api/v1/hooks").await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    let path = format!("/api/v1/hooks/{}", own["id"].as_str().unwrap());
    let deleted = other.delete(&path).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::NOT_FOUND);
    let deleted = desk.delete(&path).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
}

async fn a_team_s_deadlines_come_before_the_settings(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let profile = Profile {
        name: "Payments".to_owned(),
        timeouts: serde_json::from_value(json!({"question": 60, "choice": null})).unwrap(),
        ..Profile::default()
    };
    let by = operator();
    let changed = app.state.service.change_team(payments, profile, &by);
    changed.await.unwrap();
    let waits = |asked: &Value| -> Option<i64> {
        let time = |name: &str| {
            let text = asked[name].as_str()?;
            chrono::DateTime::parse_from_rfc3339(text).ok()
        };
        Some((time("expires_at")? - time("created_at")?).num_seconds())
    };
    assert_eq!(waits(&agent.ask(json!({})).await), Some(60));
    assert_eq!(
        waits(&agent.ask(json!({"timeout_seconds": 7})).await),
        Some(7)
    );
    let choice = json!({"kind": "choice", "options": ["a", "b"]});
    assert_eq!(waits(&agent.ask(choice).await), None);
    // Of the other kinds the settings say it.
    let seen = agent.ask(json!({"kind": "acknowledgement"})).await;
    assert_ne!(waits(&seen), Some(60));
}

async fn what_waits_for_a_deleted_team_goes_to_the_named_one(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let (payments, billing) = (app.team("Payments").await, app.team("Billing").await);
    app.home(payments, "backend").await;
    let asked = agent.ask(json!({})).await;
    let service = &app.state.service;
    let refused = service.delete_team(payments, None, &operator()).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "questions wait for this team (1) or agents have their home there (1); name the team that takes them"
    );
    let (old, new) = (
        app.responder_of("old desk", payments).await,
        app.responder_of("new desk", billing).await,
    );
    assert_eq!(old.poll(&asked).await["team"], "Payments");
    let by = operator();
    let deleted = service.delete_team(payments, Some(billing), &by);
    deleted.await.unwrap();
    assert_eq!(new.poll(&asked).await["team"], "Billing");
    let gone = old.get(&path_of(&asked)).send().await.unwrap();
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    assert_eq!(agent.ask(json!({})).await["team"], "Billing");
    let by = operator();
    let late = service.delete_team(payments, Some(billing), &by);
    assert_eq!(late.await.unwrap_err().to_string(), "this team was deleted");
}
