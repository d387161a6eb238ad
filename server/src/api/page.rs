//! Lists: `{items, next_cursor}`, and the address of the next page in `Link` (RFC 8288).

use axum::{
    http::{HeaderValue, Uri, header},
    response::{IntoResponse, Response},
};
use domain::{Fault, limits};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Serialize;

use crate::problem::Problem;

/// How many there are on a page if nobody says.
pub(super) const DEFAULT_LIMIT: u32 = 50;

/// A page while it is written, item by item, so that no more than one has to be in memory at once. It is full where
/// its items take [`limits::PAGE_BYTES`].
pub(super) struct Written {
    json: Vec<u8>,
    is_empty: bool,
}

impl Written {
    pub(super) fn new() -> Self {
        Self {
            json: br#"{"items":["#.to_vec(),
            is_empty: true,
        }
    }

    /// Whether another item belongs on it: one always does.
    pub(super) fn has_room(&self) -> bool {
        self.is_empty || self.json.len() < limits::PAGE_BYTES
    }

    pub(super) fn push(&mut self, item: &impl Serialize) -> Result<(), Problem> {
        if !self.is_empty {
            self.json.push(b',');
        }
        self.is_empty = false;
        serde_json::to_writer(&mut self.json, item).map_err(|error| {
            tracing::error!(%error, "an item of a list cannot be written");
            Problem::internal()
        })
    }

    /// The whole, with one more field after its items.
    pub(super) fn with(mut self, name: &str, value: &serde_json::Value) -> Response {
        self.json
            .extend_from_slice(format!(r#"],"{name}":{value}}}"#).as_bytes());
        let json = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, json)], self.json).into_response()
    }
}

/// One page of a list: its items, each with the cursor of what comes after it, as far as there is room; `next` is
/// the cursor of the page after all of them.
pub(super) fn respond<T: Serialize>(
    uri: &Uri,
    items: impl IntoIterator<Item = (String, T)>,
    next: Option<String>,
) -> Result<Response, Problem> {
    let mut written = Written::new();
    let mut after = None;
    for (cursor, item) in items {
        if !written.has_room() {
            return Ok(ended(uri, written, after));
        }
        written.push(&item)?;
        after = Some(cursor);
    }
    Ok(ended(uri, written, next))
}

/// A page that is complete; `next` is the cursor of the one after it.
pub(super) fn ended(uri: &Uri, written: Written, next: Option<String>) -> Response {
    let link = next.as_deref().map(|next| link(uri, next));
    let mut response = written.with("next_cursor", &next.into());
    if let Some(link) = link.and_then(|link| HeaderValue::from_str(&link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

/// A page of nothing.
pub(super) fn nothing(uri: &Uri) -> Response {
    ended(uri, Written::new(), None)
}

/// Lists of short items are read with one row more than asked for. Takes it away again, and returns the cursor of
/// the next page if it was there.
pub(super) fn cut<T>(
    found: &mut Vec<T>,
    limit: u32,
    cursor: impl FnOnce(&T) -> String,
) -> Option<String> {
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    found.last().filter(|_| more).map(cursor)
}

/// The same list, one page on.
fn link(uri: &Uri, cursor: &str) -> String {
    let mut query: String = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|part| !part.is_empty() && !names_cursor(part))
        .map(|part| format!("{part}&"))
        .collect();
    query.push_str("cursor=");
    query.extend(utf8_percent_encode(cursor, NON_ALPHANUMERIC));
    format!("<{}?{query}>; rel=\"next\"", uri.path())
}

fn names_cursor(part: &str) -> bool {
    let name = part.split('=').next().unwrap_or_default();
    percent_decode_str(name).eq("cursor".bytes())
}

/// A page size within bounds.
pub(super) fn limit(asked: Option<u32>, default: u32, max: u32) -> Result<u32, Problem> {
    let limit = asked.unwrap_or(default);
    if (1..=max).contains(&limit) {
        Ok(limit)
    } else {
        let message = format!("must be from 1 to {max}");
        Err(Problem::invalid(vec![Fault::new("limit", message)]))
    }
}

/// A filter that knows its values.
pub(super) fn one_of(path: &str, value: Option<&str>, known: &[&str]) -> Result<(), Problem> {
    match value {
        Some(value) if !known.contains(&value) => {
            let message = format!("must be one of {}", known.join(", "));
            Err(Problem::invalid(vec![Fault::new(path, message)]))
        }
        _ => Ok(()),
    }
}

/// Cursors come from earlier pages, and from nowhere else.
pub(super) fn bad_cursor() -> Problem {
    let fault = Fault::new("cursor", "is not a cursor of this list");
    Problem::invalid(vec![fault])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_where_it_is_full_and_has_one_item_at_least() {
        let half = "x".repeat(limits::PAGE_BYTES / 2);
        let mut page = Written::new();
        for room in [true, true, false] {
            assert_eq!(page.has_room(), room);
            page.push(&half).unwrap();
        }
        let mut page = Written::new();
        page.push(&"x".repeat(2 * limits::PAGE_BYTES)).unwrap();
        assert!(!page.has_room());
    }

    #[test]
    fn the_next_page_keeps_the_filters() {
        let uri = Uri::from_static("/api/v1/tasks?status=done&%63ursor=old&limit=2");
        assert_eq!(
            link(&uri, "1.a&b"),
            "</api/v1/tasks?status=done&limit=2&cursor=1%2Ea%26b>; rel=\"next\""
        );
        let bare = Uri::from_static("/api/v1/tasks");
        assert_eq!(link(&bare, "x"), "</api/v1/tasks?cursor=x>; rel=\"next\"");
    }
}
