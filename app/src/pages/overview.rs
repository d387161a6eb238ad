//! The first page: who waits, the last day in numbers, what happened lately; or how to begin.

use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};

use super::{DeskResource, Notices, VisitorResource};
use crate::{
    components::{DayCounts, Failure, FirstQuestion, RecentList, WaitingNow},
    desk::Desk,
    live::Live,
    view::Visitor,
};

/// Beside the panel while no blocker is open.
#[component]
pub(crate) fn OverviewPage() -> impl IntoView {
    let desk = use_context::<DeskResource>();
    let visitor = use_context::<VisitorResource>();
    let live = use_context::<Live>();
    view! {
        <Notices />
        <Suspense fallback=|| view! { <p class="panel-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                let (Some(DeskResource(desk)), Some(VisitorResource(visitor)), Some(live)) = (
                    desk,
                    visitor,
                    live,
                ) else {
                    return ().into_any();
                };
                match (desk.await, visitor.await) {
                    (Ok(desk), Ok(visitor)) => {
                        let live = live.with_desk(desk);
                        view! { <Overview live visitor /> }.into_any()
                    }
                    (Err(error), _) | (_, Err(error)) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Suspense>
    }
}

/// Draws what stands below the notices.
type Draw = fn(Live, Visitor) -> AnyView;

/// A part of its own: a person answers from the list, and that reacts the sooner.
#[wasm_split(overview, wasm_split_path = ::leptos::wasm_split, fallible)]
fn overview() -> Result<Draw, SplitLoaderError> {
    Ok(draw)
}

fn draw(live: Live, visitor: Visitor) -> AnyView {
    view! {
        <Today live />
        <FirstQuestion live visitor />
    }
    .into_any()
}

/// As the server has drawn it, until what draws it in the browser has come.
#[component]
fn Overview(live: Live, visitor: Visitor) -> impl IntoView {
    let drawing = RwSignal::new(None::<Draw>);
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        leptos::task::spawn_local(async move {
            drawing.set(Some(crate::parts::until_there(overview).await));
        });
    });
    move || match drawing.get() {
        Some(draw) => view! { <div>{draw(live, visitor.clone())}</div> }.into_any(),
        None => view! { <div inner_html=drawn(live, &visitor)></div> }.into_any(),
    }
}

/// The browser leaves what is there as it is.
#[cfg(not(feature = "ssr"))]
fn drawn(_: Live, _: &Visitor) -> String {
    String::new()
}

#[cfg(feature = "ssr")]
fn drawn(live: Live, visitor: &Visitor) -> String {
    draw(live, visitor.clone()).to_html()
}

/// Hidden until something has been asked.
#[component]
fn Today(live: Live) -> impl IntoView {
    let asked = Memo::new(move |_| !live.desk.with(Desk::is_untouched));
    view! {
        <div class="overview" hidden=move || !asked.get()>
            <h1 class="page-title">"Overview"</h1>
            <DayCounts live />
            <WaitingNow live />
            <RecentList live />
        </div>
    }
}
