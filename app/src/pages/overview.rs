//! The first page: who waits, the last day in numbers, what happened lately; or how to begin.

use domain::PersonId;
use leptos::prelude::*;

use super::{DeskResource, Notices, VisitorResource};
use crate::{
    components::{DayCounts, Failure, FirstQuestion, RecentList, WaitingNow},
    desk::Desk,
    drawn_later::{Drawers, DrawnLater},
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
                        let draw = Box::new(move |it: &Drawers| (it.overview)(live, visitor.clone()));
                        view! { <DrawnLater draw meanwhile="Loading…" /> }.into_any()
                    }
                    (Err(error), _) | (_, Err(error)) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Suspense>
    }
}

/// What stands below the notices.
pub(crate) fn draw_overview(live: Live, visitor: Visitor) -> AnyView {
    view! {
        <Today live me=visitor.id />
        <FirstQuestion live visitor />
    }
    .into_any()
}

/// Hidden until something has been asked.
#[component]
fn Today(live: Live, me: PersonId) -> impl IntoView {
    let asked = Memo::new(move |_| !live.desk.with(Desk::is_untouched));
    view! {
        <div class="overview" hidden=move || !asked.get()>
            <h1 class="page-title">"Overview"</h1>
            <DayCounts live />
            <WaitingNow live me />
            <RecentList live />
        </div>
    }
}
