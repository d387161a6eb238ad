//! A responder answers: once, whole, and never an agent.

use domain::{InteractionEvent, Payload};
use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{id_of, json_of},
};

store::on_both_databases!(
    an_answer_arrives_byte_for_byte,
    the_first_answer_wins_and_the_others_are_kept,
    an_agent_can_never_answer,
);

async fn an_answer_arrives_byte_for_byte(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    for text in ["", "0", "false", "a\r\nb\n\n  🦀 **x** \u{0} \u{202e}end\t"] {
        let asked = agent.ask(json!({})).await;
        let answered = json_of(desk.answer(&asked, text).await, StatusCode::OK).await;
        assert_eq!(answered["state"], "resolved");
        let seen = agent.poll(&asked).await;
        assert_eq!(seen, answered);
        assert_eq!(seen["answer"]["text"], text);
        assert_eq!(seen["answer"]["responder"]["name"], "desk");
        assert_eq!(seen["answer"]["responder"]["via"], "api");
        assert_eq!(
            seen["resume_prompt"],
            format!(
                "Previous blocker question: Which port?\nUser answer: {text}\nContinue task execution with this answer."
            )
        );
    }
}

async fn the_first_answer_wins_and_the_others_are_kept(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    let desks = join_all((0..8).map(|n| {
        let app = &app;
        async move { app.responder(&format!("desk {n}")).await }
    }))
    .await;
    let answers = desks.iter().enumerate().map(|(n, desk)| {
        let (asked, text) = (&asked, n.to_string());
        async move { desk.answer(asked, &text).await }
    });
    let mut won = Vec::new();
    for (n, response) in join_all(answers).await.into_iter().enumerate() {
        if response.status() == StatusCode::OK {
            won.push(n);
            continue;
        }
        let problem = json_of(response, StatusCode::CONFLICT).await;
        assert_eq!(problem["code"], "already_closed");
        assert_eq!(problem["outcome"], "answered");
    }
    let [winner] = won[..] else {
        panic!("{won:?} won");
    };
    assert_eq!(
        agent.poll(&asked).await["answer"]["text"],
        winner.to_string()
    );
    // Rule 1: the losers' texts are in the journal.
    let events = app
        .state
        .service
        .store()
        .events_of(id_of(&asked), 0, 1_000)
        .await;
    let rejected = events.unwrap().into_iter().filter(|event| {
        matches!(
            event.payload,
            Payload::Interaction(InteractionEvent::AnswerRejected { .. })
        )
    });
    assert_eq!(rejected.count(), 7);
}

async fn an_agent_can_never_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    let problem = json_of(agent.answer(&asked, "yes").await, StatusCode::FORBIDDEN).await;
    assert_eq!(problem["code"], "responders_only");
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    // Nor does it learn whether anything is there.
    let nothing = json!({"id": "01890000-0000-7000-8000-000000000000"});
    json_of(agent.answer(&nothing, "yes").await, StatusCode::FORBIDDEN).await;
}
