//! Who is on a question, to whom it is handed over, and what a person puts off: by the API and by the page's calls.

use chrono::TimeDelta;
use domain::{Part, Role};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{json_of, path_of},
    openapi,
    pages::{holds, read, send},
    people::{operator, owned, person_named},
    program::handraise,
};

store::on_both_databases!(
    a_script_is_on_it_and_others_hear_who,
    a_claim_that_is_wrong_changes_nothing,
    a_claim_runs_out_and_the_page_tells_of_it,
    the_claim_of_a_person_who_is_kept_out_ends,
    the_page_claims_and_gives_up_without_scripts,
    what_a_person_puts_off_is_not_in_their_list_and_in_everybody_elses,
    it_is_handed_over_with_a_word_of_why,
    whoever_may_not_answer_it_gets_nothing,
    an_agent_asks_for_somebody_of_its_team,
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

fn id(asked: &Value) -> &str {
    asked["id"].as_str().unwrap()
}

/// What of this is in a person's list, and whether they have put it off.
async fn on_desk(app: &TestApp, cookie: &str, asked: &Value) -> (Value, bool) {
    let desk = done(app, cookie, "load-desk", &[]).await;
    let rows = desk["waiting"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == asked["id"]);
    let snoozed = desk["snoozed"].as_array().unwrap();
    let snoozed = snoozed.iter().any(|one| one[0] == asked["id"]);
    (row.cloned().unwrap_or_default(), snoozed)
}

/// The rows are what the journal tells.
async fn verifies(app: &TestApp, database: &TestDatabase) {
    app.state.checkpoints.sign_new().await.unwrap();
    let key = app.state.config.key_file().display().to_string();
    let checkpoints = app.state.config.checkpoint_file().display().to_string();
    let output = handraise(&[
        "journal",
        "verify",
        "--database",
        &database.url,
        "--checkpoints",
        &checkpoints,
        "--key",
        &key,
    ]);
    assert!(output.status.success(), "{output:?}");
}

async fn a_script_is_on_it_and_others_hear_who(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let (desk, night) = (app.responder("desk").await, app.responder("night").await);
    let asked = agent.ask(json!({"timeout_seconds": 3600})).await;
    assert_eq!(
        (&asked["claim"], &asked["to"]),
        (&json!(null), &json!(null))
    );
    let claimed = desk.done(&asked, "claim", json!({})).await;
    assert_eq!(claimed["claim"]["by"]["name"], "desk");
    assert_eq!(claimed["claim"]["until"], "2027-01-15T08:15:00Z");
    assert_eq!(agent.poll(&asked).await, claimed);
    let list = night.read("/api/v1/interactions").await;
    assert_eq!(list["items"][0]["claim"], claimed["claim"]);

    app.clock.advance(TimeDelta::minutes(3));
    let refused = night.send(&asked, "claim", json!({"minutes": 5})).await;
    let problem = json_of(refused, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "claimed");
    assert_eq!(problem["claimed_by"], "desk");
    assert_eq!(problem["claimed_until"], "2027-01-15T08:15:00Z");
    assert_eq!(
        problem["detail"],
        "desk is on it for another 12 min. It can be answered all the same."
    );
    let path = format!("{}/claim", path_of(&asked));
    let given_up = night.delete(&path).send().await.unwrap();
    assert!(openapi::allows("DELETE", &path, 409, None));
    assert_eq!(given_up.status(), StatusCode::CONFLICT);

    // Again, to go on; and never past the deadline.
    let renewed = desk.done(&asked, "claim", json!({"minutes": 240})).await;
    assert_eq!(renewed["claim"]["until"], "2027-01-15T09:00:00Z");
    let released = desk.delete(&path).send().await.unwrap();
    let released = json_of(released, StatusCode::OK).await;
    assert_eq!(released["claim"], json!(null));
    // Nobody is on it: that is so already.
    let again = desk.delete(&path).send().await.unwrap();
    assert_eq!(json_of(again, StatusCode::OK).await, released);

    desk.done(&asked, "claim", json!({})).await;
    let answered = night.done(&asked, "answer", json!({"text": "80"})).await;
    assert_eq!(answered["claim"], json!(null));
    let late = desk.send(&asked, "claim", json!({})).await;
    let problem = json_of(late, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "already_closed");

    let events = agent.read("/api/v1/events").await;
    let events = events["items"].as_array().unwrap();
    let types: Vec<_> = events.iter().map(|event| &event["type"]).collect();
    let expected = [
        "interaction.requested",
        "interaction.claimed",
        "interaction.claimed",
        "interaction.released",
        "interaction.claimed",
        "interaction.resolved",
    ];
    assert_eq!(json!(types), json!(expected));
    assert_eq!(events[1]["actor"]["name"], "desk");
    let payload = json!({"by": events[1]["actor"]["id"], "why": "given_up"});
    assert_eq!(events[3]["payload"]["why"], payload["why"]);
    assert_eq!(events[3]["payload"]["by"]["id"], payload["by"]);
    verifies(&app, &database).await;
}

async fn a_claim_that_is_wrong_changes_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    for minutes in [json!(0), json!(-1), json!(241), json!(i64::MAX)] {
        let refused = desk
            .send(&asked, "claim", json!({ "minutes": minutes }))
            .await;
        let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(
            problem["errors"],
            json!([{"path": "minutes", "message": "must be from 1 to 240"}])
        );
    }
    for body in [json!({"minutes": "x"}), json!({"hours": 1}), json!([])] {
        let refused = desk.send(&asked, "claim", body).await;
        assert!(refused.status().is_client_error());
    }
    let told = agent.ask(json!({"kind": "notification"})).await;
    let refused = desk.send(&told, "claim", json!({})).await;
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    let unknown = json!({"id": "01890000-0000-7000-8000-000000000000"});
    let refused = desk.send(&unknown, "claim", json!({})).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    assert_eq!(agent.poll(&asked).await, asked);
}

async fn a_claim_runs_out_and_the_page_tells_of_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, ana) = (
        app.agent("backend").await,
        app.sign_in("Ana", Role::Responder).await,
    );
    let asked = agent.ask(json!({})).await;
    done(&app, &ana, "claim-blocker", &[("id", id(&asked))]).await;
    let (row, _) = on_desk(&app, &ana, &asked).await;
    assert_eq!(row["claim"], "Ana");
    app.clock.advance(TimeDelta::minutes(15));
    // The scheduled job may have been there already.
    app.state.service.end_claims().await.unwrap();
    let seen = agent.poll(&asked).await;
    assert_eq!(
        (&seen["claim"], &seen["version"]),
        (&json!(null), &json!(3))
    );
    let (row, _) = on_desk(&app, &ana, &asked).await;
    assert_eq!(row["claim"], json!(null));
    let story = read(&app, &ana, &format!("/interactions/{}", id(&asked))).await;
    holds(
        &story,
        &["is on it in the dashboard", "was on it until then"],
    );
    let events = agent.read("/api/v1/events").await;
    let out = &events["items"][2];
    assert_eq!(out["type"], "interaction.released");
    assert_eq!(out["actor"]["type"], "deadline");
    assert_eq!(out["payload"]["why"], "ran_out");
    verifies(&app, &database).await;
}

async fn the_claim_of_a_person_who_is_kept_out_ends(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let (hers, his) = (agent.ask(json!({})).await, agent.ask(json!({})).await);
    done(&app, &ana, "claim-blocker", &[("id", id(&hers))]).await;
    done(&app, &ben, "claim-blocker", &[("id", id(&his))]).await;
    let (service, by) = (&app.state.service, operator());
    assert_eq!(service.end_claims_of_gone().await.unwrap(), 0);
    let person = person_named(&app, "Ana").await;
    let disabled = service.disable_person(person, true, false, &by);
    disabled.await.unwrap();
    service.end_claims_of_gone().await.unwrap();
    assert_eq!(on_desk(&app, &ben, &hers).await.0["claim"], Value::Null);
    assert_eq!(on_desk(&app, &ben, &his).await.0["claim"], "Ben");
    verifies(&app, &database).await;
}

async fn the_page_claims_and_gives_up_without_scripts(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let here = format!("/blockers/{}", id(&asked));
    let form = [("id", id(&asked))];
    let claimed = send(&app, &ana, &here, "claim-blocker", &form).await;
    holds(&claimed, &["You are on it for another ", "Give it up"]);
    let seen = read(&app, &ben, &here).await;
    holds(
        &seen,
        &["<bdi>Ana</bdi> is on it for another ", "I am on it"],
    );
    let refused = refused(&app, &ben, "claim-blocker", &form).await;
    holds(&refused, &["Ana is on it for another 15 min."]);
    // An admin takes it from them.
    let di = app.sign_in("Di", Role::Admin).await;
    done(&app, &di, "claim-blocker", &form).await;
    holds(&read(&app, &ana, &here).await, &["<bdi>Di</bdi> is on it"]);
    let story = read(&app, &ana, &format!("/interactions/{}", id(&asked))).await;
    holds(&story, &["took it over from Ana in the dashboard"]);
    let events = agent.read("/api/v1/events").await;
    let events = events["items"].as_array().unwrap().iter();
    let claims: Vec<_> = events
        .filter(|event| event["type"] == "interaction.claimed")
        .collect();
    let [claimed, taken] = claims[..] else {
        panic!("{claims:?}");
    };
    assert_eq!(claimed["payload"].get("taken_from"), None);
    assert_eq!(taken["payload"]["taken_from"]["name"], "Ana");
    done(&app, &di, "release-blocker", &form).await;
    let free = read(&app, &ana, &here).await;
    assert!(!free.contains("on it for another"));
}

async fn what_a_person_puts_off_is_not_in_their_list_and_in_everybody_elses(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let eve = app.sign_in("Eve", Role::Viewer).await;
    let asked = agent.ask(json!({"timeout_seconds": 7200})).await;
    let before = app.last_seq().await;
    let hour = [("id", id(&asked)), ("minutes", "60")];
    done(&app, &ana, "snooze-blocker", &hour).await;
    assert!(on_desk(&app, &ana, &asked).await.1);
    assert!(!on_desk(&app, &eve, &asked).await.1);
    let page = read(&app, &ana, "/").await;
    holds(&page, &["Snoozed (1)", "back in "]);
    assert!(!page.contains("class=\"row-link\""));
    assert!(read(&app, &eve, "/").await.contains("class=\"row-link\""));
    // It is theirs alone: the journal of the question does not tell of it.
    assert_eq!(app.last_seq().await, before);
    assert_eq!(agent.poll(&asked).await, asked);

    app.clock.advance(TimeDelta::minutes(60));
    assert!(!on_desk(&app, &ana, &asked).await.1);
    // Never past the deadline, nor a time that has passed.
    for (form, said) in [
        (("minutes", "60"), "Until is not before its deadline."),
        (("minutes", "-5"), "Until has passed."),
        (
            ("minutes", "9223372036854775807"),
            "Until is too far ahead.",
        ),
        (("until", "1"), "Until has passed."),
    ] {
        let form = [("id", id(&asked)), form];
        holds(&refused(&app, &ana, "snooze-blocker", &form).await, &[said]);
    }
    done(
        &app,
        &eve,
        "snooze-blocker",
        &[("id", id(&asked)), ("minutes", "15")],
    )
    .await;
    assert!(on_desk(&app, &eve, &asked).await.1);
    done(&app, &eve, "end-snooze", &[("id", id(&asked))]).await;
    assert!(!on_desk(&app, &eve, &asked).await.1);
}

async fn it_is_handed_over_with_a_word_of_why(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let here = format!("/blockers/{}", id(&asked));
    // Whoever gets it sees it, though they had put it off.
    done(
        &app,
        &ben,
        "snooze-blocker",
        &[("id", id(&asked)), ("minutes", "15")],
    )
    .await;
    let to = format!("person:{}", person_named(&app, "Ben").await);
    holds(&read(&app, &ana, &here).await, &["Hand over", &to]);
    let form = [("id", id(&asked)), ("to", &*to), ("why", "knows the ports")];
    let handed = send(&app, &ana, &here, "hand-over-blocker", &form).await;
    holds(&handed, &["You handed it over to Ben.", "knows the ports"]);
    holds(
        &read(&app, &ben, &here).await,
        &["For you: Ana handed it over.", "knows the ports"],
    );
    let (row, snoozed) = on_desk(&app, &ben, &asked).await;
    assert_eq!((&row["to"], snoozed), (&json!("Ben"), false));
    let seen = agent.poll(&asked).await;
    assert_eq!(
        seen["to"],
        json!({
            "type": "person", "id": person_named(&app, "Ben").await, "name": "Ben",
            "since": "2027-01-15T08:00:00Z", "by": "Ana", "why": "knows the ports",
        })
    );
    let story = read(&app, &ana, &format!("/interactions/{}", id(&asked))).await;
    holds(
        &story,
        &["handed it over in the dashboard", "To Ben: knows the ports"],
    );
    let again = refused(&app, &ana, "hand-over-blocker", &form).await;
    holds(&again, &["It is so already."]);
    let answered = app.responder("desk").await;
    answered.done(&asked, "answer", json!({"text": "80"})).await;
    verifies(&app, &database).await;
}

async fn whoever_may_not_answer_it_gets_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    let search = app.team("Search").await;
    app.home(payments, "backend").await;
    for (name, role) in [
        ("Ana", Role::Responder),
        ("Ben", Role::Responder),
        ("Eve", Role::Viewer),
    ] {
        app.sign_in(name, role).await;
    }
    app.join(payments, "Ana", Part::Answers).await;
    app.join(payments, "Eve", Part::Answers).await;
    let ana = app.sign_in("Flo", Role::Responder).await;
    app.join(payments, "Flo", Part::Answers).await;
    let asked = agent.ask(json!({})).await;
    let mut said = Vec::new();
    for name in ["Ben", "Eve"] {
        let to = format!("person:{}", person_named(&app, name).await);
        let form = [("id", id(&asked)), ("to", &*to)];
        said.push(refused(&app, &ana, "hand-over-blocker", &form).await);
    }
    let nobody = "person:01890000-0000-7000-8000-000000000000";
    let form = [("id", id(&asked)), ("to", nobody)];
    said.push(refused(&app, &ana, "hand-over-blocker", &form).await);
    assert!(said.iter().all(|one| *one == said[0]), "{said:?}");
    for to in [&*format!("team:{search}"), "team:x", "", "x:y"] {
        let form = [("id", id(&asked)), ("to", to)];
        refused(&app, &ana, "hand-over-blocker", &form).await;
    }
    assert_eq!(agent.poll(&asked).await, asked);

    // An admin gives it to any team, which sees it from then on.
    let di = app.sign_in("Di", Role::Admin).await;
    let to = format!("team:{search}");
    let form = [("id", id(&asked)), ("to", &*to)];
    done(&app, &di, "hand-over-blocker", &form).await;
    let seen = agent.poll(&asked).await;
    assert_eq!(
        (&seen["team"], &seen["to"]["type"]),
        (&json!("Search"), &json!("team"))
    );
    let gone = app.get(&format!("/blockers/{}", id(&asked)));
    let gone = gone.header("cookie", &ana).send().await.unwrap();
    assert!(!gone.text().await.unwrap().contains("Which port?"));
    verifies(&app, &database).await;
}

async fn an_agent_asks_for_somebody_of_its_team(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.team("Search").await;
    for name in ["Ana", "Ben"] {
        app.sign_in(name, Role::Responder).await;
    }
    app.join(payments, "Ana", Part::Answers).await;
    let ask = async |more: Value| {
        let mut body = json!({"kind": "question", "prompt": "Which port?"});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let sent = agent.post("/api/v1/interactions").json(&body);
        sent.send().await.unwrap()
    };
    // Nobody has opened anything to it.
    let refused = json_of(
        ask(json!({"to": "person:Ana"})).await,
        StatusCode::UNPROCESSABLE_ENTITY,
    );
    let refused = refused.await;
    assert_eq!(refused["errors"][0]["path"], "to");
    app.home(payments, "backend").await;
    for to in ["person:Ben", "person:Nobody", "person:", "Ana", "", "x"] {
        let said = json_of(
            ask(json!({ "to": to })).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        );
        assert_eq!(said.await["errors"], refused["errors"], "{to}");
    }
    let said = ask(json!({"kind": "notification", "to": "duty"})).await;
    let said = json_of(said, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(
        said["errors"][0]["message"],
        "a notification takes no answer"
    );
    // A team that is not open to it.
    let said = ask(json!({"team": "Search", "to": "duty"})).await;
    let said = json_of(said, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(said["errors"][0]["path"], "team");

    let ana = person_named(&app, "Ana").await;
    for (to, kind, id) in [
        ("person: ana", "person", json!(ana)),
        ("duty", "duty", json!(null)),
        ("team", "team", json!(null)),
    ] {
        let asked = json_of(ask(json!({ "to": to })).await, StatusCode::CREATED).await;
        assert_eq!(
            (&asked["to"]["type"], &asked["to"]["id"]),
            (&json!(kind), &id)
        );
        assert_eq!(asked["to"]["by"], json!(null));
        assert_eq!(agent.poll(&asked).await, asked);
    }
    let events = agent.read("/api/v1/events").await;
    assert_eq!(events["items"][0]["payload"]["to"]["name"], "Ana");
    verifies(&app, &database).await;
}
