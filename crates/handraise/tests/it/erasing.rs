//! Rule 19, over the whole: what is erased is gone wherever it stood, and says so in its place.

use std::time::Duration;

use chrono::TimeDelta;
use domain::{
    Actor, Changeset, EventId, InteractionEvent, NewEvent, Role,
    interaction::{Erased, Kind},
};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use service::KeepDays;
use store::{testing::TestDatabase, verify_journal};
use tokio::time::timeout;

use crate::support::{
    app::TestApp,
    caller::{id_of, json_of, path_of},
    hooks::{hook, start},
    pages::{holds, page, read, send},
    program::{handraise, said},
    receiver::{Manner, Receiver},
};

store::on_both_databases!(
    what_an_admin_erases_on_the_page_is_gone_and_says_so,
    what_waits_is_not_erased_and_what_is_unknown_is_not_found,
    the_command_erases_one_or_those_of_an_agent,
    what_is_old_is_erased_in_batches_by_kind,
    what_cannot_be_erased_keeps_nothing_else,
    what_belongs_to_a_team_is_kept_as_long_as_the_team_wants,
    what_is_said_to_be_erased_and_is_not_is_found,
);

/// Stands in every text.
const MARK: &str = "xyzzyplugh";

async fn has(database: &TestDatabase, text: &str) -> bool {
    let all = database.contents().await.unwrap();
    all.windows(text.len()).any(|part| part == text.as_bytes())
}

async fn what_an_admin_erases_on_the_page_is_gone_and_says_so(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let bo = app.sign_in("Bo", Role::Responder).await;
    let receiver = Receiver::start([
        Manner::Answers(500, "", MARK),
        Manner::Answers(200, "", MARK),
    ])
    .await;
    hook(&desk, &receiver, json!({"name": "Zap"})).await;
    let action = json!({"tool": MARK, "arguments": {"command": MARK}});
    let asked = agent
        .ask(json!({
            "kind": "approval", "prompt": MARK, "title": MARK, "action": action, "session_id": MARK,
            "task": {"id": "T-1", "title": MARK}, "metadata": {"note": MARK},
        }))
        .await;
    let approved = json!({"approved": true, "text": MARK});
    desk.done(&asked, "answer", approved).await;
    let late = desk
        .send(&asked, "answer", json!({"approved": false, "text": MARK}))
        .await;
    assert_eq!(late.status(), StatusCode::CONFLICT);
    desk.done(&asked, "follow_up", json!({"text": MARK})).await;
    app.drain().await;
    let receipt = agent.read(&format!("{}/receipt", path_of(&asked))).await;
    let found = desk.read(&format!("/api/v1/interactions?q={MARK}")).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    assert!(has(&database, MARK).await);

    let id = asked["id"].as_str().unwrap();
    let path = format!("/interactions/{id}");
    let story = read(&app, &ana, &path).await;
    holds(&story, &[MARK, "action=\"/ui/erase-interaction\""]);
    assert!(
        !read(&app, &bo, &path)
            .await
            .contains("/ui/erase-interaction")
    );
    let erased = send(&app, &ana, &path, "erase-interaction", &[("id", id)]).await;
    let words = [
        "erased all that was written here",
        "All that was written here was erased by",
        "Ana",
    ];
    holds(&erased, &words);
    assert!(!erased.contains(MARK) && !erased.contains("/ui/erase-interaction"));
    // Once more changes nothing.
    let events = app.last_seq().await;
    send(&app, &ana, &path, "erase-interaction", &[("id", id)]).await;
    assert_eq!(app.last_seq().await, events);
    app.drain().await;

    assert!(app.state.service.scrub().await.unwrap());
    assert!(!has(&database, MARK).await, "some of it is left");
    let now = agent.read(&path_of(&asked)).await;
    assert_eq!(now["erased"]["by"], "Ana");
    assert_eq!(
        (&now["outcome"], &now["approved"]),
        (&json!("approved"), &json!(false))
    );
    for gone in [
        "answer",
        "action",
        "title",
        "session_id",
        "metadata",
        "resume_prompt",
    ] {
        assert_eq!(now[gone], Value::Null, "{gone}");
    }
    assert_eq!(
        (&now["prompt"], &now["task"]["id"]),
        (&json!(""), &json!("T-1"))
    );
    // Its receipt says the same as ever, and approves nothing here.
    let again = agent.read(&format!("{}/receipt", path_of(&asked))).await;
    assert_eq!(again, receipt);
    for (caller, verb, body) in [
        (&agent, "consume", json!({"run": "one"})),
        (&agent, "report", json!({"outcome": "done", "text": MARK})),
        (&desk, "follow_up", json!({"text": MARK})),
        (&desk, "answer", json!({"approved": true})),
    ] {
        let refused = caller.send(&asked, verb, body).await;
        let refused = json_of(refused, StatusCode::CONFLICT).await;
        assert_eq!(refused["code"], "erased", "{verb}");
    }
    let found = desk.read(&format!("/api/v1/interactions?q={MARK}")).await;
    assert_eq!(found["items"], json!([]));
    let told = desk.read("/api/v1/events?limit=100").await;
    let told = told["items"].as_array().unwrap();
    let of_it: Vec<&Value> = told
        .iter()
        .filter(|it| it["interaction_id"] == id)
        .collect();
    let last = of_it.last().unwrap();
    assert_eq!(
        (&last["type"], &last["erased"]),
        (&json!("interaction.erased"), &json!(false))
    );
    assert!(
        of_it[..of_it.len() - 1]
            .iter()
            .all(|it| it["erased"] == json!(true))
    );
    let history = read(&app, &bo, "/history").await;
    holds(&history, &["Erased by Ana"]);
    let blocker = read(&app, &bo, &format!("/blockers/{id}")).await;
    holds(&blocker, &["All that was written here was erased by"]);
    assert_eq!(app.state.service.store().void(), []);
    assert!(!has(&database, MARK).await, "some of it came back");
    verify_journal(&**app.state.service.store()).await.unwrap();
}

async fn what_waits_is_not_erased_and_what_is_unknown_is_not_found(database: TestDatabase) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let asked = agent.ask(json!({})).await;
    let unknown = "01890000-0000-7000-8000-000000000000";
    for (id, status, words) in [
        (
            asked["id"].as_str().unwrap(),
            StatusCode::UNPROCESSABLE_ENTITY,
            "It still waits for an answer: cancel it first, then erase it.",
        ),
        (unknown, StatusCode::NOT_FOUND, "NotFound"),
    ] {
        let call = app.post("/ui/erase-interaction").header("cookie", &ana);
        let call = call.header(header::ORIGIN, app.url("")).form(&[("id", id)]);
        let text = page(call, status).await;
        holds(&text, &[words]);
    }
    let path = format!("/interactions/{}", asked["id"].as_str().unwrap());
    let story = read(&app, &ana, &path).await;
    assert!(!story.contains("/ui/erase-interaction"));
    // It cannot be undone: a browser that was left open is not enough.
    let told = json!({"kind": "notification", "prompt": MARK});
    let told = agent.ask(told).await;
    app.clock.advance(TimeDelta::minutes(16));
    let call = app.post("/ui/erase-interaction").header("cookie", &ana);
    let call = call.header(header::ORIGIN, app.url(""));
    let call = call.form(&[("id", told["id"].as_str().unwrap())]);
    let text = page(call, StatusCode::UNPROCESSABLE_ENTITY).await;
    holds(&text, &["needs your password once more"]);
    assert_eq!(agent.poll(&told).await["erased"], Value::Null);
    assert_eq!(agent.poll(&asked).await["state"], "pending");
}

async fn the_command_erases_one_or_those_of_an_agent(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let told = json!({"kind": "notification", "prompt": MARK});
    let one = agent.ask(told.clone()).await;
    for _ in 0..3 {
        agent.ask(told.clone()).await;
    }
    let waits = agent.ask(json!({"prompt": "which one"})).await;
    let kept = other
        .ask(json!({"kind": "notification", "prompt": "theirs"}))
        .await;
    let run = |arguments: &[&str]| {
        let mut all = vec!["erase", "--database", &database.url];
        all.extend(arguments);
        handraise(&all)
    };
    let id = one["id"].as_str().unwrap();
    // Nobody is there to ask.
    let unsure = run(&["--interaction", id]);
    assert_eq!(unsure.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unsure.stderr).contains("--yes"));
    assert_eq!(
        said(&run(&["--interaction", id, "--yes"]), 0),
        format!("erased {id}")
    );
    let again = run(&["--interaction", id, "--yes", "--vacuum"]);
    assert_eq!(said(&again, 0), format!("{id} was erased before"));
    let pending = run(&["--interaction", waits["id"].as_str().unwrap(), "--yes"]);
    assert_eq!(pending.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&pending.stderr).contains("cancel it first"));
    let unknown = run(&[
        "--interaction",
        "01890000-0000-7000-8000-000000000000",
        "--yes",
    ]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("there is no interaction"));
    let nobody = run(&["--agent", "nobody", "--before", "2100-01-01", "--yes"]);
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("there is no agent nobody"));
    let early = run(&["--agent", "backend", "--before", "2000-01-01", "--yes"]);
    assert_eq!(said(&early, 0), "there is nothing to erase");
    let all = run(&["--agent", "backend", "--before", "2100-01-01", "--yes"]);
    assert_eq!(String::from_utf8_lossy(&all.stdout), "erased 3\n");
    assert!(String::from_utf8_lossy(&all.stderr).contains("still waits for an answer"));
    assert!(!has(&database, MARK).await);
    assert!(has(&database, "which one").await);
    assert_eq!(other.poll(&kept).await["prompt"], "theirs");
    let erased = agent.poll(&one).await;
    assert!(erased["erased"]["by"].is_string(), "{erased}");
    let verified = handraise(&["journal", "verify", "--database", &database.url]);
    let line = said(&verified, 0);
    assert!(line.contains("interactions erased: 4"), "{line}");
}

async fn what_is_old_is_erased_in_batches_by_kind(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.keep_days = KeepDays {
            notification: 30,
            ..KeepDays::default()
        };
    })
    .await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    for _ in 0..103 {
        agent
            .ask(json!({"kind": "notification", "prompt": MARK}))
            .await;
    }
    let asked = agent.ask(json!({"prompt": "stays"})).await;
    desk.answer(&asked, "80").await;
    let service = &app.state.service;
    assert_eq!(service.erase_kept_too_long().await.unwrap(), 0);
    app.clock
        .advance(TimeDelta::days(30) + TimeDelta::seconds(1));
    let young = agent
        .ask(json!({"kind": "notification", "prompt": "young"}))
        .await;
    let mut erased = Vec::new();
    while erased.last() != Some(&0) {
        erased.push(service.erase_kept_too_long().await.unwrap());
    }
    // The job of the server may take its turn as well.
    assert!(erased.iter().all(|batch| *batch <= 100), "{erased:?}");
    // On a busy machine a job of the server is still reading, or scrubbing itself.
    let scrubbed = async { while !service.scrub().await.unwrap() || has(&database, MARK).await {} };
    timeout(Duration::from_secs(30), scrubbed).await.unwrap();
    assert_eq!(agent.poll(&asked).await["answer"]["text"], "80");
    assert_eq!(agent.poll(&young).await["prompt"], "young");
    let store = service.store();
    let oldest = store.stored_after(None, 1).await.unwrap();
    assert_eq!(oldest[0].request.kind(), Kind::Notification);
    let gone = agent
        .read(&format!("/api/v1/interactions/{}", oldest[0].id))
        .await;
    assert_eq!(gone["erased"]["by"], Value::Null);
    assert!(gone["erased"]["at"].is_string());
    assert_eq!(
        store
            .interaction(id_of(&asked))
            .await
            .unwrap()
            .unwrap()
            .erased,
        None
    );
    verify_journal(&**store).await.unwrap();
}

async fn what_cannot_be_erased_keeps_nothing_else(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.keep_days = KeepDays {
            notification: 30,
            ..KeepDays::default()
        };
    })
    .await;
    let agent = app.agent("backend").await;
    let told = json!({"kind": "notification", "prompt": MARK});
    let mut altered = Vec::new();
    // More than one turn of the job takes.
    for _ in 0..101 {
        altered.push(agent.ask(told.clone()).await);
    }
    let harm = "UPDATE interactions SET collected_at = 1";
    database.execute(harm).await.unwrap();
    let whole = agent.ask(told).await;
    app.clock.advance(TimeDelta::days(31));
    let service = &app.state.service;
    for _ in 0..2 {
        service.erase_kept_too_long().await.unwrap();
    }
    assert!(agent.poll(&whole).await["erased"]["at"].is_string());
    let store = service.store();
    for one in [&altered[0], &altered[100]] {
        let kept = store.interaction(id_of(one)).await.unwrap().unwrap();
        assert_eq!(kept.erased, None);
    }
}

async fn what_belongs_to_a_team_is_kept_as_long_as_the_team_wants(database: TestDatabase) {
    let keeping = |teams: &[&str]| {
        let teams: Vec<String> = teams.iter().map(|it| (*it).to_owned()).collect();
        KeepDays {
            notification: 30,
            teams: teams.try_into().unwrap(),
            ..KeepDays::default()
        }
    };
    // Until it is clear which team is meant, none loses anything by its kind.
    let mistyped = keeping(&["Paymemts=0", "search=0"]);
    let app = TestApp::start_with(&database, |config| config.keep_days = mistyped).await;
    let mut told = Vec::new();
    for (name, home) in [
        ("pay", Some("Payments")),
        ("find", Some("Search")),
        ("ship", Some("Shipping")),
        ("free", None),
    ] {
        let agent = app.agent(name).await;
        if let Some(home) = home {
            let team = app.team(home).await;
            app.home(team, name).await;
        }
        let asked = json!({"kind": "notification", "prompt": MARK});
        told.push((name, id_of(&agent.ask(asked).await)));
    }
    let erased = async |app: &TestApp| {
        app.state.service.erase_kept_too_long().await.unwrap();
        let mut erased = Vec::new();
        for (name, id) in &told {
            let stored = app.state.service.store().interaction(*id).await;
            if stored.unwrap().unwrap().erased.is_some() {
                erased.push(*name);
            }
        }
        erased
    };
    app.clock.advance(TimeDelta::days(31));
    assert_eq!(erased(&app).await, ["free"]);
    let now = app.state.service.now();
    app.stop().await;
    let meant = keeping(&["payments=90", "Search=0"]);
    let app = TestApp::start_with(&database, |config| config.keep_days = meant).await;
    app.clock.advance(now - app.state.service.now());
    assert_eq!(erased(&app).await, ["ship", "free"]);
    app.clock.advance(TimeDelta::days(60));
    assert_eq!(erased(&app).await, ["pay", "ship", "free"]);
}

async fn what_is_said_to_be_erased_and_is_not_is_found(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let told = json!({"kind": "notification", "prompt": MARK});
    let told = agent.ask(told).await;
    let store = app.state.service.store();
    let whole = store.interaction(id_of(&told)).await.unwrap().unwrap();
    let erased = Erased {
        at: whole.created_at,
        by: Actor::Operator {
            name: "root".into(),
        },
    };
    // Of no event, and its row agrees.
    let nothing = serde_json::from_value(json!({"events": []})).unwrap();
    let event = NewEvent {
        id: EventId(uuid::Uuid::from_u128(7)),
        salt: [7; 16],
        at: erased.at,
        actor: erased.by.clone(),
        agent_id: Some(whole.agent.id),
        interaction_id: Some(whole.id),
        task_id: None,
        payload: InteractionEvent::Erased(nothing).into(),
    };
    let forged = Changeset {
        writes: Vec::new(),
        events: vec![event],
        key: None,
        quota: None,
    };
    store.commit(forged).await.unwrap();
    let json = serde_json::to_string(&erased).unwrap();
    let sql = format!("UPDATE interactions SET erased = '{json}', version = version + 1");
    database.execute(&sql).await.unwrap();
    let verified = handraise(&["journal", "verify", "--database", &database.url]);
    assert_eq!(verified.status.code(), Some(1));
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(said.contains("words of it are still there"), "{said}");
}
