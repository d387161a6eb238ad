//! How these pages look: as the sign-in page, without its program.

use std::fmt::Display;

use axum::{http::HeaderMap, response::Response};
use serde::Deserialize;

use crate::{
    plain_page::{self, Script, html::Text},
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
        let refused = refused.as_deref().map(Text);
        let done = self.done.as_deref().and_then(what);
        plain_page::said(
            refused.as_ref().map(|words| words as &dyn Display),
            done.as_ref().map(|words| words as &dyn Display),
        )
    }
}

fn why(code: &str) -> Option<String> {
    if let Some(seconds) = code.strip_prefix("wait-") {
        let seconds: u32 = seconds.parse().ok()?;
        return Some(format!("Too many wrong tries. Try again in {seconds} s."));
    }
    let words = match code {
        "wrong" => {
            "This code is not good. One of an app changes every half minute and works once; a recovery code works once, too."
        }
        "code" => {
            "This is not the code of this moment. Check that the clock of your phone is right, and type the one it shows now."
        }
        "passkey" => "This passkey was not taken. Try again, or take another way.",
        "name" => "The name must be one line of at most 300 characters.",
        "password" => "This is not your password.",
        "busy" => "Too many people are signing in at this moment. Try again.",
        "needed" => {
            "People of your role need a second factor. Add another one before you remove the last."
        }
        "only-way" => {
            "It is your only way in. Let an admin make you a link, choose a password, and remove it then."
        }
        "known" => {
            "It was not added: this device is known here already, or you have as many as one may have."
        }
        "late" => "This took too long, or was done before. Begin once more.",
        _ => return None,
    };
    Some(words.to_owned())
}

fn what(code: &str) -> Option<&'static str> {
    match code {
        "added" => Some("Added. It is asked for when you sign in."),
        "removed" => Some("Removed."),
        "reset" => {
            Some("Reset: they have no second factor any more, and are signed out everywhere.")
        }
        _ => None,
    }
}

/// The page for the person who looks. `body` is HTML.
pub(super) fn lone(
    state: &AppState,
    headers: &HeaderMap,
    title: &str,
    body: &dyn Display,
) -> Response {
    plain_page::lone(state, headers, title, body, Script::Passkeys)
}

/// A form that the script fills with what a device says to `options`, and sends. `does` is `create` or `get`; with
/// `at_once` it is not waited for the button.
pub(super) fn passkey_form(
    action: &str,
    does: &str,
    options: &str,
    at_once: bool,
    fields: &str,
    button: &str,
) -> String {
    let options = Text(options);
    let at_once = if at_once { " data-at-once" } else { "" };
    format!(
        "<form class=\"fields\" method=\"post\" action=\"{action}\" data-passkey=\"{does}\" \
         data-options=\"{options}\"{at_once} hidden><input type=\"hidden\" name=\"answer\">{fields}\
         <p class=\"refusal\" role=\"alert\" data-problem hidden></p>\
         <button class=\"button primary\" type=\"submit\">{button}</button></form>\
         <noscript><p class=\"hint\">Passkeys need scripts, which are switched off.</p></noscript>"
    )
}

/// What a person calls a factor.
pub(super) fn name_field(name: &str) -> String {
    format!(
        "<div class=\"labelled\"><label for=\"name\">Name</label><input id=\"name\" class=\"field\" name=\"name\" \
         value=\"{name}\" maxlength=\"300\" autocomplete=\"off\" required aria-describedby=\"name-hint\">\
         <p id=\"name-hint\" class=\"hint\">So that you know it again in your list.</p></div>"
    )
}

/// Recovery codes, this once.
pub(super) fn codes(
    state: &AppState,
    headers: &HeaderMap,
    codes: &service::RecoveryCodes,
    next: &str,
) -> Response {
    let lines = codes.reveal().join("\n");
    let body = format!(
        "<p>When your phone or key is gone, each of these lets you in once, with your password. \
         They are not shown again.</p><pre id=\"codes\" class=\"command codes\">{lines}</pre>\
         <p class=\"form-start\"><button class=\"button\" type=\"button\" data-copy=\"codes\" hidden>Copy</button>\
         <a class=\"button\" download=\"handraise-recovery-codes.txt\" \
         href=\"data:text/plain;charset=utf-8,{download}\">Download</a></p>\
         <a class=\"button primary\" href=\"{next}\">I have kept them</a>",
        download = lines.replace('\n', "%0A"),
        next = Text(next),
    );
    lone(state, headers, "Keep your recovery codes", &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sent_is_not_repeated() {
        for code in ["", "wait-", "wait-soon", "<script>"] {
            assert_eq!((why(code), what(code)), (None, None), "{code}");
        }
        assert!(why("wait-12").unwrap().contains("in 12 s"));
    }

    #[test]
    fn what_is_asked_of_a_device_stays_within_its_attribute() {
        let form = passkey_form("/a", "get", r#"{"a":"<b>&\""}"#, true, "", "Go");
        assert!(form.contains(
            r#"data-options="{&quot;a&quot;:&quot;&lt;b&gt;&amp;\&quot;&quot;}" data-at-once"#
        ));
    }
}
