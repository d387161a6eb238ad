//! Rule 19 in Slack: a card says that it was erased and by whom, whatever was on its way, and whichever server does it.

use domain::interaction::Kind;
use serde_json::json;
use service::EraseEnd;
use store::{testing::TestDatabase, verify_journal};
use tokio::net::TcpListener;

use crate::support::{
    app::TestApp,
    caller::id_of,
    fake_slack::{FakeSlack, MAIN, World},
    people::operator,
    slack_cards::{settle, started, with_slack},
};

store::on_both_databases!(
    a_card_says_that_it_was_erased_and_by_whom,
    a_card_that_is_being_posted_is_changed_once_it_is_there,
    of_two_servers_that_erase_at_once_one_does_and_both_say_so,
);

/// Stands in every text.
const MARK: &str = "xyzzyplugh";
const IN_ITS_PLACE: &str = "All that was written here was erased by root";

/// All that people can see, and what stands beside it.
fn all(slack: &FakeSlack) -> String {
    slack.look(|world| format!("{:?}", world.messages))
}

/// A server at Slack's time, so that two of them are of one.
async fn joined(database: &TestDatabase, slack: &FakeSlack) -> TestApp {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clock = slack.clock().clone();
    TestApp::start_joined(listener, database, clock, with_slack(slack), |way| way).await
}

async fn a_card_says_that_it_was_erased_and_by_whom(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let action = json!({"tool": MARK, "arguments": {"command": MARK}});
    let mut told = Vec::new();
    for (kind, more, answer) in [
        (Kind::Question, json!({}), Some(json!({"text": MARK}))),
        (
            Kind::Approval,
            json!({"action": action}),
            Some(json!({"approved": true, "text": MARK})),
        ),
        (Kind::Notification, json!({}), None),
    ] {
        let mut body = json!({"kind": kind.name(), "prompt": MARK, "title": MARK});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        let asked = agent.ask(body).await;
        app.drain().await;
        if let Some(answer) = answer {
            desk.done(&asked, "answer", answer).await;
            desk.done(&asked, "follow_up", json!({"text": MARK})).await;
        }
        settle(&app, &slack).await;
        told.push(asked);
    }
    assert!(all(&slack).contains(MARK));
    for asked in &told {
        let end = app.state.service.erase(id_of(asked), &operator()).await;
        assert_eq!(end.unwrap(), EraseEnd::Erased);
    }
    settle(&app, &slack).await;
    assert!(!all(&slack).contains(MARK), "{}", all(&slack));
    let cards = slack.messages(MAIN);
    assert_eq!(cards.len(), told.len());
    for card in cards {
        let blocks = json!(card.blocks).to_string();
        assert!(card.text.contains(IN_ITS_PLACE), "{}", card.text);
        assert!(blocks.contains(IN_ITS_PLACE), "{blocks}");
        assert!(card.edited);
        assert_eq!(card.controls().count(), 0, "{blocks}");
    }
    // A new question is not behind them.
    let asked = agent.ask(json!({"prompt": "Which port?"})).await;
    app.drain().await;
    assert_eq!(slack.messages(MAIN).len(), told.len() + 1);
    desk.answer(&asked, "80").await;
    settle(&app, &slack).await;
}

async fn a_card_that_is_being_posted_is_changed_once_it_is_there(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    slack.hold_answers("chat.postMessage");
    let asked = agent.ask(json!({"prompt": MARK})).await;
    let is_there = |world: &World| world.in_channel(MAIN).next().map(drop);
    slack.wait_for(is_there).await;
    assert!(all(&slack).contains(MARK));
    desk.done(&asked, "cancel", json!({"reason": MARK})).await;
    let erased = app.state.service.erase(id_of(&asked), &operator()).await;
    assert_eq!(erased.unwrap(), EraseEnd::Erased);
    slack.answer_held("chat.postMessage");
    settle(&app, &slack).await;
    let cards = slack.messages(MAIN);
    assert_eq!(cards.len(), 1);
    assert!(cards[0].text.contains(IN_ITS_PLACE), "{:?}", cards[0]);
    assert!(!all(&slack).contains(MARK), "{}", all(&slack));
    verify_journal(&**app.state.service.store()).await.unwrap();
}

async fn of_two_servers_that_erase_at_once_one_does_and_both_say_so(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let one = joined(&database, &slack).await;
    let two = joined(&database, &slack).await;
    let (agent, desk) = (one.agent("backend").await, two.responder("desk").await);
    for _ in 0..5 {
        let asked = agent.ask(json!({"prompt": MARK})).await;
        desk.done(&asked, "answer", json!({"text": MARK})).await;
        tokio::join!(one.drain(), two.drain());
        settle(&one, &slack).await;
        two.drain().await;
        let (id, by) = (id_of(&asked), operator());
        let (first, second, more) = tokio::join!(
            one.state.service.erase(id, &by),
            two.state.service.erase(id, &by),
            // Whoever comes in between is told, or erased with the rest.
            desk.send(&asked, "follow_up", json!({"text": MARK})),
        );
        let ends = [first.unwrap(), second.unwrap()];
        let erased = ends.iter().filter(|end| **end == EraseEnd::Erased);
        assert_eq!(erased.count(), 1, "{ends:?}");
        assert!([200, 409].contains(&more.status().as_u16()), "{more:?}");
        for app in [&one, &two] {
            let stored = app.state.service.store().interaction(id).await;
            let stored = stored.unwrap().unwrap();
            assert_eq!(stored.erased.unwrap().by_whom(), "root");
            assert_eq!(stored.request.prompt, "");
        }
        let found = desk.read(&format!("/api/v1/interactions?q={MARK}")).await;
        assert_eq!(found["items"], json!([]));
        assert_eq!(agent.poll(&asked).await["erased"]["by"], "root");
    }
    tokio::join!(one.drain(), two.drain());
    settle(&one, &slack).await;
    two.drain().await;
    assert!(!all(&slack).contains(MARK), "{}", all(&slack));
    verify_journal(&**two.state.service.store()).await.unwrap();
}
