//! What the reader has approved again and again: to be approved ahead, if they want that. Only ever offered (rule 20), and once.

use domain::InteractionId;
use leptos::prelude::*;

use crate::view::SuggestionView;

/// The offer, in the dialog of an approval or of the next one like it.
#[component]
pub(super) fn SuggestionOffer(id: InteractionId, suggestion: SuggestionView) -> impl IntoView {
    let SuggestionView {
        from,
        count,
        since,
        matcher,
    } = suggestion;
    view! {
        <section class="suggestion" aria-labelledby="suggestion-title">
            <p id="suggestion-title">
                {format!("You have approved {count} like this since {since}, and nobody denied one.")}
            </p>
            <div class="suggestion-ways">
                <a
                    class="button"
                    href=format!("/settings/grants/new?from={from}&what={matcher}")
                    rel="external"
                >
                    "Approve the next ones ahead…"
                </a>
                <form method="post" action="/settings/grants/not-offered">
                    <input type="hidden" name="from" value=from.to_string() />
                    <input type="hidden" name="back" value=id.to_string() />
                    <button class="button quiet" type="submit">
                        "No, keep asking"
                    </button>
                </form>
            </div>
        </section>
    }
}
