//! Agents that are called back: what they hear, that it is signed, and what people see when nobody is there.

use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::{Value, json};
use service::secret::Secret;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    hooks::{is_signed, start},
    people::operator,
    receiver::{Got, Manner, Receiver},
};

store::on_both_databases!(
    an_agent_is_called_back_with_the_answer_and_what_follows,
    it_hears_of_deadlines_and_cancelling,
    both_tokens_sign_while_both_are_good,
    an_agent_that_is_not_there_is_offline_until_it_is_reached,
    an_agent_that_came_by_itself_is_not_offline,
    one_process_that_is_gone_delays_no_other,
    it_may_not_be_called_everywhere,
);

async fn secret_of(agent: &Caller<'_>) -> String {
    let response = agent.get("/api/v1/callback_secret").send().await.unwrap();
    assert_eq!(response.headers()["cache-control"], "no-store");
    let body = json_of(response, StatusCode::OK).await;
    body["secret"].as_str().unwrap().to_owned()
}

async fn an_agent_is_called_back_with_the_answer_and_what_follows(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    let asked = agent.ask(json!({"callback_url": receiver.url()})).await;
    assert_eq!(asked["callback"], Value::Null);
    app.drain().await;
    assert_eq!(receiver.got().len(), 0);
    let answered = desk
        .done(&asked, "answer", json!({"text": " 80\r\n„🦀“ "}))
        .await;
    app.drain().await;
    let got = receiver.got();
    assert_eq!(got.len(), 1);
    let body = got[0].json();
    assert_eq!(
        body,
        json!({
            "type": "interaction.resolved", "timestamp": "2027-01-15T08:00:00Z", "kind": "answer",
            "answer_to": asked["id"],
            "message": "Answer to your question ('Which port?'):  80\r\n„🦀“ ",
            "interaction": answered,
        })
    );
    assert!(is_signed(&got[0], &secret_of(&agent).await));
    let other = app.agent("other").await;
    assert!(!is_signed(&got[0], &secret_of(&other).await));
    let now = agent.poll(&asked).await;
    assert_eq!(now["callback"]["state"], "delivered");
    assert_eq!(now["collected_at"], Value::Null);

    app.clock.advance(TimeDelta::seconds(2));
    desk.done(&asked, "follow_up", json!({"text": "or 81"}))
        .await;
    app.drain().await;
    let more = receiver.got().remove(0);
    assert_ne!(more.id(), got[0].id());
    let body = more.json();
    assert_eq!(
        (&body["kind"], &body["type"]),
        (&json!("follow_up"), &json!("interaction.follow_up"))
    );
    assert_eq!(
        body["message"],
        "Follow-up to your question ('Which port?'): or 81"
    );
    assert_eq!(body["interaction"]["follow_ups"][0]["text"], "or 81");
    assert_eq!(body["interaction"]["answer"], answered["answer"]);

    // People's scripts see what is owed to agents, and not where they are.
    let deliveries = desk.read("/api/v1/deliveries").await;
    let destination = &deliveries["items"][0]["destination"];
    assert_eq!(
        (&destination["kind"], &destination["name"]),
        (&json!("callback"), &json!("backend"))
    );
    let seen = desk.poll(&asked).await;
    assert!(!seen.to_string().contains(&receiver.url()));
}

async fn it_hears_of_deadlines_and_cancelling(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    let wants = |more: Value| {
        let mut body = json!({"callback_url": receiver.url(), "timeout_seconds": 60});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    let cancelled = agent.ask(wants(json!({}))).await;
    desk.done(&cancelled, "cancel", json!({"reason": "found it"}))
        .await;
    app.drain().await;
    let body = receiver.got().remove(0).json();
    assert_eq!(body["kind"], "cancelled");
    assert_eq!(
        body["message"],
        "Your question ('Which port?') was cancelled: found it"
    );

    agent.ask(wants(json!({"fallback": "8080"}))).await;
    let approval = json!({"kind": "approval", "action": {"tool": "rm", "arguments": {}}});
    agent.ask(wants(approval)).await;
    app.clock.advance(TimeDelta::seconds(61));
    app.state.service.expire_due().await.unwrap();
    app.drain().await;
    let mut got: Vec<Value> = receiver.got().iter().map(Got::json).collect();
    got.sort_by_key(|body| body["interaction"]["kind"].to_string());
    assert!(got.iter().all(|body| body["kind"] == "timeout"));
    assert_eq!(got[0]["interaction"]["approved"], false);
    assert!(
        got[0]["message"]
            .as_str()
            .unwrap()
            .ends_with("do not take it for a yes.")
    );
    assert!(
        got[1]["message"]
            .as_str()
            .unwrap()
            .ends_with("fallback: 8080")
    );
}

async fn both_tokens_sign_while_both_are_good(database: TestDatabase) {
    let app = start(&database).await;
    let (old, desk) = (app.agent("backend").await, app.responder("desk").await);
    let new = app.agent("backend").await;
    let receiver = Receiver::start([]).await;
    let secrets = [secret_of(&old).await, secret_of(&new).await];
    assert_ne!(secrets[0], secrets[1]);
    let heard_by = async || {
        let asked = new.ask(json!({"callback_url": receiver.url()})).await;
        desk.answer(&asked, "80").await;
        app.drain().await;
        let got = receiver.got();
        got.first()
            .map(|got| secrets.each_ref().map(|secret| is_signed(got, secret)))
    };
    let revoke = async |caller: &Caller<'_>| {
        let service = &app.state.service;
        let secret = Secret::from_outside(&caller.token).hash();
        let holder = service.token_holder(&secret).await.unwrap().unwrap();
        let revoked = service.revoke_token(holder.token, &operator()).await;
        assert!(revoked.unwrap());
    };
    assert_eq!(heard_by().await, Some([true, true]));
    revoke(&old).await;
    assert_eq!(heard_by().await, Some([false, true]));
    // Nobody is left who could know that it is ours.
    let asked = new.ask(json!({"callback_url": receiver.url()})).await;
    revoke(&new).await;
    desk.answer(&asked, "80").await;
    app.drain().await;
    assert_eq!(receiver.got().len(), 0);
    assert_eq!(desk.poll(&asked).await["callback"]["state"], "offline");
}

async fn an_agent_that_is_not_there_is_offline_until_it_is_reached(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start(vec![Manner::Answers(500, "", "no"); 8]).await;
    let asked = agent.ask(json!({"callback_url": receiver.url()})).await;
    desk.answer(&asked, "80").await;
    for _ in 0..8 {
        assert_eq!(desk.poll(&asked).await["callback"], Value::Null);
        app.drain().await;
        app.clock.advance(TimeDelta::hours(12));
    }
    assert_eq!(receiver.got().len(), 8);
    assert_eq!(desk.poll(&asked).await["callback"]["state"], "offline");
    let events = desk.read("/api/v1/events?limit=500").await;
    let events = events["items"].as_array().unwrap();
    let offline = events.last().unwrap();
    assert_eq!(offline["type"], "interaction.agent_offline");
    assert_eq!(offline["actor"]["type"], "delivery");

    let dead = desk.read("/api/v1/deliveries?state=dead").await;
    let id = dead["items"][0]["id"].as_str().unwrap();
    let retried = desk
        .post(&format!("/api/v1/deliveries/{id}/retry"))
        .send()
        .await;
    assert_eq!(retried.unwrap().status(), StatusCode::ACCEPTED);
    app.drain().await;
    let got = receiver.got().remove(0);
    assert_eq!(got.id(), id);
    assert_eq!(got.json()["kind"], "answer");
    assert_eq!(desk.poll(&asked).await["callback"]["state"], "delivered");
}

async fn an_agent_that_came_by_itself_is_not_offline(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let manners = [500, 410].map(|status| Manner::Answers(status, "", ""));
    let receiver = Receiver::start(manners).await;
    let asked = agent.ask(json!({"callback_url": receiver.url()})).await;
    desk.answer(&asked, "80").await;
    app.drain().await;
    agent.done(&asked, "collect", json!({})).await;
    app.clock.advance(TimeDelta::seconds(6));
    app.drain().await;
    let seen = desk.poll(&asked).await;
    assert_eq!(receiver.got().len(), 2);
    // Gone is gone, before the last try; the next question may name another address.
    let deliveries = desk.read("/api/v1/deliveries").await;
    assert_eq!(deliveries["items"][0]["state"], "dead");
    assert_eq!(seen["callback"], Value::Null);
    let other = Receiver::start([]).await;
    let asked = agent.ask(json!({"callback_url": other.url()})).await;
    desk.answer(&asked, "80").await;
    app.drain().await;
    assert_eq!(other.got().len(), 1);
}

async fn one_process_that_is_gone_delays_no_other(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let gone = Receiver::start(vec![Manner::Hangs; 20]).await;
    let there = Receiver::start([]).await;
    for receiver in [&gone, &gone, &gone, &gone, &gone, &gone, &there] {
        let asked = agent.ask(json!({"callback_url": receiver.url()})).await;
        desk.answer(&asked, "80").await;
    }
    assert_eq!(there.wait().await.json()["kind"], "answer");
    gone.release();
    app.drain().await;
}

async fn it_may_not_be_called_everywhere(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let receiver = Receiver::start([]).await;
    for address in [
        &*receiver.url(),
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "",
    ] {
        let body = json!({"kind": "question", "prompt": "", "callback_url": address});
        let refused = agent.post("/api/v1/interactions").json(&body).send().await;
        let problem = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
        let paths: Vec<_> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["path"])
            .collect();
        assert_eq!(paths, ["prompt", "callback_url"], "{address}");
    }
    let told =
        json!({"kind": "notification", "prompt": "x", "callback_url": "https://agent.example/"});
    let refused = agent.post("/api/v1/interactions").json(&told).send().await;
    let problem = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "callback_url");
    // A name says nothing yet. What it leads to is refused when it is called.
    let by_name = format!("http://localhost:{}/", receiver.addr.port());
    let asked = agent.ask(json!({"callback_url": by_name})).await;
    desk.answer(&asked, "80").await;
    app.drain().await;
    assert_eq!(receiver.got().len(), 0);
    let deliveries = desk.read("/api/v1/deliveries").await;
    let error = deliveries["items"][0]["last_error"].as_str().unwrap();
    assert!(error.contains("not public"), "{error}");
}
