//! The arguments of a call: how they are read, and what they are.

use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::{
    World,
    call::{METHODS, Refusal},
};

/// The token, from the header or the arguments.
pub(super) fn token<'a>(
    headers: &'a HeaderMap,
    arguments: &'a Map<String, Value>,
) -> Option<&'a str> {
    let header = headers.get(header::AUTHORIZATION);
    let header = header.and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "));
    header.or_else(|| arguments.get("token")?.as_str())
}

/// The arguments, from a form, the query or JSON. In a form lists and objects are JSON.
pub(super) fn arguments(
    world: &mut World,
    name: &str,
    headers: &HeaderMap,
    query: Option<&str>,
    body: &[u8],
) -> Result<Map<String, Value>, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut arguments = Map::new();
    if kind.starts_with("application/json") {
        if !kind
            .to_lowercase()
            .replace(' ', "")
            .ends_with("charset=utf-8")
        {
            world.violation(format!("{name}: JSON without its charset"));
        }
        let mut methods = METHODS.iter();
        let ignores_json = methods.any(|method| method.name == name && !method.reads_json);
        if ignores_json && !body.is_empty() {
            world.violation(format!("{name}: it ignores JSON"));
        } else if !body.is_empty() {
            arguments = serde_json::from_slice(body).map_err(|_| "invalid_json")?;
        }
    }
    let form = kind.starts_with("application/x-www-form-urlencoded");
    let form: &[u8] = if form { body } else { &[] };
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    for (key, value) in pairs.chain(url::form_urlencoded::parse(form)) {
        let value = match &*key {
            "blocks" | "metadata" | "view" | "attachments" | "files" => {
                serde_json::from_str(&value).map_err(|_| "invalid_arguments")?
            }
            _ => Value::from(value.into_owned()),
        };
        arguments.insert(key.into_owned(), value);
    }
    Ok(arguments)
}

/// An argument that is text.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name)?.as_str()
}

/// An argument that must be there.
pub(super) fn required<'a>(
    arguments: &'a Map<String, Value>,
    name: &str,
) -> Result<&'a str, Refusal> {
    text(arguments, name)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| Refusal {
            errors: vec![format!("missing required field: {name}")],
            ..Refusal::from("invalid_arguments")
        })
}

/// An argument that is yes or no, in whatever way.
pub(super) fn flag(arguments: &Map<String, Value>, name: &str) -> bool {
    match arguments.get(name) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(flag)) => flag == "true" || flag == "1",
        _ => false,
    }
}
