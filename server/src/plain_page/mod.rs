//! A page of plain HTML in the dashboard's style, with no script and nothing from elsewhere: the API's description and
//! the book.

pub(crate) mod html;

use app::Theme;
use axum::{
    http::{HeaderMap, HeaderName, header},
    response::{Html, IntoResponse, Response},
};

use crate::state::AppState;
use html::Text;

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

/// The head of each.
const HEADER: &str = "<header class=\"docs-header\"><a class=\"home\" href=\"/\">Handraise</a>\
                      <nav aria-label=\"Documents\"><a href=\"/docs/index\">Book</a><a href=\"/docs\">API</a></nav>\
                      <form role=\"search\" action=\"/docs/search\"><input class=\"field\" type=\"search\" name=\"q\" \
                      aria-label=\"Search the book\" placeholder=\"Search the book\" maxlength=\"200\" required>\
                      <button class=\"button\" type=\"submit\">Search</button></form></header>";

/// The page for the person who looks. `skip` is the id of what comes first in its body, and its words for a
/// keyboard's user.
pub(crate) fn plain_page(
    state: &AppState,
    headers: &HeaderMap,
    title: &str,
    skip: (&str, &str),
    body: &str,
) -> Response {
    let theme = theme_of(headers);
    let headers: [(HeaderName, &str); 2] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let (id, words) = skip;
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Handraise</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"/pkg/icon.svg\">\
         <link rel=\"stylesheet\" href=\"/pkg/{style}\"></head><body class=\"docs\">\
         <a class=\"skip-link\" href=\"#{id}\">{words}</a>{HEADER}{body}</body></html>\n",
        theme = theme.name(),
        title = Text(title),
        style = Text(&state.assets.style),
    );
    (headers, Html(page)).into_response()
}

/// How the person who looks wants pages to look.
pub(crate) fn theme_of(headers: &HeaderMap) -> Theme {
    let cookies = headers.get(header::COOKIE);
    let cookies = cookies.and_then(|cookies| cookies.to_str().ok());
    cookies.map_or(Theme::System, Theme::from_cookies)
}
