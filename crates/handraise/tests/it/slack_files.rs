//! Files in Slack: in the thread of their card, byte for byte and once, whatever Slack does; and gone when they are erased.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use domain::{delivery::DeliveryState, interaction::Kind};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use service::EraseEnd;
use sha2::{Digest, Sha256};
use store::testing::TestDatabase;

use crate::support::{
    caller::{Caller, id_of, json_of},
    fake_slack::{FakeSlack, Fault, Lag, MAIN, Message},
    people::operator,
    slack_cards::{deliveries, pass, settle, started},
};

store::on_both_databases!(
    files_are_in_the_thread_byte_for_byte_and_gone_when_they_are_erased,
    whatever_slack_does_files_appear_once,
    files_that_slack_does_not_show_in_time_are_deleted_before_they_are_sent_again,
    without_the_scope_the_card_is_there_and_files_follow_once_it_is_given,
    what_is_answered_before_is_not_uploaded,
    what_slack_never_takes_holds_up_no_card,
);

const SHARE: &str = "files.completeUploadExternal";
/// Two by two pixels.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==";
/// Nothing in it is markup in Slack, and no byte of it may be another.
const TEXT: &str = "<!channel> <https://evil.example|https://good.example> &gt; \u{202e}\r\nend";

async fn sent(caller: &Caller<'_>, name: &str, media_type: &str, bytes: Vec<u8>) -> Value {
    let request = caller.post(&format!("/api/v1/attachments?name={name}"));
    let request = request.header(header::CONTENT_TYPE, media_type).body(bytes);
    json_of(request.send().await.unwrap(), StatusCode::CREATED).await
}

/// Asks with a picture and a text that calls itself a page.
async fn asked(agent: &Caller<'_>, kind: Kind) -> Value {
    let picture = sent(
        agent,
        "screen.png",
        "image/png",
        STANDARD.decode(PNG).unwrap(),
    )
    .await;
    let text = sent(agent, "notes.html", "text/plain", TEXT.into()).await;
    let mut body = json!({
        "kind": kind.name(), "prompt": "Deploy?", "attachments": [picture["id"], text["id"]],
    });
    if kind == Kind::Approval {
        body["action"] = json!({"tool": "shell", "arguments": {"command": "make deploy"}});
    }
    agent.ask(body).await
}

/// The card that was posted last.
fn card(slack: &FakeSlack) -> Message {
    let cards = slack.messages(MAIN).into_iter();
    let mut cards = cards.filter(|message| message.thread_ts.is_none());
    cards.next_back().unwrap()
}

/// The titles of the files in the card's thread.
fn titles(slack: &FakeSlack) -> Vec<String> {
    let ts = card(slack).ts;
    slack.look(|world| {
        let files = world.files_in_thread(MAIN, &ts).into_iter();
        files.map(|file| file.title.clone()).collect()
    })
}

fn calls(slack: &FakeSlack, method: &str) -> usize {
    slack.look(|world| {
        world
            .calls
            .iter()
            .filter(|(name, _)| name == method)
            .count()
    })
}

const BOTH: [&str; 2] = ["screen.png", "notes.html"];

async fn files_are_in_the_thread_byte_for_byte_and_gone_when_they_are_erased(
    database: TestDatabase,
) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = asked(&agent, Kind::Approval).await;
    settle(&app, &slack).await;
    assert_eq!(titles(&slack), BOTH);
    let shown = card(&slack);
    slack.look(|world| {
        let said = asked["attachments"].as_array().unwrap().iter();
        for (file, said) in world.files_in_thread(MAIN, &shown.ts).iter().zip(said) {
            let hash = Sha256::digest(file.bytes.as_ref().unwrap());
            let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(said["sha256"], hash);
        }
        let names = world.files.iter().map(|file| &*file.name);
        // Saved, it is no page.
        assert_eq!(names.collect::<Vec<_>>(), ["screen.png", "notes.html.txt"]);
    });
    // Both are one message, and what is decided here goes without them.
    assert_eq!(slack.messages(MAIN).len(), 2);
    let blocks = json!(shown.blocks).to_string();
    assert!(
        blocks.contains("in this thread once Slack has them"),
        "{blocks}"
    );
    assert!(!blocks.contains("Approve"), "{blocks}");
    assert!(blocks.contains("Deny"), "{blocks}");

    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    settle(&app, &slack).await;
    let end = app.state.service.erase(id_of(&asked), &operator()).await;
    assert_eq!(end.unwrap(), EraseEnd::Erased);
    settle(&app, &slack).await;
    assert_eq!(titles(&slack), [""; 0]);
    let store = app.state.service.store();
    assert_eq!(store.slack_files(id_of(&asked)).await.unwrap(), [""; 0]);
    assert_eq!(calls(&slack, "files.delete"), 2);
}

async fn whatever_slack_does_files_appear_once(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    let mut messages = 0;
    for (method, fault) in [
        (SHARE, Fault::DropReply),
        (SHARE, Fault::DoneThen500),
        (SHARE, Fault::DoneThenInternalError),
        (SHARE, Fault::DoneThenNonsense),
        (SHARE, Fault::Limited(30)),
        (SHARE, Fault::Refused("internal_error")),
        ("upload", Fault::DropReply),
        ("upload", Fault::Refused("")),
        ("files.getUploadURLExternal", Fault::DropReply),
        ("files.getUploadURLExternal", Fault::Limited(30)),
    ] {
        slack.fail(method, [fault]);
        asked(&agent, Kind::Question).await;
        settle(&app, &slack).await;
        assert_eq!(titles(&slack), BOTH, "{method} {fault:?}");
        messages += 2;
        assert_eq!(slack.messages(MAIN).len(), messages, "{method} {fault:?}");
    }
}

async fn files_that_slack_does_not_show_in_time_are_deleted_before_they_are_sent_again(
    database: TestDatabase,
) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.fail(SHARE, [Fault::DropReply]);
    asked(&agent, Kind::Question).await;
    // Whatever comes into a thread is seen there after a day.
    slack.set(|world| world.lag = Lag::Millis(86_400_000));
    settle(&app, &slack).await;
    assert_eq!(titles(&slack), BOTH);
    assert_eq!(calls(&slack, "files.delete"), 2);
    assert_eq!(calls(&slack, SHARE), 2);
}

async fn without_the_scope_the_card_is_there_and_files_follow_once_it_is_given(
    database: TestDatabase,
) {
    let slack = FakeSlack::start().await;
    slack.set(|world| world.scopes.retain(|scope| *scope != "files:write"));
    let app = started(&database, &slack).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    asked(&agent, Kind::Question).await;
    let plain = agent.ask(json!({"prompt": "Which port?"})).await;
    for _ in 0..4 {
        app.drain().await;
        pass(&app, &slack, TimeDelta::seconds(30));
    }
    assert_eq!(slack.messages(MAIN).len(), 2);
    // Nothing else waits for them.
    desk.answer(&plain, "80").await;
    app.drain().await;
    assert!(slack.messages(MAIN).iter().any(|message| message.edited));
    let owed = deliveries(&app).await;
    let owed = owed.iter().filter(|one| one.delivery.ended_at.is_none());
    assert_eq!(owed.count(), 1);
    slack.set(|world| world.scopes.push("files:write"));
    settle(&app, &slack).await;
    let files = slack.look(|world| world.files.iter().filter(|file| file.is_shared).count());
    assert_eq!(files, 2);
}

async fn what_is_answered_before_is_not_uploaded(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = asked(&agent, Kind::Question).await;
    desk.answer(&asked, "80").await;
    settle(&app, &slack).await;
    assert_eq!(calls(&slack, "upload"), 0);
    assert_eq!(slack.messages(MAIN).len(), 1);
}

async fn what_slack_never_takes_holds_up_no_card(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    let agent = app.agent("backend").await;
    slack.fail(
        "files.getUploadURLExternal",
        [Fault::Refused("file_type_not_allowed")],
    );
    asked(&agent, Kind::Question).await;
    settle(&app, &slack).await;
    assert_eq!(slack.messages(MAIN).len(), 1);
    assert_eq!(calls(&slack, "files.getUploadURLExternal"), 1);
    let failed = deliveries(&app).await;
    let failed = failed
        .iter()
        .filter(|one| one.delivery.state == DeliveryState::Dead);
    assert_eq!(failed.count(), 1);
}
