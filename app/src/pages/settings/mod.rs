//! `/settings`: one's own account, and for admins people, teams, tokens and webhooks.

mod account;
mod people;
mod person;
mod team;
mod teams;
mod tokens;
mod webhook;
mod webhooks;

use leptos::prelude::*;
use leptos_router::{components::Outlet, hooks::use_location};

use super::visitor;
use crate::components::ForAdmins;

pub(crate) use account::AccountPage;
pub(crate) use people::PeoplePage;
pub(crate) use person::PersonPage;
pub(crate) use team::TeamPage;
pub(crate) use teams::TeamsPage;
pub(crate) use tokens::TokensPage;
pub(crate) use webhook::WebhookPage;
pub(crate) use webhooks::WebhooksPage;

/// A page, its name, and the beginning of the addresses that belong to it.
const PAGES: [(&str, &str, Option<&str>); 5] = [
    ("/settings", "Account", None),
    ("/settings/people", "People", Some("/settings/people/")),
    ("/settings/teams", "Teams", Some("/settings/teams/")),
    ("/settings/tokens", "Tokens", None),
    (
        "/settings/webhooks",
        "Webhooks",
        Some("/settings/webhooks/"),
    ),
];

/// The title, and for admins the way to the other pages.
#[component]
pub(crate) fn SettingsLayout() -> impl IntoView {
    let visitor = visitor()?;
    Some(view! {
        <div class="settings">
            <h1 class="page-title">"Settings"</h1>
            <ForAdmins visitor>
                <Pages />
            </ForAdmins>
            <Outlet />
        </div>
    })
}

#[component]
fn Pages() -> impl IntoView {
    let path = use_location().pathname;
    view! {
        <nav class="tabs" aria-label="Settings">
            {PAGES
                .map(|(href, name, below)| {
                    let current = move || {
                        path.with(|path| {
                            path == href || below.is_some_and(|below| path.starts_with(below))
                        })
                            .then_some("page")
                    };
                    view! {
                        <a class="pages-link" href=href aria-current=current>
                            {name}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
}
