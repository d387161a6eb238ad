//! `/tasks`: the work agents do, and what it waits for.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    components::{Failure, TaskFilters, TaskRows},
    live::{Live, reload_on_news},
    load,
    server_fns::load_tasks,
};

/// The tasks.
#[component]
pub(crate) fn TasksPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let params = use_query_map();
    let status = Memo::new(move |_| {
        let status = params.with(|params| params.get("status"));
        status.filter(|status| !status.is_empty())
    });
    let tasks = load::load(move || status.get(), load_tasks);
    reload_on_news(live, move || tasks.refetch());
    Some(view! {
        <h1 class="page-title">"Tasks"</h1>
        <TaskFilters status />
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match tasks.await {
                    Ok(list) => view! { <TaskRows list status live /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    })
}
