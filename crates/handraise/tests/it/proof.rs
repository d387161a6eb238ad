//! Rule 12: the receipt is the decision. Whoever can change the database cannot make an approval of a denial.

use std::process::Output;

use chrono::TimeDelta;
use domain::Role;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{id_of, json_of},
    evidence::disarm,
    program::{handraise, said},
};

store::on_both_databases!(
    a_denial_that_was_changed_in_the_database_approves_nothing_anywhere,
    another_key_s_receipt_approves_nothing,
    the_journal_s_verification_names_who_was_let_in_behind_its_back,
    the_journal_s_verification_names_rows_that_say_something_else,
    what_has_ended_is_not_opened_again_by_its_row,
    deadlines_and_taking_back_rest_on_the_journal,
    the_end_of_a_task_rests_on_the_journal,
    one_approval_runs_once_while_its_row_forgets_it,
    what_a_person_reads_is_what_was_asked,
    a_key_that_was_given_to_another_question_answers_nothing,
    rows_that_are_found_by_something_else_are_named_and_hold_up_no_deadline,
    an_answer_to_one_key_is_none_to_another,
);

fn approval() -> Value {
    json!({
        "kind": "approval", "prompt": "Drop it?",
        "action": {"tool": "sql", "arguments": {"query": "DROP TABLE orders"}},
    })
}

async fn forge(database: &TestDatabase) {
    let changed = database
        .execute(
            "UPDATE interactions SET outcome = 'approved',
                detail = replace(detail, '\"approved\":false', '\"approved\":true')
             WHERE outcome = 'denied'",
        )
        .await;
    changed.unwrap();
}

async fn a_denial_that_was_changed_in_the_database_approves_nothing_anywhere(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let cookie = app.sign_in("Ana", Role::Admin).await;
    let asked = agent.ask(approval()).await;
    desk.done(
        &asked,
        "answer",
        json!({"approved": false, "text": "never"}),
    )
    .await;
    assert_eq!(agent.poll(&asked).await["outcome"], "denied");
    let metrics = async || {
        app.get("/metrics")
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
    };
    assert!(metrics().await.contains("handraise_void_decisions 0\n"));

    forge(&database).await;

    // The API, one and in a list.
    let seen = agent.poll(&asked).await;
    assert_eq!(seen["approved"], false);
    assert_eq!(seen["state"], "resolved");
    assert_eq!(seen["outcome"], "void");
    assert_eq!(seen["answer"], Value::Null);
    assert_eq!(seen["resume_prompt"], Value::Null);
    let list = desk.read("/api/v1/interactions").await;
    assert_eq!(list["items"][0]["outcome"], "void");
    // No receipt, and no run.
    let path = crate::support::caller::path_of(&asked);
    let receipt = agent.get(&format!("{path}/receipt")).send().await.unwrap();
    assert_eq!(
        json_of(receipt, StatusCode::NOT_FOUND).await["code"],
        "no_receipt"
    );
    let run = agent.send(&asked, "consume", json!({"run": "one"})).await;
    assert_eq!(
        json_of(run, StatusCode::CONFLICT).await["code"],
        "not_approved"
    );
    // What would write it anew leaves it as it is.
    agent.done(&asked, "collect", json!({})).await;
    let more = desk.send(&asked, "follow_up", json!({"text": "x"})).await;
    assert_eq!(json_of(more, StatusCode::CONFLICT).await["outcome"], "void");

    // The pages.
    let page = |path: String| {
        let request = app.get(&path).header("cookie", &cookie);
        async move { request.send().await.unwrap().text().await.unwrap() }
    };
    let dialog = page(format!("/blockers/{}", id_of(&asked))).await;
    assert!(dialog.contains("is not what was signed"), "{dialog}");
    assert!(!dialog.contains("approved it"), "{dialog}");
    let overview = page("/".to_owned()).await;
    assert!(
        overview.contains(
            "A stored decision counts for nothing: its receipt says something else than the row."
        ),
        "{overview}"
    );
    assert!(metrics().await.contains("handraise_void_decisions 1\n"));

    // The feed: an event that was changed with its row is told to nobody.
    let resolved = async || {
        let page = agent.read("/api/v1/events").await;
        let events = page["items"].as_array().unwrap().clone();
        let resolved = events
            .into_iter()
            .filter(|it| it["type"] == "interaction.resolved");
        resolved.collect::<Vec<_>>()
    };
    assert_eq!(resolved().await[0]["payload"]["outcome"], "denied");
    disarm(&database).await;
    database
        .execute(
            "UPDATE events SET payload = replace(replace(payload, '\"denied\"', '\"approved\"'),
                '\"approved\":false', '\"approved\":true')
             WHERE type = 'interaction.resolved'",
        )
        .await
        .unwrap();
    assert_eq!(resolved().await, [] as [Value; 0]);

    // Mended, it is what it was, and the alarm is over.
    let mended = database
        .execute(
            "UPDATE interactions SET outcome = 'denied',
                detail = replace(detail, '\"approved\":true', '\"approved\":false')
             WHERE outcome = 'approved'",
        )
        .await;
    mended.unwrap();
    assert_eq!(agent.poll(&asked).await["outcome"], "denied");
    assert!(metrics().await.contains("handraise_void_decisions 0\n"));
}

async fn another_key_s_receipt_approves_nothing(database: TestDatabase) {
    // Signed indeed, but by a server that this one does not know.
    let stranger = TestApp::start(&database).await;
    let (agent, desk) = (
        stranger.agent("backend").await,
        stranger.responder("desk").await,
    );
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    assert_eq!(agent.poll(&asked).await["approved"], true);
    let app = TestApp::start(&database).await;
    let reader = app.responder("reader").await;
    let seen = reader.poll(&asked).await;
    assert_eq!(
        (&seen["approved"], &seen["outcome"]),
        (&json!(false), &json!("void"))
    );
}

fn verified(app: &TestApp, database: &TestDatabase) -> Output {
    handraise(&[
        "journal",
        "verify",
        "--database",
        &database.url,
        "--checkpoints",
        &app.state.config.checkpoint_file().display().to_string(),
        "--key",
        &app.state.config.key_file().display().to_string(),
    ])
}

async fn the_journal_s_verification_names_who_was_let_in_behind_its_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let _ = app.sign_in("Ana", Role::Responder).await;
    let _ = app.sign_in("Vera", Role::Viewer).await;
    let asked = agent.ask(approval()).await;
    app.state.checkpoints.sign_new().await.unwrap();
    assert!(said(&verified(&app, &database), 0).starts_with("the journal holds: "));
    // An agent that has become its own responder, and says yes to itself.
    database
        .execute(
            "UPDATE tokens SET kind = 'responder', agent_id = NULL, name = 'Ana' WHERE kind = 'agent'",
        )
        .await
        .unwrap();
    agent
        .done(&asked, "answer", json!({"approved": true}))
        .await;
    database
        .execute("UPDATE people SET role = 'admin' WHERE name = 'Vera'")
        .await
        .unwrap();
    app.state.checkpoints.sign_new().await.unwrap();
    let names = |lines: &[&str]| {
        let output = verified(&app, &database);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        for line in lines {
            assert!(said.contains(line), "{line} in {said}");
        }
    };
    let answered = ": Ana answered, and no event let them answer";
    names(&[
        "the journal itself holds, but 3 of what stands beside it is not what it says:",
        "the person Vera: the row says admin, the events say viewer",
        "the responder token Ana: the row and its events differ",
        answered,
    ]);
    // However clean they leave it: what was answered stays.
    for undo in [
        "DELETE FROM tokens WHERE name = 'Ana'",
        "UPDATE people SET role = 'viewer' WHERE name = 'Vera'",
    ] {
        database.execute(undo).await.unwrap();
    }
    names(&["but 1 of what stands beside it", answered]);
    drop(desk);
}

async fn the_journal_s_verification_names_rows_that_say_something_else(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    let question = agent.ask(json!({})).await;
    let verify = || verified(&app, &database);
    app.state.checkpoints.sign_new().await.unwrap();
    assert!(said(&verify(), 0).starts_with("the journal holds: "));
    forge(&database).await;
    database
        .execute("UPDATE interactions SET request = replace(request, 'Which port', 'Any port')")
        .await
        .unwrap();
    let output = verify();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    for line in [
        "the journal itself holds, but 2 of what stands beside it is not what it says:".to_owned(),
        format!(
            "{}: its row says approved, its events say denied",
            id_of(&asked)
        ),
        format!(
            "{}: its row and its events differ in what was asked",
            id_of(&question)
        ),
    ] {
        assert!(said.contains(&line), "{line} in {said}");
    }
}

async fn what_has_ended_is_not_opened_again_by_its_row(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    let still = agent.ask(approval()).await;
    let reopen = "UPDATE interactions SET closed_at = NULL, outcome = NULL, state = 'pending',
            detail = (SELECT detail FROM interactions WHERE state = 'pending')
         WHERE outcome = 'denied'";
    database.execute(reopen).await.unwrap();
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let second = desk
        .post(&format!("/api/v1/interactions/{}/answer", id_of(&asked)))
        .json(&json!({"approved": true}))
        .send()
        .await
        .unwrap();
    assert_eq!(second.status(), StatusCode::CONFLICT);
    assert_ne!(agent.poll(&asked).await["approved"], true);
    drop(still);
}

async fn deadlines_and_taking_back_rest_on_the_journal(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ask = json!({"kind": "question", "prompt": "Which port?", "timeout_seconds": 60, "fallback": "5432"});
    let answered = agent.ask(ask.clone()).await;
    desk.done(&answered, "answer", json!({"text": "none"}))
        .await;
    let open = agent.ask(ask).await;
    let taken_back = agent.ask(approval()).await;
    let change = async |sql: &str| database.execute(sql).await.unwrap();
    change("UPDATE interactions SET request = replace(request, '5432', '6666')").await;
    change(
        "UPDATE interactions SET closed_at = NULL, outcome = NULL, state = 'pending',
            detail = (SELECT detail FROM interactions WHERE state = 'pending' LIMIT 1)
         WHERE state = 'resolved'",
    )
    .await;
    change("UPDATE interactions SET request = replace(request, 'orders', 'drafts')").await;
    let events = async || {
        let page = desk.get("/api/v1/events?limit=100").send().await.unwrap();
        json_of(page, StatusCode::OK).await["items"].clone()
    };
    let before = events().await;
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    for asked in [&answered, &open] {
        assert_ne!(agent.poll(asked).await["answer"]["text"], "6666");
    }
    let back = agent
        .post(&format!(
            "/api/v1/interactions/{}/cancel",
            id_of(&taken_back)
        ))
        .json(&json!({}))
        .send()
        .await
        .unwrap();
    assert_eq!(back.status(), StatusCode::CONFLICT);
    assert_eq!(events().await, before);
}

async fn the_end_of_a_task_rests_on_the_journal(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let task = json!({"id": "T-1"});
    let ask = json!({"prompt": "Which folder?", "task": task, "timeout_seconds": 3600, "fallback": "none"});
    let asked = agent.ask(ask).await;
    let mut body = approval();
    body["task"] = task;
    let approved = agent.ask(body).await;
    desk.done(&approved, "answer", json!({"approved": true}))
        .await;
    let change = async |sql: &str| database.execute(sql).await.unwrap();
    change(
        "UPDATE interactions SET request = replace(request, '\"none\"', '\"/home\"'),
            expires_at = created_at + 1000 WHERE kind = 'question'",
    )
    .await;
    change(
        "UPDATE interactions SET closed_at = NULL, outcome = NULL, state = 'pending', version = 1,
            detail = (SELECT detail FROM interactions WHERE kind = 'question') WHERE kind = 'approval'",
    )
    .await;
    app.clock.advance(TimeDelta::seconds(10));
    let done = agent
        .put("/api/v1/tasks/T-1")
        .json(&json!({"status": "done"}));
    assert_eq!(done.send().await.unwrap().status(), StatusCode::OK);
    let page = desk.get("/api/v1/events?limit=100").send().await.unwrap();
    let events = json_of(page, StatusCode::OK).await;
    let ends: Vec<_> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| {
            event["interaction_id"] == asked["id"] || event["interaction_id"] == approved["id"]
        })
        .map(|event| event["type"].as_str().unwrap())
        .filter(|name| name.starts_with("interaction."))
        .collect();
    assert_eq!(
        ends,
        [
            "interaction.requested",
            "interaction.requested",
            "interaction.resolved",
            "interaction.cancelled"
        ]
    );
}

async fn one_approval_runs_once_while_its_row_forgets_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(approval()).await;
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let forget = async || {
        let sql = "UPDATE interactions SET consumed = NULL, version = 2";
        database.execute(sql).await.unwrap();
    };
    let uses = (0..24).map(|n| {
        let path = format!("/api/v1/interactions/{}/consume", id_of(&asked));
        let agent = &agent;
        async move {
            let run = json!({"run": format!("run {n}")});
            agent.post(&path).json(&run).send().await.unwrap().status()
        }
    });
    let forgetting = async {
        for _ in 0..24 {
            forget().await;
        }
    };
    let (used, ()) = futures::join!(futures::future::join_all(uses), forgetting);
    let used = used.iter().filter(|status| **status == StatusCode::OK);
    assert_eq!(used.count(), 1);
}

async fn what_a_person_reads_is_what_was_asked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent
        .ask(json!({"kind": "choice", "prompt": "What about the old database?", "options": ["keep", "drop"]}))
        .await;
    let path = format!("/api/v1/interactions/{}", id_of(&asked));
    assert_eq!(
        desk.get(&path).send().await.unwrap().status(),
        StatusCode::OK
    );
    let sql = "UPDATE interactions SET request = replace(request, 'What about the old database?', 'Which word begins with d?')";
    database.execute(sql).await.unwrap();
    let seen = desk.get(&path).send().await.unwrap();
    assert_eq!(seen.status(), StatusCode::CONFLICT);
}

async fn a_key_that_was_given_to_another_question_answers_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let answered = agent.ask(json!({"prompt": "Shall I say hello?"})).await;
    desk.done(&answered, "answer", json!({"text": "yes"})).await;
    let ask = async || {
        let body = json!({"kind": "question", "prompt": "Shall I drop the database?"});
        let request = agent.post("/api/v1/interactions").json(&body);
        request
            .header("idempotency-key", "deploy")
            .send()
            .await
            .unwrap()
    };
    assert_eq!(ask().await.status(), StatusCode::CREATED);
    database
        .execute(
            "UPDATE idempotency_keys SET interaction_id =
                (SELECT id FROM interactions WHERE state = 'resolved')",
        )
        .await
        .unwrap();
    assert_eq!(ask().await.status(), StatusCode::CONFLICT);
}

async fn an_answer_to_one_key_is_none_to_another(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ask = async |key: &str| {
        let request = agent.post("/api/v1/interactions").json(&approval());
        request.header("idempotency-key", key).send().await.unwrap()
    };
    let asked: Value = ask("nightly-23").await.json().await.unwrap();
    desk.done(&asked, "answer", json!({"approved": true})).await;
    agent.ask(approval()).await;
    // One that was asked under another key, and one that was asked under none.
    for (key, state) in [("nightly-24", "resolved"), ("nightly-25", "pending")] {
        let sql = format!(
            "INSERT INTO idempotency_keys (agent_id, key, fingerprint, interaction_id)
             SELECT k.agent_id, '{key}', k.fingerprint, i.id FROM idempotency_keys k, interactions i
             WHERE k.key = 'nightly-23' AND i.state = '{state}'"
        );
        database.execute(&sql).await.unwrap();
        let refused = ask(key).await;
        assert_eq!(refused.status(), StatusCode::CONFLICT);
        let why: Value = refused.json().await.unwrap();
        assert_eq!(why["code"], "altered");
    }
    assert_eq!(ask("nightly-23").await.status(), StatusCode::CREATED);
}

async fn rows_that_are_found_by_something_else_are_named_and_hold_up_no_deadline(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut ended = Vec::new();
    for _ in 0..3 {
        let asked = agent.ask(json!({"timeout_seconds": 30})).await;
        desk.done(&asked, "answer", json!({"text": "yes"})).await;
        ended.push(asked);
    }
    let due = agent.ask(json!({"timeout_seconds": 60})).await;
    let columns = "UPDATE interactions SET state = 'pending' WHERE state = 'resolved'";
    database.execute(columns).await.unwrap();
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    assert_eq!(agent.poll(&due).await["outcome"], "expired");
    app.state.checkpoints.sign_new().await.unwrap();
    let said = String::from_utf8(verified(&app, &database).stderr).unwrap();
    for one in &ended {
        assert!(said.contains(&id_of(one).to_string()), "{said}");
    }
    assert!(said.contains("the columns by which it is found"), "{said}");
}
