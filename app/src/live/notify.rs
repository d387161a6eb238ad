//! Notifications of the browser, for agents that have stopped while the page is out of sight.

use domain::interaction::Mode;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Notification, NotificationOptions, NotificationPermission};

use super::{Live, Wanted};
use crate::{desk::place::Place, view::Row};

/// Whether the browser can notify, and its user has not said yet whether it may.
pub(crate) fn may_ask() -> bool {
    exists() && Notification::permission() == NotificationPermission::Default
}

/// Whether the browser lets this page notify under no circumstances.
pub(crate) fn is_refused() -> bool {
    !exists() || Notification::permission() == NotificationPermission::Denied
}

/// Asks the person at the browser, who must have clicked for it. `then` is called when they have decided.
pub(crate) fn ask(then: impl FnOnce() + 'static) {
    let Ok(decision) = Notification::request_permission() else {
        return;
    };
    let then = Closure::once(move |_: JsValue| then());
    let _ = decision.then(&then);
    then.forget();
}

/// Notifies of a blocker that has stopped its agent, when that is allowed and the page is out of sight.
/// A click opens it.
pub(crate) fn raise(live: Live, row: &Row) {
    let allowed = exists() && Notification::permission() == NotificationPermission::Granted;
    if row.mode != Mode::Sync || !allowed || !document().hidden() {
        return;
    }
    let options = NotificationOptions::new();
    options.set_body(&row.preview);
    // Of several open pages only one is heard.
    options.set_tag(&row.id.to_string());
    let title = format!("{} has stopped and asks", row.agent);
    // On some phones only service workers may notify: then the title has to do.
    let Ok(notification) = Notification::new_with_options(&title, &options) else {
        return;
    };
    let id = row.id;
    let on_click = Closure::<dyn Fn(JsValue)>::new(move |_| {
        let _ = window().focus();
        let _ = live.wanted.try_set(Some(Wanted::Open(Place::Blocker(id))));
    });
    notification.set_onclick(on_click.into_js_value().dyn_ref());
}

fn exists() -> bool {
    js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or(false)
}
