//! The second step of signing in: codes of an app as another program makes them, recovery codes, who must have one,
//! and that half signed in is not signed in.

use std::process::Command;

use chrono::{DateTime, TimeDelta};
use domain::{
    Audience, FactorId, Identity, Ids, Moment, Parts, Principal, Role, SecretHash, SessionId,
    access::{
        NewSession,
        factor::{FactorFor, FactorSecret},
    },
    decide::{
        factor::{self, NewFactor},
        identity::{self, Arrival},
    },
    delivery::SealedSecret,
};
use futures::future::join_all;
use machine::clock::{Clock, SystemIds};
use reqwest::{Method, Response, StatusCode, header};
use signing::Keyring;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    pages::{holds, read},
    people::{PASSWORD, cookie_of, operator, person_named},
    program::handraise,
    second_step::{SIGN_IN_STEP, half, is_in, password, place, send},
};

store::on_both_databases!(
    a_code_of_another_program_lets_its_owner_in_once,
    of_many_who_show_one_code_at_once_one_gets_in,
    a_clock_may_be_off_by_one_step,
    wrong_codes_make_their_author_wait_and_good_passwords_do_not_help,
    a_recovery_code_lets_in_once,
    whoever_is_half_signed_in_reaches_nothing,
    another_password_ends_the_way_in,
    whoever_needs_a_factor_sets_one_up_before_anything_else,
    an_admins_link_asks_for_the_factor_and_the_machines_does_not,
    so_it_is_where_there_is_no_password,
    what_one_person_began_to_add_no_other_adds,
    an_app_goes_on_under_another_key_of_the_server,
    changes_need_the_password_once_more,
    an_admin_resets_what_another_has_lost,
    the_machine_resets_what_everybody_has_lost,
    who_needs_a_factor_keeps_the_last,
    a_role_that_needs_a_factor_is_not_had_without_one,
    a_factor_that_was_taken_away_in_the_database_is_found,
);

async fn show(app: &TestApp, cookie: &str, code: &str) -> Response {
    send(app, cookie, SIGN_IN_STEP, &[("code", code)]).await
}

/// What stands between the two in the page.
fn between<'a>(html: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = html.split_once(before).expect(before);
    rest.split_once(after).expect(after).0
}

/// The code of an app with this secret, as the program of Debian's package makes it; `steps` from now.
fn code(app: &TestApp, secret: &str, steps: i64) -> String {
    let at = app.clock.now().timestamp() + 30 * steps;
    let made = Command::new("oathtool")
        .args(["--totp", "--base32", "--now", &format!("@{at}"), secret])
        .output()
        .expect("oathtool is missing: `cargo xtask test` installs it");
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

/// Sets an app up, by the page's own forms; with the code of the step before this one, so that this step's is
/// still good. Returns its secret, and what the last page says.
async fn set_app_up(app: &TestApp, cookie: &str) -> (String, Response) {
    let begun = send(app, cookie, "/second-factor/app", &[]).await;
    assert_eq!(place(&begun), "/second-factor/app");
    let page = read(app, cookie, "/second-factor/app").await;
    holds(&page, &["<svg class=\"qr\" role=\"img\""]);
    let secret = between(&page, "<pre id=\"secret\" class=\"command\">", "</pre>").replace(' ', "");
    let form = [("code", &*code(app, &secret, -1)), ("name", "Phone")];
    let added = send(app, cookie, "/second-factor/app/code", &form).await;
    (secret, added)
}

fn recovery_codes(page: &str) -> Vec<String> {
    let codes = between(page, "<pre id=\"codes\" class=\"command codes\">", "</pre>");
    codes.lines().map(str::to_owned).collect()
}

/// A person with an app: their cookie, its secret, and their recovery codes.
async fn with_app(app: &TestApp, name: &str, role: Role) -> (String, String, Vec<String>) {
    let cookie = app.sign_in(name, role).await;
    let (secret, added) = set_app_up(app, &cookie).await;
    assert_eq!(added.status(), StatusCode::OK);
    let codes = recovery_codes(&added.text().await.unwrap());
    (cookie, secret, codes)
}

/// The types of the events after this one.
async fn events(app: &TestApp, after: i64) -> Vec<&'static str> {
    let events = app
        .state
        .service
        .store()
        .events_after(after, &Audience::All, 50);
    let events = events.await.unwrap().collect();
    let types = events.iter().map(|event| event.payload.event_type());
    types.collect()
}

async fn a_code_of_another_program_lets_its_owner_in_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (first, secret, codes) = with_app(&app, "Ana", Role::Responder).await;
    assert_eq!(codes.len(), 10);
    let page = read(&app, &first, "/second-factor").await;
    holds(
        &page,
        &["<bdi>Phone</bdi>", "not used yet", "10 of 10 left"],
    );
    assert!(!page.contains(&secret));
    // The database holds it sealed.
    let ana = person_named(&app, "Ana").await;
    let kept = app.state.service.store().factors(ana).await.unwrap();
    assert!(!format!("{:?}", kept[0].secret).contains(&secret));
    // Where they wanted to go comes after the second step.
    let before = app.last_seq().await;
    let form = [
        ("name", "Ana"),
        ("password", PASSWORD),
        ("next", "/history"),
    ];
    let response = send(&app, "", "/sign-in", &form).await;
    let half = cookie_of(&response);
    assert_eq!(place(&response), SIGN_IN_STEP);
    let page = read(&app, &half, SIGN_IN_STEP).await;
    holds(&page, &["<bdi>Ana</bdi>", "autocomplete=\"one-time-code\""]);
    assert_eq!(events(&app, before).await, [""; 0]);
    // The one that it was set up with is used up.
    let used = show(&app, &half, &code(&app, &secret, -1)).await;
    assert_eq!(place(&used), "/sign-in/factor?refused=wrong");
    let good = code(&app, &secret, 0);
    let came = show(&app, &half, &format!(" {} {} ", &good[..3], &good[3..])).await;
    assert_eq!(place(&came), "/history");
    let cookie = cookie_of(&came);
    assert_ne!(cookie, half);
    assert!(is_in(&app, &cookie).await && !is_in(&app, &half).await);
    let told = events(&app, before).await;
    assert!(
        told.ends_with(&["person.factor_used", "person.signed_in"]),
        "{told:?}"
    );
    // Nor is what is left of the first step good for another.
    assert_eq!(place(&show(&app, &half, &good).await), "/sign-in");
    assert_eq!(place(&show(&app, &cookie, &good).await), "/");
    let again = self::half(&app, "Ana").await;
    let twice = show(&app, &again, &good).await;
    assert_eq!(place(&twice), "/sign-in/factor?refused=wrong");
    app.clock.advance(TimeDelta::seconds(30));
    let came = show(&app, &again, &code(&app, &secret, 0)).await;
    assert!(is_in(&app, &cookie_of(&came)).await);
}

async fn of_many_who_show_one_code_at_once_one_gets_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, secret, codes) = with_app(&app, "Ana", Role::Viewer).await;
    for code in [code(&app, &secret, 0), codes[3].clone()] {
        let mut halves = Vec::new();
        for _ in 0..4 {
            halves.push(half(&app, "Ana").await);
        }
        let shown = join_all(halves.iter().map(|half| show(&app, half, &code))).await;
        let came = shown.iter().filter(|one| place(one) == "/");
        assert_eq!(came.count(), 1);
        for half in &halves {
            assert!(!is_in(&app, half).await);
        }
    }
}

async fn a_clock_may_be_off_by_one_step(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, secret, _) = with_app(&app, "Ana", Role::Viewer).await;
    app.clock.advance(TimeDelta::minutes(5));
    // In this order, since one that was used ends those before it.
    for (steps, lets_in) in [
        (-2, false),
        (2, false),
        (-1, true),
        (0, true),
        (1, true),
        (1, false),
    ] {
        let half = half(&app, "Ana").await;
        let shown = show(&app, &half, &code(&app, &secret, steps)).await;
        assert_eq!(place(&shown) == "/", lets_in, "{steps}");
    }
}

async fn wrong_codes_make_their_author_wait_and_good_passwords_do_not_help(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, secret, _) = with_app(&app, "Ana", Role::Viewer).await;
    with_app(&app, "Ben", Role::Viewer).await;
    let good = code(&app, &secret, 0);
    let wrong = if good == "000000" { "000001" } else { "000000" };
    for code in [wrong, "", "12345", "abcdef", "1".repeat(300).as_str()] {
        let half = half(&app, "Ana").await;
        let shown = show(&app, &half, code).await;
        assert_eq!(place(&shown), "/sign-in/factor?refused=wrong", "{code}");
    }
    let half = half(&app, "Ana").await;
    let waits = show(&app, &half, &good).await;
    assert_eq!(place(&waits), "/sign-in/factor?refused=wait-1");
    let page = read(&app, &half, place(&waits)).await;
    holds(&page, &["Too many wrong tries. Try again in 1 s."]);
    // Another person from the same place does not wait.
    let of_ben = self::half(&app, "Ben").await;
    let shown = show(&app, &of_ben, wrong).await;
    assert_eq!(place(&shown), "/sign-in/factor?refused=wrong");
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(place(&show(&app, &half, &good).await), "/");
}

async fn a_recovery_code_lets_in_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (first, _, codes) = with_app(&app, "Ana", Role::Viewer).await;
    let (_, _, of_ben) = with_app(&app, "Ben", Role::Viewer).await;
    let half = half(&app, "Ana").await;
    let page = read(&app, &half, SIGN_IN_STEP).await;
    holds(&page, &["Use a recovery code"]);
    // Another's is nobody's here. It ends the first step: whether it is good is seen at the end.
    let shown = show(&app, &half, &of_ben[0]).await;
    assert_eq!(place(&shown), "/sign-in?refused=used");
    let half = self::half(&app, "Ana").await;
    let typed = codes[0].to_uppercase().replace('-', " ");
    let came = show(&app, &half, &typed).await;
    assert!(is_in(&app, &cookie_of(&came)).await);
    let half = self::half(&app, "Ana").await;
    let shown = show(&app, &half, &codes[0]).await;
    assert_eq!(place(&shown), "/sign-in?refused=used");
    let page = read(&app, &first, "/second-factor").await;
    holds(&page, &["9 of 10 left"]);
    // New ones end those before.
    let made = send(&app, &first, "/second-factor/codes", &[]).await;
    assert_eq!(made.status(), StatusCode::OK);
    let new = recovery_codes(&made.text().await.unwrap());
    for (code, lets_in) in [(&codes[1], false), (&new[0], true)] {
        let half = self::half(&app, "Ana").await;
        let shown = show(&app, &half, code).await;
        assert_eq!(place(&shown) == "/", lets_in);
    }
}

async fn whoever_is_half_signed_in_reaches_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    agent.ask(serde_json::json!({})).await;
    let (_, secret, _) = with_app(&app, "Ana", Role::Admin).await;
    let half = half(&app, "Ana").await;
    let before = app.last_seq().await;
    let tried = |method: Method, path: String, cookie: &str| {
        let request = app.client().request(method.clone(), app.url(&path));
        let request = request
            .header(header::COOKIE, cookie)
            .header(header::ORIGIN, app.url(""));
        let request = match method == Method::POST {
            true => request
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body("name=x&password=x&id=x&code=x&answer=x&next=%2F"),
            false => request,
        };
        async move {
            let response = request.send().await.unwrap();
            let place = response.headers().get(header::LOCATION);
            let place = place.map(|place| place.to_str().unwrap().to_owned());
            (response.status(), place)
        }
    };
    // Every page and every call: what a stranger gets.
    let pages = [
        "/",
        "/history",
        "/tasks",
        "/agents",
        "/deliveries",
        "/settings",
        "/settings/people",
        "/settings/tokens",
        "/settings/webhooks",
        "/slack/link/x",
        "/nowhere",
        "/ws",
    ];
    let pages = pages.map(|path| (Method::GET, path.to_owned()));
    let calls = leptos::server_fn::axum::server_fn_paths();
    let calls = calls.map(|(path, method)| (method, path.to_owned()));
    let mut count = 0;
    for (method, path) in pages.into_iter().chain(calls) {
        let as_half = tried(method.clone(), path.clone(), &half).await;
        let as_stranger = tried(method, path.clone(), "").await;
        assert_eq!(as_half, as_stranger, "{path}");
        count += 1;
    }
    assert!(count > 50, "{count}");
    // What is for people who are in leads to the second step.
    let ana = person_named(&app, "Ana").await;
    for (method, path) in [
        (Method::GET, "/second-factor".to_owned()),
        (Method::POST, "/second-factor/prove".to_owned()),
        (Method::POST, "/second-factor/codes".to_owned()),
        (Method::GET, "/second-factor/app".to_owned()),
        (Method::POST, "/second-factor/app".to_owned()),
        (Method::POST, "/second-factor/app/code".to_owned()),
        (Method::GET, "/second-factor/passkey".to_owned()),
        (Method::POST, "/second-factor/passkey".to_owned()),
        (Method::GET, format!("/second-factor/of/{ana}")),
        (Method::POST, format!("/second-factor/of/{ana}")),
    ] {
        let (status, place) = tried(method, path.clone(), &half).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{path}");
        assert_eq!(place.unwrap(), SIGN_IN_STEP, "{path}");
    }
    assert_eq!(app.last_seq().await, before);
    // And to a stranger, the second step is no step.
    for path in [SIGN_IN_STEP, "/second-factor/app", "/second-factor/codes"] {
        let (status, place) = tried(Method::POST, path.to_owned(), "").await;
        assert_eq!(
            (status, &*place.unwrap()),
            (StatusCode::SEE_OTHER, "/sign-in")
        );
    }
    // From another site nothing is taken.
    let foreign = app
        .post(SIGN_IN_STEP)
        .header(header::COOKIE, &half)
        .header(header::ORIGIN, "http://evil.example")
        .form(&[("code", code(&app, &secret, 0))]);
    let foreign = foreign.send().await.unwrap();
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    // It ends by itself.
    app.clock.advance(TimeDelta::minutes(15));
    let late = show(&app, &half, &code(&app, &secret, 0)).await;
    assert_eq!(place(&late), "/sign-in");
}

async fn another_password_ends_the_way_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (first, secret, _) = with_app(&app, "Ana", Role::Viewer).await;
    let half = half(&app, "Ana").await;
    let form = [
        ("current", PASSWORD),
        ("password", "another tin drum walks"),
    ];
    let changed = send(&app, &first, "/ui/change-password", &form).await;
    assert_eq!(changed.status(), StatusCode::OK);
    let shown = show(&app, &half, &code(&app, &secret, 0)).await;
    assert_eq!(place(&shown), "/sign-in");
}

async fn whoever_needs_a_factor_sets_one_up_before_anything_else(database: TestDatabase) {
    let needs = |config: &mut server::config::Config| config.second_factor_for = FactorFor::Admin;
    let app = TestApp::start_with(&database, needs).await;
    // Others come in as before.
    let viewer = app.sign_in("Vic", Role::Viewer).await;
    assert!(is_in(&app, &viewer).await);
    let link = app
        .state
        .service
        .invite("Ana", Role::Admin, &operator())
        .await;
    let link = link.unwrap();
    let accept = [("link", link.reveal()), ("password", PASSWORD)];
    let begun = send(&app, "", "/accept-link", &accept).await;
    assert_eq!(place(&begun), "/second-factor");
    let half = cookie_of(&begun);
    assert!(!is_in(&app, &half).await);
    let page = read(&app, &half, "/second-factor").await;
    holds(&page, &["Set up a second factor", "Authenticator app"]);
    assert!(!page.contains("Recovery codes"));
    // Nothing has happened yet: the link is still good, and there is no password.
    assert_eq!(events(&app, 0).await.last(), Some(&"person.invited"));
    assert_eq!(
        place(&password(&app, "Ana").await),
        "/sign-in?refused=wrong&name=Ana&next=%2F"
    );
    let wrong = send(&app, &half, "/second-factor/app", &[]).await;
    assert_eq!(place(&wrong), "/second-factor/app");
    let form = [("code", "000000"), ("name", "")];
    let wrong = send(&app, &half, "/second-factor/app/code", &form).await;
    assert_eq!(place(&wrong), "/second-factor/app?refused=name");
    let form = [("code", "12345"), ("name", "Phone")];
    let wrong = send(&app, &half, "/second-factor/app/code", &form).await;
    assert_eq!(place(&wrong), "/second-factor/app?refused=code");
    let before = app.last_seq().await;
    let (secret, added) = set_app_up(&app, &half).await;
    assert_eq!(added.status(), StatusCode::OK);
    let cookie = added.headers()[header::SET_COOKIE].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert_ne!(cookie, half);
    assert!(is_in(&app, &cookie).await && !is_in(&app, &half).await);
    assert_eq!(
        events(&app, before).await,
        [
            "person.factor_added",
            "person.recovery_codes_made",
            "person.password_set",
            "person.signed_in"
        ]
    );
    // From now on it is asked for, and a second first one is not to be had.
    let half = self::half(&app, "Ana").await;
    let came = show(&app, &half, &code(&app, &secret, 0)).await;
    assert!(is_in(&app, &cookie_of(&came)).await);
    let used = send(&app, "", "/accept-link", &accept).await;
    assert_eq!(place(&used), "/sign-in/used");
}

async fn an_admins_link_asks_for_the_factor_and_the_machines_does_not(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, secret, _) = with_app(&app, "Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Admin).await;
    let ana = person_named(&app, "Ana").await;
    let made = send(&app, &ben, "/ui/make-link", &[("id", &ana.to_string())]).await;
    assert_eq!(made.status(), StatusCode::OK);
    let made = made.text().await.unwrap();
    let link = between(&made, "/sign-in/", "\"").to_owned();
    // Nobody takes another name before it is shown.
    let page = app.get(&format!("/sign-in/{link}")).send().await.unwrap();
    assert!(!page.text().await.unwrap().contains("Your name"));
    let accept = [
        ("link", &*link),
        ("password", "another tin drum walks"),
        ("name", "Mallory"),
    ];
    let begun = send(&app, "", "/accept-link", &accept).await;
    assert_eq!(place(&begun), SIGN_IN_STEP);
    let half = cookie_of(&begun);
    let came = show(&app, &half, &code(&app, &secret, 0)).await;
    assert!(is_in(&app, &cookie_of(&came)).await);
    // The old password is gone, the factor is not.
    assert!(place(&password(&app, "Ana").await).starts_with("/sign-in?refused=wrong"));
    let link = app.state.service.make_link(ana, &operator()).await.unwrap();
    let accept = [("link", link.reveal()), ("password", PASSWORD)];
    let came = send(&app, "", "/accept-link", &accept).await;
    assert_eq!(place(&came), "/");
    assert!(is_in(&app, &cookie_of(&came)).await);
    self::half(&app, "Ana").await;
}

async fn so_it_is_where_there_is_no_password(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ben = app.sign_in("Ben", Role::Admin).await;
    // Ana comes by a provider, and has an app.
    let now = || Moment {
        at: app.clock.now(),
        ids: &SystemIds,
        signer: None,
    };
    let at = app.clock.now();
    let arrival = Arrival {
        identity: Identity::new("https://id.example", "1").unwrap(),
        provider: "Company".into(),
        role: None,
        teams: None,
        leaves: None,
        session: NewSession {
            id: SessionId(SystemIds.next()),
            hash: SecretHash([7; 32]),
            created_at: at,
            expires_at: at + TimeDelta::days(1),
            browser: "curl".into(),
            address: "192.0.2.1".into(),
            host: "handraise.localhost".into(),
        },
        proven_at: at,
    };
    let store = app.state.service.store();
    let came = identity::come_first("Ana", Role::Admin, &arrival, now()).unwrap();
    store.commit(came).await.unwrap();
    let id = person_named(&app, "Ana").await;
    let ana = store.person(id).await.unwrap().unwrap();
    let by = Principal::Person {
        id,
        name: "Ana".into(),
        role: Role::Admin,
        proven_at: at,
        teams: Parts::default(),
    };
    let phone = NewFactor {
        id: FactorId(SystemIds.next()),
        name: "Phone".into(),
        secret: FactorSecret::App(SealedSecret(vec![1])),
        used: 0,
    };
    let added = factor::add(&ana, &[], phone, vec![SecretHash([8; 32])], &by, now()).unwrap();
    store.commit(added).await.unwrap();
    let made = send(&app, &ben, "/ui/make-link", &[("id", &id.to_string())]).await;
    let made = made.text().await.unwrap();
    let link = between(&made, "/sign-in/", "\"").to_owned();
    let accept = [("link", &*link), ("password", PASSWORD)];
    let begun = send(&app, "", "/accept-link", &accept).await;
    assert_eq!(place(&begun), SIGN_IN_STEP);
    let link = app.state.service.make_link(id, &operator()).await.unwrap();
    let accept = [("link", link.reveal()), ("password", PASSWORD)];
    let came = send(&app, "", "/accept-link", &accept).await;
    assert_eq!(place(&came), "/");
    assert!(is_in(&app, &cookie_of(&came)).await);
}

async fn what_one_person_began_to_add_no_other_adds(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let mallory = app.sign_in("Mallory", Role::Viewer).await;
    app.sign_in("Ana", Role::Admin).await;
    let begun = send(&app, &mallory, "/second-factor/app", &[]).await;
    let page = read(&app, &mallory, place(&begun)).await;
    let secret = between(&page, "<pre id=\"secret\" class=\"command\">", "</pre>").replace(' ', "");
    // Ana signs in with the browser that Mallory has left open; what is kept for it goes on.
    let form = [("name", "Ana"), ("password", PASSWORD)];
    let ana = cookie_of(&send(&app, &mallory, "/sign-in", &form).await);
    let page = app.get("/second-factor/app").header("cookie", &ana);
    let page = page.send().await.unwrap();
    assert_eq!(place(&page), "/second-factor?refused=late");
    let form = [("code", &*code(&app, &secret, 0)), ("name", "Phone")];
    let added = send(&app, &ana, "/second-factor/app/code", &form).await;
    assert_eq!(place(&added), "/second-factor?refused=late");
    let page = read(&app, &ana, "/second-factor").await;
    holds(&page, &["You have none."]);
}

async fn an_app_goes_on_under_another_key_of_the_server(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let in_folder = |config: &mut server::config::Config| {
        config.key_file = Some(key.clone());
        config.checkpoint_file = Some(folder.path().join("checkpoints"));
    };
    let app = TestApp::start_with(&database, in_folder).await;
    let (ana, secret, _) = with_app(&app, "Ana", Role::Admin).await;
    let begun = send(&app, &ana, "/second-factor/app", &[]).await;
    let page = read(&app, &ana, place(&begun)).await;
    let half_added =
        between(&page, "<pre id=\"secret\" class=\"command\">", "</pre>").replace(' ', "");
    app.stop().await;
    Keyring::rotate(&key, DateTime::UNIX_EPOCH).unwrap();
    let app = TestApp::start_with(&database, in_folder).await;
    let half = half(&app, "Ana").await;
    let came = show(&app, &half, &code(&app, &secret, 0)).await;
    assert!(is_in(&app, &cookie_of(&came)).await);
    let form = [("code", &*code(&app, &half_added, 0)), ("name", "Second")];
    let added = send(&app, &ana, "/second-factor/app/code", &form).await;
    assert_eq!(place(&added), "/second-factor?done=added");
}

async fn changes_need_the_password_once_more(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (cookie, _, _) = with_app(&app, "Ana", Role::Viewer).await;
    let page = read(&app, &cookie, "/second-factor").await;
    let id = between(&page, "name=\"id\" value=\"", "\"").to_owned();
    app.clock.advance(TimeDelta::minutes(15));
    let page = read(&app, &cookie, "/second-factor").await;
    holds(
        &page,
        &[
            "Your password",
            "signed in with a passkey is not asked",
            "<bdi>Phone</bdi>",
        ],
    );
    assert!(!page.contains("Remove") && !page.contains("Make new ones"));
    let before = app.last_seq().await;
    for (path, form) in [
        ("/second-factor/remove", &[("id", &*id)][..]),
        ("/second-factor/codes", &[]),
        ("/second-factor/app", &[]),
    ] {
        let response = send(&app, &cookie, path, form).await;
        assert_eq!(place(&response), "/second-factor", "{path}");
    }
    assert_eq!(app.last_seq().await, before);
    let prove = async |word: &str| {
        let form = [("password", word), ("next", "/second-factor")];
        let response = send(&app, &cookie, "/second-factor/prove", &form).await;
        place(&response).to_owned()
    };
    assert_eq!(prove("wrong").await, "/second-factor?refused=password");
    assert_eq!(prove(PASSWORD).await, "/second-factor");
    let other = app.sign_in("Ben", Role::Admin).await;
    let of_another = send(&app, &other, "/second-factor/remove", &[("id", &id)]).await;
    assert_eq!(place(&of_another), "/second-factor?done=removed");
    let page = read(&app, &cookie, "/second-factor").await;
    holds(&page, &["<bdi>Phone</bdi>"]);
    for _ in 0..2 {
        let removed = send(&app, &cookie, "/second-factor/remove", &[("id", &id)]).await;
        assert_eq!(place(&removed), "/second-factor?done=removed");
    }
    let told = events(&app, before).await;
    let removed = told.iter().filter(|one| **one == "person.factor_removed");
    assert_eq!(removed.count(), 1);
    assert!(is_in(&app, &cookie_of(&password(&app, "Ana").await)).await);
}

async fn an_admin_resets_what_another_has_lost(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (ana, ..) = with_app(&app, "Ana", Role::Responder).await;
    let half = half(&app, "Ana").await;
    let admin = app.sign_in("Ben", Role::Admin).await;
    let id = person_named(&app, "Ana").await;
    let page = format!("/second-factor/of/{id}");
    holds(
        &read(&app, &admin, &page).await,
        &["<bdi>Ana</bdi>", "authenticator app"],
    );
    // Nobody else, and nobody for themselves.
    for (cookie, where_to) in [(&ana, "/second-factor"), (&half, SIGN_IN_STEP)] {
        assert_eq!(place(&send(&app, cookie, &page, &[]).await), where_to);
    }
    let viewer = app.sign_in("Vic", Role::Viewer).await;
    assert_eq!(place(&send(&app, &viewer, &page, &[]).await), "/");
    app.clock.advance(TimeDelta::minutes(15));
    let before = app.last_seq().await;
    assert_eq!(place(&send(&app, &admin, &page, &[]).await), page);
    assert_eq!(app.last_seq().await, before);
    let form = [("password", PASSWORD), ("next", &*page)];
    let proven = send(&app, &admin, "/second-factor/prove", &form).await;
    assert_eq!(place(&proven), page);
    let reset = send(&app, &admin, &page, &[]).await;
    assert_eq!(place(&reset), format!("{page}?done=reset"));
    assert_eq!(events(&app, before).await, ["person.factors_reset"]);
    holds(&read(&app, &admin, &page).await, &["has no second factor."]);
    assert!(!is_in(&app, &ana).await);
    assert!(is_in(&app, &cookie_of(&password(&app, "Ana").await)).await);
}

async fn the_machine_resets_what_everybody_has_lost(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    with_app(&app, "Ana", Role::Admin).await;
    half(&app, "Ana").await;
    let reset = [
        "user",
        "reset-factors",
        "--name",
        "ana",
        "--database",
        &database.url,
    ];
    // Running it twice does no harm.
    for _ in 0..2 {
        let output = handraise(&reset);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(
        events(&app, 0)
            .await
            .iter()
            .filter(|one| **one == "person.factors_reset")
            .count(),
        1
    );
    assert!(is_in(&app, &cookie_of(&password(&app, "Ana").await)).await);
}

async fn who_needs_a_factor_keeps_the_last(database: TestDatabase) {
    let needs = |config: &mut server::config::Config| config.second_factor_for = FactorFor::Viewer;
    let app = TestApp::start_with(&database, needs).await;
    let link = app
        .state
        .service
        .invite("Ana", Role::Viewer, &operator())
        .await;
    let accept = [
        ("link", link.as_ref().unwrap().reveal()),
        ("password", PASSWORD),
    ];
    let half = cookie_of(&send(&app, "", "/accept-link", &accept).await);
    let (_, added) = set_app_up(&app, &half).await;
    let cookie = added.headers()[header::SET_COOKIE].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let ids = async || {
        let page = read(&app, &cookie, "/second-factor").await;
        let parts = page.split("name=\"id\" value=\"").skip(1);
        let ids = parts.map(|part| part.split('"').next().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let first = ids().await.remove(0);
    let kept = send(&app, &cookie, "/second-factor/remove", &[("id", &first)]).await;
    assert_eq!(place(&kept), "/second-factor?refused=needed");
    assert_eq!(
        place(&set_app_up(&app, &cookie).await.1),
        "/second-factor?done=added"
    );
    assert_eq!(ids().await.len(), 2);
    let removed = send(&app, &cookie, "/second-factor/remove", &[("id", &first)]).await;
    assert_eq!(place(&removed), "/second-factor?done=removed");
    // Nor both of two, in the same moment.
    set_app_up(&app, &cookie).await;
    let both = ids().await;
    let forms = [[("id", &*both[0])], [("id", &*both[1])]];
    let removals = forms
        .iter()
        .map(|form| send(&app, &cookie, "/second-factor/remove", form));
    let mut places: Vec<_> = join_all(removals)
        .await
        .iter()
        .map(place)
        .map(str::to_owned)
        .collect();
    places.sort();
    assert_eq!(
        places,
        [
            "/second-factor?done=removed",
            "/second-factor?refused=needed"
        ]
    );
    assert_eq!(ids().await.len(), 1);
}

async fn a_role_that_needs_a_factor_is_not_had_without_one(database: TestDatabase) {
    let needs = |config: &mut server::config::Config| config.second_factor_for = FactorFor::Admin;
    let app = TestApp::start_with(&database, needs).await;
    let ana = app.sign_in("Ana", Role::Viewer).await;
    let (ben, ..) = with_app(&app, "Ben", Role::Viewer).await;
    let service = &app.state.service;
    let before = app.last_seq().await;
    let id = person_named(&app, "Ana").await;
    for role in [Role::Responder, Role::Admin] {
        assert!(is_in(&app, &ana).await);
        let changed = service.change_person(id, "Ana", role, &operator()).await;
        changed.unwrap();
    }
    assert!(!is_in(&app, &ana).await);
    assert_eq!(
        events(&app, before).await,
        ["person.changed", "person.changed", "person.signed_out"]
    );
    assert_eq!(place(&password(&app, "Ana").await), "/second-factor");
    // Who has one has shown it.
    let id = person_named(&app, "Ben").await;
    let by = operator();
    let changed = service.change_person(id, "Ben", Role::Admin, &by);
    changed.await.unwrap();
    assert!(is_in(&app, &ben).await);
}

async fn a_factor_that_was_taken_away_in_the_database_is_found(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (ana, ..) = with_app(&app, "Ana", Role::Admin).await;
    set_app_up(&app, &ana).await;
    with_app(&app, "Ben", Role::Viewer).await;
    let page = read(&app, &ana, "/second-factor").await;
    let id = between(&page, "name=\"id\" value=\"", "\"").to_owned();
    send(&app, &ana, "/second-factor/remove", &[("id", &id)]).await;
    app.stop().await;
    let verify = || {
        let output = handraise(&["journal", "verify", "--database", &database.url]);
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    };
    let (fits, said) = verify();
    assert!(fits, "{said}");
    database.execute("DELETE FROM factors").await.unwrap();
    let (fits, said) = verify();
    assert!(!fits, "{said}");
    for name in ["Ana", "Ben"] {
        let words = format!("the person {name}");
        assert!(
            said.contains(&words) && said.contains("other second factors"),
            "{said}"
        );
    }
}
