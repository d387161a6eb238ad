//! Deliveries: tried until they arrive or die, whatever receivers do, and never at somebody else's cost.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use domain::delivery::DeliveryState;
use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::{DeliveryQuery, DeliveryRecord, testing::TestDatabase};

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    hooks::{hook, start},
    people::operator,
    receiver::{Got, Manner, Receiver},
};

store::on_both_databases!(
    what_fails_is_tried_again_with_the_same_id,
    whatever_a_receiver_does_is_written_down,
    a_redirect_is_not_followed,
    a_receiver_that_does_not_answer_delays_nobody_else,
    who_is_gone_is_not_called_again,
    a_delivery_dies_after_the_last_try_and_can_be_tried_again,
    five_days_of_failure_disable_an_endpoint,
    everything_that_failed_since_can_be_tried_again,
    two_nodes_send_nothing_twice,
    what_a_node_left_behind_is_sent_by_another,
    an_endpoint_that_was_dead_catches_up,
    much_that_nobody_wants_to_hear_of_is_passed_over,
    lists_of_deliveries_are_narrowed_and_paged,
);

async fn listed(caller: &Caller<'_>) -> Vec<Value> {
    let page = caller.read("/api/v1/deliveries?limit=200").await;
    page["items"].as_array().unwrap().clone()
}

/// Days pass in these tests, and questions expire: that is other news.
fn asked_only() -> Value {
    json!({"events": ["interaction.requested"]})
}

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

async fn what_fails_is_tried_again_with_the_same_id(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([Manner::Answers(500, "", "oh no")]).await;
    hook(&desk, &receiver, json!({})).await;
    agent.ask(json!({})).await;
    app.drain().await;
    let first = receiver.got().remove(0);
    let delivery = listed(&desk).await.remove(0);
    assert_eq!(delivery["id"], first.id());
    assert_eq!(delivery["state"], "due");
    assert_eq!(delivery["last_error"], "answered 500");
    // Five seconds, give or take a fifth.
    app.clock.advance(TimeDelta::milliseconds(3_999));
    app.drain().await;
    assert_eq!(receiver.got().len(), 0);
    app.clock.advance(TimeDelta::milliseconds(2_001));
    app.drain().await;
    let second = receiver.got().remove(0);
    assert_eq!((second.id(), &second.body), (first.id(), &first.body));
    let delivery = listed(&desk).await.remove(0);
    assert_eq!(delivery["state"], "delivered");
    assert_eq!(delivery["attempts"], 2);
    assert_eq!(delivery["next_at"], Value::Null);
    let id = first.id().parse().unwrap();
    let attempts = app.state.service.attempts(id, &operator()).await.unwrap();
    let ends: Vec<_> = attempts
        .iter()
        .map(|one| one.end.clone().unwrap())
        .collect();
    assert_eq!((ends[0].status, &*ends[0].body), (Some(500), "oh no"));
    assert_eq!((ends[1].status, &*ends[1].body), (Some(200), "ok"));
}

async fn whatever_a_receiver_does_is_written_down(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    hook(&desk, &receiver, json!({})).await;
    // Seconds until the next try: from, to.
    for (manner, state, error, wait) in [
        (Manner::BreaksOff, "delivered", None, None),
        (Manner::Babbles, "delivered", None, None),
        (
            Manner::DropsTheReply,
            "due",
            Some("no answer: "),
            Some((4, 6)),
        ),
        (Manner::Answers(201, "", "\u{0}"), "delivered", None, None),
        (
            Manner::Answers(429, "retry-after: 90\r\n", ""),
            "due",
            Some("answered 429"),
            Some((90, 90)),
        ),
        (Manner::Answers(204, "", ""), "delivered", None, None),
        (
            Manner::Answers(503, "retry-after: Fri, 15 Jan 2027 12:00:00 GMT\r\n", ""),
            "due",
            Some("answered 503"),
            Some((10, 10)),
        ),
        (Manner::Answers(200, "", ""), "delivered", None, None),
        (
            Manner::Answers(404, "", ""),
            "due",
            Some("answered 404"),
            Some((4, 6)),
        ),
        (
            Manner::Hangs,
            "due",
            Some("did not answer in time"),
            Some((48, 72)),
        ),
    ] {
        receiver.behave([manner.clone()]);
        agent.ask(json!({})).await;
        app.drain().await;
        let delivery = listed(&desk).await.remove(0);
        assert_eq!(delivery["state"], state, "{manner:?}: {delivery}");
        let said = delivery["last_error"].as_str();
        assert_eq!(said.is_some(), error.is_some(), "{manner:?}: {delivery}");
        assert!(
            said.unwrap_or_default()
                .starts_with(error.unwrap_or_default()),
            "{manner:?}: {delivery}"
        );
        let id = delivery["id"].as_str().unwrap().parse().unwrap();
        let attempts = app.state.service.attempts(id, &operator()).await.unwrap();
        let end = attempts[0].end.clone().unwrap();
        assert!(end.body.len() <= 2_048, "{manner:?}");
        match manner {
            Manner::BreaksOff => assert_eq!((end.status, &*end.body), (Some(200), "half")),
            Manner::Babbles => assert_eq!((end.status, end.body.len()), (Some(200), 2_048)),
            Manner::Hangs => assert!((5_000..7_000).contains(&end.latency), "{}", end.latency),
            _ => {}
        }
        if let Some((from, to)) = wait {
            let wait = time(&delivery["next_at"]) - app.state.service.now();
            assert!(
                (from * 1_000..=to * 1_000).contains(&wait.num_milliseconds()),
                "{manner:?}: {wait}"
            );
        }
    }
}

async fn a_redirect_is_not_followed(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    // Its own address may be reached, so only following would lead there again.
    let receiver = Receiver::start([]).await;
    let location = format!("location: {}elsewhere\r\n", receiver.url());
    receiver.behave([Manner::Answers(301, location.leak(), "")]);
    hook(&desk, &receiver, json!({})).await;
    agent.ask(json!({})).await;
    app.drain().await;
    let got = receiver.got();
    assert_eq!(got.len(), 1);
    let delivery = listed(&desk).await.remove(0);
    assert_eq!(delivery["state"], "due");
    let error = delivery["last_error"].as_str().unwrap();
    assert_eq!(error, "answered 301; redirects are not followed");
}

async fn a_receiver_that_does_not_answer_delays_nobody_else(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let slow = Receiver::start(vec![Manner::Hangs; 20]).await;
    let quick = Receiver::start([]).await;
    hook(&desk, &slow, json!({})).await;
    hook(&desk, &quick, json!({})).await;
    let mut asked = HashSet::new();
    for _ in 0..20 {
        asked.insert(agent.ask(json!({})).await["id"].to_string());
    }
    let mut heard = HashSet::new();
    while heard.len() < 20 {
        heard.insert(quick.wait().await.json()["data"]["id"].to_string());
    }
    assert_eq!(heard, asked);
    // All that while the other one had its four, and has answered none.
    assert_eq!(slow.got().len(), 4);
    slow.release();
    app.drain().await;
    assert_eq!(slow.got().len(), 16);
    let states = listed(&desk).await;
    assert!(states.iter().all(|one| one["state"] == "delivered"));
}

async fn who_is_gone_is_not_called_again(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([Manner::Answers(410, "", "")]).await;
    hook(&desk, &receiver, asked_only()).await;
    agent.ask(json!({})).await;
    app.drain().await;
    let hooks = desk.read("/api/v1/hooks").await;
    assert_eq!(hooks["items"][0]["disabled_why"], "gone");
    let delivery = listed(&desk).await.remove(0);
    assert_eq!(
        (&delivery["state"], &delivery["attempts"]),
        (&json!("dead"), &json!(1))
    );
    let retry = format!(
        "/api/v1/deliveries/{}/retry",
        delivery["id"].as_str().unwrap()
    );
    let refused = desk.post(&retry).send().await.unwrap();
    let problem = json_of(refused, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "endpoint_disabled");
    agent.ask(json!({})).await;
    app.clock.advance(TimeDelta::days(2));
    app.drain().await;
    assert_eq!(receiver.got().len(), 1);
    assert_eq!(listed(&desk).await.len(), 1);
    let events = desk.read("/api/v1/events?limit=500").await;
    let events = events["items"].as_array().unwrap().clone();
    let disabled = events.iter().find(|one| one["type"] == "endpoint.disabled");
    assert_eq!(disabled.unwrap()["actor"]["type"], "delivery");
}

async fn a_delivery_dies_after_the_last_try_and_can_be_tried_again(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start(vec![Manner::Answers(500, "", ""); 8]).await;
    hook(&desk, &receiver, asked_only()).await;
    agent.ask(json!({})).await;
    let mut tries = Vec::new();
    for _ in 0..12 {
        app.drain().await;
        tries.extend(receiver.got());
        app.clock.advance(TimeDelta::hours(12));
    }
    let dead = listed(&desk).await.remove(0);
    assert_eq!(tries.len(), 8);
    assert_eq!(
        (&dead["state"], &dead["attempts"]),
        (&json!("dead"), &json!(8))
    );

    let retry = format!("/api/v1/deliveries/{}/retry", dead["id"].as_str().unwrap());
    let retried = desk.post(&retry).send().await.unwrap();
    assert_eq!(retried.status(), StatusCode::ACCEPTED);
    app.drain().await;
    tries.extend(receiver.got());
    assert_eq!(tries.len(), 9);
    let ids: HashSet<_> = tries.iter().map(Got::id).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(listed(&desk).await[0]["state"], "delivered");
    let refused = desk.post(&retry).send().await.unwrap();
    let problem = json_of(refused, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "not_to_retry");
    for unknown in ["x", "01890000-0000-7000-8000-000000000000"] {
        let path = format!("/api/v1/deliveries/{unknown}/retry");
        let response = desk.post(&path).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }
}

async fn five_days_of_failure_disable_an_endpoint(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start(vec![Manner::Answers(500, "", ""); 1_000]).await;
    hook(&desk, &receiver, asked_only()).await;
    for day in 0..6 {
        agent.ask(json!({})).await;
        app.drain().await;
        let hooks = desk.read("/api/v1/hooks").await;
        let why = &hooks["items"][0]["disabled_why"];
        let expected = if day < 5 {
            Value::Null
        } else {
            json!("failing")
        };
        assert_eq!(*why, expected, "day {day}");
        app.clock.advance(TimeDelta::days(1));
    }
    let open = |one: &Value| one["state"] == "due" || one["state"] == "sending";
    app.drain().await;
    assert!(!listed(&desk).await.iter().any(open));
}

async fn everything_that_failed_since_can_be_tried_again(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start(vec![Manner::Answers(500, "", ""); 24]).await;
    hook(&desk, &receiver, asked_only()).await;
    for _ in 0..3 {
        agent.ask(json!({})).await;
    }
    for _ in 0..40 {
        app.drain().await;
        app.clock.advance(TimeDelta::hours(3));
    }
    assert_eq!(receiver.got().len(), 24);
    let dead = |one: &Value| one["state"] == "dead";
    assert!(listed(&desk).await.iter().all(dead));
    let service = &app.state.service;
    let since = service.now() - TimeDelta::hours(1);
    service
        .retry_deliveries(since, None, &operator())
        .await
        .unwrap();
    app.drain().await;
    assert_eq!(receiver.got().len(), 0, "none of them is that new");
    let since = service.now() - TimeDelta::days(30);
    service
        .retry_deliveries(since, None, &operator())
        .await
        .unwrap();
    app.drain().await;
    assert_eq!(receiver.got().len(), 3);
    assert!(
        listed(&desk)
            .await
            .iter()
            .all(|one| one["state"] == "delivered")
    );
}

async fn two_nodes_send_nothing_twice(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let node = async || {
        TestApp::start_with(&database, |config| {
            config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
            config.key_file = Some(folder.path().join("key"));
        })
        .await
    };
    let one = node().await;
    let two = node().await;
    let (agent, desk) = (one.agent("backend").await, one.responder("desk").await);
    let receivers = join_all((0..3).map(|_| Receiver::start([]))).await;
    for receiver in &receivers {
        hook(&desk, receiver, json!({})).await;
    }
    for _ in 0..30 {
        agent.ask(json!({})).await;
    }
    loop {
        futures::join!(one.drain(), two.drain());
        let all = DeliveryQuery {
            limit: 1_000,
            ..DeliveryQuery::default()
        };
        let found = one.state.service.store().deliveries(&all).await.unwrap();
        if found.iter().all(|one| one.delivery.ended_at.is_some()) {
            break;
        }
    }
    for receiver in &receivers {
        let got = receiver.got();
        assert_eq!(got.len(), 30);
        let ids: HashSet<_> = got.iter().map(Got::id).collect();
        assert_eq!(ids.len(), 30);
    }
}

async fn what_a_node_left_behind_is_sent_by_another(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start(vec![Manner::Answers(500, "", ""); 3]).await;
    let made = hook(&desk, &receiver, json!({})).await;
    let destination = made["id"].as_str().unwrap().parse().unwrap();
    for _ in 0..3 {
        agent.ask(json!({})).await;
    }
    app.drain().await;
    assert_eq!(receiver.got().len(), 3);
    // This node waits, as the endpoint failed. Another takes one of them, and dies with it.
    let store = store::connect(&database.url).await.unwrap();
    let now = app.state.service.now() + TimeDelta::seconds(6);
    let until = now + TimeDelta::seconds(10);
    let claimed = store.claim(&[(destination, 1)], now, until).await.unwrap();
    let id = claimed[0].delivery.id.to_string();
    app.clock.advance(TimeDelta::seconds(6));
    app.drain().await;
    let got = receiver.got();
    assert_eq!(got.len(), 2);
    assert!(!got.iter().any(|got| got.id() == id));
    app.clock.advance(TimeDelta::seconds(10));
    app.drain().await;
    let got = receiver.got();
    assert_eq!((got.len(), got[0].id()), (1, &*id));
    let deliveries = listed(&desk).await;
    assert!(deliveries.iter().all(|one| one["state"] == "delivered"));
}

async fn an_endpoint_that_was_dead_catches_up(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start(vec![Manner::Answers(500, "", ""); 3]).await;
    hook(&desk, &receiver, asked_only()).await;
    for _ in 0..3 {
        agent.ask(json!({})).await;
    }
    app.drain().await;
    for _ in 0..20 {
        agent.ask(json!({})).await;
    }
    app.drain().await;
    // While it pauses nothing is made of what happens.
    assert_eq!(receiver.got().len(), 3);
    assert_eq!(listed(&desk).await.len(), 3);
    app.clock.advance(TimeDelta::seconds(6));
    app.drain().await;
    let heard: HashSet<_> = receiver
        .got()
        .iter()
        .map(|got| got.id().to_owned())
        .collect();
    assert_eq!(heard.len(), 23);
    let deliveries = listed(&desk).await;
    assert_eq!(deliveries.len(), 23);
    assert!(deliveries.iter().all(|one| one["state"] == "delivered"));
}

async fn much_that_nobody_wants_to_hear_of_is_passed_over(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (well, dead) = (Receiver::start([]).await, Receiver::start([]).await);
    dead.behave(vec![Manner::Answers(500, "", ""); 3]);
    let wanted = json!({"events": ["interaction.cancelled"]});
    let waits = hook(&desk, &dead, asked_only()).await;
    agent.ask(json!({})).await;
    agent.ask(json!({})).await;
    agent.ask(json!({})).await;
    app.drain().await;
    hook(&desk, &well, wanted).await;
    // More than is read or given up at once.
    let asked = join_all((0..300).map(|_| agent.ask(json!({})))).await;
    let cancel = format!(
        "/api/v1/interactions/{}/cancel",
        asked[0]["id"].as_str().unwrap()
    );
    agent.post(&cancel).json(&json!({})).send().await.unwrap();
    app.drain().await;
    let got = well.got();
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].json()["data"]["id"], asked[0]["id"]);

    let service = &app.state.service;
    let id = waits["id"].as_str().unwrap().parse().unwrap();
    service
        .disable_endpoint(id, true, &operator())
        .await
        .unwrap();
    agent.ask(json!({})).await;
    app.drain().await;
    let all = DeliveryQuery {
        destination: Some(id),
        limit: 1_000,
        ..DeliveryQuery::default()
    };
    let found = service.store().deliveries(&all).await.unwrap();
    assert_eq!(found.len(), 303);
    let given_up = |one: &DeliveryRecord| one.delivery.state == DeliveryState::Dead;
    assert!(found.iter().all(given_up));
    assert_eq!(dead.got().len(), 3);
}

async fn lists_of_deliveries_are_narrowed_and_paged(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (good, bad) = (Receiver::start([]).await, Receiver::start([]).await);
    bad.behave(vec![Manner::Answers(500, "", ""); 9]);
    let good = (hook(&desk, &good, json!({})).await, good);
    hook(&desk, &bad, json!({"name": "Bad"})).await;
    for _ in 0..3 {
        agent.ask(json!({})).await;
        app.clock.advance(TimeDelta::seconds(1));
    }
    app.drain().await;
    let due = desk.read("/api/v1/deliveries?state=due").await;
    assert_eq!(due["items"].as_array().unwrap().len(), 3);
    assert_eq!(due["items"][0]["destination"]["name"], "Bad");
    assert_eq!(due["items"][0]["destination"]["kind"], "webhook");
    assert_eq!(due["items"][0]["event_type"], "interaction.requested");
    let path = format!(
        "/api/v1/deliveries?destination={}&limit=2",
        good.0["id"].as_str().unwrap()
    );
    let page = desk.read(&path).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 2);
    let cursor = page["next_cursor"].as_str().unwrap();
    let page = desk.read(&format!("{path}&cursor={cursor}")).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    assert_eq!(page["next_cursor"], Value::Null);
    for (wrong, place) in [
        ("state=lost", "state"),
        ("destination=x", "destination"),
        ("cursor=x", "cursor"),
        ("limit=0", "limit"),
        ("colour=red", "colour"),
    ] {
        let path = format!("/api/v1/deliveries?{wrong}");
        let refused = desk.get(&path).send().await.unwrap();
        let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], place, "{wrong}");
    }
}
