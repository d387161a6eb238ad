//! The panel: who waits, for how long, with how much time left.

use domain::interaction::{Kind, Mode, Outcome};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::{
    badge::{Badge, UrgentMark},
    deadline::TimeLeft,
    kind_mark::KindMark,
    moment::{Ago, Since},
    notify_me::NotifyMe,
};
use crate::{held::Holding, live::Live, view::Row};

/// Everybody who waits.
#[component]
pub(crate) fn WaitingList(live: Live) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| crate::live::client::start(live));

    let holding = use_context::<Holding>().map(|holding| holding.seen_by(live));
    let count = Memo::new(move |_| {
        let more = live.desk.with(|desk| desk.more_waiting);
        holding.map_or(0, |holding| holding.waiting().len()) + more
    });
    view! {
        <h2 class="panel-title">
            "Waiting for you" <span class="count">{move || count.get()}</span>
        </h2>
        <Rows mode=Mode::Sync says="have stopped until you answer" holding live />
        <Rows mode=Mode::Async says="go on meanwhile" holding live />
        <p class="panel-note">
            {move || {
                let more = live.desk.with(|desk| desk.more_waiting);
                if more > 0 {
                    format!("{more} more wait behind these.").into_any()
                } else if count.get() > 0 {
                    "Nothing else waits.".into_any()
                } else {
                    view! { <NobodyWaits live /> }.into_any()
                }
            }}
        </p>
        <NotifyMe />
    }
}

/// Those of one mode, under its word.
#[component]
fn Rows(mode: Mode, says: &'static str, holding: Option<Holding>, live: Live) -> impl IntoView {
    let rows = Memo::new(move |_| {
        let mut rows = holding.map(Holding::waiting).unwrap_or_default();
        rows.retain(|row| row.mode == mode);
        rows
    });
    view! {
        <h3 class="rows-title" hidden=move || rows.with(Vec::is_empty)>
            <Badge mode />
            {says}
        </h3>
        <ul class="rows" aria-label=says hidden=move || rows.with(Vec::is_empty)>
            <For each=move || rows.get() key=|row| row.id let:row>
                <WaitingRow row live />
            </For>
        </ul>
    }
}

#[component]
fn WaitingRow(row: Row, live: Live) -> impl IntoView {
    let href = format!("/blockers/{}", row.id);
    let location = use_location();
    let here = href.clone();
    let current = move || (location.pathname.get() == here).then_some("page");
    view! {
        <li class="row" data-mode=row.mode.name()>
            <a class="row-link" href=href aria-current=current>
                <span class="row-line">
                    <UrgentMark urgent=row.urgent />
                    <KindMark row=row.clone() live />
                    <TimeLeft row=row.clone() live />
                </span>
                {row
                    .about
                    .map(|about| {
                        view! {
                            <span class="row-about" data-kind=row.kind.name() dir="auto">
                                {about}
                            </span>
                        }
                    })}
                <span class="row-text" dir="auto">
                    {row.preview}
                </span>
                <span class="row-line row-meta">
                    <span class="row-from">
                        <bdi>{row.agent}</bdi>
                        {row.session_id.map(|session| view! { " · " <bdi>{session}</bdi> })}
                    </span>
                    <span class="row-wait">"waits " <Since at=row.created_at live /></span>
                </span>
            </a>
        </li>
    }
}

#[component]
fn NobodyWaits(live: Live) -> impl IntoView {
    let last = live.desk.with_untracked(|desk| {
        let mut closed = desk.recent.iter();
        closed
            .find(|closed| closed.row.kind != Kind::Notification)
            .cloned()
    });
    view! {
        "Nobody is waiting. "
        {last
            .map(|last| {
                let by = last.closure.by.map(|by| view! { " by " <bdi>{by}</bdi> });
                view! {
                    {match last.closure.outcome {
                        Outcome::Expired | Outcome::Fallback | Outcome::Cancelled => "Last closed ",
                        _ => "Last answer ",
                    }}
                    <Ago at=last.closure.at live />
                    {by}
                    "."
                }
            })}
    }
}
