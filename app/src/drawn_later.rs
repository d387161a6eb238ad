//! What of the desk is not in the first part of the program: a person reads the list and opens a question without it,
//! and both react the sooner. Until that part has come, what the server has drawn stands there.

use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};

use crate::{
    components::{draw_duty, draw_held, draw_keys, draw_marked, draw_narrowing, draw_snoozed},
    held::Holding,
    live::Live,
    marks::Marks,
    pages::draw_overview,
    view::{DutyText, Visitor},
};

/// What draws each of them.
#[derive(Clone, Copy)]
pub(crate) struct Drawers {
    pub(crate) duty: fn(Live, DutyText) -> AnyView,
    pub(crate) held: fn(Live, Holding, Marks) -> AnyView,
    pub(crate) keys: fn() -> AnyView,
    pub(crate) marked: fn(Holding, Marks) -> AnyView,
    pub(crate) narrowing: fn(Live, Holding) -> AnyView,
    pub(crate) overview: fn(Live, Visitor) -> AnyView,
    pub(crate) snoozed: fn(Live) -> AnyView,
}

#[wasm_split(desk, wasm_split_path = ::leptos::wasm_split, fallible)]
fn drawers() -> Result<Drawers, SplitLoaderError> {
    Ok(ALL)
}

const ALL: Drawers = Drawers {
    duty: draw_duty,
    held: draw_held,
    keys: draw_keys,
    marked: draw_marked,
    narrowing: draw_narrowing,
    overview: draw_overview,
    snoozed: draw_snoozed,
};

/// Them, once they are there.
#[derive(Clone, Copy)]
struct Come(RwSignal<Option<Drawers>>);

/// Fetches them, for all of a desk.
pub(crate) fn provide_drawers() {
    let come = RwSignal::new(None);
    provide_context(Come(come));
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        leptos::task::spawn_local(async move {
            let drawers = crate::parts::until_there(drawers).await;
            let _ = come.try_set(Some(drawers));
        });
    });
}

/// One of them. `meanwhile` stands there on a page that the browser has drawn from the beginning.
#[component]
pub(crate) fn DrawnLater(
    draw: Box<dyn Fn(&Drawers) -> AnyView + Send + Sync>,
    #[prop(optional)] meanwhile: &'static str,
) -> impl IntoView {
    let Come(come) = use_context()?;
    Some(move || match come.get() {
        Some(drawers) => view! { <div class="drawn-later">{draw(&drawers)}</div> }.into_any(),
        None => {
            let drawn = at_first(&draw, meanwhile);
            view! { <div class="drawn-later" inner_html=drawn></div> }.into_any()
        }
    })
}

/// What the server has drawn, the browser leaves as it is.
#[cfg(not(feature = "ssr"))]
fn at_first(_: &dyn Fn(&Drawers) -> AnyView, meanwhile: &'static str) -> String {
    meanwhile.to_owned()
}

#[cfg(feature = "ssr")]
fn at_first(draw: &dyn Fn(&Drawers) -> AnyView, _: &'static str) -> String {
    draw(&ALL).to_html()
}
