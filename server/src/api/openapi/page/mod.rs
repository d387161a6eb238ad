//! `GET /docs`: the description for people. Plain HTML, as the book beside it.

mod calls;
mod schemas;

use std::sync::LazyLock;

use axum::{extract::State, http::HeaderMap, response::Response};
use serde_json::Value;

use crate::{plain_page::plain_page, state::AppState};

/// All but the head, which depends on who looks.
static BODY: LazyLock<String> = LazyLock::new(|| {
    let document = serde_json::from_str(super::json()).unwrap_or(Value::Null);
    body(&document)
});

/// The page.
pub async fn show(State(state): State<AppState>, headers: HeaderMap) -> Response {
    plain_page(&state, &headers, "API", ("calls", "To the calls"), &BODY)
}

fn body(document: &Value) -> String {
    let mut out = String::from(
        "<main class=\"docs-page\"><h1>API</h1><p>JSON, with <code>Authorization: Bearer TOKEN</code>. An agent sees what it asked itself, a \
         responder token all. For machines: <a href=\"/api/v1/openapi.json\">OpenAPI 3.1</a>. In words: <a href=\"/docs/api\">the API</a>.</p>",
    );
    calls::contents(document, &mut out);
    out.push_str("<div id=\"calls\">");
    calls::all(document, &mut out);
    schemas::all(document, &mut out);
    out.push_str("</div></main>");
    out
}
