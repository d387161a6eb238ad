//! Cards in Slack: each question once, as it is, whatever Slack answers or does not.

use std::time::Duration;

use chrono::TimeDelta;
use domain::interaction::Kind;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::time::{sleep, timeout};

use crate::support::{
    app::TestApp,
    caller::Caller,
    fake_slack::{ANA, Channel, FakeSlack, Fault, Lag, MAIN, Message, URGENT, World},
    slack_cards::{deliveries, pass, settle, started, with_slack},
};

store::on_both_databases!(
    every_kind_is_posted_and_closed_on_the_same_card,
    a_question_goes_to_the_channel_of_its_session_or_its_urgency,
    a_card_that_slack_took_without_saying_so_is_found_and_not_posted_again,
    a_card_that_cannot_be_found_is_posted_again_and_says_so,
    what_slack_did_not_take_is_posted_later,
    a_channel_that_is_not_set_up_is_parked_and_goes_on_when_it_is,
    a_card_that_slack_never_takes_is_given_up_and_nothing_else,
    what_is_closed_before_it_was_posted_is_posted_as_it_is,
    the_pace_of_a_channel_delays_and_loses_nothing,
    notifications_that_wait_become_few_messages,
    a_mirror_has_links_and_no_buttons,
    a_webhook_tells_what_is_new,
    two_servers_post_a_question_once,
    what_takes_longer_than_a_lease_stays_with_the_server_that_is_at_it,
);

fn action_ids(message: &Message) -> Vec<String> {
    let controls = message.controls();
    controls
        .map(|(_, control)| control["action_id"].as_str().unwrap().to_owned())
        .collect()
}

async fn one_card(agent: &Caller<'_>, slack: &FakeSlack, asked: &Value) -> Message {
    let messages = slack.messages(MAIN);
    let [card] = &messages[..] else {
        panic!("{messages:#?}");
    };
    let kept = agent.poll(asked).await;
    let link = kept["slack_permalink"].as_str().unwrap();
    assert!(
        link.contains(&card.ts.replace('.', "")),
        "{link} {}",
        card.ts
    );
    card.clone()
}

async fn every_kind_is_posted_and_closed_on_the_same_card(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let ana = app.responder("Ana").await;
    for (n, kind) in Kind::ALL.into_iter().enumerate() {
        let asked = agent.ask(body(kind)).await;
        app.drain().await;
        let messages = slack.messages(MAIN);
        assert_eq!(messages.len(), n + 1, "{messages:#?}");
        let open = &messages[n];
        let kept = agent.poll(&asked).await;
        let link = kept["slack_permalink"].as_str().unwrap();
        assert!(link.contains(&open.ts.replace('.', "")), "{link}");
        if kind == Kind::Notification {
            assert_eq!(action_ids(open), [""; 0]);
            continue;
        }
        assert_ne!(action_ids(open), [""; 0], "{kind:?}");
        assert!(!open.edited);
        ana.done(&asked, "answer", answer(kind)).await;
        app.drain().await;
        let closed = slack.messages(MAIN).remove(n);
        assert_eq!(closed.ts, open.ts);
        assert_eq!(action_ids(&closed), [""; 0], "{kind:?}");
        assert!(closed.text.contains("by the API"), "{}", closed.text);
        let page = agent.read("/api/v1/events?after=0&limit=500").await;
        let events = page["items"].as_array().unwrap();
        let posted = events.iter().filter(|event| {
            event["type"] == "interaction.posted" && event["interaction_id"] == asked["id"]
        });
        assert_eq!(posted.count(), 1);
    }
}

async fn a_question_goes_to_the_channel_of_its_session_or_its_urgency(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    slack.set(|world| {
        let team = Channel {
            name: "team",
            is_member: true,
            is_archived: false,
            people: vec![ANA],
        };
        world.channels.insert("C0TEAM".to_owned(), team);
    });
    let configure = with_slack(&slack);
    let app = TestApp::start_with(&database, |config| {
        configure(config);
        config.slack_session_overrides = vec!["p11=C0TEAM".to_owned()].try_into().unwrap();
    })
    .await;
    let agent = app.agent("backend").await;
    for (more, channel) in [
        (json!({}), MAIN),
        (json!({"priority": "urgent"}), URGENT),
        (json!({"session_id": "p11", "priority": "urgent"}), "C0TEAM"),
        (json!({"session_id": "p12"}), MAIN),
    ] {
        let before = slack.messages(channel).len();
        agent.ask(more).await;
        app.drain().await;
        assert_eq!(slack.messages(channel).len(), before + 1, "{channel}");
    }
}

async fn a_card_that_slack_took_without_saying_so_is_found_and_not_posted_again(
    database: TestDatabase,
) {
    for fault in [
        Fault::DropReply,
        Fault::DoneThen500,
        Fault::DoneThenInternalError,
        Fault::DoneThenNonsense,
    ] {
        let slack = FakeSlack::start().await;
        let app = started(&database, &slack).await;
        let agent = app.agent(&format!("{fault:?}")).await;
        // A channel shows what was posted only when it is read for the third time.
        slack.set(|world| world.lag = Lag::Reads(2));
        slack.fail("chat.postMessage", [fault]);
        let asked = agent.ask(json!({})).await;
        settle(&app, &slack).await;
        let card = one_card(&agent, &slack, &asked).await;
        assert!(!card.text.contains("Posted again"));
        let ana = app.responder("Ana").await;
        ana.done(&asked, "answer", json!({"text": "80"})).await;
        settle(&app, &slack).await;
        let closed = one_card(&agent, &slack, &asked).await;
        assert_eq!(action_ids(&closed), [""; 0]);
        app.stop().await;
    }
}

async fn a_card_that_cannot_be_found_is_posted_again_and_says_so(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.set(|world| world.lag = Lag::Reads(1_000));
    slack.fail("chat.postMessage", [Fault::DropReply]);
    let asked = agent.ask(json!({})).await;
    settle(&app, &slack).await;
    let messages = slack.messages(MAIN);
    assert_eq!(messages.len(), 2);
    assert!(!messages[0].text.contains("Posted again"));
    assert!(messages[1].text.starts_with("Posted again"));
    let kept = agent.poll(&asked).await;
    let link = kept["slack_permalink"].as_str().unwrap();
    assert!(link.contains(&messages[1].ts.replace('.', "")));
}

async fn what_slack_did_not_take_is_posted_later(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.fail(
        "chat.postMessage",
        [
            Fault::Limited(7),
            Fault::Refused("service_unavailable"),
            Fault::Refused("ratelimited"),
        ],
    );
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    pass(&app, &slack, TimeDelta::seconds(6));
    app.drain().await;
    let calls = |slack: &FakeSlack| {
        slack.look(|world| {
            let calls = world.calls.iter();
            calls
                .filter(|(method, _)| method == "chat.postMessage")
                .count()
        })
    };
    assert_eq!(calls(&slack), 1);
    settle(&app, &slack).await;
    one_card(&agent, &slack, &asked).await;
    // Nothing was read: it was plain that nothing had arrived.
    let read = slack.look(|world| {
        let mut calls = world.calls.iter();
        calls.any(|(method, _)| method == "conversations.history")
    });
    assert!(!read);
}

async fn a_channel_that_is_not_set_up_is_parked_and_goes_on_when_it_is(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.set(|world| world.channels.get_mut(MAIN).unwrap().is_member = false);
    let asked = agent.ask(json!({})).await;
    agent.ask(json!({"priority": "urgent"})).await;
    for _ in 0..5 {
        app.drain().await;
        pass(&app, &slack, TimeDelta::seconds(61));
    }
    // It is the one channel that waits.
    assert_eq!(slack.messages(URGENT).len(), 1);
    let waiting = deliveries(&app).await;
    let waiting = waiting.iter().find(|one| one.name == MAIN).unwrap();
    let why = waiting.delivery.last_error.as_deref().unwrap();
    assert!(
        why.contains("not_in_channel") && why.contains("/invite"),
        "{why}"
    );
    assert_eq!(waiting.delivery.tries, 0);
    slack.set(|world| world.channels.get_mut(MAIN).unwrap().is_member = true);
    settle(&app, &slack).await;
    one_card(&agent, &slack, &asked).await;
}

async fn a_card_that_slack_never_takes_is_given_up_and_nothing_else(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.fail("chat.postMessage", [Fault::Refused("invalid_blocks")]);
    let refused = agent.ask(json!({})).await;
    app.drain().await;
    let asked = agent.ask(json!({})).await;
    let ana = app.responder("Ana").await;
    let answer = json!({"text": "80"});
    ana.done(&refused, "answer", answer.clone()).await;
    settle(&app, &slack).await;
    one_card(&agent, &slack, &asked).await;
    let dead = deliveries(&app).await;
    let dead = dead
        .iter()
        .filter(|one| one.delivery.state.name() == "dead");
    let whys: Vec<_> = dead
        .filter_map(|one| one.delivery.last_error.clone())
        .collect();
    assert_eq!(whys.len(), 2, "{whys:?}");
    assert!(
        whys[0].contains("never posted") && whys[1].contains("invalid_blocks"),
        "{whys:?}"
    );
    assert_eq!(agent.poll(&refused).await["answer"]["text"], "80");
}

async fn what_is_closed_before_it_was_posted_is_posted_as_it_is(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.fail("chat.postMessage", [Fault::Refused("service_unavailable")]);
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    let ana = app.responder("Ana").await;
    ana.done(&asked, "answer", json!({"text": "80"})).await;
    settle(&app, &slack).await;
    let card = one_card(&agent, &slack, &asked).await;
    assert_eq!(action_ids(&card), [""; 0]);
    assert!(!card.edited, "it showed the end already");
    agent.done(&asked, "collect", json!({})).await;
    settle(&app, &slack).await;
    assert!(one_card(&agent, &slack, &asked).await.edited);
}

async fn the_pace_of_a_channel_delays_and_loses_nothing(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    slack.set(|world| world.paced = true);
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let mut asked = Vec::new();
    for n in 0..6 {
        asked.push(agent.ask(json!({"prompt": format!("Question {n}")})).await);
    }
    settle(&app, &slack).await;
    let messages = slack.messages(MAIN);
    assert_eq!(messages.len(), 6);
    for (n, message) in messages.iter().enumerate() {
        assert!(
            message.text.contains(&format!("Question {n}")),
            "{}",
            message.text
        );
    }
    // The fake's clock stood still, so it had to refuse; that is no breach of its rules.
    assert_eq!(slack.take_violations(), [""; 0]);
}

async fn notifications_that_wait_become_few_messages(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.fail("chat.postMessage", [Fault::Limited(60)]);
    let mut told = Vec::new();
    for n in 0..25 {
        let told_now = json!({"kind": "notification", "prompt": format!("Update {n};")});
        told.push(agent.ask(told_now).await);
    }
    let asked = agent.ask(json!({})).await;
    settle(&app, &slack).await;
    let messages = slack.messages(MAIN);
    assert!(messages.len() <= 5, "{} messages", messages.len());
    for n in 0..25 {
        let update = format!("Update {n};");
        let places = messages.iter().filter(|one| one.text.contains(&update));
        assert_eq!(places.count(), 1, "{update}");
    }
    for one in told.iter().chain([&asked]) {
        assert!(agent.poll(one).await["slack_permalink"].is_string());
    }
}

async fn a_mirror_has_links_and_no_buttons(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let configure = with_slack(&slack);
    let app = TestApp::start_with(&database, |config| {
        configure(config);
        config.slack_signing_secret = None;
    })
    .await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    let card = one_card(&agent, &slack, &asked).await;
    assert_eq!(action_ids(&card), [""; 0]);
    let link = asked["dashboard_url"].as_str().unwrap();
    assert!(json!(card.blocks).to_string().contains(link));
    agent
        .done(&asked, "cancel", json!({"reason": "found it"}))
        .await;
    app.drain().await;
    let closed = one_card(&agent, &slack, &asked).await;
    assert!(closed.text.contains("Taken back"), "{}", closed.text);
}

async fn a_webhook_tells_what_is_new(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = TestApp::start_with(&database, |config| {
        config.slack_webhook_url = Some(slack.webhook_url(MAIN).into());
    })
    .await;
    let agent = app.agent("backend").await;
    slack.fail("services", [Fault::DropReply]);
    let asked = agent.ask(json!({})).await;
    settle(&app, &slack).await;
    agent
        .done(&asked, "cancel", json!({"reason": "found it"}))
        .await;
    agent.done(&asked, "collect", json!({})).await;
    settle(&app, &slack).await;
    let messages = slack.messages(MAIN);
    let texts: Vec<_> = messages.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[1].starts_with("Posted again"));
    assert!(texts[2].contains("Taken back"));
    assert!(messages.iter().all(|one| action_ids(one).is_empty()));
    assert_eq!(agent.poll(&asked).await["slack_permalink"], Value::Null);
}

async fn two_servers_post_a_question_once(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let one = started(&database, &slack).await;
    let two = started(&database, &slack).await;
    let agent = one.agent("backend").await;
    for n in 0..20 {
        agent.ask(json!({"prompt": format!("Question {n}")})).await;
    }
    tokio::join!(one.drain(), two.drain());
    settle(&one, &slack).await;
    two.drain().await;
    assert_eq!(slack.messages(MAIN).len(), 20);
}

async fn what_takes_longer_than_a_lease_stays_with_the_server_that_is_at_it(
    database: TestDatabase,
) {
    let slack = FakeSlack::start().await;
    let one = started(&database, &slack).await;
    slack.hold_answers("chat.postMessage");
    one.agent("backend")
        .await
        .ask(json!({"prompt": "Which port?"}))
        .await;
    let is_there = |world: &World| world.in_channel(MAIN).next().map(drop);
    slack.wait_for(is_there).await;
    let two = started(&database, &slack).await;
    let claimed_until = deliveries(&one).await[0].delivery.next_at;
    for app in [&one, &two] {
        app.clock.advance(TimeDelta::seconds(4));
    }
    // Leases are renewed by real time, and nothing but the row tells of it.
    let renewed = async {
        while deliveries(&one).await[0].delivery.next_at == claimed_until {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(60), renewed).await.unwrap();
    for app in [&one, &two] {
        app.clock.advance(TimeDelta::seconds(4));
    }
    two.drain().await;
    slack.answer_held("chat.postMessage");
    settle(&one, &slack).await;
    assert_eq!(slack.messages(MAIN).len(), 1);
    assert_eq!(deliveries(&one).await[0].delivery.tries, 1);
}

/// A body of each kind.
fn body(kind: Kind) -> Value {
    let mut body = match kind {
        Kind::Question | Kind::Acknowledgement | Kind::Notification => json!({}),
        Kind::Choice => json!({"options": ["redis", "lru"]}),
        Kind::Approval => json!({"action": {"tool": "shell", "arguments": {"command": "ls"}}}),
        Kind::PlanReview => json!({"plan": "1. Test"}),
        Kind::Form => json!({"questions": [{"id": "port", "prompt": "Which port?"}]}),
    };
    body["kind"] = kind.name().into();
    body
}

/// An answer to it.
fn answer(kind: Kind) -> Value {
    match kind {
        Kind::Question => json!({"text": "80"}),
        Kind::Choice => json!({"selected": ["lru"]}),
        Kind::Acknowledgement | Kind::Notification => json!({}),
        Kind::Approval => json!({"approved": true}),
        Kind::PlanReview => json!({"decision": "proceed"}),
        Kind::Form => json!({"answers": {"port": "80"}}),
    }
}
