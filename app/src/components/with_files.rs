//! The way to an answer with files: the question's page of its own takes them. It is the browser's own link, and what was
//! typed and picked so far is there too.

use domain::InteractionId;
use leptos::{prelude::*, wasm_bindgen::JsCast};

use super::keys::elements;

/// Leads there.
#[component]
pub(super) fn WithFiles(id: InteractionId) -> impl IntoView {
    view! {
        <a
            class="button quiet with-files"
            rel="external"
            href=format!("/q/{id}?files=")
            on:click=move |_| keep_picks(id)
        >
            "With files…"
        </a>
    }
}

/// Where that page looks for them (`public/quick.js`). A text is kept while it is typed, and found there by itself.
fn keep_picks(id: InteractionId) {
    let Ok(picked) = web_sys::UrlSearchParams::new() else {
        return;
    };
    for option in elements("dialog:modal .option input:checked") {
        if let Ok(input) = option.dyn_into::<web_sys::HtmlInputElement>() {
            picked.append("", &input.value());
        }
    }
    // Named as what is forgotten with its person is ([`crate::draft`]).
    let name = format!("handraise.more.{id}.picked");
    if let Ok(Some(tab)) = window().session_storage() {
        let _ = tab.set_item(&name, &String::from(picked.to_string()));
    }
}
