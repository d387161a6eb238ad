//! `GET /settings/reach`: one's own ways to be reached, what arrived there last, and how to add one.

use std::fmt::Write;

use axum::{
    Extension,
    extract::{Query, State},
    http::HeaderMap,
    response::Response,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use domain::delivery::{Reach, ReachEnd, ReachKind};
use service::{OwnReach, SignedIn};

use super::page::{Said, lone};
use crate::{plain_page::html::Text, problem::Problem, state::AppState, ui::ladder::quiet_section};

/// The way to the numbers, for admins.
const NUMBERS: &str = "<section><h2 class=\"section-title\">Everybody</h2>\
     <p><a class=\"button\" href=\"/settings/reached\">How people are reached</a></p></section>";

/// The page.
pub(super) async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    headers: HeaderMap,
    Query(said): Query<Said>,
) -> Result<Response, Problem> {
    let reaches = state.service.own_reaches(&who.principal()).await?;
    let lost = state.service.lost_reaches(&who.principal()).await?;
    let key = state.vapid.public_key().await;
    if let Err(error) = &key {
        tracing::error!(
            error = format!("{error:#}"),
            "the key for push services cannot be read"
        );
    }
    let body = format!(
        "<p>When an agent waits for you and you have no page open, Handraise tells you in these ways. The person on duty \
         in a team hears first.</p>{said}{list}{lost}{push}{mail}{ntfy}{slack}{quiet}{numbers}\
         <p><a class=\"way-up\" href=\"/settings\">Settings</a></p>",
        said = said.html(),
        list = list(&reaches, state.service.now()),
        lost = lost_list(&lost, state.service.now()),
        push = push_section(key.ok().as_deref()),
        mail = mail_section(state.config.mail.url.is_some()),
        ntfy = ntfy_section(state.config.ntfy.url.as_deref()),
        slack = slack_section(&state, &who, &reaches),
        quiet = quiet_section(),
        numbers = match who.principal().admin() {
            Ok(_) => NUMBERS,
            Err(_) => "",
        },
    );
    Ok(lone(&state, &headers, "How to reach you", &body))
}

fn list(reaches: &[OwnReach], now: DateTime<Utc>) -> String {
    if reaches.is_empty() {
        return "<p class=\"list-note\">You have no way to be reached yet.</p>".to_owned();
    }
    let mut list = "<ul class=\"list reaches\">".to_owned();
    for own in reaches {
        let reach = &own.record.reach;
        let browser = reach.browser.map(|hash| URL_SAFE_NO_PAD.encode(hash.0));
        let browser = browser.map_or_else(String::new, |hash| format!(" data-browser=\"{hash}\""));
        let shown = own
            .shown
            .as_deref()
            .unwrap_or("cannot be read: remove it, and add it again");
        let name = match reach.label.is_empty() {
            true => shown,
            false => reach.label.as_str(),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            list,
            "<li class=\"list-row reach-line\" data-reach=\"{id}\"{browser}>\
             <div class=\"reach-words\"><p><bdi>{name}</bdi> <span class=\"reach-this\" data-this hidden>this browser</span></p>\
             <p class=\"hint\">{kind} · <bdi>{shown}</bdi></p>\
             <p class=\"hint\" data-state>{state}</p>\
             <p class=\"reach-said\" role=\"status\" data-said hidden></p></div>{forms}</li>",
            id = reach.id,
            name = Text(name),
            kind = in_words(reach.kind),
            shown = Text(shown),
            state = state_of(own, now),
            forms = forms(own, name),
        );
    }
    list.push_str("</ul>");
    list
}

/// What reaches them no more, and why: whoever relied on it has to learn it here.
fn lost_list(lost: &[Reach], now: DateTime<Utc>) -> String {
    if lost.is_empty() {
        return String::new();
    }
    let mut list =
        "<section class=\"reaches-lost\"><h2 class=\"section-title\">Reaches you no more</h2>\
         <ul class=\"list reaches\">"
            .to_owned();
    for reach in lost {
        let Some(ended) = reach.ended else { continue };
        let name = match reach.label.is_empty() {
            true => in_words(reach.kind),
            false => reach.label.as_str(),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            list,
            "<li class=\"list-row reach-line\"><div class=\"reach-words\"><p><bdi>{name}</bdi></p>\
             <p class=\"hint\">{kind} · ended {at}: {why}</p></div></li>",
            name = Text(name),
            kind = in_words(reach.kind),
            at = moment(ended.at, now),
            why = why_lost(ended.why),
        );
    }
    list.push_str("</ul></section>");
    list
}

fn why_lost(why: ReachEnd) -> &'static str {
    match why {
        ReachEnd::Removed => "it was removed.",
        ReachEnd::Gone => {
            "its push service knows it no more. Open this page there, and add it again."
        }
        ReachEnd::Failing => {
            "nothing arrived there for five days. Open this page there, and add it again."
        }
        ReachEnd::Taken => "another person is told in this browser now.",
    }
}

fn state_of(own: &OwnReach, now: DateTime<Utc>) -> String {
    let record = &own.record;
    if record.reach.proven_at.is_none() {
        return match &record.error {
            Some(error) => format!(
                "Not confirmed yet. The message was not taken: {}.",
                Text(error)
            ),
            None => {
                "Not confirmed yet: open the link in the message that was sent there.".to_owned()
            }
        };
    }
    let gathers = match record.reach.digest {
        true => "What can wait comes at the full hour, as one message; what is urgent at once. ",
        false => "",
    };
    let words = match record.arrived_at {
        None => "Nothing has been sent there yet.".to_owned(),
        Some(at) => format!("Last arrived {}.", moment(at, now)),
    };
    let mut words = format!("{gathers}{words}");
    if let Some(error) = &record.error {
        let _ = write!(words, " The last message did not arrive: {}.", Text(error));
    }
    words
}

/// A moment; of today its time alone.
fn moment(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let words = match at.date_naive() == now.date_naive() {
        true => at.format("%H:%M:%S UTC"),
        false => at.format("%Y-%m-%d %H:%M UTC"),
    };
    format!("<time datetime=\"{}\">{words}</time>", at.to_rfc3339())
}

fn forms(own: &OwnReach, name: &str) -> String {
    let reach = &own.record.reach;
    let name = Text(name);
    let id = format!("<input type=\"hidden\" name=\"id\" value=\"{}\">", reach.id);
    let first = match reach.proven_at {
        Some(_) => format!(
            "<form method=\"post\" action=\"/settings/reach/test\" data-test>{id}\
             <button class=\"button\" type=\"submit\" aria-label=\"Send a test to {name}\">Test</button></form>"
        ),
        None => format!(
            "<form class=\"reach-code\" method=\"post\" action=\"/settings/reach/prove\">{id}\
             <input class=\"field\" name=\"code\" aria-label=\"Code that was sent to {name}\" placeholder=\"Code\" \
             maxlength=\"100\" autocomplete=\"one-time-code\" required>\
             <button class=\"button\" type=\"submit\">Confirm</button></form>{again}",
            again = own.shown.as_deref().map_or_else(String::new, again_form),
        ),
    };
    let gather = match reach.kind.gathers() && reach.proven_at.is_some() {
        true => gather_form(&id, reach.digest, &name),
        false => String::new(),
    };
    format!(
        "<div class=\"reach-forms\">{first}{gather}<form method=\"post\" action=\"/settings/reach/remove\">{id}\
         <button class=\"button\" type=\"submit\" aria-label=\"Remove {name}\">Remove</button></form></div>"
    )
}

fn gather_form(id: &str, digest: bool, name: &Text<'_>) -> String {
    let (words, next) = match digest {
        true => ("Each by itself", false),
        false => ("Once an hour", true),
    };
    format!(
        "<form method=\"post\" action=\"/settings/reach/gather\">{id}\
         <input type=\"hidden\" name=\"digest\" value=\"{next}\">\
         <button class=\"button\" type=\"submit\" aria-label=\"{words}: what is sent to {name}\">{words}</button></form>"
    )
}

/// Sends the code once more.
fn again_form(address: &str) -> String {
    let address = Text(address);
    format!(
        "<form method=\"post\" action=\"/settings/reach/mail\">\
         <input type=\"hidden\" name=\"address\" value=\"{address}\">\
         <button class=\"button\" type=\"submit\" aria-label=\"Send the code to {address} again\">Send again</button></form>"
    )
}

pub(super) fn in_words(kind: ReachKind) -> &'static str {
    match kind {
        ReachKind::Push => "Notifications",
        ReachKind::Mail => "Mail",
        ReachKind::Ntfy => "ntfy",
        ReachKind::Slack => "Slack",
    }
}

fn push_section(key: Option<&str>) -> String {
    let Some(key) = key else {
        return "<section><h2 class=\"section-title\">This browser</h2><p class=\"hint\">No browser can be added: this \
                server's key file does not open its key for push services. An admin finds the cause in the log.</p></section>"
            .to_owned();
    };
    format!(
        "<section><h2 class=\"section-title\">This browser</h2>\
         <form class=\"fields\" method=\"post\" action=\"/settings/reach/push\" data-push data-key=\"{key}\" hidden>\
         <input type=\"hidden\" name=\"endpoint\"><input type=\"hidden\" name=\"p256dh\">\
         <input type=\"hidden\" name=\"auth\"><input type=\"hidden\" name=\"label\">\
         <button class=\"button primary\" type=\"submit\">Notify me in this browser</button>\
         <p class=\"refusal\" role=\"alert\" data-problem hidden></p></form>\
         <p class=\"hint\">You are notified while no page is open, too. You can answer a short question in the \
         notification itself; every other one opens with one tap. Only this browser can read its messages.</p>\
         <noscript><p class=\"hint\">Notifications need scripts, which are switched off.</p></noscript></section>"
    )
}

fn mail_section(is_there: bool) -> String {
    let rest = match is_there {
        false => "<p class=\"hint\">This server sends no mail: an admin can set <code>mail.url</code>.</p>".to_owned(),
        true => "<form class=\"fields\" method=\"post\" action=\"/settings/reach/mail\"><div class=\"labelled\">\
             <label for=\"address\">Mail address</label><input id=\"address\" class=\"field\" type=\"email\" \
             name=\"address\" maxlength=\"254\" autocomplete=\"email\" required aria-describedby=\"address-hint\">\
             <p id=\"address-hint\" class=\"hint\">We send a link there first, to be sure that the address \
             is yours. A mail holds the whole question, in plain text.</p></div>\
             <button class=\"button\" type=\"submit\">Add the address</button></form>"
            .to_owned(),
    };
    format!("<section><h2 class=\"section-title\">Mail</h2>{rest}</section>")
}

/// Whether the app can write to people.
pub(super) fn writes_in_slack(state: &AppState) -> bool {
    let mode = state.config.slack_mode();
    mode.is_ok_and(|mode| mode.bot_token().is_some())
}

fn slack_section(state: &AppState, who: &SignedIn, reaches: &[OwnReach]) -> String {
    let has_it = reaches
        .iter()
        .any(|own| own.record.reach.kind == ReachKind::Slack);
    if !writes_in_slack(state) || has_it {
        return String::new();
    }
    let rest = match who.person.slack_id {
        None => {
            "<p class=\"hint\">Your user in Slack is not known here yet. Press a button of a question there, and open the \
             link that only you are shown; or ask an admin.</p>"
        }
        Some(_) => {
            "<form class=\"fields\" method=\"post\" action=\"/settings/reach/slack\">\
             <button class=\"button\" type=\"submit\">Write to me in Slack</button></form>\
             <p class=\"hint\">A message of the app to you alone, beside what channels show. It leads to the question, \
             which is answered there.</p>"
        }
    };
    format!("<section><h2 class=\"section-title\">Slack</h2>{rest}</section>")
}

fn ntfy_section(server: Option<&str>) -> String {
    let rest = match server {
        None => "<p class=\"hint\">This server knows no ntfy server: an admin can set <code>ntfy.url</code>.</p>".to_owned(),
        Some(server) => format!(
            "<form class=\"fields\" method=\"post\" action=\"/settings/reach/ntfy\"><div class=\"labelled\">\
             <label for=\"topic\">Topic at {server}</label><input id=\"topic\" class=\"field\" name=\"topic\" \
             maxlength=\"64\" autocomplete=\"off\" spellcheck=\"false\" aria-describedby=\"topic-hint\">\
             <p id=\"topic-hint\" class=\"hint\">Leave it empty to get a secret topic, and subscribe to it in the app. \
             Everyone who knows a topic can read it, and so can the ntfy server.</p></div>\
             <button class=\"button\" type=\"submit\">Add a topic</button></form>",
            server = Text(server.split_once("://").map_or(server, |(_, host)| host)),
        ),
    };
    format!("<section><h2 class=\"section-title\">ntfy</h2>{rest}</section>")
}
