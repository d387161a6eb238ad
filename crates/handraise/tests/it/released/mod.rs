//! Databases that earlier versions have left: the program of today brings them to its schema, and says of everything in
//! them what was said before.
//!
//! `tests/released/` has one of each database for each released version. To keep one of this version, name it:
//! `TEST_KEEP_RELEASE=0.1.0 cargo xtask test released` (`pg_dump` has to be there).

mod kept;
mod life;
mod said;

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use domain::Role;
use reqwest::StatusCode;
use serde_json::{Value, json};
use server::config::Config;
use store::testing::TestDatabase;

use crate::support::{
    app::{TestApp, TestClock},
    browser::Browser,
    caller::{Caller, json_of},
    program::handraise,
};
use kept::Kept;
use said::{covers, said};

store::on_both_databases!(
    a_restart_changes_nothing_of_what_is_said,
    what_every_released_version_left_is_brought_up_to_date_and_says_the_same,
    a_server_goes_on_while_one_of_a_newer_version_has_changed_the_schema,
);

/// Files that belong to a database: the key, the checkpoints, what is attached.
fn beside(folder: &Path) -> impl FnOnce(&mut Config) + use<> {
    let folder = folder.to_owned();
    move |config| {
        config.key_file = Some(folder.join("handraise.key"));
        config.checkpoint_file = Some(folder.join("checkpoints"));
        config.attachments = folder.join("attachments").to_str().map(str::to_owned);
        // Otherwise what is said would have the port of each server in it.
        config.public_url = Some("http://handraise.test".to_owned());
    }
}

async fn started(database: &TestDatabase, folder: &Path, at: DateTime<Utc>) -> TestApp {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clock = TestClock::at(at).into();
    TestApp::start_joined(listener, database, clock, beside(folder), |slack| slack).await
}

async fn a_restart_changes_nothing_of_what_is_said(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let lived = life::lead(&database, beside(folder.path())).await;
    let app = started(&database, folder.path(), lived.until).await;
    let before = said(&app, &lived).await;
    app.stop().await;
    if let Ok(name) = std::env::var("TEST_KEEP_RELEASE") {
        let kept = Kept::now(lived.clone(), before.clone());
        kept.write(&name, &database, folder.path()).await;
    }
    let kept = Kept::now(lived, before);
    says_the_same(&database, &kept, folder.path()).await;
}

async fn what_every_released_version_left_is_brought_up_to_date_and_says_the_same(
    database: TestDatabase,
) {
    let all = Kept::all(&database);
    assert!(!all.is_empty(), "no released version is kept");
    for kept in all {
        let database = database.another().await;
        let folder = tempfile::tempdir().unwrap();
        kept.restore(&database, folder.path()).await;
        says_the_same(&database, &kept, folder.path()).await;
    }
}

/// What is said now covers what was said, everything verifies, and life goes on.
async fn says_the_same(database: &TestDatabase, kept: &Kept, folder: &Path) {
    let app = started(database, folder, kept.lived.until).await;
    let now = said(&app, &kept.lived).await;
    for (path, before) in &kept.said {
        let missing = Value::Null;
        let now = now.get(path).unwrap_or(&missing);
        if let Err(why) = covers(before, now) {
            panic!("{} of {path}: {why}\nbefore {before}\nnow {now}", kept.name);
        }
    }
    verifies(database, folder);
    goes_on(&app, kept).await;
    app.stop().await;
    verifies(database, folder);
}

/// The journal, its signatures, and the rows that it tells of.
fn verifies(database: &TestDatabase, folder: &Path) {
    let [key, checkpoints] =
        ["handraise.key", "checkpoints"].map(|name| folder.join(name).display().to_string());
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

/// Tokens, sessions and what waited are as good as before.
async fn goes_on(app: &TestApp, kept: &Kept) {
    let caller = |token: &str| Caller {
        app,
        token: token.to_owned(),
    };
    let (agent, desk) = (caller(&kept.lived.agent), caller(&kept.lived.desk));
    let waits = kept.lived.waits.clone();
    let answered = desk.done(&waits, "answer", json!({"approved": true})).await;
    assert_eq!(answered["approved"], true, "{answered}");
    let run = json!({"run": "after"});
    agent.done(&waits, "consume", run.clone()).await;
    let again = agent
        .send(&waits, "consume", json!({"run": "another"}))
        .await;
    assert_eq!(again.status(), StatusCode::CONFLICT);
    // What was used up before stays used up.
    let again = agent
        .send(&kept.lived.used, "consume", json!({"run": "another"}))
        .await;
    assert_eq!(again.status(), StatusCode::CONFLICT);
    // Asked again under the same key it is the same.
    let key = agent
        .post("/api/v1/interactions")
        .header("idempotency-key", life::KEY);
    let replayed = key.json(&life::keyed()).send().await.unwrap();
    assert_eq!(replayed.headers()["idempotent-replayed"], "true");
    json_of(replayed, StatusCode::CREATED).await;
    // What was approved ahead is still.
    let ahead = agent.ask(life::tests_of("domain")).await;
    assert_eq!(ahead["outcome"], "approved", "{ahead}");
    let page = app
        .get("/")
        .header("cookie", &kept.lived.cookie)
        .send()
        .await;
    assert_eq!(page.unwrap().status(), StatusCode::OK);
    app.sign_in("Dora", Role::Responder).await;
    app.clock.advance(TimeDelta::days(60));
    app.state.service.expire_due().await.unwrap();
    assert_eq!(agent.poll(&kept.lived.question).await["outcome"], "expired");
}

/// As in an update of one node after the other: new versions add to the schema, and take nothing out of it that the version
/// before needs.
async fn a_server_goes_on_while_one_of_a_newer_version_has_changed_the_schema(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut ana = Browser::signed_in(&app, "Ana", Role::Admin).await;
    let mut round = async |app: &TestApp| {
        let asked = agent.ask(life::keyed()).await;
        desk.answer(&asked, "yes").await;
        assert_eq!(agent.poll(&asked).await["answer"]["text"], "yes");
        agent.done(&asked, "collect", json!({})).await;
        desk.read("/api/v1/interactions?q=asked").await;
        agent
            .put("/api/v1/tasks/T-1")
            .json(&json!({"title": "One"}))
            .send()
            .await
            .unwrap();
        assert_eq!(ana.follow("/").await.status(), StatusCode::OK);
        app.drain().await;
    };
    // What is prepared once is used again.
    round(&app).await;
    let tables = [
        "interactions",
        "events",
        "people",
        "tokens",
        "tasks",
        "outbox",
        "agents",
        "teams",
        "destinations",
    ];
    for table in tables {
        let added = format!("ALTER TABLE {table} ADD COLUMN future TEXT");
        database.execute(&added).await.unwrap();
    }
    let migrated =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', TRUE, '', 0)";
    database.execute(migrated).await.unwrap();
    round(&app).await;
    app.stop().await;
    // Started anew it says why it does not begin.
    let refused = store::connect(&database.url).await.err().unwrap();
    assert!(refused.to_string().contains("9999"), "{refused}");
}
