//! `/interactions/{id}`: one interaction with everything that happened to it.

use domain::InteractionId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{
    components::{Failure, StoryView},
    error::UiError,
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    server_fns::load_story,
};

/// One interaction.
#[component]
pub(crate) fn InteractionPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let visitor = visitor()?;
    let params = use_params_map();
    let id = Memo::new(move |_| {
        params.with(|params| {
            params
                .get("id")
                .and_then(|id| id.parse::<InteractionId>().ok())
        })
    });
    let story = load::load(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => load_story(id).await,
                None => Err(UiError::NotFound),
            }
        },
    );
    reload_on_news(live, move || story.refetch());
    Some(view! {
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match story.await {
                    Ok(story) => view! { <StoryView story visitor live /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    })
}
