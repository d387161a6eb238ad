//! Finding an option by typing, where there are more than keys.

use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast};

use super::draft_area::focus_in_place;

/// Leaves the options that hold what is typed, and those that are picked; Enter picks the first.
#[component]
pub(super) fn FindOption(group: NodeRef<html::Fieldset>) -> impl IntoView {
    // Without scripts it would do nothing.
    let runs = RwSignal::new(false);
    Effect::new(move |_| runs.set(true));
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            request_animation_frame(move || focus_in_place(&field));
        }
    });
    let none = RwSignal::new(false);
    let narrow = move || {
        let typed = field
            .get_untracked()
            .map(|field| field.value().to_lowercase());
        let typed = typed.unwrap_or_default();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let mut found = 0;
        for (label, input) in options(group) {
            let fits = holds(&label, ".option-text", &words);
            found += usize::from(fits);
            label.set_hidden(!fits && !input.checked());
        }
        none.set(found == 0);
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        let is_plain = !(event.ctrl_key() || event.meta_key() || event.alt_key());
        if is_plain && matches!(event.key().as_str(), "Enter" | "ArrowDown") {
            event.prevent_default();
            if event.repeat() {
                return;
            }
            // What a label says goes before what stands below another.
            let typed = field.get_untracked().map(|field| field.value());
            let typed = typed.unwrap_or_default().to_lowercase();
            let words: Vec<&str> = typed.split_whitespace().collect();
            // One that is picked stands there though it does not fit.
            let fits = |(label, _): &(_, _)| holds(label, ".option-text", &words);
            let fitting: Vec<_> = options(group).into_iter().filter(fits).collect();
            let by_label = |(label, _): &&(_, _)| holds(label, ".option-label", &words);
            let first = fitting.iter().find(by_label).or(fitting.first());
            if words.is_empty() && event.key() == "Enter" {
                return;
            }
            if let Some((_, input)) = first {
                let _ = input.focus();
                if event.key() == "Enter" {
                    input.click();
                }
            }
        }
    };
    move || {
        runs.get().then(|| {
            view! {
                <div class="find-option">
                    <input
                        class="field"
                        type="text"
                        aria-label="Find an option"
                        placeholder="Type to find an option"
                        autocomplete="off"
                        node_ref=field
                        on:input=move |_| narrow()
                        on:keydown=on_keydown
                    />
                    <p class="part-note" role="status">
                        {move || none.get().then_some("No option holds this.")}
                    </p>
                </div>
            }
        })
    }
}

/// Whether this part of an option holds all of these words.
fn holds(option: &web_sys::HtmlElement, part: &str, words: &[&str]) -> bool {
    let Ok(Some(part)) = option.query_selector(part) else {
        return false;
    };
    let text = part.text_content().unwrap_or_default().to_lowercase();
    words.iter().all(|word| text.contains(word))
}

fn options(
    group: NodeRef<html::Fieldset>,
) -> Vec<(web_sys::HtmlElement, web_sys::HtmlInputElement)> {
    let Some(Ok(labels)) = group
        .get_untracked()
        .map(|group| group.query_selector_all(".option"))
    else {
        return Vec::new();
    };
    (0..labels.length())
        .filter_map(|n| {
            let label: web_sys::HtmlElement = labels.get(n)?.dyn_into().ok()?;
            let input = label.query_selector("input").ok()??.dyn_into().ok()?;
            Some((label, input))
        })
        .collect()
}
