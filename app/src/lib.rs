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
pub mod error;
mod held;
pub mod live;
mod load;
mod marks;
mod pages;
pub mod server_fns;
mod theme;
pub mod view;
pub mod wire;

use leptos::prelude::*;
use leptos_router::{
    SsrMode,
    components::{ParentRoute, Route, Router, Routes},
    path,
};
use serde::Deserialize;

use pages::{
    AcceptLinkPage, AccountPage, AgentsPage, BlockerPage, DeliveriesPage, DeliveryPage, DeskLayout,
    GroupPage, HistoryPage, InteractionPage, NotFound, OverviewPage, PeoplePage, PersonPage,
    SettingsLayout, SignInPage, SlackLinkPage, TasksPage, TokensPage, WebhookPage, WebhooksPage,
};
pub use theme::Theme;

/// The names of the page's files under `/pkg/`, as the build hashed them (`assets.json`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Assets {
    /// Starts the page.
    pub boot: String,
    /// The bindings.
    pub script: String,
    /// The program.
    pub wasm: String,
    /// The style sheet.
    pub style: String,
}

/// The HTML document around the app.
pub fn shell(assets: &Assets) -> impl IntoView + use<> {
    let url = |name: &str| format!("/pkg/{name}");
    let theme = use_context::<Theme>().unwrap_or_default();
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
                <link rel="stylesheet" href=url(&assets.style) />
                <link rel="modulepreload" href=url(&assets.script) />
                <link
                    rel="preload"
                    href=url(&assets.wasm)
                    r#as="fetch"
                    r#type="application/wasm"
                    crossorigin="anonymous"
                />
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
    view! {
        <Router>
            <Routes fallback=NotFound>
                <ParentRoute path=path!("") view=DeskLayout ssr=SsrMode::Async>
                    <Route path=path!("") view=OverviewPage ssr=SsrMode::Async />
                    <Route path=path!("blockers/:id") view=BlockerPage ssr=SsrMode::Async />
                    <Route path=path!("groups/:which") view=GroupPage ssr=SsrMode::Async />
                    <Route path=path!("history") view=HistoryPage ssr=SsrMode::Async />
                    <Route path=path!("interactions/:id") view=InteractionPage ssr=SsrMode::Async />
                    <Route path=path!("tasks") view=TasksPage ssr=SsrMode::Async />
                    <Route path=path!("agents") view=AgentsPage ssr=SsrMode::Async />
                    <Route path=path!("deliveries") view=DeliveriesPage ssr=SsrMode::Async />
                    <Route path=path!("deliveries/:id") view=DeliveryPage ssr=SsrMode::Async />
                    <ParentRoute path=path!("settings") view=SettingsLayout ssr=SsrMode::Async>
                        <Route path=path!("") view=AccountPage ssr=SsrMode::Async />
                        <Route path=path!("people") view=PeoplePage ssr=SsrMode::Async />
                        <Route path=path!("people/:id") view=PersonPage ssr=SsrMode::Async />
                        <Route path=path!("tokens") view=TokensPage ssr=SsrMode::Async />
                        <Route path=path!("webhooks") view=WebhooksPage ssr=SsrMode::Async />
                        <Route path=path!("webhooks/:id") view=WebhookPage ssr=SsrMode::Async />
                    </ParentRoute>
                </ParentRoute>
                <Route path=path!("sign-in") view=SignInPage ssr=SsrMode::Async />
                <Route path=path!("sign-in/:link") view=AcceptLinkPage ssr=SsrMode::Async />
                <Route path=path!("slack/link/:token") view=SlackLinkPage ssr=SsrMode::Async />
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
