//! The texts of an action, read as widely as anything could read them: quotes that only hide a word are gone, small letters
//! and capitals are the same, and a path is followed to where it leads.

use serde_json::Value;

use crate::{interaction::Action, matcher::is_command_name};

/// Arguments that hold a path.
const PATHS: &[&str] = &[
    "cwd",
    "dest",
    "destination",
    "dir",
    "directory",
    "file",
    "file_path",
    "filename",
    "folder",
    "notebook_path",
    "path",
    "source",
    "target",
    "url",
    "uri",
];
/// What a shell puts something else in the place of.
const REPLACED: &[char] = &['$', '`', '\\', '*', '?', '['];
/// Programs that make words of what nobody can read.
const REWRITERS: &[&str] = &[
    "base32", "base64", "eval", "gunzip", "openssl", "printf", "rev", "tr", "xxd", "zcat",
];
/// What ends a word besides white space.
const BETWEEN: &[char] = &[';', '|', '&', '(', ')', '{', '}', '<', '>', '=', ','];
/// The longest option that may be several options of one letter each: `-rf`.
const CLUSTER: usize = 3;
/// How many of them what is asked may hold together.
const LONGEST_CLUSTER: usize = 8;

/// All texts of an action.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) all: Vec<Text>,
    /// Where it runs, if that is said.
    pub(super) cwd: Option<String>,
}

/// One text.
#[derive(Debug)]
pub(super) struct Text {
    /// As it is, in small letters.
    lower: String,
    /// Its words, without quotes.
    words: Vec<String>,
    /// Whether it matters what cannot be told of it: it is a command or a path, and no prose.
    pub(super) counts: bool,
}

/// The places that a text names.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Absolute, in small letters, without `.` and `..`.
    pub(super) known: Vec<String>,
    /// Whether there may be others.
    pub(super) some_unknown: bool,
}

impl Texts {
    pub(super) fn of(action: &Action) -> Self {
        let mut all = Vec::new();
        collect(&action.arguments.0, false, &mut all);
        let operands = action.operands.iter();
        all.extend(operands.map(|operand| Text::new(&operand.name, true)));
        let cwd = action.arguments.0.get("cwd").and_then(Value::as_str);
        Self {
            all,
            cwd: cwd.and_then(|cwd| resolved(&place_of(cwd), None)),
        }
    }
}

fn collect(value: &Value, counts: bool, all: &mut Vec<Text>) {
    match value {
        Value::String(text) => all.push(Text::new(text, counts)),
        Value::Array(items) => {
            items.iter().for_each(|item| collect(item, counts, all));
            // `["git", "push"]` is one command.
            if items.len() > 1 && items.iter().any(Value::is_string) {
                all.extend(Text::of_value(value).map(|text| Text { counts, ..text }));
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_path = PATHS.contains(&&*name.to_lowercase());
                collect(value, is_path || is_command_name(name), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Text {
    fn new(text: &str, counts: bool) -> Self {
        Self {
            lower: text.to_lowercase(),
            words: words(text),
            counts,
        }
    }

    /// Of an argument that a rule names: a text, or several that are one command.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::new(text, true)),
            Value::Array(items) => {
                let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
                texts.map(|texts| Self::new(&texts.join(" "), true))
            }
            _ => None,
        }
    }

    /// Whether these words stand in it, in this order; options anywhere.
    pub(super) fn has_words(&self, wanted: &[String]) -> bool {
        let mut rest = self.words.iter();
        wanted.iter().all(|word| match word.starts_with('-') {
            true => self.has_option(word),
            false => rest.any(|found| is_word(found, word)),
        })
    }

    fn has_option(&self, wanted: &str) -> bool {
        let has = |option: &str| self.words.iter().any(|word| word == option);
        let letters = wanted.trim_start_matches('-');
        let is_cluster = !wanted.starts_with("--") && letters.chars().count() <= CLUSTER;
        has(wanted)
            || (is_cluster
                && !letters.is_empty()
                && letters.chars().all(|letter| self.has_letter(letter)))
    }

    /// Whether one of its short options has this letter.
    fn has_letter(&self, letter: char) -> bool {
        let mut words = self.words.iter();
        words.any(|word| {
            word.strip_prefix('-').is_some_and(|letters| {
                !letters.starts_with('-')
                    && letters.chars().count() <= LONGEST_CLUSTER
                    && letters.contains(letter)
            })
        })
    }

    /// Whether this host stands in it, or one below it.
    pub(super) fn has_host(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        let is_of_name = |c: char| c.is_alphanumeric() || c == '-';
        self.lower.match_indices(&*host).any(|(start, _)| {
            let before = self.lower[..start].chars().next_back();
            let mut after = self.lower[start + host.len()..].chars();
            let ends = match after.next() {
                Some('.') => after.next().is_none_or(|c| !is_of_name(c)),
                Some(c) => !is_of_name(c),
                None => true,
            };
            before.is_none_or(|c| !is_of_name(c)) && ends
        })
    }

    /// Whether there may be more in it than can be read.
    pub(super) fn hides(&self) -> bool {
        let mut words = self.words.iter();
        self.lower.contains(REPLACED)
            || words.any(|word| REWRITERS.iter().any(|rewriter| is_word(word, rewriter)))
    }

    /// The places that it names, as seen from where it runs.
    pub(super) fn places(&self, cwd: Option<&str>) -> Places {
        let mut places = Places::default();
        let whole = self.lower.trim();
        let parts = self.words.iter().map(|word| word.to_lowercase());
        for text in std::iter::once(whole.to_owned()).chain(parts) {
            // `--file=/etc/x` and `host:/etc/x` were parted or lead elsewhere too.
            for part in text.split([':', '@']) {
                let place = place_of(part);
                if !place.contains('/') && place != ".." && !place.starts_with('~') {
                    continue;
                }
                match resolved(&place, cwd) {
                    Some(place) => places.known.push(place),
                    None => places.some_unknown = true,
                }
            }
        }
        places
    }
}

/// In small letters, with one kind of slash.
fn place_of(text: &str) -> String {
    text.to_lowercase().replace('\\', "/")
}

/// Where a path leads; `None` where that cannot be told.
fn resolved(place: &str, cwd: Option<&str>) -> Option<String> {
    if place.starts_with('~') || place.contains(['%', '$', '*', '?', '`']) {
        return None;
    }
    let mut names: Vec<&str> = match place.starts_with('/') {
        true => Vec::new(),
        false => cwd?.split('/').collect(),
    };
    for name in place.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.retain(|name| !name.is_empty());
    Some(format!("/{}", names.join("/")))
}

/// The words of a text, as a shell reads them where nothing is hidden: quotes within a word are no part of it.
fn words(text: &str) -> Vec<String> {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .collect();
    plain
        .split(|c: char| c.is_whitespace() || c.is_control() || BETWEEN.contains(&c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a word is this one, or the program of this name at some place.
fn is_word(found: &str, wanted: &str) -> bool {
    let found = found.to_lowercase();
    let wanted = wanted.to_lowercase();
    let name = found.rsplit('/').next().unwrap_or(&found);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    found == wanted || name == wanted
}
