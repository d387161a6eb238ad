//! Slack's limits are the app's, for each method: nothing is called more often than that, and what people wait for goes
//! before the rest.

use std::time::Duration;

use chrono::{DateTime, Utc};
use machine::clock::Clock;
use serde_json::json;
use store::testing::TestDatabase;
use tokio::net::TcpListener;

use crate::support::{
    app::TestApp,
    fake_slack::{ANA, BEN, Channel, FakeSlack, Fault, MAIN, World},
    slack_cards::{live, with_slack},
    slack_desk::{Desk, approval},
};

store::on_both_databases!(
    the_cards_of_twelve_channels_close_and_no_call_is_refused,
    two_servers_keep_one_pace,
    a_question_goes_before_a_hundred_notifications,
    what_was_refused_does_not_come_back_at_once,
    nothing_is_called_while_slack_wants_it_left_alone,
    a_card_that_is_shown_again_has_new_names,
);

/// Slack's second in these tests, in milliseconds: sixty of them are its minute.
const SECOND: u64 = 200;
const CHANNELS: usize = 12;
const CARDS: usize = 10;

/// A server that keeps Slack's pace, in short seconds.
async fn paced(database: &TestDatabase, slack: &FakeSlack) -> TestApp {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let configure = with_slack(slack);
    let overrides: Vec<_> = (0..CHANNELS).map(|n| format!("s{n}={}", id(n))).collect();
    TestApp::start_paced(
        listener,
        database,
        slack.clock().clone(),
        Duration::from_millis(SECOND),
        |config| {
            configure(config);
            config.slack_session_overrides = overrides.try_into().unwrap();
        },
    )
    .await
}

fn id(channel: usize) -> String {
    format!("C0PACE{channel}")
}

async fn limited() -> FakeSlack {
    let slack = FakeSlack::start().await;
    slack.set(|world| {
        for n in 0..CHANNELS {
            let channel = Channel {
                name: "pace",
                is_member: true,
                is_archived: false,
                people: vec![ANA, BEN],
            };
            world.channels.insert(id(n), channel);
        }
        world.paced = true;
        world.limits.minute = Some(60 * i64::try_from(SECOND).unwrap());
    });
    slack
}

/// How many calls of these methods were refused, for any reason.
fn refused(slack: &FakeSlack) -> (usize, usize) {
    slack.look(|world| {
        let by_method = world.limits.refused.values().sum::<usize>();
        (by_method, world.refused_in_channel)
    })
}

/// No method was called too often. In a channel, a message in ten may come too close to the one before: the second is a
/// fifth of one here, and a database that is busy for a moment makes more of it than there is between two messages.
fn keeps_the_pace(slack: &FakeSlack) {
    let (by_method, in_channel) = refused(slack);
    assert_eq!(by_method, 0);
    assert!(in_channel <= CHANNELS * CARDS / 10, "{in_channel}");
}

fn calls(slack: &FakeSlack, method: &str) -> usize {
    slack.look(|world| {
        let calls = world.calls.iter();
        calls.filter(|(name, _)| name == method).count()
    })
}

/// In Slack's seconds.
fn since(begun: DateTime<Utc>, slack: &FakeSlack) -> i64 {
    (slack.clock().now() - begun).num_milliseconds() / i64::try_from(SECOND).unwrap()
}

/// The cards there are, and those of them that can be pressed.
fn cards(world: &World) -> (usize, usize) {
    let cards = world.messages.iter();
    let cards = cards.filter(|card| card.by_bot && card.only_for.is_none());
    let open = cards.clone().filter(|card| card.controls().count() > 0);
    (cards.count(), open.count())
}

/// Asks in every channel, and waits for the cards.
async fn ask_everywhere(apps: &[&TestApp], slack: &FakeSlack) {
    for (n, app) in (0..CHANNELS).zip(apps.iter().cycle()) {
        let agent = app.agent(&format!("agent {n}")).await;
        for _ in 0..CARDS {
            agent.ask(json!({"session_id": format!("s{n}")})).await;
        }
    }
    let all = CHANNELS * CARDS;
    slack
        .wait_for(|world| (cards(world) == (all, all)).then_some(()))
        .await;
}

/// Takes everything back, and returns how long the cards kept their buttons: on the average, and the last of them after
/// the last was taken back.
async fn close_everywhere(app: &TestApp, slack: &FakeSlack) -> (i64, i64) {
    let ana = app.responder("Ana").await;
    let waiting = ana
        .read("/api/v1/interactions?state=pending&limit=200")
        .await;
    let waiting = waiting["items"].as_array().unwrap();
    let all = i64::try_from(CHANNELS * CARDS).unwrap();
    assert_eq!(i64::try_from(waiting.len()), Ok(all));
    let begun = slack.clock().now();
    let closing = async {
        let mut sum = 0;
        for asked in waiting {
            ana.done(asked, "cancel", json!({"reason": "over"})).await;
            sum += since(begun, slack);
        }
        (sum, since(begun, slack))
    };
    let losing_buttons = async {
        let (mut sum, mut closed) = (0, 0);
        while closed < all {
            let open = slack
                .wait_for(|world| {
                    let open = i64::try_from(cards(world).1).unwrap();
                    (all - open > closed).then_some(open)
                })
                .await;
            sum += (all - open - closed) * since(begun, slack);
            closed = all - open;
        }
        (sum, since(begun, slack))
    };
    let (closed, lost) = tokio::join!(closing, losing_buttons);
    ((lost.0 - closed.0) / all, lost.1 - closed.1)
}

async fn the_cards_of_twelve_channels_close_and_no_call_is_refused(database: TestDatabase) {
    let slack = limited().await;
    let time = live(slack.clock());
    let app = paced(&database, &slack).await;
    ask_everywhere(&[&app], &slack).await;
    let before = calls(&slack, "chat.update");
    let (average, last) = close_everywhere(&app, &slack).await;
    let updates = calls(&slack, "chat.update") - before;
    eprintln!(
        "120 cards closed after {average} s on the average, the last after {last} s; {updates} calls, refused: {:?}",
        refused(&slack)
    );
    keeps_the_pace(&slack);
    assert_eq!(updates, CHANNELS * CARDS);
    // Slack takes 50 a minute: the last twenty come after two of them.
    assert!(last < 160, "{last}");
    time.abort();
    app.stop().await;
}

async fn two_servers_keep_one_pace(database: TestDatabase) {
    let slack = limited().await;
    let time = live(slack.clock());
    let one = paced(&database, &slack).await;
    let two = paced(&database, &slack).await;
    ask_everywhere(&[&one, &two], &slack).await;
    let (average, last) = close_everywhere(&two, &slack).await;
    eprintln!(
        "with two nodes after {average} s on the average, the last after {last} s; refused: {:?}",
        refused(&slack)
    );
    keeps_the_pace(&slack);
    assert!(last < 180, "{last}");
    time.abort();
    one.stop().await;
    two.stop().await;
}

async fn a_question_goes_before_a_hundred_notifications(database: TestDatabase) {
    let slack = limited().await;
    let time = live(slack.clock());
    let app = paced(&database, &slack).await;
    let agent = app.agent("backend").await;
    for n in 0..100 {
        let told = json!({"kind": "notification", "prompt": format!("Update {n};")});
        agent.ask(told).await;
    }
    let messages = |slack: &FakeSlack| slack.messages(MAIN).len();
    let before = messages(&slack);
    agent.ask(json!({"prompt": "Which port?"})).await;
    let begun = slack.clock().now();
    slack
        .wait_for(|world| {
            let mut messages = world.in_channel(MAIN);
            messages
                .any(|one| one.text.contains("Which port?"))
                .then_some(())
        })
        .await;
    eprintln!(
        "a question behind 100 notifications came after {} s and {} messages",
        since(begun, &slack),
        messages(&slack) - before
    );
    // One that was on its way already, and itself.
    assert!(messages(&slack) - before <= 3);
    slack
        .wait_for(|world| {
            let said: String = world
                .in_channel(MAIN)
                .map(|one| one.text.as_str())
                .collect();
            let all = (0..100).all(|n| said.contains(&format!("Update {n};")));
            all.then_some(())
        })
        .await;
    keeps_the_pace(&slack);
    time.abort();
    app.stop().await;
}

async fn what_was_refused_does_not_come_back_at_once(database: TestDatabase) {
    let slack = limited().await;
    let time = live(slack.clock());
    let app = paced(&database, &slack).await;
    ask_everywhere(&[&app], &slack).await;
    // Somebody else has used the app's calls up.
    let now = slack.clock().now().timestamp_millis();
    slack.set(|world| world.limits.use_up("chat.update", now));
    let (average, last) = close_everywhere(&app, &slack).await;
    let (refused, impatient) = slack.look(|world| {
        let of = |counts: &std::collections::BTreeMap<String, usize>| {
            counts.get("chat.update").copied().unwrap_or_default()
        };
        (of(&world.limits.refused), of(&world.limits.impatient))
    });
    eprintln!(
        "after a refusal: {average} s on the average, the last after {last} s; {refused} refused, {impatient} while a \
         Retry-After ran"
    );
    // One that is on its way when Slack begins to refuse may be followed by one that was sent before the answer came.
    assert!(refused <= 2, "{refused}");
    assert!(impatient <= 1, "{impatient}");
    time.abort();
    app.stop().await;
}

async fn nothing_is_called_while_slack_wants_it_left_alone(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(approval()).await;
    // Not on one card with it.
    let mut another = approval();
    another["prompt"] = "And this?".into();
    let other = agent.ask(another).await;
    let card = desk.post(&asked).await;
    desk.post(&other).await;
    let ben = desk.app.responder("by the API").await;
    slack_wants_a_pause(&desk.slack);
    ben.done(&other, "answer", json!({"approved": true})).await;
    desk.app.drain().await;
    assert_eq!(calls(&desk.slack, "chat.update"), 1);
    // The press comes too late, so the card is to be shown as it is: not now.
    ben.done(&asked, "answer", json!({"approved": true})).await;
    desk.app.drain().await;
    desk.press(ANA, &card, "approve").await;
    assert_eq!(calls(&desk.slack, "chat.update"), 1);
    assert_eq!(
        desk.notes(ANA),
        ["by the API approved it 0 s ago by the API."]
    );
    desk.stop().await;
}

fn slack_wants_a_pause(slack: &FakeSlack) {
    slack.fail("chat.update", [Fault::Limited(30)]);
}

async fn a_card_that_is_shown_again_has_new_names(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    desk.press(BEN, &card, "approve").await;
    desk.app.drain().await;
    // Each finds it closed, and has the card shown as it is; the fake notes a name that was there before.
    for _ in 0..2 {
        desk.press(ANA, &card, "approve").await;
    }
    assert_eq!(desk.notes(ANA).len(), 2);
    desk.stop().await;
}
