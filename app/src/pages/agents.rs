//! `/agents`: who may ask, and who waits for what.

use leptos::prelude::*;

use crate::{
    components::{AgentRows, Failure},
    live::{Live, reload_on_news},
    load,
    server_fns::load_agents,
};

/// The agents.
#[component]
pub(crate) fn AgentsPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let agents = load::load(|| (), |()| load_agents());
    reload_on_news(live, move || agents.refetch());
    Some(view! {
        <h1 class="page-title">"Agents"</h1>
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match agents.await {
                    Ok(list) => view! { <AgentRows list live /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    })
}
