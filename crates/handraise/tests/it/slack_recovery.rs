//! After something broke: Slack, a connection, or this program. What was owed is there within seconds, and once.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use chrono::TimeDelta;
use domain::{TokenKind, access::Lifetime};
use machine::clock::{Clock, SystemClock, SystemIds};
use serde_json::{Value, json};
use service::Service;
use store::testing::TestDatabase;
use tokio::{net::TcpListener, time::Instant};

use crate::support::{
    app::{TestApp, http_client},
    caller::path_of,
    fake_slack::{ANA, BOT_TOKEN, FakeSlack, Fault, Lag, MAIN, SIGNING_SECRET, World},
    people::operator,
    slack_cards::{live, with_slack},
    slack_inbound::{Inbound, Way, acknowledged, until},
};

store::on_both_databases!(
    a_channel_goes_on_seconds_after_a_server_was_killed,
    cards_come_as_soon_as_slack_is_back,
    a_reply_from_just_before_a_restart_is_read_back,
    of_two_cards_the_first_loses_its_buttons_and_its_thread_says_where_to_write,
);

/// Waits that double would be twenty seconds long by its end.
const OUTAGE: TimeDelta = TimeDelta::seconds(16);

/// A server that is killed at the latest when its test ends.
struct Served(Child);

impl Served {
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn served(
    database: &TestDatabase,
    slack: &FakeSlack,
    folder: &Path,
) -> (Served, String, impl Sized) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .env("HANDRAISE_KEY_FILE", folder.join("key"))
        .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"))
        .env("HANDRAISE_SLACK_API_URL", slack.api_url())
        .env("HANDRAISE_SLACK_BOT_TOKEN", BOT_TOKEN)
        .env("HANDRAISE_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .env("HANDRAISE_SLACK_DEFAULT_CHANNEL", MAIN)
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
    let first = lines.next().expect("handraise does not start").unwrap();
    let url = first.rsplit(' ').next().unwrap().to_owned();
    // It lives at our time.
    slack.advance(SystemClock.now() - slack.clock().now());
    (Served(child), url, lines)
}

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

fn says(world: &World, words: &str) -> usize {
    let messages = world.in_channel(MAIN);
    messages.filter(|one| one.text.contains(words)).count()
}

async fn a_channel_goes_on_seconds_after_a_server_was_killed(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database).await;
    let client = http_client();
    let ask = async |url: &str, body: Value| {
        let asked = client.post(format!("{url}/api/v1/interactions"));
        let asked = asked.bearer_auth(&token).json(&body).send().await.unwrap();
        assert_eq!(asked.status(), 201);
    };
    let (mut child, url, _output) = served(&database, &slack, folder.path());
    slack.hold_answers("chat.postMessage");
    for n in 0..5 {
        ask(
            &url,
            json!({"kind": "question", "prompt": format!("Question {n};")}),
        )
        .await;
    }
    slack
        .wait_for(|world| (says(world, "Question ") > 0).then_some(()))
        .await;
    child.kill();
    slack.answer_held("chat.postMessage");

    let (mut child, url, _output) = served(&database, &slack, folder.path());
    let begun = Instant::now();
    let approval = json!({
        "kind": "approval", "prompt": "May I?", "action": {"tool": "ls", "arguments": {}},
    });
    ask(&url, approval).await;
    slack
        .wait_for(|world| (says(world, "May I?") > 0).then_some(()))
        .await;
    let took = begun.elapsed();
    eprintln!("an approval after kill -9 in the middle of a call came after {took:?}");
    slack
        .wait_for(|world| {
            (0..5)
                .all(|n| says(world, &format!("Question {n};")) > 0)
                .then_some(())
        })
        .await;
    eprintln!("and all that was owed before after {:?}", begun.elapsed());
    assert!(took < Duration::from_secs(14), "{took:?}");
    for n in 0..5 {
        let words = format!("Question {n};");
        assert_eq!(slack.look(|world| says(world, &words)), 1, "{words}");
    }
    assert_eq!(slack.look(|world| says(world, "Posted again")), 0);
    child.kill();
}

async fn cards_come_as_soon_as_slack_is_back(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clock = slack.clock().clone();
    let second = Duration::ZERO;
    let configure = with_slack(&slack);
    let app = TestApp::start_paced(listener, &database, clock, second, configure).await;
    let agent = app.agent("backend").await;
    let time = live(slack.clock());
    slack.set(|world| world.is_down = true);
    let begun = slack.clock().now();
    let mut asked = 0;
    while slack.clock().now() - begun < OUTAGE {
        agent
            .ask(json!({"prompt": format!("Question {asked};")}))
            .await;
        asked += 1;
        // Until the server has tried again.
        let tried = slack.look(|world| world.calls.len());
        slack
            .wait_for(|world| (world.calls.len() > tried).then_some(()))
            .await;
    }
    let calls = slack.look(|world| world.calls.len());
    slack.set(|world| world.is_down = false);
    let back = slack.clock().now();
    slack
        .wait_for(|world| (says(world, "Question ") > 0).then_some(()))
        .await;
    let first = slack.clock().now() - back;
    slack
        .wait_for(|world| (says(world, "Question ") == asked).then_some(()))
        .await;
    let last = slack.clock().now() - back;
    eprintln!(
        "after an outage of {OUTAGE} the first card came after {} s, the last of {asked} after {} s; {calls} calls meanwhile",
        first.num_seconds(),
        last.num_seconds()
    );
    assert!(first < TimeDelta::seconds(10), "{first}");
    assert!((5..30).contains(&calls), "{calls}");
    time.abort();
    app.stop().await;
}

async fn a_reply_from_just_before_a_restart_is_read_back(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({})).await;
    let token = agent.token.clone();
    inbound.app.stop().await;
    // A thread shows it only when it is read for the second time, and Slack repeats the event in a minute.
    slack.set(|world| world.lag = Lag::Reads(1));
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    until("it is answered", async || {
        let now = inbound.app.get(&path_of(&asked)).bearer_auth(&token);
        let now: Value = now.send().await.unwrap().json().await.unwrap();
        now["answer"]["text"] == "8080"
    })
    .await;
    inbound.app.stop().await;
}

async fn of_two_cards_the_first_loses_its_buttons_and_its_thread_says_where_to_write(
    database: TestDatabase,
) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let app = &inbound.app;
    let agent = app.agent("backend").await;
    slack.set(|world| world.lag = Lag::Reads(5));
    slack.fail("chat.postMessage", [Fault::DropReply]);
    let asked = agent.ask(json!({})).await;
    until("there are two", async || {
        // Both have one clock.
        slack.advance(TimeDelta::seconds(5));
        app.drain().await;
        slack.messages(MAIN).len() == 2
    })
    .await;
    let [first, second] = <[_; 2]>::try_from(slack.messages(MAIN)).unwrap();
    assert!(second.text.starts_with("Posted again"));
    until("the first has no buttons", async || {
        slack.advance(TimeDelta::seconds(5));
        app.drain().await;
        let shown = slack.look(|world| world.message(MAIN, &first.ts).cloned().unwrap());
        shown.controls().count() == 0
    })
    .await;
    let shown = slack.look(|world| world.message(MAIN, &second.ts).cloned().unwrap());
    assert!(shown.controls().count() > 0);
    // Who writes below the first is told where to write.
    slack.reply_in_thread(ANA, MAIN, &first.ts, "8080");
    acknowledged(&slack, 1).await;
    let note = slack
        .wait_for(|world| world.notes_for(ANA).next().map(|note| note.text.clone()))
        .await;
    assert!(note.contains("posted twice"), "{note}");
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    slack.reply_in_thread(ANA, MAIN, &second.ts, "8080");
    until("it is answered", async || {
        agent.poll(&asked).await["state"] == "resolved"
    })
    .await;
}
