//! The keyboard: j and k move, Enter opens (a row is a link), Esc closes (a dialog does), numbers pick,
//! g and a letter go to a page, / searches, ? explains.

use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast};
use leptos_router::{NavigateOptions, hooks::use_navigate};

const KEYS: [(&str, &str); 12] = [
    ("j / k", "next or previous in the list"),
    ("Enter", "open"),
    ("1 … 9", "pick an option"),
    ("Ctrl Enter", "send the answer"),
    ("Esc", "close; what you typed is kept"),
    ("/", "search the history"),
    ("g o", "overview"),
    ("g h", "history"),
    ("g t", "tasks"),
    ("g a", "agents"),
    ("g s", "settings"),
    ("?", "show these keys"),
];

const HELP: &str = "key-help";

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
pub(crate) fn follow_keys() {
    let navigate = use_navigate();
    let wanted = SearchWanted(StoredValue::new(false));
    provide_context(wanted);
    // Whether the key before was `g`.
    let going = StoredValue::new(false);
    Effect::new(move |_| {
        let navigate = navigate.clone();
        let handle = window_event_listener(ev::keydown, move |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || is_typing(&event) {
                return;
            }
            let key = event.key();
            let went = going.try_update_value(std::mem::take).unwrap_or_default();
            if went && let Some(page) = page_of(&key) {
                if !is_help_open() {
                    navigate(page, NavigateOptions::default());
                }
                return;
            }
            match key.as_str() {
                "j" => move_focus(1),
                "k" => move_focus(-1),
                "g" => going.set_value(true),
                "?" => show_help(),
                "/" if !is_dialog_open() => {
                    // Otherwise the browser types it into the box that gets the focus.
                    event.prevent_default();
                    if !focus_search() {
                        wanted.0.set_value(true);
                        navigate("/history", NavigateOptions::default());
                    }
                }
                number => {
                    if let Ok(number @ 1..=9) = number.parse::<u32>() {
                        pick(number - 1);
                    }
                }
            }
        });
        on_cleanup(move || handle.remove());
    });
}

fn page_of(key: &str) -> Option<&'static str> {
    match key {
        "o" => Some("/"),
        "h" => Some("/history"),
        "t" => Some("/tasks"),
        "a" => Some("/agents"),
        "s" => Some("/settings"),
        _ => None,
    }
}

/// Letters are letters in a text; on a tick or a radio button they are keys.
fn is_typing(event: &ev::KeyboardEvent) -> bool {
    let Some(target) = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
    else {
        return false;
    };
    match target.dyn_ref::<web_sys::HtmlInputElement>() {
        Some(input) => !matches!(input.type_().as_str(), "radio" | "checkbox"),
        None => matches!(target.tag_name().as_str(), "TEXTAREA" | "SELECT"),
    }
}

/// Moves the focus among the rows of the page, or among the panel's where the page has none. Nothing
/// moves behind an open dialog.
fn move_focus(step: i32) {
    if is_dialog_open() {
        return;
    }
    let links = match elements(".page .list-link") {
        links if links.is_empty() => elements(".row-link"),
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

/// Picks an option of the open dialog.
fn pick(place: u32) {
    let inputs = elements("dialog:modal .option input");
    if let Some(input) = inputs.get(place as usize) {
        let _ = input.focus();
        input.click();
    }
}

fn elements(selector: &str) -> Vec<web_sys::HtmlElement> {
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

fn help() -> Option<web_sys::HtmlDialogElement> {
    let help = document().get_element_by_id(HELP)?;
    help.dyn_into().ok()
}

fn is_help_open() -> bool {
    help().is_some_and(|help| help.open())
}

fn show_help() {
    if let Some(help) = help()
        && !help.open()
    {
        let _ = help.show_modal();
    }
}

/// The keys, explained.
#[component]
pub(crate) fn KeyHelp() -> impl IntoView {
    let help = NodeRef::<html::Dialog>::new();
    view! {
        <dialog id=HELP class="key-help" node_ref=help aria-labelledby="key-help-title">
            <h2 id="key-help-title">"Keys"</h2>
            <dl>
                {KEYS
                    .map(|(key, meaning)| {
                        view! {
                            <div>
                                <dt>
                                    <kbd>{key}</kbd>
                                </dt>
                                <dd>{meaning}</dd>
                            </div>
                        }
                    })
                    .collect_view()}
            </dl>
            <form method="dialog">
                <button class="button" type="submit">
                    "Close"
                </button>
            </form>
        </dialog>
    }
}
