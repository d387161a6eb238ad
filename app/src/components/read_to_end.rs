//! Whether all that is asked has been on the screen, from its beginning to its end and without a gap: before it has, a
//! page whose program runs answers nothing. A jump to the end, by Tab, by End or by the focus, leaves a gap, and so
//! does what runs by faster than it can be seen.

use std::cell::Cell;

use leptos::{html, prelude::*, wasm_bindgen::JsCast};
use web_sys::{Element, HtmlElement, HtmlImageElement};

use super::keys::elements;

/// How far a part has been read: in pixels from its top.
const READ: &str = "data-read";
/// What it asked, its width and its height at that time. In another shape its text stands elsewhere.
const SHAPE: &str = "data-shape";
/// What it asked when all of it had been seen: then its shape no longer counts.
const WHOLE: &str = "data-whole";
/// What a part asks, where one element may come to ask another thing.
const ASKED: &str = "data-asked";
/// Nothing is read faster: windows a second, whatever moves and of how many parts.
const PACE: f64 = 2.0;
/// What is asked stands in these.
const PARTS: &str = ".dialog :is(.dialog-head, .dialog-main, .step-asked, .option-list .option)";

/// In seconds. However long ago the last look was: the page may have been out of sight.
const LONGEST_LOOK: f64 = 0.25;

thread_local! {
    /// When the page was last looked at.
    static LOOKED_AT: Cell<f64> = const { Cell::new(0.0) };
}

/// Stands behind what is asked, and says on the page whether all of it has been seen: `data-seen` is `all` or `part`.
#[component]
pub(super) fn ReadToEnd() -> impl IntoView {
    let end = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(end) = end.get() {
            // What its reader finds on the screen needs its time as well.
            LOOKED_AT.set(now());
            follow(end);
        }
    });
    view! { <div class="read-to-end" node_ref=end></div> }
}

/// Whether all has been on the screen; if not, the page goes to where it was not, with a little of what was.
pub(super) fn is_read() -> bool {
    let mut unread = elements(PARTS);
    unread.retain(|part| !is_whole(part));
    // An option that does not hold what was typed is read all the same.
    for part in &unread {
        part.set_hidden(false);
    }
    let Some(part) = unread.into_iter().next() else {
        return true;
    };
    // Mostly one of them scrolls; where two do, the second makes up for what the first could not.
    for scrolls in std::iter::successors(Some(part.clone()), parent) {
        if scrolls.scroll_height() <= scrolls.client_height() {
            continue;
        }
        let (top, _) = extent(&part);
        let (from, to) = on_screen(&scrolls);
        let again = (to - from).max(0.0) / 5.0;
        let by = top + read(&part) - again - from;
        scrolls.set_scroll_top(scrolls.scroll_top() + by as i32);
    }
    false
}

/// Looks once a frame, until all has been seen or the page shows something else.
fn follow(end: web_sys::HtmlDivElement) {
    request_animation_frame(move || {
        if !end.is_connected() {
            return;
        }
        let mut is_read = true;
        let mut room = room_since_last_look();
        // What another dialog covers is not seen.
        if !elements("dialog:modal:not(.dialog)").is_empty() {
            room = 0.0;
        }
        for part in elements(PARTS) {
            if !is_whole(&part) {
                room -= look(&part, room);
            }
            is_read &= is_whole(&part);
        }
        let _ = end.set_attribute("data-seen", if is_read { "all" } else { "part" });
        if !is_read {
            follow(end);
        }
    });
}

/// How many pixels can have been read. Time that was not used for reading is gone: a jump takes none of it along.
fn room_since_last_look() -> f64 {
    let now = now();
    let seconds = (now - LOOKED_AT.replace(now)).min(LONGEST_LOOK);
    let (from, to) = window_shows();
    (to - from).max(0.0) * PACE * seconds
}

/// In seconds.
fn now() -> f64 {
    window()
        .performance()
        .map_or(0.0, |clock| clock.now() / 1000.0)
}

/// Notes how far the part has been on the screen without a gap, and returns how many pixels more than before, at most
/// as many as there is room for.
fn look(part: &HtmlElement, room: f64) -> f64 {
    let (top, height) = extent(part);
    let (from, to) = on_screen(part);
    // One that is not drawn has no height.
    if height <= 0.0 || to <= from || !is_wholly_wide(part) {
        return 0.0;
    }
    let shape = format!("{} {}x{height}", asked(part), part.client_width());
    if part.get_attribute(SHAPE).as_ref() != Some(&shape) {
        let _ = part.set_attribute(SHAPE, &shape);
        let _ = part.set_attribute(READ, "0");
    }
    let before = read(part);
    // Less than a pixel is rounding.
    let more = match from - top > before + 1.0 {
        true => 0.0,
        false => (to - top - before).clamp(0.0, room),
    };
    let read = before + more;
    let _ = part.set_attribute(READ, &read.to_string());
    if read >= height - 1.0 && is_styled() && has_room(part) && is_drawn(part) {
        let _ = part.set_attribute(WHOLE, &asked(part));
    }
    more
}

/// Whether all of the style sheet is there: without it text runs out to the side, and blanks are gone.
fn is_styled() -> bool {
    let root = document().document_element();
    let style = root.and_then(|root| window().get_computed_style(&root).ok().flatten());
    let last = style.and_then(|style| style.get_property_value("--is-whole").ok());
    last.is_some_and(|last| !last.is_empty())
}

/// Whether nothing in it is wider than its place, so that its end would be cut or out of sight.
fn has_room(part: &HtmlElement) -> bool {
    let Ok(within) = part.query_selector_all("*") else {
        return false;
    };
    let within = (0..within.length()).filter_map(|n| within.get(n)?.dyn_into::<HtmlElement>().ok());
    std::iter::once(part.clone()).chain(within).all(|element| {
        let width = element.client_width();
        // One that is not drawn has none, and one for screen readers a pixel. Less than two pixels are rounding.
        width <= 1 || element.scroll_width() <= width + 2
    })
}

/// Whether all pictures in it are there: one that is on its way, or did not come, has shown nothing.
fn is_drawn(part: &HtmlElement) -> bool {
    let Ok(pictures) = part.query_selector_all("img") else {
        return false;
    };
    (0..pictures.length()).all(|n| {
        let picture = pictures.get(n);
        let picture = picture.and_then(|it| it.dyn_into::<HtmlImageElement>().ok());
        picture.is_some_and(|it| it.complete() && it.natural_width() > 0)
    })
}

/// Whether nothing of it is out of sight to a side: where a person has zoomed in, or a window is narrower than a page
/// can be.
fn is_wholly_wide(part: &HtmlElement) -> bool {
    let width = document()
        .document_element()
        .map(|root| root.client_width());
    let mut seen = (0.0_f64, f64::from(width.unwrap_or_default()));
    if let Some(glass) = web_sys::window().and_then(|window| window.visual_viewport()) {
        let left = glass.offset_left();
        seen = (seen.0.max(left), seen.1.min(left + glass.width()));
    }
    let rect = part.get_bounding_client_rect();
    rect.left() >= seen.0 - 1.0 && rect.right() <= seen.1 + 1.0
}

fn read(part: &HtmlElement) -> f64 {
    let read = part.get_attribute(READ);
    read.and_then(|read| read.parse().ok()).unwrap_or_default()
}

fn is_whole(part: &HtmlElement) -> bool {
    part.get_attribute(WHOLE) == Some(asked(part))
}

fn asked(part: &HtmlElement) -> String {
    part.get_attribute(ASKED).unwrap_or_default()
}

/// Where its beginning stands in the window, and how high all of it is.
fn extent(part: &HtmlElement) -> (f64, f64) {
    let rect = part.get_bounding_client_rect();
    let top = rect.top() - f64::from(part.scroll_top());
    match part.query_selector(".read-to-end") {
        Ok(Some(end)) => (top, end.get_bounding_client_rect().top() - top),
        _ => (top, rect.height()),
    }
}

/// From where to where the window shows anything.
fn window_shows() -> (f64, f64) {
    let window = document()
        .document_element()
        .map(|root| root.client_height());
    let seen = (0.0_f64, f64::from(window.unwrap_or_default()));
    // Less of it where a person has zoomed in, or a keyboard stands before it.
    match web_sys::window().and_then(|window| window.visual_viewport()) {
        Some(glass) => {
            let top = glass.offset_top();
            (seen.0.max(top), seen.1.min(top + glass.height()))
        }
        None => seen,
    }
}

/// From where to where the window shows it.
fn on_screen(part: &HtmlElement) -> (f64, f64) {
    let mut seen = window_shows();
    for around in std::iter::successors(Some(part.clone()), parent) {
        let rect = around.get_bounding_client_rect();
        // An element that only groups others has no box. One that has no height left shows nothing.
        if rect.height() == 0.0 && rect.width() == 0.0 {
            continue;
        }
        seen = (seen.0.max(rect.top()), seen.1.min(rect.bottom()));
    }
    seen
}

/// What it stands in, up to the dialog.
fn parent(part: &HtmlElement) -> Option<HtmlElement> {
    if part.tag_name() == "DIALOG" {
        return None;
    }
    let parent: Element = part.parent_element()?;
    parent.dyn_into().ok()
}

/// Calls `then` once, when this is on the screen.
#[cfg(feature = "hydrate")]
pub(super) fn when_seen(end: &Element, then: impl Fn() + 'static) {
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
