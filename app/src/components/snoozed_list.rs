//! What a person has snoozed, folded: it is in their list again by itself.

use chrono::DateTime;
use domain::InteractionId;
use leptos::{ev, prelude::*, server_fn::ServerFn};

use super::{
    controls::{Problem, Sending},
    moment::Until,
};
use crate::{
    desk::place::Place,
    drawn_later::{Drawers, DrawnLater},
    held::Holding,
    live::Live,
    server_fns::EndSnooze,
    view::Row,
};

/// Nothing while nothing is snoozed.
#[component]
pub(super) fn SnoozedList(live: Live) -> impl IntoView {
    let draw = Box::new(move |it: &Drawers| (it.snoozed)(live));
    view! { <DrawnLater draw /> }
}

pub(crate) fn draw_snoozed(live: Live) -> AnyView {
    let rows = Memo::new(move |_| {
        live.desk.with(|desk| {
            let of = |(id, until): &(InteractionId, i64)| {
                let row = desk.waiting.iter().find(|row| row.id == *id)?;
                Some((row.clone(), *until))
            };
            desk.snoozed.iter().filter_map(of).collect::<Vec<_>>()
        })
    });
    Effect::new(move |_| {
        // Whatever comes back does so when its time is there.
        let now = live.now.get().timestamp_millis();
        let is_back = live
            .desk
            .with(|desk| desk.snoozed.iter().any(|(_, until)| *until <= now));
        if is_back {
            live.desk
                .update(|desk| desk.snoozed.retain(|(_, until)| *until > now));
        }
    });
    view! {
        <Show when=move || rows.with(|rows| !rows.is_empty())>
            <details class="snoozed">
                <summary>{move || format!("Snoozed ({})", rows.with(Vec::len))}</summary>
                <ul>
                    <For each=move || rows.get() key=|(row, until)| (row.id, *until) let:one>
                        <SnoozedLine row=one.0 until=one.1 live />
                    </For>
                </ul>
            </details>
        </Show>
    }
    .into_any()
}

#[component]
fn SnoozedLine(row: Row, until: i64, live: Live) -> impl IntoView {
    let id = row.id;
    let at = DateTime::from_timestamp_millis(until).unwrap_or_default();
    let holding = use_context::<Holding>();
    let ends = ServerAction::new();
    let sending = Sending::of(ends);
    Effect::new(move |_| {
        if sending.is_done() {
            live.desk
                .update(|desk| desk.snoozed.retain(|(of, _)| *of != id));
        }
    });
    let show = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if sending.starts() {
            ends.dispatch(EndSnooze {
                id,
                by: holding.and_then(Holding::person),
            });
        }
    };
    let problem = format!("show-{id}");
    view! {
        <li>
            <a href=Place::Blocker(id).address() dir="auto">
                {row.about.unwrap_or(row.preview)}
            </a>
            <span class="snoozed-until">"back in " <Until at live /></span>
            <form method="post" action=EndSnooze::url() on:submit=show>
                <input type="hidden" name="id" value=id.to_string() />
                <button
                    class="button quiet small"
                    type="submit"
                    disabled=move || sending.is_busy()
                    aria-describedby=problem.clone()
                >
                    "Show now"
                </button>
                <Problem id=problem sending />
            </form>
        </li>
    }
}
