//! Points in time: relative on the page, exact on hover.

use chrono::{DateTime, Utc};
use domain::time;
use leptos::prelude::*;

use crate::live::Live;

/// `12 min ago`, ticking.
#[component]
pub(super) fn Ago(at: DateTime<Utc>, live: Live) -> impl IntoView {
    view! {
        <time datetime=at.to_rfc3339() title=move || exact(at, live)>
            {move || format!("{} ago", time::words(live.now.get() - at))}
        </time>
    }
}

/// `5m`, ticking: how long an agent has been waiting.
#[component]
pub(super) fn Since(at: DateTime<Utc>, live: Live) -> impl IntoView {
    view! {
        <time datetime=at.to_rfc3339() title=move || exact(at, live)>
            {move || time::compact(live.now.get() - at)}
        </time>
    }
}

/// `5 min`, ticking: how long something has been so.
#[component]
pub(super) fn LongSince(at: DateTime<Utc>, live: Live) -> impl IntoView {
    view! {
        <time datetime=at.to_rfc3339() title=move || exact(at, live)>
            {move || time::words(live.now.get() - at)}
        </time>
    }
}

/// `23 h`, ticking: how long something is good.
#[component]
pub(super) fn Until(at: DateTime<Utc>, live: Live) -> impl IntoView {
    view! {
        <time datetime=at.to_rfc3339() title=move || exact(at, live)>
            {move || time::words(at - live.now.get())}
        </time>
    }
}

/// The exact time, for lists in which the order counts.
#[component]
pub(super) fn At(at: DateTime<Utc>, live: Live) -> impl IntoView {
    view! {
        <time datetime=at.to_rfc3339()>{move || exact(at, live)}</time>
        " · "
        <Ago at live />
    }
}

/// UTC from the server, the reader's own time once the page runs.
fn exact(at: DateTime<Utc>, live: Live) -> String {
    #[cfg(feature = "hydrate")]
    if live.hydrated.get() {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970")]
        let date = js_sys::Date::new(&(at.timestamp_millis() as f64).into());
        return date
            .to_locale_string("default", &wasm_bindgen::JsValue::UNDEFINED)
            .into();
    }
    let _ = live;
    time::exact(at)
}
