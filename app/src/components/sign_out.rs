//! Leaving this browser.

use std::time::Duration;

use leptos::{ev, prelude::*, task::spawn_local, wasm_bindgen::JsCast};

use crate::draft::forget_everything;
use crate::{held::Holding, live::Live};

/// The person's other tabs have this long to send what they hold.
const OTHER_TABS: Duration = Duration::from_millis(500);

/// Texts that were typed in this browser and not sent are gone with it. A plain form around the button. From then on
/// the page waits for the way out: the end of its session is no surprise that it would have to
/// load itself again for.
#[component]
pub(super) fn SignOutForm(children: Children) -> impl IntoView {
    let live = use_context::<Live>();
    let holding = use_context::<Holding>();
    let is_sent = StoredValue::new(false);
    let leave = move |event: ev::SubmitEvent| {
        if !is_sent.get_value() {
            // What this person has sent goes out under their name.
            event.prevent_default();
            let form = event
                .target()
                .and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok());
            spawn_local(async move {
                Holding::send_elsewhere();
                if let Some(holding) = holding {
                    holding.send_all().await;
                }
                let submit = move || {
                    is_sent.set_value(true);
                    _ = form.map(|form| form.request_submit());
                };
                set_timeout(submit, OTHER_TABS);
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
