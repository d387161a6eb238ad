//! Whom agents belong to: made, changed, shown, and held against the journal.

use std::process::Output;

use chrono::TimeDelta;
use domain::{Role, TokenKind, access::Lifetime, limits::PROOF_LASTS};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::json_of,
    people::{operator, owned, person_named},
    program::handraise,
};

store::on_both_databases!(
    a_command_says_whom_an_agent_belongs_to,
    who_makes_a_token_on_the_page_owns_its_agent,
    an_admin_gives_an_agent_to_somebody_else,
    the_journal_s_verification_names_an_owner_that_no_event_made,
);

async fn done(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> Value {
    json_of(call(app, cookie, name, form).await, StatusCode::OK).await
}

async fn call(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> reqwest::Response {
    let form: Vec<_> = form.iter().copied().map(owned).collect();
    app.submit(&format!("/ui/{name}"), cookie, &form).await
}

async fn page(app: &TestApp, cookie: &str, path: &str) -> String {
    let page = app.get(path).header("cookie", cookie).send().await;
    page.unwrap().text().await.unwrap()
}

fn said(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

async fn a_command_says_whom_an_agent_belongs_to(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    for name in ["Ana", "Ben", "Cem"] {
        let _ = app.sign_in(name, Role::Responder).await;
    }
    let run = |arguments: &[&str]| {
        let at = ["--database", &*database.url];
        handraise(&[arguments, &at[..]].concat())
    };
    let create = ["token", "create", "--name", "night desk", "--kind"];
    let made = run(&[&create[..], &["agent", "--owner", "ANA"]].concat());
    let token = printed(&made);
    let response = app.get("/api/v1/events").bearer_auth(token.trim()).send();
    assert_eq!(response.await.unwrap().status(), 200);
    let listed = || printed(&run(&["token", "list"]));
    assert!(
        listed().contains("  night desk  of Ana  by "),
        "{}",
        listed()
    );
    let id = listed().split_whitespace().next().unwrap().to_owned();
    assert!(
        run(&["token", "owner", &id, "--owner", "Ben"])
            .status
            .success()
    );
    // Running it twice does no harm.
    assert!(
        run(&["token", "owner", &id, "--owner", "Ben"])
            .status
            .success()
    );
    assert!(listed().contains("  of Ben  by "), "{}", listed());
    assert!(run(&["user", "disable", "--name", "Ben"]).status.success());
    assert!(
        listed().contains("  of Ben (disabled)  by "),
        "{}",
        listed()
    );
    // It stays whose it is, whoever that is.
    assert!(
        run(&["token", "owner", &id, "--owner", "Ben"])
            .status
            .success()
    );
    for (arguments, words) in [
        (
            &["token", "owner", &*id, "--owner", "Dov"][..],
            "nobody here is called \"Dov\"",
        ),
        (
            &[
                "token",
                "owner",
                "019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742",
                "--none",
            ][..],
            "there is no token",
        ),
        (&["token", "owner", &*id][..], "--owner"),
        (
            &[
                "token",
                "create",
                "--kind",
                "responder",
                "--name",
                "s",
                "--owner",
                "Cem",
            ][..],
            "--owner is for agents",
        ),
        (
            &[
                "token", "create", "--kind", "agent", "--name", "s", "--owner", "Ben",
            ][..],
            "owner is disabled",
        ),
    ] {
        let said = said(&run(arguments));
        assert!(said.contains(words), "{words} in {said}");
    }
    assert!(run(&["token", "owner", &id, "--none"]).status.success());
    assert!(listed().contains("  night desk  by "), "{}", listed());
    let refused = said(&run(&["token", "owner", &id, "--owner", "Ben"]));
    assert!(refused.contains("owner is disabled"), "{refused}");
}

async fn who_makes_a_token_on_the_page_owns_its_agent(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    for (kind, name) in [("agent", "backend"), ("responder", "desk")] {
        done(
            &app,
            &ana,
            "create-token",
            &[("kind", kind), ("name", name)],
        )
        .await;
    }
    let list = done(&app, &ana, "load-tokens", &[]).await;
    let owners = list["rows"].as_array().unwrap().iter();
    let owners: Vec<_> = owners.map(|row| row["owner"]["name"].clone()).collect();
    assert_eq!(owners, [json!("Ana"), Value::Null]);
    let tokens = page(&app, &ana, "/settings/tokens").await;
    assert_eq!(tokens.matches("belongs to ").count(), 1, "{tokens}");
    // The guide's step is the same call; agents show it to everybody who can look.
    let agents = done(&app, &ana, "load-agents", &[]).await;
    assert_eq!(agents["rows"][0]["owners"][0]["name"], "Ana");
    let vera = app.sign_in("Vera", Role::Viewer).await;
    let agents = page(&app, &vera, "/agents").await;
    assert!(agents.contains("belongs to "), "{agents}");
}

async fn an_admin_gives_an_agent_to_somebody_else(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let rita = app.sign_in("Rita", Role::Responder).await;
    let (service, by) = (&app.state.service, operator());
    let never = Lifetime::Never;
    let old = service.create_token(TokenKind::Agent, "backend", never, &[], &by);
    old.await.unwrap();
    let script = service.create_token(TokenKind::Responder, "desk", never, &[], &by);
    script.await.unwrap();
    let list = done(&app, &ana, "load-tokens", &[]).await;
    let id = |n: usize| list["rows"][n]["id"].as_str().unwrap().to_owned();
    let (agent, script) = (id(0), id(1));
    let person = person_named(&app, "Rita").await.to_string();
    let give = |id: &str, owner: &str| {
        vec![
            ("id".to_owned(), id.to_owned()),
            ("owner".to_owned(), owner.to_owned()),
        ]
    };
    let send = async |cookie: &str, form: Vec<(String, String)>| {
        app.submit("/ui/change-owner", cookie, &form).await.status()
    };
    assert_eq!(send(&rita, give(&agent, &person)).await, 403);
    assert_eq!(send(&ana, give(&agent, &person)).await, 200);
    let tokens = page(&app, &ana, "/settings/tokens").await;
    assert!(!tokens.contains("belongs to nobody"), "{tokens}");
    for (token, owner, status) in [
        (&*agent, "Rita", 422),
        (&agent, "019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742", 422),
        ("019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742", &person, 404),
        (&script, &person, 422),
    ] {
        assert_eq!(send(&ana, give(token, owner)).await, status, "{owner}");
    }
    let list = done(&app, &ana, "load-tokens", &[]).await;
    assert_eq!(list["rows"][0]["owner"]["name"], "Rita");
    // A browser that was left open is not enough.
    app.clock.advance(PROOF_LASTS + TimeDelta::seconds(1));
    assert_eq!(send(&ana, give(&agent, "")).await, 422);
    let mut form = give(&agent, "");
    form.push((
        "confirm".to_owned(),
        crate::support::people::PASSWORD.to_owned(),
    ));
    assert_eq!(send(&ana, form).await, 200);
    let reader = app.responder("reader").await;
    let events = reader.read("/api/v1/events?limit=100").await;
    let events = events["items"].as_array().unwrap().iter();
    let told: Vec<_> = events
        .filter(|event| event["type"] == "token.owner_changed")
        .map(|event| event["payload"]["owner"].clone())
        .collect();
    assert_eq!(told, [json!(person), Value::Null]);
}

async fn the_journal_s_verification_names_an_owner_that_no_event_made(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let _ = app.sign_in("Ana", Role::Admin).await;
    let _ = app.sign_in("Ben", Role::Responder).await;
    let (service, by) = (&app.state.service, operator());
    let ana = person_named(&app, "Ana").await;
    for name in ["backend", "ci"] {
        let token = service.create_owned_token(name, ana, None, Lifetime::Never, &by);
        token.await.unwrap();
    }
    // Once more by an event, and ended.
    let tokens = service.tokens(&by).await.unwrap();
    let ben = person_named(&app, "Ben").await;
    let (backend, ci) = (tokens[0].token.id, tokens[1].token.id);
    assert!(service.change_owner(backend, Some(ben), &by).await.unwrap());
    assert!(service.revoke_token(ci, &by).await.unwrap());
    app.state.checkpoints.sign_new().await.unwrap();
    let key = app.state.config.key_file().display().to_string();
    let checkpoints = app.state.config.checkpoint_file().display().to_string();
    let verify = || {
        handraise(&[
            "journal",
            "verify",
            "--database",
            &database.url,
            "--checkpoints",
            &checkpoints,
            "--key",
            &key,
        ])
    };
    assert!(verify().status.success(), "{:?}", verify());
    database
        .execute("UPDATE tokens SET owner_id = NULL")
        .await
        .unwrap();
    let said = said(&verify());
    for line in [
        "but 2 of what stands beside it",
        "the agent token backend: the row names another owner than the events",
        "the agent token ci: the row names another owner than the events",
    ] {
        assert!(said.contains(line), "{line} in {said}");
    }
}
