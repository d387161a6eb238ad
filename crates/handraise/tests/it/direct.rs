//! Slack, to one person alone: beside what channels show, and leading to the question.

use chrono::TimeDelta;
use domain::{Role, SlackId};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    browser::{Browser, place},
    caller::id_of,
    fake_slack::{ANA, FakeSlack, Fault, MAIN},
    people::{operator, person_named},
    reaching::reached,
    slack_cards::{pass, settle, started},
};

store::on_both_databases!(
    a_person_is_written_to_beside_the_channel_and_led_to_the_question,
    who_is_nobody_in_slack_is_written_to_no_more,
    what_slack_does_not_take_comes_later_with_the_same_mark,
    people_are_written_to_as_soon_as_slack_is_back,
    a_server_without_an_app_writes_to_nobody,
);

async fn link_ana(app: &TestApp, to: Option<&str>) {
    let person = person_named(app, "Ana").await;
    let id = to.map(|id| SlackId::parse(id).unwrap());
    let by = operator();
    let linked = app.state.service.link_slack(person, id, &by);
    linked.await.unwrap();
}

/// What was written to Ana, and the marks of it.
fn written(slack: &FakeSlack) -> Vec<(String, Value)> {
    slack.look(|world| {
        let messages = world.in_channel(ANA);
        let messages = messages.map(|one| {
            let mark = one.metadata.clone().unwrap_or_default();
            (one.text.clone(), mark["event_payload"]["message"].clone())
        });
        messages.collect()
    })
}

async fn a_person_is_written_to_beside_the_channel_and_led_to_the_question(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let refused = ana.submit("/settings/reach/slack", &[]).await;
    assert_eq!(place(&refused), "/settings/reach?refused=slack");
    link_ana(&app, Some(ANA)).await;
    for _ in 0..2 {
        // Added again it is one.
        let added = ana.submit("/settings/reach/slack", &[]).await;
        assert_eq!(place(&added), "/settings/reach?done=added");
    }
    let person = person_named(&app, "Ana").await;
    let own = app.state.service.store().reaches_of(person).await.unwrap();
    assert_eq!(own.len(), 1);
    let id = own[0].reach.id.to_string();
    let tested = ana.submit("/settings/reach/test", &[("id", &id)]).await;
    assert_eq!(place(&tested), "/settings/reach?done=tested");
    settle(&app, &slack).await;
    let test = written(&slack).remove(0);
    assert!(test.0.starts_with("It works"), "{test:?}");
    pass(&app, &slack, TimeDelta::seconds(2));
    let asked = agent.ask(json!({"prompt": "Which <port>?"})).await;
    settle(&app, &slack).await;
    let written = written(&slack);
    assert_eq!(written.len(), 2, "{written:?}");
    let (text, mark) = &written[1];
    assert!(text.contains("Which &lt;port&gt;?"), "{text}");
    let link = app.page_url(&format!("/q/{}", id_of(&asked)));
    assert!(text.contains(&link), "{text}");
    assert!(mark.is_string(), "{mark}");
    let shown = slack.look(|world| world.in_channel(MAIN).count());
    assert_eq!(shown, 1);
    assert_eq!(reached(&app).await, [("Ana".into(), "slack".into())]);
}

async fn who_is_nobody_in_slack_is_written_to_no_more(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    link_ana(&app, Some(ANA)).await;
    ana.submit("/settings/reach/slack", &[]).await;
    link_ana(&app, None).await;
    agent.ask(json!({})).await;
    settle(&app, &slack).await;
    assert!(written(&slack).is_empty());
    // Slack does not know them.
    link_ana(&app, Some("U0GONE")).await;
    pass(&app, &slack, TimeDelta::seconds(2));
    agent.ask(json!({})).await;
    settle(&app, &slack).await;
    assert!(written(&slack).is_empty());
    assert_eq!(reached(&app).await, []);
}

async fn what_slack_does_not_take_comes_later_with_the_same_mark(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    link_ana(&app, Some(ANA)).await;
    ana.submit("/settings/reach/slack", &[]).await;
    // Whichever call is first, the card's or the message's: none of these is given up.
    slack.fail(
        "chat.postMessage",
        [
            Fault::Limited(7),
            Fault::Limited(7),
            Fault::DropReply,
            Fault::Refused("service_unavailable"),
        ],
    );
    agent.ask(json!({"timeout_seconds": 86_400})).await;
    settle(&app, &slack).await;
    let written = written(&slack);
    assert!(!written.is_empty());
    assert!(
        written.iter().all(|(_, mark)| *mark == written[0].1),
        "{written:?}"
    );
    let all = reached(&app).await;
    assert_eq!(all, [("Ana".into(), "slack".into())]);
}

async fn people_are_written_to_as_soon_as_slack_is_back(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    link_ana(&app, Some(ANA)).await;
    ana.submit("/settings/reach/slack", &[]).await;
    slack.set(|world| world.is_down = true);
    for n in 0..3 {
        let prompt = format!("Which port for service {n}?");
        agent
            .ask(json!({"prompt": prompt, "timeout_seconds": 86_400}))
            .await;
    }
    // Three minutes: each message alone, and its person, would rest for minutes by their end.
    for _ in 0..12 {
        pass(&app, &slack, TimeDelta::seconds(15));
        app.drain().await;
    }
    assert!(written(&slack).is_empty());
    let calls = slack.look(|world| world.calls.len());
    assert!(
        calls <= 14,
        "one call at a time tries whether Slack is back: {calls}"
    );
    slack.set(|world| world.is_down = false);
    for _ in 0..8 {
        pass(&app, &slack, TimeDelta::seconds(2));
        app.drain().await;
    }
    let written = written(&slack);
    assert_eq!(written.len(), 3, "16 s after Slack was back: {written:?}");
}

async fn a_server_without_an_app_writes_to_nobody(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    link_ana(&app, Some(ANA)).await;
    assert!(!ana.page("/settings/reach").await.contains("Slack"));
    let refused = ana.submit("/settings/reach/slack", &[]).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
}
