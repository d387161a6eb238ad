//! One token cannot take the server's memory, and cannot fill its disk.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Role, limits};
use futures::future::join_all;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use server::config::Config;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    socket,
};
use app::desk::frames::ServerFrame;

store::on_both_databases!(
    pages_end_at_one_megabyte_and_go_on_without_loss,
    a_stream_of_large_events_loses_none,
    a_page_that_missed_too_much_reads_the_desk_again,
    too_many_values_are_refused_with_their_place,
    a_task_that_holds_too_much_takes_no_more,
    an_agent_stores_so_much_a_day,
    several_servers_keep_one_quota,
);

/// As much text as a prompt may have, in bytes.
fn long() -> String {
    "𝔘".repeat(limits::TEXT_CHARS)
}

/// Without what would hinder a test that asks a lot.
fn at_will(config: &mut Config) {
    config.rate_limit_per_minute = 0;
    config.agent_bytes_per_day = 0;
}

async fn pages_end_at_one_megabyte_and_go_on_without_loss(database: TestDatabase) {
    let app = TestApp::start_with(&database, at_will).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut asked = Vec::new();
    for n in 0..40 {
        let body = json!({ "prompt": long(), "task": { "id": format!("T-{n}"), "description": "𝔘".repeat(4_000) } });
        asked.push(agent.ask(body).await["id"].clone());
    }
    let whole = async |caller: &Caller<'_>, path: &str, at: &str, cursor: &str| {
        let (mut items, mut pages) = (Vec::new(), 0);
        let mut next = String::new();
        loop {
            let separator = if path.contains('?') { '&' } else { '?' };
            let path = match next.as_str() {
                "" => path.to_owned(),
                next => format!("{path}{separator}{cursor}={next}"),
            };
            let response = caller.get(&path).send().await.unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            let body = response.bytes().await.unwrap();
            let page: Value = serde_json::from_slice(&body).unwrap();
            let found = page["items"].as_array().unwrap();
            // One may reach over the end, and the longest has little more than its prompt.
            let most = limits::PAGE_BYTES + 4 * limits::TEXT_CHARS + 64 * 1_024;
            assert!(body.len() <= most, "{path}: {} bytes", body.len());
            let before = items.len();
            items.extend(found.iter().cloned());
            pages += 1;
            next = match &page[at] {
                Value::String(next) => next.clone(),
                Value::Number(next) if items.len() > before => next.to_string(),
                _ => return (items, pages),
            };
        }
    };
    for caller in [&agent, &desk] {
        let path = "/api/v1/interactions?limit=200";
        let (items, pages) = whole(caller, path, "next_cursor", "cursor").await;
        let ids: Vec<_> = items.iter().rev().map(|one| one["id"].clone()).collect();
        assert_eq!(ids, asked);
        assert!(pages >= 4, "{pages} pages");

        let path = "/api/v1/events?limit=1000";
        let (items, pages) = whole(caller, path, "last_seq", "after").await;
        let requested = items
            .iter()
            .filter(|one| one["type"] == "interaction.requested");
        let ids: Vec<_> = requested.map(|one| one["interaction_id"].clone()).collect();
        assert_eq!(ids, asked);
        let seqs: Vec<_> = items.iter().map(|one| one["seq"].as_i64()).collect();
        assert!(seqs.is_sorted() && pages >= 5, "{pages} pages");

        let (items, _) = whole(caller, "/api/v1/tasks?limit=200", "next_cursor", "cursor").await;
        assert_eq!(items.len(), asked.len());
        for task in items {
            let prompt = task["waiting_on"][0]["prompt"].as_str().unwrap();
            assert_eq!(prompt.chars().count(), limits::BEGINNING_CHARS + 1);
        }
    }
    // One by itself stays whole.
    let one = agent.poll(&json!({ "id": asked[0] })).await;
    assert_eq!(one["prompt"], long());
}

async fn a_stream_of_large_events_loses_none(database: TestDatabase) {
    let app = TestApp::start_with(&database, at_will).await;
    let agent = app.agent("backend").await;
    let after = app.last_seq().await;
    for _ in 0..30 {
        agent.ask(json!({ "prompt": long() })).await;
    }
    let stream = agent.get(&format!("/api/v1/events?after={after}"));
    let stream = stream.header(header::ACCEPT, "text/event-stream");
    let mut stream = stream.send().await.unwrap();
    let (mut ids, mut text) = (Vec::new(), Vec::new());
    while ids.len() < 30 {
        text.extend(stream.chunk().await.unwrap().unwrap());
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            if let Some(id) = line.strip_prefix(b"id:") {
                let id = std::str::from_utf8(id).unwrap().trim();
                ids.push(id.parse::<i64>().unwrap());
            }
        }
    }
    assert_eq!(ids, (after + 1..=after + 30).collect::<Vec<_>>());
}

async fn a_page_that_missed_too_much_reads_the_desk_again(database: TestDatabase) {
    let app = TestApp::start_with(&database, at_will).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Viewer).await;
    let after = app.last_seq().await;
    for _ in 0..15 {
        agent.ask(json!({ "prompt": long() })).await;
    }
    let mut socket = socket::resumed(&app, &cookie, after).await;
    assert_eq!(socket::next(&mut socket).await, ServerFrame::Resync);
    // Few of them are told one by one.
    let mut socket = socket::resumed(&app, &cookie, after + 13).await;
    for seq in [after + 14, after + 15] {
        let frame = socket::next(&mut socket).await;
        assert!(matches!(frame, ServerFrame::Event { seq: told, .. } if told == seq));
    }
}

async fn too_many_values_are_refused_with_their_place(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let approval = |values: usize| {
        json!({
            "kind": "approval", "prompt": "p",
            "action": { "tool": "t", "arguments": { "list": vec![0; values] } },
        })
    };
    let ask = async |body: Value| {
        let ask = agent.post("/api/v1/interactions").json(&body);
        ask.send().await.unwrap()
    };
    // The list and the object around it are values, too.
    let most = limits::ACTION_VALUES - 2;
    assert_eq!(ask(approval(most)).await.status(), StatusCode::CREATED);
    for (values, path, message) in [
        (
            most + 1,
            "action.arguments",
            "has 5001 values, at most 5000 are allowed",
        ),
        (
            80_000,
            "$",
            "has too many values, at most 10000 are allowed",
        ),
    ] {
        let response = ask(approval(values)).await;
        let problem = json_of(response, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], path);
        assert_eq!(problem["errors"][0]["message"], message);
    }
}

async fn a_task_that_holds_too_much_takes_no_more(database: TestDatabase) {
    let app = TestApp::start_with(&database, at_will).await;
    let agent = app.agent("backend").await;
    let body = |task: &str| {
        json!({
            "kind": "approval", "prompt": "p", "task": { "id": task },
            "action": { "tool": "t", "arguments": { "list": vec![0; limits::ACTION_VALUES - 2] } },
        })
    };
    let ask = async |task: &str| {
        let ask = agent.post("/api/v1/interactions").json(&body(task));
        ask.send().await.unwrap()
    };
    let mut asked = 0;
    let refused = loop {
        let response = ask("T").await;
        if response.status() != StatusCode::CREATED {
            break response;
        }
        asked += 1;
    };
    assert_eq!(asked, 3);
    assert!(refused.headers().contains_key(header::RETRY_AFTER));
    let problem = json_of(refused, StatusCode::TOO_MANY_REQUESTS).await;
    assert_eq!(problem["code"], "too_much_in_task");
    assert_eq!(ask("other").await.status(), StatusCode::CREATED);
    let done = agent
        .put("/api/v1/tasks/T")
        .json(&json!({ "status": "done" }));
    assert_eq!(done.send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(ask("T").await.status(), StatusCode::CREATED);
}

async fn an_agent_stores_so_much_a_day(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.agent_bytes_per_day = 30_000).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let first = agent.ask(json!({})).await;
    let second = agent.ask(json!({})).await;
    let tell = json!({ "kind": "notification", "prompt": "x".repeat(3_000) });
    let refused = loop {
        let told = agent.post("/api/v1/interactions").json(&tell);
        let told = told.send().await.unwrap();
        if told.status() != StatusCode::CREATED {
            break told;
        }
    };
    let now = app.state.service.now();
    let wait: i64 = refused.headers()[header::RETRY_AFTER]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    let problem = json_of(refused, StatusCode::TOO_MANY_REQUESTS).await;
    assert_eq!(problem["code"], "quota_used_up");
    let until: DateTime<Utc> = problem["until"].as_str().unwrap().parse().unwrap();
    assert_eq!(until.timestamp() % (24 * 60 * 60), 0);
    let left = until - now;
    assert!(left > TimeDelta::zero() && left <= TimeDelta::days(1));
    assert!((left.num_seconds()..=left.num_seconds() + 1).contains(&wait));

    // Whatever it would store more is refused alike.
    let ask = agent.post("/api/v1/interactions");
    let ask = ask.json(&json!({ "kind": "question", "prompt": "?" }));
    let task = agent.put("/api/v1/tasks/T").json(&json!({ "step": "1" }));
    for request in [ask, task] {
        let before = app.last_seq().await;
        let response = request.send().await.unwrap();
        let problem = json_of(response, StatusCode::TOO_MANY_REQUESTS).await;
        assert_eq!(problem["code"], "quota_used_up");
        assert_eq!(app.last_seq().await, before);
    }
    // What it has asked goes its way, and others are not concerned.
    desk.answer(&first, "80").await;
    agent.done(&first, "collect", json!({})).await;
    agent.done(&second, "cancel", json!({})).await;
    assert_eq!(agent.poll(&first).await["answer"]["text"], "80");
    other.ask(json!({})).await;

    // Admins see who it was.
    let cookie = app.sign_in("Ana", Role::Admin).await;
    let page = app.get("/agents").header(header::COOKIE, &cookie);
    let page = page.send().await.unwrap().text().await.unwrap();
    for words in [
        "kB stored today, all that it may; it may go on at 00:00 UTC",
        "kB of 30 kB stored today",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    app.clock.advance(left);
    agent.ask(json!({})).await;
}

async fn several_servers_keep_one_quota(database: TestDatabase) {
    let limited = |config: &mut Config| config.agent_bytes_per_day = 40_000;
    let first = TestApp::start_with(&database, limited).await;
    let second = TestApp::start_with(&database, limited).await;
    let agent = first.agent("backend").await;
    let body = json!({ "kind": "question", "prompt": "x".repeat(1_000) });
    let asks = (0..40).map(|n| {
        let app = if n % 2 == 0 { &first } else { &second };
        let ask = app.post("/api/v1/interactions").bearer_auth(&agent.token);
        ask.json(&body).send()
    });
    let statuses: Vec<_> = join_all(asks)
        .await
        .into_iter()
        .map(|response| response.unwrap().status())
        .collect();
    let count = |status| statuses.iter().filter(|one| **one == status).count();
    let kept = count(StatusCode::CREATED);
    assert_eq!(kept + count(StatusCode::TOO_MANY_REQUESTS), 40);
    let events = agent.read("/api/v1/events?limit=1000").await;
    assert_eq!(events["items"].as_array().unwrap().len(), kept);
    let now = first.state.service.now();
    let store = first.state.service.store();
    let records = store
        .agents(&domain::Audience::All, domain::Day::of(now))
        .await
        .unwrap();
    let stored = records[0].stored;
    // The last one may pass it.
    let each = stored / kept as u64;
    assert!((40_000..40_000 + each).contains(&stored), "{stored}");
    let path = path_of(&json!({ "id": events["items"][0]["interaction_id"] }));
    agent.read(&path).await;
}
