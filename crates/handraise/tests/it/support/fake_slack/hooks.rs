//! Addresses that take a message and need no token: incoming webhooks, and those that come with a click.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value};

use super::{
    Message, Shared, World,
    arguments::{flag, text},
    call::Refusal,
    chat,
    faults::{Fault, broken},
};

/// How often, and for how many milliseconds, an address of a click may be used.
const USES: u32 = 5;
const LIFE: i64 = 30 * 60 * 1_000;

pub(super) async fn incoming(
    State(shared): State<Arc<Shared>>,
    Path((_, _, channel)): Path<(String, String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let post = |world: &mut World, arguments: &Map<String, Value>| {
        if !world.channels.contains_key(&channel) {
            return Err((StatusCode::NOT_FOUND, "no_service".to_owned()));
        }
        if world.channels[&channel].is_archived {
            return Err((StatusCode::GONE, "channel_is_archived".to_owned()));
        }
        let said = content(world, "services", arguments)?;
        if said.controls().any(|(_, control)| control["url"].is_null()) {
            world.violation("services: a button that nothing hears");
        }
        world.post(Message {
            channel: channel.clone(),
            ..said
        });
        Ok(())
    };
    take(&shared, "services", &headers, &body, post).await
}

pub(super) async fn response(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let respond = |world: &mut World, arguments: &Map<String, Value>| {
        let now = world.now;
        let url = world.response_urls.get_mut(&id);
        let url = url.ok_or((StatusCode::NOT_FOUND, "no_url".to_owned()))?;
        if now - url.made_at >= LIFE {
            return Err((StatusCode::NOT_FOUND, "expired_url".to_owned()));
        }
        if url.uses >= USES {
            return Err((StatusCode::NOT_FOUND, "used_url".to_owned()));
        }
        url.uses += 1;
        let (channel, user, ts) = (url.channel.clone(), url.user.clone(), url.ts.clone());
        if flag(arguments, "delete_original") {
            world.messages.retain(|message| message.ts != ts);
            return Ok(());
        }
        let said = content(world, "response", arguments)?;
        if flag(arguments, "replace_original") {
            if let Some(message) = world.message_mut(&channel, &ts) {
                message.text = said.text;
                message.blocks = said.blocks;
                message.edited = true;
            }
            return Ok(());
        }
        let for_all = text(arguments, "response_type") == Some("in_channel");
        world.post(Message {
            channel,
            only_for: (!for_all).then_some(user),
            ..said
        });
        Ok(())
    };
    take(&shared, "response", &headers, &body, respond).await
}

fn content(
    world: &mut World,
    what: &str,
    arguments: &Map<String, Value>,
) -> Result<Message, (StatusCode, String)> {
    chat::content(world, what, arguments).map_err(|refusal: Refusal| {
        world.violation(format!("{what}: {} {:?}", refusal.code, refusal.errors));
        (StatusCode::BAD_REQUEST, refusal.code)
    })
}

async fn take(
    shared: &Shared,
    name: &str,
    headers: &HeaderMap,
    body: &[u8],
    act: impl FnOnce(&mut World, &Map<String, Value>) -> Result<(), (StatusCode, String)>,
) -> Response {
    let (fault, done) = {
        let mut world = shared.world();
        let queue = world.faults.get_mut(name);
        let fault = queue.and_then(std::collections::VecDeque::pop_front);
        let kind = headers
            .get(header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("application/json")) {
            world.violation(format!("{name}: it takes JSON"));
        }
        let read = serde_json::from_slice::<Map<String, Value>>(body);
        let record = read.as_ref().ok().cloned().unwrap_or_default();
        world.calls.push((name.to_owned(), record.into()));
        let done = match (fault, read) {
            (Some(Fault::Limited(_)), _) => {
                Err((StatusCode::TOO_MANY_REQUESTS, "rate_limited".to_owned()))
            }
            (Some(Fault::Refused(code)), _) => Err((StatusCode::FORBIDDEN, code.to_owned())),
            (Some(Fault::Hang), _) => Ok(()),
            (_, Ok(arguments)) => act(&mut world, &arguments),
            (_, Err(_)) => {
                world.violation(format!("{name}: this is not JSON"));
                Err((StatusCode::BAD_REQUEST, "invalid_payload".to_owned()))
            }
        };
        (fault, done)
    };
    shared.changed();
    if matches!(fault, Some(Fault::Hang)) {
        shared.stopping.cancelled().await;
    }
    let mut response = match done {
        Ok(()) => "ok".into_response(),
        Err(refused) => refused.into_response(),
    };
    if let Some(Fault::Limited(seconds)) = fault {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    broken(fault).unwrap_or(response)
}
