//! Whether answers can be undone in this browser.

use leptos::prelude::*;

use crate::held::Holding;

/// Hidden where no script runs: there every answer is sent at once.
#[component]
pub(super) fn UndoSwitch() -> impl IntoView {
    let runs = RwSignal::new(false);
    let on = RwSignal::new(true);
    Effect::new(move |_| {
        on.set(Holding::is_on());
        runs.set(true);
    });
    let switch = move |event| {
        let wanted = event_target_checked(&event);
        Holding::switch(wanted);
        on.set(wanted);
    };
    view! {
        <section aria-labelledby="answers-title" hidden=move || !runs.get()>
            <h2 id="answers-title" class="section-title">
                "Your answers in this browser"
            </h2>
            <label class="option alone">
                <input type="checkbox" prop:checked=move || on.get() on:change=switch />
                <span class="option-text">
                    <span>"Hold answers for five seconds"</span>
                    <span class="option-more">
                        "So that they can be undone. Agents get them that much later."
                    </span>
                </span>
            </label>
        </section>
    }
}
