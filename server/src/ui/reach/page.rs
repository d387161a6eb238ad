//! How these pages look: as those of second factors.

use std::fmt::Display;

use axum::{http::HeaderMap, response::Response};
use serde::Deserialize;

use crate::{
    plain_page::{self, Script},
    state::AppState,
};

/// What a form that was sent says of itself in the address.
#[derive(Default, Deserialize)]
pub(super) struct Said {
    /// Why nothing happened.
    refused: Option<String>,
    /// What happened.
    done: Option<String>,
}

impl Said {
    /// The same as HTML; nothing when there is nothing, or somebody else wrote it.
    pub(super) fn html(&self) -> String {
        let refused = self.refused.as_deref().and_then(why);
        let done = self.done.as_deref().and_then(what);
        plain_page::said(
            refused.as_ref().map(|words| words as &dyn Display),
            done.as_ref().map(|words| words as &dyn Display),
        )
    }
}

fn why(code: &str) -> Option<&'static str> {
    Some(match code {
        "address" => "This is not a mail address such as ana@example.com.",
        "topic" => "A topic has at most 64 letters, digits, - and _.",
        "endpoint" | "p256dh" | "auth" => {
            "The browser named a push service that this server may not reach. An admin can allow it (outbound_allow)."
        }
        "label" => "The name must be one line of at most 100 characters.",
        "kind" => "You have as many ways to be reached as one may have. Remove one first.",
        "proofs" => {
            "Five messages were sent to addresses that you named in the last hour. Try again later."
        }
        "code" => "This is not the code of the last message to this address.",
        "no-mail" => "This server sends no mail. An admin can set mail.url.",
        "no-ntfy" => "This server knows no ntfy server. An admin can set ntfy.url.",
        "unproven" => {
            "Confirm the address first: open the link in the message that was sent there."
        }
        "slack" => {
            "Your user in Slack is not known here yet. Press a button there, and open the link that you are shown."
        }
        "gone" => "This way to reach you is not there any more.",
        "disabled" => "You may not come in any more.",
        _ => return None,
    })
}

fn what(code: &str) -> Option<&'static str> {
    Some(match code {
        "added" => "Added. Send a test to see that it arrives.",
        "sent" => {
            "A message was sent there. Open its link, or type its code below; nothing else is sent before."
        }
        "known" => "This address is confirmed already.",
        "proven" => "Confirmed. You are reached there from now on.",
        "tested" => "A test is on its way. Below you see when it has arrived.",
        "gathered" => "What can wait comes once an hour, as one message.",
        "single" => "Each question is a message from now on.",
        "removed" => "Removed.",
        _ => return None,
    })
}

/// The page for the person who looks. `body` is HTML.
pub(super) fn lone(state: &AppState, headers: &HeaderMap, title: &str, body: &str) -> Response {
    plain_page::lone(state, headers, title, &body, Script::Reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sent_is_not_repeated() {
        for code in ["", "<script>", "Added", "http://example.com"] {
            assert_eq!((why(code), what(code)), (None, None), "{code}");
        }
    }
}
