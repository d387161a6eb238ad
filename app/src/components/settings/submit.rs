//! The button of a settings form, and what is wrong beside it.

use leptos::prelude::*;

use crate::{
    components::controls::{Problem, Sending},
    live::Live,
};

/// Sends the form around it, once at a time.
#[component]
pub(in crate::components) fn Submit(
    sending: Sending,
    label: &'static str,
    /// The id of the element that says what is wrong.
    #[prop(into)]
    problem: String,
    /// The words beside it once a call got through.
    #[prop(optional)]
    done: Option<&'static str>,
    /// Whether it is what people came here for.
    #[prop(optional)]
    primary: bool,
    /// Whether the reply can only be shown by a running page: a link or token that is not seen is lost.
    #[prop(optional)]
    needs_script: bool,
) -> impl IntoView {
    let live = use_context::<Live>();
    let runs = move || live.is_some_and(|live| live.hydrated.get());
    view! {
        <div class="form-start">
            <button
                class="button"
                class:primary=primary
                type="submit"
                disabled=move || sending.is_pending() || needs_script && !runs()
                aria-busy=move || sending.is_pending().then_some("true")
                aria-describedby=problem.clone()
            >
                {move || if sending.is_pending() { "Sending…" } else { label }}
            </button>
            <Problem id=problem sending />
            {done
                .map(|done| {
                    view! {
                        <p class="form-done" role="status">
                            {move || sending.got_through().then_some(done)}
                        </p>
                    }
                })}
        </div>
        {needs_script
            .then(|| {
                view! { <p class="hint without-script">"This needs scripts, which are switched off."</p> }
            })}
    }
}
