//! The ways in: a link once, then name and password.

use chrono::TimeDelta;
use domain::{Payload, PersonEvent, Refused, Role};
use reqwest::{Response, StatusCode, header};
use service::ServiceError;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    people::{PASSWORD, cookie_of, operator, owned},
};

store::on_both_databases!(
    a_link_lets_one_browser_in_once,
    a_weak_password_leaves_the_link_good,
    an_admin_may_take_another_name_on_the_way,
    a_person_signs_in_with_name_and_password,
    whoever_guesses_waits_and_the_owner_does_not,
    signing_in_leads_to_where_one_wanted_to_go,
    the_first_admin_gets_links_until_there_is_a_password,
    of_two_who_want_a_name_at_once_one_gets_it,
    a_cookie_from_before_is_not_the_one_that_is_signed_in,
);

fn place(response: &Response) -> &str {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    response.headers()[header::LOCATION].to_str().unwrap()
}

async fn accept(app: &TestApp, link: &str, password: &str) -> Response {
    let form = [("link", link), ("password", password)].map(owned);
    app.submit("/accept-link", "", &form).await
}

async fn sign_in(app: &TestApp, name: &str, password: &str) -> Response {
    let form = [("name", name), ("password", password)].map(owned);
    app.submit("/sign-in", "", &form).await
}

async fn status(app: &TestApp, cookie: &str) -> StatusCode {
    let page = app.get("/").header("cookie", cookie).send().await.unwrap();
    page.status()
}

async fn invited(app: &TestApp, name: &str, role: Role) -> String {
    let link = app.state.service.invite(name, role, &operator()).await;
    link.unwrap().reveal().to_owned()
}

async fn a_link_lets_one_browser_in_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let link = invited(&app, "Ana", Role::Viewer).await;
    // Looking at it, as link previews do, does not use it up.
    for _ in 0..2 {
        let text = app.get(&format!("/sign-in/{link}")).send().await.unwrap();
        let text = text.text().await.unwrap();
        assert!(
            text.contains("Ana") && text.contains("Choose a password"),
            "{text}"
        );
    }
    let cookie = cookie_of(&accept(&app, &link, PASSWORD).await);
    assert_eq!(status(&app, &cookie).await, StatusCode::OK);
    let again = accept(&app, &link, PASSWORD).await;
    assert!(!again.headers().contains_key(header::SET_COOKIE));
    let text = app.get(place(&again)).send().await.unwrap().text().await;
    assert!(text.unwrap().contains("no longer works"));
    // The journal says who, and nothing of the secrets.
    let events = app
        .state
        .service
        .store()
        .events_after(0, &domain::Audience::All, 10)
        .await
        .unwrap()
        .collect();
    let types: Vec<_> = events
        .iter()
        .map(|event| event.payload.event_type())
        .collect();
    assert_eq!(
        types,
        ["person.invited", "person.password_set", "person.signed_in"]
    );
    assert_eq!(events[0].actor.name(), Some("root"));
    assert_eq!(events[1].actor.name(), Some("Ana"));
    // A day later it would have been too late.
    let link = invited(&app, "Ben", Role::Viewer).await;
    app.clock.advance(TimeDelta::hours(24));
    assert_eq!(place(&accept(&app, &link, PASSWORD).await), "/sign-in/used");
}

async fn a_weak_password_leaves_the_link_good(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let link = invited(&app, "Ana", Role::Viewer).await;
    for (password, why, words) in [
        ("short", "short", "at least 8 characters"),
        ("password1234", "guessable", "easy to guess"),
        (&"long ".repeat(60), "long", "at most 256"),
    ] {
        let response = accept(&app, &link, password).await;
        assert_eq!(place(&response), format!("/sign-in/{link}?refused={why}"));
        let text = app.get(place(&response)).send().await.unwrap().text().await;
        assert!(text.unwrap().contains(words), "{why}");
    }
    cookie_of(&accept(&app, &link, PASSWORD).await);
}

async fn an_admin_may_take_another_name_on_the_way(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    invited(&app, "Ben", Role::Viewer).await;
    for (role, name, wanted, becomes) in [
        (Role::Admin, "root", "Ana", "Ana"),
        (Role::Viewer, "Vic", "Ana's boss", "Vic"),
    ] {
        let link = invited(&app, name, role).await;
        let accept = async |name: &str| {
            let form = [("link", &*link), ("name", name), ("password", PASSWORD)].map(owned);
            app.submit("/accept-link", "", &form).await
        };
        if role == Role::Admin {
            let taken = format!("/sign-in/{link}?refused=taken");
            assert_eq!(place(&accept("ben").await), taken);
        }
        let cookie = cookie_of(&accept(wanted).await);
        let page = app.get("/").header("cookie", cookie).send().await.unwrap();
        let text = page.text().await.unwrap();
        assert!(text.contains(&format!(">{becomes}<")), "{text}");
    }
}

async fn a_person_signs_in_with_name_and_password(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let first = app.sign_in("Ana Example", Role::Responder).await;
    let second = cookie_of(&sign_in(&app, " ana example", PASSWORD).await);
    assert_ne!(first, second);
    for cookie in [&first, &second] {
        assert_eq!(status(&app, cookie).await, StatusCode::OK);
    }
    // Wrong name, wrong password, no password yet, disabled: all the same to whoever tries.
    invited(&app, "Ben", Role::Viewer).await;
    let service = &app.state.service;
    app.sign_in("Cem", Role::Admin).await;
    let people = service.people(&operator()).await.unwrap();
    let cem = people.iter().find(|one| one.person.name == "Cem").unwrap();
    service
        .disable_person(cem.person.id, true, false, &operator())
        .await
        .unwrap();
    for (name, password) in [
        ("nobody", PASSWORD),
        ("Ana Example", "tin drum walks South"),
        ("Ben", ""),
        ("Ben", PASSWORD),
        ("Cem", PASSWORD),
        ("", ""),
        ("two\nlines", PASSWORD),
    ] {
        let response = sign_in(&app, name, password).await;
        assert!(
            place(&response).starts_with("/sign-in?refused=wrong&name="),
            "{name}"
        );
        assert!(!response.headers().contains_key(header::SET_COOKIE));
    }
    let out = app.submit("/sign-out", &second, &[]).await;
    assert_eq!(place(&out), "/sign-in");
    assert!(
        out.headers()[header::SET_COOKIE]
            .to_str()
            .unwrap()
            .contains("Max-Age=0")
    );
    assert_eq!(status(&app, &second).await, StatusCode::SEE_OTHER);
    assert_eq!(status(&app, &first).await, StatusCode::OK);
}

async fn a_cookie_from_before_is_not_the_one_that_is_signed_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let link = invited(&app, "Ana", Role::Viewer).await;
    // The second has the form of one of ours.
    for planted in ["guess", "AAAAAAAAAAAAAAAAAAAAAA"] {
        let planted = format!("handraise_session={planted}");
        let sign_in = async |path: &str, name: (&str, &str)| {
            let form = [name, ("password", PASSWORD)].map(owned);
            cookie_of(&app.submit(path, &planted, &form).await)
        };
        let cookie = match planted.ends_with("guess") {
            true => sign_in("/accept-link", ("link", &link)).await,
            false => sign_in("/sign-in", ("name", "Ana")).await,
        };
        assert_ne!(cookie, planted);
        assert_eq!(status(&app, &cookie).await, StatusCode::OK);
        assert_eq!(status(&app, &planted).await, StatusCode::SEE_OTHER);
    }
    // A browser that signs in anew has another cookie, and one that has none makes no row.
    let first = cookie_of(&sign_in(&app, "Ana", PASSWORD).await);
    let form = [("name", "Ana"), ("password", PASSWORD)].map(owned);
    let second = cookie_of(&app.submit("/sign-in", &first, &form).await);
    assert_ne!(first, second);
    let page = app.get("/sign-in").send().await.unwrap();
    assert!(!page.headers().contains_key(header::SET_COOKIE));
}

async fn whoever_guesses_waits_and_the_owner_does_not(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.trusted_proxies = 1).await;
    app.sign_in("Ana", Role::Responder).await;
    let from = async |address: &str, password: &str| {
        let response = app
            .post("/sign-in")
            .header(header::ORIGIN, app.url(""))
            .header("x-forwarded-for", address)
            .form(&[("name", "Ana"), ("password", password)])
            .send()
            .await
            .unwrap();
        place(&response).to_owned()
    };
    for _ in 0..5 {
        assert!(from("192.0.2.66", "guess").await.contains("refused=wrong"));
    }
    let waits = from("192.0.2.66", PASSWORD).await;
    assert!(waits.contains("refused=wait-1&"), "{waits}");
    let text = app.get(&waits).send().await.unwrap().text().await.unwrap();
    assert!(text.contains("Try again in"), "{text}");
    assert_eq!(from("192.0.2.7", PASSWORD).await, "/");
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(from("192.0.2.66", PASSWORD).await, "/");
}

async fn signing_in_leads_to_where_one_wanted_to_go(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    app.sign_in("Ana", Role::Responder).await;
    let asked = app.get("/history?q=port").send().await.unwrap();
    let form_at = place(&asked).to_owned();
    assert_eq!(form_at, "/sign-in?next=%2Fhistory%3Fq%3Dport");
    let text = app
        .get(&form_at)
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(text.contains("value=\"/history?q=port\""), "{text}");
    for (next, expected) in [
        ("/history?q=port", "/history?q=port"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/sign-out", "/"),
    ] {
        let form = [("name", "Ana"), ("password", PASSWORD), ("next", next)].map(owned);
        let response = app.submit("/sign-in", "", &form).await;
        assert_eq!(place(&response), expected);
    }
}

async fn the_first_admin_gets_links_until_there_is_a_password(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let service = &app.state.service;
    let link = async || {
        let link = service.first_admin_link("root", &operator()).await.unwrap();
        link.map(|link| link.reveal().to_owned())
    };
    let (first, second) = (link().await.unwrap(), link().await.unwrap());
    assert_eq!(
        place(&accept(&app, &first, PASSWORD).await),
        "/sign-in/used"
    );
    assert_eq!(service.people(&operator()).await.unwrap().len(), 1);
    cookie_of(&accept(&app, &second, PASSWORD).await);
    assert_eq!(link().await, None);
    let events = service
        .store()
        .events_after(0, &domain::Audience::All, 10)
        .await
        .unwrap()
        .collect();
    assert!(matches!(
        events[1].payload,
        Payload::Person(PersonEvent::Linked(_))
    ));
    // When the only admin is kept out, whoever has the machine gets another in.
    let people = service.people(&operator()).await.unwrap();
    service
        .disable_person(people[0].person.id, true, false, &operator())
        .await
        .unwrap();
    let link = link().await.unwrap();
    let page = app.get(&format!("/sign-in/{link}")).send().await.unwrap();
    assert!(page.text().await.unwrap().contains("root (admin)"));
}

async fn of_two_who_want_a_name_at_once_one_gets_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let service = &app.state.service;
    let by = operator();
    for name in ["Ana", "Ben"] {
        service.invite(name, Role::Viewer, &by).await.unwrap();
    }
    let people = service.people(&by).await.unwrap();
    let [ana, ben] = [0, 1].map(|n: usize| people[n].person.id);
    for round in 0..20 {
        let name = format!("Cleo {round}");
        let (first, second) = tokio::join!(
            service.change_person(ana, &name, Role::Viewer, &by),
            service.change_person(ben, &name, Role::Viewer, &by),
        );
        let ((Err(loser), Ok(())) | (Ok(()), Err(loser))) = (first, second) else {
            panic!("both or none are {name}");
        };
        let taken = matches!(loser, ServiceError::Refused(Refused::NameTaken));
        assert!(taken, "{loser}");
    }
}
