//! What every page of a signed-in person shares: header, panel, live feed, keys.

use leptos::prelude::*;
use leptos_router::components::Outlet;

use crate::{
    components::{Failure, Header, KeyHelp, WaitingList},
    error::UiError,
    live::{Desk, Live},
    server_fns::{load_desk, load_visitor},
    view::Visitor,
};

/// The desk as the server read it for this page; [`Live`] knows what has happened since.
#[derive(Clone, Copy)]
pub(crate) struct DeskResource(pub(crate) Resource<Result<Desk, UiError>>);

/// See [`DeskResource`].
#[derive(Clone, Copy)]
pub(crate) struct VisitorResource(pub(crate) Resource<Result<Visitor, UiError>>);

/// Makes what all pages share. It belongs to the whole app: on the server the owner of a layout may be
/// gone while the page inside of it still waits for data, and its signals with it.
pub(crate) fn provide_desk() {
    Live::provide();
    provide_context(DeskResource(Resource::new(|| (), |()| load_desk())));
    provide_context(VisitorResource(Resource::new(|| (), |()| load_visitor())));
}

/// Header and panel around a page.
#[component]
pub(crate) fn DeskLayout() -> impl IntoView {
    let live = use_context::<Live>()?;
    let DeskResource(desk) = use_context()?;
    let VisitorResource(visitor) = use_context()?;
    crate::components::follow_keys();
    title_counts_waiting(live);

    Some(view! {
        <a class="skip-link" href="#page">
            "Skip to the page"
        </a>
        <Header visitor />
        <div class="desk">
            <aside class="panel" aria-label="Waiting for you">
                <Suspense fallback=|| view! { <p class="panel-note">"Loading…"</p> }>
                    {move || Suspend::new(async move {
                        match desk.await {
                            Ok(desk) => {
                                live.seed(desk);
                                view! { <WaitingList live /> }.into_any()
                            }
                            Err(error) => view! { <Failure error /> }.into_any(),
                        }
                    })}
                </Suspense>
            </aside>
            <main id="page" class="page">
                <Outlet />
            </main>
        </div>
        <p class="visually-hidden" role="status">
            {move || live.announcement.get()}
        </p>
        <KeyHelp />
    })
}

fn title_counts_waiting(live: Live) {
    let waiting = Memo::new(move |_| live.desk.with(|desk| desk.waiting.len()));
    Effect::new(move |_| {
        document().set_title(&match waiting.get() {
            0 => "Handraise".to_owned(),
            waiting => format!("({waiting}) Handraise"),
        });
    });
}
