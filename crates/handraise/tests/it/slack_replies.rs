//! What replies in the threads of cards become: answers, follow-ups, edits, or nothing and a note; each once,
//! whatever happens between the message and the agent.

use std::time::Duration;

use chrono::TimeDelta;
use domain::{InteractionEvent, Payload, slack::Unseen};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::time::timeout;

use crate::support::{
    caller::{Caller, id_of, json_of, path_of},
    fake_slack::{ANA, BEN, FakeSlack, Fault, MAIN},
    slack_inbound::{Inbound, WAYS, Way, acknowledged, until},
};

store::on_both_databases!(
    a_reply_answers_whole_and_later_ones_follow_up,
    what_comes_again_counts_once,
    a_form_is_answered_question_by_question,
    a_reply_sends_no_answer_along_that_its_card_did_not_show,
    nobody_approves_by_words,
    an_edit_is_kept_and_changes_nothing,
    strangers_are_told_and_nothing_else_happens,
    a_card_may_become_known_later,
    a_failure_delays_and_loses_nothing,
    what_was_kept_before_a_crash_is_heard_after_it,
    two_servers_hear_a_message_once,
    what_was_missed_while_nobody_listened_is_read_back,
    a_reply_after_the_deadline_is_a_follow_up,
    two_who_reply_at_once_answer_one_question,
    a_reply_is_as_old_as_slack_says_however_late_it_is_heard,
    what_is_not_known_to_stand_on_the_card_is_answered_by_no_reply,
    a_reply_to_what_the_card_cuts_is_kept_and_no_answer,
);

/// Whom the workspace knows, and nobody here.
const EVE: &str = "U0EVE";

async fn closed(agent: &Caller<'_>, asked: &Value) -> Value {
    let held = agent.get(&path_of(asked)).header("prefer", "wait=30");
    let found = json_of(held.send().await.unwrap(), StatusCode::OK).await;
    assert_ne!(found["state"], "pending", "{found}");
    found
}

/// Waits until nothing waits to be heard.
async fn heard(inbound: &Inbound) {
    until("everything is heard", async || inbound.waiting().await == 0).await;
}

/// Who was told what so far.
fn notes(slack: &FakeSlack) -> Vec<(String, String)> {
    slack.look(|world| {
        let messages = world.messages.iter();
        let notes = messages.filter_map(|one| Some((one.only_for.clone()?, one.text.clone())));
        notes.collect()
    })
}

/// Who was told what, once so many were: a reply is heard before its author is told.
async fn told(slack: &FakeSlack, count: usize) -> Vec<(String, String)> {
    until("the notes", async || notes(slack).len() >= count).await;
    notes(slack)
}

/// How often Slack was asked who somebody is.
fn lookups(slack: &FakeSlack) -> usize {
    slack.look(|world| {
        let calls = world.calls.iter();
        calls.filter(|(method, _)| method == "users.info").count()
    })
}

fn texts(interaction: &Value) -> Vec<&str> {
    let all = interaction["follow_ups"].as_array().unwrap().iter();
    all.map(|one| one["text"].as_str().unwrap()).collect()
}

/// Waits until this question of a form stands on its card, and for a moment more.
async fn asks(slack: &FakeSlack, inbound: &Inbound, asked: &Value, question: &str) {
    let store = inbound.app.state.service.store();
    until("the question is on the card", async || {
        let on_card = store.question_on_card(id_of(asked)).await.unwrap();
        on_card.is_some_and(|on_card| on_card.question.lines().next() == Some(question))
    })
    .await;
    slack.advance(TimeDelta::seconds(2));
}

/// What was kept of replies that are no answer.
async fn remarks(inbound: &Inbound, asked: &Value) -> Vec<(String, Unseen)> {
    let store = inbound.app.state.service.store();
    let events = store
        .events_of(id_of(asked), 0, 100)
        .await
        .unwrap()
        .into_iter();
    let remarks = events.filter_map(|event| match event.payload {
        Payload::Interaction(InteractionEvent::Remarked { text, why }) => Some((text, why)),
        _ => None,
    });
    remarks.collect()
}

fn two_questions() -> Value {
    json!({"kind": "form", "questions": [
        {"id": "port", "prompt": "Which port?"},
        {"id": "why", "prompt": "Why?"},
    ]})
}

async fn a_reply_answers_whole_and_later_ones_follow_up(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({})).await;
    let (other, _) = inbound.ask(&agent, json!({})).await;
    let text = " use &lt;8080&gt; &amp; \"x\"\n\n<https://a.example|a.example>  ";
    slack.reply_in_thread(ANA, MAIN, &card, text);
    let answered = closed(&agent, &asked).await;
    let answer = &answered["answer"];
    assert_eq!(answer["text"], " use <8080> & \"x\"\n\na.example  ");
    assert_eq!(answer["responder"]["name"], "Ana");
    assert_eq!(answer["responder"]["via"], "slack");
    slack.reply_in_thread(BEN, MAIN, &card, "and TLS");
    acknowledged(&slack, 2).await;
    slack.reply_in_thread(ANA, MAIN, &card, "soon");
    acknowledged(&slack, 3).await;
    heard(&inbound).await;
    let now = agent.poll(&asked).await;
    assert_eq!(texts(&now), ["and TLS", "soon"]);
    assert_eq!(now["answer"], *answer);
    // Two open questions in one channel never mix.
    assert_eq!(agent.poll(&other).await["state"], "pending");
    assert_eq!(notes(&slack), []);
}

async fn what_comes_again_counts_once(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({})).await;
    slack.duplicate_next_event();
    let ts = slack.reply_in_thread(ANA, MAIN, &card, "8080");
    closed(&agent, &asked).await;
    slack.repeat(MAIN, &ts);
    acknowledged(&slack, 3).await;
    heard(&inbound).await;
    let now = agent.poll(&asked).await;
    assert_eq!((now["version"].as_i64(), texts(&now)), (Some(3), vec![]));
}

async fn a_form_is_answered_question_by_question(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let form = json!({"kind": "form", "questions": [
        {"id": "port", "prompt": "Which port?"},
        {"id": "env", "prompt": "Where?", "options": [{"value": "prod", "label": "Production"}, "staging"]},
        {"id": "why", "prompt": "Why?"},
    ]});
    let (asked, card) = inbound.ask(&agent, form).await;
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    asks(&slack, &inbound, &asked, "env").await;
    for (count, text) in (2..).zip(["prod", " PRODUCTION "]) {
        slack.reply_in_thread(ANA, MAIN, &card, text);
        acknowledged(&slack, count).await;
    }
    heard(&inbound).await;
    asks(&slack, &inbound, &asked, "why").await;
    let notes = told(&slack, 1).await;
    let expected = "Your message was not taken: it must be one of: Production, staging.";
    assert_eq!(notes, [(ANA.to_owned(), expected.to_owned())]);
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    slack.reply_in_thread(BEN, MAIN, &card, "because");
    let answered = closed(&agent, &asked).await;
    let expected = json!({"port": "8080", "env": "prod", "why": "because"});
    assert_eq!(answered["answer"]["answers"], expected);
}

async fn a_reply_sends_no_answer_along_that_its_card_did_not_show(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, two_questions()).await;
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    asks(&slack, &inbound, &asked, "why").await;
    // The card is behind: it still shows the answer of before.
    slack.hold_answers("chat.update");
    let ben = inbound.app.responder("by the API").await;
    ben.done(&asked, "answer", json!({"answers": {"port": "1"}}))
        .await;
    slack.reply_in_thread(ANA, MAIN, &card, "because");
    let all = [("because".to_owned(), Unseen::AskedLater)];
    until("the remark", async || {
        remarks(&inbound, &asked).await == all
    })
    .await;
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    slack.answer_held("chat.update");
}

async fn nobody_approves_by_words(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let kinds = [
        json!({"kind": "approval", "action": {"tool": "shell", "arguments": {"command": "rm -rf /"}}}),
        json!({"kind": "choice", "options": ["yes", "no"]}),
        json!({"kind": "acknowledgement"}),
        json!({"kind": "plan_review", "plan": "1. Deploy"}),
    ];
    let mut all = Vec::new();
    for kind in kinds {
        all.push(inbound.ask(&agent, kind).await);
    }
    for (_, card) in &all {
        for text in ["yes", "approve", "true", "proceed"] {
            slack.reply_in_thread(ANA, MAIN, card, text);
        }
    }
    acknowledged(&slack, 16).await;
    heard(&inbound).await;
    for (asked, _) in &all {
        let now = agent.poll(asked).await;
        assert_eq!(now["state"], "pending", "{now}");
        assert_ne!(now["approved"], true);
    }
    let notes = told(&slack, 16).await;
    assert_eq!(notes.len(), 16);
    assert!(notes[0].1.contains("Use the buttons"), "{notes:?}");
    // A notification asks nothing, and takes no answer.
    let notification = json!({"kind": "notification", "mode": null});
    let (told, ts) = inbound.ask(&agent, notification).await;
    slack.reply_in_thread(ANA, MAIN, &ts, "fine");
    acknowledged(&slack, 17).await;
    heard(&inbound).await;
    assert_eq!(texts(&agent.poll(&told).await), [""; 0]);
}

async fn an_edit_is_kept_and_changes_nothing(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({})).await;
    let ts = slack.reply_in_thread(ANA, MAIN, &card, "8080");
    let before = closed(&agent, &asked).await;
    slack.edit(MAIN, &ts, "8081 &amp; 8082");
    acknowledged(&slack, 2).await;
    heard(&inbound).await;
    assert_eq!(agent.poll(&asked).await, before);
    let store = inbound.app.state.service.store();
    let events = store
        .events_of(id_of(&asked), 0, 1_000)
        .await
        .unwrap()
        .collect();
    let last = events.last().unwrap();
    let text = "8081 & 8082".to_owned();
    assert_eq!(
        last.payload,
        Payload::Interaction(InteractionEvent::ReplyEdited { text })
    );
    assert_eq!(last.actor.name(), Some("Ana"));
    // People see it where they see everything that happened.
    let cookie = inbound.app.sign_in("Cleo", domain::Role::Viewer).await;
    let id = asked["id"].as_str().unwrap();
    let page = inbound.app.get(&format!("/interactions/{id}"));
    let page = page.header("cookie", cookie).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(
        page.contains("changed a reply afterwards in Slack"),
        "{page}"
    );
}

async fn strangers_are_told_and_nothing_else_happens(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({})).await;
    slack.join(EVE);
    let ts = slack.reply_in_thread(EVE, MAIN, &card, "80");
    slack.edit(MAIN, &ts, "81");
    acknowledged(&slack, 2).await;
    heard(&inbound).await;
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let notes = told(&slack, 1).await;
    assert_eq!((notes.len(), &*notes[0].0), (1, EVE));
    let words = &notes[0].1;
    assert!(words.contains("does not know who you are"), "{words}");
    assert!(words.contains("/slack/link/"), "{words}");
    let store = inbound.app.state.service.store();
    assert_eq!(
        store
            .events_of(id_of(&asked), 0, 1_000)
            .await
            .unwrap()
            .collect()
            .len(),
        2
    );
}

async fn a_card_may_become_known_later(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    // Slack takes the card, and nobody here hears of it.
    slack.fail("chat.postMessage", [Fault::DropReply]);
    let asked = agent.ask(json!({})).await;
    let posted = slack.wait_for_messages(MAIN, |all| all.len() == 1).await;
    let card = posted[0].ts.clone();
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    acknowledged(&slack, 1).await;
    let state = &inbound.app.state;
    let store = state.service.store();
    let known = async || store.interaction_of_card(MAIN, &card).await.unwrap();
    let due = async || {
        store
            .messages_to_hear(state.service.now(), 9)
            .await
            .unwrap()
    };
    until("it waits", async || due().await.is_empty()).await;
    assert_eq!(known().await, None);
    // It is looked for, and found.
    slack.advance(TimeDelta::seconds(7));
    inbound.app.drain().await;
    assert_eq!(known().await, Some(id_of(&asked)));
    slack.advance(TimeDelta::seconds(10));
    let answered = closed(&agent, &asked).await;
    assert_eq!(answered["answer"]["text"], "8080");
    // Where people talk about something else, it ends.
    let elsewhere = inbound.post().await;
    slack.reply_in_thread(ANA, MAIN, &elsewhere, "lunch?");
    acknowledged(&slack, 2).await;
    for pause in [2, 10, 60] {
        until("it waits", async || due().await.is_empty()).await;
        assert_eq!(inbound.waiting().await, 1, "{pause}");
        slack.advance(TimeDelta::seconds(pause));
    }
    heard(&inbound).await;
    assert_eq!(notes(&slack), []);
}

async fn a_failure_delays_and_loses_nothing(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({"timeout_seconds": null})).await;
    let faults = [
        Fault::DropReply,
        Fault::DoneThen500,
        Fault::DoneThenNonsense,
        Fault::Limited(7),
    ];
    slack.fail("users.info", faults.repeat(3));
    for text in ["8080", "and TLS"] {
        slack.reply_in_thread(ANA, MAIN, &card, text);
    }
    acknowledged(&slack, 2).await;
    until("the failures are over", async || {
        slack.advance(TimeDelta::seconds(300));
        lookups(&slack) >= 12
    })
    .await;
    until("everything is heard", async || {
        slack.advance(TimeDelta::seconds(300));
        inbound.waiting().await == 0
    })
    .await;
    let now = agent.poll(&asked).await;
    assert_eq!(now["answer"]["text"], "8080");
    assert_eq!(texts(&now), ["and TLS"]);
}

async fn what_was_kept_before_a_crash_is_heard_after_it(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({})).await;
    let token = agent.token.clone();
    // It is put off once, and the clock stands still: this server will not hear it.
    slack.fail("users.info", [Fault::DropReply]);
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    acknowledged(&slack, 1).await;
    until("the failure", async || lookups(&slack) == 1).await;
    assert_eq!(inbound.waiting().await, 1);
    inbound.app.stop().await;
    slack.advance(TimeDelta::minutes(5));
    let again = Inbound::start(&slack, Way::Http, &database).await;
    heard(&again).await;
    let now = again.app.get(&path_of(&asked)).bearer_auth(token);
    let now = json_of(now.send().await.unwrap(), StatusCode::OK).await;
    assert_eq!(now["answer"]["text"], "8080");
}

async fn two_servers_hear_a_message_once(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let first = Inbound::start(&slack, Way::Http, &database).await;
    let second = Inbound::start(&slack, Way::Http, &database).await;
    slack.join(EVE);
    let agent = first.app.agent("backend").await;
    let (asked, card) = first.ask(&agent, json!({})).await;
    slack.reply_in_thread(ANA, MAIN, &card, "8080");
    closed(&agent, &asked).await;
    let said: Vec<_> = (0..20).map(|n| format!("more {n}")).collect();
    for text in &said {
        slack.reply_in_thread(BEN, MAIN, &card, text);
    }
    slack.reply_in_thread(EVE, MAIN, &card, "me too");
    acknowledged(&slack, 22).await;
    heard(&second).await;
    let now = agent.poll(&asked).await;
    let mut found = texts(&now);
    found.sort_unstable();
    let mut expected: Vec<_> = said.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(told(&slack, 1).await.len(), 1);
}

async fn what_was_missed_while_nobody_listened_is_read_back(database: TestDatabase) {
    // The second Slack begins later: messages are named by the time, and the database keeps the names of the first.
    for (way, hours) in WAYS.into_iter().zip([0, 2]) {
        let slack = FakeSlack::start().await;
        slack.advance(TimeDelta::hours(hours));
        let inbound = Inbound::start(&slack, way, &database).await;
        let agent = inbound.app.agent(&format!("{way:?}")).await;
        let token = agent.token.clone();
        let (asked, card) = inbound.ask(&agent, json!({})).await;
        let (other, second) = inbound.ask(&agent, json!({})).await;
        let read = async |inbound: &Inbound, asked: &Value| {
            let now = inbound.app.get(&path_of(asked)).bearer_auth(&token);
            json_of(now.send().await.unwrap(), StatusCode::OK).await
        };
        acknowledged(&slack, 0).await;
        // Events that never come.
        slack.hold_next_event();
        slack.reply_in_thread(ANA, MAIN, &card, &format!("8080 {way:?}"));
        slack.hold_next_event();
        slack.reply_in_thread(BEN, MAIN, &second, &format!("8081 {way:?}"));
        slack.fail(
            "conversations.replies",
            [Fault::DropReply, Fault::DoneThen500],
        );
        let inbound = match way {
            Way::Socket => {
                slack.cut_connections();
                inbound
            }
            Way::Http => {
                inbound.app.stop().await;
                Inbound::start(&slack, way, &database).await
            }
        };
        until("both are answered", async || {
            read(&inbound, &asked).await["state"] == "resolved"
                && read(&inbound, &other).await["state"] == "resolved"
        })
        .await;
        // Then they come after all. One that met the end of a connection comes again in a minute.
        slack.let_go();
        if timeout(Duration::from_secs(5), acknowledged(&slack, 2))
            .await
            .is_err()
        {
            slack.advance(TimeDelta::seconds(60));
            acknowledged(&slack, 2).await;
        }
        heard(&inbound).await;
        for (asked, text) in [(&asked, "8080"), (&other, "8081")] {
            let now = read(&inbound, asked).await;
            assert_eq!(now["answer"]["text"], format!("{text} {way:?}"));
            assert_eq!(texts(&now), [""; 0], "{way:?}");
        }
        inbound.app.stop().await;
        database.execute("DELETE FROM slack_inbox").await.unwrap();
    }
}

async fn a_reply_after_the_deadline_is_a_follow_up(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, json!({"timeout_seconds": 60})).await;
    slack.advance(TimeDelta::seconds(61));
    slack.reply_in_thread(ANA, MAIN, &card, "too late");
    acknowledged(&slack, 1).await;
    until("it is heard", async || {
        slack.advance(TimeDelta::seconds(1));
        inbound.waiting().await == 0
    })
    .await;
    let now = agent.poll(&asked).await;
    assert_eq!(now["outcome"], "expired");
    assert_eq!(texts(&now), ["too late"]);
    assert_eq!(notes(&slack), []);
}

async fn two_who_reply_at_once_answer_one_question(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, two_questions()).await;
    slack.reply_in_thread(ANA, MAIN, &card, "80");
    slack.reply_in_thread(BEN, MAIN, &card, "81");
    acknowledged(&slack, 2).await;
    heard(&inbound).await;
    let now = agent.poll(&asked).await;
    assert_eq!(now["state"], "pending", "{now}");
    // Either may have come first.
    let first = now["progress"]["port"].as_str().unwrap();
    let (late, second) = if first == "80" {
        (BEN, "81")
    } else {
        (ANA, "80")
    };
    assert_eq!(now["progress"]["why"], Value::Null);
    let expected = [(second.to_owned(), Unseen::AskedLater)];
    assert_eq!(remarks(&inbound, &asked).await, expected);
    let notes = told(&slack, 1).await;
    assert_eq!((notes.len(), &*notes[0].0), (1, late));
    assert!(notes[0].1.contains("after you wrote it"), "{notes:?}");
    // Once they have seen it, they answer it.
    asks(&slack, &inbound, &asked, "why").await;
    slack.reply_in_thread(BEN, MAIN, &card, "because");
    let answered = closed(&agent, &asked).await;
    let expected = json!({"port": first, "why": "because"});
    assert_eq!(answered["answer"]["answers"], expected);
    // People see it where they see everything that happened.
    let cookie = inbound.app.sign_in("Cleo", domain::Role::Viewer).await;
    let id = asked["id"].as_str().unwrap();
    let page = inbound.app.get(&format!("/interactions/{id}"));
    let page = page.header("cookie", cookie).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(
        page.contains("the card did not show the question yet"),
        "{page}"
    );
}

async fn a_reply_is_as_old_as_slack_says_however_late_it_is_heard(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Http, &database).await;
    let agent = inbound.app.agent("backend").await;
    let token = agent.token.clone();
    let (asked, card) = inbound.ask(&agent, two_questions()).await;
    inbound.app.stop().await;
    // Nobody listens: one of them is heard of at once, the other long after the card has moved on.
    for (user, text) in [(ANA, "80"), (BEN, "81")] {
        slack.hold_next_event();
        slack.reply_in_thread(user, MAIN, &card, text);
    }
    slack.advance(TimeDelta::minutes(5));
    let again = Inbound::start(&slack, Way::Http, &database).await;
    asks(&slack, &again, &asked, "why").await;
    heard(&again).await;
    let remarked = [("81".to_owned(), Unseen::AskedLater)];
    assert_eq!(remarks(&again, &asked).await, remarked);
    slack.reply_in_thread(BEN, MAIN, &card, "because");
    let held = again.app.get(&path_of(&asked)).bearer_auth(token);
    let held = held.header("prefer", "wait=30").send().await.unwrap();
    let now = json_of(held, StatusCode::OK).await;
    let expected = json!({"port": "80", "why": "because"});
    assert_eq!(now["answer"]["answers"], expected);
}

async fn what_is_not_known_to_stand_on_the_card_is_answered_by_no_reply(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let (asked, card) = inbound.ask(&agent, two_questions()).await;
    slack.reply_in_thread(ANA, MAIN, &card, "80");
    asks(&slack, &inbound, &asked, "why").await;
    // As if the server had been killed between Slack's answer and the database.
    database
        .execute("DELETE FROM card_questions")
        .await
        .unwrap();
    slack.reply_in_thread(ANA, MAIN, &card, "because");
    acknowledged(&slack, 2).await;
    heard(&inbound).await;
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let expected = [("because".to_owned(), Unseen::AskedLater)];
    assert_eq!(remarks(&inbound, &asked).await, expected);
    assert_eq!(told(&slack, 1).await.len(), 1);
}

async fn a_reply_to_what_the_card_cuts_is_kept_and_no_answer(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let inbound = Inbound::start(&slack, Way::Socket, &database).await;
    let agent = inbound.app.agent("backend").await;
    let prompt = "All is well. ".repeat(700);
    let (asked, card) = inbound.ask(&agent, json!({"prompt": prompt})).await;
    slack.reply_in_thread(ANA, MAIN, &card, "yes");
    acknowledged(&slack, 1).await;
    heard(&inbound).await;
    let now = agent.poll(&asked).await;
    assert_eq!((&now["state"], texts(&now)), (&json!("pending"), vec![]));
    assert_eq!(
        remarks(&inbound, &asked).await,
        [("yes".to_owned(), Unseen::Cut)]
    );
    let notes = told(&slack, 1).await;
    assert_eq!(notes.len(), 1);
    assert!(notes[0].1.contains("Press Read all"), "{notes:?}");
}
