//! Whether the end of what is asked has been on the screen: before it has, a page whose program runs approves nothing.

use leptos::{html, prelude::*};

use super::keys::elements;

/// Stands behind what is asked, and says on the page when it has been seen.
#[component]
pub(super) fn ReadToEnd() -> impl IntoView {
    let end = NodeRef::<html::Div>::new();
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        if let Some(end) = end.get() {
            mark_when_seen(&end);
        }
    });
    view! { <div class="read-to-end" node_ref=end></div> }
}

/// Whether it has been; if not, the page moves on by most of what can be seen of it.
pub(super) fn is_read() -> bool {
    if elements(".dialog .read-to-end:not([data-seen])").is_empty() {
        return true;
    }
    // Only one of them scrolls, and nothing lies over it.
    for part in elements(".dialog :is(.dialog-sheet, .dialog-body, .dialog-main)") {
        if part.scroll_height() > part.client_height() {
            part.set_scroll_top(part.scroll_top() + part.client_height() * 4 / 5);
        }
    }
    false
}

#[cfg(feature = "hydrate")]
fn mark_when_seen(end: &web_sys::Element) {
    let marked = end.clone();
    when_seen(end, move || {
        let _ = marked.set_attribute("data-seen", "");
    });
}

/// Calls `then` once, when this is on the screen.
#[cfg(feature = "hydrate")]
pub(super) fn when_seen(end: &web_sys::Element, then: impl Fn() + 'static) {
    use wasm_bindgen::{JsCast, closure::Closure};
    use web_sys::{IntersectionObserver, IntersectionObserverEntry};

    let see = move |entries: js_sys::Array, observer: IntersectionObserver| {
        let is_seen = |entry| {
            let entry: IntersectionObserverEntry = JsCast::unchecked_into(entry);
            entry.is_intersecting()
        };
        if entries.iter().any(is_seen) {
            observer.disconnect();
            then();
        }
    };
    let see = Closure::<dyn Fn(js_sys::Array, IntersectionObserver)>::new(see);
    if let Ok(observer) = IntersectionObserver::new(&see.into_js_value().unchecked_into()) {
        observer.observe(end);
    }
}
