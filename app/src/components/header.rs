//! The bar at the top: name, live status, pages, theme, person.

use domain::time;
use leptos::{ev, prelude::*};
use leptos_router::hooks::use_location;

use super::{for_admins::ForAdmins, keys::show_help, sign_out::SignOutForm};
use crate::{
    drawn_later::{Drawers, DrawnLater},
    live::{Live, LiveStatus},
    load::Loaded,
    theme::{self, Theme},
    view::{DutyText, Visitor},
};

/// The bar at the top.
#[component]
pub(crate) fn Header(visitor: Loaded<Visitor>) -> impl IntoView {
    view! {
        <header class="header">
            <a class="wordmark" href="/">
                "Handraise"
            </a>
            <LiveDot />
            <Pages visitor />
            <span class="header-space"></span>
            <button class="button quiet key-entry" type="button" on:click=|_| show_help()>
                "Keys"
                <kbd>"?"</kbd>
            </button>
            <ThemeSwitch />
            <Suspense fallback=|| ()>
                {move || Suspend::new(async move {
                    visitor
                        .await
                        .ok()
                        .map(|visitor| {
                            view! {
                                <DutyPlace duty=visitor.duty />
                                <a class="person" href="/settings" title="Your account">
                                    <bdi>{visitor.name}</bdi>
                                </a>
                            }
                        })
                })}
            </Suspense>
            <SignOutForm>
                <button class="button quiet" type="submit">
                    "Sign out"
                </button>
            </SignOutForm>
        </header>
    }
}

/// Who is on duty, once the part is there that reads it.
#[component]
fn DutyPlace(duty: DutyText) -> impl IntoView {
    let live = use_context::<Live>()?;
    (!duty.is_empty()).then(|| {
        let draw = Box::new(move |it: &Drawers| (it.duty)(live, duty.clone()));
        view! { <DrawnLater draw /> }
    })
}

/// A page, its name, and the beginnings of the addresses that belong to it.
type PageLink = (&'static str, &'static str, &'static [&'static str]);

const PAGES: [PageLink; 4] = [
    ("/", "Overview", &["/blockers/"]),
    ("/history", "History", &["/history", "/interactions/"]),
    ("/tasks", "Tasks", &["/tasks"]),
    ("/agents", "Agents", &["/agents"]),
];
/// Deliveries are for admins alone.
const DELIVERIES: PageLink = ("/deliveries", "Deliveries", &["/deliveries/"]);
const SETTINGS: PageLink = ("/settings", "Settings", &["/settings/"]);

/// The addresses and names of all pages, for those that are plain. Insights is one of them, and has its link on the history.
pub fn pages(is_admin: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let for_admins = is_admin.then_some(DELIVERIES);
    let insights = ("/insights", "Insights", [].as_slice());
    let all = PAGES.into_iter().chain([insights]);
    let all = all.chain(for_admins).chain([SETTINGS]);
    all.map(|(href, name, _)| (href, name))
}

#[component]
fn Pages(visitor: Loaded<Visitor>) -> impl IntoView {
    view! {
        <nav class="pages" aria-label="Pages">
            {PAGES.map(|page| view! { <PageTab page /> }).collect_view()} <ForAdmins visitor>
                <PageTab page=DELIVERIES />
            </ForAdmins> <PageTab page=SETTINGS />
        </nav>
    }
}

#[component]
fn PageTab(page: PageLink) -> impl IntoView {
    let (href, name, below) = page;
    let path = use_location().pathname;
    let current = move || {
        path.with(|path| path == href || below.iter().any(|below| path.starts_with(below)))
            .then_some("page")
    };
    view! {
        <a class="pages-link" href=href aria-current=current>
            {name}
        </a>
    }
}

#[component]
fn LiveDot() -> impl IntoView {
    let live = use_context::<Live>();
    let status = move || live.map_or(LiveStatus::Connecting, |live| live.status.get());
    let words = move || match status() {
        LiveStatus::Connecting => "Connecting…".to_owned(),
        LiveStatus::Live => "Live".to_owned(),
        LiveStatus::Reconnecting => "Reconnecting…".to_owned(),
        LiveStatus::Polling => "Polling every 5 s".to_owned(),
        LiveStatus::Unreachable { since } => {
            let now = live.map_or(since, |live| live.now.get());
            format!("No answer from the server for {}", time::words(now - since))
        }
    };
    view! {
        <span
            class="live"
            class:up=move || status() == LiveStatus::Live
            class:down=move || matches!(status(), LiveStatus::Unreachable { .. })
            role="status"
            title=words
        >
            <span class="live-dot" aria-hidden="true"></span>
            <span class="live-words">{words}</span>
        </span>
    }
}

#[component]
fn ThemeSwitch() -> impl IntoView {
    // The shell has put the current one on the document; unknown here until the page runs.
    let theme = RwSignal::new(Theme::System);
    let root = || document().document_element();
    Effect::new(move |_| {
        if let Some(name) = root().and_then(|root| root.get_attribute("data-theme")) {
            theme.set(Theme::from_name(&name));
        }
    });
    let switch = move |_: ev::MouseEvent| {
        let next = theme.get_untracked().next();
        theme.set(next);
        if let Some(root) = root() {
            let _ = root.set_attribute("data-theme", next.name());
        }
        remember(next);
    };
    view! {
        <button
            class="button quiet"
            type="button"
            on:click=switch
            aria-label=move || format!("Theme: {}. Switch", theme.get().name())
            title=move || format!("Theme: {}", theme.get().name())
        >
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" />
                <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
            </svg>
        </button>
    }
}

fn remember(theme: Theme) {
    #[cfg(feature = "hydrate")]
    {
        use leptos::wasm_bindgen::JsCast;
        if let Ok(document) = document().dyn_into::<web_sys::HtmlDocument>() {
            let _ = document.set_cookie(&format!(
                "{}={}; path=/; max-age=31536000; samesite=lax",
                theme::COOKIE,
                theme.name()
            ));
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (theme, theme::COOKIE);
}
