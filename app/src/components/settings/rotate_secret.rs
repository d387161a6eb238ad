//! Another signing secret for a webhook.

use leptos::prelude::*;

use super::{once::MadeSecret, submit::Submit};
use crate::{
    components::{controls::Sending, moment::Until},
    live::Live,
    server_fns::RotateSecret,
    view::WebhookRow,
};

/// The consequence, and the button.
#[component]
pub(super) fn RotateSecretForm(
    row: WebhookRow,
    rotate: ServerAction<RotateSecret>,
    /// The one that was made last.
    made: RwSignal<Option<String>>,
    live: Live,
) -> impl IntoView {
    let sending = Sending::of(rotate);
    view! {
        <section aria-labelledby="secret-title">
            <h3 id="secret-title" class="section-title">
                "Signing secret"
            </h3>
            <p class="prose">
                "A new one signs at once, and the old one signs as well for 24 h more, so the receiver can change over meanwhile."
                {row
                    .previous_until
                    .map(|at| {
                        view! {
                            " At the moment an old one still signs, for " <Until at live />
                            ". Another new one ends that."
                        }
                    })}
            </p>
            <ActionForm action=rotate>
                <input type="hidden" name="id" value=row.id.to_string() />
                <Submit
                    sending
                    label="Make a new secret"
                    problem="secret-problem"
                    done="There is a new secret."
                    needs_script=true
                />
            </ActionForm>
            {move || made.get().map(|secret| view! { <MadeSecret secret /> })}
        </section>
    }
}
