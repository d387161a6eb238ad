//! On to the next blocker without an answer to this one.

use domain::InteractionId;
use leptos::prelude::*;

use super::keys::address_of;
use crate::{held::Holding, live::Live};

/// Hidden where no other waits.
#[component]
pub(super) fn Skip(id: InteractionId) -> impl IntoView {
    let next = next_after(id);
    move || {
        next.get().map(|next| {
            view! {
                <a class="button quiet skip" href=address_of(next)>
                    "Skip"
                    <kbd>"J"</kbd>
                </a>
            }
        })
    }
}

/// The blocker that comes after this one. The server renders the dialog without the desk, so the first render in a
/// browser is without it too.
pub(super) fn next_after(id: InteractionId) -> Memo<Option<InteractionId>> {
    let runs = RwSignal::new(false);
    Effect::new(move |_| runs.set(true));
    let (live, holding) = (use_context::<Live>(), use_context::<Holding>());
    Memo::new(move |_| {
        if !runs.get() {
            return None;
        }
        live?.desk.track();
        holding?.beside(id, 1)
    })
}
