//! Whether the end of what is asked has been on the screen: before it has, no key decides.

use leptos::{html, prelude::*};

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
