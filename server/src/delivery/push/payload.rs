//! What a browser is told: a declarative notification, which Safari shows by itself, and beside it what our own service
//! worker (`public/sw.js`) needs in order to do more.

use chrono::{DateTime, Utc};
use domain::DeliveryId;
use serde_json::{Value, json};
use service::{About, Message};

use super::super::person::words::{Words, cut};

/// The longest text of a notification, in characters: with its marks and its JSON it stays far below what a push service
/// takes.
const BODY: usize = 600;

/// The payload.
pub(super) fn of(
    message: &Message,
    endpoint: &str,
    public_url: &str,
    id: DeliveryId,
    now: DateTime<Utc>,
) -> serde_json::Result<Vec<u8>> {
    let json = match &message.about {
        Some(About::Waits(interaction)) => {
            let words = Words::of(interaction, now).summing_up(message.cause);
            let place = format!("/q/{}", interaction.id);
            let mut json = shown(
                &words.title,
                &words.body,
                &message.subject().to_string(),
                public_url,
                &place,
            );
            json["handraise"] = json!({
                "is": "question",
                "message": id,
                "interaction": interaction.id,
                "person": message.person.id,
                "place": place,
                "presses": super::words::presses(interaction),
                "buttons": words.buttons,
            });
            json
        }
        Some(About::Closed(interaction)) => {
            let place = format!("/q/{interaction}");
            let (title, body) = (
                "No longer needed",
                "It does not wait for an answer any more.",
            );
            let mut json = match must_be_seen(endpoint) {
                true => shown(title, body, &interaction.to_string(), public_url, &place),
                false => json!({}),
            };
            json["handraise"] = json!({"is": "closed", "message": id, "interaction": interaction});
            json
        }
        None => {
            let (title, body) = ("It works", "Questions that wait for you show up like this.");
            let mut json = shown(title, body, "test", public_url, "/settings/reach");
            json["handraise"] = json!({"is": "test", "message": id, "place": "/settings/reach"});
            json
        }
    };
    serde_json::to_vec(&json)
}

fn shown(title: &str, body: &str, tag: &str, public_url: &str, place: &str) -> Value {
    json!({
        "web_push": 8030,
        "notification": {
            "title": title,
            "body": cut(body, BODY),
            "tag": tag,
            "dir": "auto",
            "navigate": format!("{}{place}", public_url.trim_end_matches('/')),
        },
    })
}

/// Apple's push service takes a subscription away that shows nothing: what would take a notification away replaces it.
fn must_be_seen(endpoint: &str) -> bool {
    let host = url::Url::parse(endpoint).ok();
    let host = host.as_ref().and_then(url::Url::host_str);
    host.is_some_and(|host| host == "push.apple.com" || host.ends_with(".push.apple.com"))
}

#[cfg(test)]
mod tests {
    use super::must_be_seen;

    #[test]
    fn only_apples_own_push_service_is_taken_for_it() {
        assert!(must_be_seen("https://web.push.apple.com/QGu"));
        for other in [
            "https://fcm.googleapis.com/fcm/send/x",
            "https://push.apple.com.example/x",
            "https://notpush.apple.com.example",
        ] {
            assert!(!must_be_seen(other), "{other}");
        }
    }
}
