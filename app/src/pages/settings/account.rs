//! `/settings`: who one is, one's password, and the browsers one is signed in with.

use leptos::prelude::*;

use crate::{
    components::{AccountView, ConnectionsView, Failure, OwnTeams, SessionRows, when_done},
    live::Live,
    load,
    server_fns::{
        ChangePassword, EndOtherSessions, UnlinkSlack, load_account, load_connections,
        load_own_teams,
    },
};

/// One's own account.
#[component]
pub(crate) fn AccountPage() -> impl IntoView {
    let live = use_context::<Live>()?;
    let account = load::load(|| (), |()| load_account());
    let connections = load::load(|| (), |()| load_connections());
    let teams = load::load(|| (), |()| load_own_teams());
    let change = ServerAction::<ChangePassword>::new();
    let unlink = ServerAction::<UnlinkSlack>::new();
    let others = ServerAction::<EndOtherSessions>::new();
    let said = RwSignal::new(String::new());
    let done = move |words: String| {
        said.set(words);
        account.refetch();
    };
    when_done(change, move |_, ()| account.refetch());
    when_done(unlink, move |_, ()| account.refetch());
    when_done(others, move |_, ()| {
        done("Your other browsers are signed out.".to_owned());
    });
    let ended = move |browser| done(format!("{browser} is signed out."));
    Some(view! {
        <Transition fallback=|| view! { <p class="list-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match account.await {
                    Ok(account) => view! { <AccountView account change unlink /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
            {move || Suspend::new(async move {
                teams.await.ok().map(|teams| view! { <OwnTeams teams /> })
            })}
            {move || Suspend::new(async move {
                connections.await.ok().map(|connections| view! { <ConnectionsView connections /> })
            })}
            <SessionRows account others ended said live />
        </Transition>
    })
}
