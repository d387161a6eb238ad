//! The browsers a person is signed in with.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use super::{
    submit::Submit,
    when_done::{Said, when_done},
};
use crate::{
    components::{controls::Sending, moment::Ago, sign_out::SignOutForm},
    live::Live,
    load::Loaded,
    server_fns::{EndOtherSessions, EndSession},
    view::{Account, SessionRow},
};

/// The list, and the button that leaves this browser alone in it.
#[component]
pub(crate) fn SessionRows(
    account: Loaded<Account>,
    others: ServerAction<EndOtherSessions>,
    /// Called with the browser that was signed out.
    ended: impl Fn(String) + Copy + Send + Sync + 'static,
    said: RwSignal<String>,
    live: Live,
) -> impl IntoView {
    let sending = Sending::of(others);
    let rows = move || {
        let account = account.get().and_then(Result::ok);
        let dated = account.map(|all| all.sessions.into_iter().map(move |row| (row, all.as_of)));
        dated.into_iter().flatten().collect::<Vec<_>>()
    };
    let alone = move || rows().len() < 2;
    view! {
        <section hidden=move || rows().is_empty() aria-labelledby="sessions-title">
            <h2 id="sessions-title" class="section-title">
                "Where you are signed in"
            </h2>
            <Said words=said />
            <ul class="list">
                <For each=rows key=|(row, _)| row.clone() let((row, as_of))>
                    <SessionLine row as_of ended live />
                </For>
            </ul>
            <div class="list-end" hidden=alone>
                <ActionForm action=others>
                    <Submit sending label="Sign out all others" problem="others-problem" />
                </ActionForm>
            </div>
        </section>
    }
}

#[component]
fn SessionLine(
    row: SessionRow,
    as_of: DateTime<Utc>,
    ended: impl Fn(String) + Copy + Send + Sync + 'static,
    live: Live,
) -> impl IntoView {
    let live = live.as_of(as_of);
    let end = ServerAction::<EndSession>::new();
    let sending = Sending::of(end);
    let browser = row.browser.clone();
    when_done(end, move |_, ()| ended(browser.clone()));
    let problem = format!("problem-{}", row.id);
    let way_out = if row.this {
        view! {
            <SignOutForm>
                <button class="button" type="submit">
                    "Sign out"
                </button>
            </SignOutForm>
        }
        .into_any()
    } else {
        view! {
            <ActionForm action=end attr:class="sign-out">
                <input type="hidden" name="id" value=row.id.to_string() />
                <Submit sending label="Sign out" problem />
            </ActionForm>
        }
        .into_any()
    };
    view! {
        <li class="list-row session-line">
            <span class="session-browser">
                <bdi>{row.browser}</bdi> {row.this.then(|| view! { <span class="hint">" · this browser"</span> })}
            </span>
            <span class="session-facts">
                {row.address} " · signed in " <Ago at=row.created_at live /> " · last used "
                <Ago at=row.seen_at live />
            </span>
            {way_out}
        </li>
    }
}
