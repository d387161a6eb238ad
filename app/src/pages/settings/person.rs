//! `/settings/people/{id}`: one person, and what an admin may do about them.

use domain::PersonId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::{
    components::{Failure, PersonChanges, PersonView, when_done},
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    respond_with_status,
    server_fns::load_people,
};

/// One person.
#[component]
pub(crate) fn PersonPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let visitor = visitor()?;
    let params = use_params_map();
    let id = Memo::new(move |_| {
        params.with(|params| params.get("id").and_then(|id| id.parse::<PersonId>().ok()))
    });
    let people = load::load(|| (), |()| load_people());
    let changes = PersonChanges::new();
    when_done(changes.change, move |_, ()| people.refetch());
    when_done(changes.slack, move |_, ()| people.refetch());
    when_done(changes.disable, move |asked, ()| {
        let words = match asked.disabled {
            true if asked.revoke_tokens => {
                "Disabled, and signed out everywhere. The tokens they made are revoked."
            }
            true => "Disabled, and signed out everywhere.",
            false => "Enabled: they can come in again.",
        };
        changes.said.set(words.to_owned());
        // It ended with their access.
        changes.made.set(None);
        people.refetch();
    });
    when_done(changes.link, move |_, link| {
        changes.made.set(Some(link));
        people.refetch();
    });
    reload_on_news(live, move || people.refetch());
    Some(view! {
        <p>
            <a class="way-up" href="/settings/people">
                "All people"
            </a>
        </p>
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                let people = match people.await {
                    Ok(people) => people,
                    Err(error) => return view! { <Failure error /> }.into_any(),
                };
                let live = live.as_of(people.as_of);
                let found = people.rows.into_iter().find(|row| Some(row.id) == id.get());
                match found {
                    Some(row) => view! { <PersonView row changes visitor live /> }.into_any(),
                    None => view! { <NoSuchPerson /> }.into_any(),
                }
            })}
        </Transition>
    })
}

#[component]
fn NoSuchPerson() -> impl IntoView {
    respond_with_status(404);
    view! { <p class="list-note">"There is no such person."</p> }
}
