//! `/settings/tokens`: what programs come in with.

use leptos::prelude::*;

use crate::{
    components::{CreateToken, Failure, ForAdmins, MadeToken, TokenRows, when_done},
    live::{Live, reload_on_news},
    load,
    pages::visitor,
    server_fns::{self, load_tokens},
};

/// The tokens.
#[component]
pub(crate) fn TokensPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let visitor = visitor()?;
    let tokens = load::load(|| (), |()| load_tokens());
    let create = ServerAction::<server_fns::CreateToken>::new();
    let said = RwSignal::new(String::new());
    let made = RwSignal::new(None);
    when_done(create, move |asked, token| {
        made.set(Some((asked.kind, asked.name.trim().to_owned(), token)));
        tokens.refetch();
    });
    let revoked = move |name| {
        said.set(format!("Revoked: the token of {name}."));
        tokens.refetch();
    };
    let owned = move |name| {
        said.set(format!("Changed: the owner of {name}."));
        tokens.refetch();
    };
    reload_on_news(live, move || tokens.refetch());
    Some(view! {
        <ForAdmins visitor>
            <CreateToken create tokens visitor />
        </ForAdmins>
        {move || {
            made.get().map(|(kind, name, token)| view! { <MadeToken kind name token /> })
        }}
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || tokens.get().and_then(Result::err).map(|error| view! { <Failure error /> })}
            <TokenRows tokens visitor owned revoked said live />
        </Transition>
    })
}
