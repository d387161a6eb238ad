//! Options on buttons and in menus. Slack cuts what stands on a button after about 30 characters, so longer ones
//! are listed above, with the numbers that the buttons bear too.

use domain::interaction::{Choice, ChoiceOption};

use super::{
    block::{Confirm, Element, SelectOption},
    control::Pick,
    text::{Name, length, one_line},
};

/// The most options that get a button each.
pub(super) const BUTTONS: usize = 5;
/// What of a button's text is shown.
const BUTTON_SHOWS: usize = 30;
/// What of an option in a menu is shown, beside its number.
const MENU_SHOWS: usize = 70;
/// An option's text with what hides in it written out.
const OPTION: usize = 150;

/// How a choice is shown.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Buttons,
    Menu,
    /// A button that opens a modal with a menu.
    Modal,
}

fn shape(choice: &Choice) -> Shape {
    match choice.options.len() {
        _ if choice.multiple => Shape::Modal,
        0..=BUTTONS => Shape::Buttons,
        _ => Shape::Menu,
    }
}

/// Every option on a line of its own, with its number.
pub(super) fn list(choice: &Choice) -> String {
    let lines: Vec<String> = choice
        .options
        .iter()
        .enumerate()
        .map(|(n, option)| {
            let line = numbered(n, option);
            match &option.description {
                Some(more) => format!("{line}: {}", one_line(more, OPTION)),
                None => line,
            }
        })
        .collect();
    lines.join("\n")
}

/// Whether the controls alone do not say what there is to choose from.
pub(super) fn needs_a_list(choice: &Choice) -> bool {
    let longer_than = |shown| {
        let mut labels = choice.options.iter().map(label);
        labels.any(|label| length(&label) > shown)
    };
    match shape(choice) {
        Shape::Buttons => {
            longer_than(BUTTON_SHOWS) || choice.options.iter().any(|it| it.description.is_some())
        }
        Shape::Menu => longer_than(MENU_SHOWS),
        Shape::Modal => true,
    }
}

/// The buttons, or the menu. `None` when only a modal can ask for it.
pub(super) fn controls(choice: &Choice, pick: Pick) -> Option<Vec<Element>> {
    match shape(choice) {
        Shape::Modal => None,
        Shape::Buttons => {
            let buttons = shown(choice).into_iter().enumerate().map(|(n, text)| {
                let picked = pick.option(n);
                let name = Name::new(format!("{}:{n}", picked.name()));
                Element::button(name, &text, picked.value())
            });
            Some(buttons.collect())
        }
        Shape::Menu => {
            let name = Name::new(pick.option(0).name());
            let confirm = Confirm::new(
                "Send this answer?",
                "The first answer counts and cannot be changed.",
                "Send",
                "Back",
            );
            let options = menu(choice, |n| pick.option(n).value());
            Some(vec![Element::select(name, options, Some(confirm))])
        }
    }
}

/// The options of a menu, with what each is called when it is picked.
pub(super) fn menu(choice: &Choice, value: impl Fn(usize) -> Name) -> Vec<SelectOption> {
    let texts = shown(choice).into_iter().zip(&choice.options).enumerate();
    texts
        .map(|(n, (text, option))| {
            let more = option
                .description
                .as_ref()
                .map(|more| one_line(more, OPTION));
            SelectOption::new(&text, value(n), more.as_deref())
        })
        .collect()
}

/// What stands on the controls: the labels, with numbers when they are listed too.
fn shown(choice: &Choice) -> Vec<String> {
    let listed = needs_a_list(choice);
    let options = choice.options.iter().enumerate();
    let texts = options.map(|(n, option)| match listed {
        true => numbered(n, option),
        false => label(option),
    });
    texts.collect()
}

fn numbered(n: usize, option: &ChoiceOption) -> String {
    format!("{}. {}", n + 1, label(option))
}

fn label(option: &ChoiceOption) -> String {
    one_line(&option.label, OPTION)
}
