//! Where one is in a list of blockers.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::{elements, is_dialog_open};
use crate::desk::place::Place;

/// The rows of the panel.
const ROWS: &str = ".row-link";

/// When a dialog closes, the focus is on its row, or on the one that has moved up to its place.
pub(crate) fn keep_the_place() {
    let here = use_location().pathname;
    Effect::new(move |before: Option<(Option<Place>, usize)>| {
        let now = here.with(|here| Place::at(here));
        let (before, place) = before.unwrap_or_default();
        if let Some(open) = now {
            return (now, place_of(open).unwrap_or(place));
        }
        if let Some(left) = before {
            request_animation_frame(move || {
                let links = elements(ROWS);
                let place = place_of(left).unwrap_or(place);
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
fn place_of(place: Place) -> Option<usize> {
    let address = place.address();
    elements(ROWS)
        .iter()
        .position(|link| link.get_attribute("href").as_ref() == Some(&address))
}

/// The row that has the focus.
pub(super) fn focused_row() -> Option<Place> {
    let focused = document().active_element()?;
    if !focused.class_list().contains("row-link") {
        return None;
    }
    Place::at(&focused.get_attribute("href")?)
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
