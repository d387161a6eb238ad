//! `/settings`: one's own account, and for admins people and tokens.

mod account;
mod people;
mod person;
mod tokens;

use domain::Role;
use leptos::prelude::*;
use leptos_router::{components::Outlet, hooks::use_location};

use super::VisitorResource;

pub(crate) use account::AccountPage;
pub(crate) use people::PeoplePage;
pub(crate) use person::PersonPage;
pub(crate) use tokens::TokensPage;

/// A page, its name, and the beginning of the addresses that belong to it.
const PAGES: [(&str, &str, Option<&str>); 3] = [
    ("/settings", "Account", None),
    ("/settings/people", "People", Some("/settings/people/")),
    ("/settings/tokens", "Tokens", None),
];

/// The title, and for admins the way to the other pages.
#[component]
pub(crate) fn SettingsLayout() -> impl IntoView {
    view! {
        <div class="settings">
            <h1 class="page-title">"Settings"</h1>
            <ForAdmins>
                <Pages />
            </ForAdmins>
            <Outlet />
        </div>
    }
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

/// Shows its children to admins alone. That is a courtesy: the server asks for the role itself.
#[component]
fn ForAdmins(children: ChildrenFn) -> impl IntoView {
    let visitor = use_context::<VisitorResource>();
    let children = StoredValue::new(children);
    view! {
        <Suspense fallback=|| ()>
            {move || Suspend::new(async move {
                let visitor = visitor?.0.await.ok()?;
                let admin = visitor.role == Role::Admin;
                admin.then(|| children.with_value(|children| children()))
            })}
        </Suspense>
    }
}
