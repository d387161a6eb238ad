//! Faults of the configuration, and where they stand.

use std::{fmt, io, path::PathBuf, sync::Arc};

use thiserror::Error;

/// Where a setting has its value from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was not set.
    Default,
    /// A line of the file, counted from 1.
    File(Arc<PathBuf>, usize),
    /// A variable in the environment.
    Variable(String),
    /// A flag of the command.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(file, line) => write!(f, "{}:{line}", file.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// One thing that is wrong. Never has the value of a secret in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands.
    pub origin: Origin,
    /// The fault, in words.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.what)
    }
}

/// Why there are no settings.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file was named and cannot be read.
    #[error("cannot read the configuration {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// All that is wrong.
    #[error("the configuration is wrong:{}", listed(.0))]
    Wrong(Vec<Fault>),
}

/// One after the colon, several on lines of their own.
fn listed(faults: &[Fault]) -> String {
    match faults {
        [fault] => format!(" {fault}"),
        faults => faults.iter().map(|fault| format!("\n  {fault}")).collect(),
    }
}

/// The name that was probably meant. One in a section may be meant by its last part alone.
pub(super) fn nearest<'a>(
    wrong: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let likeness = |name: &str| {
        let whole = strsim::jaro_winkler(wrong, name);
        whole.max(strsim::jaro_winkler(last_part(wrong), last_part(name)))
    };
    names
        .into_iter()
        .map(|name| (likeness(name), name))
        .filter(|(likeness, _)| *likeness >= 0.85)
        // Of several that are as like, the one that stands first: what erases stands last.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_probably_meant_is_found_and_nothing_far_fetched() {
        let names = [
            "addr",
            "database_url",
            "log",
            "public_url",
            "timeout.question",
        ];
        for (wrong, meant) in [
            ("adr", Some("addr")),
            ("address", Some("addr")),
            ("database", Some("database_url")),
            ("publik-url", Some("public_url")),
            ("question", Some("timeout.question")),
            ("timeouts.question", Some("timeout.question")),
            ("colour", None),
            ("listen", None),
        ] {
            assert_eq!(nearest(wrong, names), meant, "{wrong}");
        }
    }
}
