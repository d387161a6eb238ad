//! The document around one question.

use axum::{
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{Html, IntoResponse, Response},
};

use super::style::{POLICY, STYLE};
use crate::plain_page::{html::Text, theme_of};

/// How much of what is asked has room on the page, in bytes of HTML. It has to be there at once on a telephone: with its
/// style, its script and its icon it is never more than 30 kB on the way, not even where a question cannot be
/// compressed; with a question of ordinary size not even before that. What its reader has typed comes on top.
pub(super) const ROOM: usize = 28_000;

/// What stands in the document.
pub(super) struct Page {
    pub(super) status: StatusCode,
    pub(super) title: String,
    /// A line at the top, as HTML.
    pub(super) beside: String,
    /// All else, as HTML: an element `main`.
    pub(super) main: String,
}

impl Page {
    pub(super) fn response(&self, headers: &HeaderMap) -> Response {
        let theme = theme_of(headers);
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover\">\
             <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Handraise</title>\
             <style>{style}</style><link rel=\"icon\" type=\"image/svg+xml\" href=\"/pkg/icon.svg\">\
             <script type=\"module\" src=\"/pkg/quick.js\"></script></head><body class=\"quick\">\
             <header><a href=\"/\">Handraise</a><span>{beside}</span></header>{main}</body></html>\n",
            theme = theme.name(),
            title = Text(&self.title),
            style = *STYLE,
            beside = self.beside,
            main = self.main,
        );
        let headers: [(HeaderName, &str); 2] = [
            (header::CONTENT_SECURITY_POLICY, &POLICY),
            // It shows what waits now; a stored one would show what did.
            (header::CACHE_CONTROL, "no-store"),
        ];
        (self.status, headers, Html(page)).into_response()
    }
}
