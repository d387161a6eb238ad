//! The pages on which people and users of Slack come together, without a browser.

use chrono::TimeDelta;
use domain::{Payload, PersonEvent, Role, SlackId};
use reqwest::{StatusCode, header};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    corpus::Hostile,
    html::{one_line, text_of},
    pages::{holds, page, read, send},
    people::{PASSWORD, owned, person_named},
};

store::on_both_databases!(
    a_user_of_slack_is_linked_by_the_form_alone,
    whoever_is_not_signed_in_comes_back_to_the_link,
    a_link_that_is_worth_nothing_says_so,
    a_user_of_slack_that_is_somebody_else_s_is_not_taken_away,
    what_slack_calls_somebody_is_text_and_shows_what_hides,
    an_admin_says_who_is_who,
    one_s_own_account_shows_who_one_is_in_slack_and_unlinks_it,
    nobody_becomes_another_s_user_by_saying_so,
);

fn id(text: &str) -> SlackId {
    SlackId::parse(text).unwrap()
}

/// The path of a link that this user was shown, and what stands in it.
fn link(app: &TestApp, user: &str, name: &str) -> (String, String) {
    let token = app.state.service.slack_link(&id(user), "T0FAKE", name);
    let token = token.unwrap();
    (format!("/slack/link/{token}"), token)
}

async fn text(app: &TestApp, cookie: &str, path: &str) -> String {
    text_of(&read(app, cookie, path).await)
}

/// Who has this Slack id, by name.
async fn whose(app: &TestApp, user: &str) -> Option<String> {
    let found = app.state.service.store().person_in_slack(&id(user)).await;
    found.unwrap().map(|person| person.name)
}

async fn a_user_of_slack_is_linked_by_the_form_alone(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana Example", Role::Responder).await;
    let (path, token) = link(&app, "U0ANA", "ana.e");
    for _ in 0..2 {
        let html = read(&app, &ana, &path).await;
        holds(
            &html,
            &[
                "action=\"/ui/accept-slack-link\"",
                &token,
                "method=\"post\"",
            ],
        );
        let shown = text_of(&html);
        holds(
            &shown,
            &[
                "Link the Slack user ana.e to your account?",
                "ana.e (U0ANA)",
                "in Slack as you, Ana Example.",
            ],
        );
        assert!(!shown.contains("takes its place"), "{shown}");
        assert_eq!(whose(&app, "U0ANA").await, None);
    }
    let seq = app.last_seq().await;
    let form = [("token", &*token)];
    let after = send(&app, &ana, &path, "accept-slack-link", &form).await;
    holds(
        &text_of(&after),
        &[
            "ana.e (U0ANA) is linked to your account, Ana Example.",
            "Go back to Slack",
        ],
    );
    assert_eq!(whose(&app, "U0ANA").await.as_deref(), Some("Ana Example"));
    let store = app.state.service.store();
    let events = store
        .events_after(seq, &domain::Audience::All, 10)
        .await
        .unwrap()
        .collect();
    let [event] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(event.actor.name(), Some("Ana Example"));
    assert!(matches!(
        &event.payload,
        Payload::Person(PersonEvent::SlackLinked { slack_id, .. }) if *slack_id == id("U0ANA")
    ));
    // Once more changes nothing, and is nothing wrong.
    send(&app, &ana, &path, "accept-slack-link", &form).await;
    assert_eq!(app.last_seq().await, seq + 1);
    // Another user takes its place, and the page says so before.
    let (path, token) = link(&app, "W0ANA2", "ana2");
    let before = text(&app, &ana, &path).await;
    holds(&before, &["linked to U0ANA now. This takes its place."]);
    let form = [("token", &*token)];
    send(&app, &ana, &path, "accept-slack-link", &form).await;
    assert_eq!(whose(&app, "U0ANA").await, None);
    assert_eq!(whose(&app, "W0ANA2").await.as_deref(), Some("Ana Example"));
}

async fn whoever_is_not_signed_in_comes_back_to_the_link(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    app.sign_in("Ana", Role::Viewer).await;
    let (path, token) = link(&app, "U0ANA", "ana");
    let asked = app.get(&path).send().await.unwrap();
    assert_eq!(asked.status(), StatusCode::SEE_OTHER);
    let sign_in = asked.headers()[header::LOCATION]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        sign_in.starts_with("/sign-in?next=%2Fslack%2Flink%2F"),
        "{sign_in}"
    );
    let form = page(app.get(&sign_in), StatusCode::OK).await;
    holds(&form, &[&format!("name=\"next\" value=\"{path}\"")]);
    let fields = [("name", "Ana"), ("password", PASSWORD), ("next", &*path)].map(owned);
    let back = app.submit("/sign-in", "", &fields).await;
    assert_eq!(back.headers()[header::LOCATION], *path);
    let cookie = crate::support::people::cookie_of(&back);
    holds(
        &text(&app, &cookie, &path).await,
        &["Link the Slack user ana"],
    );
    // A viewer who is linked is a viewer still, and hears it.
    let after = send(
        &app,
        &cookie,
        &path,
        "accept-slack-link",
        &[("token", &token)],
    )
    .await;
    holds(
        &text_of(&after),
        &["Your role is viewer: you can read, but not answer."],
    );
}

async fn a_link_that_is_worth_nothing_says_so(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let (path, token) = link(&app, "U0ANA", "ana");
    app.clock.advance(TimeDelta::minutes(30));
    let (good, _) = link(&app, "U0ANA", "ana");
    for path in [&path, "/slack/link/guess", &good[..good.len() - 4]] {
        let shown = text(&app, &ana, path).await;
        holds(
            &shown,
            &["This link no longer works", "more than 30 minutes old"],
        );
    }
    // The page may have been open since.
    let form = [("token", &*token)].map(owned);
    let sent = app.submit("/ui/accept-slack-link", &ana, &form).await;
    assert_eq!(sent.status(), StatusCode::UNPROCESSABLE_ENTITY);
    holds(&sent.text().await.unwrap(), &["This link no longer works."]);
    assert_eq!(whose(&app, "U0ANA").await, None);
}

async fn a_user_of_slack_that_is_somebody_else_s_is_not_taken_away(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let (path, token) = link(&app, "U0ANA", "ana");
    let form = [("token", &*token)];
    send(&app, &ana, &path, "accept-slack-link", &form).await;
    let shown = text(&app, &ben, &path).await;
    holds(&shown, &["ana (U0ANA) is linked to the account of Ana."]);
    assert!(!shown.contains("Link it to my account"), "{shown}");
    let sent = app
        .submit("/ui/accept-slack-link", &ben, &form.map(owned))
        .await;
    assert_eq!(sent.status(), StatusCode::UNPROCESSABLE_ENTITY);
    holds(
        &sent.text().await.unwrap(),
        &["This Slack user is Ana already."],
    );
    assert_eq!(whose(&app, "U0ANA").await.as_deref(), Some("Ana"));
}

async fn what_slack_calls_somebody_is_text_and_shows_what_hides(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Viewer).await;
    for hostile in Hostile::all() {
        let (path, _) = link(&app, "U0ANA", &hostile.text());
        let html = read(&app, &ana, &path).await;
        for never in &hostile.never {
            assert!(!html.contains(&**never), "{}: {never}", hostile.name);
        }
        let shown = text_of(&html);
        holds(&shown, &["Link the Slack user"]);
        for part in hostile.shows_within(20) {
            assert!(
                shown.contains(&one_line(&part)),
                "{}: {shown}",
                hostile.name
            );
        }
        let hides = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!shown.contains(hides), "{}: {shown}", hostile.name);
    }
}

async fn an_admin_says_who_is_who(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    app.sign_in("Ben", Role::Responder).await;
    let (own, ben) = (
        person_named(&app, "Ana").await,
        person_named(&app, "Ben").await,
    );
    let set = async |person: domain::PersonId, slack_id: &str| {
        let (from, person) = (format!("/settings/people/{person}"), person.to_string());
        let form = [("id", &*person), ("slack_id", slack_id)];
        send(&app, &ana, &from, "set-slack-id", &form).await
    };
    let nobody = read(&app, &ana, &format!("/settings/people/{ben}")).await;
    holds(&nobody, &["action=\"/ui/set-slack-id\"", "Slack member ID"]);
    holds(&set(ben, " U0BEN ").await, &["value=\"U0BEN\""]);
    assert_eq!(whose(&app, "U0BEN").await.as_deref(), Some("Ben"));
    // The same again is nothing wrong; somebody else's, and what is none, is.
    let seq = app.last_seq().await;
    set(ben, "U0BEN").await;
    holds(
        &set(own, "U0BEN").await,
        &["This Slack user is Ben already."],
    );
    let wrong = set(own, "@ana").await;
    holds(
        &wrong,
        &["This is not the id of a person in Slack", "Copy member ID"],
    );
    assert_eq!(app.last_seq().await, seq);
    set(own, "U0ANA").await;
    assert_eq!(whose(&app, "U0ANA").await.as_deref(), Some("Ana"));
    let cleared = set(ben, "").await;
    assert!(!cleared.contains("U0BEN"), "{cleared}");
    assert_eq!(whose(&app, "U0BEN").await, None);
}

async fn one_s_own_account_shows_who_one_is_in_slack_and_unlinks_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Viewer).await;
    let before = read(&app, &ana, "/settings").await;
    holds(&text_of(&before), &["Slack Not linked"]);
    assert!(!before.contains("/ui/unlink-slack"), "{before}");
    let (path, token) = link(&app, "U0ANA", "ana");
    send(&app, &ana, &path, "accept-slack-link", &[("token", &token)]).await;
    let linked = read(&app, &ana, "/settings").await;
    holds(&linked, &["U0ANA", "action=\"/ui/unlink-slack\""]);
    let after = send(&app, &ana, "/settings", "unlink-slack", &[]).await;
    holds(&text_of(&after), &["Slack Not linked"]);
    assert_eq!(whose(&app, "U0ANA").await, None);
    let seq = app.last_seq().await;
    send(&app, &ana, "/settings", "unlink-slack", &[]).await;
    assert_eq!(app.last_seq().await, seq);
}

async fn nobody_becomes_another_s_user_by_saying_so(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let own = person_named(&app, "Ben").await.to_string();
    for slack_id in ["U0ANA", "nonsense", ""] {
        let form = [("id", &*own), ("slack_id", slack_id)].map(owned);
        let sent = app.submit("/ui/set-slack-id", &ben, &form).await;
        assert_eq!(sent.status(), StatusCode::FORBIDDEN, "{slack_id}");
    }
    assert_eq!(whose(&app, "U0ANA").await, None);
}
