//! A payload of Slack's Events API.

use domain::slack::time_of;
use serde_json::Value;
use slack::{
    blocks::decode_message_text,
    events::{Incoming, read},
};

/// Whatever is heard was written by a person in a thread, under names that a database takes, and is kept byte for byte.
pub fn slack_event(bytes: &[u8]) {
    let Ok(payload) = serde_json::from_slice::<Value>(bytes) else {
        if let Ok(text) = str::from_utf8(bytes) {
            reads_as_typed(text);
        }
        return;
    };
    let Incoming::Message { event_id, message } = read(&payload) else {
        return;
    };
    let event = &payload["event"];
    let source = match message.is_edit() {
        true => &event["message"],
        false => event,
    };
    let is_id = |text: &str| {
        (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
    };
    let ids = [
        &message.channel,
        &message.ts,
        &message.thread_ts,
        &message.user,
    ];
    assert!(ids.into_iter().all(|id| is_id(id)), "{message:?}");
    assert_ne!(message.thread_ts, message.ts);
    assert!(message.team.as_deref().is_none_or(is_id));
    let names = [&event_id, &message.client_msg_id];
    let graphic = |name: &str| name.len() <= 255 && name.bytes().all(|b| b.is_ascii_graphic());
    assert!(
        names
            .into_iter()
            .flatten()
            .all(|name| graphic(name) && !name.is_empty())
    );
    assert!(source["bot_id"].is_null(), "a bot answers: {source}");
    assert_eq!(source["user"].as_str(), Some(&*message.user));
    assert_eq!(source["text"].as_str().unwrap_or_default(), message.text);
    if let Some(at) = message.written_at() {
        assert_eq!(time_of(&message.ts), Some(at));
    }
    let again: domain::slack::Message =
        serde_json::from_str(&serde_json::to_string(&message).unwrap()).unwrap();
    assert_eq!(again, *message);
    reads_as_typed(&message.text);
}

/// A text that is escaped comes back, and none grows.
fn reads_as_typed(text: &str) {
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    assert_eq!(decode_message_text(&escaped), text);
    assert!(decode_message_text(text).len() <= 2 * text.len() + 16);
}
