//! Options to pick from, with the mouse, the arrows or a number key.

use leptos::{html, prelude::*, wasm_bindgen::JsCast};

use super::{find_option::FindOption, sending::Sending};
use crate::{components::option_text::OptionText, server_fns::SEVERAL, view::ChoiceView};

/// How many options have a number key.
const NUMBERED: usize = 9;

/// The options of a choice, or of one question of a form.
#[component]
pub(super) fn OptionList(
    choice: ChoiceView,
    /// Names what they belong to.
    subject: String,
    group: NodeRef<html::Fieldset>,
    /// The options that are picked at first.
    #[prop(optional)]
    picked: Vec<String>,
    /// The id of the element that says what is wrong.
    problem: &'static str,
) -> impl IntoView {
    forget_other_picks(group, subject.clone());
    let (input, legend) = if choice.multiple {
        ("checkbox", "Pick any number")
    } else {
        ("radio", "Pick one")
    };
    let is_long = choice.options.len() > NUMBERED;
    view! {
        <fieldset class="option-list" node_ref=group aria-describedby=problem>
            <legend>{legend}</legend>
            {is_long.then(|| view! { <FindOption group /> })}
            <input type="hidden" name="chosen" value=if choice.multiple { SEVERAL } else { "1" } />
            {choice
                .options
                .into_iter()
                .enumerate()
                .map(|(n, option)| {
                    let checked = picked.contains(&option.value);
                    let asked = format!("{subject} {n}");
                    view! {
                        <label class="option" data-asked=asked>
                            <input type=input name="selected[]" value=option.value checked=checked />
                            <span class="option-text">
                                <OptionText
                                    label_html=option.label_html
                                    description_html=option.description_html
                                />
                            </span>
                            <NumberKey n />
                        </label>
                    }
                })
                .collect_view()}
        </fieldset>
    }
}

/// The key that picks the option.
#[component]
pub(super) fn NumberKey(n: usize) -> impl IntoView {
    (n < NUMBERED).then(|| view! { <kbd aria-hidden="true">{n + 1}</kbd> })
}

/// Whether these may be sent; says so if not.
pub(super) fn picks_enough(sending: Sending, selected: &[String], multiple: bool) -> bool {
    if selected.is_empty() && !multiple {
        sending.refuse("Pick one of the options first.");
        return false;
    }
    sending.is_meant(selected.is_empty())
}

/// The values of what is picked.
pub(super) fn picked(group: NodeRef<html::Fieldset>) -> Vec<String> {
    let inputs = inputs(group).into_iter();
    inputs
        .filter(web_sys::HtmlInputElement::checked)
        .map(|input| input.value())
        .collect()
}

/// The next question of a form may get the elements of the one before, ticks and all.
fn forget_other_picks(group: NodeRef<html::Fieldset>, subject: String) {
    Effect::new(move |_| {
        let Some(fieldset) = group.get() else { return };
        let was = fieldset.get_attribute("data-subject");
        let _ = fieldset.set_attribute("data-subject", &subject);
        if was.is_some_and(|was| was != subject) {
            for input in inputs(group) {
                input.set_checked(input.default_checked());
            }
        }
    });
}

fn inputs(group: NodeRef<html::Fieldset>) -> Vec<web_sys::HtmlInputElement> {
    let Some(Ok(inputs)) = group
        .get_untracked()
        .map(|group| group.query_selector_all(".option input"))
    else {
        return Vec::new();
    };
    (0..inputs.length())
        .filter_map(|n| inputs.get(n)?.dyn_into().ok())
        .collect()
}
