//! The dashboard: shell and routes. Pages load, components show, `live` keeps the desk up to date.
//!
//! The first render must be the same on the server and in the browser: no clock, no randomness, no
//! storage, no window before an `Effect`.
//!
//! Uses `domain`, and `visible` on the server. Begin with [`App`], then `pages/blocker.rs`.

#![expect(
    unreachable_pub,
    reason = "the component macro makes a `pub` struct of every component's props"
)]

mod address;
pub mod backend;
mod components;
pub mod desk;
mod draft;
mod drawn_later;
pub mod error;
mod held;
pub mod live;
mod load;
mod marks;
mod pages;
mod parts;
pub mod server_fns;
mod theme;
pub mod view;
pub mod wire;

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos_router::{
    SsrMode,
    components::{ParentRoute, Route, Router, Routes},
    location::RequestUrl,
    path,
};
use serde::Deserialize;

pub use components::{decision_title, heading, kind_word, pages};
use pages::{DeskLayout, NotFound, OverviewPage};
#[cfg(feature = "hydrate")]
pub use parts::load_for_this_page;
use parts::{DialogPage, Later, Part, RestPage};
pub use theme::Theme;

/// The names of the page's files under `/pkg/`, as the build hashed them (`assets.json`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Assets {
    /// Starts the page.
    pub boot: String,
    /// The bindings.
    pub script: String,
    /// Loads the parts of the program.
    pub loader: String,
    /// The first part.
    pub wasm: String,
    /// The files of each other part.
    pub parts: BTreeMap<String, Vec<String>>,
    /// The style sheet.
    pub style: String,
}

/// Holds answers back until the program runs.
const GUARD: &str = include_str!("guard.js");

/// The HTML document around the app.
pub fn shell(assets: &Assets) -> impl IntoView + use<> {
    #[cfg(feature = "ssr")]
    let nonce = use_nonce().map(|nonce| nonce.to_string());
    #[cfg(not(feature = "ssr"))]
    let nonce = None::<String>;
    let url = |name: &str| format!("/pkg/{name}");
    let theme = use_context::<Theme>().unwrap_or_default();
    let part = use_context::<RequestUrl>().and_then(|url| Part::of_url(url.as_ref()));
    let of_part = part.and_then(|part| assets.parts.get(part.name()));
    let programs: Vec<_> = std::iter::once(&assets.wasm)
        .chain(of_part.into_iter().flatten())
        .map(|name| url(name))
        .collect();
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme.name()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="description" content="Agents raise a hand, a person answers." />
                <title>"Handraise"</title>
                <link rel="icon" type="image/svg+xml" href="/pkg/icon.svg" />
                <link rel="manifest" href="/manifest.webmanifest" />
                <link rel="apple-touch-icon" href="/pkg/icon-192.png" />
                // Within the page: no form is there without it, whatever else does not come.
                <script nonce=nonce inner_html=GUARD></script>
                <link rel="stylesheet" href=url(&assets.style) />
                <link rel="modulepreload" href=url(&assets.script) />
                <link rel="modulepreload" href=url(&assets.loader) />
                {programs
                    .into_iter()
                    .map(|href| {
                        view! {
                            <link
                                rel="preload"
                                href=href
                                r#as="fetch"
                                r#type="application/wasm"
                                crossorigin="anonymous"
                            />
                        }
                    })
                    .collect_view()}
                <script type="module" src=url(&assets.boot)></script>
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// The routes.
#[component]
pub fn App() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    provide_context(live::Ahead(parts::load_ahead));
    view! {
        <Router>
            <Routes fallback=NotFound>
                <ParentRoute path=path!("") view=DeskLayout ssr=SsrMode::Async>
                    <Route path=path!("") view=OverviewPage ssr=SsrMode::Async />
                    <Route path=path!("blockers/:id") view=Later::Dialog(DialogPage::Blocker) ssr=SsrMode::Async />
                    <Route path=path!("groups/:which") view=Later::Dialog(DialogPage::Group) ssr=SsrMode::Async />
                    <Route path=path!("history") view=Later::Rest(RestPage::History) ssr=SsrMode::Async />
                    <Route path=path!("interactions/:id") view=Later::Rest(RestPage::Interaction) ssr=SsrMode::Async />
                    <Route path=path!("tasks") view=Later::Rest(RestPage::Tasks) ssr=SsrMode::Async />
                    <Route path=path!("agents") view=Later::Rest(RestPage::Agents) ssr=SsrMode::Async />
                    <Route path=path!("deliveries") view=Later::Rest(RestPage::Deliveries) ssr=SsrMode::Async />
                    <Route path=path!("deliveries/:id") view=Later::Rest(RestPage::Delivery) ssr=SsrMode::Async />
                    <ParentRoute path=path!("settings") view=Later::Rest(RestPage::Settings) ssr=SsrMode::Async>
                        <Route path=path!("") view=Later::Rest(RestPage::Account) ssr=SsrMode::Async />
                        <Route path=path!("people") view=Later::Rest(RestPage::People) ssr=SsrMode::Async />
                        <Route path=path!("people/:id") view=Later::Rest(RestPage::Person) ssr=SsrMode::Async />
                        <Route path=path!("teams") view=Later::Rest(RestPage::Teams) ssr=SsrMode::Async />
                        <Route path=path!("teams/:id") view=Later::Rest(RestPage::Team) ssr=SsrMode::Async />
                        <Route path=path!("tokens") view=Later::Rest(RestPage::Tokens) ssr=SsrMode::Async />
                        <Route path=path!("webhooks") view=Later::Rest(RestPage::Webhooks) ssr=SsrMode::Async />
                        <Route path=path!("webhooks/:id") view=Later::Rest(RestPage::Webhook) ssr=SsrMode::Async />
                    </ParentRoute>
                </ParentRoute>
                <Route path=path!("sign-in") view=Later::Rest(RestPage::SignIn) ssr=SsrMode::Async />
                <Route path=path!("sign-in/:link") view=Later::Rest(RestPage::AcceptLink) ssr=SsrMode::Async />
                <Route path=path!("slack/link/:token") view=Later::Rest(RestPage::SlackLink) ssr=SsrMode::Async />
            </Routes>
        </Router>
    }
}

/// Sets the status of the response while the server renders.
pub(crate) fn respond_with_status(code: u16) {
    #[cfg(feature = "ssr")]
    if let (Some(response), Ok(code)) = (
        use_context::<leptos_axum::ResponseOptions>(),
        http::StatusCode::from_u16(code),
    ) {
        response.set_status(code);
    }
    #[cfg(not(feature = "ssr"))]
    let _ = code;
}
