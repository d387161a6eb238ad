//! Settings in the environment.

use std::{ffi::OsString, fs, path::PathBuf};

use toml::Value;

use super::{
    fault::{Fault, Origin, nearest},
    file::Entry,
};

const PREFIX: &str = "HANDRAISE_";
/// The variable that names the file.
pub(super) const FILE: &str = "HANDRAISE_CONFIG";
/// The one setting that is a list of sections.
const PROVIDERS: &str = "providers";
/// The ending of a variable that names a file with the value in it.
const IN_A_FILE: &str = "_FILE";
/// Those of the agent's side, which are nothing to the server.
const AGENTS: [&str; 5] = [
    "HANDRAISE_URL",
    "HANDRAISE_TOKEN",
    "HANDRAISE_PUBLIC_KEY",
    "HANDRAISE_KNOWN_SERVERS",
    "HANDRAISE_RUN",
];

/// The variable of a setting.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

/// The environment's settings.
#[derive(Default)]
pub(super) struct Environment {
    /// Which file to read.
    pub(super) file: Option<PathBuf>,
    pub(super) entries: Vec<Entry>,
    pub(super) faults: Vec<Fault>,
    /// Variables that look like settings and are none, with what was probably meant.
    pub(super) unknown: Vec<String>,
}

impl Environment {
    /// Sorts the variables out. `known` are the settings there are.
    pub(super) fn read(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        known: &[Entry],
    ) -> Self {
        let mut read = Self::default();
        let mut variables: Vec<(String, OsString)> = variables
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
            .collect();
        variables.sort();
        for (name, value) in variables {
            read.take(name, value, known);
        }
        read
    }

    fn take(&mut self, name: String, value: OsString, known: &[Entry]) {
        if name == FILE {
            self.file = Some(value.into());
            return;
        }
        let is_of = |name: &str| known.iter().find(|entry| variable(&entry.key) == name);
        if let Some(setting) = is_of(&name) {
            let text = value.into_string();
            self.say(setting, name, text.map_err(|_| "it is not text".to_owned()));
        } else if let Some(setting) = name.strip_suffix(IN_A_FILE).and_then(is_of) {
            let file = PathBuf::from(value);
            let text = fs::read_to_string(&file)
                .map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
                .map_err(|error| format!("cannot read {}: {error}", file.display()));
            // An operator who names a file for a secret does not want to go without.
            let text = text.and_then(|text| match text.is_empty() {
                true => Err(format!("{} is empty", file.display())),
                false => Ok(text),
            });
            self.say(setting, name, text);
        } else if !AGENTS.contains(&&*name) {
            // Without what all of them begin with, or any two would be alike.
            let variables: Vec<String> = known.iter().map(|entry| variable(&entry.key)).collect();
            let names = variables.iter().map(String::as_str).chain([FILE]);
            let meant = nearest(
                name.trim_start_matches(PREFIX),
                names.map(|name| name.trim_start_matches(PREFIX)),
            )
            .map_or_else(String::new, |name| {
                format!("; did you mean {PREFIX}{name}?")
            });
            self.unknown
                .push(format!("there is no setting {name}{meant}"));
        }
    }

    fn say(&mut self, setting: &Entry, name: String, text: Result<String, String>) {
        let key = setting.key.clone();
        let other = self.entries.iter().find(|entry| entry.key == key);
        let value = match (text, other) {
            (_, Some(other)) => Err(format!("{} is set as well; take one away", other.origin)),
            (text, None) if key == PROVIDERS => text.map(|text| read_json(&text)),
            (text, None) => text.map(|text| read_as(&setting.value, text)),
        };
        let origin = Origin::Variable(name);
        match value {
            Ok(value) => self.entries.push(Entry { key, value, origin }),
            Err(what) => self.faults.push(Fault { origin, what }),
        }
    }
}

/// A list of sections has no form with commas. What is no JSON stays text, and is refused without a word of it.
fn read_json(text: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap_or_else(|_| Value::String(String::new()))
}

/// The text as a value of the same type as the default, or as text if it is none: what is wrong with it
/// is then said as for any other value.
fn read_as(default: &Value, text: String) -> Value {
    let trimmed = text.trim();
    let read = match default {
        Value::Integer(_) => trimmed.parse().ok().map(Value::Integer),
        Value::Float(_) => trimmed.parse().ok().map(Value::Float),
        Value::Boolean(_) => trimmed.parse().ok().map(Value::Boolean),
        Value::Array(_) => {
            let items = trimmed.split(',').map(|item| Value::from(item.trim()));
            Some(Value::Array(items.collect()))
        }
        _ => None,
    };
    read.unwrap_or(Value::String(text))
}
