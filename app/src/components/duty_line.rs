//! Who is on duty in the person's own teams, in the header. Where no team has a rota there is nothing.

use chrono::{DateTime, Datelike, Timelike, Utc};
use leptos::prelude::*;

use crate::{
    live::Live,
    view::{DutyLine, DutyText},
};

/// A line for each team.
pub(crate) fn draw_duty(live: Live, text: DutyText) -> AnyView {
    let first = text.read();
    let live = live.as_of(first.at());
    let lines = RwSignal::new(first.lines);
    #[cfg(feature = "hydrate")]
    in_browser::keep_fresh(live, lines);
    let shown = move || {
        let lines = lines.get();
        let is_one = lines.len() == 1;
        let lines = lines.into_iter();
        lines
            .map(|line| view! { <Line line is_one live /> })
            .collect_view()
    };
    view! { <p class="duty">{shown}</p> }.into_any()
}

#[component]
fn Line(line: DutyLine, is_one: bool, live: Live) -> impl IntoView {
    let until = line.ends();
    let team = (!is_one).then(|| {
        view! {
            " for "
            <bdi>{line.team}</bdi>
        }
    });
    let next = line.next.map(|next| format!("Then {next}"));
    let said = match line.person {
        Some(_) if line.is_you => view! { "You are on duty"{team} }.into_any(),
        Some(person) => view! {
            "On duty"
            {team}
            ": "
            <bdi>{person}</bdi>
        }
        .into_any(),
        None => view! { "Nobody is on duty"{team} }.into_any(),
    };
    view! {
        <span class="duty-line" title=next>
            {said}
            " until "
            <time datetime=until.to_rfc3339()>{move || clock(until, live)}</time>
        </span>
    }
}

/// UTC from the server, the reader's own clock once the page runs; with the day, if it is another one.
fn clock(at: DateTime<Utc>, live: Live) -> String {
    #[cfg(feature = "hydrate")]
    if live.hydrated.get() {
        return in_browser::clock(at, live.now.get_untracked());
    }
    let today = live.now.get_untracked().date_naive();
    let day = match at.date_naive() == today {
        true => String::new(),
        false => format!("{:04}-{:02}-{:02} ", at.year(), at.month(), at.day()),
    };
    format!("{day}{:02}:{:02} UTC", at.hour(), at.minute())
}

#[cfg(feature = "hydrate")]
mod in_browser {
    use std::time::Duration;

    use chrono::{DateTime, Utc};
    use leptos::{prelude::*, task::spawn_local};

    use crate::{live::Live, server_fns::load_visitor, view::DutyLine};

    /// How often it looks whether somebody hands over.
    const LOOK: Duration = Duration::from_secs(10);
    /// How long what is shown counts: who is away, or has left, no clock tells.
    const GOOD: i64 = 60_000;

    /// Reads it again when somebody hands over, and every minute, while a person looks at the page.
    pub(super) fn keep_fresh(live: Live, lines: RwSignal<Vec<DutyLine>>) {
        let now = move || live.now.get_untracked().timestamp_millis();
        let read_at = StoredValue::new(now());
        let look = move || {
            let now = now();
            let hands_over = lines.with_untracked(|all| all.iter().any(|one| one.until <= now));
            let is_old = read_at.try_get_value().is_some_and(|at| now - at >= GOOD);
            if document().hidden() || !(hands_over || is_old) {
                return;
            }
            read_at.set_value(now);
            spawn_local(async move {
                if let Ok(visitor) = load_visitor().await {
                    let fresh = visitor.duty.read().lines;
                    if lines.try_with_untracked(|known| *known != fresh) == Some(true) {
                        let _ = lines.try_set(fresh);
                    }
                }
            });
        };
        if let Ok(timer) = set_interval_with_handle(look, LOOK) {
            on_cleanup(move || timer.clear());
        }
    }

    /// `18:00`, or `Mon 09:00`, or `30 Nov 09:00`, as the reader writes it.
    pub(super) fn clock(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970")]
        let date = |at: DateTime<Utc>| js_sys::Date::new(&(at.timestamp_millis() as f64).into());
        let (at_date, today) = (date(at), date(now));
        let options = js_sys::Object::new();
        let say = |name: &str, how: &str| {
            let _ = js_sys::Reflect::set(&options, &name.into(), &how.into());
        };
        say("hour", "2-digit");
        say("minute", "2-digit");
        let day = |date: &js_sys::Date| String::from(date.to_date_string());
        if day(&at_date) != day(&today) {
            if (at - now).num_days() < 6 {
                say("weekday", "short");
            } else {
                say("day", "numeric");
                say("month", "short");
            }
        }
        at_date.to_locale_string("default", &options).into()
    }
}
