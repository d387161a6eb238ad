//! A call of a method: who calls, with which arguments, and what comes of it.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use machine::clock::Clock;
use serde_json::{Map, Value, json};

use super::{
    APP_TOKEN, BOT, BOT_TOKEN, BOT_USER, Shared, TEAM, World,
    arguments::{arguments, token},
    chat, conversations,
    faults::{Fault, broken},
    files, sockets, views,
};

/// Why a call was not done.
pub(super) struct Refusal {
    pub(super) code: String,
    /// With their JSON pointers.
    pub(super) errors: Vec<String>,
    pub(super) retry_after: Option<u32>,
}

impl From<&str> for Refusal {
    fn from(code: &str) -> Self {
        Self {
            code: code.to_owned(),
            errors: Vec::new(),
            retry_after: None,
        }
    }
}

impl Refusal {
    pub(super) fn limited(seconds: u32) -> Self {
        Self {
            retry_after: Some(seconds),
            ..Self::from("ratelimited")
        }
    }
}

type Call = fn(&Shared, &mut World, &Map<String, Value>) -> Result<Value, Refusal>;

/// What is needed to call a method: the token's beginning, a scope of the bot's. Some of them do not read JSON.
pub(super) struct Method {
    pub(super) name: &'static str,
    token: &'static str,
    scopes: &'static [&'static str],
    pub(super) reads_json: bool,
    call: Call,
}

const fn method(
    name: &'static str,
    scopes: &'static [&'static str],
    reads_json: bool,
    call: Call,
) -> Method {
    Method {
        name,
        token: BOT_TOKEN,
        scopes,
        reads_json,
        call,
    }
}

const HISTORY: &[&str] = &[
    "channels:history",
    "groups:history",
    "im:history",
    "mpim:history",
];

pub(super) const METHODS: [Method; 16] = [
    method("auth.test", &[], true, auth_test),
    method(
        "chat.postMessage",
        &["chat:write"],
        true,
        chat::post_message,
    ),
    method("chat.update", &["chat:write"], true, chat::update),
    method(
        "chat.postEphemeral",
        &["chat:write"],
        true,
        chat::post_ephemeral,
    ),
    method("chat.getPermalink", &[], false, chat::get_permalink),
    method(
        "conversations.replies",
        HISTORY,
        false,
        conversations::replies,
    ),
    method(
        "conversations.history",
        HISTORY,
        false,
        conversations::history,
    ),
    method(
        "conversations.info",
        &["channels:read", "groups:read"],
        false,
        conversations::info,
    ),
    method(
        "users.info",
        &["users:read"],
        false,
        conversations::user_info,
    ),
    method(
        "files.getUploadURLExternal",
        &["files:write"],
        false,
        files::get_upload_url,
    ),
    method(
        "files.completeUploadExternal",
        &["files:write"],
        true,
        files::complete_upload,
    ),
    method("files.delete", &["files:write"], true, files::delete),
    method("views.open", &[], true, views::open),
    method("views.update", &[], true, views::update),
    method("views.publish", &[], true, views::publish),
    Method {
        name: "apps.connections.open",
        token: APP_TOKEN,
        scopes: &[],
        reads_json: true,
        call: sockets::open_connection,
    },
];

/// What only a caller who does something wrong gets to hear. Everything else is how a workspace may be.
const CALLERS_FAULT: [&str; 18] = [
    "unknown_method",
    "not_authed",
    "not_allowed_token_type",
    "invalid_arguments",
    "invalid_blocks",
    "msg_too_long",
    "msg_blocks_too_long",
    "no_text",
    "cannot_reply_to_message",
    "invalid_metadata_format",
    "metadata_too_large",
    "invalid_json",
    "view_too_large",
    "push_limit_reached",
    "invalid_limit",
    "missing_argument",
    "alt_txt_too_large",
    "unknown_snippet_type",
];

pub(super) async fn take(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if shared.world().is_down {
        shared.world().calls.push((name, Value::Null));
        shared.changed();
        let page = "<html>The service is not there</html>";
        return (StatusCode::SERVICE_UNAVAILABLE, page).into_response();
    }
    let fault = {
        let mut world = shared.world();
        let queue = world.faults.get_mut(&name);
        queue.and_then(std::collections::VecDeque::pop_front)
    };
    let done = {
        let mut world = shared.world();
        let arguments = arguments(&mut world, &name, &headers, query.as_deref(), &body);
        let record = arguments.as_ref().ok().cloned().unwrap_or_default();
        world.calls.push((name.clone(), record.into()));
        match fault {
            Some(Fault::Limited(seconds)) => Err(Refusal::limited(seconds)),
            Some(Fault::Refused(code)) => Err(code.into()),
            Some(Fault::Hang) => Ok(Value::Null),
            _ => arguments.and_then(|arguments| {
                let token = token(&headers, &arguments);
                answer(&shared, &mut world, &name, token, &arguments)
            }),
        }
    };
    shared.changed();
    shared.pump();
    if matches!(fault, Some(Fault::Hang)) {
        shared.stopping.cancelled().await;
    }
    shared.unheld(&name).await;
    let response = match &done {
        Ok(value) => with_ok(&shared, value.clone()),
        Err(refusal) => {
            // What was asked for is nobody's fault.
            if fault.is_none() && CALLERS_FAULT.contains(&&*refusal.code) {
                let said = format!("{name}: {} {:?}", refusal.code, refusal.errors);
                shared.world().violation(said);
            }
            refused(&shared, &name, refusal)
        }
    };
    broken(fault).unwrap_or(response)
}

fn answer(
    shared: &Shared,
    world: &mut World,
    name: &str,
    token: Option<&str>,
    arguments: &Map<String, Value>,
) -> Result<Value, Refusal> {
    let method = METHODS.iter().find(|method| method.name == name);
    let method = method.ok_or("unknown_method")?;
    match token {
        None => return Err("not_authed".into()),
        Some(token) if token == method.token => {}
        Some(BOT_TOKEN | APP_TOKEN) => return Err("not_allowed_token_type".into()),
        Some(_) => return Err("invalid_auth".into()),
    }
    let has_one = method
        .scopes
        .iter()
        .any(|scope| world.scopes.contains(scope));
    if !method.scopes.is_empty() && !has_one {
        return Err("missing_scope".into());
    }
    world.take_call(name)?;
    (method.call)(shared, world, arguments)
}

fn auth_test(_: &Shared, _: &mut World, _: &Map<String, Value>) -> Result<Value, Refusal> {
    Ok(json!({
        "url": "https://fake.slack.example/", "team": "Fake", "team_id": TEAM, "user": "handraise",
        "user_id": BOT_USER, "bot_id": BOT, "is_enterprise_install": false,
    }))
}

fn with_ok(shared: &Shared, mut value: Value) -> Response {
    if let Some(object) = value.as_object_mut() {
        object.insert("ok".to_owned(), true.into());
    }
    let mut response = json_response(&value);
    add_scopes(shared, &mut response);
    // By its own clock, as everything else.
    let now = Clock::now(&*shared.clock);
    let date = now.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    if let Ok(date) = date.parse() {
        response.headers_mut().insert(header::DATE, date);
    }
    response
}

fn refused(shared: &Shared, name: &str, refusal: &Refusal) -> Response {
    let code = &*refusal.code;
    let mut body = json!({ "ok": false, "error": code });
    if code == "missing_scope" {
        let method = METHODS.iter().find(|method| method.name == name);
        body["needed"] = method.map(|method| method.scopes.join(",")).into();
        body["provided"] = shared.world().scopes.join(",").into();
    }
    if !refusal.errors.is_empty() {
        body["errors"] = refusal.errors.clone().into();
        let messages = refusal
            .errors
            .iter()
            .map(|error| format!("[ERROR] {error}"));
        body["response_metadata"] = json!({ "messages": messages.collect::<Vec<_>>() });
    }
    let mut response = json_response(&body);
    if let Some(seconds) = refusal.retry_after {
        *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    } else {
        add_scopes(shared, &mut response);
    }
    response
}

fn add_scopes(shared: &Shared, response: &mut Response) {
    let scopes = shared.world().scopes.join(",");
    let headers = response.headers_mut();
    headers.insert("x-oauth-scopes", scopes.parse().unwrap());
}

pub(super) fn json_response(value: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    (kind, value.to_string()).into_response()
}
