//! The keyboard: j and k move, Enter opens (a row is a link), Esc closes (a dialog does), ? explains.

use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast};

const KEYS: [(&str, &str); 5] = [
    ("j / k", "next or previous in the list"),
    ("Enter", "open"),
    ("Ctrl Enter", "send the answer"),
    ("Esc", "close; what you typed is kept"),
    ("?", "show these keys"),
];

const HELP: &str = "key-help";

/// Ctrl+Enter, or Cmd+Enter on a Mac.
pub(super) fn is_submit_key(event: &ev::KeyboardEvent) -> bool {
    event.key() == "Enter" && (event.ctrl_key() || event.meta_key())
}

/// Listens for the keys that work everywhere.
pub(crate) fn follow_keys() {
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || is_typing(&event) {
                return;
            }
            match event.key().as_str() {
                "j" => move_focus(1),
                "k" => move_focus(-1),
                "?" => show_help(),
                _ => {}
            }
        });
        on_cleanup(move || handle.remove());
    });
}

fn is_typing(event: &ev::KeyboardEvent) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target
        .is_some_and(|target| matches!(target.tag_name().as_str(), "TEXTAREA" | "INPUT" | "SELECT"))
}

/// Moves the focus among the panel's rows. Nothing moves behind an open dialog.
fn move_focus(step: i32) {
    let document = document();
    if document
        .query_selector("dialog:modal")
        .ok()
        .flatten()
        .is_some()
    {
        return;
    }
    let Ok(links) = document.query_selector_all(".row-link") else {
        return;
    };
    let links: Vec<web_sys::HtmlElement> = (0..links.length())
        .filter_map(|n| links.get(n)?.dyn_into().ok())
        .collect();
    let focused = document.active_element();
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

fn show_help() {
    let help = document()
        .get_element_by_id(HELP)
        .and_then(|help| help.dyn_into::<web_sys::HtmlDialogElement>().ok());
    if let Some(help) = help
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
