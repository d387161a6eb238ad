//! Webhook endpoints: who they are, what they hear, and that it is signed.

use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::json_of,
    hooks::{hook, is_signed, start},
    people::operator,
    receiver::{Got, Receiver},
};

store::on_both_databases!(
    a_webhook_says_what_happened_and_is_signed,
    a_flat_webhook_has_seven_fields,
    an_endpoint_hears_what_it_asked_for,
    a_webhook_tells_what_was_when_it_happened,
    both_secrets_sign_after_a_rotation_and_none_is_in_the_database,
    a_test_can_be_sent,
    the_setting_alone_is_enough,
    hooks_are_made_listed_and_taken_away,
    addresses_that_are_not_public_are_refused,
);

async fn a_webhook_says_what_happened_and_is_signed(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    let hook = hook(&desk, &receiver, json!({})).await;
    let asked = agent
        .ask(json!({"task": {"id": "T-1"}, "metadata": {"pr": 12}, "prompt": "Wo? „hier“ 🦀"}))
        .await;
    app.drain().await;
    let got = receiver.got();
    assert_eq!(got.len(), 1);
    let got = &got[0];
    assert_eq!(got.path, "/hook");
    assert_eq!(got.headers["content-type"], "application/json");
    assert_eq!(got.headers["webhook-timestamp"], "1800000000");
    assert!(got.headers["user-agent"].starts_with("Handraise/"));

    // The interaction as the API returns it, and the seven fields.
    let mut data = asked.clone();
    data["blocker_id"] = asked["id"].clone();
    data["question"] = asked["prompt"].clone();
    data["agent_id"] = asked["agent"]["id"].clone();
    data["task_id"] = "T-1".into();
    data["type"] = "SYNC".into();
    assert_eq!(
        got.json(),
        json!({
            "type": "interaction.requested", "timestamp": "2027-01-15T08:00:00Z", "data": data,
        })
    );
    assert_eq!(
        got.body.matches("\"created_at\"").count(),
        1,
        "no field stands there twice"
    );
    let secret = hook["secret"].as_str().unwrap();
    assert!(is_signed(got, secret));
    let changed = Got {
        body: "{}".to_owned(),
        ..got.clone()
    };
    assert!(!is_signed(&changed, secret));
}

async fn a_flat_webhook_has_seven_fields(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    let hook = hook(&desk, &receiver, json!({"format": "flat"})).await;
    let asked = agent.ask(json!({"mode": "async"})).await;
    app.drain().await;
    let got = receiver.got().remove(0);
    assert_eq!(
        got.json(),
        json!({
            "blocker_id": asked["id"], "question": "Which port?", "agent_id": asked["agent"]["id"],
            "task_id": null, "type": "ASYNC", "created_at": "2027-01-15T08:00:00Z",
            "dashboard_url": asked["dashboard_url"],
        })
    );
    assert!(is_signed(&got, hook["secret"].as_str().unwrap()));
}

fn types(receiver: &Receiver) -> Vec<String> {
    let mut types: Vec<String> = receiver
        .got()
        .iter()
        .map(|got| got.json()["type"].as_str().unwrap().to_owned())
        .collect();
    types.sort();
    types
}

async fn an_endpoint_hears_what_it_asked_for(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (all, some) = (Receiver::start([]).await, Receiver::start([]).await);
    hook(&desk, &all, json!({})).await;
    let wanted = json!({"events": ["interaction.expired", "task.failed"]});
    hook(&desk, &some, wanted).await;

    let answered = agent.ask(json!({})).await;
    desk.answer(&answered, "80").await;
    let cancelled = agent.ask(json!({})).await;
    agent.send(&cancelled, "cancel", json!({})).await;
    agent.ask(json!({"kind": "notification"})).await;
    agent
        .ask(json!({"task": {"id": "T-1"}, "timeout_seconds": 60}))
        .await;
    // Collecting and following up are nobody's news.
    agent.send(&answered, "collect", json!({})).await;
    desk.send(&answered, "follow_up", json!({"text": "and"}))
        .await;
    // What is being sent while so much time passes would be sent again.
    app.drain().await;
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    app.drain().await;
    let expected = [
        "interaction.cancelled",
        "interaction.expired",
        "interaction.requested",
        "interaction.requested",
        "interaction.requested",
        "interaction.resolved",
        "notification.sent",
        "task.failed",
    ];
    assert_eq!(types(&all), expected);
    assert_eq!(types(&some), ["interaction.expired", "task.failed"]);

    // A task may fail without any question to blame.
    let failed = json!({"status": "failed", "reason": "no disk", "title": "Serve"});
    let put = agent.put("/api/v1/tasks/T-2").json(&failed).send().await;
    assert_eq!(put.unwrap().status(), StatusCode::OK);
    app.drain().await;
    let got = some.got().remove(0).json();
    assert_eq!(got["type"], "task.failed");
    assert_eq!(
        got["data"],
        json!({
            "blocker_id": null, "question": null, "agent_id": answered["agent"]["id"],
            "task_id": "T-2", "type": null, "created_at": "2027-01-15T08:01:01Z",
            "dashboard_url": app.page_url("/tasks"), "reason": "no disk", "title": "Serve", "step": null,
        })
    );
}

async fn a_webhook_tells_what_was_when_it_happened(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([crate::support::receiver::Manner::Answers(500, "", "")]).await;
    hook(
        &desk,
        &receiver,
        json!({"events": ["interaction.requested"]}),
    )
    .await;
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    desk.answer(&asked, "80").await;
    app.clock.advance(TimeDelta::seconds(6));
    app.drain().await;
    let got = receiver.got();
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].id(), got[1].id());
    assert_eq!(got[0].body, got[1].body);
    assert_eq!(got[1].json()["data"]["state"], "pending");
    assert_eq!(got[0].headers["webhook-timestamp"], "1800000000");
    assert_eq!(got[1].headers["webhook-timestamp"], "1800000006");
}

async fn both_secrets_sign_after_a_rotation_and_none_is_in_the_database(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    let hook = hook(&desk, &receiver, json!({})).await;
    let id = hook["id"].as_str().unwrap().parse().unwrap();
    let service = &app.state.service;
    let new = service.rotate_endpoint(id, &operator()).await.unwrap();
    let (old, new) = (hook["secret"].as_str().unwrap(), new.reveal());
    let heard_by = async |secrets: &[&str]| {
        agent.ask(json!({})).await;
        app.drain().await;
        let got = receiver.got().remove(0);
        for secret in [old, &new] {
            assert_eq!(is_signed(&got, secret), secrets.contains(&secret));
        }
    };
    heard_by(&[old, &new]).await;
    app.clock.advance(TimeDelta::hours(24));
    heard_by(&[&new]).await;

    let stored = service
        .store()
        .endpoint(id)
        .await
        .unwrap()
        .unwrap()
        .endpoint;
    let key = new.strip_prefix("whsec_").unwrap();
    let key = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, key).unwrap();
    assert!(!stored.secret.0.windows(8).any(|part| key[..8] == *part));
    // Another server's key opens none.
    let other = signing::Sealer::new(&signing::SigningKey::from_seed([9; 32]));
    assert_eq!(other.open(&stored.secret, id.0.as_bytes()), None);
}

async fn a_test_can_be_sent(database: TestDatabase) {
    let app = start(&database).await;
    let desk = app.responder("desk").await;
    let (receiver, other) = (Receiver::start([]).await, Receiver::start([]).await);
    let made = hook(&desk, &receiver, json!({"events": ["task.failed"]})).await;
    hook(&desk, &other, json!({})).await;
    let id = made["id"].as_str().unwrap().parse().unwrap();
    app.state
        .service
        .test_endpoint(id, &operator())
        .await
        .unwrap();
    app.drain().await;
    let got = receiver.got();
    assert_eq!(got[0].json()["type"], "endpoint.tested");
    assert_eq!(got[0].json()["data"]["agent"]["name"], "sample-agent");
    assert_eq!((got.len(), other.got().len()), (1, 0));
}

async fn the_setting_alone_is_enough(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (first, second) = (Receiver::start([]).await, Receiver::start([]).await);
    let service = &app.state.service;
    let configure = async |url: Option<&str>| {
        // Every start says it anew.
        for _ in 0..2 {
            service.configure_endpoint(url, &operator()).await.unwrap();
        }
        let sync = agent.ask(json!({})).await;
        agent.ask(json!({"mode": "async"})).await;
        agent.ask(json!({"kind": "notification"})).await;
        desk.answer(&sync, "80").await;
        app.drain().await;
        sync
    };
    configure(None).await;
    let asked = configure(Some(&first.url())).await;
    let got = first.got();
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].json()["blocker_id"], asked["id"]);
    assert_eq!(got[0].json().as_object().unwrap().len(), 7);
    configure(Some(&second.url())).await;
    assert_eq!((first.got().len(), second.got().len()), (0, 1));
    configure(None).await;
    assert_eq!((first.got().len(), second.got().len()), (0, 0));
    configure(Some(&first.url())).await;
    assert_eq!((first.got().len(), second.got().len()), (1, 0));
    let refused = service
        .configure_endpoint(Some("http://10.0.0.1/"), &operator())
        .await;
    assert!(refused.is_err());
}

async fn hooks_are_made_listed_and_taken_away(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    let wished = json!({"events": ["interaction.resolved", "interaction.resolved"], "name": "Zap"});
    let made = hook(&desk, &receiver, wished).await;
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    let listed = desk.read("/api/v1/hooks").await;
    let expected = json!({
        "id": made["id"], "name": "Zap", "target_url": receiver.url(),
        "events": ["interaction.resolved"], "format": "standard", "sync_only": false, "teams": [],
        "created_at": "2027-01-15T08:00:00Z", "disabled_at": null, "disabled_why": null,
        "failing_since": null,
    });
    assert_eq!(listed, json!({"items": [expected], "next_cursor": null}));

    let path = format!("/api/v1/hooks/{}", made["id"].as_str().unwrap());
    let deleted = desk.delete(&path).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    let again = desk.delete(&path).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_FOUND);
    assert_eq!(desk.read("/api/v1/hooks").await["items"], json!([]));
    let asked = agent.ask(json!({})).await;
    desk.answer(&asked, "80").await;
    app.drain().await;
    assert_eq!(receiver.got().len(), 0);

    let samples = desk.read("/api/v1/hooks/sample").await;
    let types: Vec<_> = samples
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["type"])
        .collect();
    assert_eq!(types.len(), 6);
    assert_eq!(samples[1]["data"]["answer"]["text"], "8080");
    let flat = desk
        .read("/api/v1/hooks/sample?events=interaction.requested&format=flat")
        .await;
    assert_eq!(flat.as_array().unwrap().len(), 1);
    assert_eq!(flat[0].as_object().unwrap().len(), 7);
    // Who did what is in the journal, and the address is not.
    let events = desk.read("/api/v1/events?limit=500").await;
    let events = events["items"].as_array().unwrap();
    let of = |name: &str| events.iter().find(|event| event["type"] == name).unwrap();
    assert_eq!(of("endpoint.created")["actor"]["name"], "desk");
    assert_eq!(of("endpoint.deleted")["payload"]["name"], "Zap");
    assert!(!json!(events).to_string().contains("/hook"));
}

async fn addresses_that_are_not_public_are_refused(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    for url in [
        &*receiver.url(),
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://0x7f.1/",
        "ftp://hooks.example/",
        "http://ana:secret@hooks.example/",
        "nonsense",
        "",
    ] {
        let body = json!({"target_url": url});
        let refused = desk.post("/api/v1/hooks").json(&body).send().await.unwrap();
        let problem = json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["errors"][0]["path"], "target_url", "{url}");
    }
    // A name says nothing yet. What it leads to is refused when it is called.
    let by_name = format!("http://localhost:{}/hook", receiver.addr.port());
    let made = desk
        .post("/api/v1/hooks")
        .json(&json!({"target_url": by_name}));
    json_of(made.send().await.unwrap(), StatusCode::CREATED).await;
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(receiver.got().len(), 0);
    let deliveries = desk.read("/api/v1/deliveries").await;
    assert_eq!(deliveries["items"][0]["state"], "due");
    let error = deliveries["items"][0]["last_error"].as_str().unwrap();
    assert!(error.contains("not public"), "{error}");
}
