//! One's own password once more, before a person is let in.

use chrono::{DateTime, Utc};
use domain::limits;
use leptos::prelude::*;

use crate::{components::controls::Sending, live::Live, load::Loaded, view::Visitor};

/// Until when the password counts that was given on this page, in any of its forms: what the page came with knows nothing
/// of it.
#[derive(Clone, Copy)]
pub(crate) struct GivenLately(RwSignal<Option<DateTime<Utc>>>);

impl GivenLately {
    /// Not yet.
    pub(crate) fn never() -> Self {
        Self(RwSignal::new(None))
    }
}

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
    let here = use_context::<GivenLately>();
    let lately = move || {
        let until = until().max(here.and_then(|GivenLately(here)| here.get()));
        until
            .zip(live)
            .is_some_and(|(until, live)| live.now.get() < until)
    };
    // A person who has just got through has given it, or did not have to.
    let given = move || sending.got_through() || lately();
    // Some of what is sent needs none, and gets through without.
    let typed = StoredValue::new(false);
    Effect::new(move |before: Option<bool>| {
        let got_through = sending.got_through();
        if got_through && before == Some(false) && typed.get_value() {
            typed.set_value(false);
            if let (Some(GivenLately(here)), Some(live)) = (here, live) {
                here.set(Some(live.now.get_untracked() + limits::PROOF_LASTS));
            }
        }
        got_through
    });
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
                on:input:target=move |event| typed.set_value(!event.target().value().is_empty())
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
