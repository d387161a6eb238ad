//! Questions climb while nodes are killed, and while what carries messages fails, stalls and forgets: every rung is told
//! once, every message arrives under one id, and nothing asks after the answer.
//!
//! This is a short one. `cargo xtask campaign` plays it with 200 questions, three rungs and three nodes.

mod crew;
mod judge;
mod story;

use std::{env, time::Duration};

use chrono::TimeDelta;
use domain::{Audience, TokenKind, access::Lifetime, delivery::DestinationKind};
use futures::future::join_all;
use machine::clock::{Clock, SystemClock, SystemIds};
use rand::{SeedableRng, rngs::StdRng};
use service::Service;
use store::{DeliveryQuery, DeliveryRecord, Store, testing::TestDatabase};
use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::{TestApp, http_client},
    carriers::Carriers,
    fake_slack::{ANA, BOT_TOKEN, Channel, MAIN, SIGNING_SECRET},
    killing::{Nodes, handraise},
    people::operator,
    reaching::reachable,
};
use story::{Plan, Story, World};

store::on_both_databases!(every_rung_is_told_once_whatever_fails);

/// Channels of Slack, each of which takes a message a second.
const CHANNELS: usize = 8;
/// How long anything may take once nothing is killed any more: what was tried ten times waits for five minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How much is played.
struct Size {
    questions: usize,
    teams: usize,
    rungs: u32,
    /// In seconds.
    asked_within: f64,
    /// Whether the cards in channels are waited for too: one that was posted twice is looked for, for minutes.
    with_cards: bool,
    /// Between two kills, more or less.
    apart: Duration,
    seed: u64,
}

impl Size {
    /// What the environment wants; else a short one.
    fn chosen() -> Self {
        let number = |name: &str| -> Option<u64> {
            let text = env::var(name).ok()?;
            Some(text.parse().unwrap())
        };
        let seed = number("TEST_CAMPAIGN_SEED").unwrap_or(1);
        match number("TEST_CAMPAIGN_QUESTIONS") {
            Some(questions) => Self {
                questions: usize::try_from(questions).unwrap(),
                teams: usize::try_from(questions.div_ceil(5)).unwrap(),
                rungs: 3,
                asked_within: 30.0,
                with_cards: true,
                apart: Duration::from_secs(4),
                seed,
            },
            None => Self {
                questions: 16,
                teams: 4,
                rungs: 2,
                asked_within: 3.0,
                with_cards: false,
                apart: Duration::from_secs(5),
                seed,
            },
        }
    }
}

/// Where Slack shows what a team is asked.
fn channel(team: usize) -> String {
    format!("C0PART{}", team % CHANNELS)
}

async fn every_rung_is_told_once_whatever_fails(database: TestDatabase) {
    let begun = Instant::now();
    let size = Size::chosen();
    let mut random = StdRng::seed_from_u64(size.seed);
    let folder = tempfile::tempdir().unwrap();
    let mut carriers = Carriers::start(size.seed, size.teams).await;
    let channels: Vec<_> = (0..CHANNELS).map(channel).collect();
    carriers.slack.set(|world| {
        for id in &channels {
            let channel = Channel {
                name: "part",
                is_member: true,
                is_archived: false,
                people: vec![ANA],
            };
            world.channels.insert(id.clone(), channel);
        }
    });
    let topics = format!("http://{}", carriers.ntfy.addr);
    let mail = carriers.mails.url();

    // The keys that seal addresses are those of the nodes.
    let app = TestApp::start_with(&database, |config| {
        reachable(config);
        config.key_file = Some(folder.path().join("key"));
        config.ntfy.url = Some(topics.clone());
        config.mail.url = Some(mail.clone().into());
        config.mail.from = Some("Handraise <handraise@example.com>".into());
    })
    .await;
    let by = operator();
    let token =
        app.state
            .service
            .create_token(TokenKind::Agent, "backend", Lifetime::Never, &[], &by);
    let agent = token.await.unwrap().reveal().to_owned();
    let backend = app.state.service.known_agent("backend").await.unwrap();
    let teams = crew::assemble(&app, &backend, &carriers, size.rungs).await;
    let token =
        app.state
            .service
            .create_token(TokenKind::Responder, "desk", Lifetime::Never, &teams, &by);
    let desk = token.await.unwrap().reveal().to_owned();
    let mut people = Vec::new();
    for team in 0..size.teams {
        people.push(crew::principal(&app, &crew::first_of(team)).await);
    }
    // What asks whose address it is belongs to another year.
    app.drain().await;
    app.stop().await;

    let many = match database.url.starts_with("sqlite") {
        true => 1,
        false => 3,
    };
    let (url, slack_url, key) = (
        database.url.clone(),
        carriers.slack.api_url(),
        folder.path().to_owned(),
    );
    let mut nodes = Nodes::start(many, move || {
        let mut command = handraise(&key);
        command
            .args(["serve", "--addr", "127.0.0.1:0", "--database", &url])
            .env("HANDRAISE_NTFY_URL", &topics)
            .env("HANDRAISE_MAIL_URL", &mail)
            .env("HANDRAISE_MAIL_FROM", "Handraise <handraise@example.com>")
            .env("HANDRAISE_SLACK_API_URL", &slack_url)
            .env("HANDRAISE_SLACK_BOT_TOKEN", BOT_TOKEN)
            .env("HANDRAISE_SLACK_SIGNING_SECRET", SIGNING_SECRET)
            .env("HANDRAISE_SLACK_DEFAULT_CHANNEL", MAIN);
        command
    });
    let store = store::connect(&database.url).await.unwrap();
    let world = World {
        urls: nodes.urls(),
        client: http_client(),
        agent,
        desk,
        service: Service::new(
            store.clone(),
            std::sync::Arc::new(SystemClock),
            std::sync::Arc::new(SystemIds),
            server::config::Config::default().settings(),
        ),
        people,
    };
    let plans: Vec<_> = (0..size.questions)
        .map(|n| Plan::new(n, &size, &mut random))
        .collect();
    let playing =
        tokio::spawn(async move { join_all(plans.into_iter().map(|plan| world.play(plan))).await });
    let enough = CancellationToken::new();
    let killing = {
        let enough = enough.clone();
        tokio::spawn(async move {
            let kills = nodes
                .kill_again_and_again(size.seed, size.apart, enough)
                .await;
            (nodes, kills)
        })
    };

    // As long as anything climbs, everything fails now and then, and is killed.
    let mut looks = interval(Duration::from_millis(100));
    let climbing = Instant::now();
    for count in 1_u32.. {
        looks.tick().await;
        carriers.look(true);
        if count.is_multiple_of(10) && playing.is_finished() && nothing_climbs(&*store).await {
            break;
        }
        assert!(climbing.elapsed() < PATIENCE, "it climbs for ever");
    }
    let climbed_for = climbing.elapsed();
    let stories: Vec<Story> = playing.await.unwrap();
    enough.cancel();
    let (nodes, kills) = killing.await.unwrap();
    carriers.behave();
    let arriving = Instant::now();
    let deliveries = loop {
        looks.tick().await;
        carriers.look(false);
        let deliveries = everything(&*store).await;
        let is_waited_for = |one: &&DeliveryRecord| {
            let counts = size.with_cards || one.kind != DestinationKind::Slack;
            counts && one.delivery.ended_at.is_none()
        };
        let owed: Vec<_> = deliveries.iter().filter(is_waited_for).collect();
        if owed.is_empty() {
            break deliveries;
        }
        assert!(
            arriving.elapsed() < PATIENCE,
            "these are owed for ever: {owed:#?}"
        );
    };
    carriers.look(false);
    carriers.hear_slack();
    drop(nodes);

    let verdict = judge::judge(&*store, &size, &stories, &deliveries, &carriers.heard).await;
    println!(
        "{many} nodes, seed {}: {} questions climbed in {:.0} s with {kills} kills, all arrived {:.0} s later, {:.0} s in all\n{verdict}",
        size.seed,
        stories.len(),
        climbed_for.as_secs_f64(),
        arriving.elapsed().as_secs_f64(),
        begun.elapsed().as_secs_f64(),
    );
    assert!(verdict.faults.is_empty(), "{:#?}", verdict.faults);
    for what in ["checkpoint", "verify"] {
        let mut command = handraise(folder.path());
        let output = command
            .args(["journal", what, "--database", &database.url])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

/// Whether no question has a rung to come.
async fn nothing_climbs(store: &dyn Store) -> bool {
    let end_of_time = SystemClock.now() + TimeDelta::days(365);
    store.climbing(end_of_time, 0, 1).await.unwrap().is_empty()
}

/// All deliveries there are.
async fn everything(store: &dyn Store) -> Vec<DeliveryRecord> {
    let mut query = DeliveryQuery {
        audience: Audience::All,
        limit: 1_000,
        ..DeliveryQuery::default()
    };
    let mut all = Vec::new();
    loop {
        let page = store.deliveries(&query).await.unwrap();
        let Some(last) = page.last() else {
            return all;
        };
        query.before = Some(last.delivery.id);
        all.extend(page);
    }
}
