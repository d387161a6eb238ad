//! The last 24 hours in numbers.

use leptos::prelude::*;

use crate::{live::Live, view::Counts};

/// Four counts, in words.
#[component]
pub(crate) fn DayCounts(live: Live) -> impl IntoView {
    let counts = Memo::new(move |_| live.desk.with(|desk| desk.counts));
    view! {
        <ul class="day-counts">
            {(0..4)
                .map(|n| {
                    let (_, words) = nth(n, Counts::default());
                    view! {
                        <li>
                            <strong>{move || nth(n, counts.get()).0}</strong>
                            " "
                            {words}
                        </li>
                    }
                })
                .collect_view()}
            <li>"in the last 24 hours"</li>
        </ul>
    }
}

fn nth(n: usize, counts: Counts) -> (i64, &'static str) {
    [
        (counts.asked, "asked"),
        (counts.answered, "answered"),
        (counts.expired, "expired"),
        (counts.cancelled, "taken back"),
    ][n]
}
