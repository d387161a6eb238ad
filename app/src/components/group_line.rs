//! One of several blockers: who asks, with its tick; or how it ended while the dialog was open.

use std::collections::HashSet;

use domain::InteractionId;
use leptos::{ev, html, prelude::*};

use super::{
    controls::TOGETHER,
    deadline::TimeLeft,
    moment::{Ago, Since},
    outcome::OutcomeWord,
};
use crate::{
    desk::place::Place,
    live::Live,
    view::{Closure, Row, drawn_name},
};

/// Which of several are ticked.
#[derive(Clone, Copy)]
pub(super) struct Ticks(RwSignal<HashSet<InteractionId>>);

impl Ticks {
    /// All are at first.
    pub(super) fn all(ids: Vec<InteractionId>) -> Self {
        Self(RwSignal::new(ids.into_iter().collect()))
    }

    /// Whether this one is.
    pub(super) fn has(self, id: InteractionId) -> bool {
        self.0.with_untracked(|ids| ids.contains(&id))
    }

    /// How many are.
    pub(super) fn count(self) -> usize {
        self.0.with(HashSet::len)
    }

    fn set(self, id: InteractionId, is_ticked: bool) {
        self.0.update(|ids| match is_ticked {
            true => _ = ids.insert(id),
            false => _ = ids.remove(&id),
        });
    }
}

/// On a tick Enter would press the form's first button.
fn sends_nothing(event: ev::KeyboardEvent) {
    if event.key() == "Enter" {
        event.prevent_default();
    }
}

/// As far as the desk has told.
#[derive(Clone, Debug, PartialEq)]
enum Standing {
    /// The desk may not list it yet.
    Unseen,
    Waits,
    Over(Option<Closure>),
}

/// Ticked at first; what is over cannot be ticked.
#[component]
pub(super) fn GroupLine(
    row: Row,
    digest: String,
    ticks: Ticks,
    may_answer: bool,
    live: Live,
) -> impl IntoView {
    let id = row.id;
    let standing = Memo::new(move |before: Option<&Standing>| {
        live.desk.with(|desk| {
            if desk.waiting.iter().any(|row| row.id == id) {
                return Standing::Waits;
            }
            let closed = desk.recent.iter().find(|closed| closed.row.id == id);
            match (closed, before) {
                (Some(closed), _) => Standing::Over(Some(closed.closure.clone())),
                (None, Some(Standing::Waits)) => Standing::Over(None),
                (None, before) => before.cloned().unwrap_or(Standing::Unseen),
            }
        })
    });
    let is_over = Memo::new(move |_| standing.with(|now| matches!(now, Standing::Over(_))));
    let tick = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        let Some(tick) = tick.get() else { return };
        if is_over.get() {
            tick.set_checked(false);
        }
        // It may have been unticked before the page's program ran.
        ticks.set(id, tick.checked());
    });
    let on_change = move |_| {
        if let Some(tick) = tick.get_untracked() {
            ticks.set(id, tick.checked());
        }
    };
    let value = format!("{id} {digest}");
    let agent = row.agent.clone();
    let about = row.about.clone().unwrap_or_else(|| row.preview.clone());
    view! {
        <li class="group-line" class:over=move || is_over.get()>
            <label class="group-tick">
                {may_answer
                    .then(|| {
                        view! {
                            <input
                                type="checkbox"
                                name="ticked[]"
                                form=TOGETHER
                                value=value
                                checked
                                disabled=move || is_over.get()
                                node_ref=tick
                                on:change=on_change
                                on:keydown=sends_nothing
                            />
                        }
                    })}
                <span class="group-from">
                    // The parts stand apart on the screen; by its name alone a tick does not tell which it is of.
                    <span class="visually-hidden">{about} ", from "</span>
                    <bdi>{agent}</bdi>
                    {row
                        .session_id
                        .as_deref()
                        .map(|session| view! { " · session " <bdi>{drawn_name(session)}</bdi> })}
                </span>
            </label>
            {move || match standing.get() {
                Standing::Over(closure) => {
                    view! {
                        <span class="group-over">
                            {closure
                                .map(|closure| {
                                    view! {
                                        <OutcomeWord outcome=Some(closure.outcome) />
                                        {closure.by.map(|by| view! { " by " <bdi>{by}</bdi> })}
                                        " "
                                        <Ago at=closure.at live />
                                    }
                                })}
                        </span>
                    }
                        .into_any()
                }
                Standing::Unseen | Standing::Waits => {
                    view! {
                        <span class="row-wait">"waits " <Since at=row.created_at live /></span>
                        <TimeLeft row=row.clone() live />
                    }
                        .into_any()
                }
            }}
            <a class="group-open" href=Place::Blocker(id).address()>
                "Open"
            </a>
        </li>
    }
}
