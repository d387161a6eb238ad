//! Reading channels, threads and people.

use serde_json::{Map, Value, json};

use super::{
    Message, Shared, World,
    arguments::{flag, required, text},
    call::Refusal,
};

type Arguments = Map<String, Value>;

pub(super) fn history(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let channel = readable(world, arguments)?;
    let mut found = seen(world, &channel, |message| message.thread_ts.is_none());
    // The newest first.
    found.reverse();
    page(found, arguments, 999, None)
}

pub(super) fn replies(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let channel = readable(world, arguments)?;
    let parent = required(arguments, "ts")?.to_owned();
    let known = world.message(&channel, &parent).ok_or("thread_not_found")?;
    if known.thread_ts.is_some() {
        world.violation("conversations.replies: ts is a reply's and not the parent's");
    }
    let of_thread =
        |message: &Message| message.ts == parent || message.thread_ts.as_deref() == Some(&parent);
    let found = seen(world, &channel, of_thread);
    page(found, arguments, 1_000, Some(&parent))
}

pub(super) fn info(_: &Shared, world: &mut World, arguments: &Arguments) -> Result<Value, Refusal> {
    let id = required(arguments, "channel")?;
    let channel = world.channels.get(id).ok_or("channel_not_found")?;
    Ok(json!({ "channel": {
        "id": id, "name": channel.name, "is_channel": true, "is_member": channel.is_member,
        "is_archived": channel.is_archived, "is_private": false,
    }}))
}

pub(super) fn user_info(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let user = world.users.get(required(arguments, "user")?);
    Ok(json!({ "user": user.ok_or("user_not_found")? }))
}

fn readable(world: &World, arguments: &Arguments) -> Result<String, Refusal> {
    let id = required(arguments, "channel")?;
    let channel = world.channels.get(id).ok_or("channel_not_found")?;
    match channel.is_member {
        true => Ok(id.to_owned()),
        false => Err("not_in_channel".into()),
    }
}

/// What a reader sees by now, the oldest first. Each look counts.
fn seen(world: &mut World, channel: &str, wanted: impl Fn(&Message) -> bool) -> Vec<Message> {
    let now = world.now;
    let mut found = Vec::new();
    for message in &mut world.messages {
        if message.channel != channel || message.only_for.is_some() {
            continue;
        }
        let is_hidden = message.hidden_reads > 0 || message.hidden_until > now;
        message.hidden_reads = message.hidden_reads.saturating_sub(1);
        if !is_hidden && wanted(message) {
            found.push(message.clone());
        }
    }
    found
}

/// The part that was asked for. A thread's parent stands at the beginning of every page.
fn page(
    found: Vec<Message>,
    arguments: &Arguments,
    most: usize,
    parent: Option<&str>,
) -> Result<Value, Refusal> {
    let number = |name: &str| match arguments.get(name) {
        Some(Value::String(text)) => text.parse().ok(),
        Some(value) => value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok()),
        None => None,
    };
    let limit = number("limit").unwrap_or(100);
    if limit == 0 || limit > most {
        return Err("invalid_limit".into());
    }
    let is_inclusive = flag(arguments, "inclusive");
    let (oldest, latest) = (text(arguments, "oldest"), text(arguments, "latest"));
    let is_within = |message: &Message| {
        let after =
            |bound: &str| message.ts.as_str() > bound || (is_inclusive && message.ts == bound);
        let before =
            |bound: &str| message.ts.as_str() < bound || (is_inclusive && message.ts == bound);
        parent == Some(&message.ts) || (oldest.is_none_or(after) && latest.is_none_or(before))
    };
    let within: Vec<_> = found.into_iter().filter(is_within).collect();
    let start: usize = match text(arguments, "cursor").filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => cursor.parse().map_err(|_| "invalid_cursor")?,
        None => 0,
    };
    let with_metadata = flag(arguments, "include_all_metadata");
    let end = (start + limit).min(within.len());
    let messages = within.get(start..end).ok_or("invalid_cursor")?;
    let messages: Vec<_> = messages
        .iter()
        .map(|message| message.json(with_metadata))
        .collect();
    let has_more = end < within.len();
    let next = if has_more {
        end.to_string()
    } else {
        String::new()
    };
    Ok(json!({
        "messages": messages, "has_more": has_more, "response_metadata": { "next_cursor": next },
    }))
}
