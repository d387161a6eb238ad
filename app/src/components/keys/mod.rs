//! The keyboard. In a list `j` and `k` move and Enter opens; in an open question they go to the next and the one
//! before, and one key decides. `g` and a letter lead to a page, `/` searches, `?` explains.

mod help;
mod place;

use leptos::{ev, prelude::*, wasm_bindgen::JsCast};
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate},
};

pub(super) use help::show_help;
pub(crate) use help::{KeyHelp, draw_keys};
pub(crate) use place::keep_the_place;

use help::is_help_open;
use place::{focused_row, move_focus};

use crate::{
    desk::place::Place,
    held::Holding,
    live::{Live, Wanted},
    marks::Marks,
};

/// The id of the box that `/` focuses.
pub(super) const SEARCH: &str = "search";

/// Whether `/` was pressed where there is nothing to search, so that the history is about to open.
#[derive(Clone, Copy)]
pub(super) struct SearchWanted(StoredValue<bool>);

impl SearchWanted {
    /// Whether it was; once.
    pub(super) fn take(self) -> bool {
        self.0.try_update_value(std::mem::take).unwrap_or_default()
    }
}

/// Ctrl+Enter, or Cmd+Enter on a Mac.
pub(super) fn is_submit_key(event: &ev::KeyboardEvent) -> bool {
    event.key() == "Enter" && (event.ctrl_key() || event.meta_key())
}

/// Listens for the keys that work everywhere.
pub(crate) fn follow_keys(live: Live, holding: Holding, marks: Marks) {
    let (here, navigate) = (use_location().pathname, use_navigate());
    let wanted = SearchWanted(StoredValue::new(false));
    provide_context(wanted);
    // Whether the key before was `g`.
    let going = StoredValue::new(false);
    // Whether the person types a text, as far as their last key or click said.
    let typed = StoredValue::new(false);
    Effect::new(move |_| {
        let clicked = window_event_listener(ev::pointerdown, move |_| typed.set_value(false));
        on_cleanup(move || clicked.remove());
        let navigate = navigate.clone();
        let handle = window_event_listener(ev::keydown, move |event| {
            let open = here
                .with_untracked(|here| Place::at(here))
                .filter(|_| !is_help_open());
            let key = event.key();
            // An Enter that is still held was pressed elsewhere: on an option, or a button, it would send.
            if key == "Enter" && event.repeat() && is_a_control(&event) {
                event.prevent_default();
                return;
            }
            // What is typed as a text is no command where the text's field is gone: another person, the agent or the
            // deadline took it away.
            if leaves_a_text(&event) {
                typed.set_value(false);
            } else if is_typing(&event) {
                typed.set_value(true);
            } else if typed.get_value() {
                return;
            }
            if let (true, Some(open)) = (event.alt_key(), open) {
                match key.as_str() {
                    "ArrowDown" => go_beside(live, holding, open, 1, &event),
                    "ArrowUp" => go_beside(live, holding, open, -1, &event),
                    _ => {}
                }
                return;
            }
            if is_submit_key(&event) && open.is_some() && !is_in_a_form(&event) {
                submit(&event, None);
                return;
            }
            if event.ctrl_key() || event.meta_key() || event.alt_key() || is_typing(&event) {
                return;
            }
            let went = going.try_update_value(std::mem::take).unwrap_or_default();
            if went && let Some(page) = page_of(&key) {
                if !is_help_open() {
                    navigate(page, NavigateOptions::default());
                }
                return;
            }
            match (key.as_str(), open) {
                ("j", Some(open)) => go_beside(live, holding, open, 1, &event),
                ("k", Some(open)) => go_beside(live, holding, open, -1, &event),
                ("j", None) => move_focus(1),
                ("k", None) => move_focus(-1),
                ("a", Some(_)) => {
                    submit(
                        &event,
                        Some("dialog:modal button[name=approved][value=true]"),
                    );
                }
                ("d", Some(_)) => {
                    submit(
                        &event,
                        Some("dialog:modal button[name=approved][value=false]"),
                    );
                }
                ("Enter", Some(_)) if !is_a_control(&event) => {
                    submit(&event, Some("dialog:modal .answer-form .button.primary"));
                }
                ("t", Some(_)) if !rests() => unfold(&event, ".cancel-form"),
                ("h", Some(_)) if !event.repeat() => unfold(&event, ".hand-over-form"),
                ("c" | "e" | "Delete", Some(_)) if !event.repeat() => {
                    let button = match &*key {
                        "c" => "dialog:modal .claim-form button",
                        "e" => "dialog:modal .amend",
                        _ => "dialog:modal .dismiss-form button",
                    };
                    if let Some(button) = elements(button).first() {
                        button.click();
                    }
                }
                ("x", None) if !is_help_open() => {
                    if let Some(row) = focused_row() {
                        marks.toggle(live, holding, row);
                    }
                }
                ("m", None) if !is_help_open() && marks.count(holding) > 0 => {
                    live.wanted.set(Some(Wanted::Open(Place::Marked)));
                }
                ("z", _) if !is_help_open() => {
                    if !undo(live, holding, marks) && open.is_some() {
                        unfold(&event, ".snooze-form");
                    }
                }
                ("g", _) => going.set_value(true),
                ("?", _) => show_help(),
                ("/", _) if !is_dialog_open() => {
                    // Otherwise the browser types it into the box that gets the focus.
                    event.prevent_default();
                    if !focus_search() {
                        wanted.0.set_value(true);
                        navigate("/history", NavigateOptions::default());
                    }
                }
                (number, _) => {
                    if let Ok(number @ 1..=9) = number.parse::<u32>() {
                        pick(number - 1);
                    }
                }
            }
        });
        on_cleanup(move || handle.remove());
    });
}

/// The last answer is held no longer: its question is on the page again. Returns whether there was one.
pub(super) fn undo(live: Live, holding: Holding, marks: Marks) -> bool {
    let undone = holding.undo();
    let is_undone = undone.is_some();
    if let Some((place, ids)) = undone {
        if place == Place::Marked {
            marks.only(&ids);
        }
        holding.undos.update(|undos| *undos += 1);
        live.wanted.set(Some(Wanted::Open(place)));
    }
    is_undone
}

fn go_beside(live: Live, holding: Holding, open: Place, step: isize, event: &ev::KeyboardEvent) {
    event.prevent_default();
    if let Some(next) = holding.beside(open, step) {
        live.wanted.set(Some(Wanted::Open(next)));
    }
}

/// Sends the form of the open question, as its button would.
fn submit(event: &ev::KeyboardEvent, button: Option<&str>) {
    // A key that is still held was pressed for what stood here before.
    if event.repeat() {
        return;
    }
    let form = elements("dialog:modal .dialog-end > .answer-form");
    let Some(form) = form.into_iter().next() else {
        return;
    };
    let Ok(form) = form.dyn_into::<web_sys::HtmlFormElement>() else {
        return;
    };
    event.prevent_default();
    match button {
        None => _ = form.request_submit(),
        Some(button) => {
            if let Some(button) = elements(button).first() {
                let _ = form.request_submit_with_submitter(Some(button));
            }
        }
    }
}

/// Whether what is open has only just come on the screen.
fn rests() -> bool {
    !elements("dialog:modal .answer-form button[type=submit]:disabled").is_empty()
}

/// Whether by this key a person means to be done with a text.
fn leaves_a_text(event: &ev::KeyboardEvent) -> bool {
    let is_a_line = target(event).is_some_and(|target| target.tag_name() == "INPUT");
    match event.key().as_str() {
        "Escape" | "Tab" => true,
        "Enter" => is_a_line || is_submit_key(event),
        _ => event.alt_key(),
    }
}

/// Opens a form that is folded, at the first thing in it.
fn unfold(event: &ev::KeyboardEvent, which: &str) {
    let form = elements(&format!("dialog:modal {which}"));
    let fields =
        format!("dialog:modal {which} :is(input[type=text], select, button):not([hidden])");
    if let (Some(form), Some(reason)) = (form.first(), elements(&fields).first()) {
        // Otherwise the browser types the key into the field.
        event.prevent_default();
        let _ = form.set_attribute("open", "");
        let _ = reason.focus();
    }
}

fn page_of(key: &str) -> Option<&'static str> {
    match key {
        "o" => Some("/"),
        "h" => Some("/history"),
        "t" => Some("/tasks"),
        "a" => Some("/agents"),
        "d" => Some("/deliveries"),
        "s" => Some("/settings"),
        _ => None,
    }
}

fn target(event: &ev::KeyboardEvent) -> Option<web_sys::Element> {
    event.target()?.dyn_into().ok()
}

/// Whether the focus is on something that Enter presses.
fn is_a_control(event: &ev::KeyboardEvent) -> bool {
    target(event).is_some_and(|target| {
        let name = target.tag_name();
        matches!(name.as_str(), "A" | "BUTTON" | "SUMMARY" | "INPUT")
    })
}

/// Whether the focus is in a form, which sees to its own keys.
fn is_in_a_form(event: &ev::KeyboardEvent) -> bool {
    target(event).is_some_and(|target| target.closest("form").ok().flatten().is_some())
}

/// Letters are letters in a text; on a tick or a radio button they are keys.
pub(super) fn is_typing(event: &ev::KeyboardEvent) -> bool {
    let Some(target) = target(event) else {
        return false;
    };
    match target.dyn_ref::<web_sys::HtmlInputElement>() {
        Some(input) => !matches!(input.type_().as_str(), "radio" | "checkbox"),
        None => matches!(target.tag_name().as_str(), "TEXTAREA" | "SELECT"),
    }
}

/// Picks an option of the open dialog.
fn pick(place: u32) {
    let options = elements("dialog:modal .option");
    let Some(option) = options
        .get(place as usize)
        .filter(|option| !option.hidden())
    else {
        return;
    };
    if let Ok(Some(input)) = option.query_selector("input")
        && let Ok(input) = input.dyn_into::<web_sys::HtmlElement>()
    {
        let _ = input.focus();
        input.click();
    }
}

/// What a selector finds on the page.
pub(super) fn elements(selector: &str) -> Vec<web_sys::HtmlElement> {
    let Ok(found) = document().query_selector_all(selector) else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|n| found.get(n)?.dyn_into().ok())
        .collect()
}

fn is_dialog_open() -> bool {
    !elements("dialog:modal").is_empty()
}

fn focus_search() -> bool {
    let search = document()
        .get_element_by_id(SEARCH)
        .and_then(|search| search.dyn_into::<web_sys::HtmlElement>().ok());
    search.is_some_and(|search| search.focus().is_ok())
}
