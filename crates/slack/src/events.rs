//! The events of the Events API that this program needs: replies of people in threads, their edits, the opening of
//! the app's home, and the end of our rights.

use domain::slack::Message;
use serde_json::Value;

use super::types;

/// Longest id of a channel, a user, a workspace or a message.
const ID_CHARS: usize = 64;
/// Longest name that Slack gives an event, or a client its message.
const NAME_CHARS: usize = 255;
/// The subtypes of people's replies besides plain messages.
const SUBTYPES: [&str; 3] = ["file_share", "thread_broadcast", "me_message"];

/// The meaning of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A user wrote in a thread, or changed an earlier message there.
    Message {
        /// Slack's id of the event.
        event_id: Option<String>,
        /// The message they wrote.
        message: Box<Message>,
    },
    /// Somebody looks at the app's home.
    HomeOpened {
        /// Their id.
        user: String,
    },
    /// The app was taken out of the workspace.
    Uninstalled,
    /// The bot's token is good no longer.
    TokensRevoked,
    /// Events were left out: there were too many.
    RateLimited,
    /// Of no use here.
    Nothing,
}

/// Reads a payload of the Events API.
pub fn read(payload: &Value) -> Incoming {
    match payload["type"].as_str() {
        Some("event_callback") => {}
        Some("app_rate_limited") => return Incoming::RateLimited,
        _ => return Incoming::Nothing,
    }
    let event = &payload["event"];
    match event["type"].as_str() {
        Some("message") => {}
        Some("app_home_opened") => return home_opened(event),
        Some("app_uninstalled") => return Incoming::Uninstalled,
        Some("tokens_revoked") => {
            let bots = event["tokens"]["bot"].as_array();
            return match bots.is_some_and(|bots| !bots.is_empty()) {
                true => Incoming::TokensRevoked,
                false => Incoming::Nothing,
            };
        }
        _ => return Incoming::Nothing,
    }
    match message(payload, event) {
        Some(message) => Incoming::Message {
            event_id: text(&payload["event_id"])
                .filter(|id| is_name(id))
                .map(str::to_owned),
            message: Box::new(message),
        },
        None => Incoming::Nothing,
    }
}

/// The event tells of the app's other tabs, too.
fn home_opened(event: &Value) -> Incoming {
    match text(&event["user"]).filter(|user| is_id(user)) {
        Some(user) if matches!(text(&event["tab"]), None | Some("home")) => Incoming::HomeOpened {
            user: user.to_owned(),
        },
        _ => Incoming::Nothing,
    }
}

fn message(payload: &Value, event: &Value) -> Option<Message> {
    let channel = text(&event["channel"])?;
    let is_change = event["subtype"] == "message_changed";
    let written = if is_change { &event["message"] } else { event };
    // A server that took our or our bot's messages for answers would answer itself.
    let ours = |own: &Value, by: &Value| own.is_string() && own == by;
    let authorizations = payload["authorizations"].as_array();
    let mut authorizations = authorizations.into_iter().flatten();
    if ours(&payload["api_app_id"], &written["app_id"])
        || authorizations.any(|own| ours(&own["user_id"], &written["user"]))
    {
        return None;
    }
    let read: types::Message = serde_json::from_value(written.clone()).ok()?;
    let mut message = reply(channel, read)?;
    if is_change {
        // A preview of a link is a change, too.
        if event["previous_message"]["text"] == written["text"] {
            return None;
        }
        let at = text(&event["event_ts"]).or(text(&event["ts"]))?;
        message.edited = Some(at.to_owned()).filter(|at| is_id(at));
        message.edited.as_ref()?;
    }
    Some(message)
}

/// A message of a channel as a user's reply in a thread, if it is one.
pub fn reply(channel: &str, message: types::Message) -> Option<Message> {
    let thread_ts = message.thread_ts.filter(|thread| *thread != message.ts)?;
    let user = message.user.filter(|_| message.bot_id.is_none())?;
    let is_plain = match message.subtype.as_deref() {
        None => true,
        Some(subtype) => SUBTYPES.contains(&subtype),
    };
    let ids = [channel, &message.ts, &thread_ts, &user];
    if !is_plain || !ids.into_iter().all(is_id) {
        return None;
    }
    let team = message.user_team.or(message.source_team).or(message.team);
    Some(Message {
        channel: channel.to_owned(),
        ts: message.ts,
        thread_ts,
        user,
        team: team.filter(|team| is_id(team)),
        client_msg_id: message.client_msg_id.filter(|id| is_name(id)),
        text: message.text,
        edited: None,
    })
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

/// Whether it looks like an id of Slack's. It becomes a key in the database, which takes not everything.
fn is_id(text: &str) -> bool {
    (1..=ID_CHARS).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

fn is_name(text: &str) -> bool {
    (1..=NAME_CHARS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply_event(over: Value) -> Value {
        let mut event = json!({
            "type": "message", "channel": "C0MAIN", "channel_type": "channel", "user": "U0ANA",
            "text": "use &lt;8080&gt;", "ts": "1700000001.000200", "thread_ts": "1700000000.000100",
            "parent_user_id": "U0BOT", "client_msg_id": "9f5b-1", "team": "T0", "event_ts": "1700000001.000200",
        });
        for (key, value) in over.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    fn envelope(event: &Value) -> Value {
        json!({
            "type": "event_callback", "team_id": "T0", "api_app_id": "A0", "event": event,
            "event_id": "Ev1", "event_time": 1_700_000_001, "is_ext_shared_channel": false,
            "authorizations": [{ "team_id": "T0", "user_id": "U0BOT", "is_bot": true }],
        })
    }

    fn heard(over: Value) -> Option<Message> {
        match read(&envelope(&reply_event(over))) {
            Incoming::Message { event_id, message } => {
                assert_eq!(event_id.as_deref(), Some("Ev1"));
                Some(*message)
            }
            Incoming::Nothing => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_reply_is_taken_as_slack_sends_it() {
        let expected = Message {
            channel: "C0MAIN".into(),
            ts: "1700000001.000200".into(),
            thread_ts: "1700000000.000100".into(),
            user: "U0ANA".into(),
            team: Some("T0".into()),
            client_msg_id: Some("9f5b-1".into()),
            text: "use &lt;8080&gt;".into(),
            edited: None,
        };
        assert_eq!(heard(json!({})), Some(expected.clone()));
        for subtype in ["file_share", "thread_broadcast", "me_message"] {
            let same = heard(json!({ "subtype": subtype }));
            assert_eq!(same, Some(expected.clone()), "{subtype}");
        }
        // Of a channel that is shared: whose people they are.
        let foreign = heard(json!({ "user_team": "T0OTHER", "source_team": "T0OTHER" }));
        assert_eq!(foreign.unwrap().team.as_deref(), Some("T0OTHER"));
        let odd = heard(json!({ "client_msg_id": "a b", "team": "T\u{0}" })).unwrap();
        assert_eq!((odd.client_msg_id, odd.team), (None, None));
        // Another maker's app, with a person's own rights.
        assert!(heard(json!({ "app_id": "A0OTHER" })).is_some());
        assert!(heard(json!({ "text": "" })).is_some());
    }

    #[test]
    fn what_no_person_wrote_in_a_thread_is_nothing() {
        for over in [
            json!({ "thread_ts": null }),
            json!({ "thread_ts": "1700000001.000200" }),
            json!({ "bot_id": "B0" }),
            json!({ "bot_id": "B0OTHER", "user": "U0OTHERBOT" }),
            json!({ "user": "U0BOT" }),
            json!({ "app_id": "A0" }),
            json!({ "user": null }),
            json!({ "user": "" }),
            json!({ "user": "U0\u{0}" }),
            json!({ "channel": null }),
            json!({ "channel": "C0 MAIN" }),
            json!({ "ts": "1'" }),
            json!({ "text": 7 }),
            json!({ "subtype": "bot_message" }),
            json!({ "subtype": "channel_join" }),
            json!({ "subtype": "message_deleted", "deleted_ts": "1.1" }),
            json!({ "subtype": "tombstone" }),
            json!({ "type": "reaction_added" }),
        ] {
            assert_eq!(heard(over.clone()), None, "{over}");
        }
        for payload in [
            json!({}),
            json!([]),
            json!(null),
            json!({ "type": "event_callback" }),
            json!({ "type": "event_callback", "event": [] }),
            json!({ "type": "url_verification", "challenge": "x" }),
        ] {
            assert_eq!(read(&payload), Incoming::Nothing, "{payload}");
        }
    }

    fn changed(before: &str, over: Value) -> Value {
        let mut message = reply_event(over);
        message["edited"] = json!({ "user": "U0ANA", "ts": "1700000002.000000" });
        envelope(&json!({
            "type": "message", "subtype": "message_changed", "hidden": true, "channel": "C0MAIN",
            "ts": "1700000002.000300", "event_ts": "1700000002.000300", "message": message,
            "previous_message": reply_event(json!({ "text": before })),
        }))
    }

    #[test]
    fn a_change_of_the_words_is_an_edit_of_the_same_message() {
        let Incoming::Message { message, .. } = read(&changed("use 80", json!({}))) else {
            panic!("no edit");
        };
        assert!(message.is_edit());
        assert_eq!(message.edited.as_deref(), Some("1700000002.000300"));
        assert_eq!(message.ts, "1700000001.000200");
        assert_eq!(message.text, "use &lt;8080&gt;");
        for nothing in [
            changed("use &lt;8080&gt;", json!({})),
            changed("use 80", json!({ "bot_id": "B0" })),
            changed("use 80", json!({ "user": "U0BOT" })),
            changed("use 80", json!({ "thread_ts": null })),
            changed("use 80", json!({ "thread_ts": "1700000001.000200" })),
        ] {
            assert_eq!(read(&nothing), Incoming::Nothing, "{nothing}");
        }
    }

    #[test]
    fn only_the_home_that_is_opened_is_of_use() {
        let opened = |user: Value, tab: Value| {
            let event =
                json!({ "type": "app_home_opened", "user": user, "channel": "D0", "tab": tab });
            read(&envelope(&event))
        };
        let home = Incoming::HomeOpened {
            user: "U0ANA".into(),
        };
        assert_eq!(opened(json!("U0ANA"), json!("home")), home);
        assert_eq!(opened(json!("U0ANA"), json!(null)), home);
        for (user, tab) in [
            (json!("U0ANA"), json!("messages")),
            (json!("U0 ANA"), json!("home")),
            (json!(null), json!("home")),
            (json!(7), json!("home")),
        ] {
            assert_eq!(opened(user, tab), Incoming::Nothing);
        }
    }

    #[test]
    fn the_end_of_our_rights_is_told() {
        let event = |event| read(&envelope(&event));
        assert_eq!(
            event(json!({ "type": "app_uninstalled" })),
            Incoming::Uninstalled
        );
        for (tokens, expected) in [
            (json!({ "bot": ["U0BOT"] }), Incoming::TokensRevoked),
            (json!({ "oauth": ["U0ANA"], "bot": [] }), Incoming::Nothing),
            (json!(null), Incoming::Nothing),
        ] {
            let revoked = json!({ "type": "tokens_revoked", "tokens": tokens });
            assert_eq!(event(revoked), expected);
        }
        let limited = json!({ "type": "app_rate_limited", "minute_rate_limited": 1_700_000_000 });
        assert_eq!(read(&limited), Incoming::RateLimited);
    }
}
