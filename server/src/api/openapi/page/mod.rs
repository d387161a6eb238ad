//! `GET /docs`: the description for people. Plain HTML in the dashboard's style, with no script and nothing
//! from elsewhere.

mod calls;
mod html;
mod schemas;

use std::sync::LazyLock;

use app::Theme;
use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, header},
    response::{Html, IntoResponse},
};
use serde_json::Value;

use self::html::Text;
use crate::state::AppState;

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// All but the head, which depends on who looks.
static BODY: LazyLock<String> = LazyLock::new(|| {
    let document = serde_json::from_str(super::json()).unwrap_or(Value::Null);
    body(&document)
});

/// The page.
pub async fn show(State(state): State<AppState>, headers: HeaderMap) -> impl IntoResponse {
    let cookies = headers.get(header::COOKIE);
    let theme = cookies
        .and_then(|cookies| cookies.to_str().ok())
        .map_or(Theme::System, Theme::from_cookies);
    let headers: [(HeaderName, &str); 2] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>API · Handraise</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"/pkg/icon.svg\">\
         <link rel=\"stylesheet\" href=\"/pkg/{style}\"></head>{body}</html>\n",
        theme = theme.name(),
        style = Text(&state.assets.style),
        body = *BODY,
    );
    (headers, Html(page))
}

fn body(document: &Value) -> String {
    let mut out = String::from(
        "<body class=\"docs\"><a class=\"skip-link\" href=\"#calls\">To the calls</a>\
         <header class=\"docs-header\"><a href=\"/\">Handraise</a></header><main class=\"docs-page\">\
         <h1>API</h1><p>JSON, with <code>Authorization: Bearer TOKEN</code>. An agent sees what it asked itself, a \
         responder token all. For machines: <a href=\"/api/v1/openapi.json\">OpenAPI 3.1</a>.</p>",
    );
    calls::contents(document, &mut out);
    out.push_str("<div id=\"calls\">");
    calls::all(document, &mut out);
    schemas::all(document, &mut out);
    out.push_str("</div></main></body>");
    out
}
