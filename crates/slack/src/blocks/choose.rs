//! Options on buttons and in menus. Slack cuts the text of a button where its width ends, and tells the width of no
//! text. So all options are listed above in full, with the numbers that the controls bear too.

use domain::interaction::{Choice, ChoiceOption};

use super::{
    block::{Confirm, Element, SelectOption},
    control::Pick,
    text::{Name, line},
};

/// The most options that get a button each.
pub(super) const BUTTONS: usize = 5;

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
            let label = numbered(n, option);
            match &option.description {
                Some(more) => format!("{label}: {}", line(more)),
                None => label,
            }
        })
        .collect();
    lines.join("\n")
}

/// The buttons, or the menu. `None` when only a modal can ask for it.
pub(super) fn controls(choice: &Choice, pick: Pick) -> Option<Vec<Element>> {
    match shape(choice) {
        Shape::Modal => None,
        Shape::Buttons => {
            let options = choice.options.iter().enumerate();
            let buttons = options.map(|(n, option)| {
                let picked = pick.option(n);
                let name = Name::new(format!("{}:{n}", picked.name()));
                Element::button(name, &numbered(n, option), picked.value())
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

/// The options of a menu, with the value of each when it is picked.
pub(super) fn menu(choice: &Choice, value: impl Fn(usize) -> Name) -> Vec<SelectOption> {
    let options = choice.options.iter().enumerate();
    options
        .map(|(n, option)| {
            let more = option.description.as_deref().map(line);
            SelectOption::new(&numbered(n, option), value(n), more.as_deref())
        })
        .collect()
}

/// As it stands in the list, on its button and in its menu.
pub(super) fn numbered(n: usize, option: &ChoiceOption) -> String {
    format!(
        "{}. {}",
        n + 1,
        visible::option(&option.label, &option.value)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_mixes_scripts_is_marked() {
        let option = |value: &str, label: &str| ChoiceOption {
            value: value.to_owned(),
            label: label.to_owned(),
            description: None,
        };
        let choice = Choice {
            options: vec![
                option("v", "pr\u{43e}d"),
                option("sh\u{2010}x", "sh\u{2010}x"),
            ],
            multiple: false,
        };
        assert_eq!(
            list(&choice),
            "1. pr\u{43e}⟨U+043E⟩d ⟨→ v⟩\n2. sh\u{2010}⟨U+2010⟩x"
        );
    }
}
