//! What comes from Slack, by either way, up to the inbox: kept before it is acknowledged, once, and from nobody else.

use axum::http::HeaderMap;
use chrono::TimeDelta;
use reqwest::{Response, StatusCode};
use serde_json::json;
use service::metrics::Now;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::json_of,
    fake_slack::{ANA, BOT_USER, FakeSlack, Fault, MAIN, World, sign},
    slack_desk::plan,
    slack_inbound::{Inbound, WAYS, Way, acknowledged, by_the_bot, until},
};

store::on_both_databases!(
    what_comes_is_kept_and_acknowledged_by_either_way,
    what_comes_again_is_kept_once,
    nothing_is_acknowledged_that_cannot_be_kept,
    a_click_is_handed_on_and_its_answer_back,
    the_numbers_tell_what_waits,
);

async fn what_comes_is_kept_and_acknowledged_by_either_way(database: TestDatabase) {
    for way in WAYS {
        let slack = fresh(&database).await;
        let inbound = Inbound::start(&slack, way, &database).await;
        let card = inbound.post().await;
        let ts = slack.reply_in_thread(ANA, MAIN, &card, "use &lt;8080&gt;\nplease");
        acknowledged(&slack, 1).await;
        let store = inbound.app.state.service.store();
        let found = store
            .messages_to_hear(inbound.app.state.service.now() + TimeDelta::hours(1), 99)
            .await
            .unwrap();
        let kept = &found
            .iter()
            .find(|one| one.message.ts == ts)
            .unwrap()
            .message;
        assert_eq!(
            (&*kept.channel, &*kept.thread_ts, &*kept.user),
            (MAIN, &*card, ANA)
        );
        assert_eq!(kept.text, "use &lt;8080&gt;\nplease");
        assert!(!kept.is_edit());
        // What is no reply of a person's is acknowledged all the same.
        slack.say(ANA, MAIN, None, "good morning");
        slack.say(BOT_USER, MAIN, Some(&card), "the bot itself");
        acknowledged(&slack, 2).await;
        assert_eq!(inbound.waiting().await, 1, "{way:?}");
        inbound.app.stop().await;
        store::verify_journal(&*store::connect(&database.url).await.unwrap())
            .await
            .unwrap();
    }
}

async fn what_comes_again_is_kept_once(database: TestDatabase) {
    for way in WAYS {
        let slack = fresh(&database).await;
        let inbound = Inbound::start(&slack, way, &database).await;
        let card = inbound.post().await;
        slack.duplicate_next_event();
        let ts = slack.reply_in_thread(ANA, MAIN, &card, "8080");
        slack.repeat(MAIN, &ts);
        acknowledged(&slack, 3).await;
        assert_eq!(inbound.waiting().await, 1, "{way:?}");
        // A change of it is another; the same change is not.
        slack.duplicate_next_event();
        slack.edit(MAIN, &ts, "8081");
        acknowledged(&slack, 5).await;
        assert_eq!(inbound.waiting().await, 2, "{way:?}");
    }
}

/// A Slack that begins anew with its names, and a database that has heard of none.
async fn fresh(database: &TestDatabase) -> FakeSlack {
    let store = store::connect(&database.url).await.unwrap();
    drop(store);
    database.execute("DELETE FROM slack_inbox").await.unwrap();
    FakeSlack::start().await
}

async fn nothing_is_acknowledged_that_cannot_be_kept(database: TestDatabase) {
    for way in WAYS {
        let slack = fresh(&database).await;
        let inbound = Inbound::start(&slack, way, &database).await;
        let card = inbound.post().await;
        acknowledged(&slack, 0).await;
        database
            .execute("ALTER TABLE slack_inbox RENAME TO elsewhere")
            .await
            .unwrap();
        slack.reply_in_thread(ANA, MAIN, &card, "8080");
        match way {
            Way::Socket => {
                slack
                    .wait_for(|world| world.is_waiting().then_some(()))
                    .await;
            }
            Way::Http => {
                let refused = events(&inbound.app, &slack, &reply(&card, "9.9")).await;
                let problem = json_of(refused, StatusCode::SERVICE_UNAVAILABLE).await;
                assert_eq!(problem["code"], "slack_again");
                // Slack tries a second time at once, and then in a minute.
                until("three refusals", async || {
                    // Not by its address, which has a limit.
                    let text = inbound.app.state.metrics.text(&Now::default()).unwrap();
                    text.contains("handraise_refusals_total{code=\"slack_again\"} 3")
                })
                .await;
            }
        }
        assert_eq!(slack.events(), (by_the_bot(&slack), 0));
        database
            .execute("ALTER TABLE elsewhere RENAME TO slack_inbox")
            .await
            .unwrap();
        slack
            .wait_for(|world| (way == Way::Socket || !world.is_waiting()).then_some(()))
            .await;
        slack.advance(TimeDelta::seconds(60));
        acknowledged(&slack, 1).await;
        assert_eq!(inbound.waiting().await, 1, "{way:?}");
    }
}

async fn a_click_is_handed_on_and_its_answer_back(database: TestDatabase) {
    // The second Slack begins later: messages are named by the time, and the database keeps the names of the first.
    for (way, hours) in WAYS.into_iter().zip([0, 2]) {
        let slack = FakeSlack::start().await;
        slack.advance(TimeDelta::hours(hours));
        let inbound = Inbound::start(&slack, way, &database).await;
        let agent = inbound.app.agent(&format!("{way:?}")).await;
        let (asked, card) = inbound.ask(&agent, plan()).await;
        let click = slack.click(MAIN, &card, "proceed_clean");
        assert_eq!(slack.acked(click).await, Some(json!({})), "{way:?}");
        assert_eq!(agent.poll(&asked).await["outcome"], "proceed_clean");

        let (asked, card) = inbound.ask(&agent, plan()).await;
        let click = slack.click(MAIN, &card, "adjust");
        assert_eq!(slack.acked(click).await, Some(json!({})), "{way:?}");
        let (view, _) = slack.open_view(ANA).await;
        let sent = slack.submit(&view, &json!({ "answer": { "typed": " " } }));
        let answer = slack.acked(sent).await.unwrap();
        assert_eq!(answer["response_action"], "errors", "{way:?}");
        let said = answer["errors"]["answer"].as_str().unwrap();
        assert!(said.starts_with("Say what to change"), "{said}");

        // What cannot be done is not acknowledged, so that Slack says so to whoever pressed.
        database
            .execute("ALTER TABLE events RENAME TO gone")
            .await
            .unwrap();
        let click = slack.click(MAIN, &card, "proceed");
        slack
            .wait_for(|world| world.notes_for(ANA).next().map(|_| ()))
            .await;
        until("its end", async || {
            !slack.look(World::is_waiting) || way == Way::Socket
        })
        .await;
        slack.advance(TimeDelta::seconds(4));
        assert_eq!(slack.acked(click).await, None, "{way:?}");
        database
            .execute("ALTER TABLE gone RENAME TO events")
            .await
            .unwrap();
        assert_eq!(agent.poll(&asked).await["state"], "pending");
        inbound.app.stop().await;
    }
}

async fn the_numbers_tell_what_waits(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let card = inbound.post().await;
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    acknowledged(&slack, 1).await;
    let mut status = inbound.app.state.slack.as_ref().unwrap().status.subscribe();
    let both = status.wait_for(|status| status.connected == 2).await;
    drop(both.unwrap());
    let text = inbound.app.get("/metrics").send().await.unwrap();
    let text = text.text().await.unwrap();
    for line in [
        "handraise_slack_sockets 2\n",
        "handraise_slack_strangers 0\n",
        "handraise_slack_messages_waiting 1\n",
        "handraise_slack_messages_kept_total 1\n",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
}

fn reply(card: &str, ts: &str) -> String {
    json!({
        "type": "event_callback", "team_id": "T0FAKE", "api_app_id": "A0FAKE", "event_id": format!("Ev{ts}"),
        "event": {
            "type": "message", "channel": MAIN, "user": ANA, "text": "8080", "ts": ts, "thread_ts": card,
        },
    })
    .to_string()
}

/// A request to the Events API's address, as Slack signs it.
async fn events(app: &TestApp, slack: &FakeSlack, body: &str) -> Response {
    let now = machine::clock::Clock::now(&**slack.clock()).timestamp();
    let headers = [
        ("x-slack-request-timestamp", now.to_string()),
        ("x-slack-signature", sign(now, body)),
    ];
    send(app, "events", &headers, body).await
}

async fn send(app: &TestApp, to: &str, headers: &[(&str, String)], body: &str) -> Response {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: axum::http::HeaderName = name.parse().unwrap();
        map.append(name, value.parse().unwrap());
    }
    let request = app.post(&format!("/slack/{to}")).headers(map);
    request.body(body.to_owned()).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_slack_signed_just_now_is_believed() {
    let database = TestDatabase::sqlite();
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let app = &inbound.app;
    let body = reply("1.1", "1.2");
    let now = machine::clock::Clock::now(&**slack.clock()).timestamp();
    let at = |seconds: i64| ("x-slack-request-timestamp", (now + seconds).to_string());
    let by = |seconds: i64, body: &str| ("x-slack-signature", sign(now + seconds, body));
    for (headers, name) in [
        (vec![], "nothing"),
        (vec![at(0)], "no signature"),
        (vec![by(0, &body)], "no time"),
        (vec![at(0), by(0, "another")], "another's"),
        (vec![at(1), by(0, &body)], "another time"),
        (vec![at(-301), by(-301, &body)], "long ago"),
        (vec![at(301), by(301, &body)], "not yet"),
        (vec![at(0), by(0, &body), by(0, &body)], "twice"),
    ] {
        for to in ["events", "interactivity"] {
            let response = send(app, to, &headers, &body).await;
            assert!(!response.headers().contains_key("x-slack-no-retry"));
            let problem = json_of(response, StatusCode::UNAUTHORIZED).await;
            assert_eq!(problem["code"], "not_slack", "{name}");
        }
    }
    assert_eq!(inbound.waiting().await, 0);
    // Nobody learns anything without the secret, not even an echo.
    let hello =
        json!({ "type": "url_verification", "challenge": "3eZbrw1a", "token": "x" }).to_string();
    assert_eq!(send(app, "events", &[], &hello).await.status(), 401);
    let echo = json_of(events(app, &slack, &hello).await, StatusCode::OK).await;
    assert_eq!(echo["challenge"], "3eZbrw1a");

    let taken = events(app, &slack, &body).await;
    assert_eq!(taken.status(), StatusCode::OK);
    assert_eq!(taken.text().await.unwrap(), "");
    assert_eq!(inbound.waiting().await, 1);
    // Odd, but Slack's.
    for odd in [
        "{",
        "[]",
        "null",
        r#"{"type":"event_callback"}"#,
        r#"{"type":7,"event":[]}"#,
    ] {
        let status = events(app, &slack, odd).await.status();
        let expected = if odd == "{" { 400 } else { 200 };
        assert_eq!(status, expected, "{odd}");
    }
    let large = |length: usize| json!({ "type": "other", "x": "x".repeat(length) }).to_string();
    assert_eq!(events(app, &slack, &large(900_000)).await.status(), 200);
    let larger = events(app, &slack, &large(1_100_000)).await;
    assert_eq!(larger.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(inbound.waiting().await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_are_slowed_down_and_slack_is_not() {
    let database = TestDatabase::sqlite();
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let app = &inbound.app;
    let limit = app.state.config.rate_limit_per_minute;
    assert!(limit > 0);
    for n in 0..limit + 20 {
        let body = reply("1.1", &format!("2.{n}"));
        assert_eq!(events(app, &slack, &body).await.status(), 200, "{n}");
    }
    let mut refused = 0;
    for _ in 0..=limit {
        let status = send(app, "events", &[], "{}").await.status();
        refused += u32::from(status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!(refused > 0);
    // From the same address.
    let body = reply("1.1", "3.1");
    assert_eq!(events(app, &slack, &body).await.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signed_requests_are_for_those_who_asked_for_them() {
    let database = TestDatabase::sqlite();
    let plain = TestApp::start(&database).await;
    let slack = FakeSlack::start().await;
    let socket = Inbound::start(&slack, Way::Socket, &database).await;
    for app in [&plain, &socket.app] {
        for to in ["events", "interactivity"] {
            assert_eq!(send(app, to, &[], "{}").await.status(), 404);
        }
        assert_eq!(events(app, &slack, "{}").await.status(), 404);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_slack_cannot_reach_says_so_and_stays_ready() {
    let database = TestDatabase::sqlite();
    let ready = async |inbound: &Inbound| {
        let text = inbound.app.get("/readyz").send().await.unwrap();
        // The rest works.
        let body = json_of(text, StatusCode::OK).await;
        assert_eq!(body["not_ready"], json!([]));
        body["degraded"] != json!(["slack"])
    };
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    until("readiness", async || ready(&inbound).await).await;
    slack.advance(TimeDelta::seconds(60));
    assert!(ready(&inbound).await);
    // Nobody answers, for as long as this lasts.
    slack.fail(
        "apps.connections.open",
        [Fault::Hang, Fault::Hang, Fault::Hang],
    );
    slack.cut_connections();
    let status = &inbound.app.state.slack.as_ref().unwrap().status;
    let mut status = status.subscribe();
    status
        .wait_for(|status| status.connected == 0)
        .await
        .unwrap();
    assert!(ready(&inbound).await);
    until("the end of patience", async || {
        slack.advance(TimeDelta::seconds(31));
        !ready(&inbound).await
    })
    .await;
    inbound.app.stop().await;

    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    slack.fail("apps.connections.open", [Fault::Refused("invalid_auth")]);
    slack.cut_connections();
    until("the end", async || !ready(&inbound).await).await;
}
