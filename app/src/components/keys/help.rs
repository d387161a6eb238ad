//! The keys, explained.

use leptos::{html, prelude::*, wasm_bindgen::JsCast};

use crate::drawn_later::{Drawers, DrawnLater};

const KEYS: [(&str, &str); 24] = [
    (
        "j / k",
        "next or previous, in the list and from question to question",
    ),
    ("Alt ↓ / Alt ↑", "the same, while you type"),
    ("Enter", "open; send what is picked; acknowledge"),
    (
        "a / d",
        "approve or deny; reads on first, if you have not seen all",
    ),
    (
        "e",
        "change the arguments of an action first, where its agent takes that",
    ),
    ("1 … 9", "pick an option"),
    (
        "u, Alt u",
        "take an earlier answer; Alt u also while you type",
    ),
    ("Ctrl Enter", "send the answer"),
    ("x", "mark a row of the list"),
    ("m", "decide all that are marked together"),
    ("t", "take the question back"),
    ("Del", "dismiss it, where its agent is offline"),
    ("c", "claim it (you are on it), or give the claim up"),
    ("h", "hand it over"),
    (
        "z",
        "undo what you have just sent; where there is nothing to undo, snooze",
    ),
    ("Esc", "close; what you typed is kept"),
    ("/", "search the history"),
    ("g o", "overview"),
    ("g h", "history"),
    ("g t", "tasks"),
    ("g a", "agents"),
    ("g d", "deliveries"),
    ("g s", "settings"),
    ("?", "show these keys"),
];

const HELP: &str = "key-help";

fn help() -> Option<web_sys::HtmlDialogElement> {
    let help = document().get_element_by_id(HELP)?;
    help.dyn_into().ok()
}

pub(super) fn is_help_open() -> bool {
    help().is_some_and(|help| help.open())
}

/// Shows the keys.
pub(in crate::components) fn show_help() {
    if let Some(help) = help()
        && !help.open()
    {
        let _ = help.show_modal();
    }
}

/// The dialog that `?` opens.
#[component]
pub(crate) fn KeyHelp() -> impl IntoView {
    let help = NodeRef::<html::Dialog>::new();
    let draw = Box::new(|it: &Drawers| (it.keys)());
    view! {
        <dialog id=HELP class="key-help" node_ref=help aria-labelledby="key-help-title">
            <h2 id="key-help-title">"Keys"</h2>
            <DrawnLater draw />
            <form method="dialog">
                <button class="button" type="submit">
                    "Close"
                </button>
            </form>
        </dialog>
    }
}

pub(crate) fn draw_keys() -> AnyView {
    let lines = KEYS.map(|(key, meaning)| {
        view! {
            <div>
                <dt>
                    <kbd>{key}</kbd>
                </dt>
                <dd>{meaning}</dd>
            </div>
        }
    });
    view! { <dl>{lines.collect_view()}</dl> }.into_any()
}
