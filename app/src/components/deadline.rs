//! The time left until the deadline: a ring that empties, and words.

use domain::{
    interaction::{Kind, Mode},
    time,
};
use leptos::prelude::*;

use crate::{live::Live, view::Row};

/// The share of the time below which it presses.
const SHORT: f64 = 0.1;

/// `18m` and a ring; nothing when it never expires.
#[component]
pub(super) fn TimeLeft(row: Row, live: Live) -> impl IntoView {
    let from = row.created_at;
    row.expires_at.map(|until| {
        let left = move || time::fraction_left(from, until, live.now.get());
        view! {
            <span class="time-left" class:short=move || left() < SHORT title=format!("Expires {}", time::exact(until))>
                <span class="visually-hidden">"expires in "</span>
                {move || time::compact(until - live.now.get())}
                <Ring left />
            </span>
        }
    })
}

#[component]
fn Ring(left: impl Fn() -> f64 + Send + Sync + 'static) -> impl IntoView {
    // The circumference of the circle is 100, so the dash is a percentage.
    view! {
        <svg class="ring" viewBox="0 0 40 40" width="12" height="12" aria-hidden="true">
            <circle class="ring-whole" cx="20" cy="20" r="15.915" />
            <circle
                class="ring-left"
                cx="20"
                cy="20"
                r="15.915"
                transform="rotate(-90 20 20)"
                stroke-dasharray=move || format!("{} 100", (left() * 100.0).round() as i64)
            />
        </svg>
    }
}

/// The consequence of no answer, in a sentence.
#[component]
pub(super) fn Consequence(row: Row, fallback: Option<String>, live: Live) -> impl IntoView {
    let Some(until) = row.expires_at else {
        return view! { <span>"Never. It waits until somebody answers."</span> }.into_any();
    };
    let left = move || time::words(until - live.now.get());
    let then = match fallback {
        Some(fallback) => {
            view! { " the fallback " <code dir="auto">{fallback}</code> " is used." }.into_any()
        }
        None => view! { <WithoutAnswer row /> }.into_any(),
    };
    view! {
        <time datetime=until.to_rfc3339() title=time::exact(until)>
            "In "
            {left}
        </time>
        {then}
    }
    .into_any()
}

/// Rules 2 and 5.
#[component]
fn WithoutAnswer(row: Row) -> impl IntoView {
    let first = match row.kind {
        Kind::Approval => " it expires, and the action must not run.".into_any(),
        _ => view! { " it expires, and " <bdi>{row.agent}</bdi> " gets no answer." }.into_any(),
    };
    let task = row.task_id.filter(|_| row.mode == Mode::Sync);
    view! { {first} {task.map(|task| view! { " Task " <bdi>{task}</bdi> " fails." })} }
}
