//! Signing in by a provider, honest or not.

use chrono::TimeDelta;
use domain::{Role, limits::PROOF_LASTS};
use reqwest::StatusCode;
use serde_json::{Value, json};
use server::{
    config::Config,
    journal::{self, Source},
};
use store::testing::TestDatabase;
use url::Url;

use crate::support::{
    app::TestApp,
    browser::{Browser, REFUSED, WAY, place},
    fake_provider::{FakeProvider, Fate, Lie, SUBJECT, Token, groups, roles},
    people::{PASSWORD, operator, person_named},
};

store::on_both_databases!(
    who_is_not_known_comes_in_as_the_settings_say,
    a_role_follows_the_claim_at_every_sign_in,
    whatever_a_provider_makes_up_nobody_comes_in,
    the_way_back_leads_in_once_and_in_the_browser_where_it_began,
    a_provider_that_is_down_keeps_out_nobody_who_is_in,
    a_person_connects_a_provider_and_disconnects_it,
    who_is_kept_out_does_not_come_back_by_a_provider,
    the_last_admin_stays_an_admin,
    a_sign_in_long_ago_opens_nothing_that_needs_a_password,
    who_signs_out_is_led_to_the_provider,
    passwords_can_be_switched_off_and_links_cannot,
    another_site_connects_nobody,
);

async fn app(database: &TestDatabase, provider: &FakeProvider, more: Value) -> TestApp {
    TestApp::start_with(database, |config| provider.alone(config, more)).await
}

async fn who_is_not_known_comes_in_as_the_settings_say(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "responder"})).await;
    provider.lies(Lie {
        userinfo: Some(json!({"sub": SUBJECT, "name": "Ana Maria"})),
        ..Lie::default()
    });
    let mut ana = Browser::new(&app);
    let page = ana.page("/sign-in").await;
    assert!(page.contains("Sign in with Company"), "{page}");
    // Where they wanted to go is where they come.
    let way = ana.way(&format!("{WAY}?next=%2Fhistory")).await;
    let asked: Vec<_> = way
        .query_pairs()
        .filter(|(name, _)| name == "scope")
        .collect();
    assert_eq!(asked[0].1, "openid profile");
    let before = ana.cookie.clone();
    let back = provider.grant(&way, app.state.service.now());
    assert_eq!(place(&ana.sent(&back).await), "/history");
    assert_ne!(ana.cookie, before);
    let visitor = ana.visitor().await;
    assert_eq!(
        (&visitor["name"], &visitor["role"]),
        (&json!("Ana Maria"), &json!("responder"))
    );
    // The cookie that was there before opens nothing.
    let mut thief = Browser {
        app: &app,
        cookie: before,
    };
    assert!(!thief.is_in().await);
    assert_eq!(
        app.told().await,
        [
            "person.invited by Company",
            "person.identity_linked by Company",
            "person.signed_in by Ana Maria",
        ]
    );
    // The same person in another browser, under another name there by now.
    provider.lies(Lie {
        claims: vec![
            ("name", json!("Ana Smith")),
            ("email", json!("ana@example")),
        ],
        ..Lie::default()
    });
    let mut elsewhere = Browser::new(&app);
    assert_eq!(elsewhere.round(&provider, WAY).await, "/");
    assert_eq!(elsewhere.visitor().await["id"], visitor["id"]);
    // Another with the same name and mail address is another.
    provider.lies(Lie {
        claims: vec![
            ("sub", json!("2")),
            ("name", json!("ana maria")),
            ("email", json!("ana@example")),
        ],
        ..Lie::default()
    });
    let mut other = Browser::new(&app);
    assert_eq!(other.round(&provider, WAY).await, "/");
    assert_eq!(other.visitor().await["name"], "ana maria (Company)");
    assert_eq!(
        app.state.service.people(&operator()).await.unwrap().len(),
        2
    );
    // An identity that was put into the database by hand is found.
    let verified = async || {
        let store = app.state.service.store().clone();
        journal::verify(Source::Live(store), Vec::new()).await
    };
    verified().await.unwrap();
    let by_hand = "UPDATE identities SET subject = '3' WHERE subject = '2'";
    database.execute(by_hand).await.unwrap();
    let found = verified().await.unwrap_err().to_string();
    assert!(
        found.contains("it lets somebody in, and no event says so"),
        "{found}"
    );
}

async fn a_role_follows_the_claim_at_every_sign_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("claim")).await;
    // So that there is another admin.
    app.sign_in("root", Role::Admin).await;
    let mut browsers = Vec::new();
    for (given, role) in [
        (json!("staff"), "viewer"),
        (json!(["staff", "ops"]), "admin"),
        (json!(["on-call"]), "responder"),
        (json!(["on-call", "x"]), "responder"),
    ] {
        provider.lies(groups(given));
        let mut browser = Browser::new(&app);
        assert_eq!(browser.round(&provider, WAY).await, "/");
        assert_eq!(browser.visitor().await["role"], role);
        browsers.push(browser);
    }
    // In the browsers from before, too.
    assert_eq!(browsers[0].visitor().await["role"], "responder");
    let changed = app.told().await;
    let changed = changed
        .iter()
        .filter(|one| *one == "person.changed by Company");
    assert_eq!(changed.count(), 2);
    // Without a group that means something nobody comes in, whoever they were.
    provider.lies(groups(json!(["x"])));
    let mut gone = Browser::new(&app);
    assert_eq!(gone.round(&provider, WAY).await, REFUSED);
    let page = gone.page(REFUSED).await;
    assert!(
        page.contains("Nothing that Company says of you in “groups” gives you a role here"),
        "{page}"
    );
    assert!(!gone.is_in().await);
}

async fn whatever_a_provider_makes_up_nobody_comes_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("admin")).await;
    let now = app.state.service.now().timestamp();
    let honest = |name, value| groups(json!(["ops"])).with(name, value);
    let token = |token| Lie {
        token,
        ..groups(json!(["ops"]))
    };
    let at = |path, fate| Lie {
        at: Some((path, fate)),
        ..groups(json!(["ops"]))
    };
    let said = |name, value| Lie {
        discovery: vec![(name, value)],
        ..groups(json!(["ops"]))
    };
    let userinfo = |info| Lie {
        userinfo: Some(info),
        ..Lie::default()
    };
    let lies = [
        (
            "wrong nonce",
            honest("nonce", json!("another")),
            "it is of another sign-in",
        ),
        (
            "no nonce",
            honest("nonce", Value::Null),
            "it is of another sign-in",
        ),
        (
            "swapped issuer",
            honest("iss", json!("https://evil.example")),
            "another provider has made it",
        ),
        (
            "wrong audience",
            honest("aud", json!("another")),
            "it was made for another program",
        ),
        (
            "one more audience",
            honest("aud", json!(["handraise", "x"])),
            "it was made for another program",
        ),
        (
            "another party",
            honest("azp", json!("x")),
            "it was made for another program",
        ),
        (
            "expired",
            honest("exp", json!(now - 61)),
            "had run out when it came",
        ),
        (
            "clock ahead",
            honest("iat", json!(now + 75)),
            "75 s ahead of the one here",
        ),
        (
            "clock behind",
            honest("iat", json!(now - 75)),
            "75 s behind the one here",
        ),
        (
            "made at no time",
            honest("iat", json!(1e300)),
            "is not as it should be",
        ),
        (
            "good for ever",
            honest("exp", json!("always")),
            "is not as it should be",
        ),
        (
            "shown at no time",
            honest("auth_time", json!(-1e300)),
            "is not as it should be",
        ),
        (
            "no issuer",
            honest("iss", Value::Null),
            "is not as it should be",
        ),
        (
            "issuer with a slash",
            honest("iss", json!(format!("{}/", provider.url))),
            "another provider has made it",
        ),
        (
            "no subject",
            honest("sub", Value::Null),
            "is not as it should be",
        ),
        (
            "subject too long",
            honest("sub", json!("x".repeat(256))),
            "in a way that cannot be kept",
        ),
        (
            "subject with NUL",
            honest("sub", json!("a\u{0}b")),
            "in a way that cannot be kept",
        ),
        (
            "unsigned",
            token(Token::Unsigned),
            "not signed in a way that proves anything",
        ),
        (
            "shared secret",
            token(Token::BySharedSecret),
            "not signed in a way that proves anything",
        ),
        (
            "wrong key",
            token(Token::WrongKey),
            "its signature does not fit",
        ),
        (
            "unknown key",
            token(Token::UnknownKey),
            "a key that is not the provider's",
        ),
        (
            "changed",
            token(Token::Changed),
            "its signature does not fit",
        ),
        ("empty token", token(Token::Empty), "is not as it should be"),
        ("no token", token(Token::Absent), "sent no ID token"),
        (
            "groups are a number",
            groups(json!(5)),
            "“groups” with a number in it",
        ),
        (
            "groups of numbers",
            groups(json!(["ops", 5])),
            "“groups” with a number in it",
        ),
        (
            "groups are null",
            groups(json!({"a": "ops"})),
            "“groups” with an object in it",
        ),
        ("no groups", Lie::default(), "“groups” is missing"),
        (
            "groups elsewhere",
            honest("groups", Value::Null).with("_claim_names", json!({"groups": "src1"})),
            "too many to be told",
        ),
        (
            "another's user info",
            userinfo(json!({"sub": "2", "groups": "ops"})),
            "user info is of another person",
        ),
        (
            "user info of nobody",
            userinfo(json!({"groups": "ops"})),
            "user info is of another person",
        ),
        (
            "user info is a list",
            userinfo(json!([])),
            "it is not a JSON object",
        ),
        (
            "no user info",
            Lie {
                at: Some(("/userinfo", Fate::Fails(500))),
                ..userinfo(json!({}))
            },
            "status 500",
        ),
        (
            "token redirects",
            at("/token", Fate::Redirects),
            "it is not one",
        ),
        (
            "token is garbage",
            at("/token", Fate::Garbage),
            "cannot be used",
        ),
        (
            "token fails",
            at("/token", Fate::Fails(500)),
            "it is not one",
        ),
        (
            "token without end",
            at("/token", Fate::NeverEnds),
            "has no end",
        ),
    ];
    for (name, lie, part) in lies {
        provider.lies(lie);
        let mut browser = Browser::new(&app);
        let place = browser.round(&provider, WAY).await;
        let page = browser.page(REFUSED).await;
        assert!(
            place == REFUSED && page.contains(part),
            "{name}: {place} {page}"
        );
        assert!(!browser.is_in().await, "{name}");
    }
    // These are seen before anybody is sent there, as the provider is asked anew after a while.
    let before = [
        (
            "another issuer",
            said("issuer", json!("https://evil.example")),
            "calls itself by another address",
        ),
        (
            "issuer with a slash",
            said("issuer", json!(format!("{}/", provider.url))),
            "calls itself by another address",
        ),
        (
            "no issuer",
            said("issuer", Value::Null),
            "is not as it should be",
        ),
        (
            "open page",
            said("authorization_endpoint", json!("http://id.example/a")),
            "a sign-in page without https",
        ),
        (
            "open token",
            said("token_endpoint", json!("http://id.example/t")),
            "a token endpoint without https",
        ),
        (
            "no token endpoint",
            said("token_endpoint", Value::Null),
            "names no token endpoint",
        ),
        (
            "open keys",
            said("jwks_uri", json!("http://id.example/k")),
            "an address without https",
        ),
        (
            "keys at home",
            said("jwks_uri", json!("https://10.0.0.1/k")),
            "its address is not public",
        ),
        (
            "only shared secrets",
            said(
                "id_token_signing_alg_values_supported",
                json!(["HS256", "none"]),
            ),
            "in no way that proves anything",
        ),
        (
            "redirects",
            at("/.well-known/openid-configuration", Fate::Redirects),
            "status 307",
        ),
        (
            "garbage",
            at("/.well-known/openid-configuration", Fate::Garbage),
            "it is not JSON",
        ),
        (
            "without end",
            at("/keys", Fate::NeverEnds),
            "its answer has no end",
        ),
    ];
    for (name, lie, part) in before {
        provider.lies(lie);
        app.clock.advance(TimeDelta::minutes(6));
        let mut browser = Browser::new(&app);
        let place = place(&browser.follow(WAY).await);
        let page = browser.page(REFUSED).await;
        assert!(
            place == REFUSED && page.contains(part),
            "{name}: {place} {page}"
        );
    }
    assert!(!provider.asked().contains(&"/elsewhere".to_owned()));
    assert!(
        app.state
            .service
            .people(&operator())
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(app.last_seq().await, 0);
    // It is the lies, and nothing else.
    provider.lies(groups(json!(["ops"])));
    app.clock.advance(TimeDelta::minutes(6));
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, "/");
}

async fn the_way_back_leads_in_once_and_in_the_browser_where_it_began(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    let now = app.state.service.now();
    let not_begun = "did not begin in this browser, or was used already";
    let mut ana = Browser::new(&app);
    let way = ana.way(WAY).await;
    let back = provider.grant(&way, now);
    // Somebody else's browser, with one begun of its own and with none.
    for begun in [true, false] {
        let mut other = Browser::new(&app);
        if begun {
            other.way(WAY).await;
        }
        assert_eq!(place(&other.sent(&back).await), REFUSED);
        let page = other.page(REFUSED).await;
        assert!(page.contains(not_begun), "{page}");
        assert!(!other.is_in().await);
    }
    let wrong = back.replace("state=", "state=x");
    assert_eq!(place(&ana.sent(&wrong).await), REFUSED);
    for nothing in ["/back", "/back?code=1", "/back?state=&code=1"] {
        assert_eq!(place(&ana.sent(&format!("{WAY}{nothing}")).await), REFUSED);
    }
    // Its own comes in all the same, and no second time.
    assert_eq!(place(&ana.sent(&back).await), "/");
    let before = app.last_seq().await;
    assert_eq!(place(&ana.sent(&back).await), "/");
    let mut thief = Browser::new(&app);
    assert_eq!(place(&thief.sent(&back).await), REFUSED);
    assert_eq!(app.last_seq().await, before);
    // A code of one sign-in in another, of the same browser.
    let mut ben = Browser::new(&app);
    let first = ben.way(WAY).await;
    let second = ben.way(WAY).await;
    let [one, two] = [first, second].map(|way| provider.grant(&way, now));
    let code = |back: &str| {
        back.split("code=")
            .nth(1)
            .unwrap()
            .split('&')
            .next()
            .unwrap()
            .to_owned()
    };
    let mixed = two.replace(&code(&two), &code(&one));
    assert_eq!(place(&ben.sent(&mixed).await), REFUSED);
    let page = ben.page(REFUSED).await;
    assert!(
        page.contains("was used already, or took too long"),
        "{page}"
    );
    // Of two tabs the later one finds them signed in.
    let mut cem = Browser::new(&app);
    let first = cem.way(WAY).await;
    let second = cem.way(WAY).await;
    for way in [first, second] {
        let back = provider.grant(&way, now);
        assert_eq!(place(&cem.sent(&back).await), "/");
        assert!(cem.is_in().await);
    }
    // Whom the way back names has to be the provider (RFC 9207).
    let mut dora = Browser::new(&app);
    let way = dora.way(WAY).await;
    let back = provider.grant(&way, now) + "&iss=https%3A%2F%2Fevil.example";
    assert_eq!(place(&dora.sent(&back).await), REFUSED);
    assert!(
        dora.page(REFUSED)
            .await
            .contains("another provider sent you back")
    );
    // What a provider refuses is told by its code, if that is one.
    for (error, part) in [
        ("access_denied", "refused or broken off there"),
        ("invalid_scope", "(invalid_scope)"),
        ("%3Cb%3ECall+0900%3C%2Fb%3E", "(for a reason of its own)"),
    ] {
        let way = dora.way(WAY).await;
        let state = way.query_pairs().find(|(name, _)| name == "state").unwrap();
        let back = format!("{WAY}/back?error={error}&state={}", state.1);
        assert_eq!(place(&dora.sent(&back).await), REFUSED);
        let page = dora.page(REFUSED).await;
        assert!(page.contains(part) && !page.contains("0900"), "{page}");
    }
    // A way that nobody came back on is forgotten.
    let way = dora.way(WAY).await;
    app.clock.advance(TimeDelta::minutes(16));
    let back = provider.grant(&way, app.state.service.now());
    assert_eq!(place(&dora.sent(&back).await), REFUSED);
}

async fn a_provider_that_is_down_keeps_out_nobody_who_is_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    let mut slow = Browser::new(&app);
    let way = slow.way(WAY).await;
    provider.lies(Lie {
        at: Some(("/token", Fate::NeverAnswers)),
        ..Lie::default()
    });
    let back = provider.grant(&way, app.state.service.now());
    assert_eq!(place(&slow.sent(&back).await), REFUSED);
    let page = slow.page(REFUSED).await;
    assert!(
        page.contains("Company cannot be reached: it does not answer in time"),
        "{page}"
    );
    drop(provider);
    app.clock.advance(TimeDelta::minutes(6));
    assert!(ana.is_in().await);
    let mut ben = Browser::new(&app);
    assert_eq!(place(&ben.follow(WAY).await), REFUSED);
    let page = ben.page(REFUSED).await;
    assert!(
        page.contains("Company cannot be reached: no connection"),
        "{page}"
    );
    assert!(page.contains("an admin can make a one-time link"), "{page}");
    // Links and passwords work.
    let mut root = Browser::signed_in(&app, "root", Role::Admin).await;
    assert!(root.is_in().await);
    let form = [("name", "root"), ("password", PASSWORD)];
    assert_eq!(
        place(&Browser::new(&app).submit("/sign-in", &form).await),
        "/"
    );
    // Nobody waits for it who leaves.
    let left = ana.submit("/sign-out", &[]).await;
    assert_eq!(place(&left), "/sign-in");
    assert!(!ana.is_in().await);
}

async fn a_person_connects_a_provider_and_disconnects_it(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({})).await;
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, REFUSED);
    let page = ana.page(REFUSED).await;
    assert!(
        page.contains("Company knows you, but nobody here does"),
        "{page}"
    );
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let page = ana.page("/settings").await;
    assert!(page.contains("Signing in by a provider"), "{page}");
    assert_eq!(
        ana.round(&provider, &format!("{WAY}?to=connect")).await,
        "/settings"
    );
    let page = ana.page("/settings").await;
    assert!(page.contains("Connected since 2027-01-15"), "{page}");
    // Signed out and in again, by it, with the same cookie's name and another value.
    let mut again = Browser::new(&app);
    assert_eq!(again.round(&provider, WAY).await, "/");
    assert_eq!(again.visitor().await["id"], ana.visitor().await["id"]);
    // Another person cannot have it, nor another account of theirs.
    let mut ben = Browser::signed_in(&app, "Ben", Role::Viewer).await;
    assert_eq!(
        ben.round(&provider, &format!("{WAY}?to=connect")).await,
        "/settings?refused=provider"
    );
    let page = ben.page("/settings?refused=provider").await;
    assert!(page.contains("Company knows Ana by this account"), "{page}");
    provider.lies(Lie::default().with("sub", json!("2")));
    ana.round(&provider, &format!("{WAY}?to=connect")).await;
    let page = ana.page("/settings?refused=provider").await;
    assert!(page.contains("Disconnect that one first"), "{page}");
    provider.lies(Lie::default());
    // A browser that was left open connects nothing, and its password does.
    let mut cem = Browser::signed_in(&app, "Cem", Role::Viewer).await;
    app.clock.advance(PROOF_LASTS);
    let place_of = place(&cem.follow(&format!("{WAY}?to=connect")).await);
    assert_eq!(place_of, "/settings?refused=provider");
    assert_eq!(
        place(&cem.submit("/confirm", &[("password", "guess")]).await),
        "/settings?refused=provider"
    );
    assert!(
        cem.page("/settings?refused=provider")
            .await
            .contains("This is not your password")
    );
    assert_eq!(
        place(&cem.submit("/confirm", &[("password", PASSWORD)]).await),
        "/settings"
    );
    let way = cem.way(&format!("{WAY}?to=connect")).await;
    provider.lies(Lie::default().with("sub", json!("3")));
    let back = provider.grant(&way, app.state.service.now());
    assert_eq!(place(&cem.sent(&back).await), "/settings");
    provider.lies(Lie::default());
    // Gone again.
    let gone = ana.submit(&format!("{WAY}/disconnect"), &[]).await;
    assert_eq!(place(&gone), "/settings");
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, REFUSED);
    let told = app.told().await;
    assert!(
        told.contains(&"person.identity_unlinked by Ana".to_owned()),
        "{told:?}"
    );
}

async fn who_is_kept_out_does_not_come_back_by_a_provider(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    provider.lies(Lie::default().with("name", json!("Ana")));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    let id = person_named(&app, "Ana").await;
    let service = &app.state.service;
    service
        .disable_person(id, true, false, &operator())
        .await
        .unwrap();
    assert!(!ana.is_in().await);
    assert_eq!(ana.round(&provider, WAY).await, REFUSED);
    let page = ana.page(REFUSED).await;
    assert!(page.contains("An admin keeps you out"), "{page}");
    assert!(!ana.is_in().await);
    service
        .disable_person(id, false, false, &operator())
        .await
        .unwrap();
    assert_eq!(ana.round(&provider, WAY).await, "/");
}

async fn the_last_admin_stays_an_admin(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("claim")).await;
    let service = &app.state.service;
    assert!(!service.has_admin().await.unwrap());
    provider.lies(groups(json!(["ops"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    // She can come in, so no start prints another link.
    assert!(service.has_admin().await.unwrap());
    assert!(
        service
            .first_admin_link("root", &operator())
            .await
            .unwrap()
            .is_none()
    );
    provider.lies(groups(json!(["staff"])));
    let mut again = Browser::new(&app);
    assert_eq!(again.round(&provider, WAY).await, REFUSED);
    let page = again.page(REFUSED).await;
    assert!(
        page.contains("you are the last one here who can come in"),
        "{page}"
    );
    assert_eq!(ana.visitor().await["role"], "admin");
    app.sign_in("root", Role::Admin).await;
    assert_eq!(again.round(&provider, WAY).await, "/");
    assert_eq!(ana.visitor().await["role"], "viewer");
}

async fn a_sign_in_long_ago_opens_nothing_that_needs_a_password(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, roles("claim")).await;
    let invite = async |browser: &mut Browser<'_>, name: &str| {
        let form = [("name", name), ("role", "viewer"), ("confirm", "")];
        browser.submit("/ui/invite-person", &form).await.status()
    };
    let now = || app.state.service.now().timestamp();
    // It does not say when.
    provider.lies(groups(json!(["ops"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    assert_ne!(invite(&mut ana, "Ben").await, StatusCode::OK);
    let page = ana.page("/settings").await;
    assert!(page.contains("Confirm with Company"), "{page}");
    let confirm = format!("{WAY}?to=confirm");
    let way = ana.way(&confirm).await;
    let asked = way.query().unwrap();
    assert!(
        asked.contains("prompt=login") && asked.contains("max_age=0"),
        "{asked}"
    );
    assert_eq!(
        ana.round(&provider, &confirm).await,
        "/settings?refused=provider"
    );
    let page = ana.page("/settings?refused=provider").await;
    assert!(
        page.contains("does not say that you have just shown it who you are"),
        "{page}"
    );
    // Somebody took the request to show it out of the address.
    provider.lies(groups(json!(["ops"])).with("auth_time", json!(now() - 3_600)));
    assert_eq!(
        ana.round(&provider, &confirm).await,
        "/settings?refused=provider"
    );
    assert_ne!(invite(&mut ana, "Ben").await, StatusCode::OK);
    // Somebody else has shown who they are.
    provider.lies(
        groups(json!(["ops"]))
            .with("auth_time", json!(now()))
            .with("sub", json!("2")),
    );
    assert_eq!(
        ana.round(&provider, &confirm).await,
        "/settings?refused=provider"
    );
    assert_ne!(invite(&mut ana, "Ben").await, StatusCode::OK);
    provider.lies(groups(json!(["ops"])).with("auth_time", json!(now())));
    assert_eq!(ana.round(&provider, &confirm).await, "/settings");
    assert_eq!(invite(&mut ana, "Ben").await, StatusCode::OK);
    app.clock.advance(PROOF_LASTS);
    assert_ne!(invite(&mut ana, "Cem").await, StatusCode::OK);
    // Nobody takes their only way in.
    let gone = ana.submit(&format!("{WAY}/disconnect"), &[]).await;
    assert_eq!(place(&gone), "/settings?refused=provider");
    let page = ana.page("/settings?refused=provider").await;
    assert!(page.contains("Company is your only way in"), "{page}");
}

async fn who_signs_out_is_led_to_the_provider(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, "/");
    let left = ana.submit("/sign-out", &[]).await;
    assert_eq!(left.status(), StatusCode::OK);
    assert_eq!(left.headers()["clear-site-data"], "\"storage\"");
    let refresh = left.headers()["refresh"].to_str().unwrap().to_owned();
    let url = Url::parse(refresh.strip_prefix("0; url=").unwrap()).unwrap();
    assert!(
        url.as_str().starts_with(&format!("{}/end?", provider.url)),
        "{url}"
    );
    let said: std::collections::BTreeMap<_, _> = url.query_pairs().into_owned().collect();
    assert_eq!(said["post_logout_redirect_uri"], app.page_url("/sign-in"));
    assert_eq!(said["client_id"], "handraise");
    assert_eq!(said["id_token_hint"].split('.').count(), 3);
    assert!(!ana.is_in().await);
    // Who came by a password goes to the sign-in page, and so do all where the provider has no such address.
    let mut ben = Browser::signed_in(&app, "Ben", Role::Viewer).await;
    assert_eq!(place(&ben.submit("/sign-out", &[]).await), "/sign-in");
    // So does who signed in with a browser where somebody had come by the provider.
    let mut shared = Browser::new(&app);
    assert_eq!(shared.round(&provider, WAY).await, "/");
    let form = [("name", "Ben"), ("password", PASSWORD)];
    assert_eq!(place(&shared.submit("/sign-in", &form).await), "/");
    assert_eq!(place(&shared.submit("/sign-out", &[]).await), "/sign-in");
    provider.lies(Lie {
        discovery: vec![("end_session_endpoint", Value::Null)],
        ..Lie::default()
    });
    app.clock.advance(TimeDelta::minutes(6));
    let mut cem = Browser::new(&app);
    assert_eq!(cem.round(&provider, WAY).await, "/");
    assert_eq!(place(&cem.submit("/sign-out", &[]).await), "/sign-in");
}

async fn passwords_can_be_switched_off_and_links_cannot(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let configure = |config: &mut Config| {
        provider.alone(config, json!({}));
        config.passwords = false;
    };
    let app = TestApp::start_with(&database, configure).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Admin).await;
    assert!(ana.is_in().await);
    let mut other = Browser::new(&app);
    let page = other.page("/sign-in").await;
    assert!(
        page.contains("Sign in with Company") && !page.contains("Password"),
        "{page}"
    );
    let form = [("name", "Ana"), ("password", PASSWORD)];
    let refused = place(&other.submit("/sign-in", &form).await);
    assert_eq!(refused, "/sign-in?refused=by-provider&next=%2F");
    let page = other.page(&refused).await;
    assert!(page.contains("Passwords are no way in here"), "{page}");
    assert!(!other.is_in().await);
    // A password is no other way in, so a provider is not let go of.
    ana.round(&provider, &format!("{WAY}?to=connect")).await;
    let gone = ana.submit(&format!("{WAY}/disconnect"), &[]).await;
    assert_eq!(place(&gone), "/settings?refused=provider");
    assert_eq!(other.round(&provider, WAY).await, "/");
}

async fn another_site_connects_nobody(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({})).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Admin).await;
    for to in ["connect", "confirm"] {
        let sent = ana.sent(&format!("{WAY}?to={to}")).await;
        assert_eq!(place(&sent), "/settings");
    }
    // Who signs another person in meanwhile connects nobody either.
    let way = ana.way(&format!("{WAY}?to=connect")).await;
    let back = provider.grant(&way, app.state.service.now());
    ana.submit("/sign-out", &[]).await;
    assert_eq!(place(&ana.sent(&back).await), REFUSED);
    for path in ["/sign-in/with/nobody", "/sign-in/with/nobody/back"] {
        assert_eq!(place(&ana.follow(path).await), REFUSED);
    }
    let posted = app.post(&format!("{WAY}/disconnect")).send().await.unwrap();
    assert_eq!(posted.status(), StatusCode::FORBIDDEN);
    assert!(!provider.asked().contains(&"/token".to_owned()));
}
