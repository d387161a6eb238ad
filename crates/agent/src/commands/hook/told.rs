//! Notification and Stop: people are told, and nothing waits. Told once in a while only, and not of what they are asked
//! already.

use anyhow::Context;
use chrono::{DateTime, Utc};
use domain::{digest, limits};
use machine::clock::{Clock, SystemClock};
use serde::Deserialize;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::client::{Client, Interaction};

/// The same is told once within it.
const ONCE_IN: i64 = 10 * 60;
/// How much of the last message people are shown.
const SHOWN: usize = 2_000;

/// Claude Code's message of something that nobody decides about.
#[derive(Debug, Deserialize)]
#[serde(tag = "hook_event_name")]
pub(super) enum Told {
    /// It wants a person to look.
    Notification {
        session_id: String,
        message: String,
        notification_type: Option<String>,
    },
    /// It has finished.
    Stop {
        session_id: String,
        last_assistant_message: Option<String>,
        #[serde(default)]
        stop_hook_active: bool,
    },
}

/// Tells people, unless they know.
///
/// # Errors
/// When the server refuses it.
pub(super) async fn tell(told: &Told, client: &Client) -> anyhow::Result<()> {
    let Some(body) = told.body() else {
        return Ok(());
    };
    if told.waits() && is_asked(told.session(), client).await? {
        return Ok(());
    }
    let key = key(&body, SystemClock.now());
    client.ask(&body, &key).await.map(drop)
}

/// Whether a person is asked something of this session now.
async fn is_asked(session: &str, client: &Client) -> anyhow::Result<bool> {
    #[derive(Deserialize)]
    struct Page {
        items: Vec<Interaction>,
    }
    let session: String = byte_serialize(session.as_bytes()).collect();
    let path = format!("interactions?state=pending&limit=1&session_id={session}");
    let page: Page = client
        .get(&path)
        .await
        .context("cannot see what is asked")?;
    Ok(!page.items.is_empty())
}

/// The same for the same words within a while, so that the server takes it for one.
fn key(body: &Value, now: DateTime<Utc>) -> String {
    let written = format!("{} {body}", now.timestamp().div_euclid(ONCE_IN));
    format!("claude-code {}", digest::sha256(written.as_bytes()))
}

impl Told {
    fn session(&self) -> &str {
        match self {
            Self::Notification { session_id, .. } | Self::Stop { session_id, .. } => session_id,
        }
    }

    /// Whether it says that it waits for a person.
    fn waits(&self) -> bool {
        matches!(self, Self::Notification { .. })
    }

    /// `None` where there is nothing to tell: a prompt for a permission is asked by another hook.
    fn body(&self) -> Option<Value> {
        let (title, text, level) = match self {
            Self::Notification {
                notification_type, ..
            } if notification_type.as_deref() == Some("permission_prompt") => return None,
            Self::Notification { message, .. } => ("Claude Code waits", message.as_str(), "info"),
            Self::Stop {
                stop_hook_active: true,
                ..
            } => return None,
            Self::Stop {
                last_assistant_message,
                ..
            } => {
                let text = last_assistant_message.as_deref().unwrap_or_default();
                ("Claude Code has finished", text, "success")
            }
        };
        let text = text.trim();
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        let shown = match shown.is_empty() {
            true => title.to_owned(),
            false => shown,
        };
        let session = self.session();
        let fits = session.chars().count() <= limits::SESSION_ID_CHARS;
        Some(json!({
            "kind": "notification", "level": level, "title": title, "prompt": shown,
            "session_id": fits.then_some(session),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: Value) -> Told {
        serde_json::from_value(message).unwrap()
    }

    #[test]
    fn a_message_is_bounded_and_what_is_asked_elsewhere_is_not_told() {
        let stop = read(
            json!({"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": false,
            "last_assistant_message": "ä".repeat(3_000)}),
        );
        let prompt = stop.body().unwrap()["prompt"].as_str().unwrap().to_owned();
        assert_eq!(prompt.chars().count(), SHOWN + 1);
        let asked = json!({"hook_event_name": "Notification", "session_id": "s", "message": "May I?",
            "notification_type": "permission_prompt"});
        assert!(read(asked).body().is_none());
        let again = json!({"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": true});
        assert!(read(again).body().is_none());
        let empty = json!({"hook_event_name": "Stop", "session_id": "s"});
        assert_eq!(
            read(empty).body().unwrap()["prompt"],
            "Claude Code has finished"
        );
    }

    #[test]
    fn the_same_words_have_one_key_within_a_while() {
        let (body, other) = (json!({"prompt": "a"}), json!({"prompt": "b"}));
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        assert_eq!(key(&body, at(600)), key(&body, at(1_199)));
        assert_ne!(key(&body, at(600)), key(&body, at(1_200)));
        assert_ne!(key(&body, at(600)), key(&other, at(600)));
        assert!(key(&body, at(0)).len() <= limits::KEY_CHARS);
    }
}
