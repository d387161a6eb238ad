//! `/handraise`: what waits, what was asked and who is on duty, for its author alone.

use chrono::TimeDelta;
use domain::Role;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    caller::json_of,
    fake_slack::{ANA, BEN, FakeSlack, sign},
    people::invite_linked,
    slack_inbound::{Inbound, WAYS, Way},
};

store::on_both_databases!(
    a_command_is_answered_by_either_way_for_its_author_alone,
    a_search_finds_what_its_author_may_see,
    a_viewer_looks_and_a_stranger_is_told_how_to_link,
    only_slack_types_commands,
);

/// What they are told, by the address that came with what they typed.
async fn typed(slack: &FakeSlack, user: &str, text: &str) -> String {
    let is_answer = |call: &&(String, Value)| call.0 == "response";
    let before = slack.look(|world| world.calls.iter().filter(is_answer).count());
    let typed = slack.command(user, text);
    assert_eq!(slack.acked(typed).await, Some(json!({})));
    let answer = slack.wait_for(|world| {
        let mut answers = world.calls.iter().filter(is_answer);
        answers.nth(before).map(|(_, answer)| answer.clone())
    });
    let answer = answer.await;
    assert_eq!(answer["response_type"], "ephemeral", "{answer}");
    answer.to_string()
}

fn id(asked: &Value) -> &str {
    asked["id"].as_str().unwrap()
}

async fn a_command_is_answered_by_either_way_for_its_author_alone(database: TestDatabase) {
    // Messages are named by the time, and the database keeps the names of the first Slack.
    for (way, hours) in WAYS.into_iter().zip([0, 2]) {
        let slack = FakeSlack::start().await;
        slack.advance(TimeDelta::hours(hours));
        let inbound = Inbound::start_for(&slack, way, &database, &[ANA]).await;
        let app = &inbound.app;
        let agent = app.agent(&format!("{way:?}")).await;
        let prompt = format!("Which <!channel> port of {way:?}?");
        let asked = agent.ask(json!({ "prompt": prompt })).await;
        let said = typed(&slack, ANA, "").await;
        assert!(said.contains(&format!("/q/{}", id(&asked))), "{said}");
        assert!(said.contains("waits for you"), "{said}");
        let answer: Value = serde_json::from_str(&said).unwrap();
        assert!(
            !answer["text"].as_str().unwrap().contains('<'),
            "no markup: {said}"
        );
        let said = typed(&slack, ANA, " duty").await;
        assert!(said.contains("No team of yours has a rota."), "{said}");
        let said = typed(&slack, ANA, "help").await;
        assert!(said.contains("/handraise search WORDS"), "{said}");
        let said = typed(&slack, ANA, "dance <!here>").await;
        assert!(said.contains("\\\"dance\\\" is not a command"), "{said}");
        let said = typed(&slack, ANA, "search").await;
        assert!(said.contains("Say what to search for."), "{said}");
        // Nothing of it stands in a channel.
        assert!(!slack.look(|world| {
            let mut all = world.messages.iter();
            all.any(|one| one.only_for.is_none() && one.text.contains("rota"))
        }));
        agent.done(&asked, "cancel", json!({"reason": "no"})).await;
        inbound.app.stop().await;
    }
}

async fn a_search_finds_what_its_author_may_see(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start_for(&slack, Way::Socket, &database, &[]).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    invite_linked(app, "Ben", Role::Admin, BEN).await;
    let payments = app.team("Payments").await;
    let (theirs, open) = (app.agent("theirs").await, app.agent("open").await);
    app.home(payments, "theirs").await;
    let secret = theirs.ask(json!({"prompt": "Which harbour, Oslo?"})).await;
    let public = open.ask(json!({"prompt": "Which harbour, Bergen?"})).await;
    let closed = open.ask(json!({"prompt": "Which harbour, Narvik?"})).await;
    let desk = app.responder("desk").await;
    desk.done(&closed, "answer", json!({"text": "the old one"}))
        .await;
    let said = typed(&slack, ANA, "search harbour").await;
    assert!(
        said.contains(id(&public)) && said.contains("Bergen"),
        "{said}"
    );
    assert!(
        said.contains(&format!("/interactions/{}", id(&closed))),
        "{said}"
    );
    assert!(said.contains("Answered · desk"), "{said}");
    assert!(
        !said.contains(id(&secret)) && !said.contains("Oslo"),
        "{said}"
    );
    let said = typed(&slack, ANA, "search oslo").await;
    assert!(
        said.contains("No interaction that you may see is found"),
        "{said}"
    );
    let said = typed(&slack, BEN, "search oslo harbour").await;
    assert!(said.contains(id(&secret)), "{said}");
    // What was only told waits for no answer.
    let told = open
        .ask(json!({"kind": "notification", "prompt": "Harbour of Hammerfest closed."}))
        .await;
    let said = typed(&slack, ANA, "search hammerfest").await;
    assert!(
        said.contains(&format!("/interactions/{}", id(&told))),
        "{said}"
    );
    assert!(
        said.contains("\"Told\"") && !said.contains("\"Waits\""),
        "{said}"
    );
    for n in 0..12 {
        open.ask(json!({"prompt": format!("Which harbour, {n}? {}", "<&> ".repeat(900))}))
            .await;
    }
    let said = typed(&slack, ANA, "search harbour").await;
    assert!(said.contains("There is more."), "{said}");
    let said = typed(&slack, ANA, "").await;
    assert!(said.contains("more on the page."), "{said}");
    inbound.app.stop().await;
}

async fn a_viewer_looks_and_a_stranger_is_told_how_to_link(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start_for(&slack, Way::Socket, &database, &[]).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Viewer, ANA).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({"prompt": "xyzzy?"})).await;
    let said = typed(&slack, ANA, "").await;
    assert!(said.contains("No question waits for you"), "{said}");
    assert!(
        typed(&slack, ANA, "search xyzzy")
            .await
            .contains(id(&asked))
    );
    for text in ["", "search xyzzy", "duty"] {
        let said = typed(&slack, BEN, text).await;
        assert!(
            said.contains("/slack/link/") && !said.contains(id(&asked)),
            "{said}"
        );
    }
    inbound.app.stop().await;
}

async fn only_slack_types_commands(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let app = &inbound.app;
    let now = app.state.service.now().timestamp();
    let body = "command=%2Fhandraise&text=&user_id=U0ANA&team_id=T0FAKE";
    let post = async |timestamp: i64, signature: String| {
        let request = app
            .post("/slack/commands")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("x-slack-request-timestamp", timestamp)
            .header("x-slack-signature", signature)
            .body(body);
        request.send().await.unwrap()
    };
    for (timestamp, signature) in [
        (now, sign(now, "command=%2Fhandraise&text=duty")),
        (now, "v0=00".to_owned()),
        (now - 301, sign(now - 301, body)),
    ] {
        let refused = json_of(post(timestamp, signature).await, StatusCode::UNAUTHORIZED).await;
        assert_eq!(refused["code"], "not_slack");
    }
    // Who sends again what Slack has signed is told nothing: the answer goes to its author.
    for _ in 0..2 {
        let taken = post(now, sign(now, body)).await;
        assert_eq!(taken.status(), StatusCode::OK);
        assert_eq!(taken.text().await.unwrap(), "");
    }
    inbound.app.stop().await;
}
