//! The fake Slack itself: that it refuses what Slack refuses, and breaks as it is told to.

use chrono::TimeDelta;
use futures::{SinkExt, StreamExt};
use machine::clock::Clock;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message as Frame,
};

use crate::support::{
    app::http_client,
    fake_slack::{
        ANA, APP_TOKEN, BEN, BOT_TOKEN, FakeSlack, Fault, Lag, MAIN, SIGNING_SECRET, URGENT,
    },
    receiver::{Manner, Receiver},
};

async fn send(slack: &FakeSlack, method: &str, body: &Value) -> reqwest::Result<Response> {
    let token = if method.starts_with("apps") {
        APP_TOKEN
    } else {
        BOT_TOKEN
    };
    http_client()
        .post(slack.api_url() + method)
        .bearer_auth(token)
        .header("content-type", "application/json; charset=utf-8")
        .body(body.to_string())
        .send()
        .await
}

async fn call(slack: &FakeSlack, method: &str, body: Value) -> Value {
    send(slack, method, &body)
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

/// As reading methods want it.
async fn read(slack: &FakeSlack, method: &str, form: &[(&str, &str)]) -> Value {
    let request = http_client()
        .post(slack.api_url() + method)
        .bearer_auth(BOT_TOKEN);
    request
        .form(form)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

async fn post(slack: &FakeSlack, text: &str) -> Value {
    call(
        slack,
        "chat.postMessage",
        json!({ "channel": MAIN, "text": text }),
    )
    .await
}

fn button(action_id: &str, text: &str) -> Value {
    json!({ "type": "button", "action_id": action_id, "value": "1", "text": { "type": "plain_text", "text": text } })
}

fn actions(elements: &[Value]) -> Value {
    json!({ "type": "actions", "elements": elements })
}

#[tokio::test]
async fn what_is_over_a_limit_is_refused_with_a_pointer_to_it() {
    let slack = FakeSlack::start().await;
    let plain = |length: usize| json!({ "type": "plain_text", "text": "x".repeat(length) });
    let option = |value: usize| json!({ "text": plain(75), "value": "v".repeat(value) });
    let menu = |options: &[Value]| json!({ "type": "static_select", "action_id": "m", "options": options });
    let many =
        |count: usize| -> Vec<Value> { (0..count).map(|n| button(&n.to_string(), "x")).collect() };
    for (right, wrong, pointer) in [
        (
            json!({ "type": "header", "text": plain(150) }),
            json!({ "type": "header", "text": plain(151) }),
            "/text/text",
        ),
        (
            json!({ "type": "section", "text": plain(3_000) }),
            json!({ "type": "section", "text": plain(3_001) }),
            "/text/text",
        ),
        (
            json!({ "type": "section", "text": plain(1), "expand": true }),
            json!({ "type": "section", "text": plain(1), "expand": "yes" }),
            "/expand",
        ),
        (
            json!({ "type": "section", "fields": [plain(2_000)] }),
            json!({ "type": "section", "fields": [plain(2_001)] }),
            "/fields/0/text",
        ),
        (
            json!({ "type": "context", "elements": [plain(1)] }),
            json!({ "type": "context", "elements": vec![plain(1); 11] }),
            "/elements",
        ),
        (
            json!({ "type": "markdown", "text": "x".repeat(12_000) }),
            json!({ "type": "markdown", "text": "" }),
            "/text",
        ),
        (actions(&many(25)), actions(&many(26)), "/elements"),
        (
            actions(&[button("a", &"x".repeat(75))]),
            actions(&[button("a", &"x".repeat(76))]),
            "/elements/0/text/text",
        ),
        (
            actions(&[button("a", "x")]),
            actions(&[button("a", "x"), button("a", "y")]),
            "",
        ),
        (
            actions(&[menu(&[option(75)])]),
            actions(&[menu(&[option(76)])]),
            "/elements/0/options/0/value",
        ),
        (
            actions(&[menu(&vec![option(1); 100])]),
            actions(&[menu(&vec![option(1); 101])]),
            "/elements/0/options",
        ),
        (
            json!({ "type": "divider" }),
            json!({ "type": "confetti" }),
            "/type",
        ),
        (
            json!({ "type": "divider", "block_id": "b" }),
            json!({ "type": "divider", "block_id": "b".repeat(256) }),
            "/block_id",
        ),
    ] {
        let body = |block: Value| json!({ "channel": MAIN, "text": "x", "blocks": [block] });
        let taken = call(&slack, "chat.postMessage", body(right)).await;
        assert_eq!(taken["ok"], true, "{taken}");
        let refused = call(&slack, "chat.postMessage", body(wrong)).await;
        assert_eq!(refused["error"], "invalid_blocks");
        let said = refused["errors"][0].as_str().unwrap();
        assert!(
            said.ends_with(&format!("[json-pointer:/blocks/0{pointer}]")),
            "{said}"
        );
        assert_eq!(
            refused["response_metadata"]["messages"][0],
            format!("[ERROR] {said}")
        );
        assert_eq!(slack.take_violations().len(), 1);
    }
    let too_many = vec![json!({ "type": "divider" }); 51];
    let refused = call(
        &slack,
        "chat.postMessage",
        json!({ "channel": MAIN, "text": "x", "blocks": too_many }),
    )
    .await;
    assert_eq!(
        refused["errors"][0],
        "no more than 50 items allowed [json-pointer:/blocks]"
    );
    let nested = json!({ "event_type": "a b", "event_payload": {} });
    let large = json!({ "event_type": "a", "event_payload": { "k": "x".repeat(1_024) } });
    for (metadata, code) in [
        (nested, "invalid_metadata_format"),
        (large, "metadata_too_large"),
    ] {
        let body = json!({ "channel": MAIN, "text": "x", "metadata": metadata });
        assert_eq!(call(&slack, "chat.postMessage", body).await["error"], code);
    }
    assert_eq!(
        call(&slack, "chat.postMessage", json!({ "channel": MAIN })).await["error"],
        "no_text"
    );
    assert_eq!(slack.take_violations().len(), 4);
}

#[tokio::test]
async fn who_may_not_is_refused() {
    let slack = FakeSlack::start().await;
    slack.set(|world| world.scopes.retain(|scope| *scope != "chat:write"));
    let refused = post(&slack, "x").await;
    assert_eq!(
        (&refused["error"], &refused["needed"]),
        (&json!("missing_scope"), &json!("chat:write"))
    );
    slack.set(|world| world.scopes.push("chat:write"));
    for (channel, change, code) in [
        ("C0NONE", None, "channel_not_found"),
        (MAIN, Some(false), "not_in_channel"),
        (URGENT, Some(true), "is_archived"),
    ] {
        slack.set(|world| {
            let channel = world.channels.get_mut(channel);
            match (channel, change) {
                (Some(channel), Some(true)) => channel.is_archived = true,
                (Some(channel), Some(false)) => channel.is_member = false,
                _ => {}
            }
        });
        let body = json!({ "channel": channel, "text": "x" });
        assert_eq!(call(&slack, "chat.postMessage", body).await["error"], code);
    }
    slack.set(|world| world.channels.get_mut(MAIN).unwrap().is_member = true);
    // JSON is not read there, so nothing was said.
    assert_eq!(
        call(&slack, "users.info", json!({ "user": ANA })).await["error"],
        "invalid_arguments"
    );
    assert_eq!(slack.take_violations().len(), 2);
    assert_eq!(
        read(&slack, "users.info", &[("user", ANA)]).await["user"]["real_name"],
        "Ana"
    );
    assert_eq!(
        read(&slack, "users.info", &[("user", "U0NONE")]).await["error"],
        "user_not_found"
    );

    let plain = http_client().post(slack.api_url() + "auth.test");
    let said: Value = plain.send().await.unwrap().json().await.unwrap();
    assert_eq!(said["error"], "not_authed");
    let wrong = http_client()
        .post(slack.api_url() + "auth.test")
        .bearer_auth("xoxb-wrong");
    let said: Value = wrong.send().await.unwrap().json().await.unwrap();
    assert_eq!(said["error"], "invalid_auth");
    assert_eq!(
        call(&slack, "chat.delete", json!({})).await["error"],
        "unknown_method"
    );
    assert_eq!(slack.take_violations().len(), 2);
}

#[tokio::test]
async fn long_texts_are_split_and_old_buttons_stay() {
    let slack = FakeSlack::start().await;
    post(&slack, &"x".repeat(4_040)).await;
    assert_eq!(slack.messages(MAIN).len(), 1);
    post(&slack, &"x".repeat(4_041)).await;
    assert_eq!(slack.messages(MAIN).len(), 3);

    let body = json!({ "channel": MAIN, "text": "x", "blocks": [actions(&[button("a", "x")])] });
    let ts = call(&slack, "chat.postMessage", body).await["ts"].clone();
    let ts = ts.as_str().unwrap();
    let update = |more: Value| {
        let mut body = json!({ "channel": MAIN, "ts": ts, "text": "closed" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let controls = || slack.look(|world| world.message(MAIN, ts).unwrap().controls().count());
    assert_eq!(
        call(&slack, "chat.update", update(json!({}))).await["ok"],
        true
    );
    assert_eq!(controls(), 1);
    let closed = json!({ "blocks": [{ "type": "divider" }] });
    assert_eq!(
        call(&slack, "chat.update", update(closed)).await["ok"],
        true
    );
    assert_eq!(controls(), 0);
    let long = update(json!({ "text": "x".repeat(4_001) }));
    assert_eq!(
        call(&slack, "chat.update", long).await["error"],
        "msg_too_long"
    );
    let reply = json!({ "channel": MAIN, "text": "r", "thread_ts": ts });
    let reply = call(&slack, "chat.postMessage", reply).await["ts"].clone();
    let nested = json!({ "channel": MAIN, "text": "r", "thread_ts": reply });
    assert_eq!(
        call(&slack, "chat.postMessage", nested).await["error"],
        "cannot_reply_to_message"
    );
    assert_eq!(slack.take_violations().len(), 2);
}

#[tokio::test]
async fn what_was_posted_is_missing_for_a_while_and_pages_have_an_end() {
    let slack = FakeSlack::start().await;
    let history = || {
        read(
            &slack,
            "conversations.history",
            &[("channel", MAIN), ("limit", "2")],
        )
    };
    slack.set(|world| world.lag = Lag::Reads(2));
    post(&slack, "first").await;
    for missing in [true, true, false] {
        assert_eq!(history().await["messages"] == json!([]), missing);
    }
    slack.set(|world| world.lag = Lag::Millis(500));
    post(&slack, "second").await;
    assert_eq!(history().await["messages"].as_array().unwrap().len(), 1);
    slack.advance(TimeDelta::milliseconds(500));
    assert_eq!(history().await["messages"][0]["text"], "second");
    slack.set(|world| world.lag = Lag::None);
    post(&slack, "third").await;
    let first = history().await;
    assert_eq!(
        (&first["has_more"], &first["messages"][0]["text"]),
        (&json!(true), &json!("third"))
    );
    let cursor = first["response_metadata"]["next_cursor"].as_str().unwrap();
    let next = [("channel", MAIN), ("limit", "2"), ("cursor", cursor)];
    let next = read(&slack, "conversations.history", &next).await;
    assert_eq!(
        (&next["has_more"], &next["messages"][0]["text"]),
        (&json!(false), &json!("first"))
    );
}

#[tokio::test]
async fn one_message_a_second_and_channel_when_the_pace_is_kept() {
    let slack = FakeSlack::start().await;
    slack.set(|world| world.paced = true);
    let body = json!({ "channel": MAIN, "text": "x" });
    assert_eq!(post(&slack, "x").await["ok"], true);
    let limited = send(&slack, "chat.postMessage", &body).await.unwrap();
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(limited.headers()["retry-after"], "1");
    let other = json!({ "channel": URGENT, "text": "x" });
    assert_eq!(call(&slack, "chat.postMessage", other).await["ok"], true);
    slack.advance(TimeDelta::seconds(1));
    assert_eq!(post(&slack, "x").await["ok"], true);
}

#[tokio::test]
async fn a_call_goes_wrong_as_it_was_told_to() {
    let slack = FakeSlack::start().await;
    let body = json!({ "channel": MAIN, "text": "x" });
    slack.fail(
        "chat.postMessage",
        [
            Fault::DropReply,
            Fault::DoneThen500,
            Fault::DoneThenInternalError,
            Fault::DoneThenNonsense,
            Fault::Limited(7),
            Fault::Refused("fatal_error"),
        ],
    );
    assert!(send(&slack, "chat.postMessage", &body).await.is_err());
    assert_eq!(
        send(&slack, "chat.postMessage", &body)
            .await
            .unwrap()
            .status(),
        500
    );
    assert_eq!(post(&slack, "x").await["error"], "internal_error");
    let nonsense = send(&slack, "chat.postMessage", &body).await.unwrap();
    assert!(nonsense.json::<Value>().await.is_err());
    assert_eq!(slack.messages(MAIN).len(), 4);
    let limited = send(&slack, "chat.postMessage", &body).await.unwrap();
    assert_eq!(limited.headers()["retry-after"], "7");
    assert_eq!(post(&slack, "x").await["error"], "fatal_error");
    assert_eq!(slack.messages(MAIN).len(), 4);
    assert_eq!(slack.look(|world| world.calls.len()), 6);

    slack.fail("chat.postMessage", [Fault::Hang]);
    let hanging = send(&slack, "chat.postMessage", &body);
    let came = slack.wait_for(|world| (world.calls.len() == 7).then_some(()));
    tokio::select! {
        answer = hanging => panic!("{answer:?}"),
        () = came => {}
    }
    assert_eq!(slack.messages(MAIN).len(), 4);
}

#[tokio::test]
async fn answers_are_held_until_they_are_given() {
    let slack = FakeSlack::start().await;
    slack.hold_answers("users.info");
    slack.join("U0EVE");
    let mut held = std::pin::pin!(read(&slack, "users.info", &[("user", "U0EVE")]));
    let meanwhile = async {
        let came = slack.wait_for(|world| world.calls.first().map(|_| ()));
        came.await;
        // Other methods answer.
        assert_eq!(post(&slack, "hello").await["ok"], true);
    };
    tokio::select! {
        answer = &mut held => panic!("{answer:?}"),
        () = meanwhile => {}
    }
    slack.answer_held("users.info");
    assert_eq!(held.await["user"]["id"], "U0EVE");
    let again = read(&slack, "users.info", &[("user", ANA)]).await;
    assert_eq!(again["user"]["id"], ANA);
}

#[tokio::test]
async fn a_trigger_works_once_and_three_seconds_and_views_have_limits() {
    let slack = FakeSlack::start().await;
    let card = json!({ "channel": MAIN, "text": "x", "blocks": [actions(&[button("a", "x")])] });
    let ts = call(&slack, "chat.postMessage", card).await["ts"].clone();
    let receiver = Receiver::start([]).await;
    slack.deliver_to(&receiver.url(), &receiver.url());
    let click = async || {
        slack.click_as(BEN, MAIN, ts.as_str().unwrap(), "a");
        let body = receiver.wait().await.body;
        let payload = url::form_urlencoded::parse(body.as_bytes())
            .next()
            .unwrap()
            .1
            .into_owned();
        serde_json::from_str::<Value>(&payload).unwrap()
    };
    let text = |length: usize| json!({ "type": "plain_text", "text": "t".repeat(length) });
    let view = |title: usize| json!({ "type": "modal", "title": text(title), "blocks": [{ "type": "divider" }] });
    let payload = click().await;
    let open = |trigger: &Value, view: Value| {
        let body = json!({ "trigger_id": trigger, "view": view });
        call(&slack, "views.open", body)
    };
    let trigger = &payload["trigger_id"];
    let wide = open(trigger, view(25)).await;
    assert_eq!(wide["error"], "invalid_arguments");
    assert!(
        wide["errors"][0]
            .as_str()
            .unwrap()
            .ends_with("[json-pointer:/view/title]")
    );
    assert_eq!(slack.take_violations().len(), 1);
    let opened = open(trigger, view(24)).await;
    assert_eq!(opened["ok"], true);
    assert_eq!(
        open(trigger, view(24)).await["error"],
        "exchanged_trigger_id"
    );
    let late = click().await;
    slack.advance(TimeDelta::seconds(3));
    assert_eq!(
        open(&late["trigger_id"], view(24)).await["error"],
        "expired_trigger_id"
    );
    assert_eq!(
        open(&json!("9.none"), view(24)).await["error"],
        "invalid_trigger_id"
    );
    let id = &opened["view"]["id"];
    let update = |hash: &str| {
        let body = json!({ "view_id": id, "hash": hash, "view": view(1) });
        call(&slack, "views.update", body)
    };
    assert_eq!(update("old").await["error"], "hash_conflict");
    assert_eq!(
        update(opened["view"]["hash"].as_str().unwrap()).await["ok"],
        true
    );

    // The address that comes with a click: five times.
    let url = payload["response_url"].as_str().unwrap();
    for nth in 1..=6 {
        let note = http_client()
            .post(url)
            .json(&json!({ "text": "noted" }))
            .send()
            .await;
        assert_eq!(note.unwrap().status() == 200, nth <= 5);
    }
    assert_eq!(slack.notes(BEN).len(), 5);
    let late = late["response_url"].as_str().unwrap();
    let replace = json!({ "text": "closed", "replace_original": true });
    http_client()
        .post(late)
        .json(&replace)
        .send()
        .await
        .unwrap();
    assert_eq!(slack.messages(MAIN)[0].text, "closed");
}

#[tokio::test]
async fn requests_are_signed_and_events_are_tried_four_times_and_clicks_once() {
    let slack = FakeSlack::start().await;
    let down = || Manner::Answers(503, "", "");
    let receiver = Receiver::start([down(), down(), down(), down()]).await;
    slack.deliver_to(&receiver.url(), &receiver.url());
    slack.say(ANA, MAIN, None, "hello");
    let mut tries = vec![receiver.wait().await, receiver.wait().await];
    for pause in [60, 300] {
        // The answer is there before time goes on.
        slack
            .wait_for(|world| (!world.is_waiting()).then_some(()))
            .await;
        slack.advance(TimeDelta::seconds(pause));
        tries.push(receiver.wait().await);
    }
    slack
        .wait_for(|world| (!world.is_waiting()).then_some(()))
        .await;
    let retries: Vec<_> = tries
        .iter()
        .map(|got| got.headers.get("x-slack-retry-num"))
        .collect();
    assert_eq!(retries[0], None);
    assert_eq!(retries[3].unwrap(), "3");
    assert_eq!(slack.events(), (0, 1));
    let valid = crate::support::python::run_script(
        r#"
import json, sys
from slack_sdk.signature import Clock, SignatureVerifier
given = json.load(sys.stdin)
class Then(Clock):
    def now(self): return float(given["headers"]["x-slack-request-timestamp"])
print(SignatureVerifier(given["secret"], Then()).is_valid_request(given["body"], given["headers"]))
"#,
        &json!({ "secret": SIGNING_SECRET, "body": tries[0].body, "headers": tries[0].headers }),
    );
    assert_eq!(valid.trim(), "True");

    slack.hold_next_event();
    slack.say(ANA, MAIN, None, "one");
    slack.duplicate_next_event();
    let two = slack.say(ANA, MAIN, None, "two");
    slack.let_go();
    slack.edit(MAIN, &two, "three");
    let again = slack.repeat(MAIN, &two);
    assert_ne!(again, two);
    let mut events = Vec::new();
    for _ in 0..5 {
        events.push(receiver.wait().await.json());
    }
    let count = |text: &str| {
        events
            .iter()
            .filter(|one| one["event"]["text"] == text)
            .count()
    };
    assert_eq!((count("one"), count("two"), count("three")), (1, 2, 1));
    let changed = events
        .iter()
        .find(|one| one["event"]["subtype"] == "message_changed")
        .unwrap();
    assert_eq!(changed["event"]["previous_message"]["text"], "two");

    let body = json!({ "channel": MAIN, "text": "x", "blocks": [actions(&[button("a", "x")])] });
    let ts = call(&slack, "chat.postMessage", body).await["ts"].clone();
    let ts = ts.as_str().unwrap();
    receiver.wait().await;
    receiver.behave([down()]);
    assert_eq!(slack.acked(slack.click(MAIN, ts, "a")).await, None);
    slack.lose_next_click();
    assert_eq!(slack.acked(slack.click(MAIN, ts, "a")).await, None);
    assert_eq!(
        slack.acked(slack.click(MAIN, ts, "a")).await,
        Some(json!({}))
    );
}

/// A connection of Socket Mode, after its hello.
async fn connect(slack: &FakeSlack) -> (WebSocketStream<MaybeTlsStream<TcpStream>>, Value) {
    let opened = call(slack, "apps.connections.open", json!({})).await;
    let url = opened["url"].as_str().unwrap();
    let (mut socket, _) = connect_async(url).await.unwrap();
    // A ticket is for one.
    assert!(connect_async(url).await.is_err());
    assert_eq!(slack.take_violations().len(), 1);
    let hello = frame(&mut socket).await.unwrap();
    (socket, hello)
}

/// The next frame; `None` at the end.
async fn frame(socket: &mut WebSocketStream<MaybeTlsStream<TcpStream>>) -> Option<Value> {
    match socket.next().await {
        Some(Ok(Frame::Text(text))) => Some(serde_json::from_str(&text).unwrap()),
        _ => None,
    }
}

#[tokio::test]
async fn connections_take_turns_and_break_as_they_are_told_to() {
    let slack = FakeSlack::start().await;
    let (mut one, hello) = connect(&slack).await;
    assert_eq!(hello["num_connections"], 1);
    let (mut two, hello) = connect(&slack).await;
    assert_eq!(hello["num_connections"], 2);
    slack.say(ANA, MAIN, None, "first");
    slack.say(ANA, MAIN, None, "second");
    for (socket, text) in [(&mut one, "first"), (&mut two, "second")] {
        let envelope = frame(socket).await.unwrap();
        assert_eq!(envelope["payload"]["event"]["text"], text);
        let ack = json!({ "envelope_id": envelope["envelope_id"] });
        socket.send(Frame::text(ack.to_string())).await.unwrap();
    }
    slack
        .wait_for(|world| (!world.is_waiting()).then_some(()))
        .await;
    assert_eq!(slack.events(), (2, 0));

    // What is not acknowledged in time comes again, elsewhere.
    slack.say(ANA, MAIN, None, "third");
    assert_eq!(frame(&mut one).await.unwrap()["retry_attempt"], Value::Null);
    slack.advance(TimeDelta::seconds(3));
    assert_eq!(frame(&mut two).await.unwrap()["retry_attempt"], 1);
    // Nor does what was on its way when the connection broke get lost.
    slack.cut_after_frames(0);
    slack.send_raw("in its place the end");
    assert_eq!((frame(&mut one).await, slack.events()), (None, (2, 0)));

    // What a dead connection gets is lost, if it was a click.
    slack.set_ghosts(9);
    let (_, again) = tokio::join!(slack.connected(1), async {
        let opened = call(&slack, "apps.connections.open", json!({})).await;
        let (mut socket, _) = connect_async(opened["url"].as_str().unwrap())
            .await
            .unwrap();
        frame(&mut socket).await.unwrap()
    });
    assert_eq!(
        (&again["type"], &again["reason"]),
        (&json!("disconnect"), &json!("too_many_websockets"))
    );
    slack.set_ghosts(0);
    slack.freeze_connections();
    let at = Clock::now(&**slack.clock());
    slack.say(ANA, MAIN, None, "fourth");
    slack.advance(TimeDelta::seconds(3));
    slack.advance(TimeDelta::seconds(400));
    slack.advance(TimeDelta::seconds(400));
    slack.advance(TimeDelta::seconds(3));
    assert_eq!(Clock::now(&**slack.clock()) - at, TimeDelta::seconds(806));
    assert_eq!(slack.events().0, 2);
}

#[tokio::test]
async fn a_webhook_takes_messages_without_buttons() {
    let slack = FakeSlack::start().await;
    let post = async |channel: &str, body: Value| {
        let sent = http_client()
            .post(slack.webhook_url(channel))
            .json(&body)
            .send()
            .await
            .unwrap();
        (sent.status().as_u16(), sent.text().await.unwrap())
    };
    assert_eq!(
        post(MAIN, json!({ "text": "x" })).await,
        (200, "ok".to_owned())
    );
    assert_eq!(
        post("C0NONE", json!({ "text": "x" })).await,
        (404, "no_service".to_owned())
    );
    slack.fail("services", [Fault::Limited(3)]);
    assert_eq!(post(MAIN, json!({ "text": "x" })).await.0, 429);
    assert_eq!(post(MAIN, json!({})).await, (400, "no_text".to_owned()));
    let with_button = json!({ "text": "x", "blocks": [actions(&[button("a", "x")])] });
    assert_eq!(post(MAIN, with_button).await.0, 200);
    assert_eq!(slack.take_violations().len(), 2);
    assert_eq!(slack.messages(MAIN).len(), 2);
}
