//! One's own password once more, before a person is let in.

use domain::limits;
use leptos::prelude::*;

use crate::{components::controls::Sending, live::Live, load::Loaded, view::Visitor};

/// The field of a form whose server function takes `confirm`. Hidden while the password was given lately; the
/// server asks for it in any case.
#[component]
pub(in crate::components) fn ConfirmField(
    visitor: Loaded<Visitor>,
    sending: Sending,
    /// Its id in the page.
    #[prop(into)]
    id: String,
    /// The id of the element that says what is wrong.
    #[prop(into)]
    problem: String,
) -> impl IntoView {
    let live = use_context::<Live>();
    // Read where the form stands, inside what its page loads: a boundary of its own would keep a form that is over.
    let until = move || {
        visitor
            .get()
            .and_then(Result::ok)
            .map(|visitor| visitor.proven_until)
    };
    // A person who has just got through has given it, or did not have to.
    let given = move || {
        let lately = until()
            .zip(live)
            .is_some_and(|(until, live)| live.now.get() < until);
        sending.got_through() || lately
    };
    let by_provider = move || {
        visitor
            .get()
            .and_then(Result::ok)
            .is_some_and(|it| it.by_provider)
    };
    let hint = format!("{id}-hint");
    view! {
        <div class="labelled" hidden=given>
            <label for=id.clone()>"Your password"</label>
            <input
                id=id
                class="field"
                type="password"
                name="confirm"
                autocomplete="current-password"
                autocapitalize="none"
                spellcheck="false"
                maxlength=limits::PASSWORD_MAX_CHARS.to_string()
                aria-describedby=format!("{hint} {problem}")
            />
            <p id=hint.clone() class="hint">
                "Once more, so that nobody does this in a browser you left open. Then not again for 15 minutes."
                {move || {
                    by_provider()
                        .then(|| {
                            view! {
                                " No password? "
                                <a href="/settings#providers">"Confirm with your provider"</a>
                                " first."
                            }
                        })
                }}
            </p>
        </div>
    }
}
