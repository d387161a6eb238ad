//! A fault of one field of a request.

use serde::{Deserialize, Serialize};

use crate::limits;

/// One fault, with the place of it. A refusal lists all faults at once, so that an agent mends its
/// request in one go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The field, as in `task.title` or `options[2].label`; `$` is the whole body.
    pub path: String,
    /// The fault, for the author of the client.
    pub message: String,
}

impl Fault {
    /// A fault at `path`. In JSON a field may have no name at all: its fault is one of the whole.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            path: if path.is_empty() {
                "$".to_owned()
            } else {
                path
            },
            message: message.into(),
        }
    }

    /// The fault of a field that has to be there.
    pub fn required(path: &str) -> Self {
        Self::new(path, "is required")
    }
}

/// Collects the faults of one request.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Notes a fault.
    pub fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(Fault::new(path, message));
    }

    /// `value` when nothing was wrong, otherwise everything that was.
    ///
    /// # Errors
    /// The faults noted so far, in the order they were found.
    pub fn into_result<T>(self, value: T) -> Result<T, Vec<Fault>> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self.0)
        }
    }

    /// A field that has to be there; notes it when it is not.
    pub fn present<T>(&mut self, path: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.0.push(Fault::required(path));
        }
        value
    }

    /// Text that may have many lines, but not none, and not over [`limits::TEXT_CHARS`] characters.
    pub fn text(&mut self, path: &str, text: &str) {
        if is_blank(text) {
            self.add(path, "must not be empty");
        }
        self.length(path, text, limits::TEXT_CHARS);
    }

    /// Text of one line: not blank, not over `max` characters, no control characters.
    pub fn line(&mut self, path: &str, text: Option<String>, max: usize) -> Option<String> {
        let text = text?;
        if is_blank(&text) {
            self.add(path, "must not be empty");
        } else if text.chars().any(char::is_control) {
            self.add(path, "must be one line without control characters");
        }
        self.length(path, &text, max);
        Some(text)
    }

    /// Text that may have many lines, not over `max` characters.
    pub fn length(&mut self, path: &str, text: &str, max: usize) {
        let chars = text.chars().count();
        if chars > max {
            self.add(
                path,
                format!("has {chars} characters, at most {max} are allowed"),
            );
        }
    }
}

/// Whether a text may name something: one line without control characters, not blank, not over `max`
/// characters.
pub fn is_name(text: &str, max: usize) -> bool {
    !is_blank(text) && !text.chars().any(char::is_control) && text.chars().count() <= max
}

/// Whether there is nothing to see: white space, controls, and characters that Unicode calls ignorable.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || c.is_control() || is_hidden(c))
}

/// Whether Unicode calls a character ignorable, or it changes the direction of what stands beside it.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
