//! `/history`: everything that was asked and told, searched and narrowed by its address.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    components::{Failure, HistoryFilters, HistoryList, HistorySearch, read_history_query},
    live::{Live, reload_on_news},
    load,
    server_fns::{load_agents, load_history},
};

/// The history.
#[component]
pub(crate) fn HistoryPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let params = use_query_map();
    let query = Memo::new(move |_| params.with(read_history_query));
    let page = load::load(move || query.get(), load_history);
    let agents = load::load(|| (), |()| load_agents());
    reload_on_news(live, move || page.refetch());
    Some(view! {
        <h1 class="page-title">"History"</h1>
        <p class="hint">
            "In numbers: "
            <a href="/insights" rel="external">
                "Insights"
            </a>
        </p>
        <HistorySearch query />
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match (page.await, agents.await) {
                    (Ok(page), Ok(agents)) => {
                        let agents = agents.rows.into_iter().map(|agent| agent.name).collect();
                        view! {
                            <HistoryFilters query agents />
                            <HistoryList page query live />
                        }
                            .into_any()
                    }
                    (Err(error), _) | (_, Err(error)) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    })
}
