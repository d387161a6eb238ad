//! Leaving this browser.

use leptos::prelude::*;

use super::controls::draft::forget_everything;
use crate::live::Live;

/// Texts that were typed in this browser and not sent are gone with it. A plain form around the button. From then on
/// the page waits for the way out: the end of its session is no surprise that it would have to
/// load itself again for.
#[component]
pub(super) fn SignOutForm(children: Children) -> impl IntoView {
    let live = use_context::<Live>();
    let leave = move |_| {
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
