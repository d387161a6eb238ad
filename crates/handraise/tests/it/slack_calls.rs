//! Our client of the Web API against the fake Slack, and what it makes of everything that goes wrong.

use std::time::Duration;

use chrono::DateTime;
use secrecy::SecretString;
use serde_json::{Value, json};
use slack::{
    class::Class,
    client::{CallError, SlackClient},
    types::{Message, Metadata, Post},
    verify::{SIGNATURE, TIMESTAMP, verify},
};
use tokio::net::TcpListener;

use crate::support::{
    fake_slack::{ANA, APP_TOKEN, BOT_TOKEN, BOT_USER, FakeSlack, Fault, MAIN, SIGNING_SECRET},
    python,
    receiver::{Manner, Receiver},
};

fn client(slack: &FakeSlack) -> SlackClient {
    client_at(&slack.api_url())
}

fn client_at(url: &str) -> SlackClient {
    let token = |token: &str| Some(SecretString::from(token));
    SlackClient::new(url, token(BOT_TOKEN), token(APP_TOKEN)).unwrap()
}

fn card() -> Vec<Value> {
    vec![json!({ "type": "actions", "block_id": "b", "elements": [
        { "type": "button", "action_id": "say", "value": "1", "text": { "type": "plain_text", "text": "Answer" } },
    ] })]
}

fn modal(title: &str) -> Value {
    let title = json!({ "type": "plain_text", "text": title });
    json!({ "type": "modal", "title": title, "blocks": [{ "type": "divider" }] })
}

#[tokio::test]
async fn every_method_does_what_it_says() {
    let slack = FakeSlack::start().await;
    let client = client(&slack);
    let me = client.auth_test().await.unwrap();
    assert_eq!(
        (&*me.user_id, me.bot_id.as_deref()),
        (BOT_USER, Some("B0BOT"))
    );
    assert!(me.scopes.iter().any(|scope| scope == "chat:write"));

    let metadata = Metadata {
        event_type: "handraise_delivery".to_owned(),
        event_payload: json!({ "idempotency_key": "k1" }),
    };
    let blocks = card();
    let mut post = Post::to(MAIN, "Which port?", &blocks);
    post.metadata = Some(&metadata);
    let posted = client.post_message(&post).await.unwrap();
    let mut reply = Post::to(MAIN, "more", &[]);
    reply.thread_ts = Some(&posted.ts);
    client.post_message(&reply).await.unwrap();
    slack.reply_in_thread(ANA, MAIN, &posted.ts, "8080");
    let thread = client.replies(MAIN, &posted.ts, None, None).await.unwrap();
    assert_eq!(thread.messages.len(), 3);
    assert_eq!(thread.messages[0].metadata, Some(metadata));
    assert_eq!(thread.messages[1].bot_id.as_deref(), Some("B0BOT"));
    assert_eq!(thread.messages[2].user.as_deref(), Some(ANA));
    assert!(thread.messages[2].client_msg_id.is_some());
    let after = Some(&*thread.messages[1].ts);
    let later = client.replies(MAIN, &posted.ts, after, None).await.unwrap();
    assert_eq!(later.messages.last().unwrap().text, "8080");
    assert_eq!(later.messages.len(), 2);
    let top = client.history(MAIN, None, None).await.unwrap();
    assert_eq!((top.messages.len(), top.next), (1, None));

    let closed = [json!({ "type": "divider" })];
    client
        .update_message(&posted, "closed", &closed)
        .await
        .unwrap();
    let shown = slack.messages(MAIN)[0].clone();
    assert_eq!((&*shown.text, shown.controls().count()), ("closed", 0));
    assert!(shown.metadata.is_some());
    let link = client.get_permalink(&posted).await.unwrap();
    assert!(link.starts_with("https://"), "{link}");
    client
        .post_ephemeral(ANA, &Post::to(MAIN, "only you", &[]))
        .await
        .unwrap();
    assert_eq!(slack.notes(ANA)[0].text, "only you");
    assert!(client.conversation_info(MAIN).await.unwrap().is_member);
    let ana = client.user_info(ANA).await.unwrap();
    assert_eq!((&*ana.real_name, ana.is_bot || ana.deleted), ("Ana", false));
    let hook = slack.webhook_url(MAIN);
    client
        .post_webhook(&hook, &Post::to_webhook("from a hook", &[]))
        .await
        .unwrap();
    assert_eq!(slack.messages(MAIN).last().unwrap().text, "from a hook");
    let url = client.open_connection().await.unwrap();
    assert!(url.reveal().starts_with("ws://"));
    assert!(!format!("{url:?} {client:?}").contains("ticket"));
}

/// Posts a card and a reply, finds both again by their key, closes the card. Whatever the fake takes here Slack
/// must take as well.
async fn goes_there_and_back(client: &SlackClient, channel: &str) {
    let me = client.auth_test().await.unwrap();
    assert!(client.conversation_info(channel).await.unwrap().is_member);
    let metadata = Metadata {
        event_type: "handraise_delivery".to_owned(),
        event_payload: json!({ "idempotency_key": uuid::Uuid::from_u128(rand::random()).to_string() }),
    };
    let blocks = card();
    let mut post = Post::to(channel, "A test of Handraise", &blocks);
    post.metadata = Some(&metadata);
    let posted = client.post_message(&post).await.unwrap();
    let mut reply = Post::to(channel, "&lt;!channel&gt; &amp; more", &[]);
    reply.thread_ts = Some(&posted.ts);
    reply.metadata = Some(&metadata);
    client.post_message(&reply).await.unwrap();
    let thread = client
        .replies(channel, &posted.ts, None, None)
        .await
        .unwrap();
    let keyed = |message: &&Message| message.metadata.as_ref() == Some(&metadata);
    assert_eq!(thread.messages.iter().filter(keyed).count(), 2);
    assert!(
        thread
            .messages
            .iter()
            .all(|message| message.bot_id == me.bot_id)
    );
    let top = client.history(channel, None, None).await.unwrap();
    assert_eq!(top.messages.iter().filter(keyed).count(), 1);
    let closed = [json!({ "type": "divider" })];
    client
        .update_message(&posted, "A test of Handraise, over", &closed)
        .await
        .unwrap();
    client.get_permalink(&posted).await.unwrap();
    client.open_connection().await.unwrap();
}

#[tokio::test]
async fn the_fake_takes_what_slack_takes() {
    let slack = FakeSlack::start().await;
    goes_there_and_back(&client(&slack), MAIN).await;
}

/// The only test that leaves this machine. Its app is made from `handraise slack manifest`.
#[tokio::test]
async fn slack_itself_takes_it_where_there_are_tokens() {
    let variable = |name: &str| std::env::var(format!("TEST_SLACK_{name}")).ok();
    let (Some(bot), Some(app), Some(channel)) = (
        variable("BOT_TOKEN"),
        variable("APP_TOKEN"),
        variable("CHANNEL"),
    ) else {
        eprintln!(
            "skipped: TEST_SLACK_BOT_TOKEN, TEST_SLACK_APP_TOKEN and TEST_SLACK_CHANNEL are not set"
        );
        return;
    };
    let client = SlackClient::new("https://slack.com/api/", Some(bot.into()), Some(app.into()));
    goes_there_and_back(&client.unwrap(), &channel).await;
}

#[tokio::test]
async fn a_thread_of_many_pages_is_read_page_by_page() {
    let slack = FakeSlack::start().await;
    let client = client(&slack);
    let posted = client
        .post_message(&Post::to(MAIN, "?", &[]))
        .await
        .unwrap();
    for n in 0..450 {
        slack.reply_in_thread(ANA, MAIN, &posted.ts, &n.to_string());
    }
    let mut found = Vec::new();
    let mut next = None;
    loop {
        let page = client
            .replies(MAIN, &posted.ts, None, next.as_deref())
            .await
            .unwrap();
        found.extend(page.messages);
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    assert_eq!(found.len(), 451);
    assert_eq!(found[450].text, "449");
}

#[tokio::test]
async fn a_view_is_opened_and_changed_for_whoever_clicked() {
    let slack = FakeSlack::start().await;
    let client = client(&slack);
    let blocks = card();
    let posted = client
        .post_message(&Post::to(MAIN, "?", &blocks))
        .await
        .unwrap();
    let receiver = Receiver::start([]).await;
    slack.deliver_to(&receiver.url(), &receiver.url());
    slack.click(MAIN, &posted.ts, "say");
    let clicked = payload(&receiver.wait().await.body);
    let trigger = clicked["trigger_id"].as_str().unwrap();
    let opened = client.open_view(trigger, &modal("First")).await.unwrap();
    let again = client
        .open_view(trigger, &modal("First"))
        .await
        .unwrap_err();
    assert_eq!(
        (again.class, &*again.code),
        (Class::TriggerBound, "exchanged_trigger_id")
    );
    client.update_view(&opened, &modal("Second")).await.unwrap();
    let stale = client
        .update_view(&opened, &modal("Third"))
        .await
        .unwrap_err();
    assert_eq!(stale.class, Class::TriggerBound);
    assert_eq!(slack.open_view(ANA).await.1["title"]["text"], "Second");

    let url = SecretString::from(clicked["response_url"].as_str().unwrap());
    let note = json!({ "text": "noted" });
    for _ in 0..5 {
        client.respond(&url, &note).await.unwrap();
    }
    let used = client.respond(&url, &note).await.unwrap_err();
    assert_eq!((used.class, &*used.code), (Class::TriggerBound, "used_url"));
}

fn payload(form: &str) -> Value {
    let (_, payload) = url::form_urlencoded::parse(form.as_bytes()).next().unwrap();
    serde_json::from_str(&payload).unwrap()
}

async fn fails(slack: &FakeSlack, fault: Fault) -> CallError {
    slack.fail("chat.postMessage", [fault]);
    let sent = client(slack).post_message(&Post::to(MAIN, "?", &[])).await;
    sent.unwrap_err()
}

#[tokio::test]
async fn what_may_have_been_posted_is_told_from_what_was_not() {
    let slack = FakeSlack::start().await;
    let wait = |seconds| Class::NotDone {
        retry_after: Some(Duration::from_secs(seconds)),
    };
    for (fault, class, done) in [
        (Fault::DropReply, Class::Ambiguous, true),
        (Fault::DoneThen500, Class::Ambiguous, true),
        (Fault::DoneThenInternalError, Class::Ambiguous, true),
        (Fault::DoneThenNonsense, Class::Ambiguous, true),
        (Fault::Limited(7), wait(7), false),
        (Fault::Refused("not_in_channel"), Class::Config, false),
        (
            Fault::Refused("restricted_action_read_only_channel"),
            Class::Config,
            false,
        ),
        (Fault::Refused("something_new"), Class::Ambiguous, false),
    ] {
        let before = slack.messages(MAIN).len();
        let error = fails(&slack, fault).await;
        assert_eq!(error.class, class, "{fault:?}");
        assert_eq!(slack.messages(MAIN).len() > before, done, "{fault:?}");
        let said = format!("{error} {error:?}");
        assert!(
            said.starts_with("chat.postMessage: ") && !said.contains("xoxb"),
            "{said}"
        );
    }
    // One request each: nothing is tried again behind anybody's back.
    assert_eq!(slack.look(|world| world.calls.len()), 8);

    // Nobody listens there.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nowhere = format!("http://{}/api", listener.local_addr().unwrap());
    drop(listener);
    let error = client_at(&nowhere).auth_test().await.unwrap_err();
    assert_eq!(error.class, Class::NotDone { retry_after: None });
    // Somebody else does.
    let page = || Manner::Answers(404, "", "<html>not here</html>");
    let other = Receiver::start([page(), Manner::BreaksOff]).await;
    let elsewhere = client_at(&format!("http://{}/api", other.addr));
    for class in [Class::Config, Class::Ambiguous] {
        assert_eq!(elsewhere.auth_test().await.unwrap_err().class, class);
    }
}

#[tokio::test]
async fn a_fault_keeps_what_slack_says_of_it() {
    let slack = FakeSlack::start().await;
    let client = client(&slack);
    let error = client
        .post_message(&Post::to(MAIN, "?", &[json!({ "type": "confetti" })]))
        .await;
    let error = error.unwrap_err();
    assert_eq!(
        (error.class, &*error.code),
        (Class::Content, "invalid_blocks")
    );
    assert_eq!(
        error.messages[0],
        "unsupported type: confetti [json-pointer:/blocks/0/type]"
    );
    assert_eq!(slack.take_violations().len(), 1);
    slack.set(|world| world.scopes.clear());
    let error = client.user_info(ANA).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "users.info: missing_scope (needed: users:read)"
    );
    let mirror = SlackClient::new(&slack.api_url(), None, None).unwrap();
    assert_eq!(mirror.auth_test().await.unwrap_err().class, Class::Config);
}

#[tokio::test]
async fn the_address_of_a_webhook_is_in_no_error() {
    let slack = FakeSlack::start().await;
    let client = client(&slack);
    let post = async |url: String| {
        let hook = url;
        client
            .post_webhook(&hook, &Post::to_webhook("?", &[]))
            .await
            .unwrap_err()
    };
    slack.fail(
        "services",
        [
            Fault::Limited(4),
            Fault::DoneThen500,
            Fault::Refused("action_prohibited"),
            Fault::DropReply,
        ],
    );
    let limited = Class::NotDone {
        retry_after: Some(Duration::from_secs(4)),
    };
    for class in [limited, Class::Ambiguous, Class::Config, Class::Ambiguous] {
        assert_eq!(post(slack.webhook_url(MAIN)).await.class, class);
    }
    for (url, class) in [
        (slack.webhook_url("C0SECRET"), Class::Config),
        (
            "http://127.0.0.1:1/C0SECRET".to_owned(),
            Class::NotDone { retry_after: None },
        ),
        ("C0SECRET".to_owned(), Class::Config),
    ] {
        let error = post(url).await;
        assert_eq!(error.class, class);
        assert!(
            !format!("{error} {error:?}").contains("C0SECRET"),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn what_the_fake_and_slack_sdk_sign_is_verified() {
    let slack = FakeSlack::start().await;
    let receiver = Receiver::start([]).await;
    slack.deliver_to(&receiver.url(), &receiver.url());
    slack.say(ANA, MAIN, None, "é\n<&>");
    let got = receiver.wait().await;
    let secret = SecretString::from(SIGNING_SECRET);
    let header = |name: &str| got.headers.get(name).map(String::as_str);
    let now = machine::clock::Clock::now(&**slack.clock());
    let check = |body: &[u8]| verify(&secret, header(TIMESTAMP), header(SIGNATURE), body, now);
    assert_eq!(check(got.body.as_bytes()), Ok(()));
    assert!(check(&got.body.as_bytes()[1..]).is_err());

    let script = r#"
import json, sys
from slack_sdk.signature import SignatureVerifier
given = json.load(sys.stdin)
print(SignatureVerifier(given["secret"]).generate_signature(timestamp=given["at"], body=given["body"]))
"#;
    let body = "payload=%7B%22a%22%3A%22%C3%A9%22%7D";
    let given = json!({ "secret": SIGNING_SECRET, "at": "1531420618", "body": body });
    let signature = python::run_script(script, &given);
    let at = DateTime::from_timestamp(1_531_420_618, 0).unwrap();
    let found = verify(
        &secret,
        Some("1531420618"),
        Some(signature.trim()),
        body.as_bytes(),
        at,
    );
    assert_eq!(found, Ok(()));
}
