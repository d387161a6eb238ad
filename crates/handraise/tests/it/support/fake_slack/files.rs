//! Files: a place for the bytes, the bytes, and a message in which they appear; and files that are deleted.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};

use super::{
    BOT_USER, Message, Shared, World,
    arguments::{required, text},
    call::Refusal,
    chat::{keep_pace, may_post},
    faults::{Fault, broken},
};

/// As the methods' pages have it.
const ALT: usize = 1_000;

type Arguments = Map<String, Value>;

/// A file, from the moment a place for it was asked for. It stays when it is deleted, without its bytes.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) title: String,
    /// How many bytes were announced.
    length: usize,
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) is_shared: bool,
    pub(crate) is_deleted: bool,
}

pub(super) fn get_upload_url(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let name = required(arguments, "filename")?.to_owned();
    let length = match arguments.get("length") {
        Some(Value::String(length)) => length.parse().ok(),
        Some(length) => length.as_u64().and_then(|it| usize::try_from(it).ok()),
        None => None,
    };
    let length = length.filter(|length| *length > 0);
    let length = length.ok_or("missing_argument")?;
    if text(arguments, "alt_txt").is_some_and(|alt| alt.chars().count() > ALT) {
        return Err("alt_txt_too_large".into());
    }
    if text(arguments, "snippet_type").is_some_and(|kind| !["text", "diff"].contains(&kind)) {
        return Err("unknown_snippet_type".into());
    }
    let id = format!("F0FILE{}", world.next());
    let upload_url = format!("{}/upload/{id}", world.base);
    world.files.push(File {
        id: id.clone(),
        title: name.clone(),
        name,
        length,
        bytes: None,
        is_shared: false,
        is_deleted: false,
    });
    Ok(json!({ "upload_url": upload_url, "file_id": id }))
}

/// Takes the bytes, once. It wants no token: the address is a secret. Faults of it are those of `upload`.
pub(super) async fn upload(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = bytes_in(&headers, &body);
    let mut world = shared.world();
    world.calls.push(("upload".to_owned(), json!({ "id": id })));
    if world.is_down {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let faults = world.faults.get_mut("upload");
    let fault = faults.and_then(std::collections::VecDeque::pop_front);
    if let Some(Fault::Refused(_) | Fault::Limited(_)) = fault {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let file = world.files.iter_mut().find(|file| file.id == id);
    let Some(file) = file.filter(|file| file.bytes.is_none() && !file.is_deleted) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if file.length != body.len() {
        return StatusCode::BAD_REQUEST.into_response();
    }
    file.bytes = Some(body.to_vec());
    drop(world);
    shared.changed();
    broken(fault).unwrap_or_else(|| format!("OK - {}", body.len()).into_response())
}

/// The bytes as they are, or the first part of a form.
fn bytes_in<'a>(headers: &HeaderMap, body: &'a [u8]) -> &'a [u8] {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let Some((_, boundary)) = kind.split_once("boundary=") else {
        return body;
    };
    let end = format!("\r\n--{}", boundary.trim_matches('"'));
    let find = |part: &[u8], in_it: &[u8]| in_it.windows(part.len()).position(|it| it == part);
    let begin = find(b"\r\n\r\n", body).map(|at| at + 4).unwrap();
    let length = find(end.as_bytes(), &body[begin..]).unwrap();
    &body[begin..begin + length]
}

pub(super) fn complete_upload(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let named = arguments.get("files").and_then(Value::as_array);
    let named = named.filter(|named| !named.is_empty());
    let named = named.ok_or("invalid_arguments")?;
    let channel = text(arguments, "channel_id");
    let thread = text(arguments, "thread_ts");
    if let Some(channel) = channel {
        may_post(world, channel)?;
        if let Some(thread) = thread {
            let parent = world.message(channel, thread).ok_or("thread_not_found")?;
            if parent.thread_ts.is_some() {
                return Err("cannot_reply_to_message".into());
            }
        }
    }
    let mut places = Vec::new();
    for one in named {
        let id = one["id"].as_str().ok_or("invalid_arguments")?;
        let place = world.files.iter().position(|file| file.id == id);
        let place = place.ok_or("file_not_found")?;
        let file = &world.files[place];
        if file.is_deleted || file.bytes.is_none() {
            return Err("file_not_found".into());
        }
        if file.is_shared {
            world.violation("files.completeUploadExternal: it is shared already");
        }
        places.push((place, one["title"].as_str()));
    }
    let mut ids = Vec::new();
    if let Some(channel) = channel {
        keep_pace(world, channel)?;
    }
    for (place, title) in places {
        let file = &mut world.files[place];
        file.is_shared = channel.is_some();
        if let Some(title) = title {
            title.clone_into(&mut file.title);
        }
        ids.push(file.id.clone());
    }
    let answer: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
    if let Some(channel) = channel {
        world.post(Message {
            thread_ts: thread.map(str::to_owned),
            files: ids,
            ..Message::said(channel, BOT_USER, "")
        });
    }
    Ok(json!({ "files": answer }))
}

pub(super) fn delete(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let id = required(arguments, "file")?;
    let file = world.files.iter_mut().find(|file| file.id == id);
    let file = file.ok_or("file_not_found")?;
    if file.is_deleted {
        return Err("file_deleted".into());
    }
    file.is_deleted = true;
    file.bytes = None;
    file.name.clear();
    file.title.clear();
    Ok(json!({}))
}

impl World {
    /// The files that people see in a thread, in their order.
    pub(crate) fn files_in_thread(&self, channel: &str, parent: &str) -> Vec<&File> {
        let messages = self
            .in_channel(channel)
            .filter(|message| message.thread_ts.as_deref() == Some(parent));
        let ids = messages.flat_map(|message| &message.files);
        ids.filter_map(|id| self.files.iter().find(|file| file.id == *id))
            .filter(|file| !file.is_deleted)
            .collect()
    }
}
