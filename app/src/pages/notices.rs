//! What admins should know without having asked, above pages that have to do with it.

use leptos::prelude::*;

use crate::{
    components::GivenUp,
    live::{Live, reload_on_news, reload_while},
    server_fns::load_notices,
    view, wire,
};

/// The notices; nothing to whoever is no admin.
#[component]
pub(crate) fn Notices() -> impl IntoView {
    let live = use_context::<Live>()?;
    let notices = wire::load(|| (), |()| load_notices());
    reload_on_news(live, move || notices.refetch());
    reload_while(live, notices, view::Notices::are_old);
    Some(view! {
        <Transition fallback=|| ()>
            // What cannot be loaded is no reason to keep the page from anybody.
            {move || Suspend::new(async move {
                let notices = notices.await.ok()?;
                Some(view! { <GivenUp notices live /> })
            })}
        </Transition>
    })
}
