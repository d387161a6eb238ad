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
    use wasm_bindgen::{JsCast, closure::Closure};
    use web_sys::{IntersectionObserver, IntersectionObserverEntry};

    let see = |entries: js_sys::Array, observer: IntersectionObserver| {
        for entry in entries {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            if entry.is_intersecting() {
                let _ = entry.target().set_attribute("data-seen", "");
                observer.disconnect();
            }
        }
    };
    let see = Closure::<dyn Fn(js_sys::Array, IntersectionObserver)>::new(see);
    if let Ok(observer) = IntersectionObserver::new(&see.into_js_value().unchecked_into()) {
        observer.observe(end);
    }
}
