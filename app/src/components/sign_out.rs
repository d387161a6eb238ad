//! Leaving this browser.

use leptos::{ev, prelude::*, task::spawn_local, wasm_bindgen::JsCast};

use crate::draft::forget_everything;
use crate::{held::Holding, live::Live};

/// Texts that were typed in this browser and not sent are gone with it. A plain form around the button. From then on
/// the page waits for the way out: the end of its session is no surprise that it would have to
/// load itself again for.
#[component]
pub(super) fn SignOutForm(children: Children) -> impl IntoView {
    let live = use_context::<Live>();
    let holding = use_context::<Holding>();
    let leave = move |event: ev::SubmitEvent| {
        if let Some(holding) = holding.filter(|holding| holding.has_any()) {
            // What this person has sent goes out under their name.
            event.prevent_default();
            let form = event
                .target()
                .and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok());
            spawn_local(async move {
                holding.send_all().await;
                _ = form.map(|form| form.request_submit());
            });
            return;
        }
        // The server asks the browser for the same, which listens where the way to it is secure.
        forget_everything();
        if let Some(live) = live {
            live.leaving.set(true);
        }
    };
    view! {
        <form class="sign-out" method="post" action="/sign-out" on:submit=leave>
            {children()}
        </form>
    }
}
