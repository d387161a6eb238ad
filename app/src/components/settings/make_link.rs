//! A new one-time link for a person.

use leptos::prelude::*;

use super::{confirm_field::ConfirmField, once::MadeLink, submit::Submit};
use crate::{
    components::{controls::Sending, moment::Until},
    live::Live,
    load::Loaded,
    server_fns::MakeLink,
    view::{PersonRow, Standing, Visitor},
};

/// The link's effect, and the button that makes one.
#[component]
pub(super) fn MakeLinkForm(
    row: PersonRow,
    link: ServerAction<MakeLink>,
    /// The one that was made last.
    made: RwSignal<Option<String>>,
    visitor: Loaded<Visitor>,
    live: Live,
) -> impl IntoView {
    let sending = Sending::of(link);
    let what = match row.standing {
        Standing::Invited => "They have no password yet. A link lets them choose one and come in.",
        Standing::Active | Standing::Disabled => {
            "For a lost password: a link lets them choose another one. Their browsers are signed out when they do, not before."
        }
    };
    view! {
        <section aria-labelledby="link-title">
            <h3 id="link-title" class="section-title">
                "One-time link"
            </h3>
            <ActionForm action=link attr:class="fields wide">
                <input type="hidden" name="id" value=row.id.to_string() />
                <p class="prose">
                    {what}
                    {row
                        .link_until
                        .map(|at| {
                            view! {
                                " There is one, good for " <Until at live />
                                ". A new one ends it."
                            }
                        })}
                </p>
                <ConfirmField visitor sending id="link-confirm" problem="link-problem" />
                <Submit
                    sending
                    label="Make a new link"
                    problem="link-problem"
                    done="There is a new link."
                    needs_script=true
                />
            </ActionForm>
            {move || made.get().map(|link| view! { <MadeLink link /> })}
        </section>
    }
}
