//! Pages of plain HTML in the dashboard's style, with nothing from elsewhere: the API's description and the book, and
//! those that stand alone, as the sign-in page does.

pub(crate) mod html;
pub(crate) mod numbers_table;

use std::fmt::Display;

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

/// A small script of ours on a page that stands alone.
#[derive(Clone, Copy)]
pub(crate) enum Script {
    /// None.
    Nothing,
    /// Asks a device for a passkey.
    Passkeys,
    /// Asks a browser for its subscription, and shows what arrives.
    Reach,
    /// Proposes the browser's time zone.
    Zone,
}

impl Script {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Passkeys => Some("passkeys.js"),
            Self::Reach => Some("reach.js"),
            Self::Zone => Some("zone.js"),
        }
    }

    fn policy(self) -> String {
        let scripts = match self {
            Self::Nothing => "script-src 'none'",
            Self::Passkeys | Self::Zone => "script-src 'self'",
            Self::Reach => "script-src 'self'; connect-src 'self'",
        };
        format!(
            "default-src 'none'; {scripts}; style-src 'self'; img-src 'self'; manifest-src 'self'; base-uri 'none'; \
             object-src 'none'; form-action 'self'; frame-ancestors 'none'"
        )
    }
}

/// A page that stands alone, for the person who looks. `body` is HTML.
pub(crate) fn lone(
    state: &AppState,
    headers: &HeaderMap,
    title: &str,
    body: &dyn Display,
    script: Script,
) -> Response {
    let tag = script.name().map_or_else(String::new, |name| {
        format!("<script type=\"module\" src=\"/pkg/{name}\"></script>")
    });
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Handraise</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"/pkg/icon.svg\">\
         <link rel=\"manifest\" href=\"/manifest.webmanifest\">\
         <link rel=\"apple-touch-icon\" href=\"/pkg/icon-192.png\">\
         <link rel=\"stylesheet\" href=\"/pkg/{style}\">{tag}</head>\
         <body><main class=\"lone{class}\"><p class=\"wordmark\">Handraise</p><h1>{title}</h1>{body}</main></body></html>\n",
        theme = theme_of(headers).name(),
        title = Text(title),
        style = Text(&state.assets.style),
        class = match script {
            Script::Reach => " reach",
            _ => "",
        },
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, script.policy()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, Html(page)).into_response()
}

/// A page of the dashboard that needs nothing of its program, for the person who looks: with the same pages above it, of which the
/// one at `current` is this. `body` is HTML.
pub(crate) fn among_pages(
    state: &AppState,
    headers: &HeaderMap,
    title: &str,
    current: &str,
    is_admin: bool,
    body: &dyn Display,
) -> Response {
    let links: String = app::pages(is_admin)
        .map(|(href, name)| {
            let mark = match href == current {
                true => " aria-current=\"page\"",
                false => "",
            };
            format!("<a class=\"pages-link\" href=\"{href}\"{mark}>{name}</a>")
        })
        .collect();
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Handraise</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"/pkg/icon.svg\">\
         <link rel=\"manifest\" href=\"/manifest.webmanifest\">\
         <link rel=\"stylesheet\" href=\"/pkg/{style}\"></head><body>\
         <a class=\"skip-link\" href=\"#page\">Skip to the page</a>\
         <header class=\"header plain\"><a class=\"wordmark\" href=\"/\">Handraise</a>\
         <nav class=\"pages\" aria-label=\"Pages\">{links}</nav></header>\
         <main id=\"page\" class=\"page plain\" tabindex=\"-1\"><h1 class=\"page-title\">{title}</h1>{body}</main></body></html>\n",
        theme = theme_of(headers).name(),
        title = Text(title),
        style = Text(&state.assets.style),
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, Script::Nothing.policy()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, Html(page)).into_response()
}

/// What a form that was sent says of itself above the page it leads back to. Both are HTML.
pub(crate) fn said(refused: Option<&dyn Display>, done: Option<&dyn Display>) -> String {
    let refused = refused.map(|words| {
        format!("<p id=\"refusal\" class=\"refusal\" role=\"alert\"><span>{words}</span></p>")
    });
    let done = done.map(|words| format!("<p class=\"form-done\" role=\"status\">{words}</p>"));
    [refused, done].into_iter().flatten().collect()
}

/// How the person who looks wants pages to look.
pub(crate) fn theme_of(headers: &HeaderMap) -> Theme {
    let cookies = headers.get(header::COOKIE);
    let cookies = cookies.and_then(|cookies| cookies.to_str().ok());
    cookies.map_or(Theme::System, Theme::from_cookies)
}
