//! On to the next blocker without an answer to this one.

use leptos::prelude::*;

use crate::{desk::place::Place, held::Holding, live::Live};

/// Hidden where no other waits.
#[component]
pub(super) fn Skip(here: Place) -> impl IntoView {
    let next = next_after(here);
    move || {
        next.get().map(|next| {
            view! {
                <a class="button quiet skip" href=next.address()>
                    "Skip"
                    <kbd>"J"</kbd>
                </a>
            }
        })
    }
}

/// What comes after this. The server renders the dialog without the desk, so the first render in a
/// browser is without it too.
pub(super) fn next_after(here: Place) -> Memo<Option<Place>> {
    let runs = RwSignal::new(false);
    Effect::new(move |_| runs.set(true));
    let (live, holding) = (use_context::<Live>(), use_context::<Holding>());
    Memo::new(move |_| {
        if !runs.get() {
            return None;
        }
        live?.desk.track();
        holding?.beside(here, 1)
    })
}
