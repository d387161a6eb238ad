//! `/settings/people`: everybody, and inviting more.

use leptos::prelude::*;

use crate::{
    components::{Failure, ForAdmins, InviteForm, MadeLink, PeopleRows, Said, when_done},
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    server_fns::{InvitePerson, load_people},
};

/// Everybody.
#[component]
pub(crate) fn PeoplePage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let visitor = visitor()?;
    let people = load::load(|| (), |()| load_people());
    let invite = ServerAction::<InvitePerson>::new();
    let said = RwSignal::new(String::new());
    // Until the next one: a refused invitation does not take the last link away.
    let made = RwSignal::new(None);
    when_done(invite, move |asked, link| {
        let name = asked.name.trim().to_owned();
        said.set(format!("{name} is invited."));
        made.set(Some(link));
        people.refetch();
    });
    reload_on_news(live, move || people.refetch());
    Some(view! {
        <ForAdmins visitor>
            <InviteForm invite visitor />
        </ForAdmins>
        <Said words=said />
        {move || made.get().map(|link| view! { <MadeLink link /> })}
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || people.get().and_then(Result::err).map(|error| view! { <Failure error /> })}
            <PeopleRows people live />
        </Transition>
    })
}
