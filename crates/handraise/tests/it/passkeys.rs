//! Passkeys, with a device of our own that also says what no device would. A browser's is in
//! `end2end/tests/second_factor.spec.ts`.

use chrono::TimeDelta;
use domain::Role;
use futures::future::join_all;
use reqwest::{Response, header};
use serde_json::Value;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    device::{Device, Said, asked},
    pages::{holds, read},
    people::{PASSWORD, cookie_of, operator, owned, person_named},
    second_step::{SIGN_IN_STEP, half, is_in, place, send},
};

store::on_both_databases!(
    a_passkey_is_a_second_factor_and_a_way_in_by_itself,
    nothing_but_what_was_asked_for_here_lets_in,
    a_passkey_is_its_owner_s,
    an_answer_counts_once,
    a_counter_that_goes_back_lets_nobody_in,
    who_is_disabled_does_not_come_by_a_passkey,
    wrong_answers_make_their_author_wait,
    a_passkey_of_another_address_says_so,
);

const STEP: &str = "/sign-in/factor/passkey";
const DOOR: &str = "/sign-in/passkey";
const NOT_TAKEN: &str = "/sign-in/passkey?refused=passkey&next=%2F";

/// What a device says otherwise than it should.
type Lie = fn(&mut Said);

/// A person with a passkey: their cookie, and the device.
async fn with_passkey(app: &TestApp, name: &str) -> (String, Device) {
    let cookie = app.sign_in(name, Role::Responder).await;
    let page = read(app, &cookie, "/second-factor/passkey").await;
    let (device, answer) = Device::register(&asked(&page), &Said::at(app));
    let form = [("answer", &*answer), ("name", "Laptop")];
    let added = send(app, &cookie, "/second-factor/passkey", &form).await;
    let added = added.text().await.unwrap();
    holds(&added, &["Keep your recovery codes"]);
    (cookie, device)
}

/// Half signed in: the cookie, and what is asked.
async fn at_the_step(app: &TestApp, name: &str) -> (String, Value) {
    let half = half(app, name).await;
    let page = read(app, &half, SIGN_IN_STEP).await;
    (half, asked(&page))
}

/// A stranger with a passkey: the cookie, and what is asked.
async fn at_the_door(app: &TestApp) -> (String, Value) {
    let page = app.get(DOOR).send().await.unwrap();
    let cookie = page.headers()[header::SET_COOKIE].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    (cookie, asked(&page.text().await.unwrap()))
}

async fn show(app: &TestApp, cookie: &str, path: &str, answer: &str) -> Response {
    send(app, cookie, path, &[("answer", answer)]).await
}

async fn a_passkey_is_a_second_factor_and_a_way_in_by_itself(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, device) = with_passkey(&app, "Ana").await;
    let said = Said::at(&app);
    let (half, asked) = at_the_step(&app, "Ana").await;
    let came = show(&app, &half, STEP, &device.answer(&asked, &said)).await;
    assert_eq!(place(&came), "/");
    assert!(is_in(&app, &cookie_of(&came)).await);
    let (cookie, asked) = at_the_door(&app).await;
    let answer = device.answer(&asked, &said);
    let form = [("answer", &*answer), ("next", "/history")];
    let came = send(&app, &cookie, DOOR, &form).await;
    assert_eq!(place(&came), "/history");
    let renewed = cookie_of(&came);
    assert_ne!(renewed, cookie);
    assert!(is_in(&app, &renewed).await && !is_in(&app, &cookie).await);
}

async fn nothing_but_what_was_asked_for_here_lets_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, device) = with_passkey(&app, "Ana").await;
    let said = Said::at(&app);
    let wrong: [(&str, Lie); 7] = [
        ("another site", |said| {
            said.origin = said.origin.replace("handraise", "evil");
        }),
        ("a name below", |said| {
            said.origin = said.origin.replace("//", "//a.");
        }),
        ("another port", |said| {
            said.origin = "http://handraise.localhost:1".into();
        }),
        ("another server", |said| said.server = "evil.localhost"),
        ("not unlocked", |said| said.flags = 0b001),
        ("nobody there", |said| said.flags = 0b100),
        ("a new key", |said| said.kind = "webauthn.create"),
    ];
    for (what, change) in wrong {
        let mut said = said.clone();
        change(&mut said);
        let (half, asked) = at_the_step(&app, "Ana").await;
        let shown = show(&app, &half, STEP, &device.answer(&asked, &said)).await;
        assert_eq!(place(&shown), "/sign-in/factor?refused=passkey", "{what}");
        let (cookie, asked) = at_the_door(&app).await;
        let shown = show(&app, &cookie, DOOR, &device.answer(&asked, &said)).await;
        assert_eq!(place(&shown), NOT_TAKEN, "{what}");
        app.clock.advance(TimeDelta::minutes(61));
    }
    // What was asked before, or of another browser.
    let (half, before) = at_the_step(&app, "Ana").await;
    read(&app, &half, SIGN_IN_STEP).await;
    let shown = show(&app, &half, STEP, &device.answer(&before, &said)).await;
    assert_eq!(place(&shown), "/sign-in/factor?refused=passkey");
    let (_, of_another) = at_the_door(&app).await;
    let (cookie, _) = at_the_door(&app).await;
    let shown = show(&app, &cookie, DOOR, &device.answer(&of_another, &said)).await;
    assert_eq!(place(&shown), NOT_TAKEN);
    // Nothing is left of what was asked after one answer, right or wrong.
    let (cookie, asked) = at_the_door(&app).await;
    show(&app, &cookie, DOOR, "{}").await;
    let shown = show(&app, &cookie, DOOR, &device.answer(&asked, &said)).await;
    assert_eq!(place(&shown), NOT_TAKEN);
}

async fn a_passkey_is_its_owner_s(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, of_ana) = with_passkey(&app, "Ana").await;
    let (_, of_ben) = with_passkey(&app, "Ben").await;
    let said = Said::at(&app);
    let (half, asked) = at_the_step(&app, "Ana").await;
    let shown = show(&app, &half, STEP, &of_ben.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/sign-in/factor?refused=passkey");
    // Ben's key under Ana's name, and under the name of her key.
    let mut forged = of_ben;
    forged.owner.clone_from(&of_ana.owner);
    let (cookie, asked) = at_the_door(&app).await;
    let shown = show(&app, &cookie, DOOR, &forged.answer(&asked, &said)).await;
    assert_eq!(place(&shown), NOT_TAKEN);
    forged.credential.clone_from(&of_ana.credential);
    let (cookie, asked) = at_the_door(&app).await;
    let shown = show(&app, &cookie, DOOR, &forged.answer(&asked, &said)).await;
    assert_eq!(place(&shown), NOT_TAKEN);
    let (half, asked) = at_the_step(&app, "Ana").await;
    let shown = show(&app, &half, STEP, &forged.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/sign-in/factor?refused=passkey");
    // Nor is a key taken that somebody has already.
    let cookie = app.sign_in("Cleo", Role::Viewer).await;
    let page = read(&app, &cookie, "/second-factor/passkey").await;
    let (mut device, _) = Device::register(&self::asked(&page), &said);
    device.credential = of_ana.credential;
    let answer = device.registration(&self::asked(&page), &said);
    let form = [("answer", &*answer), ("name", "Laptop")];
    let added = send(&app, &cookie, "/second-factor/passkey", &form).await;
    assert_eq!(place(&added), "/second-factor?refused=known");
}

async fn an_answer_counts_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, device) = with_passkey(&app, "Ana").await;
    let said = Said::at(&app);
    for path in [STEP, DOOR] {
        let (cookie, asked) = match path {
            STEP => at_the_step(&app, "Ana").await,
            _ => at_the_door(&app).await,
        };
        let answer = device.answer(&asked, &said);
        let shown = (0..4).map(|_| show(&app, &cookie, path, &answer));
        let shown = join_all(shown).await;
        let came = shown.iter().filter(|one| place(one) == "/");
        assert_eq!(came.count(), 1, "{path}");
        let again = show(&app, &cookie, path, &answer).await;
        assert_ne!(place(&again), "/", "{path}");
        assert!(!is_in(&app, &cookie).await, "{path}");
    }
    // Also in a browser in which somebody is signed in.
    let form = [("name", "Ben"), ("password", PASSWORD)].map(owned);
    app.sign_in("Ben", Role::Viewer).await;
    let of_ben = cookie_of(&app.submit("/sign-in", "", &form).await);
    let page = app.get(DOOR).header("cookie", &of_ben).send().await;
    let asked = asked(&page.unwrap().text().await.unwrap());
    let answer = device.answer(&asked, &said);
    let shown = (0..4).map(|_| show(&app, &of_ben, DOOR, &answer));
    let shown = join_all(shown).await;
    assert_eq!(shown.iter().filter(|one| place(one) == "/").count(), 1);
    assert!(!is_in(&app, &of_ben).await);
}

async fn a_counter_that_goes_back_lets_nobody_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, device) = with_passkey(&app, "Ana").await;
    // A copy of the key counts for itself.
    for (counter, lets_in) in [(7, true), (7, false), (6, false), (0, false), (8, true)] {
        let said = Said {
            counter,
            ..Said::at(&app)
        };
        let (cookie, asked) = at_the_door(&app).await;
        let shown = show(&app, &cookie, DOOR, &device.answer(&asked, &said)).await;
        assert_eq!(place(&shown) == "/", lets_in, "{counter}");
    }
    let said = Said {
        counter: 8,
        ..Said::at(&app)
    };
    let (half, asked) = at_the_step(&app, "Ana").await;
    let shown = show(&app, &half, STEP, &device.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/sign-in/factor?refused=passkey");
}

async fn who_is_disabled_does_not_come_by_a_passkey(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, device) = with_passkey(&app, "Ana").await;
    let said = Said::at(&app);
    let (half, of_step) = at_the_step(&app, "Ana").await;
    let (cookie, of_door) = at_the_door(&app).await;
    let ana = person_named(&app, "Ana").await;
    let service = &app.state.service;
    let disabled = service.disable_person(ana, true, false, &operator()).await;
    disabled.unwrap();
    let shown = show(&app, &half, STEP, &device.answer(&of_step, &said)).await;
    assert_eq!(place(&shown), "/sign-in");
    let shown = show(&app, &cookie, DOOR, &device.answer(&of_door, &said)).await;
    assert_eq!(place(&shown), NOT_TAKEN);
    assert!(!is_in(&app, &half).await && !is_in(&app, &cookie).await);
}

async fn wrong_answers_make_their_author_wait(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (_, device) = with_passkey(&app, "Ana").await;
    let (_, of_ben) = with_passkey(&app, "Ben").await;
    let said = Said::at(&app);
    let locked = Said {
        flags: 0b001,
        ..said.clone()
    };
    for _ in 0..5 {
        let (cookie, asked) = at_the_door(&app).await;
        let shown = show(&app, &cookie, DOOR, &device.answer(&asked, &locked)).await;
        assert_eq!(place(&shown), NOT_TAKEN);
    }
    // Each was an event; who has to wait makes none, at neither door.
    let (cookie, asked) = at_the_door(&app).await;
    let shown = show(&app, &cookie, DOOR, &device.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/sign-in/passkey?refused=wait-1&next=%2F");
    let page = read(&app, &cookie, place(&shown)).await;
    holds(&page, &["Too many wrong tries. Try again in 1 s."]);
    let (half, asked) = at_the_step(&app, "Ana").await;
    let shown = show(&app, &half, STEP, &device.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/sign-in/factor?refused=wait-1");
    // Another person from the same place does not wait.
    let (cookie, asked) = at_the_door(&app).await;
    let shown = show(&app, &cookie, DOOR, &of_ben.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/");
    app.clock.advance(TimeDelta::seconds(1));
    let (cookie, asked) = at_the_door(&app).await;
    let shown = show(&app, &cookie, DOOR, &device.answer(&asked, &said)).await;
    assert_eq!(place(&shown), "/");
}

async fn a_passkey_of_another_address_says_so(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    with_passkey(&app, "Ana").await;
    app.stop().await;
    let app = TestApp::start_with(&database, |config| {
        config.public_url = Some("http://127.0.0.1:3000".into());
    })
    .await;
    let half = half(&app, "Ana").await;
    let page = read(&app, &half, SIGN_IN_STEP).await;
    holds(&page, &["not at this one", "Use a recovery code"]);
    assert!(!page.contains("data-options"));
}
