//! Our end of Socket Mode against the fake Slack: nothing that people do is lost to whatever befalls a connection.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use chrono::TimeDelta;
use secrecy::SecretString;
use serde_json::{Value, json};
use slack::{
    client::SlackClient,
    socket_mode::{Envelope, Inbox, SocketStatus, Timing, run_with},
};
use tokio::{
    io::AsyncWriteExt,
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::support::{
    fake_slack::{ANA, APP_TOKEN, BOT_TOKEN, FakeSlack, Fault, MAIN, World},
    receiver::{Manner, Receiver},
};

/// What the product would do in seconds.
const QUICK: Timing = Timing {
    connecting: Duration::from_secs(20),
    ping: Duration::from_millis(50),
    silence: Duration::from_secs(2),
    goodbye: Duration::from_millis(200),
    steady: Duration::ZERO,
    first_pause: Duration::from_millis(10),
    longest_pause: Duration::from_millis(100),
};

/// Keeps what comes, when it may.
struct Kept {
    payloads: watch::Sender<Vec<Value>>,
    /// How many may be kept now.
    permits: Semaphore,
    /// How many more are refused.
    refusals: Mutex<u32>,
    answer: Mutex<Option<Value>>,
}

impl Kept {
    fn new() -> Self {
        Self {
            payloads: watch::Sender::default(),
            permits: Semaphore::new(1_000),
            refusals: Mutex::default(),
            answer: Mutex::default(),
        }
    }
}

#[async_trait]
impl Inbox for Kept {
    async fn keep(&self, envelope: Envelope) -> anyhow::Result<Option<Value>> {
        self.permits.acquire().await?.forget();
        {
            let mut refusals = self.refusals.lock().unwrap();
            if *refusals > 0 {
                *refusals -= 1;
                self.permits.add_permits(1);
                anyhow::bail!("the disk is full");
            }
        }
        let payload = serde_json::from_str(envelope.payload.get())?;
        self.payloads.send_modify(|all| all.push(payload));
        Ok(self.answer.lock().unwrap().clone())
    }
}

struct Listening {
    slack: FakeSlack,
    kept: Arc<Kept>,
    status: watch::Receiver<SocketStatus>,
    stopping: CancellationToken,
    running: JoinHandle<()>,
}

impl Listening {
    /// Before there are connections.
    async fn begin(slack: FakeSlack) -> Self {
        Self::begin_with(slack, QUICK).await
    }

    async fn begin_with(slack: FakeSlack, timing: Timing) -> Self {
        let token = |token: &str| Some(SecretString::from(token));
        let client = SlackClient::new(&slack.api_url(), token(BOT_TOKEN), token(APP_TOKEN));
        let kept = Arc::new(Kept::new());
        let (tell, status) = watch::channel(SocketStatus::default());
        let stopping = CancellationToken::new();
        let running = run_with(
            timing,
            client.unwrap(),
            kept.clone(),
            tell,
            stopping.clone(),
        );
        Self {
            slack,
            kept,
            status,
            stopping,
            running: tokio::spawn(running),
        }
    }

    /// With both connections.
    async fn start() -> Self {
        let mut listening = Self::begin(FakeSlack::start().await).await;
        listening.connected().await;
        listening
    }

    async fn status(&mut self, is: impl FnMut(&SocketStatus) -> bool) -> SocketStatus {
        let found = timeout(Duration::from_secs(60), self.status.wait_for(is)).await;
        found.expect("the status does not come").unwrap().clone()
    }

    async fn connected(&mut self) {
        self.status(|status| status.connected == 2).await;
        self.slack.connected(2).await;
    }

    /// Waits until messages with these texts were kept, and says how often each was.
    async fn kept<const N: usize>(&self, texts: [&str; N]) -> [usize; N] {
        let count = |all: &[Value], text: &str| {
            all.iter()
                .filter(|one| one["event"]["text"] == text)
                .count()
        };
        let mut payloads = self.kept.payloads.subscribe();
        let all = payloads.wait_for(|all| texts.iter().all(|text| count(all, text) > 0));
        let all = timeout(Duration::from_secs(60), all)
            .await
            .expect("it was not kept");
        let all = all.unwrap();
        texts.map(|text| count(&all, text))
    }

    async fn stop(self) -> FakeSlack {
        self.stopping.cancel();
        self.running.await.unwrap();
        self.slack
    }
}

fn say(slack: &FakeSlack, text: &str) {
    slack.say(ANA, MAIN, None, text);
}

#[tokio::test]
async fn nothing_is_acknowledged_before_it_is_kept_and_what_is_not_kept_comes_again() {
    let listening = Listening::start().await;
    let slack = &listening.slack;
    let permits = listening.kept.permits.available_permits();
    listening.kept.permits.forget_permits(permits);
    say(slack, "slow");
    say(slack, "too");
    slack
        .wait_for(|world| world.is_waiting().then_some(()))
        .await;
    slack.connected(2).await;
    assert_eq!(slack.events(), (0, 0));
    listening.kept.permits.add_permits(100);
    assert_eq!(listening.kept(["slow", "too"]).await, [1, 1]);
    slack
        .wait_for(|world| (!world.is_waiting()).then_some(()))
        .await;
    assert_eq!(slack.events(), (2, 0));

    *listening.kept.refusals.lock().unwrap() = 1;
    say(slack, "refused at first");
    while *listening.kept.refusals.lock().unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    slack.advance(TimeDelta::seconds(3));
    assert_eq!(listening.kept(["refused at first"]).await, [1]);
    slack
        .wait_for(|world| (!world.is_waiting()).then_some(()))
        .await;
    assert_eq!(slack.events(), (3, 0));
    listening.stop().await;
}

#[tokio::test]
async fn an_answer_goes_with_the_acknowledgement_of_those_that_take_one() {
    let listening = Listening::start().await;
    let slack = &listening.slack;
    let client = SlackClient::new(&slack.api_url(), Some(SecretString::from(BOT_TOKEN)), None);
    let client = client.unwrap();
    let text = |text: &str| json!({ "type": "plain_text", "text": text });
    let button = json!({ "type": "button", "action_id": "say", "text": text("Answer") });
    let blocks = [json!({ "type": "actions", "elements": [button] })];
    let post = slack::types::Post::to(MAIN, "?", &blocks);
    let card = client.post_message(&post).await.unwrap();
    let refusal = json!({ "response_action": "errors", "errors": { "why": "say why" } });
    *listening.kept.answer.lock().unwrap() = Some(refusal.clone());
    // A click takes none, and gets none.
    assert_eq!(
        slack.acked(slack.click(MAIN, &card.ts, "say")).await,
        Some(json!({}))
    );
    let trigger = {
        let mut kept = listening.kept.payloads.subscribe();
        let is_click = |one: &&Value| one["type"] == "block_actions";
        let all = kept
            .wait_for(|all| all.iter().any(|one| is_click(&one)))
            .await
            .unwrap();
        let click = all.iter().find(is_click).unwrap();
        click["trigger_id"].as_str().unwrap().to_owned()
    };
    let view = json!({ "type": "modal", "title": text("Why?"), "submit": text("Send"), "blocks": [
        { "type": "input", "block_id": "why", "label": text("Why?"),
            "element": { "type": "plain_text_input", "action_id": "text" } } ] });
    let opened = client.open_view(&trigger, &view).await.unwrap();
    let submit = || slack.submit(&opened.id, &json!({ "why": { "text": "because" } }));
    assert_eq!(slack.acked(submit()).await, Some(refusal.clone()));
    assert_eq!(
        slack.look(|world| world.views[0].errors.clone()),
        Some(refusal["errors"].clone())
    );
    *listening.kept.answer.lock().unwrap() = None;
    assert_eq!(slack.acked(submit()).await, Some(json!({})));
    assert!(slack.look(|world| world.views.is_empty()));
    slack.lose_next_click();
    assert_eq!(slack.acked(slack.click(MAIN, &card.ts, "say")).await, None);
    listening.stop().await;
}

#[tokio::test]
async fn a_connection_is_left_only_when_another_is_there() {
    let mut listening = Listening::start().await;
    for reason in ["warning", "refresh_requested", "link_disabled"] {
        listening.slack.disconnect(reason);
        listening.status(|status| status.connected == 1).await;
        listening.connected().await;
        assert_eq!(listening.slack.most_connections(), 3);
        // Both ends count the same: the old one is really gone, though Slack never ended it.
        listening
            .slack
            .wait_for(|world| (world.connections() == 2).then_some(()))
            .await;
    }
    let status = listening.status(|_| true).await;
    assert_eq!((status.elsewhere, status.last_error), (0, None));
    say(&listening.slack, "still there");
    assert_eq!(listening.kept(["still there"]).await, [1]);
    listening.stop().await;
}

#[tokio::test]
async fn connections_that_break_or_fall_silent_are_replaced() {
    let mut listening = Listening::start().await;
    listening.slack.cut_connections();
    listening.status(|status| status.connected < 2).await;
    listening.connected().await;
    say(&listening.slack, "after the cut");
    assert_eq!(listening.kept(["after the cut"]).await, [1]);

    // Slack still counts those that it does not know are dead, and they get their share.
    listening.slack.freeze_connections();
    let alarmed = listening.status(|status| status.elsewhere > 0).await;
    assert!(alarmed.elsewhere <= 2);
    // Two are connected also while one is replaced and the other is not yet found out.
    listening
        .slack
        .wait_for(|world| (world.connections() == 4).then_some(()))
        .await;
    listening.status(|status| status.connected == 2).await;
    let before = listening.kept.payloads.borrow().len();
    for text in ["a", "b", "c", "d"] {
        say(&listening.slack, text);
    }
    let mut kept = listening.kept.payloads.subscribe();
    let half = kept.wait_for(|all| all.len() == before + 2);
    timeout(Duration::from_secs(60), half)
        .await
        .unwrap()
        .unwrap();
    listening.stop().await;
}

#[tokio::test]
async fn connections_that_are_not_ours_raise_an_alarm_until_they_are_gone() {
    let slack = FakeSlack::start().await;
    slack.set_ghosts(3);
    let mut listening = Listening::begin(slack).await;
    let status = listening.status(|status| status.connected == 2).await;
    assert_eq!(status.elsewhere, 3);
    listening.slack.set_ghosts(0);
    listening.slack.disconnect("refresh_requested");
    listening
        .status(|status| status.elsewhere == 0 && status.connected == 2)
        .await;

    // Ours and theirs together are too many.
    listening.slack.set_ghosts(10);
    listening.slack.disconnect("refresh_requested");
    let refused = listening.status(|status| status.last_error.is_some()).await;
    assert_eq!(
        refused.last_error.unwrap(),
        "Slack refuses the connection: too_many_websockets"
    );
    listening.slack.set_ghosts(0);
    listening.connected().await;
    listening.stop().await;
}

#[tokio::test]
async fn a_connection_may_break_at_any_frame() {
    let mut listening = Listening::start().await;
    for frames in 0..8 {
        let texts = [0, 1, 2].map(|n| format!("{frames}.{n}"));
        listening.slack.cut_after_frames(frames);
        for text in &texts {
            say(&listening.slack, text);
        }
        listening.slack.disconnect("refresh_requested");
        listening.connected().await;
        // Events that were on their way come again, at once or after a minute.
        for pause in [60, 300] {
            let slack = &listening.slack;
            slack
                .wait_for(|world| (!world.is_waiting()).then_some(()))
                .await;
            slack.advance(TimeDelta::seconds(pause));
        }
        let texts = texts.each_ref().map(String::as_str);
        listening.kept(texts).await;
        listening.connected().await;
    }
    assert_eq!(listening.slack.events().1, 0);
    listening.stop().await;
}

#[tokio::test]
async fn what_slack_cannot_do_now_is_tried_again_and_what_it_never_will_is_not() {
    let slack = FakeSlack::start().await;
    slack.fail(
        "apps.connections.open",
        [
            Fault::Refused("fatal_error"),
            Fault::DoneThen500,
            Fault::DropReply,
            Fault::DoneThenNonsense,
            Fault::Refused("internal_error"),
            Fault::Limited(1),
        ],
    );
    let since = Instant::now();
    let mut listening = Listening::begin(slack).await;
    listening.connected().await;
    assert!(since.elapsed() >= Duration::from_secs(1));
    assert_eq!(listening.slack.look(|world| world.calls.len()), 8);
    let slack = listening.stop().await;

    slack.fail("apps.connections.open", [Fault::Refused("invalid_auth")]);
    let mut listening = Listening::begin(slack).await;
    let stopped = listening.status(|status| status.stopped.is_some()).await;
    assert_eq!(
        stopped.stopped.unwrap(),
        "apps.connections.open: invalid_auth"
    );
    listening.running.await.unwrap();
}

#[tokio::test]
async fn an_address_that_does_not_speak_tls_is_no_connection() {
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = plain.local_addr().unwrap();
    let speaking = tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"this is not TLS").await.unwrap();
        stream
    });
    let answer = format!(r#"{{"ok":true,"url":"wss://{addr}/link/?ticket=secret"}}"#);
    let receiver = Receiver::start([Manner::Answers(200, "", answer.leak())]).await;
    let token = Some(SecretString::from(APP_TOKEN));
    let client = SlackClient::new(&format!("http://{}/api/", receiver.addr), None, token).unwrap();
    let kept = Arc::new(Kept::new());
    let (tell, mut status) = watch::channel(SocketStatus::default());
    let stopping = CancellationToken::new();
    let timing = Timing {
        first_pause: Duration::from_secs(300),
        longest_pause: Duration::from_secs(300),
        ..QUICK
    };
    let running = tokio::spawn(run_with(timing, client, kept, tell, stopping.clone()));
    let failed = status.wait_for(|status| status.last_error.is_some());
    let error = timeout(Duration::from_secs(60), failed)
        .await
        .unwrap()
        .unwrap()
        .last_error
        .clone();
    assert_eq!(error.unwrap(), "cannot connect to Socket Mode");
    speaking.await.unwrap();
    stopping.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn a_connection_that_keeps_breaking_is_not_opened_in_a_hurry() {
    let timing = Timing {
        steady: Duration::from_secs(600),
        longest_pause: Duration::from_secs(600),
        first_pause: Duration::from_secs(300),
        ..QUICK
    };
    let mut listening = Listening::begin_with(FakeSlack::start().await, timing).await;
    listening.connected().await;
    listening.slack.cut_connections();
    let broken = listening.status(|status| status.connected == 0).await;
    assert!(broken.last_error.is_some());
    assert_eq!(listening.slack.look(|world| world.calls.len()), 2);
    listening.stop().await;
}

#[tokio::test]
async fn frames_that_make_no_sense_do_no_harm_and_events_come_as_slack_sends_them() {
    let listening = Listening::start().await;
    let slack = &listening.slack;
    for frame in [
        "UNAUTHENTICATED: cache_error",
        "",
        "null",
        "[]",
        "{}",
        r#"{"type":"hello"}"#,
        r#"{"type":"events_api","envelope_id":"x"}"#,
        r#"{"type":"disconnecting","reason":7}"#,
    ] {
        slack.send_raw(frame);
    }
    slack.hold_next_event();
    say(slack, "first");
    slack.duplicate_next_event();
    say(slack, "second");
    listening.kept(["second"]).await;
    slack.let_go();
    assert_eq!(listening.kept(["first"]).await, [1]);
    slack
        .wait_for(|world| (!world.is_waiting()).then_some(()))
        .await;
    assert_eq!(slack.events(), (3, 0));
    assert_eq!(slack.look(World::connections), 2);
    listening.stop().await;
}

#[tokio::test]
async fn whoever_stops_keeps_and_acknowledges_what_has_come() {
    let listening = Listening::start().await;
    let permits = listening.kept.permits.available_permits();
    listening.kept.permits.forget_permits(permits);
    say(&listening.slack, "last");
    listening
        .slack
        .wait_for(|world| world.is_waiting().then_some(()))
        .await;
    // By now both have read whatever was sent to them before.
    let kept = Arc::clone(&listening.kept);
    kept.permits.add_permits(1);
    assert_eq!(listening.kept(["last"]).await, [1]);
    let slack = listening.stop().await;
    slack
        .wait_for(|world| (world.connections() == 0).then_some(()))
        .await;
    assert_eq!(slack.events(), (1, 0));
}
