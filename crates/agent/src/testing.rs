//! The parsers of foreign input that nothing outside of this crate calls, for the fuzz targets (`dev/fuzz`): without a server,
//! a terminal and a look at any file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    client::Answer,
    commands::{files, hook},
    desk::form::{Filled, Form},
    proxy::message::Line,
};

/// What people are asked where a coding agent's hook says this on standard input; `None` where nobody is.
///
/// # Errors
/// When it is no message that the hook takes.
pub fn hook(message: &[u8], seconds: u32) -> anyhow::Result<Option<Value>> {
    hook::asked(message, seconds)
}

/// Every text of a command that may be the name of a file, and whether all that there are were certainly found.
pub fn names_in(command: &str) -> (BTreeSet<String>, bool) {
    files::names_in(command)
}

/// A line from a client of MCP: what it says, and as it is passed on.
///
/// # Errors
/// When it is no JSON.
pub fn line(text: String) -> serde_json::Result<(Value, String)> {
    let line = Line::read(text)?;
    Ok((line.message, line.text))
}

/// What people are asked by the form of a server of MCP, of this schema.
///
/// # Errors
/// Why they cannot be.
pub fn form(schema: &Value, message: &str) -> anyhow::Result<Value> {
    Ok(Form::read(schema)?.body(message))
}

/// The content of that form by their answer; `None` where they have declined.
///
/// # Errors
/// Why the answer does not fit.
pub fn filled(schema: &Value, answer: Value) -> anyhow::Result<Option<Map<String, Value>>> {
    let answer: Answer = serde_json::from_value(answer)?;
    Ok(match Form::read(schema)?.filled(&answer)? {
        Filled::With(content) => Some(content),
        Filled::Declined => None,
    })
}
