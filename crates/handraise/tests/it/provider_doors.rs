//! What a sign-in by a provider leaves open, and what it closes: sessions, roles, other providers, other ways in.

use chrono::TimeDelta;
use domain::{Role, access::factor::FactorFor};
use reqwest::StatusCode;
use serde_json::{Value, json};
use server::config::Config;
use service::secret::Secret;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    browser::{Browser, REFUSED, WAY, place},
    fake_provider::{FakeProvider, Lie, Token, groups, roles},
    people::{PASSWORD, operator, person_named},
    socket::{closed_with, resumed},
};

store::on_both_databases!(
    who_has_no_role_any_more_is_out_everywhere,
    the_last_admin_is_not_turned_away,
    an_admin_who_cannot_come_in_does_not_count_as_one,
    a_way_in_that_is_closed_is_none_that_remains,
    who_comes_in_vain_stays_who_they_are,
    who_has_no_role_there_stays_who_they_are_here,
    who_comes_as_somebody_else_is_nobody_else_any_more,
    nothing_that_was_begun_before_is_left_after_a_sign_in,
    who_comes_by_a_password_later_is_not_led_to_the_provider,
    what_another_version_kept_with_a_browser_keeps_nobody_in,
    a_way_that_was_begun_long_ago_leads_nowhere,
    a_provider_may_change_its_keys_at_any_time,
    an_issuer_may_end_in_a_slash,
    two_providers_are_never_taken_for_each_other,
    a_provider_s_word_stands_for_the_second_factor,
    a_role_by_a_provider_is_not_had_where_no_factor_was_shown,
);

async fn app(database: &TestDatabase, provider: &FakeProvider, more: Value) -> TestApp {
    TestApp::start_with(database, |config| provider.alone(config, more)).await
}

async fn role_of(app: &TestApp, name: &str) -> Role {
    let person = person_named(app, name).await;
    let person = app.state.service.store().person(person).await;
    person.unwrap().unwrap().role
}

/// What is kept with this browser.
async fn kept(app: &TestApp, browser: &Browser<'_>) -> Option<Value> {
    let (_, cookie) = browser.cookie.split_once('=').unwrap();
    let cookie = Secret::from_outside(cookie);
    let data = app.state.service.session_data(&cookie).await.unwrap()?;
    serde_json::from_str(&data.json).unwrap()
}

const NO_ROLE: &str = "Nothing that Company says of you in “groups” gives you a role here";

async fn who_has_no_role_any_more_is_out_everywhere(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("claim")).await;
    app.sign_in("root", Role::Admin).await;
    provider.lies(groups(json!(["ops"])));
    let (mut first, mut second) = (Browser::new(&app), Browser::new(&app));
    for browser in [&mut first, &mut second] {
        assert_eq!(browser.round(&provider, WAY).await, "/");
    }
    let mut socket = resumed(&app, &first.cookie, app.last_seq().await).await;
    let before = app.last_seq().await;
    // Of whom nothing is said nothing is known.
    for lie in [Lie::default(), groups(json!(5))] {
        provider.lies(lie);
        assert_eq!(second.round(&provider, WAY).await, REFUSED);
    }
    assert_eq!(app.last_seq().await, before);
    assert!(first.is_in().await && second.is_in().await);
    // Nobody whom nobody knows has anything to lose.
    provider.lies(groups(json!(["x"])).with("sub", json!("2")));
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, REFUSED);
    assert_eq!(app.last_seq().await, before);
    provider.lies(groups(json!(["x"])));
    assert_eq!(second.round(&provider, WAY).await, REFUSED);
    let page = second.page(REFUSED).await;
    assert!(page.contains(NO_ROLE), "{page}");
    assert!(!first.is_in().await && !second.is_in().await);
    closed_with(&mut socket).await;
    assert_eq!(role_of(&app, "Ana Maria").await, Role::Viewer);
    let told = app.told().await;
    assert!(
        told.ends_with(&[
            "person.changed by Company".to_owned(),
            "person.signed_out by Company".to_owned()
        ]),
        "{told:?}"
    );
    // There is nothing left to take.
    let before = app.last_seq().await;
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, REFUSED);
    assert_eq!(app.last_seq().await, before);
}

const LAST: &str = "you are the last one here who can come in";

async fn the_last_admin_is_not_turned_away(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("claim")).await;
    provider.lies(groups(json!(["ops"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    provider.lies(groups(json!(["x"])));
    let mut again = Browser::new(&app);
    assert_eq!(again.round(&provider, WAY).await, REFUSED);
    let page = again.page(REFUSED).await;
    assert!(page.contains(LAST), "{page}");
    assert!(ana.is_in().await);
    assert_eq!(role_of(&app, "Ana Maria").await, Role::Admin);
}

async fn an_admin_who_cannot_come_in_does_not_count_as_one(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let configure = |config: &mut Config| {
        provider.alone(config, roles("claim"));
        config.passwords = false;
    };
    let app = TestApp::start_with(&database, configure).await;
    // With a password, which is no way in here.
    app.sign_in("root", Role::Admin).await;
    provider.lies(groups(json!(["ops"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    for given in [json!(["staff"]), json!(["x"])] {
        provider.lies(groups(given));
        let mut again = Browser::new(&app);
        assert_eq!(again.round(&provider, WAY).await, REFUSED);
        let page = again.page(REFUSED).await;
        assert!(page.contains(LAST), "{page}");
    }
    assert_eq!(ana.visitor().await["role"], "admin");
    // Another one who comes by the provider does.
    provider.lies(
        groups(json!(["ops"]))
            .with("sub", json!("2"))
            .with("name", json!("Ben")),
    );
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, "/");
    provider.lies(groups(json!(["staff"])));
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, "/");
    assert_eq!(ana.visitor().await["role"], "viewer");
}

async fn a_way_in_that_is_closed_is_none_that_remains(database: TestDatabase) {
    let (old, new) = (FakeProvider::start().await, FakeProvider::start().await);
    let first = app(&database, &old, json!({"newcomers": "viewer"})).await;
    old.lies(Lie::default().with("name", json!("Ana")));
    let mut ana = Browser::new(&first);
    assert_eq!(ana.round(&old, WAY).await, "/");
    let cookie = ana.cookie.clone();
    first.stop().await;
    // The company moves to another provider, which she connects while she is in.
    let second = app(&database, &new, json!({})).await;
    let mut ana = Browser {
        app: &second,
        cookie,
    };
    let id = person_named(&second, "Ana").await;
    let identity = domain::Identity::new(&new.url, "9").unwrap();
    let who = {
        let (_, cookie) = ana.cookie.split_once('=').unwrap();
        let (cookie, host) = (Secret::from_outside(cookie), "127.0.0.1");
        let who = second.state.service.signed_in(&cookie, host).await;
        let who = who.unwrap().unwrap();
        service::SignedIn {
            proven_at: second.state.service.now(),
            ..who
        }
    };
    let connected = second.state.service.connect_identity(&who, &identity).await;
    connected.unwrap();
    let known = second.state.service.identities_of(id).await.unwrap();
    assert_eq!(known.len(), 2);
    // The old one is no way in any more, so the new one is the only one.
    let gone = ana.submit(&format!("{WAY}/disconnect"), &[]).await;
    assert_eq!(place(&gone), "/settings?refused=provider");
    let page = ana.page("/settings?refused=provider").await;
    assert!(page.contains("Company is your only way in"), "{page}");
}

async fn who_comes_in_vain_stays_who_they_are(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let more = json!({
        "team_claim": "squads", "teams": {"pay": "Nowhere"},
    });
    let app = app(&database, &provider, more).await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Viewer).await;
    let cookie = ben.cookie.clone();
    // Another site may send a browser here: whom the provider shows, nobody knows.
    for squads in [json!([]), json!(["pay"]), json!(5)] {
        provider.lies(Lie::default().with("squads", squads));
        assert_eq!(ben.round(&provider, WAY).await, REFUSED);
        assert_eq!(ben.cookie, cookie);
        assert!(ben.is_in().await);
        assert_eq!(ben.visitor().await["name"], "Ben");
    }
}

async fn who_has_no_role_there_stays_who_they_are_here(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("claim")).await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Viewer).await;
    let cookie = ben.cookie.clone();
    // Nobody here knows whom the provider shows.
    provider.lies(groups(json!(["x"])));
    assert_eq!(ben.round(&provider, WAY).await, REFUSED);
    assert!(ben.page(REFUSED).await.contains(NO_ROLE));
    assert_eq!(ben.cookie, cookie);
    assert_eq!(ben.visitor().await["name"], "Ben");
}

async fn who_comes_as_somebody_else_is_nobody_else_any_more(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    provider.lies(Lie::default().with("name", json!("Ana")));
    let mut browser = Browser::signed_in(&app, "Ben", Role::Admin).await;
    let mut thief = Browser {
        app: &app,
        cookie: browser.cookie.clone(),
    };
    assert!(thief.is_in().await);
    assert_eq!(browser.round(&provider, WAY).await, "/");
    assert_eq!(browser.visitor().await["name"], "Ana");
    // What was open before, for whoever has its cookie, is not.
    assert!(!thief.is_in().await);
}

async fn nothing_that_was_begun_before_is_left_after_a_sign_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let configure = |config: &mut Config| {
        provider.alone(config, json!({"newcomers": "viewer"}));
        config.second_factor_for = FactorFor::Admin;
    };
    let app = TestApp::start_with(&database, configure).await;
    let by = operator();
    let link = app.state.service.invite("root", Role::Admin, &by);
    let link = link.await.unwrap();
    // An admin who is half in, and has another way open besides.
    let mut browser = Browser::new(&app);
    let form = [("link", link.reveal()), ("password", PASSWORD)];
    assert_eq!(
        place(&browser.submit("/accept-link", &form).await),
        "/second-factor"
    );
    browser.way(WAY).await;
    let half = kept(&app, &browser).await.unwrap();
    assert!(half.get("half").is_some() && half.get("on_the_way").is_some());
    assert!(!browser.is_in().await);
    assert_eq!(browser.round(&provider, WAY).await, "/");
    let left = kept(&app, &browser).await.unwrap();
    let names: Vec<_> = left.as_object().unwrap().keys().collect();
    assert_eq!(names, ["came_by"]);
    browser.submit("/sign-out", &[]).await;
    let response = browser.follow("/second-factor").await;
    assert!(place(&response).starts_with("/sign-in"));
}

async fn who_comes_by_a_password_later_is_not_led_to_the_provider(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    app.sign_in("Ben", Role::Viewer).await;
    let mut browser = Browser::new(&app);
    assert_eq!(browser.round(&provider, WAY).await, "/");
    let form = [("name", "Ben"), ("password", PASSWORD)];
    assert_eq!(place(&browser.submit("/sign-in", &form).await), "/");
    assert_eq!(browser.visitor().await["name"], "Ben");
    // It would sign Ana out there.
    assert_eq!(kept(&app, &browser).await, Some(json!({})));
    assert_eq!(place(&browser.submit("/sign-out", &[]).await), "/sign-in");
}

async fn what_another_version_kept_with_a_browser_keeps_nobody_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    let other = r#"UPDATE browser_sessions SET data = '{"came_by": 5, "on_the_way": {"a": 1}, "refused": []}'"#;
    database.execute(other).await.unwrap();
    assert_eq!(ana.follow("/settings").await.status(), StatusCode::OK);
    ana.way(&format!("{WAY}?next=%2Fhistory")).await;
    database.execute(other).await.unwrap();
    assert_eq!(place(&ana.submit("/sign-out", &[]).await), "/sign-in");
    assert!(!ana.is_in().await);
}

async fn a_way_that_was_begun_long_ago_leads_nowhere(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    // Where somebody is signed in, it is kept for longer than where nobody is.
    let mut ben = Browser::signed_in(&app, "Ben", Role::Viewer).await;
    let way = ben.way(WAY).await;
    app.clock.advance(TimeDelta::minutes(15));
    let back = provider.grant(&way, app.state.service.now());
    assert_eq!(place(&ben.sent(&back).await), REFUSED);
    let page = ben.page(REFUSED).await;
    assert!(page.contains("took too long"), "{page}");
    assert!(!provider.asked().contains(&"/token".to_owned()));
    assert_eq!(ben.visitor().await["name"], "Ben");
}

async fn a_provider_may_change_its_keys_at_any_time(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    let mut ana = Browser::new(&app);
    // Under another name, under the same, and under none.
    for (key, name) in [
        (2, Some("two")),
        (3, Some("two")),
        (4, None),
        (5, None),
        (6, Some("six")),
    ] {
        let way = ana.way(WAY).await;
        provider.rotates(key, name);
        let back = provider.grant(&way, app.state.service.now());
        assert_eq!(place(&ana.sent(&back).await), "/", "{key} {name:?}");
    }
    // The keys from before are worth nothing.
    provider.lies(Lie {
        token: Token::WrongKey,
        ..Lie::default()
    });
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, REFUSED);
}

async fn an_issuer_may_end_in_a_slash(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let issuer = format!("{}/", provider.url);
    let more = json!({"newcomers": "viewer", "issuer": issuer});
    let app = app(&database, &provider, more).await;
    let says = || Lie {
        discovery: vec![("issuer", json!(issuer))],
        ..Lie::default()
    };
    provider.lies(says().with("iss", json!(issuer)));
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, "/");
    // It is written in the same way everywhere, or it is another.
    provider.lies(says());
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, REFUSED);
}

async fn two_providers_are_never_taken_for_each_other(database: TestDatabase) {
    let (honest, evil) = (FakeProvider::start().await, FakeProvider::start().await);
    let configure = |config: &mut Config| {
        let more = json!({"key": "evil", "name": "Evil", "newcomers": "viewer"});
        config.providers = vec![
            honest.settings(json!({"newcomers": "viewer"})),
            evil.settings(more),
        ];
    };
    let app = TestApp::start_with(&database, configure).await;
    let now = app.state.service.now();
    let mut ana = Browser::new(&app);
    let page = ana.page("/sign-in").await;
    assert!(
        page.contains("Sign in with Company") && page.contains("Sign in with Evil"),
        "{page}"
    );
    // The way to the one does not lead back from the other.
    let way = ana.way(WAY).await;
    let back = honest.grant(&way, now);
    let elsewhere = back.replace("/with/company/", "/with/evil/");
    assert_eq!(place(&ana.sent(&elsewhere).await), REFUSED);
    assert!(!evil.asked().contains(&"/token".to_owned()));
    // Nor any more by the right one: it was used.
    assert_eq!(place(&ana.sent(&back).await), REFUSED);
    assert!(!honest.asked().contains(&"/token".to_owned()));
    // A token of the one says nothing at the other, whatever it says of itself.
    evil.lies(Lie::default().with("iss", json!(honest.url)));
    let evil_way = "/sign-in/with/evil";
    assert_eq!(ana.round(&evil, evil_way).await, REFUSED);
    evil.lies(Lie {
        discovery: vec![("issuer", json!(honest.url))],
        ..Lie::default()
    });
    app.clock.advance(TimeDelta::minutes(6));
    assert_eq!(place(&ana.follow(evil_way).await), REFUSED);
    assert_eq!(app.last_seq().await, 0);
    // The same subject at both is two people.
    evil.lies(Lie::default().with("name", json!("Ana")));
    honest.lies(Lie::default().with("name", json!("Ana")));
    app.clock.advance(TimeDelta::minutes(6));
    let mut other = Browser::new(&app);
    assert_eq!(ana.round(&honest, WAY).await, "/");
    assert_eq!(other.round(&evil, evil_way).await, "/");
    assert_eq!(ana.visitor().await["name"], "Ana");
    assert_eq!(other.visitor().await["name"], "Ana (Evil)");
}

async fn a_provider_s_word_stands_for_the_second_factor(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let configure = |config: &mut Config| {
        provider.alone(config, roles("claim"));
        config.second_factor_for = FactorFor::Viewer;
    };
    let app = TestApp::start_with(&database, configure).await;
    provider.lies(groups(json!(["ops"])));
    let mut ana = Browser::new(&app);
    // It has a factor of its own, or has none because its admin wants none.
    assert_eq!(ana.round(&provider, WAY).await, "/");
    assert!(ana.is_in().await);
    // A password of hers is still not enough.
    let id = person_named(&app, "Ana Maria").await;
    let link = app.state.service.make_link(id, &operator()).await.unwrap();
    let form = [("link", link.reveal()), ("password", PASSWORD)];
    let mut other = Browser::new(&app);
    assert_eq!(
        place(&other.submit("/accept-link", &form).await),
        "/second-factor"
    );
    assert!(!other.is_in().await);
}

async fn a_role_by_a_provider_is_not_had_where_no_factor_was_shown(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let configure = |config: &mut Config| {
        provider.alone(config, roles("claim"));
        config.second_factor_for = FactorFor::Admin;
    };
    let app = TestApp::start_with(&database, configure).await;
    provider.lies(groups(json!(["on-call"])));
    let mut first = Browser::new(&app);
    assert_eq!(first.round(&provider, WAY).await, "/");
    // With her password alone she is in as a responder.
    let id = person_named(&app, "Ana Maria").await;
    let link = app.state.service.make_link(id, &operator()).await.unwrap();
    let form = [("link", link.reveal()), ("password", PASSWORD)];
    let mut by_password = Browser::new(&app);
    assert_eq!(place(&by_password.submit("/accept-link", &form).await), "/");
    assert_eq!(by_password.visitor().await["role"], "responder");
    // Not as an admin, when the provider makes her one.
    provider.lies(groups(json!(["ops"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    assert_eq!(ana.visitor().await["role"], "admin");
    assert!(!by_password.is_in().await);
    let told = app.told().await;
    assert_eq!(
        told[told.len() - 3..],
        [
            "person.changed by Company",
            "person.signed_out by Company",
            "person.signed_in by Ana Maria",
        ]
    );
    // Who is an admin already stays where they are.
    let mut again = Browser::new(&app);
    assert_eq!(again.round(&provider, WAY).await, "/");
    assert!(ana.is_in().await);
}
