//! A server that posts cards to the fake Slack, and how time passes for both.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use server::config::Config;
use store::{DeliveryQuery, DeliveryRecord, testing::TestDatabase};

use tokio::{task::JoinHandle, time::Instant};

use super::{
    app::{TestApp, TestClock},
    fake_slack::{BOT_TOKEN, FakeSlack, MAIN, SIGNING_SECRET, URGENT},
};

/// Answers come as signed requests.
pub(crate) fn with_slack(slack: &FakeSlack) -> impl FnOnce(&mut Config) + use<> {
    let url = slack.api_url();
    move |config| {
        config.slack_api_url = url;
        config.slack_bot_token = Some(BOT_TOKEN.to_owned().into());
        config.slack_signing_secret = Some(SIGNING_SECRET.to_owned().into());
        config.slack_default_channel = Some(MAIN.to_owned());
        config.slack_urgent_channel = Some(URGENT.to_owned());
    }
}

pub(crate) async fn started(database: &TestDatabase, slack: &FakeSlack) -> TestApp {
    TestApp::start_with(database, with_slack(slack)).await
}

/// Time passes for both.
pub(crate) fn pass(app: &TestApp, slack: &FakeSlack, span: TimeDelta) {
    app.clock.advance(span);
    slack.advance(span);
}

/// Has everything sent, also what is put off by up to ten minutes.
pub(crate) async fn settle(app: &TestApp, slack: &FakeSlack) {
    app.drain().await;
    for _ in 0..20 {
        let owed = deliveries(app).await;
        let waits = |one: &DeliveryRecord| one.delivery.ended_at.is_none();
        if !owed.iter().any(waits) {
            return;
        }
        pass(app, slack, TimeDelta::seconds(30));
        app.drain().await;
    }
    panic!("{:?}", deliveries(app).await);
}

pub(crate) async fn deliveries(app: &TestApp) -> Vec<DeliveryRecord> {
    let all = DeliveryQuery {
        limit: 1_000,
        ..DeliveryQuery::default()
    };
    app.state.service.store().deliveries(&all).await.unwrap()
}

/// Has the time of an app and its Slack pass as ours does.
pub(crate) fn live(clock: &Arc<TestClock>) -> JoinHandle<()> {
    let clock = clock.clone();
    tokio::spawn(async move {
        let mut last = Instant::now();
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let now = Instant::now();
            clock.advance(TimeDelta::from_std(now - last).unwrap());
            last = now;
        }
    })
}
