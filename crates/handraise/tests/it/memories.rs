//! Answers that stand for the same question, earlier answers under a question, and grants that are offered: by the API and by
//! the pages.

use chrono::TimeDelta;
use domain::{Role, TokenKind};
use machine::clock::Clock as _;
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
    what_was_answered_is_answered_again_until_it_is_revoked,
    what_differs_reaches_a_person,
    what_is_wrong_lets_nothing_stand,
    another_node_answers_and_not_after_it_was_revoked,
    an_answer_stands_no_longer_than_the_token_that_gave_it,
    a_person_lets_an_answer_stand_on_the_page_and_loses_it_with_their_role,
    a_dialog_shows_what_was_answered_to_a_question_like_it,
    nobody_is_shown_what_another_team_answered,
    a_grant_is_offered_after_five_equal_approvals_once,
    what_is_erased_answers_nothing,
    a_list_goes_on_where_its_page_is_full,
);

const PORT: &str = "Which port should the cache listen on?";

fn question(prompt: &str) -> Value {
    json!({"kind": "question", "prompt": prompt})
}

async fn answered(agent: &Caller<'_>, by: &Caller<'_>, prompt: &str, text: &str) -> Value {
    let asked = agent.ask(question(prompt)).await;
    assert_eq!(asked["state"], "pending", "{asked}");
    by.done(&asked, "answer", json!({"text": text})).await
}

async fn keep(by: &Caller<'_>, body: Value, status: StatusCode) -> Value {
    let kept = by
        .post("/api/v1/memories")
        .json(&body)
        .send()
        .await
        .unwrap();
    json_of(kept, status).await
}

/// What the desk has answered, for a week.
async fn standing(agent: &Caller<'_>, by: &Caller<'_>) -> Value {
    let question = answered(agent, by, PORT, "6380").await;
    keep(
        by,
        json!({"from": question["id"], "days": 7}),
        StatusCode::CREATED,
    )
    .await
}

fn memory_path(memory: &Value) -> String {
    format!("/api/v1/memories/{}", memory["id"].as_str().unwrap())
}

async fn verifies(app: &TestApp, database: &TestDatabase) {
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
    let output = handraise(&arguments);
    assert!(output.status.success(), "{output:?}");
}

async fn what_was_answered_is_answered_again_until_it_is_revoked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let memory = standing(&agent, &desk).await;
    assert_eq!(
        (&memory["uses"], &memory["in_force"]),
        (&json!(0), &json!(true))
    );
    assert_eq!(memory["question"]["prompt"], PORT);
    assert_eq!(memory["answer"]["text"], "6380");
    app.clock.advance(TimeDelta::hours(1));
    let key = "k-1";
    let ask = || {
        agent
            .post("/api/v1/interactions")
            .header("idempotency-key", key)
            .json(&question(PORT))
    };
    let asked = json_of(ask().send().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(
        (&asked["state"], &asked["outcome"]),
        (&json!("resolved"), &json!("answered"))
    );
    let answer = &asked["answer"];
    assert_eq!(
        (&answer["text"], &answer["responder"]["name"]),
        (&json!("6380"), &json!("desk"))
    );
    let mark = json!({"id": memory["id"], "made_at": memory["made_at"], "answered_at": memory["answered_at"]});
    assert_eq!(answer["remembered"], mark);
    let receipt = agent.read(&format!("{}/receipt", path_of(&asked))).await;
    assert_eq!(receipt["remembered"], mark);
    assert_eq!(
        (&receipt["version"], &receipt["kind"], &receipt["outcome"]),
        (&json!(4), &json!("question"), &json!("answered"))
    );
    // Asked again it is the same one, and counted once.
    let again = json_of(ask().send().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(again["id"], asked["id"]);
    let used = desk.read(&memory_path(&memory)).await;
    assert_eq!(
        (&used["uses"], &used["uses_this_week"]),
        (&json!(1), &json!(1))
    );
    agent.done(&asked, "collect", json!({})).await;
    // What was answered by a person says so of nobody else.
    let first = format!(
        "/api/v1/interactions/{}",
        memory["made_from"].as_str().unwrap()
    );
    let first = agent.read(&first).await;
    assert_eq!(first["answer"]["remembered"], Value::Null);

    let revoked = desk.delete(&memory_path(&memory)).send().await.unwrap();
    let revoked = json_of(revoked, StatusCode::OK).await;
    assert_eq!(
        (&revoked["in_force"], &revoked["ended_why"]),
        (&json!(false), &json!("revoked"))
    );
    assert_eq!(agent.ask(question(PORT)).await["state"], "pending");
    let again = desk.delete(&memory_path(&memory)).send().await.unwrap();
    assert_eq!(
        json_of(again, StatusCode::OK).await,
        desk.read(&memory_path(&memory)).await
    );
    verifies(&app, &database).await;
}

async fn what_differs_reaches_a_person(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let memory = standing(&agent, &desk).await;
    let mut titled = question(PORT);
    titled["title"] = "Production".into();
    for other in [
        question("Which port should the cache listen on"),
        question(&format!("{PORT} ")),
        question(&PORT.to_lowercase()),
        titled,
        json!({"kind": "acknowledgement", "prompt": PORT}),
    ] {
        assert_eq!(
            agent.ask(other.clone()).await["state"],
            "pending",
            "{other}"
        );
    }
    let stranger = app.agent("devops").await;
    assert_eq!(stranger.ask(question(PORT)).await["state"], "pending");
    assert_eq!(desk.read(&memory_path(&memory)).await["uses"], 0);
    app.clock.advance(TimeDelta::days(7));
    assert_eq!(agent.ask(question(PORT)).await["state"], "pending");
    // For every agent, where who answered wants that.
    let again = answered(&agent, &desk, "Which region?", "eu").await;
    let any = json!({"from": again["id"], "days": 1, "any_agent": true});
    keep(&desk, any, StatusCode::CREATED).await;
    let told = stranger.ask(question("Which region?")).await;
    assert_eq!(told["answer"]["text"], "eu");
}

async fn what_is_wrong_lets_nothing_stand(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let question_of_desk = answered(&agent, &desk, PORT, "6380").await;
    let from = &question_of_desk["id"];
    for days in [0, 31, -1, i64::MAX] {
        let body = json!({"from": from, "days": days});
        let problem = keep(&desk, body, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], "days", "{problem}");
    }
    for body in [
        json!({}),
        json!({"from": from}),
        json!({"from": from, "days": "7"}),
        json!({"from": from, "days": 7.5}),
        json!({"from": from, "days": 7, "for": "ever"}),
    ] {
        let response = desk.post("/api/v1/memories").json(&body).send();
        assert!(response.await.unwrap().status().is_client_error(), "{body}");
    }
    let night = app.responder("night").await;
    let body = json!({"from": from, "days": 7});
    let problem = keep(&night, body.clone(), StatusCode::FORBIDDEN).await;
    assert_eq!(problem["code"], "not_your_answer");
    let approval = agent
        .ask(json!({"kind": "approval", "prompt": "p", "action": {"tool": "t", "arguments": {}}}))
        .await;
    desk.done(&approval, "answer", json!({"approved": true}))
        .await;
    let waits = agent.ask(question("Which region?")).await;
    for other in [&approval, &waits] {
        let body = json!({"from": other["id"], "days": 7});
        let problem = keep(&desk, body, StatusCode::CONFLICT).await;
        assert_eq!(problem["code"], "nothing_to_keep");
    }
    let unknown = json!({"from": "019a7c3f-0a11-7c02-b1d4-2f0a6b1c9e55", "days": 7});
    keep(&desk, unknown, StatusCode::NOT_FOUND).await;
    keep(&agent, body, StatusCode::FORBIDDEN).await;
    let all = desk.read("/api/v1/memories?all=true").await;
    assert_eq!(all["items"], json!([]));
}

async fn another_node_answers_and_not_after_it_was_revoked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    // What another node has signed counts where its key does.
    let key = app.public_key();
    let other = TestApp::start_with(&database, |config| {
        config.trusted_keys = vec![key.try_into().unwrap()];
    })
    .await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let memory = standing(&agent, &desk).await;
    let there = |path: &str| other.post(path).bearer_auth(&agent.token);
    let ask = || there("/api/v1/interactions").json(&question(PORT)).send();
    let used = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(used["answer"]["text"], "6380");
    desk.delete(&memory_path(&memory)).send().await.unwrap();
    let waits = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(waits["state"], "pending");
}

async fn an_answer_stands_no_longer_than_the_token_that_gave_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let night = app.responder("night").await;
    let memory = standing(&agent, &desk).await;
    let tokens = app.state.service.tokens(&operator()).await.unwrap();
    let token = tokens
        .into_iter()
        .find(|one| one.token.name == "desk" && one.token.kind == TokenKind::Responder);
    app.state
        .service
        .revoke_token(token.unwrap().token.id, &operator())
        .await
        .unwrap();
    assert_eq!(agent.ask(question(PORT)).await["state"], "pending");
    let ended = night.read(&memory_path(&memory)).await;
    assert_eq!(ended["ended_why"], "holder_lost");
}

async fn a_person_lets_an_answer_stand_on_the_page_and_loses_it_with_their_role(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(question("Which <b>port</b>?")).await;
    let id = asked["id"].as_str().unwrap();
    let form = [("id", id), ("text", "6380 <i>"), ("typed", "1")].map(owned);
    app.submit("/ui/answer-blocker", &ana, &form).await;
    let html = read(&app, &ana, &format!("/settings/memories/new?from={id}")).await;
    holds(
        &html,
        &[
            "Which &lt;b&gt;port&lt;/b&gt;?",
            "6380 &lt;i&gt;",
            "backend",
        ],
    );
    for (days, agent) in [("0", "one"), ("31", "one"), ("many", "one"), ("7", "")] {
        let form = [("from", id), ("days", days), ("agent", agent)].map(owned);
        let refused = app.submit("/settings/memories/new", &ana, &form).await;
        assert_eq!(
            refused.status(),
            StatusCode::UNPROCESSABLE_ENTITY,
            "{days} {agent}"
        );
    }
    let form = [("from", id), ("days", "7"), ("agent", "one")].map(owned);
    let kept = app.submit("/settings/memories/new", &ana, &form).await;
    assert_eq!(kept.status(), StatusCode::SEE_OTHER);
    let told = agent.ask(question("Which <b>port</b>?")).await;
    assert_eq!(told["answer"]["text"], "6380 <i>");
    let html = read(&app, &ana, "/settings/memories").await;
    holds(
        &html,
        &["Standing", "used once in the last seven days", "Revoke"],
    );
    let story = format!("/interactions/{}", told["id"].as_str().unwrap());
    holds(
        &read(&app, &ana, &story).await,
        &["Answered by Ana’s answer of"],
    );
    // Only who gave it lets it stand.
    let bo = app.sign_in("Bo", Role::Responder).await;
    let html = read(&app, &bo, &format!("/settings/memories/new?from={id}")).await;
    holds(&html, &["Only who has answered a question"]);

    let person = person_named(&app, "Ana").await;
    let service = &app.state.service;
    service
        .change_person(person, "Ana", Role::Viewer, &operator())
        .await
        .unwrap();
    let waits = agent.ask(question("Which <b>port</b>?")).await;
    assert_eq!(waits["state"], "pending");
    let memories = desk.read("/api/v1/memories").await;
    assert_eq!(memories["items"][0]["ended_why"], "holder_lost");
    verifies(&app, &database).await;
}

async fn a_dialog_shows_what_was_answered_to_a_question_like_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let other = app.agent("devops").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    answered(&agent, &desk, PORT, "6380 <b>").await;
    answered(&agent, &desk, "Is the nightly job done?", "yes").await;
    let day = app.clock.now().format("on %A").to_string();
    app.clock.advance(TimeDelta::days(2));
    let asked = other
        .ask(question("What port should the cache listen on?"))
        .await;
    let page = format!("/blockers/{}", asked["id"].as_str().unwrap());
    let html = read(&app, &ana, &page).await;
    holds(&html, &["Answered before", "6380 &lt;b&gt;", &*day, PORT]);
    // The desk behind it has the other question, too.
    assert_eq!(html.matches("answered-before-who").count(), 1, "{html}");
    // A question like none.
    let asked = other.ask(question("Who feeds the zebras?")).await;
    let page = format!("/blockers/{}", asked["id"].as_str().unwrap());
    assert!(!read(&app, &ana, &page).await.contains("Answered before"));
}

async fn nobody_is_shown_what_another_team_answered(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let memory = standing(&agent, &desk).await;
    let shop = app.team("Shop").await;
    app.home(shop, "backend").await;
    // What everyone was asked is not this team's word.
    let asked = agent.ask(question(PORT)).await;
    assert_eq!(asked["state"], "pending");
    let page = format!("/blockers/{}", asked["id"].as_str().unwrap());
    assert!(!read(&app, &ana, &page).await.contains("Answered before"));
    assert_eq!(
        desk.read(&memory_path(&memory)).await["ended_why"],
        "agent_changed"
    );
    // Nor what this team answers that of others.
    let id = asked["id"].as_str().unwrap();
    let form = [("id", id), ("text", "7000"), ("typed", "1")].map(owned);
    app.submit("/ui/answer-blocker", &ana, &form).await;
    let form = [("from", id), ("days", "7"), ("agent", "any")].map(owned);
    app.submit("/settings/memories/new", &ana, &form).await;
    assert_eq!(agent.ask(question(PORT)).await["answer"]["text"], "7000");
    let stranger = app.agent("devops").await;
    assert_eq!(stranger.ask(question(PORT)).await["state"], "pending");
    let bo = app.sign_in("Bo", Role::Responder).await;
    let html = read(&app, &bo, "/settings/memories").await;
    assert!(!html.contains("7000"), "{html}");
    let seen = desk.read("/api/v1/memories?all=true").await;
    assert_eq!(seen["items"].as_array().unwrap().len(), 1, "{seen}");
}

async fn a_grant_is_offered_after_five_equal_approvals_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let decide = async |command: &str, approved: bool| {
        app.clock.advance(TimeDelta::minutes(1));
        let asked = agent
            .ask(json!({
                "kind": "approval", "prompt": format!("May `{command}` run?"),
                "action": {"tool": "Bash", "arguments": {"command": command}},
            }))
            .await;
        let id = asked["id"].as_str().unwrap().to_owned();
        let digest = asked["action_digest"].as_str().unwrap();
        let approved = approved.to_string();
        let form = [("id", &*id), ("approved", &*approved), ("digest", digest)].map(owned);
        app.submit("/ui/answer-blocker", &ana, &form).await;
        read(&app, &ana, &format!("/blockers/{id}")).await
    };
    let offer = "You have approved 5 like this since";
    for n in 1..=4 {
        assert!(
            !decide(&format!("cargo test case{n}"), true)
                .await
                .contains(offer),
            "{n}"
        );
    }
    let fifth = decide("cargo test case5", true).await;
    holds(
        &fifth,
        &[offer, "Approve the next ones ahead", "No, keep asking"],
    );
    let way = fifth.split("/settings/grants/new?from=").nth(1).unwrap();
    let way = way.split('"').next().unwrap().replace("&amp;", "&");
    let page = read(&app, &ana, &format!("/settings/grants/new?from={way}")).await;
    let checked = page.split(" checked> ").nth(1).unwrap();
    assert!(checked.starts_with("Others like it"), "{checked}");
    // Once, whatever comes after it but a denial.
    assert!(!decide("cargo test case6", true).await.contains(offer));
    decide("cargo test case7", false).await;
    for n in 8..=11 {
        assert!(
            !decide(&format!("cargo test case{n}"), true)
                .await
                .contains(offer),
            "{n}"
        );
    }
    let again = decide("cargo test case12", true).await;
    holds(&again, &[offer]);
    let id = again.split("name=\"from\" value=\"").nth(1).unwrap();
    let id = id.split('"').next().unwrap();
    let form = [("from", id), ("back", id)].map(owned);
    let declined = app.submit("/settings/grants/not-offered", &ana, &form);
    assert_eq!(declined.await.status(), StatusCode::SEE_OTHER);
    assert!(
        !read(&app, &ana, &format!("/blockers/{id}"))
            .await
            .contains(offer)
    );
    // What is destructive is asked each time.
    for n in 1..=6 {
        assert!(
            !decide("git push --force", true).await.contains(offer),
            "{n}"
        );
    }
}

async fn what_is_erased_answers_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let memory = standing(&agent, &desk).await;
    let admin = app.sign_in("Root", Role::Admin).await;
    let from = memory["made_from"].as_str().unwrap();
    app.submit("/ui/erase-interaction", &admin, &[("id", from)].map(owned))
        .await;
    assert_eq!(agent.ask(question(PORT)).await["state"], "pending");
    let ended = desk.read(&memory_path(&memory)).await;
    assert_eq!(
        (&ended["ended_why"], &ended["question"], &ended["answer"]),
        (&json!("erased"), &Value::Null, &Value::Null)
    );
    verifies(&app, &database).await;
}

async fn a_list_goes_on_where_its_page_is_full(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut kept = Vec::new();
    for n in 0..12 {
        let question = answered(&agent, &desk, &format!("Which port has {n}?"), "80").await;
        let body = json!({"from": question["id"], "days": 7});
        kept.push(keep(&desk, body, StatusCode::CREATED).await["id"].clone());
    }
    kept.reverse();
    let ids = |page: &Value| -> Vec<Value> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].clone()).collect()
    };
    let all = desk.read("/api/v1/memories?limit=12").await;
    assert_eq!(
        (ids(&all), &all["next_cursor"]),
        (kept.clone(), &Value::Null)
    );
    let first = desk.read("/api/v1/memories?limit=11").await;
    assert_eq!(ids(&first), kept[..11]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = desk
        .read(&format!("/api/v1/memories?limit=11&cursor={cursor}"))
        .await;
    assert_eq!(
        (ids(&rest), &rest["next_cursor"]),
        (kept[11..].to_vec(), &Value::Null)
    );
    // Large ones fill a page before it has as many.
    for n in 0..16 {
        let prompt = format!("Which text has {n}?");
        let question = answered(&agent, &desk, &prompt, &"𝄞".repeat(20_000)).await;
        let body = json!({"from": question["id"], "days": 7});
        keep(&desk, body, StatusCode::CREATED).await;
    }
    let full = desk.read("/api/v1/memories?limit=30").await;
    assert!(ids(&full).len() < 16, "{}", ids(&full).len());
    let cursor = full["next_cursor"].as_str().unwrap();
    let rest = desk
        .read(&format!("/api/v1/memories?limit=30&cursor={cursor}"))
        .await;
    assert_eq!(ids(&full).len() + ids(&rest).len(), 28);
}
