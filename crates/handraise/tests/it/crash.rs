//! `kill -9` while agents are asking: whatever was acknowledged is there afterwards.

use std::{
    collections::{HashMap, HashSet},
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use domain::{
    AgentRef, InteractionEvent, InteractionId, Payload, Principal, TokenKind, access::Lifetime,
};
use futures::future::join_all;
use machine::clock::{Clock, SystemClock, SystemIds};
use reqwest::Client;
use serde_json::{Value, json};
use service::Service;
use store::{DeliveryQuery, testing::TestDatabase, verify_journal};
use tokio::sync::mpsc;

use crate::support::{
    app::{TestApp, http_client},
    fake_slack::{ANA, BOT_TOKEN, Channel, FakeSlack, Fault, MAIN, SIGNING_SECRET, World},
    people::operator,
    receiver::{Got, Manner, Receiver},
    slack_cards::with_slack,
};

store::on_both_databases!(
    nothing_acknowledged_is_lost,
    what_is_owed_arrives_whenever_the_server_is_killed,
    a_card_is_posted_once_though_the_server_is_killed_before_it_knows,
    files_appear_once_though_the_server_is_killed_before_it_knows,
    what_was_pressed_in_slack_counts_once_it_is_acknowledged,
    every_rung_is_told_once_whichever_node_is_killed,
);

/// The real binary, with its key and its checkpoints in this folder.
fn handraise(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .env("HANDRAISE_KEY_FILE", folder.join("key"))
        .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"))
        .env("HANDRAISE_OUTBOUND_ALLOW", "127.0.0.1")
        // They ask as fast as they can.
        .env("HANDRAISE_RATE_LIMIT_PER_MINUTE", "0");
    command
}

/// Runs one of the commands on the journal, which has to succeed.
fn journal(command: &str, database: &TestDatabase, folder: &Path) -> String {
    let output = handraise(folder)
        .args(["journal", command, "--database", &database.url])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The real binary on a free port.
fn serve(database: &TestDatabase, folder: &Path) -> (Child, String, impl Sized + use<>) {
    started(handraise(folder), database)
}

fn started(mut command: Command, database: &TestDatabase) -> (Child, String, impl Sized + use<>) {
    let mut child = command
        .args([
            "serve",
            "--addr",
            "127.0.0.1:0",
            "--database",
            &database.url,
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines
        .next()
        .expect("handraise does not start: is the page built? `cargo xtask test` builds it")
        .unwrap();
    let url = first.rsplit(' ').next().unwrap().to_owned();
    (child, url, lines)
}

async fn ask(client: &Client, url: &str, token: &str) -> Option<String> {
    let response = client
        .post(format!("{url}/api/v1/interactions"))
        .bearer_auth(token)
        .json(&json!({"kind": "question", "prompt": "Which port?"}))
        .send()
        .await
        .ok()?;
    let asked: Value = response.json().await.ok()?;
    Some(asked["id"].as_str()?.to_owned())
}

/// The token of an agent called `backend`.
async fn agent_token(database: &TestDatabase) -> String {
    let service = Service::new(
        store::connect(&database.url).await.unwrap(),
        std::sync::Arc::new(SystemClock),
        std::sync::Arc::new(SystemIds),
        server::config::Config::default().settings(),
    );
    let operator = operator();
    let token = service.create_token(TokenKind::Agent, "backend", Lifetime::Never, &[], &operator);
    token.await.unwrap().reveal().to_owned()
}

async fn nothing_acknowledged_is_lost(database: TestDatabase) {
    const ROUNDS: usize = 3;
    const AGENTS: usize = 8;
    const BEFORE_THE_KILL: usize = 60;
    let store = store::connect(&database.url).await.unwrap();
    let token = &*agent_token(&database).await;

    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    for round in 1..=ROUNDS {
        let (mut child, url, _output) = serve(&database, folder.path());
        let (seen, mut count) = mpsc::unbounded_channel();
        let agents: Vec<_> = (0..AGENTS)
            .map(|_| {
                let (url, seen) = (url.clone(), seen.clone());
                async move {
                    let client = http_client();
                    while let Some(id) = ask(&client, &url, token).await {
                        let _ = seen.send(id);
                    }
                }
            })
            .collect();
        drop(seen);
        let killer = async {
            let mut ids = Vec::new();
            while ids.len() < BEFORE_THE_KILL {
                ids.push(count.recv().await.expect("the server died by itself"));
            }
            // Beside the server, so that the cut has something to fall behind.
            let signed = journal("checkpoint", &database, folder.path());
            assert!(signed.starts_with("signed "), "{signed}");
            // SIGKILL, in the middle of the stream.
            child.kill().unwrap();
            child.wait().unwrap();
            ids
        };
        let (_, ids) = futures::join!(join_all(agents), killer);
        acknowledged.extend(ids);
        while let Ok(id) = count.try_recv() {
            acknowledged.push(id);
        }
        // Another start on the same database is what restarting is.
        let end = verify_journal(&*store).await.unwrap();
        assert!(end.seq >= i64::try_from(acknowledged.len()).unwrap());
        let holds = journal("verify", &database, folder.path());
        let expected = format!(" {} events; checkpoints: {round},", end.seq);
        assert!(holds.contains(&expected), "{holds}");
    }
    for id in &acknowledged {
        let found = store.interaction(id.parse().unwrap()).await.unwrap();
        assert!(found.is_some(), "{id} was acknowledged and is lost");
    }
}

/// When the server dies.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// It owes deliveries, and has hardly begun to send them.
    BeforeSending,
    /// The receiver has the request and has not answered.
    BeforeTheReply,
    /// The receiver has answered, and the server has hardly written that down.
    AfterTheReply,
}

async fn what_is_owed_arrives_whenever_the_server_is_killed(database: TestDatabase) {
    let store = store::connect(&database.url).await.unwrap();
    let service = Service::new(
        store.clone(),
        std::sync::Arc::new(SystemClock),
        std::sync::Arc::new(SystemIds),
        server::config::Config::default().settings(),
    );
    let token = async |kind| {
        let made = service
            .create_token(kind, "t", Lifetime::Never, &[], &operator())
            .await
            .unwrap();
        made.reveal().to_owned()
    };
    let (agent, desk) = (
        token(TokenKind::Agent).await,
        token(TokenKind::Responder).await,
    );
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::start([]).await;
    let client = http_client();
    let mut owed = HashSet::new();
    let mut heard: Vec<Got> = Vec::new();
    for round in 0..9 {
        let (mut child, url, _output) = serve(&database, folder.path());
        if round == 0 {
            let made = client
                .post(format!("{url}/api/v1/hooks"))
                .bearer_auth(&desk);
            let made = made
                .json(&json!({"target_url": receiver.url()}))
                .send()
                .await;
            assert_eq!(made.unwrap().status(), 201);
        }
        let moment = [
            Moment::BeforeSending,
            Moment::BeforeTheReply,
            Moment::AfterTheReply,
        ][round % 3];
        heard.extend(receiver.got());
        if let Moment::BeforeTheReply = moment {
            receiver.behave(vec![Manner::Hangs; 4]);
        }
        for _ in 0..4 {
            owed.insert(ask(&client, &url, &agent).await.unwrap());
        }
        if !matches!(moment, Moment::BeforeSending) {
            heard.push(receiver.wait().await);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // Those who hung answer now, to nobody; what was not asked to hang is answered again.
    receiver.release();
    let (mut child, _url, _output) = serve(&database, folder.path());
    let everything = DeliveryQuery {
        limit: 1_000,
        ..DeliveryQuery::default()
    };
    // Another process works through it: there is nothing to wait for but what it writes.
    let mut looks = tokio::time::interval(Duration::from_millis(200));
    let delivered = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            looks.tick().await;
            let deliveries = store.deliveries(&everything).await.unwrap();
            if deliveries.iter().all(|one| one.delivery.ended_at.is_some()) {
                return deliveries;
            }
        }
    })
    .await
    .expect("something is owed for ever");
    child.kill().unwrap();
    child.wait().unwrap();
    heard.extend(receiver.got());

    let delivered: HashMap<String, String> = delivered
        .iter()
        .map(|one| {
            assert_eq!(
                one.delivery.state,
                domain::delivery::DeliveryState::Delivered
            );
            let interaction = one.interaction_id.unwrap().to_string();
            (interaction, one.delivery.id.to_string())
        })
        .collect();
    let mut ids: HashMap<String, HashSet<String>> = HashMap::new();
    for got in &heard {
        let interaction = got.json()["data"]["id"].as_str().unwrap().to_owned();
        ids.entry(interaction)
            .or_default()
            .insert(got.id().to_owned());
    }
    for interaction in &owed {
        let id = delivered.get(interaction).expect("nobody owes it any more");
        // Heard of at least once, and always under the one id.
        assert_eq!(ids[interaction], HashSet::from([id.clone()]));
    }
}

async fn a_card_is_posted_once_though_the_server_is_killed_before_it_knows(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    // It has posted the card, and waits for the link that it keeps with it.
    slack.fail("chat.getPermalink", [Fault::Hang]);
    let folder = tempfile::tempdir().unwrap();
    let mut command = handraise(folder.path());
    command
        .env("HANDRAISE_SLACK_API_URL", slack.api_url())
        .env("HANDRAISE_SLACK_BOT_TOKEN", BOT_TOKEN)
        .env("HANDRAISE_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .env("HANDRAISE_SLACK_DEFAULT_CHANNEL", MAIN);
    let token = agent_token(&database).await;
    let (mut child, url, _output) = started(command, &database);
    let client = http_client();
    let id = ask(&client, &url, &token).await.unwrap();
    slack
        .wait_for(|world| {
            let mut calls = world.calls.iter();
            calls
                .any(|(method, _)| method == "chat.getPermalink")
                .then_some(())
        })
        .await;
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(slack.messages(MAIN).len(), 1);

    // Much later, when the lease of the one that died is over.
    let app = TestApp::start_with(&database, |config| {
        with_slack(&slack)(config);
        config.key_file = Some(folder.path().join("key"));
    })
    .await;
    app.drain().await;
    let agent = app.agent("backend").await;
    let kept = agent.read(&format!("/api/v1/interactions/{id}")).await;
    let messages = slack.messages(MAIN);
    assert_eq!(messages.len(), 1, "{messages:#?}");
    let link = kept["slack_permalink"].as_str().unwrap();
    assert!(link.contains(&messages[0].ts.replace('.', "")));
}

async fn files_appear_once_though_the_server_is_killed_before_it_knows(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    // They are shared, and the server waits to hear of it.
    slack.hold_answers("files.completeUploadExternal");
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("attachments");
    let mut command = handraise(folder.path());
    command
        .env("HANDRAISE_ATTACHMENTS", &files)
        .env("HANDRAISE_SLACK_API_URL", slack.api_url())
        .env("HANDRAISE_SLACK_BOT_TOKEN", BOT_TOKEN)
        .env("HANDRAISE_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .env("HANDRAISE_SLACK_DEFAULT_CHANNEL", MAIN);
    let token = agent_token(&database).await;
    let (mut child, url, _output) = started(command, &database);
    let client = http_client();
    let sent = client.post(format!("{url}/api/v1/attachments?name=run.log"));
    let sent = sent
        .bearer_auth(&token)
        .header("Content-Type", "text/plain");
    let sent = sent.body("it failed").send().await.unwrap();
    let sent: Value = sent.json().await.unwrap();
    let body = json!({"kind": "question", "prompt": "And now?", "attachments": [sent["id"]]});
    let asking = client.post(format!("{url}/api/v1/interactions"));
    let asked = asking.bearer_auth(&token).json(&body).send().await.unwrap();
    assert_eq!(asked.status(), reqwest::StatusCode::CREATED);
    let is_shared = |world: &World| world.files.iter().any(|file| file.is_shared).then_some(());
    slack.wait_for(is_shared).await;
    child.kill().unwrap();
    child.wait().unwrap();
    slack.answer_held("files.completeUploadExternal");

    let app = TestApp::start_with(&database, |config| {
        with_slack(&slack)(config);
        config.key_file = Some(folder.path().join("key"));
        config.attachments = files.to_str().map(str::to_owned);
    })
    .await;
    app.drain().await;
    let messages = slack.messages(MAIN);
    assert_eq!(messages.len(), 2, "{messages:#?}");
    let ts = messages[0].ts.clone();
    let shared = slack.look(|world| world.files_in_thread(MAIN, &ts).len());
    assert_eq!(shared, 1);
    let owed = app.state.service.store();
    let owed = owed.deliveries(&DeliveryQuery::default()).await.unwrap();
    assert!(owed.iter().all(|one| one.delivery.ended_at.is_some()));
}

async fn what_was_pressed_in_slack_counts_once_it_is_acknowledged(database: TestDatabase) {
    const ROUNDS: usize = 8;
    const LAST: usize = ROUNDS - 1;
    let slack = FakeSlack::start().await;
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database).await;
    let client = http_client();
    // A channel each: what a server was sending when it was killed keeps its channel for a minute.
    let channels: Vec<_> = (0..ROUNDS).map(|n| format!("C0ROUND{n}")).collect();
    slack.set(|world| {
        for channel in &channels {
            let channel_of_its_own = Channel {
                name: "round",
                is_member: true,
                is_archived: false,
                people: vec![ANA],
            };
            world.channels.insert(channel.clone(), channel_of_its_own);
        }
    });
    let overrides: Vec<_> = channels.iter().map(|id| format!("{id}={id}")).collect();
    let mut acknowledged = 0;
    for (round, channel) in channels.iter().enumerate() {
        let serve = || {
            let mut command = handraise(folder.path());
            command
                .env("HANDRAISE_SLACK_API_URL", slack.api_url())
                .env("HANDRAISE_SLACK_BOT_TOKEN", BOT_TOKEN)
                .env("HANDRAISE_SLACK_SIGNING_SECRET", SIGNING_SECRET)
                .env("HANDRAISE_SLACK_DEFAULT_CHANNEL", MAIN)
                .env("HANDRAISE_SLACK_SESSION_OVERRIDES", overrides.join(","))
                .env("HANDRAISE_SLACK_ALLOWED_USERS", ANA);
            let running = started(command, &database);
            // It lives at our time.
            slack.advance(SystemClock.now() - slack.clock().now());
            let url = |what: &str| format!("{}/slack/{what}", running.1);
            slack.deliver_to(&url("interactivity"), &url("events"));
            running
        };
        let (mut child, url, _output) = serve();
        let body = json!({
            "kind": "approval", "prompt": "May I?", "session_id": channel,
            "action": {"tool": "ls", "arguments": {}},
        });
        let asked = client.post(format!("{url}/api/v1/interactions"));
        let asked = asked.bearer_auth(&token).json(&body).send().await.unwrap();
        let asked: Value = asked.json().await.unwrap();
        let path = format!("/api/v1/interactions/{}", asked["id"].as_str().unwrap());
        let read = async |url: &str| -> Value {
            let found = client.get(format!("{url}{path}")).bearer_auth(&token);
            found.send().await.unwrap().json().await.unwrap()
        };
        let cards = slack.wait_for_messages(channel, |messages| messages.len() == 1);
        let card = cards.await.remove(0);
        let press = slack.act(ANA, &card, "approve", None);
        // Sooner or later in what it does then; in the end, after all of it.
        match round {
            LAST => _ = slack.acked(press).await,
            _ => tokio::time::sleep(Duration::from_millis(10 * round as u64)).await,
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let heard = slack.acked(press).await.is_some();
        acknowledged += usize::from(heard);

        let (mut child, url, _output) = serve();
        let now = read(&url).await;
        assert!(!heard || now["approved"] == true, "round {round}: {now}");
        if now["state"] == "pending" {
            let again = slack.act(ANA, &card, "approve", None);
            assert!(slack.acked(again).await.is_some());
        }
        let now = read(&url).await;
        assert_eq!(now["approved"], true, "round {round}: {now}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(acknowledged > 0, "it was killed too soon in every round");
    let store = store::connect(&database.url).await.unwrap();
    let approved = store
        .events_after(0, &domain::Audience::All, 1_000)
        .await
        .unwrap()
        .collect();
    let approved = approved.iter().filter(|event| event.payload.closes());
    assert_eq!(approved.count(), ROUNDS);
    verify_journal(&*store).await.unwrap();
}

/// Of three nodes at one Postgres, and of one at SQLite, each is killed again and again while questions climb.
async fn every_rung_is_told_once_whichever_node_is_killed(database: TestDatabase) {
    const QUESTIONS: usize = 40;
    const NODES: usize = 3;
    /// Its second rung comes after half of what is left when it is told first, and no third comes so close to the end.
    const SECONDS: u32 = 75;
    let is_silent = |n: usize| n % 2 == 1;
    let folder = tempfile::tempdir().unwrap();
    let phones = Receiver::start([]).await;
    let topics = format!("http://{}", phones.addr);
    let with_topics = || {
        let mut command = handraise(folder.path());
        command.env("HANDRAISE_NTFY_URL", &topics);
        command
    };
    // The key that seals a topic is that of the nodes.
    let app = TestApp::start_with(&database, |config| {
        config.key_file = Some(folder.path().join("key"));
        config.ntfy.url = Some(topics.clone());
    })
    .await;
    let service = &app.state.service;
    service
        .invite("Ana", domain::Role::Responder, &operator())
        .await
        .unwrap();
    let ana = crate::support::people::person_named(&app, "Ana").await;
    let ana = Principal::Person {
        id: ana,
        name: "Ana".into(),
        role: domain::Role::Responder,
        proven_at: chrono::DateTime::UNIX_EPOCH,
        teams: domain::Parts::default(),
    };
    for topic in ["phone", "desk"] {
        let topic = service::Address::ntfy(Some(topic)).unwrap();
        service.add_reach(&topic, "", &ana).await.unwrap();
    }
    app.stop().await;
    let token = agent_token(&database).await;
    let store = store::connect(&database.url).await.unwrap();
    let many = match database.url.starts_with("sqlite") {
        true => 1,
        false => NODES,
    };
    let mut nodes: Vec<_> = (0..many)
        .map(|_| started(with_topics(), &database))
        .collect();
    let client = http_client();
    let mut asked: Vec<InteractionId> = Vec::new();
    // Urgent, so that a few more come before the rest is summed up.
    let body = json!({"kind": "question", "prompt": "Which port?", "timeout_seconds": SECONDS, "priority": "urgent"});
    while asked.len() < QUESTIONS {
        let url = &nodes[asked.len() % many].1;
        let sent = client
            .post(format!("{url}/api/v1/interactions"))
            .bearer_auth(&token)
            .json(&body)
            .send();
        let kept: Value = sent.await.unwrap().json().await.unwrap();
        asked.push(kept["id"].as_str().unwrap().parse().unwrap());
        if asked.len().is_multiple_of(8) {
            // In the middle of telling the last ones.
            let victim = asked.len() % many;
            nodes[victim].0.kill().unwrap();
            nodes[victim].0.wait().unwrap();
            nodes[victim] = started(with_topics(), &database);
        }
    }
    // Every second one is taken back meanwhile.
    let (answered, silent): (Vec<_>, Vec<_>) = (0..).zip(&asked).partition(|(n, _)| !is_silent(*n));
    let by = Service::new(
        store.clone(),
        std::sync::Arc::new(SystemClock),
        std::sync::Arc::new(SystemIds),
        server::config::Config::default().settings(),
    );
    let agent = Principal::Agent(AgentRef {
        id: store.agent_named("backend").await.unwrap().unwrap(),
        name: "backend".into(),
    });
    for (_, id) in &answered {
        by.cancel(**id, None, &agent).await.unwrap();
    }
    let mut looks = tokio::time::interval(Duration::from_millis(200));
    let mut killed = 0;
    let ended = tokio::time::timeout(Duration::from_secs(100), async {
        loop {
            looks.tick().await;
            let mut waiting = 0;
            for (_, id) in &silent {
                waiting += usize::from(store.place_on_ladder(**id).await.unwrap().is_some());
            }
            // As the second rungs are being told.
            if waiting < silent.len() && killed < many {
                nodes[killed].0.kill().unwrap();
                nodes[killed].0.wait().unwrap();
                nodes[killed] = started(with_topics(), &database);
                killed += 1;
            }
            let everything = DeliveryQuery {
                limit: 1_000,
                ..DeliveryQuery::default()
            };
            let deliveries = store.deliveries(&everything).await.unwrap();
            let owed = deliveries
                .iter()
                .filter(|one| one.delivery.ended_at.is_none());
            if waiting == 0 && owed.count() == 0 && !deliveries.is_empty() {
                return deliveries;
            }
        }
    });
    let deliveries = ended.await.expect("something is told for ever");
    for (node, ..) in &mut nodes {
        node.kill().unwrap();
        node.wait().unwrap();
    }
    for (n, id) in (0..).zip(&asked) {
        let history = store.events_of(*id, 0, 1_000).await.unwrap().collect();
        let mut rungs: Vec<u32> = Vec::new();
        let (mut is_over, mut reached) = (false, HashSet::new());
        for event in &history {
            match &event.payload {
                Payload::Interaction(InteractionEvent::Climbed { rung, .. }) => {
                    assert!(!is_over, "{n}: a rung after the answer");
                    rungs.push(*rung);
                }
                Payload::Interaction(InteractionEvent::Reached { by, rung, person }) => {
                    assert_eq!((person.name.as_str(), by.name()), ("Ana", "ntfy"));
                    reached.insert(*rung);
                }
                payload => is_over |= payload.closes(),
            }
        }
        let expected: &[u32] = &[0, 1];
        match is_silent(n) {
            true => assert_eq!(rungs, expected, "{n}: every rung once"),
            false => assert!(expected.starts_with(&rungs), "{n}: {rungs:?}"),
        }
        assert!(reached.iter().all(|rung| rungs.contains(rung)));
    }
    // Each message that was made arrived at least once, always under its one id.
    let mut heard: HashMap<String, usize> = HashMap::new();
    for got in phones.got() {
        let id = got.json()["sequence_id"].as_str().unwrap().to_owned();
        *heard.entry(id).or_default() += 1;
    }
    for one in &deliveries {
        if one.delivery.state == domain::delivery::DeliveryState::Delivered {
            let id = one.delivery.id.to_string();
            assert!(
                heard.contains_key(&id),
                "{id} is delivered and was not heard"
            );
        }
    }
    verify_journal(&*store).await.unwrap();
    journal("checkpoint", &database, folder.path());
    journal("verify", &database, folder.path());
}
