//! The output of `handraise config --effective`.

use std::fmt::Write;

use toml::Value;

use super::load::{self, Loaded};

/// How wide a setting is printed before its place.
const WIDTH: usize = 48;

impl Loaded {
    /// Every setting as it is in force, in the form of the file, with the place that each comes from.
    /// A value that would be worked out stands there as it comes out; secrets are hidden.
    pub fn in_force(&self) -> String {
        let resolved = serde_json::to_value(self.config.resolved()).unwrap_or_default();
        let mut text = String::new();
        let mut open = "";
        let known = load::defaults().unwrap_or_default();
        for entry in &known {
            let (section, name) = entry.key.rsplit_once('.').unwrap_or(("", &entry.key));
            if section != open {
                // Writing to a string cannot fail.
                let _ = write!(text, "\n[{section}]\n");
                open = section;
            }
            let value = resolved.pointer(&format!("/{}", entry.key.replace('.', "/")));
            let value = value.and_then(|value| Value::try_from(value).ok());
            let value = value.unwrap_or_else(|| Value::from(""));
            let line = format!("{name} = {value}");
            let _ = writeln!(text, "{line:WIDTH$} # {}", self.origin(&entry.key));
        }
        text
    }
}
