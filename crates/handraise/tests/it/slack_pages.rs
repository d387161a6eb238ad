//! What the pages show of Slack: where a card is, what goes there, and a channel that takes nothing.

use chrono::TimeDelta;
use domain::{
    Role,
    delivery::{Lane, SlackChannel},
    interaction::Posted,
};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::id_of,
    fake_slack::{FakeSlack, Fault, Lag, MAIN},
    html::text_of,
    pages::{holds, read},
    slack_cards::{deliveries, pass, settle, started},
};

store::on_both_databases!(
    a_card_that_is_in_slack_is_opened_there,
    what_is_no_web_address_becomes_no_link,
    a_delivery_to_slack_says_where_and_how_it_went,
    a_channel_that_takes_nothing_is_said_to_admins_until_it_does,
);

const LINK: &str = "target=\"_blank\" rel=\"noopener noreferrer\"";

fn pages_of(asked: &Value) -> [String; 2] {
    let id = id_of(asked);
    [format!("/blockers/{id}"), format!("/interactions/{id}")]
}

fn set_member(slack: &FakeSlack, is_member: bool) {
    slack.set(|world| world.channels.get_mut(MAIN).unwrap().is_member = is_member);
}

async fn a_card_that_is_in_slack_is_opened_there(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    set_member(&slack, false);
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    for path in pages_of(&asked) {
        let html = read(&app, &ana, &path).await;
        assert!(!html.contains("Open in Slack"), "{path}");
    }
    set_member(&slack, true);
    settle(&app, &slack).await;
    let ts = slack.messages(MAIN)[0].ts.replace('.', "");
    let href = format!("href=\"https://fake.slack.example/archives/{MAIN}/p{ts}\"");
    for path in pages_of(&asked) {
        let html = read(&app, &ana, &path).await;
        holds(&html, &["Open in Slack", LINK, &href]);
    }
    let [_, story] = pages_of(&asked);
    holds(
        &text_of(&read(&app, &ana, &story).await),
        &["Shown in Slack"],
    );
    // It is over, and still there to be looked at.
    let answer = json!({"text": "80"});
    let desk = app.responder("desk").await;
    desk.done(&asked, "answer", answer).await;
    holds(&read(&app, &ana, &story).await, &[&href]);
}

async fn what_is_no_web_address_becomes_no_link(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    // Nothing is posted, so nobody else says where the cards are.
    set_member(&slack, false);
    for permalink in [
        "javascript:alert(1)",
        "http://fake.slack.example/p1",
        " https://fake.slack.example/p1",
        "",
    ] {
        let asked = agent.ask(json!({})).await;
        let posted = Posted {
            ts: format!("1.{}", permalink.len()),
            permalink: Some(permalink.to_owned()),
        };
        let kept = app.state.service.card_posted(id_of(&asked), posted).await;
        assert!(kept.unwrap().is_some());
        for path in pages_of(&asked) {
            let html = read(&app, &ana, &path).await;
            assert!(!html.contains("Open in Slack"), "{permalink} {path}");
            assert!(!html.contains("href=\"javascript"), "{permalink} {path}");
        }
    }
}

async fn newest(app: &TestApp, cookie: &str) -> String {
    let newest = deliveries(app).await.remove(0).delivery.id;
    text_of(&read(app, cookie, &format!("/deliveries/{newest}")).await)
}

async fn a_delivery_to_slack_says_where_and_how_it_went(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    agent.ask(json!({})).await;
    settle(&app, &slack).await;
    let story = newest(&app, &ana).await;
    let name = format!("Slack channel {MAIN}");
    holds(&story, &[&name, "Delivered", "Arrived"]);
    for wrong in ["webhook-id", "Answered 200", "The answer was empty"] {
        assert!(!story.contains(wrong), "{wrong} is in {story}");
    }
    let channel = SlackChannel(MAIN.to_owned()).lane(Lane::Asks);
    let list = read(&app, &ana, "/deliveries").await;
    let chip = format!("/deliveries?destination={channel}");
    holds(&list, &[&chip, &name, "interaction.requested"]);

    slack.set(|world| world.lag = Lag::Reads(1_000));
    slack.fail("chat.postMessage", [Fault::DropReply]);
    agent.ask(json!({})).await;
    app.drain().await;
    let story = newest(&app, &ana).await;
    holds(&story, &["it may have arrived", "Put off"]);

    set_member(&slack, false);
    pass(&app, &slack, TimeDelta::seconds(61));
    agent.ask(json!({})).await;
    pass(&app, &slack, TimeDelta::seconds(61));
    app.drain().await;
    let list = text_of(&read(&app, &ana, "/deliveries?state=due").await);
    holds(&list, &["not_in_channel"]);
}

async fn a_channel_that_takes_nothing_is_said_to_admins_until_it_does(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let words = format!("Nothing can be posted to Slack channel {MAIN}");
    let says = async |cookie: &str| {
        let mut said = Vec::new();
        for path in ["/", "/deliveries"] {
            said.push(text_of(&read(&app, cookie, path).await).contains(&words));
        }
        said
    };
    assert_eq!(says(&ana).await, [false, false]);
    set_member(&slack, false);
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(says(&ana).await, [true, true]);
    let overview = read(&app, &ana, "/").await;
    let waiting = SlackChannel(MAIN.to_owned()).lane(Lane::Asks);
    let waiting = format!("/deliveries?state=due&amp;destination={waiting}");
    holds(&overview, &["not_in_channel", "/invite", &waiting]);
    let list = text_of(&read(&app, &ana, "/deliveries").await);
    holds(&list, &["Put off", "not shown yet"]);
    let text = read(&app, &ben, "/").await;
    assert!(!text.contains(MAIN), "{text}");

    set_member(&slack, true);
    settle(&app, &slack).await;
    assert_eq!(slack.messages(MAIN).len(), 1);
    assert_eq!(says(&ana).await, [false, false]);
}
