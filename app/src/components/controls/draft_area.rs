//! A text area that grows and has a memory. It belongs to the browser: the text a person typed before the
//! wasm ran must stay.

use leptos::{html, prelude::*};

use crate::draft::Draft;

/// A text area whose text is kept as `draft`.
#[component]
pub(super) fn DraftArea(
    draft: Draft,
    /// Its name in the form.
    name: &'static str,
    label: &'static str,
    area: NodeRef<html::Textarea>,
    /// The id of the element that says what is wrong.
    problem: &'static str,
    /// Its first text, when nothing is kept.
    #[prop(optional, into)]
    before: Option<String>,
    /// Whether a person may start to type at once.
    #[prop(optional)]
    focused: bool,
    #[prop(default = "3")] rows: &'static str,
) -> impl IntoView {
    let id = format!("draft-{name}");
    let kept = draft.clone();
    // Text to a browser that parses it; a child would be parsed as text with its markers.
    let at_first = before.as_deref().map(escaped);
    Effect::new(move |_| {
        let Some(area) = area.get() else { return };
        // Reading the blocker again keeps the element, and with it the text; the next question of a form
        // may get the element of the one before.
        let was = area.get_attribute("data-draft");
        if was.as_deref() == Some(kept.name()) {
            return;
        }
        let _ = area.set_attribute("data-draft", kept.name());
        if was.is_some() || area.value().is_empty() {
            let text = kept.read();
            if let Some(text) = &text {
                // From here on it is this tab's as well.
                kept.keep(text);
            }
            area.set_value(&text.or_else(|| before.clone()).unwrap_or_default());
        }
        if focused {
            // A frame later: in this one the form may not be in the document yet.
            request_animation_frame(move || focus_in_place(&area));
        }
    });
    view! {
        <div class="draft-area">
            <label for=id.clone()>{label}</label>
            <textarea
                id=id
                name=name
                rows=rows
                dir="auto"
                node_ref=area
                aria-describedby=problem
                inner_html=at_first
                on:input=move |_| draft.keep(&typed(area))
            ></textarea>
        </div>
    }
}

/// Without a scroll: what is asked stands above it, and is read first.
pub(super) fn focus_in_place(field: &web_sys::HtmlElement) {
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = field.focus_with_options(&options);
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    // Reading a page, the browser drops a line break at the beginning; when the element is made by the page's
    // program it does not.
    if cfg!(feature = "ssr") {
        format!("\n{text}")
    } else {
        text
    }
}

/// The area's text.
pub(super) fn typed(area: NodeRef<html::Textarea>) -> String {
    let text = area.get_untracked().map(|area| area.value());
    text.unwrap_or_default()
}
