//! Browsers that are signed in, and how they come to be no longer.

use chrono::TimeDelta;
use domain::{Role, SessionId, limits};
use reqwest::{Response, StatusCode};
use serde_json::Value;
use store::testing::TestDatabase;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::support::{
    app::TestApp,
    people::{PASSWORD, cookie_of, operator, owned},
    socket::{closed_with, resumed},
};

store::on_both_databases!(
    sessions_are_listed_and_ended_by_their_owner,
    another_password_signs_the_other_browsers_out,
    who_comes_in_ends_what_was_open_in_that_browser,
    a_session_ends_when_it_is_not_used_and_in_any_case_after_a_month,
    whoever_may_no_longer_stay_loses_the_open_page_at_once,
    an_admin_keeps_people_out_and_lets_them_in_again,
);

async fn call(app: &TestApp, cookie: &str, path: &str, form: &[(&str, &str)]) -> Response {
    let form: Vec<_> = form.iter().copied().map(owned).collect();
    app.submit(path, cookie, &form).await
}

async fn account(app: &TestApp, cookie: &str) -> Value {
    let response = call(app, cookie, "/ui/load-account", &[]).await;
    assert_eq!(response.status(), StatusCode::OK);
    response.json().await.unwrap()
}

async fn is_in(app: &TestApp, cookie: &str) -> bool {
    let page = app.get("/").header("cookie", cookie).send().await.unwrap();
    page.status() == StatusCode::OK
}

async fn another_browser(app: &TestApp, name: &str, password: &str) -> String {
    let form = [("name", name), ("password", password)].map(owned);
    cookie_of(&app.submit("/sign-in", "", &form).await)
}

async fn sessions_are_listed_and_ended_by_their_owner(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let first = app.sign_in("Ana", Role::Viewer).await;
    let second = another_browser(&app, "Ana", PASSWORD).await;
    let third = another_browser(&app, "Ana", PASSWORD).await;
    let of_ben = app.sign_in("Ben", Role::Admin).await;
    let shown = account(&app, &second).await;
    let sessions = shown["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions.iter().filter(|one| one["this"] == true).count(), 1);
    assert_eq!(sessions[0]["address"], "127.0.0.1");
    let this = |shown: &Value| -> String {
        let sessions = shown["sessions"].as_array().unwrap();
        let this = sessions.iter().find(|one| one["this"] == true).unwrap();
        this["id"].as_str().unwrap().to_owned()
    };
    let id = this(&shown);
    // An admin's right is to disable a person, not to pick among their browsers.
    call(&app, &of_ben, "/ui/end-session", &[("id", &id)]).await;
    assert!(is_in(&app, &second).await);
    call(&app, &first, "/ui/end-session", &[("id", &id)]).await;
    assert!(!is_in(&app, &second).await);
    call(&app, &first, "/ui/end-other-sessions", &[]).await;
    assert!(is_in(&app, &first).await && !is_in(&app, &third).await);
    assert!(is_in(&app, &of_ben).await);
    assert!(id.parse::<SessionId>().is_ok());
}

async fn who_comes_in_ends_what_was_open_in_that_browser(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let of_root = app.sign_in("root", Role::Admin).await;
    app.sign_in("Ben", Role::Viewer).await;
    let form = [("name", "Ben"), ("password", PASSWORD)].map(owned);
    let of_ben = cookie_of(&app.submit("/sign-in", &of_root, &form).await);
    assert_eq!(account(&app, &of_ben).await["name"], "Ben");
    // For those who have copied its cookie, too.
    assert!(!is_in(&app, &of_root).await);
}

async fn another_password_signs_the_other_browsers_out(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let this = app.sign_in("Ana", Role::Viewer).await;
    let other = another_browser(&app, "Ana", PASSWORD).await;
    let change = async |current: &str, password: &str| {
        let form = [("current", current), ("password", password)];
        let response = call(&app, &this, "/ui/change-password", &form).await;
        (response.status().as_u16(), response.text().await.unwrap())
    };
    let (status, text) = change("guess", "north walks tin drum").await;
    assert!(
        status == 422 && text.contains("current password is wrong"),
        "{text}"
    );
    let (status, text) = change(PASSWORD, "password1234").await;
    assert!(status == 422 && text.contains("easy to guess"), "{text}");
    assert!(is_in(&app, &other).await);
    assert_eq!(change(PASSWORD, "north walks tin drum").await.0, 200);
    assert!(is_in(&app, &this).await && !is_in(&app, &other).await);
    another_browser(&app, "Ana", "north walks tin drum").await;
    // Whoever found the page open cannot try passwords for ever.
    for _ in 0..5 {
        assert_eq!(change("guess", "x").await.0, 422);
    }
    let (status, text) = change("guess", "x").await;
    assert!(status == 429 && text.contains("wait 1 s"), "{text}");
}

async fn a_session_ends_when_it_is_not_used_and_in_any_case_after_a_month(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let idle = app.sign_in("Ana", Role::Viewer).await;
    let used = app.sign_in("Ben", Role::Viewer).await;
    let mut days = 0;
    while TimeDelta::days(days) < limits::SESSION_LIFETIME {
        assert!(is_in(&app, &used).await, "day {days}");
        app.state.service.write_uses().await.unwrap();
        app.clock.advance(TimeDelta::days(3));
        days += 3;
        if TimeDelta::days(days) == limits::SESSION_IDLE + TimeDelta::days(2) {
            assert!(!is_in(&app, &idle).await);
        }
    }
    assert!(!is_in(&app, &used).await);
}

async fn whoever_may_no_longer_stay_loses_the_open_page_at_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let service = &app.state.service;
    let cookie = app.sign_in("Ana", Role::Viewer).await;
    let mut socket = resumed(&app, &cookie, 0).await;
    call(&app, &cookie, "/sign-out", &[]).await;
    assert_eq!(closed_with(&mut socket).await, CloseCode::Policy);

    let cookie = another_browser(&app, "Ana", PASSWORD).await;
    let other = another_browser(&app, "Ana", PASSWORD).await;
    let mut socket = resumed(&app, &cookie, 0).await;
    let form = [("current", PASSWORD), ("password", "north walks tin drum")];
    let changed = call(&app, &other, "/ui/change-password", &form).await;
    assert_eq!(changed.status(), StatusCode::OK);
    assert_eq!(closed_with(&mut socket).await, CloseCode::Policy);

    let mut socket = resumed(&app, &other, 0).await;
    let ana = service.people(&operator()).await.unwrap()[0].person.id;
    service
        .disable_person(ana, true, false, &operator())
        .await
        .unwrap();
    assert_eq!(closed_with(&mut socket).await, CloseCode::Policy);
}

async fn an_admin_keeps_people_out_and_lets_them_in_again(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let admin = app.sign_in("Ana", Role::Admin).await;
    let cookie = app.sign_in("Ben", Role::Responder).await;
    let people: Value = call(&app, &admin, "/ui/load-people", &[])
        .await
        .json()
        .await
        .unwrap();
    let (ana, ben) = (&people["rows"][0], &people["rows"][1]);
    assert_eq!(
        (&ana["yourself"], &ben["standing"]),
        (&true.into(), &"active".into())
    );
    let [ana, ben] = [ana, ben].map(|one| one["id"].as_str().unwrap());
    let change = async |path: &str, form: &[(&str, &str)]| {
        let response = call(&app, &admin, path, form).await;
        (response.status().as_u16(), response.text().await.unwrap())
    };
    // Nobody takes their own rights away.
    for (path, form) in [
        (
            "/ui/disable-person",
            [("id", ana), ("disabled", "true"), ("", "")],
        ),
        (
            "/ui/change-person",
            [("id", ana), ("name", "Ana"), ("role", "viewer")],
        ),
    ] {
        let (status, text) = change(path, &form).await;
        assert!(status == 422 && text.contains("your own rights"), "{text}");
    }
    let demoted = [("id", ben), ("name", "Ben"), ("role", "viewer")];
    assert_eq!(change("/ui/change-person", &demoted).await.0, 200);
    let shown = account(&app, &cookie).await;
    assert_eq!(shown["role"], "viewer");
    let disabled = [("id", ben), ("disabled", "true")];
    assert_eq!(change("/ui/disable-person", &disabled).await.0, 200);
    assert!(!is_in(&app, &cookie).await);
    let (status, text) = change("/ui/make-link", &[("id", ben)]).await;
    assert!(status == 422 && text.contains("is disabled"), "{text}");
    let enabled = [("id", ben), ("disabled", "false")];
    assert_eq!(change("/ui/disable-person", &enabled).await.0, 200);
    assert!(!is_in(&app, &cookie).await);
    another_browser(&app, "Ben", PASSWORD).await;
    let (_, link) = change("/ui/make-link", &[("id", ben)]).await;
    assert!(link.contains("/sign-in/"), "{link}");
}
