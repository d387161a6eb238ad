//! Where one is in a list of blockers.

use domain::InteractionId;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::{elements, is_dialog_open};

const BLOCKERS: &str = "/blockers/";
/// The rows of the panel.
const ROWS: &str = ".row-link";

/// The address of a blocker.
pub(crate) fn address_of(id: InteractionId) -> String {
    format!("{BLOCKERS}{id}")
}

/// The blocker that is open at this address.
pub(crate) fn blocker_at(path: &str) -> Option<InteractionId> {
    path.strip_prefix(BLOCKERS)?.parse().ok()
}

/// When a dialog closes, the focus is on its row, or on the one that has moved up to its place.
pub(crate) fn keep_the_place() {
    let here = use_location().pathname;
    Effect::new(move |before: Option<(Option<InteractionId>, usize)>| {
        let now = here.with(|here| blocker_at(here));
        let (before, place) = before.unwrap_or_default();
        if let Some(id) = now {
            return (now, place_of(id).unwrap_or(place));
        }
        if let Some(id) = before {
            request_animation_frame(move || {
                let links = elements(ROWS);
                let place = place_of(id).unwrap_or(place);
                let is_free = document()
                    .active_element()
                    .is_none_or(|focused| focused.tag_name() == "BODY");
                if is_free && let Some(link) = links.get(place.min(links.len().saturating_sub(1))) {
                    let _ = link.focus();
                }
            });
        }
        (None, place)
    });
}

/// Of its row in the panel.
fn place_of(id: InteractionId) -> Option<usize> {
    let address = address_of(id);
    elements(ROWS)
        .iter()
        .position(|link| link.get_attribute("href").as_ref() == Some(&address))
}

/// Moves the focus among the rows of the page, or among the panel's where the page has none. Nothing
/// moves behind an open dialog.
pub(super) fn move_focus(step: i32) {
    if is_dialog_open() {
        return;
    }
    let links = match elements(".page .list-link") {
        links if links.is_empty() => elements(ROWS),
        links => links,
    };
    let focused = document().active_element();
    let place = links.iter().position(|link| {
        let link: &web_sys::Element = link;
        Some(link) == focused.as_ref()
    });
    let next = match (place, step) {
        (Some(place), 1) => place + 1,
        (Some(place), _) => place.saturating_sub(1),
        (None, _) => 0,
    };
    if let Some(link) = links.get(next) {
        let _ = link.focus();
    }
}
