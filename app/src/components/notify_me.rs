//! The button that lets the browser notify. It asks a person only after their click.

use leptos::prelude::*;

/// Hidden where a browser cannot notify, and where it has been allowed or forbidden already.
#[component]
pub(super) fn NotifyMe() -> impl IntoView {
    let offered = RwSignal::new(false);
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| offered.set(crate::live::notify::may_ask()));
    let refused = RwSignal::new(false);
    let ask = move |_| {
        #[cfg(feature = "hydrate")]
        crate::live::notify::ask(move || {
            let _ = offered.try_set(crate::live::notify::may_ask());
            let _ = refused.try_set(crate::live::notify::is_refused());
        });
    };
    view! {
        <p class="notify-me" hidden=move || !offered.get()>
            <button class="button small" type="button" on:click=ask>
                "Notify me"
            </button>
            " when an agent stops and this page is out of sight."
        </p>
        <p class="notify-me" role="status" hidden=move || !refused.get()>
            "This browser does not allow it. Its settings for this page can."
        </p>
    }
}
