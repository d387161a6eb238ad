//! The pages of teams without a browser: what an admin sends there, what is refused whole, and what others read.

use chrono::TimeDelta;
use domain::{Part, Role, TeamId, limits::PROOF_LASTS};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    hooks::start,
    pages::{holds, page, read, send},
    people::{PASSWORD, operator, owned, person_named},
};

store::on_both_databases!(
    an_admin_makes_a_team_without_scripts,
    a_team_that_is_asked_goes_only_into_another,
    what_is_refused_of_a_move_is_not_half_done,
    an_agent_has_its_home_before_anybody_has_its_token,
    a_script_s_token_is_made_for_teams,
    a_webhook_is_for_the_teams_that_are_ticked,
    lists_name_the_team_where_there_is_one,
    a_member_reads_who_else_is_in_their_team,
);

/// A call of the page's program.
async fn call(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> reqwest::Response {
    let form: Vec<_> = form.iter().copied().map(owned).collect();
    app.submit(&format!("/ui/{name}"), cookie, &form).await
}

async fn done(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> Value {
    json_of(call(app, cookie, name, form).await, StatusCode::OK).await
}

async fn refused(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> String {
    let response = call(app, cookie, name, form).await;
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
    response.text().await.unwrap()
}

fn path(team: TeamId) -> String {
    format!("/settings/teams/{team}")
}

async fn of_team(agent: &Caller<'_>, asked: &Value) -> Value {
    agent.poll(asked).await["team"].clone()
}

async fn an_admin_makes_a_team_without_scripts(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let _ = app.sign_in("Ben", Role::Responder).await;
    let agent = app.agent("backend").await;
    let none = read(&app, &ana, "/settings/teams").await;
    holds(
        &none,
        &["There is none yet, so everybody sees", "Make a team"],
    );
    let made = send(
        &app,
        &ana,
        "/settings/teams",
        "create-team",
        &[("name", "Payments")],
    )
    .await;
    holds(
        &made,
        &[
            "Payments",
            "No members",
            "Nobody is in it yet",
            "Nothing waits for it",
        ],
    );
    let team = app.state.service.team_named("payments", &operator()).await;
    let team = team.unwrap().id;
    let (id, here) = (team.to_string(), path(team));

    let ben = person_named(&app, "Ben").await.to_string();
    let member = [("team", &*id), ("person", &*ben), ("part", "reads")];
    let read_only = send(&app, &ana, &here, "set-member", &member).await;
    holds(&read_only, &["1 member", "Only reads", "Let them answer"]);
    let home = [("agent", "backend"), ("team", &*id)];
    holds(
        &send(&app, &ana, &here, "set-home", &home).await,
        &["Let it ask everyone"],
    );
    let profile = [
        ("id", &*id),
        ("name", "Pay desk"),
        ("slack_channel", " C0123ABCD "),
        ("timeouts[approval]", "900"),
        ("timeouts[form]", "never"),
        ("timeouts[question]", ""),
    ];
    let changed = send(&app, &ana, &here, "change-team", &profile).await;
    holds(&changed, &["Pay desk", "value=\"C0123ABCD\""]);
    let list = read(&app, &ana, "/settings/teams").await;
    holds(
        &list,
        &[
            "Pay desk",
            "Ben",
            "Home of ",
            "backend",
            "C0123ABCD",
            "Deadlines of its own",
        ],
    );
    let team = app
        .state
        .service
        .team_named("Pay desk", &operator())
        .await
        .unwrap();
    let own: Vec<_> = team.profile.timeouts.into_iter().collect();
    assert_eq!(
        own,
        [
            (domain::interaction::Kind::Approval, Some(900)),
            (domain::interaction::Kind::Form, None)
        ]
    );

    // What is wrong is said by the names of the page, and changes nothing.
    for (field, wrong, why) in [
        (
            "slack_channel",
            "general",
            "The Slack channel must be a channel's id",
        ),
        ("name", " ", "The name"),
        (
            "timeouts[notification]",
            "60",
            "a notification has no deadline",
        ),
        (
            "timeouts[nothing]",
            "60",
            "Choose each deadline from its list.",
        ),
        (
            "timeouts[form]",
            "soon",
            "Choose each deadline from its list.",
        ),
    ] {
        let mut form: Vec<(&str, &str)> = profile.to_vec();
        form.retain(|(name, _)| *name != field);
        form.push((field, wrong));
        let before = app.last_seq().await;
        let said = refused(&app, &ana, "change-team", &form).await;
        assert!(said.contains(why), "{why}: {said}");
        assert_eq!(app.last_seq().await, before);
    }
    let said = refused(&app, &ana, "create-team", &[("name", "pay DESK")]).await;
    assert!(said.contains("Another team has this name."), "{said}");
    let said = refused(
        &app,
        &ana,
        "set-home",
        &[("agent", "nobody"), ("team", &id)],
    )
    .await;
    assert!(said.contains("There is no such agent."), "{said}");

    assert_eq!(
        of_team(&agent, &agent.ask(json!({})).await).await,
        "Pay desk"
    );
    let away = send(
        &app,
        &ana,
        &here,
        "set-home",
        &[("agent", "backend"), ("team", "")],
    )
    .await;
    assert!(!away.contains("Let it ask everyone"));
    assert_eq!(
        of_team(&agent, &agent.ask(json!({})).await).await,
        Value::Null
    );
    let out = [("team", &*id), ("person", &*ben)];
    holds(
        &send(&app, &ana, &here, "remove-member", &out).await,
        &["Nobody is in it yet"],
    );
    // To take out who is out already is no fault: somebody else was faster.
    done(&app, &ana, "remove-member", &out).await;
}

async fn a_team_that_is_asked_goes_only_into_another(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    let asked = agent.ask(json!({})).await;
    let here = path(payments);
    let shown = read(&app, &ana, &here).await;
    holds(
        &shown,
        &[
            "1 question waits for it",
            "1 question waits for it, and 1 agent is at home there.",
            "They go to",
            "Search",
        ],
    );
    let id = payments.to_string();
    let before = app.last_seq().await;
    let said = refused(&app, &ana, "delete-team", &[("id", &id), ("move_to", "")]).await;
    holds(
        &said,
        &["Questions wait for this team (1) or agents have their home there (1)"],
    );
    let said = refused(&app, &ana, "delete-team", &[("id", &id), ("move_to", &id)]).await;
    holds(&said, &["choose another team"]);
    assert_eq!(app.last_seq().await, before);
    assert_eq!(of_team(&agent, &asked).await, "Payments");

    let to = search.to_string();
    let list = send(
        &app,
        &ana,
        &here,
        "delete-team",
        &[("id", &id), ("move_to", &to)],
    )
    .await;
    holds(&list, &["Search"]);
    assert!(!list.contains("Payments"), "{list}");
    assert_eq!(of_team(&agent, &asked).await, "Search");
    assert_eq!(of_team(&agent, &agent.ask(json!({})).await).await, "Search");
    let gone = app.get(&here).header("cookie", &ana);
    holds(
        &page(gone, StatusCode::NOT_FOUND).await,
        &["There is no such team, or no longer."],
    );
}

async fn what_is_refused_of_a_move_is_not_half_done(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let gone = app.team("Gone").await;
    let service = &app.state.service;
    service.delete_team(gone, None, &operator()).await.unwrap();
    let agent = app.agent("backend").await;
    let backend = service.known_agent("backend").await.unwrap();
    service
        .set_open(payments, &backend, true, &operator())
        .await
        .unwrap();
    let asked = agent.ask(json!({"team": "Payments"})).await;
    // No agent is at home there, so the first that would be moved is one that needs no password.
    let (id, to, gone) = (payments.to_string(), search.to_string(), gone.to_string());
    let form = [("id", &*id), ("move_to", &*to)];
    app.clock.advance(PROOF_LASTS + TimeDelta::seconds(1));
    let before = app.last_seq().await;
    let said = refused(&app, &ana, "delete-team", &form).await;
    holds(&said, &["This needs your password once more."]);
    assert_eq!(app.last_seq().await, before);
    let proven = [&form[..], &[("confirm", PASSWORD)]].concat();
    let into_gone = [("id", &*id), ("move_to", &*gone), ("confirm", PASSWORD)];
    let said = refused(&app, &ana, "delete-team", &into_gone).await;
    holds(&said, &["This team was deleted."]);
    assert_eq!(app.last_seq().await, before);
    done(&app, &ana, "delete-team", &proven).await;
    assert_eq!(of_team(&agent, &asked).await, "Search");
}

async fn an_agent_has_its_home_before_anybody_has_its_token(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let make = |home: String| {
        [
            ("kind", "agent".to_owned()),
            ("name", "backend".to_owned()),
            ("home", home),
        ]
    };
    let made = async |home: String| {
        let form = make(home);
        let form: Vec<_> = form
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let token = done(&app, &ana, "create-token", &form).await;
        let body = json!({"kind": "question", "prompt": "?"});
        let ask = app.post("/api/v1/interactions").json(&body);
        let asked = ask
            .bearer_auth(token.as_str().unwrap())
            .send()
            .await
            .unwrap();
        json_of(asked, StatusCode::CREATED).await["team"].clone()
    };
    let events = async || {
        let store = app.state.service.store();
        let all = store.events_after(0, &domain::Audience::All, 1_000).await;
        let types = all
            .unwrap()
            .into_iter()
            .map(|event| event.payload.event_type());
        types.filter(|one| *one == "team.home_set").count()
    };
    assert_eq!(made(payments.to_string()).await, "Payments");
    // Another token of the agent: the same home is none that is set, no home is the one it has.
    assert_eq!(made(payments.to_string()).await, "Payments");
    assert_eq!(made(String::new()).await, "Payments");
    assert_eq!(events().await, 1);
    assert_eq!(made(search.to_string()).await, "Search");
    assert_eq!(events().await, 2);
    let list = read(&app, &ana, "/settings/tokens").await;
    holds(&list, &["at home in ", "Search"]);
    // Of a team that is no more there is no token either.
    let service = &app.state.service;
    let gone = app.team("Gone").await;
    service.delete_team(gone, None, &operator()).await.unwrap();
    let before = service.tokens(&operator()).await.unwrap().len();
    let home = gone.to_string();
    let form = [("kind", "agent"), ("name", "other"), ("home", &*home)];
    let said = refused(&app, &ana, "create-token", &form).await;
    holds(&said, &["This team was deleted."]);
    assert_eq!(service.tokens(&operator()).await.unwrap().len(), before);
}

async fn a_script_s_token_is_made_for_teams(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let (payments, _) = (app.team("Payments").await, app.team("Search").await);
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    let asked = agent.ask(json!({})).await;
    let id = payments.to_string();
    let mut form = vec![("kind", "responder"), ("name", "desk")];
    let without = done(&app, &ana, "create-token", &form).await;
    form.push(("teams[]", &id));
    let with = done(&app, &ana, "create-token", &form).await;
    let status = async |token: &Value| {
        let path = format!("/api/v1/interactions/{}", asked["id"].as_str().unwrap());
        let seen = app.get(&path).bearer_auth(token.as_str().unwrap()).send();
        seen.await.unwrap().status()
    };
    assert_eq!(status(&without).await, StatusCode::NOT_FOUND);
    assert_eq!(status(&with).await, StatusCode::OK);
    let list = read(&app, &ana, "/settings/tokens").await;
    holds(&list, &["answers for ", "Payments"]);
}

async fn a_webhook_is_for_the_teams_that_are_ticked(database: TestDatabase) {
    let app = start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let make = "/settings/webhooks";
    assert!(!read(&app, &ana, make).await.contains("teams[]"));
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    holds(
        &read(&app, &ana, make).await,
        &["Beside what belongs to no team, of"],
    );
    let (pay, find) = (payments.to_string(), search.to_string());
    let form = [
        ("address", "http://127.0.0.1:9/"),
        ("format", "standard"),
        ("topics[]", "interaction.requested"),
        ("teams[]", &*pay),
    ];
    done(&app, &ana, "create-webhook", &form).await;
    let hooks = async || app.state.service.endpoints(&operator()).await.unwrap();
    let endpoint = hooks().await[0].endpoint.clone();
    assert_eq!(endpoint.filter.teams, [payments]);
    holds(
        &read(&app, &ana, make).await,
        &["questions, also of Payments"],
    );
    let id = endpoint.id.to_string();
    let here = format!("/settings/webhooks/{id}");
    let other = [("id", &*id), ("teams[]", &*find)];
    holds(
        &send(&app, &ana, &here, "set-webhook-teams", &other).await,
        &["also of Search"],
    );
    done(&app, &ana, "set-webhook-teams", &[("id", &id)]).await;
    assert!(hooks().await[0].endpoint.filter.teams.is_empty());
    let unknown = "01890000-0000-7000-8000-000000000000";
    let before = app.last_seq().await;
    for name in ["set-webhook-teams", "create-webhook"] {
        let mut form = form.to_vec();
        form.retain(|(field, _)| *field != "teams[]");
        form.extend([("id", &*id), ("teams[]", unknown)]);
        let said = refused(&app, &ana, name, &form).await;
        holds(&said, &["One of these teams is no more."]);
    }
    assert_eq!(app.last_seq().await, before);
}

async fn lists_name_the_team_where_there_is_one(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let agent = app.agent("backend").await;
    let asking = |prompt| json!({"prompt": prompt, "mode": "async", "task": {"id": "T-1"}});
    agent.ask(asking("Of all?")).await;
    const LISTS: [&str; 4] = ["/", "/history", "/tasks", "/agents"];
    for path in LISTS {
        let shown = read(&app, &ana, path).await;
        assert!(!shown.contains("class=\"team\""), "{path}: {shown}");
    }
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    agent.ask(asking("Of theirs?")).await;
    for path in LISTS {
        let shown = read(&app, &ana, path).await;
        assert!(shown.contains("class=\"team\">Payments"), "{path}: {shown}");
    }
    // Those that are one line are of several: everyone counts as one.
    agent.ask(asking("Of all?")).await;
    let desk = read(&app, &ana, "/").await;
    holds(&desk, &["class=\"team\">several teams"]);
    // What belongs to everyone has no mark.
    let history = read(&app, &ana, "/history").await;
    let (_, list) = history.split_once("<main").unwrap();
    assert_eq!(list.matches("class=\"team\"").count(), 2);
}

async fn a_member_reads_who_else_is_in_their_team(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let cem = app.sign_in("Cem", Role::Viewer).await;
    let dov = app.sign_in("Dov", Role::Responder).await;
    let payments = app.team("Payments").await;
    app.join(payments, "Ben", Part::Answers).await;
    app.join(payments, "Cem", Part::Reads).await;
    for (cookie, part) in [(&ben, "You answer"), (&cem, "You only read")] {
        let account = read(&app, cookie, "/settings").await;
        holds(
            &account,
            &["Your teams", "Payments", part, "2 members", "Ben", "Cem"],
        );
    }
    // What their role makes of it.
    let root = app.sign_in("root", Role::Admin).await;
    app.join(payments, "root", Part::Reads).await;
    app.join(payments, "Cem", Part::Answers).await;
    for (cookie, part) in [
        (&root, "You answer, as an admin"),
        (&cem, "You only read, as a viewer"),
    ] {
        holds(&read(&app, cookie, "/settings").await, &[part, "3 members"]);
    }
    let account = read(&app, &dov, "/settings").await;
    assert!(!account.contains("Your teams") && !account.contains("Payments"));
    app.part(payments, "Ben").await;
    assert!(!read(&app, &ben, "/settings").await.contains("Payments"));
}
