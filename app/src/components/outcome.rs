//! How something ended, or that it waits: an icon and a word. Colour carries nothing here.

use chrono::{DateTime, Utc};
use domain::interaction::Outcome;
use leptos::prelude::*;

use super::icon::{Icon, Shape};
use crate::view::CalledBack;

/// How it ended; `None` while it waits.
#[component]
pub(super) fn OutcomeWord(outcome: Option<Outcome>) -> impl IntoView {
    let (shape, word) = match outcome {
        None => (Shape::Clock, "Waiting"),
        Some(Outcome::Answered) => (Shape::Check, "Answered"),
        Some(Outcome::Approved) => (Shape::Check, "Approved"),
        Some(Outcome::Denied) => (Shape::Denied, "Denied"),
        Some(Outcome::Proceed) => (Shape::Play, "Proceed"),
        Some(Outcome::ProceedClean) => (Shape::Play, "Proceed, clean"),
        Some(Outcome::ProceedDefault) => (Shape::Play, "Proceed, ask first"),
        Some(Outcome::Adjust) => (Shape::Pen, "Adjust"),
        Some(Outcome::Delivered) => (Shape::Info, "Told"),
        Some(Outcome::Fallback) => (Shape::Clock, "Fallback used"),
        Some(Outcome::Expired) => (Shape::Clock, "Expired"),
        Some(Outcome::Cancelled) => (Shape::Cross, "Taken back"),
        Some(Outcome::Void) => (Shape::Denied, "Void"),
    };
    view! {
        <span class="outcome">
            <Icon shape />
            {word}
        </span>
    }
}

/// Whether the agent has it, in a line of a list.
pub(super) fn pickup(
    collected_at: Option<DateTime<Utc>>,
    callback: Option<CalledBack>,
) -> Option<&'static str> {
    match (collected_at, callback) {
        (Some(_), _) => Some(" · picked up"),
        (None, Some(CalledBack::Delivered)) => Some(" · delivered"),
        (None, Some(CalledBack::Offline)) => Some(" · agent offline"),
        (None, None) => None,
    }
}
