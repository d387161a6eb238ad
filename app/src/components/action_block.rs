//! The action of an approval, as the machine will run it. It stands before the agent's prose and apart
//! from it: what is said about an action need not be true.

use leptos::prelude::*;

use crate::view::ActionView;

/// The tool, its arguments as what they are, what was written out in them, and the digest.
#[component]
pub(super) fn ActionBlock(action: ActionView) -> impl IntoView {
    view! {
        <section class="action-block" aria-label="What will run">
            <h2 class="part-title">
                "What will run"
            </h2>
            <div class="action-code" dir="ltr" inner_html=action.html></div>
            {action
                .marked
                .then(|| {
                    view! {
                        <p class="action-warning">
                            <strong>"Not what it looks like. "</strong>
                            "It holds characters that nobody can see, that change the order of others, or that look like other characters. Their numbers stand where they are."
                        </p>
                    }
                })}
            <p class="action-digest">{action.digest}</p>
        </section>
    }
}
