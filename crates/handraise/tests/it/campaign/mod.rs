//! Questions climb while nodes are killed, and while what carries messages fails, stalls and forgets: every rung is told
//! once, every message arrives under one id, and nothing asks after the answer. Meanwhile people approve ahead, together,
//! with changes and by rules: nothing is approved that was taken back or forbidden before it was asked, nothing by one
//! person for two, and nothing without its receipt.
//!
//! This is a short one. `cargo xtask campaign` plays it with 200 questions, three rungs and three nodes.

mod amended;
mod amending;
mod cast;
mod counted;
mod counting;
mod crew;
mod door;
mod granted;
mod granting;
mod judge;
mod rights;
mod ruled;
mod ruling;
mod size;
mod story;

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::{Audience, TokenKind, access::Lifetime, delivery::DestinationKind};
use futures::future::join_all;
use machine::clock::{Clock, SystemClock, SystemIds};
use rand::{SeedableRng, rngs::StdRng};
use service::Service;
use signing::Witness;
use store::{DeliveryQuery, DeliveryRecord, Store, testing::TestDatabase};
use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    carriers::Carriers,
    fake_slack::{ANA, BOT_TOKEN, Channel, MAIN, SIGNING_SECRET},
    killing::{Nodes, handraise},
    people::operator,
    reaching::reachable,
};
use cast::Cast;
use door::Door;
use size::Size;
use story::{Plan, Story, World};

store::on_both_databases!(every_rung_is_told_once_and_nothing_is_granted_too_often);

/// Channels of Slack, each of which takes a message a second.
const CHANNELS: usize = 8;
/// How long anything may take once nothing is killed any more: what was tried ten times waits for five minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Where Slack shows what a team is asked.
fn channel(team: usize) -> String {
    format!("C0PART{}", team % CHANNELS)
}

async fn every_rung_is_told_once_and_nothing_is_granted_too_often(database: TestDatabase) {
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
    let keys = app.state.keys.trusted(&[]);
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
    store.trust(Arc::new(Witness::new(keys.clone())));
    let settings = server::config::Config::default().settings();
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
    let service = Service::new(store.clone(), clock, ids, settings);
    let door = Door::new(nodes.urls());
    let cast = Cast::assemble(&service, door.clone()).await;
    let world = World {
        door,
        agent,
        desk,
        service,
        people,
    };
    let plans: Vec<_> = (0..size.questions)
        .map(|n| Plan::new(n, &size, &mut random))
        .collect();
    let playing =
        tokio::spawn(async move { join_all(plans.into_iter().map(|plan| world.play(plan))).await });
    let deciding = {
        let size = size.clone();
        tokio::spawn(async move {
            let decided = rights::play(&cast, &size).await;
            (cast, decided)
        })
    };
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
        let is_over = count.is_multiple_of(10) && playing.is_finished() && deciding.is_finished();
        if is_over && nothing_climbs(&*store).await {
            break;
        }
        assert!(climbing.elapsed() < PATIENCE, "it climbs for ever");
    }
    let climbed_for = climbing.elapsed();
    let stories: Vec<Story> = playing.await.unwrap();
    let (cast, decided) = deciding.await.unwrap();
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
    let rights = rights::judge(&cast, &*store, &keys, &decided, &deliveries).await;
    drop(nodes);

    let verdict = judge::judge(&*store, &size, &stories, &deliveries, &carriers.heard).await;
    println!(
        "{many} nodes, seed {}: {} questions climbed in {:.0} s with {kills} kills, all arrived {:.0} s later, {:.0} s in all\n{verdict}\n{rights}",
        size.seed,
        stories.len(),
        climbed_for.as_secs_f64(),
        arriving.elapsed().as_secs_f64(),
        begun.elapsed().as_secs_f64(),
    );
    assert!(verdict.faults.is_empty(), "{:#?}", verdict.faults);
    assert!(rights.faults.is_empty(), "{:#?}", rights.faults);
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
