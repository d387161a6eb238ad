//! Policies (rule 14): put in force by the page, the command line, the API and a file, and what comes of them.

use std::fs;

use chrono::TimeDelta;
use domain::{Role, policy::Policies, team::Profile};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    pages::{holds, read},
    people::{PASSWORD, operator, owned},
    program::handraise_with,
};

store::on_both_databases!(
    what_is_forbidden_is_denied_at_once_and_asks_nobody,
    what_is_allowed_is_approved_at_once_until_it_is_taken_back,
    a_rule_that_asks_asks_as_it_says_and_no_grant_passes_over_it,
    what_is_destructive_is_decided_by_itself_with_its_reason,
    another_node_decides_by_them_at_once,
    an_admin_sets_them_on_the_page,
    a_token_only_adds_what_is_stricter,
    who_adds_a_rule_once_more_gets_what_the_first_time_got,
    what_a_person_has_changed_passes_no_rule,
    what_waits_is_not_approved_once_it_is_forbidden,
    what_a_rule_has_allowed_runs_no_more_once_another_forbids_it,
    a_team_that_a_rule_names_keeps_its_name,
    who_asks_without_an_owner_is_told_where_four_eyes_are_wanted,
    a_hook_s_call_is_found_at_the_place_that_a_rule_names,
    a_file_is_read_again_and_one_with_a_fault_changes_nothing,
    the_command_line_sets_tries_and_clears_them,
    rules_that_nobody_can_read_ask_about_everything,
);

const PLACE: &str = "/settings/policies";

fn ask_for(command: &str) -> Value {
    json!({
        "kind": "approval", "prompt": format!("May `{command}` run?"), "session_id": "run-1",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    })
}

fn rule(name: &str, then: &str, words: &[&str], fields: Value) -> Value {
    let mut rule = json!({
        "name": name, "then": then, "reason": format!("Because of {name}."),
        "when": {"tools": ["Bash"], "arguments": [{"has": {"words": words}}]},
        "match": [{"tool": "Bash", "arguments": {"command": words.join(" ")}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "ls"}}],
    });
    for (field, value) in fields.as_object().unwrap() {
        match value.is_null() {
            true => _ = rule.as_object_mut().unwrap().remove(field),
            false => rule[field] = value.clone(),
        }
    }
    rule
}

fn no_push() -> Value {
    rule("no push", "forbid", &["git", "push"], json!({}))
}

fn tests() -> Value {
    json!({
        "name": "tests", "then": "allow",
        "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
            {"at": ["command"], "by": {"words": {"begin": ["cargo", "test"]}}},
        ]}},
        "match": [{"tool": "Bash", "arguments": {"command": "cargo test store"}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "cargo test; ls"}}],
    })
}

async fn set(app: &TestApp, rules: Value) {
    let policies: Policies = serde_json::from_value(json!({"rules": rules})).unwrap();
    let set = app
        .state
        .service
        .set_policies(policies, None, &operator())
        .await;
    set.unwrap();
}

async fn is_decided(agent: &Caller<'_>, asked: &Value, rule: &str, outcome: &str) {
    assert_eq!(
        (&asked["state"], &asked["outcome"]),
        (&json!("resolved"), &json!(outcome))
    );
    let responder = &asked["answer"]["responder"];
    assert_eq!(
        (&responder["name"], &responder["via"]),
        (&json!(rule), &json!("policy"))
    );
    let receipt = agent.read(&format!("{}/receipt", path_of(asked))).await;
    assert_eq!(
        (
            &receipt["version"],
            &receipt["outcome"],
            &receipt["policy"]["rule"]
        ),
        (&json!(3), &json!(outcome), &json!(rule))
    );
}

/// With its journal and its rows.
fn verifies(app: &TestApp, database: &TestDatabase) {
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
    let output = handraise_with(&arguments, &[]);
    assert!(output.status.success(), "{output:?}");
}

async fn what_is_forbidden_is_denied_at_once_and_asks_nobody(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    set(&app, json!([no_push()])).await;
    for command in ["git push", "git  -C /x  'push' origin", "true && git push"] {
        let denied = agent.ask(ask_for(command)).await;
        assert_eq!(denied["approved"], false);
        assert_eq!(denied["answer"]["text"], "Because of no push.");
        assert_eq!(denied["ruled"]["then"], "forbid");
        is_decided(&agent, &denied, "no push", "denied").await;
    }
    // Under the same key it is the same one.
    let ask = || {
        agent
            .post("/api/v1/interactions")
            .header("idempotency-key", "k-1")
            .json(&ask_for("git push"))
    };
    let first = json_of(ask().send().await.unwrap(), StatusCode::CREATED).await;
    let again = json_of(ask().send().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(first["id"], again["id"]);
    let waits = desk.read("/api/v1/interactions?state=pending").await;
    assert_eq!(waits["items"], json!([]));
    // What nobody can tell reaches a person, and says so.
    let unclear = agent.ask(ask_for("$X origin")).await;
    assert_eq!(unclear["state"], "pending");
    assert_eq!(unclear["ruled"]["by"][0]["unclear"], true);
    assert_eq!(agent.ask(ask_for("ls")).await["ruled"], Value::Null);
    app.state.checkpoints.sign_new().await.unwrap();
    verifies(&app, &database);
}

async fn what_is_allowed_is_approved_at_once_until_it_is_taken_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    set(&app, json!([tests()])).await;
    let allowed = agent.ask(ask_for("cargo test -p store")).await;
    assert_eq!(
        allowed["state"], "pending",
        "an option that was not allowed"
    );
    let allowed = agent.ask(ask_for("cargo test store")).await;
    assert_eq!(allowed["approved"], true);
    is_decided(&agent, &allowed, "tests", "approved").await;
    agent.done(&allowed, "consume", json!({"run": "one"})).await;
    let second = agent.send(&allowed, "consume", json!({"run": "two"})).await;
    assert_eq!(second.status(), StatusCode::CONFLICT);
    // The agent wants people's word.
    let mut two = ask_for("cargo test store");
    two["approvals"] = json!({"needed": 2});
    assert_eq!(agent.ask(two).await["state"], "pending");
    set(&app, json!([])).await;
    assert_eq!(
        agent.ask(ask_for("cargo test store")).await["state"],
        "pending"
    );
    app.state.checkpoints.sign_new().await.unwrap();
    verifies(&app, &database);
}

async fn a_rule_that_asks_asks_as_it_says_and_no_grant_passes_over_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let approval = agent.ask(ask_for("cargo test")).await;
    let approval = desk
        .done(&approval, "answer", json!({"approved": true}))
        .await;
    let body = json!({"from": approval["id"], "expires_at": "2027-01-20T00:00:00Z"});
    let made = desk.post("/api/v1/grants").json(&body).send().await;
    json_of(made.unwrap(), StatusCode::CREATED).await;
    assert_eq!(agent.ask(ask_for("cargo test")).await["approved"], true);
    app.sign_in("Ana", Role::Admin).await;
    app.sign_in("Bo", Role::Responder).await;
    let fields = json!({"approvals": {"needed": 2}, "deadline_seconds": 600});
    set(&app, json!([rule("two", "ask", &["cargo"], fields)])).await;
    let asked = agent.ask(ask_for("cargo test")).await;
    assert_eq!(asked["state"], "pending");
    assert_eq!(asked["approvals"]["needed"], 2);
    assert_eq!(asked["ruled"]["by"][0]["reason"], "Because of two.");
    assert_eq!(asked["expires_at"], "2027-01-15T08:10:00Z");
    // A token does not count where people are counted.
    let answer = desk.send(&asked, "answer", json!({"approved": true})).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
}

async fn what_is_destructive_is_decided_by_itself_with_its_reason(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Responder).await;
    let mark = rule(
        "data",
        "",
        &["seed"],
        json!({"then": null, "destructive": true}),
    );
    set(&app, json!([mark])).await;
    let asked = agent.ask(ask_for("make seed")).await;
    assert_eq!(asked["ruled"]["destructive"], true);
    let id = asked["id"].as_str().unwrap();
    for page in [format!("/blockers/{id}"), format!("/q/{id}")] {
        let html = read(&app, &ana, &page).await;
        holds(&html, &["Because of data.", "destructive"]);
    }
    let together = [("ticked[0]", id), ("approved", "true")].map(owned);
    let refused = app.submit("/ui/answer-together", &ana, &together).await;
    assert!(refused.status().is_success() || refused.status().is_client_error());
    assert_eq!(desk.read(&path_of(&asked)).await["state"], "pending");
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let offers = desk.read(&format!("{}/grants", path_of(&asked))).await;
    assert_eq!(offers.as_array().unwrap().len(), 1);
    assert!(offers[0]["matcher"]["exactly"].is_object(), "{offers}");
    let html = read(&app, &ana, &format!("/interactions/{id}")).await;
    holds(&html, &["Because of data."]);
}

async fn another_node_decides_by_them_at_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let key = app.public_key();
    let other = TestApp::start_with(&database, |config| {
        config.trusted_keys = vec![key.try_into().unwrap()];
    })
    .await;
    let agent = app.agent("backend").await;
    let ask = || {
        other
            .post("/api/v1/interactions")
            .bearer_auth(&agent.token)
            .json(&ask_for("git push"))
            .send()
    };
    let asked = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(asked["state"], "pending");
    set(&app, json!([no_push()])).await;
    let asked = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(asked["outcome"], "denied");
    set(&app, json!([])).await;
    let asked = json_of(ask().await.unwrap(), StatusCode::CREATED).await;
    assert_eq!(asked["state"], "pending");
}

async fn an_admin_sets_them_on_the_page(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    agent.ask(ask_for("git push <b>")).await;
    let rules = json!({"rules": [no_push()]}).to_string();
    let form = |rules: &str, more: (&str, &str)| [("rules", rules), more].map(owned);
    let tried = app.submit(PLACE, &ana, &form(&rules, ("test", "1"))).await;
    assert_eq!(tried.status(), StatusCode::OK);
    let html = tried.text().await.unwrap();
    holds(&html, &["1 would have been decided otherwise", "&lt;b&gt;"]);
    assert_eq!(agent.ask(ask_for("git push")).await["state"], "pending");
    let saved = app
        .submit(PLACE, &ana, &form(&rules, ("replaces", "")))
        .await;
    assert_eq!(saved.status(), StatusCode::SEE_OTHER);
    assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    let html = read(&app, &ana, PLACE).await;
    holds(
        &html,
        &[
            "no push",
            "Because of no push.",
            "decided once",
            "put 1 rule in force",
        ],
    );
    // Others were in force than the page showed.
    let late = app.submit(PLACE, &ana, &form("", ("replaces", ""))).await;
    assert_eq!(late.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let everything = json!({"rules": [rule("all", "forbid", &["x"], json!({"when": {}}))]});
    let in_force = html.split("name=\"replaces\" value=\"").nth(1).unwrap();
    let in_force = in_force.split('"').next().unwrap();
    let everything = form(&everything.to_string(), ("replaces", in_force));
    let refused = app.submit(PLACE, &ana, &everything).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    holds(
        &refused.text().await.unwrap(),
        &["Nothing was changed", "match everything"],
    );
    assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    let bo = app.sign_in("Bo", Role::Responder).await;
    let by_bo = app.submit(PLACE, &bo, &form("", ("replaces", ""))).await;
    assert_eq!(by_bo.status(), StatusCode::FORBIDDEN);
}

async fn a_token_only_adds_what_is_stricter(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let desk = app.responder("desk").await;
    set(&app, json!([no_push()])).await;
    let add = |rules: Value| {
        desk.post("/api/v1/policies")
            .json(&json!({"rules": rules}))
            .send()
    };
    let ask = rule("first", "ask", &["terraform"], json!({}));
    for (rules, path) in [
        (json!([tests()]), "rules"),
        (json!([ask]), "rules[1].teams"),
        // Another under a name that stands.
        (
            json!([{"name": "no push", "then": "ask", "when": no_push()["when"]}]),
            "rules[1].teams",
        ),
        // It would tell that a rule of others stands there.
        (json!([no_push()]), "rules[0].teams"),
    ] {
        let refused = add(rules).await.unwrap();
        let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], path, "{problem}");
    }
    let shown = desk.read("/api/v1/policies").await;
    let names: Vec<_> = shown["here"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"]["name"].clone())
        .collect();
    assert_eq!(names, ["no push"]);
    let check = |rules: Value| {
        desk.post("/api/v1/policies/check")
            .json(&json!({"rules": rules}))
            .send()
    };
    let fine = check(json!([tests(), no_push()])).await.unwrap();
    assert_eq!(fine.status(), StatusCode::NO_CONTENT);
    let wrong = check(json!([rule("x", "forbid", &[], json!({}))])).await;
    let problem = json_of(wrong.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(
        problem["errors"][0]["path"],
        "rules[0].when.arguments[0].has.words"
    );
}

async fn who_adds_a_rule_once_more_gets_what_the_first_time_got(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let desk = app.responder_of("desk", app.team("Shop").await).await;
    let of_shop = |reason: &str| {
        let fields = json!({"teams": ["Shop"], "reason": reason});
        rule("no push", "forbid", &["git", "push"], fields)
    };
    let add = |rules: Value| {
        desk.post("/api/v1/policies")
            .json(&json!({"rules": rules}))
            .send()
    };
    let first = add(json!([of_shop("CI pushes")])).await.unwrap();
    let first = json_of(first, StatusCode::CREATED).await;
    let again = add(json!([of_shop("CI pushes")])).await.unwrap();
    let again = json_of(again, StatusCode::CREATED).await;
    assert_eq!(again, first);
    let other = add(json!([of_shop("nobody pushes")])).await.unwrap();
    let problem = json_of(other, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "rules[1].name", "{problem}");
}

async fn what_a_person_has_changed_passes_no_rule(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    set(&app, json!([no_push()])).await;
    let mut ask = ask_for("git status");
    ask["amendable"] = true.into();
    let asked = agent.ask(ask).await;
    let yes = |command: &str| json!({"approved": true, "arguments": {"command": command}});
    let refused = desk.send(&asked, "answer", yes("git push --force")).await;
    let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "arguments", "{problem}");
    let message = problem["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("Because of no push."), "{problem}");
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let done = desk.done(&asked, "answer", yes("git log")).await;
    assert_eq!(done["approved"], true);
}

async fn what_waits_is_not_approved_once_it_is_forbidden(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(ask_for("git push")).await;
    set(&app, json!([no_push()])).await;
    let refused = desk.send(&asked, "answer", json!({"approved": true})).await;
    let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "approved", "{problem}");
    let denied = desk
        .done(&asked, "answer", json!({"approved": false}))
        .await;
    assert_eq!(denied["approved"], false);
}

async fn what_a_rule_has_allowed_runs_no_more_once_another_forbids_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    set(&app, json!([tests()])).await;
    let (run, late) = (
        agent.ask(ask_for("cargo test store")).await,
        agent.ask(ask_for("cargo test domain")).await,
    );
    agent.done(&run, "consume", json!({"run": "one"})).await;
    set(
        &app,
        json!([
            tests(),
            rule("no tests", "forbid", &["cargo", "test"], json!({}))
        ]),
    )
    .await;
    let refused = agent.send(&late, "consume", json!({"run": "two"})).await;
    let problem = json_of(refused, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "not_approved");
    agent.done(&run, "consume", json!({"run": "one"})).await;
}

async fn a_team_that_a_rule_names_keeps_its_name(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (payments, search) = (app.team("Payments").await, app.team("Search").await);
    let fields = json!({"teams": ["payments"]});
    set(
        &app,
        json!([rule("theirs", "forbid", &["git", "push"], fields)]),
    )
    .await;
    let service = &app.state.service;
    let named = |name: &str| Profile {
        name: name.to_owned(),
        ..Profile::default()
    };
    let by = operator();
    let renamed = service.change_team(payments, named("Money"), &by).await;
    assert!(
        renamed
            .unwrap_err()
            .to_string()
            .contains("against the rules")
    );
    let deleted = service.delete_team(payments, None, &by).await;
    assert!(
        deleted
            .unwrap_err()
            .to_string()
            .contains("against the rules")
    );
    // Its name in other letters is its name, and of another team no rule is.
    service
        .change_team(payments, named("PAYMENTS"), &by)
        .await
        .unwrap();
    service
        .change_team(search, named("Find"), &by)
        .await
        .unwrap();
    set(&app, json!([no_push()])).await;
    service
        .change_team(payments, named("Money"), &by)
        .await
        .unwrap();
}

async fn who_asks_without_an_owner_is_told_where_four_eyes_are_wanted(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    app.sign_in("Ana", Role::Admin).await;
    let fields = json!({"approvals": {"four_eyes": true}});
    set(&app, json!([rule("eyes", "ask", &["terraform"], fields)])).await;
    let body = ask_for("terraform plan");
    let refused = agent.post("/api/v1/interactions").json(&body).send().await;
    let problem = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(
        problem["errors"][0]["path"], "approvals.four_eyes",
        "{problem}"
    );
}

async fn a_hook_s_call_is_found_at_the_place_that_a_rule_names(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let when = json!({"tools": ["Bash"], "arguments": [{"at": ["command"], "has": {"words": ["git", "push"]}}]});
    set(
        &app,
        json!([rule(
            "no push",
            "forbid",
            &["git", "push"],
            json!({"when": when})
        )]),
    )
    .await;
    let mut body = ask_for("git push");
    body["action"]["arguments"] = json!({"cwd": "/srv/shop", "input": {"command": "git push"}});
    let denied = agent.ask(body).await;
    is_decided(&agent, &denied, "no push", "denied").await;
}

async fn a_file_is_read_again_and_one_with_a_fault_changes_nothing(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policies.toml");
    let written = |rules: Value| fs::write(&file, json!({"rules": rules}).to_string()).unwrap();
    written(json!([no_push()]));
    let app = TestApp::start_with(&database, |config| config.policies = Some(file.clone())).await;
    let agent = app.agent("backend").await;
    let service = &app.state.service;
    let by = operator();
    let load = || server::policies::load(service, &file, true, &by);
    load().await.unwrap();
    assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    // What was set here stands beside it, and does not weaken it.
    set(&app, json!([tests()])).await;
    assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    assert_eq!(agent.ask(ask_for("cargo test x")).await["approved"], true);
    written(json!([rule("x", "forbid", &["rm"], json!({"when": {}}))]));
    let refused = load().await.unwrap_err().to_string();
    assert!(
        refused.contains("rules[0].when would match everything"),
        "{refused}"
    );
    assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    fs::write(&file, "[[rules").unwrap();
    assert!(load().await.is_err());
    written(json!([]));
    let ana = app.sign_in("Ana", Role::Admin).await;
    // A browser that was left open is not enough.
    app.clock.advance(TimeDelta::minutes(16));
    for password in [None, Some("wrong one")] {
        let form: Vec<_> = password
            .map(|it| owned(("password", it)))
            .into_iter()
            .collect();
        let again = app.submit("/settings/policies/load", &ana, &form).await;
        assert_eq!(again.status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    }
    let form = [("password", PASSWORD)].map(owned);
    let again = app.submit("/settings/policies/load", &ana, &form).await;
    assert_eq!(again.status(), StatusCode::SEE_OTHER);
    assert_eq!(agent.ask(ask_for("git push")).await["state"], "pending");
    app.state.checkpoints.sign_new().await.unwrap();
    verifies(&app, &database);
}

async fn the_command_line_sets_tries_and_clears_them(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(ask_for("git push")).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policies.json");
    fs::write(&file, json!({"rules": [no_push()]}).to_string()).unwrap();
    let key = app.state.config.key_file().display().to_string();
    let run = |arguments: &[&str]| {
        let place = ["--database", &database.url];
        let arguments: Vec<_> = ["policy"]
            .iter()
            .chain(arguments)
            .chain(&place)
            .copied()
            .collect();
        let output = handraise_with(&arguments, &[("HANDRAISE_KEY_FILE", &key)]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let file = file.to_str().unwrap();
    assert!(run(&["check", file]).contains("in order"));
    let tried = run(&["test", file, "--last", "1d"]);
    assert!(
        tried.contains("was approved by desk; would be denied by no push"),
        "{tried}"
    );
    assert!(tried.contains("a person decided the other way"), "{tried}");
    run(&["set", file]);
    assert_eq!(agent.ask(ask_for("git push")).await["outcome"], "denied");
    let shown = run(&["show"]);
    assert!(
        shown.contains("forbid") && shown.contains("Because of no push."),
        "{shown}"
    );
    run(&["clear"]);
    assert_eq!(agent.ask(ask_for("git push")).await["state"], "pending");
}

async fn rules_that_nobody_can_read_ask_about_everything(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    set(&app, json!([no_push(), tests()])).await;
    database.execute("DELETE FROM policies").await.unwrap();
    // Another node, which has read nothing yet.
    let key = app.public_key();
    let other = TestApp::start_with(&database, |config| {
        config.trusted_keys = vec![key.try_into().unwrap()];
    })
    .await;
    for command in ["git push", "cargo test x", "ls"] {
        let asked = other
            .post("/api/v1/interactions")
            .bearer_auth(&agent.token)
            .json(&ask_for(command))
            .send()
            .await
            .unwrap();
        let asked = json_of(asked, StatusCode::CREATED).await;
        assert_eq!(asked["state"], "pending", "{command}");
        assert_eq!(asked["ruled"]["by"][0]["unclear"], true);
    }
    // Others take their place.
    set(&other, json!([no_push()])).await;
    let asked = other
        .post("/api/v1/interactions")
        .bearer_auth(&agent.token)
        .json(&ask_for("git push"))
        .send()
        .await
        .unwrap();
    assert_eq!(
        json_of(asked, StatusCode::CREATED).await["outcome"],
        "denied"
    );
    // Where that node's key is not trusted, nobody knows what they say.
    assert_eq!(agent.ask(ask_for("git push")).await["state"], "pending");
}
