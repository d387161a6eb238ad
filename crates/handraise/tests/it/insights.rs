//! Looking back: the numbers by the API, as files and on the page, who sees which, and that they can be made anew.

use chrono::TimeDelta;
use domain::{Part, Role};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    browser::Browser,
    caller::{Caller, json_of},
    pages::holds,
    program::handraise,
};

store::on_both_databases!(
    numbers_tell_how_long_answers_took_and_how_it_ended,
    a_reader_sees_the_numbers_of_their_teams_alone,
    each_table_is_a_file_in_which_no_name_is_a_formula,
    what_is_wrong_is_said_by_its_name,
    the_page_shows_what_the_api_says_and_is_narrowed_by_its_address,
    a_rebuild_makes_the_numbers_that_are_kept,
);

async fn count(app: &TestApp) {
    while !app.state.service.count_ended().await.unwrap().is_all() {}
}

fn approval(command: &str) -> Value {
    json!({
        "kind": "approval", "prompt": "May it run?",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    })
}

/// Asked, answered after so many seconds.
async fn answered(app: &TestApp, agent: &Caller<'_>, desk: &Caller<'_>, seconds: i64) {
    let asked = agent.ask(json!({"mode": "sync"})).await;
    app.clock.advance(TimeDelta::seconds(seconds));
    json_of(desk.answer(&asked, "80").await, StatusCode::OK).await;
}

/// Ten questions of one agent, and three approvals and a question of another, of which one expires.
async fn lived(app: &TestApp) -> (Caller<'_>, Caller<'_>, Caller<'_>) {
    let (backend, frontend) = (app.agent("backend").await, app.agent("frontend").await);
    let desk = app.responder("desk").await;
    for seconds in 1..=10 {
        answered(app, &backend, &desk, 10 * seconds).await;
    }
    for approved in [true, true, false] {
        let asked = frontend.ask(approval("cargo test")).await;
        app.clock.advance(TimeDelta::seconds(30));
        desk.done(&asked, "answer", json!({"approved": approved}))
            .await;
    }
    frontend
        .ask(json!({"mode": "async", "timeout_seconds": 60}))
        .await;
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    // It waits, and is no number.
    frontend.ask(json!({})).await;
    count(app).await;
    (backend, frontend, desk)
}

fn is_near(found: &Value, seconds: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - seconds).abs() * 32.0 <= seconds, "{found}");
}

async fn numbers_tell_how_long_answers_took_and_how_it_ended(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (_, _, desk) = lived(&app).await;
    let told = desk.read("/api/v1/insights").await;
    assert_eq!(told["counted"]["seq"], told["counted"]["newest"]);
    let total = &told["total"];
    let counts = |figures: &Value| {
        [
            "ended",
            "by_people",
            "by_rules",
            "fallback",
            "expired",
            "cancelled",
            "denied",
        ]
        .map(|name| figures[name].as_u64().unwrap())
    };
    assert_eq!(counts(total), [14, 13, 0, 0, 1, 0, 1]);
    // 10 to 100 seconds, and three times 30.
    is_near(&total["median_seconds"], 40.0);
    is_near(&total["p90_seconds"], 90.0);
    // What is asked in passing holds up no agent.
    assert_eq!(total["stood_still_seconds"], 550.0 + 90.0);
    let days = told["days"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    assert_eq!(days[29]["day"], told["to"]);
    let ended: u64 = days
        .iter()
        .map(|day| day["figures"]["ended"].as_u64().unwrap())
        .sum();
    assert_eq!(ended, 14);
    let kinds = told["kinds"].as_array().unwrap();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|it| (&it["kind"], counts(&it["figures"])[0]))
        .collect();
    assert_eq!(kinds, [(&json!("question"), 11), (&json!("approval"), 3)]);
    let agents = told["agents"].as_array().unwrap();
    let agents: Vec<_> = agents
        .iter()
        .map(|it| (&it["agent"]["name"], counts(&it["figures"])[0]))
        .collect();
    assert_eq!(agents, [(&json!("backend"), 10), (&json!("frontend"), 4)]);
    assert_eq!(told["teams"][0]["team"], Value::Null);
    let people = told["people"].as_array().unwrap();
    assert_eq!(people.len(), 1);
    assert_eq!(people[0]["person"]["name"], "desk");
    assert_eq!(counts(&people[0]["figures"]), [13, 13, 0, 0, 0, 0, 1]);
    let hours = told["hours"].as_array().unwrap();
    assert_eq!(hours.len(), 7 * 24);
    let asked: u64 = hours
        .iter()
        .map(|hour| hour["asked"].as_u64().unwrap())
        .sum();
    assert_eq!(asked, 14);
    let most = told["asked_most"].as_array().unwrap();
    assert_eq!(most.len(), 1, "{most:?}");
    let counts = [&most[0]["asked"], &most[0]["approved"], &most[0]["denied"]];
    assert_eq!(counts, [3, 2, 1]);
    assert!(
        most[0]["words"].as_str().unwrap().contains("cargo test"),
        "{most:?}"
    );

    // Narrowed.
    for (query, ended) in [
        ("kind=approval", 3),
        ("agent=backend", 10),
        ("agent=nobody", 0),
        ("team=everyone", 14),
        ("agent=frontend&kind=question", 1),
        ("to=2020-01-01", 0),
    ] {
        let told = desk.read(&format!("/api/v1/insights?{query}")).await;
        assert_eq!(told["total"]["ended"], ended, "{query}");
    }
    // A grant decides as it is asked: no person has, and it is asked no more.
    let newest = &most[0]["newest"];
    let made = desk
        .post("/api/v1/grants")
        .json(&json!({"from": newest, "expires_at": app.state.service.now() + TimeDelta::days(7)}))
        .send()
        .await
        .unwrap();
    json_of(made, StatusCode::CREATED).await;
    let frontend = app.agent("frontend").await;
    let asked = frontend.ask(approval("cargo test")).await;
    assert_eq!(asked["outcome"], "approved");
    count(&app).await;
    let told = desk.read("/api/v1/insights").await;
    assert_eq!(told["total"]["by_rules"], 1);
    assert_eq!(told["total"]["by_people"], 13);
    assert_eq!(told["asked_most"][0]["asked"], 3);
}

async fn a_reader_sees_the_numbers_of_their_teams_alone(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let (backend, frontend) = (app.agent("backend").await, app.agent("frontend").await);
    app.home(payments, "frontend").await;
    let desk = app.responder_of("desk", payments).await;
    let others = app.responder_of("others", search).await;
    answered(&app, &frontend, &desk, 10).await;
    answered(&app, &frontend, &desk, 10).await;
    answered(&app, &backend, &others, 10).await;
    count(&app).await;
    let ended = async |caller: &Caller<'_>, query: &str| {
        let told = caller.read(&format!("/api/v1/insights?{query}")).await;
        told["total"]["ended"].as_u64().unwrap()
    };
    assert_eq!(ended(&desk, "").await, 3);
    assert_eq!(ended(&desk, "team=Payments").await, 2);
    assert_eq!(ended(&desk, "team=everyone").await, 1);
    assert_eq!(ended(&others, "").await, 1);
    assert_eq!(ended(&others, "agent=frontend").await, 0);
    assert_eq!(ended(&backend, "").await, 1);
    assert_eq!(ended(&frontend, "").await, 2);
    assert_eq!(ended(&frontend, "agent=backend").await, 0);
    let told = others.read("/api/v1/insights").await;
    let told = told.to_string();
    assert!(
        !told.contains("Payments") && !told.contains("frontend") && !told.contains("desk"),
        "{told}"
    );
    // Whether it is there is not said either.
    for path in ["/api/v1/insights", "/api/v1/insights/people.csv"] {
        for team in [payments.to_string(), "Payments".into(), "None".into()] {
            let found = others.get(&format!("{path}?team={team}")).send().await;
            json_of(found.unwrap(), StatusCode::NOT_FOUND).await;
        }
    }

    let mut viewer = Browser::signed_in(&app, "Vera", Role::Viewer).await;
    app.join(search, "Vera", Part::Reads).await;
    let page = viewer.page("/insights").await;
    assert!(
        page.contains("backend") && !page.contains("frontend"),
        "{page}"
    );
    let page = viewer.page("/insights?team=Payments").await;
    assert!(page.contains("There is no such team"), "{page}");
    let mut admin = Browser::signed_in(&app, "Ana", Role::Admin).await;
    let page = admin.page("/insights?team=Payments").await;
    assert!(
        page.contains("frontend") && !page.contains("backend"),
        "{page}"
    );
    // And nobody who is not signed in.
    let stranger = app.get("/insights").send().await.unwrap();
    assert_eq!(stranger.status(), StatusCode::SEE_OTHER);
    let stranger = app.get("/insights/days.csv").send().await.unwrap();
    assert_ne!(stranger.status(), StatusCode::OK);
    let stranger = app.get("/api/v1/insights").send().await.unwrap();
    assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
}

async fn each_table_is_a_file_in_which_no_name_is_a_formula(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("=HYPERLINK(\"x\")").await;
    let desk = app.responder("desk").await;
    for _ in 0..2 {
        let asked = agent.ask(approval("cargo test")).await;
        app.clock.advance(TimeDelta::seconds(30));
        desk.done(&asked, "answer", json!({"approved": true})).await;
    }
    count(&app).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    for (file, head, lines) in [
        ("days.csv", "day,ended,by_people,", 31),
        ("kinds.csv", "kind,ended,", 2),
        ("agents.csv", "agent,ended,", 2),
        ("teams.csv", "team,ended,", 2),
        ("people.csv", "answered_by,ended,", 2),
        ("hours.csv", "weekday,hour_utc,asked", 169),
        ("asked_most.csv", "asked,approved,denied,", 2),
    ] {
        let by_api = desk.get(&format!("/api/v1/insights/{file}")).send().await;
        let by_api = by_api.unwrap();
        assert_eq!(
            by_api.headers()[header::CONTENT_TYPE],
            "text/csv; charset=utf-8"
        );
        let by_api = by_api.text().await.unwrap();
        assert!(by_api.starts_with(head), "{by_api}");
        assert_eq!(by_api.matches("\r\n").count(), lines, "{by_api}");
        let on_page = ana.follow(&format!("/insights/{file}")).await;
        let disposition = on_page.headers()[header::CONTENT_DISPOSITION]
            .to_str()
            .unwrap();
        assert_eq!(
            disposition,
            format!("attachment; filename=\"insights-{file}\"")
        );
        assert_eq!(on_page.text().await.unwrap(), by_api);
    }
    let agents = desk.get("/api/v1/insights/agents.csv").send().await;
    let agents = agents.unwrap().text().await.unwrap();
    let line = "\"'=HYPERLINK(\"\"x\"\")\",2,2,0,0,0,0,0,";
    assert!(agents.contains(line), "{agents}");
    let nothing = desk.get("/api/v1/insights/weeks.csv").send().await;
    json_of(nothing.unwrap(), StatusCode::NOT_FOUND).await;
}

async fn what_is_wrong_is_said_by_its_name(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let desk = app.responder("desk").await;
    for (query, paths) in [
        ("days=0", vec!["days"]),
        (
            "days=367&to=today&kind=notification",
            vec!["to", "days", "kind"],
        ),
        ("agent=%0A", vec!["agent"]),
        ("days=many", vec!["days"]),
    ] {
        let refused = desk.get(&format!("/api/v1/insights?{query}")).send().await;
        let refused = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        let faults = refused["errors"].as_array().unwrap();
        let found: Vec<&str> = faults
            .iter()
            .map(|fault| fault["path"].as_str().unwrap())
            .collect();
        assert_eq!(found, paths, "{query}");
    }
    // What cannot be read in the address of a page narrows nothing.
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let page = ana.page("/insights?days=many&kind=x&to=y&more=z").await;
    assert!(
        page.contains("Nothing has ended of what was asked in this time."),
        "{page}"
    );
}

async fn the_page_shows_what_the_api_says_and_is_narrowed_by_its_address(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let _ = lived(&app).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Admin).await;
    let page = ana.page("/insights").await;
    for said in [
        "Of 14 that ended, 1 met their deadline without an answer",
        "Time to answer",
        "Agents stood still for 0 h 10 min",
        "By agent",
        "backend",
        "frontend",
        "Bash cargo test",
        "Approve the next ones",
        "Deliveries",
    ] {
        assert!(page.contains(said), "{said} is not in {page}");
    }
    let html = ana.follow("/insights").await.text().await.unwrap();
    // Each chart has a name, its numbers, and a file that is narrowed as the page is.
    assert_eq!(html.matches("role=\"img\" aria-label=\"").count(), 4);
    assert_eq!(html.matches("<summary>The numbers</summary>").count(), 4);
    holds(
        &html,
        &[
            "<a class=\"pages-link\" href=\"/insights\" aria-current=\"page\">Insights</a>",
            "href=\"/insights/hours.csv?to=",
            "href=\"/settings/grants/new?from=",
            "href=\"/settings/policies\"",
        ],
    );
    let html = ana.follow("/insights?agent=backend&days=7").await;
    let html = html.text().await.unwrap();
    holds(&html, &["/insights/agents.csv?days=7&amp;to="]);
    let page = ana.page("/insights?agent=backend&days=7").await;
    assert!(page.contains("Of 10 that ended"), "{page}");
    let mut ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    let page = ben.page("/insights").await;
    assert!(
        !page.contains("Deliveries") && !page.contains("Policies"),
        "{page}"
    );
}

async fn a_rebuild_makes_the_numbers_that_are_kept(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (_, _, desk) = lived(&app).await;
    let kept = desk.read("/api/v1/insights").await;
    // Beside the server, which goes on counting.
    let output = handraise(&["insights", "rebuild", "--database", &database.url]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let all = format!("counted {} events in ", kept["counted"]["newest"]);
    assert!(said.starts_with(&all), "{said}");
    assert_eq!(desk.read("/api/v1/insights").await, kept);
    // Nor do they change as more is counted and made anew once more.
    let backend = app.agent("backend").await;
    answered(&app, &backend, &desk, 5).await;
    count(&app).await;
    let kept = desk.read("/api/v1/insights").await;
    assert_eq!(kept["total"]["ended"], 15);
    let output = handraise(&["insights", "rebuild", "--database", &database.url]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(desk.read("/api/v1/insights").await, kept);
    app.stop().await;
}
