//! News that people, admins above all, get without having asked, above pages that have to do with it.

use leptos::prelude::*;

use crate::{
    components::show_notices,
    live::{Live, reload_on_news, reload_while},
    load,
    server_fns::load_notices,
    view,
};

/// The notices; to a person who is no admin only what concerns themselves.
#[component]
pub(crate) fn Notices() -> impl IntoView {
    let live = use_context::<Live>()?;
    let notices = load::load(|| (), |()| load_notices());
    let reload = Callback::new(move |()| notices.refetch());
    reload_on_news(live, move || notices.refetch());
    reload_while(live, notices, view::Notices::are_old);
    Some(view! {
        <Transition fallback=|| ()>
            // Notices that cannot be loaded are no reason to keep the page from anybody.
            {move || Suspend::new(async move {
                let notices = notices.await.ok()?;
                let live = live.as_of(notices.as_of);
                if notices.is_empty() {
                    return Some(view! { <ul class="notices" hidden></ul> }.into_any());
                }
                show_notices(notices, reload, live).await.ok()
            })}
        </Transition>
    })
}
