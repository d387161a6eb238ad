//! Posting and changing messages.

use serde_json::{Map, Value, json};

use super::{
    BOT_USER, Message, Shared, World,
    arguments::{required, text},
    blocks::{self, Surface},
    call::Refusal,
};

/// A text that is longer becomes several messages.
const ONE_MESSAGE: usize = 4_040;
/// What is longer is cut off.
const LONGEST: usize = 40_000;
/// `chat.update` takes no more.
const UPDATE: usize = 4_000;
/// Nobody knows what Slack takes; this is what we allow ourselves.
const METADATA_BYTES: usize = 1_024;
/// One message a second and channel: so many in a minute.
const PACE: i64 = 60;

type Arguments = Map<String, Value>;

pub(super) fn post_message(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let channel = required(arguments, "channel")?;
    may_post(world, channel)?;
    let thread = text(arguments, "thread_ts");
    if let Some(thread) = thread {
        let parent = world.message(channel, thread).ok_or("thread_not_found")?;
        if parent.thread_ts.is_some() {
            return Err("cannot_reply_to_message".into());
        }
    }
    let said = content(world, "chat.postMessage", arguments)?;
    keep_pace(world, channel)?;
    let whole: Vec<char> = said.text.chars().take(LONGEST).collect();
    let parts: Vec<String> = whole
        .chunks(ONE_MESSAGE)
        .map(|part| part.iter().collect())
        .collect();
    let mut first = None;
    for (n, part) in parts.iter().enumerate().take(parts.len().max(1)) {
        let message = Message {
            text: part.clone(),
            thread_ts: thread.map(str::to_owned),
            // What is more than text stays with the last part.
            blocks: if n + 1 == parts.len() {
                said.blocks.clone()
            } else {
                Vec::new()
            },
            ..said.clone()
        };
        let ts = world.post(message);
        first.get_or_insert(ts);
    }
    // Blocks alone.
    let ts = first.unwrap_or_else(|| {
        world.post(Message {
            thread_ts: thread.map(str::to_owned),
            ..said
        })
    });
    let Some(message) = world.message(channel, &ts).cloned() else {
        return Err("internal_error".into());
    };
    // An app hears of what it says itself.
    if world.is_heard() {
        world.tell(&message, None);
    }
    Ok(json!({ "channel": channel, "ts": ts, "message": message.json(true) }))
}

pub(super) fn update(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let channel = required(arguments, "channel")?;
    let ts = required(arguments, "ts")?;
    may_post(world, channel)?;
    let old = world.message(channel, ts).ok_or("message_not_found")?;
    if !old.by_bot {
        return Err("cant_update_message".into());
    }
    let (old_blocks, old_text) = (old.blocks.clone(), old.text.clone());
    let said = content(world, "chat.update", arguments)?;
    if said.text.chars().count() > UPDATE {
        return Err("msg_too_long".into());
    }
    let has = |name: &str| arguments.contains_key(name);
    for block in &said.blocks {
        let id = &block["block_id"];
        if old_blocks.iter().any(|old| old["block_id"] == *id) {
            world.violation(format!("chat.update: the block_id {id} was there before"));
        }
    }
    // Without blocks the old ones stay, and so do their buttons.
    let blocks = if has("blocks") {
        said.blocks
    } else {
        old_blocks
    };
    let text = if has("text") { said.text } else { old_text };
    if let Some(message) = world.message_mut(channel, ts) {
        message.blocks = blocks;
        message.text.clone_from(&text);
        message.edited = true;
        if has("metadata") {
            message.metadata = said.metadata;
        }
    }
    Ok(json!({ "channel": channel, "ts": ts, "text": text }))
}

pub(super) fn post_ephemeral(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let channel = required(arguments, "channel")?;
    let user = required(arguments, "user")?;
    may_post(world, channel)?;
    let is_there = |user: &str| world.channels[channel].people.contains(&user);
    if !is_there(user) {
        return Err("user_not_in_channel".into());
    }
    let said = content(world, "chat.postEphemeral", arguments)?;
    let ts = world.post(Message {
        thread_ts: text(arguments, "thread_ts").map(str::to_owned),
        only_for: Some(user.to_owned()),
        ..said
    });
    Ok(json!({ "message_ts": ts }))
}

pub(super) fn get_permalink(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let channel = required(arguments, "channel")?;
    let ts = required(arguments, "message_ts")?;
    world.message(channel, ts).ok_or("message_not_found")?;
    let name = ts.replace('.', "");
    let permalink = format!("https://fake.slack.example/archives/{channel}/p{name}");
    Ok(json!({ "channel": channel, "permalink": permalink }))
}

pub(super) fn may_post(world: &World, channel: &str) -> Result<(), Refusal> {
    // To one person alone, in their conversation with the app.
    if world.users.contains_key(channel) {
        return Ok(());
    }
    let channel = world.channels.get(channel).ok_or("channel_not_found")?;
    if !channel.is_member {
        return Err("not_in_channel".into());
    }
    if channel.is_archived {
        return Err("is_archived".into());
    }
    Ok(())
}

pub(super) fn keep_pace(world: &mut World, channel: &str) -> Result<(), Refusal> {
    let last = world.last_post.get(channel).copied();
    let second = world.limits.minute.unwrap_or(60_000) / PACE;
    if world.paced && last.is_some_and(|last| world.now - last < second) {
        world.refused_in_channel += 1;
        return Err(Refusal::limited(1));
    }
    world.last_post.insert(channel.to_owned(), world.now);
    Ok(())
}

/// What is to be said, if it is within the limits.
pub(super) fn content(
    world: &mut World,
    method: &str,
    arguments: &Arguments,
) -> Result<Message, Refusal> {
    let said = text(arguments, "text").unwrap_or_default();
    let blocks = match arguments.get("blocks") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(_) => return Err("invalid_blocks".into()),
    };
    let errors = blocks::check(&blocks, Surface::Message);
    if !errors.is_empty() {
        return Err(Refusal {
            errors,
            ..Refusal::from("invalid_blocks")
        });
    }
    if said.is_empty() && blocks.is_empty() {
        return Err("no_text".into());
    }
    if said.is_empty() {
        // Screen readers and notifications have nothing else.
        world.violation(format!("{method}: blocks without a text"));
    }
    let metadata = arguments.get("metadata").filter(|value| !value.is_null());
    if let Some(metadata) = metadata {
        check_metadata(metadata)?;
    }
    let channel = text(arguments, "channel").unwrap_or_default();
    Ok(Message {
        blocks: named(world, blocks),
        metadata: metadata.filter(|value| *value != &json!({})).cloned(),
        ..Message::said(channel, BOT_USER, said)
    })
}

/// Blocks without a name get one.
fn named(world: &mut World, mut blocks: Vec<Value>) -> Vec<Value> {
    for block in &mut blocks {
        if !block["block_id"].is_string() {
            block["block_id"] = format!("auto{}", world.next()).into();
        }
    }
    blocks
}

fn check_metadata(metadata: &Value) -> Result<(), Refusal> {
    if metadata == &json!({}) {
        return Ok(());
    }
    if metadata.to_string().len() > METADATA_BYTES {
        return Err("metadata_too_large".into());
    }
    let kind = metadata["event_type"].as_str().unwrap_or_default();
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_flat = |value: &Value| !value.is_array() && !value.is_object() && !value.is_null();
    let payload = metadata["event_payload"].as_object();
    let is_fit = payload.is_some_and(|payload| {
        payload.iter().all(|(name, value)| {
            is_name(name)
                && match value {
                    Value::Object(inner) => inner.values().all(is_flat),
                    Value::Array(items) => items.iter().all(Value::is_object),
                    value => is_flat(value),
                }
        })
    });
    match is_name(kind) && is_fit {
        true => Ok(()),
        false => Err("invalid_metadata_format".into()),
    }
}
