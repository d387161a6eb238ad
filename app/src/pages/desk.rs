//! The frame every page of a signed-in person shares: header, panel, live feed, keys.

use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    components::Outlet,
    hooks::{use_location, use_navigate, use_query_map},
};

use crate::{
    components::{
        CameFrom, Failure, GivenLately, Header, HeldLines, KeyHelp, WaitingList, follow_keys,
        keep_the_place,
    },
    desk::{Desk, narrowing::Narrowing, place::Place},
    drawn_later::provide_drawers,
    held::Holding,
    live::{Live, Wanted},
    load::{self, Loaded},
    marks::Marks,
    server_fns::{load_desk, load_visitor},
    view::Visitor,
};

/// The desk as the server read it for this page; [`Live`] knows what has happened since.
#[derive(Clone, Copy)]
pub(crate) struct DeskResource(pub(crate) Loaded<Desk>);

/// See [`DeskResource`].
#[derive(Clone, Copy)]
pub(crate) struct VisitorResource(pub(crate) Loaded<Visitor>);

/// The person who looks, as the layout has loaded them.
pub(crate) fn visitor() -> Option<Loaded<Visitor>> {
    use_context::<VisitorResource>().map(|VisitorResource(visitor)| visitor)
}

/// Header and panel around a page.
#[component]
pub(crate) fn DeskLayout() -> impl IntoView {
    let live = Live::provide();
    let narrowed = narrowed();
    // Without scripts nothing reads the rest of a list that is narrowed.
    let first = !narrowed.with_untracked(Narrowing::is_on);
    let desk = load::load(|| (), move |()| load_desk(first));
    let visitor = load::load(|| (), |()| load_visitor());
    provide_context(DeskResource(desk));
    provide_context(VisitorResource(visitor));
    provide_context(GivenLately::never());
    CameFrom::provide();
    provide_drawers();
    let holding = Holding::provide(live, narrowed);
    Effect::new(move |_| {
        if let Some(Ok(visitor)) = visitor.get() {
            holding.belongs_to(visitor.id);
        }
    });
    follow_keys(live, holding, Marks::provide());
    #[cfg(feature = "hydrate")]
    if let Some(crate::live::Ahead(load)) = use_context() {
        Effect::new(move |_| load(live));
    }
    title_tells(live);
    let path = use_location().pathname;
    Effect::new(move |_| live.at.set(path.with(|path| Place::at(path))));
    go_where_it_is_wanted(live);
    keep_the_place();
    let elsewhere = move || path.with(|path| path != "/" && Place::at(path).is_none());

    view! {
        <a class="skip-link" href="#page">
            "Skip to the page"
        </a>
        <Header visitor />
        <div class="desk" class:elsewhere=elsewhere>
            <aside class="panel" aria-label="Waiting for you">
                <Suspense fallback=|| view! { <p class="panel-note">"Loading…"</p> }>
                    {move || Suspend::new(async move {
                        // Rows say what is this person's own.
                        if let Ok(visitor) = visitor.await {
                            holding.drawn_for(visitor.id);
                        }
                        match desk.await {
                            Ok(desk) => {
                                view! { <WaitingList live=live.with_desk(desk) /> }.into_any()
                            }
                            Err(error) => view! { <Failure error /> }.into_any(),
                        }
                    })}
                </Suspense>
            </aside>
            <main id="page" class="page">
                <a class="way-back" href="/" hidden=move || !elsewhere()>
                    "Back to what is waiting"
                </a>
                <Outlet />
            </main>
        </div>
        <p class="visually-hidden" role="status">
            {move || live.announcement.get()}
        </p>
        // An open blocker has its own.
        {move || path.with(|path| Place::at(path).is_none()).then(HeldLines)}
        <KeyHelp />
    }
}

/// What the overview's address narrows the list to; it stays while another page is open.
fn narrowed() -> Memo<Narrowing> {
    let (path, query) = (use_location().pathname, use_query_map());
    Memo::new(move |before: Option<&Narrowing>| {
        if path.with(|path| path == "/") {
            query.with(Narrowing::read)
        } else {
            before.cloned().unwrap_or_default()
        }
    })
}

/// How many wait, and which page this is.
fn title_tells(live: Live) {
    let waiting = Memo::new(move |_| live.desk.with(Desk::count_waiting));
    let path = use_location().pathname;
    let page = Memo::new(move |_| path.with(|path| page_name(path)));
    Effect::new(move |_| {
        let name = match page.get() {
            "" => "Handraise".to_owned(),
            page => format!("{page} · Handraise"),
        };
        document().set_title(&match waiting.get() {
            0 => name,
            waiting => format!("({waiting}) {name}"),
        });
    });
}

/// What a page other than the desk is called.
fn page_name(path: &str) -> &'static str {
    match path.split('/').nth(1).unwrap_or_default() {
        "history" => "History",
        "interactions" => "Timeline",
        "tasks" => "Tasks",
        "agents" => "Agents",
        "deliveries" => "Deliveries",
        "settings" => "Settings",
        _ => "",
    }
}

/// From one blocker to the next there is no page to go back to.
fn go_where_it_is_wanted(live: Live) {
    let (here, navigate) = (use_location().pathname, use_navigate());
    let back = CameFrom::address();
    Effect::new(move |_| {
        let Some(wanted) = live.wanted.get() else {
            return;
        };
        live.wanted.set(None);
        let place = match wanted {
            Wanted::Open(place) => place.address(),
            Wanted::Back => back.get_untracked(),
        };
        let options = NavigateOptions {
            replace: here.with_untracked(|here| Place::at(here).is_some()),
            ..NavigateOptions::default()
        };
        navigate(&place, options);
    });
}
