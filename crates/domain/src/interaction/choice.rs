//! Options to choose from.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use unicode_security::confusable_detection::skeleton;

use crate::{fault::Faults, limits};

/// Options to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// 2 to 25, with different values.
    pub options: Vec<ChoiceOption>,
    /// Whether several may be chosen.
    pub multiple: bool,
}

/// One option. An agent may send a mere string for one whose label is its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceOption {
    /// The text the agent gets when it is chosen.
    pub value: String,
    /// The text people see, with the value beside it where that is another.
    pub label: String,
    /// A line below the label.
    pub description: Option<String>,
}

/// A text as it is seen on one line: white space is white space, a joiner or variant of characters is nothing,
/// and characters that look the same are the same (UTS 39).
fn seen(text: &str) -> String {
    let is_nothing = |c: &char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}');
    let text: String = text.chars().filter(|c| !is_nothing(c)).collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut seen = String::with_capacity(line.len());
    // Whether the letter has a dot already, which a second one would cover.
    let mut has_dot = false;
    for c in skeleton(&line) {
        match c {
            '\u{307}' if has_dot => continue,
            // Marks above and below.
            '\u{300}'..='\u{36f}' => {}
            c => has_dot = matches!(c, 'i' | 'j'),
        }
        seen.push(c);
    }
    seen
}

/// Whether people could take one for the other. Where a value is not the label they see both, told apart.
fn looks_like(option: &ChoiceOption, other: &ChoiceOption) -> bool {
    seen(&option.label) == seen(&other.label)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeOption {
    value: String,
    label: Option<String>,
    description: Option<String>,
}

impl<'de> Deserialize<'de> for ChoiceOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OptionVisitor)
    }
}

struct OptionVisitor;

impl<'de> Visitor<'de> for OptionVisitor {
    type Value = ChoiceOption;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object with `value` and perhaps `label` and `description`")
    }

    fn visit_str<E>(self, value: &str) -> Result<ChoiceOption, E> {
        Ok(ChoiceOption {
            value: value.to_owned(),
            label: value.to_owned(),
            description: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<ChoiceOption, A::Error> {
        let whole = WholeOption::deserialize(MapAccessDeserializer::new(entries))?;
        Ok(ChoiceOption {
            label: whole.label.unwrap_or_else(|| whole.value.clone()),
            value: whole.value,
            description: whole.description,
        })
    }
}

impl Choice {
    /// Notes the faults of the options that stand at `path`.
    pub(super) fn check(&self, path: &str, faults: &mut Faults) {
        let options = &self.options;
        if !(2..=limits::OPTIONS).contains(&options.len()) {
            faults.add(
                path,
                format!(
                    "has {} options, 2 to {} are allowed",
                    options.len(),
                    limits::OPTIONS
                ),
            );
        }
        for (n, option) in options.iter().enumerate() {
            let at = |field| format!("{path}[{n}].{field}");
            for (field, text) in [
                ("value", Some(&option.value)),
                // A label that was not sent is the value, whose fault is told already.
                (
                    "label",
                    Some(&option.label).filter(|label| **label != option.value),
                ),
                ("description", option.description.as_ref()),
            ] {
                faults.line(&at(field), text.cloned(), limits::OPTION_CHARS);
            }
            if options[..n].iter().any(|other| other.value == option.value) {
                faults.add(&at("value"), "stands twice");
            } else if options[..n].iter().any(|other| other.label == option.label) {
                // People could not tell them apart.
                faults.add(&at("label"), "stands twice");
            } else if options[..n].iter().any(|other| looks_like(option, other)) {
                faults.add(&at("label"), "looks like another option's");
            }
        }
    }

    /// The chosen values in the order of the options; their faults are noted at `path`.
    pub(super) fn pick(&self, selected: &[String], path: &str, faults: &mut Faults) -> Vec<String> {
        let offered = |value: &String| self.options.iter().any(|option| option.value == *value);
        if let Some(unknown) = selected.iter().find(|value| !offered(value)) {
            faults.add(path, format!("`{unknown}` is not one of the options"));
        }
        match selected.len() {
            0 if !self.multiple => faults.add(path, "must name one option"),
            0 | 1 => {}
            _ if self.multiple => {}
            _ => faults.add(path, "only one option may be chosen"),
        }
        let chosen = self
            .options
            .iter()
            .filter(|option| selected.contains(&option.value));
        chosen.map(|option| option.value.clone()).collect()
    }
}
