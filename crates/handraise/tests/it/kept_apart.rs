//! What keeps people, their browsers and their tokens apart: ends, proofs, and what is told of both.

use chrono::TimeDelta;
use domain::{
    Role, TokenKind,
    access::Lifetime,
    limits::{PROOF_LASTS, TOKEN_LIFETIME},
};
use reqwest::{Response, StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::json_of,
    people::{PASSWORD, cookie_of, operator, owned, person_named},
};

store::on_both_databases!(
    an_expired_token_is_told_so,
    a_token_of_the_page_ends_after_a_year_unless_somebody_says_otherwise,
    a_browser_that_was_left_open_asks_for_the_password,
    who_is_disabled_loses_what_they_made_if_an_admin_says_so,
    a_link_is_told_to_its_person_and_to_admins,
    admins_hear_of_tokens_that_end,
    who_comes_and_goes_is_in_the_journal_and_agents_never_see_it,
    guesses_that_have_to_wait_fill_no_journal,
    a_session_is_nobodys_under_another_name,
    a_page_of_one_person_answers_nothing_as_another,
    who_signs_out_leaves_nothing_behind,
    browsers_stay_with_https,
);

async fn call(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> Response {
    let form: Vec<_> = form.iter().copied().map(owned).collect();
    app.submit(&format!("/ui/{name}"), cookie, &form).await
}

async fn done(app: &TestApp, cookie: &str, name: &str, form: &[(&str, &str)]) -> Value {
    json_of(call(app, cookie, name, form).await, StatusCode::OK).await
}

/// What one row of a list says, found by its name.
fn row<'a>(list: &'a Value, name: &str) -> &'a Value {
    let rows = list["rows"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap()
}

async fn an_expired_token_is_told_so(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let half_a_day = Lifetime::For(TimeDelta::hours(12));
    let (service, by) = (&app.state.service, operator());
    let token = service.create_token(TokenKind::Agent, "backend", half_a_day, &[], &by);
    let token = token.await.unwrap();
    let events = || app.get("/api/v1/events").bearer_auth(token.reveal()).send();
    assert_eq!(events().await.unwrap().status(), StatusCode::OK);
    app.clock.advance(TimeDelta::hours(12));
    let problem = json_of(events().await.unwrap(), StatusCode::UNAUTHORIZED).await;
    assert_eq!(problem["code"], "token_expired");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("expired on 2027-01-15 20:00 UTC"),
        "{detail}"
    );
    let tools = app.post("/mcp").bearer_auth(token.reveal()).send().await;
    let problem = json_of(tools.unwrap(), StatusCode::UNAUTHORIZED).await;
    assert_eq!(problem["code"], "token_expired");
}

async fn a_token_of_the_page_ends_after_a_year_unless_somebody_says_otherwise(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    for (name, expires) in [("a", None), ("b", Some("90d")), ("c", Some("never"))] {
        let mut form = vec![("kind", "agent"), ("name", name)];
        form.extend(expires.map(|expires| ("expires", expires)));
        done(&app, &ana, "create-token", &form).await;
    }
    let list = done(&app, &ana, "load-tokens", &[]).await;
    let now = app.state.service.now();
    let end = |span: TimeDelta| serde_json::to_value(now + span).unwrap();
    assert_eq!(row(&list, "a")["expires_at"], end(TOKEN_LIFETIME));
    assert_eq!(row(&list, "b")["expires_at"], end(TimeDelta::days(90)));
    assert_eq!(row(&list, "c")["expires_at"], Value::Null);
    for name in ["a", "b", "c"] {
        assert_eq!(row(&list, name)["made_by"], "Ana");
    }
    for expires in ["soon", "0d", "2020-01-01", "99999d"] {
        let form = [("kind", "agent"), ("name", "d"), ("expires", expires)];
        let refused = call(&app, &ana, "create-token", &form).await;
        assert_eq!(refused.status(), 422, "{expires}");
    }
    let page = app.get("/settings/tokens").header("cookie", &ana).send();
    let page = page.await.unwrap().text().await.unwrap();
    for words in ["never expires", " more", "A year"] {
        assert!(page.contains(words), "{words}");
    }
}

async fn a_browser_that_was_left_open_asks_for_the_password(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    app.sign_in("Ben", Role::Viewer).await;
    let people = done(&app, &ana, "load-people", &[]).await;
    let ben = row(&people, "Ben")["id"].as_str().unwrap().to_owned();
    let forms = [
        ("create-token", vec![("kind", "agent"), ("name", "ci")]),
        ("invite-person", vec![("name", "Cem"), ("role", "admin")]),
        ("make-link", vec![("id", &*ben)]),
        (
            "change-person",
            vec![("id", &*ben), ("name", "Ben"), ("role", "responder")],
        ),
    ];
    app.clock.advance(PROOF_LASTS);
    for (name, form) in &forms {
        let before = app.last_seq().await;
        let refused = call(&app, &ana, name, form).await;
        let (status, text) = (refused.status(), refused.text().await.unwrap());
        assert!(
            status == 422 && text.contains("needs your password once more"),
            "{name}: {status} {text}"
        );
        assert_eq!(app.last_seq().await, before);
    }
    // Without scripts it is a plain form with a field for it.
    let page = app.get("/settings/people").header("cookie", &ana).send();
    let page = page.await.unwrap().text().await.unwrap();
    assert!(page.contains("name=\"confirm\""), "{page}");
    let with = |form: &[(&'static str, &str)], password: &str| {
        let mut form: Vec<(String, String)> = form.iter().copied().map(owned).collect();
        form.push(owned(("confirm", password)));
        form
    };
    let wrong = with(&[("kind", "agent"), ("name", "ci")], "guess");
    let refused = app.submit("/ui/create-token", &ana, &wrong).await;
    assert_eq!(refused.status(), 422);
    let right = with(&[("kind", "agent"), ("name", "ci")], PASSWORD);
    let made = app.submit("/ui/create-token", &ana, &right).await;
    assert_eq!(made.status(), StatusCode::OK);
    // It counts for all of them, in this browser, and not for ever.
    let form = [("name", "Ana"), ("password", PASSWORD)].map(owned);
    let elsewhere = cookie_of(&app.submit("/sign-in", "", &form).await);
    for (name, form) in &forms {
        done(&app, &ana, name, form).await;
    }
    app.clock.advance(PROOF_LASTS - TimeDelta::seconds(1));
    done(&app, &elsewhere, "make-link", &[("id", &ben)]).await;
    app.clock.advance(TimeDelta::seconds(1));
    for cookie in [&ana, &elsewhere] {
        let refused = call(&app, cookie, "make-link", &[("id", &ben)]).await;
        assert_eq!(refused.status(), 422);
    }
    // Nobody waits for a password to keep somebody out.
    let form = [("id", &*ben), ("disabled", "true")];
    done(&app, &ana, "disable-person", &form).await;
}

async fn who_is_disabled_loses_what_they_made_if_an_admin_says_so(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    for (name, revoked) in [("Ben", false), ("Cem", true)] {
        let theirs = app.sign_in(name, Role::Admin).await;
        let form = [("kind", "responder"), ("name", name)];
        let token = done(&app, &theirs, "create-token", &form).await;
        let token = token.as_str().unwrap();
        let people = done(&app, &ana, "load-people", &[]).await;
        let person = row(&people, name);
        assert_eq!(person["tokens"], serde_json::json!([name]));
        let id = person["id"].as_str().unwrap();
        let page = app.get(&format!("/settings/people/{id}"));
        let page = page.header("cookie", &ana).send().await.unwrap();
        let page = page.text().await.unwrap();
        assert!(page.contains("name=\"revoke_tokens\""), "{page}");
        let mut form = vec![("id", id), ("disabled", "true")];
        form.extend(revoked.then_some(("revoke_tokens", "true")));
        done(&app, &ana, "disable-person", &form).await;
        let works = app.get("/api/v1/events").bearer_auth(token).send().await;
        assert_eq!(works.unwrap().status() == StatusCode::OK, !revoked);
    }
}

async fn a_link_is_told_to_its_person_and_to_admins(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Viewer).await;
    let links = async |cookie: &str| {
        let notices = done(&app, cookie, "load-notices", &[]).await;
        lines(&notices, "links")
    };
    // Nobody loses anything by an invitation.
    assert!(links(&ana).await.is_empty() && links(&ben).await.is_empty());
    let people = done(&app, &ana, "load-people", &[]).await;
    let id = row(&people, "Ben")["id"].as_str().unwrap().to_owned();
    done(&app, &ana, "make-link", &[("id", &id)]).await;
    let [to_ben] = &links(&ben).await[..] else {
        panic!("Ben is not told");
    };
    assert_eq!(
        (&to_ben["by"], &to_ben["yours"]),
        (&"Ana".into(), &true.into())
    );
    let page = app.get("/").header("cookie", &ben).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(page.contains("made a one-time link for you"), "{page}");
    let [to_ana] = &links(&ana).await[..] else {
        panic!("the admin is not told");
    };
    assert_eq!(
        (&to_ana["name"], &to_ana["yours"]),
        (&"Ben".into(), &false.into())
    );
    // Ben says that he knows, which takes it from nobody else.
    let made_at = to_ben["at"].as_str().unwrap();
    done(&app, &ben, "told-of-link", &[("made_at", made_at)]).await;
    assert!(links(&ben).await.is_empty());
    assert_eq!(links(&ana).await.len(), 1);
    app.clock.advance(TimeDelta::days(6));
    assert_eq!(links(&ana).await.len(), 1);
    app.clock.advance(TimeDelta::days(1));
    let form = [("name", "Ana"), ("password", PASSWORD)].map(owned);
    let ana = cookie_of(&app.submit("/sign-in", "", &form).await);
    assert!(links(&ana).await.is_empty());
}

async fn admins_hear_of_tokens_that_end(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    for (name, expires) in [("later", "16d"), ("soon", "15d"), ("never", "never")] {
        let form = [("kind", "agent"), ("name", name), ("expires", expires)];
        done(&app, &ana, "create-token", &form).await;
    }
    let ending = async |cookie: &str| -> Vec<String> {
        let notices = done(&app, cookie, "load-notices", &[]).await;
        let ending = lines(&notices, "ending").into_iter();
        ending
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(ending(&ana).await.is_empty());
    app.clock.advance(TimeDelta::days(1));
    assert_eq!(ending(&ana).await, ["soon"]);
    assert!(ending(&ben).await.is_empty());
    app.clock.advance(TimeDelta::days(5));
    assert_eq!(ending(&ana).await, ["soon", "later"]);
}

/// The notices of one kind: they travel as a text, unless there are none at all.
fn lines(notices: &Value, kind: &str) -> Vec<Value> {
    let Some(text) = notices["lines"].as_str() else {
        return Vec::new();
    };
    let lines: Value = serde_json::from_str(text).unwrap();
    lines[kind].as_array().unwrap().clone()
}

/// The types of the journal's events from there on, as this caller sees them.
async fn types(app: &TestApp, token: &str, after: i64) -> Vec<String> {
    let events = app.get(&format!("/api/v1/events?after={after}"));
    let events = events.bearer_auth(token).send().await.unwrap();
    let events = json_of(events, StatusCode::OK).await;
    let items = events["items"].as_array().unwrap().iter();
    items
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

/// Waits until the journal has this many events.
async fn grown(app: &TestApp, to: i64) {
    let mut growth = app.state.service.store().growth();
    while app.last_seq().await < to {
        growth.changed().await.unwrap();
    }
}

async fn who_comes_and_goes_is_in_the_journal_and_agents_never_see_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await.token;
    let desk = app.responder("desk").await.token;
    app.sign_in("Ana", Role::Viewer).await;
    let start = app.last_seq().await;
    let sign_in = async |name: &str, password: &str| {
        let form = [("name", name), ("password", password)].map(owned);
        app.submit("/sign-in", "", &form).await
    };
    let cookie = cookie_of(&sign_in("ana", PASSWORD).await);
    sign_in("Ana", "SECRET-word").await;
    grown(&app, start + 2).await;
    // A password in the wrong field.
    sign_in("SECRET-name", "x").await;
    grown(&app, start + 3).await;
    app.submit("/sign-out", &cookie, &[]).await;
    let expected = [
        "person.signed_in",
        "person.sign_in_failed",
        "person.sign_in_failed",
        "person.signed_out",
    ];
    assert_eq!(types(&app, &desk, start).await, expected);
    assert!(types(&app, &agent, start).await.is_empty());
    let page = app.get(&format!("/api/v1/events?after={start}"));
    let page = page.bearer_auth(&desk).send().await.unwrap();
    let events = json_of(page, StatusCode::OK).await["items"].take();
    let people = [0, 1, 2, 3].map(|n| events[n]["payload"]["person"]["name"].as_str());
    assert_eq!(people, [Some("Ana"), Some("Ana"), None, Some("Ana")]);
    let actors = [0, 1, 2, 3].map(|n| events[n]["actor"]["type"].as_str().unwrap());
    assert_eq!(actors, ["person", "stranger", "stranger", "person"]);
    let session = &events[0]["payload"]["session"];
    assert_eq!(
        events[3]["payload"]["sessions"],
        serde_json::json!([session])
    );
    assert!(!events.to_string().contains("SECRET"), "{events}");
    store::verify_journal(&**app.state.service.store())
        .await
        .unwrap();
}

async fn guesses_that_have_to_wait_fill_no_journal(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    app.sign_in("Ana", Role::Viewer).await;
    let start = app.last_seq().await;
    let mut waits = 0;
    for _ in 0..12 {
        let form = [("name", "Ana"), ("password", "guess")].map(owned);
        let response = app.submit("/sign-in", "", &form).await;
        let place = response.headers()[header::LOCATION].to_str().unwrap();
        waits += usize::from(place.contains("refused=wait-"));
    }
    assert_eq!(waits, 7);
    grown(&app, start + 5).await;
    // What comes after all of them is the next.
    app.sign_in("Ben", Role::Viewer).await;
    assert_eq!(app.last_seq().await, start + 5 + 3);
}

async fn a_session_is_nobodys_under_another_name(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Viewer).await;
    let page = async |host: &str| {
        let page = app.get("/").header("cookie", &cookie);
        page.header("host", host).send().await.unwrap().status()
    };
    let port = app.addr.port();
    assert_eq!(page(&format!("127.0.0.1:{port}")).await, StatusCode::OK);
    // Another port of the same name: a proxy may stand there.
    assert_eq!(page("127.0.0.1:9").await, StatusCode::OK);
    for host in [
        "handraise.localhost",
        "localhost",
        "127.0.0.2",
        "evil.example",
    ] {
        let status = page(&format!("{host}:{port}")).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{host}");
    }
    // The name that is printed works like any other.
    let host = format!("handraise.localhost:{port}");
    let form = [("name", "Ana"), ("password", PASSWORD)].map(owned);
    let signed_in = app.post("/sign-in").header("host", &host);
    let signed_in = signed_in.header("origin", format!("http://{host}"));
    let signed_in = signed_in.form(&form).send().await.unwrap();
    let cookie = cookie_of(&signed_in);
    let page = app.get("/").header("cookie", cookie).header("host", host);
    assert_eq!(page.send().await.unwrap().status(), StatusCode::OK);
    let public_url = app.state.config.public_url();
    assert_eq!(public_url, format!("http://handraise.localhost:{port}"));
}

async fn a_page_of_one_person_answers_nothing_as_another(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({"kind": "question", "prompt": "?"})).await;
    let id = asked["id"].as_str().unwrap();
    app.sign_in("Ana", Role::Responder).await;
    let ana = person_named(&app, "Ana").await.to_string();
    let cookie = app.sign_in("Ben", Role::Responder).await;
    let ben = person_named(&app, "Ben").await.to_string();
    for (name, field) in [
        ("answer-blocker", "id"),
        ("answer-together", "ticked[0]"),
        ("cancel-blocker", "id"),
    ] {
        let form = [(field, id), ("text", "80"), ("by", &ana)];
        let refused = call(&app, &cookie, name, &form).await;
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{name}");
    }
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let form = [("id", id), ("text", "80"), ("by", &ben)];
    done(&app, &cookie, "answer-blocker", &form).await;
    assert_eq!(agent.poll(&asked).await["state"], "resolved");
}

async fn who_signs_out_leaves_nothing_behind(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Viewer).await;
    let left = app.submit("/sign-out", &cookie, &[]).await;
    assert_eq!(left.headers()["clear-site-data"], "\"storage\"");
    let taken = left.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(taken.contains("Max-Age=0"), "{taken}");
    assert!(
        !left
            .headers()
            .contains_key(header::STRICT_TRANSPORT_SECURITY)
    );
}

async fn browsers_stay_with_https(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.public_url = Some("https://ask.example".into());
    })
    .await;
    for path in ["/sign-in", "/healthz", "/api/v1/events", "/nowhere"] {
        let response = app.get(path).send().await.unwrap();
        let sent = response.headers().get(header::STRICT_TRANSPORT_SECURITY);
        assert_eq!(sent.unwrap(), "max-age=31536000", "{path}");
    }
    // A browser takes nothing from such a cookie that is not secure, not even its end.
    let stale = ("cookie", "__Host-handraise_session=stale");
    let response = app.get("/sign-in").header(stale.0, stale.1).send().await;
    let taken = response.unwrap().headers()[header::SET_COOKIE].clone();
    let taken = taken.to_str().unwrap();
    assert!(
        taken.contains("Max-Age=0") && taken.ends_with("; Secure"),
        "{taken}"
    );
}
