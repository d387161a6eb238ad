//! How these pages look: as those of second factors.

use app::Theme;
use axum::{
    http::{HeaderMap, header},
    response::{Html, IntoResponse, Response},
};
use serde::Deserialize;

use crate::{plain_page::html::Text, state::AppState};

/// Nothing but our own style and our own script, which asks this server alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

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
        let refused = self.refused.as_deref().and_then(why).map(|words| {
            format!("<p id=\"refusal\" class=\"refusal\" role=\"alert\"><span>{words}</span></p>")
        });
        let done = self.done.as_deref().and_then(what);
        let done = done.map(|words| format!("<p class=\"form-done\" role=\"status\">{words}</p>"));
        [refused, done].into_iter().flatten().collect()
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
        "code" => "This is not the code of the last message to this address.",
        "unproven" => {
            "Confirm the address first: open the link in the message that was sent there."
        }
        "slack" => {
            "Nobody in Slack is known to be you. Press a button there, and open the link that you are shown."
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
    let cookies = headers.get(header::COOKIE);
    let theme = cookies
        .and_then(|cookies| cookies.to_str().ok())
        .map_or(Theme::System, Theme::from_cookies);
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Handraise</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"/pkg/icon.svg\">\
         <link rel=\"manifest\" href=\"/manifest.webmanifest\">\
         <link rel=\"apple-touch-icon\" href=\"/pkg/icon-192.png\">\
         <link rel=\"stylesheet\" href=\"/pkg/{style}\">\
         <script type=\"module\" src=\"/pkg/reach.js\"></script></head>\
         <body><main class=\"lone reach\"><p class=\"wordmark\">Handraise</p><h1>{title}</h1>{body}</main></body></html>\n",
        theme = theme.name(),
        title = Text(title),
        style = Text(&state.assets.style),
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, Html(page)).into_response()
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
