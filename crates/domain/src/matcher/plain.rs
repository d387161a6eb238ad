//! Words of a command that are what they look like: a number, a name, a place below the folder, something said.

use super::{destructive::is_destructive_word, path};

/// Whether this is an option that says how many.
pub(super) fn is_count(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or_default();
    (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether this is a part of a program, or of a file with tests: `orders::total`, `tests/test_total.py::test_rounds`.
pub(super) fn is_item(text: &str) -> bool {
    let is_several = text.contains("::");
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    // `orders::` stands for all in it.
    let text = text.strip_suffix("::").unwrap_or(text);
    let mut names = text.split("::");
    is_several && names.next().is_some_and(is_inside) && names.all(is_name)
}

/// Whether these are lines of a file: `40,60`.
pub(super) fn is_range(text: &str) -> bool {
    let is_number =
        |text: &str| (1..=7).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.split_once(',')
        .is_some_and(|(from, to)| is_number(from) && is_number(to))
}

/// Whether these are versions before another, or between two: `HEAD~2`, `main~1..topic`.
pub(super) fn is_revision(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
        let ends_well = |c: char| c.is_ascii_alphanumeric();
        name.starts_with(ends_well) && name.ends_with(ends_well) && name.chars().all(is_fit)
    };
    let is_one = |text: &str| match text.split_once('~') {
        Some((name, count)) => is_name(name) && count.chars().all(|c| c.is_ascii_digit()),
        None => is_name(text),
    };
    match text.split_once("..") {
        Some((from, to)) => is_one(from) && is_one(to),
        None => is_one(text),
    }
}

/// Whether this is a name, or a path that goes down from here.
pub(super) fn is_inside(text: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let inside = text.strip_prefix("./").unwrap_or(text);
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    text.chars().all(is_fit) && path::is_plain_inside(inside)
}

/// Whether this is something said, as in a commit's message: several words, and a colon only before a space. None begins with
/// what programs give a meaning: an option, a place, a file with more arguments (`@more`).
pub(super) fn is_prose(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ':' && chars.peek() != Some(&' ') {
            return false;
        }
    }
    text.split(' ').all(|word| {
        !word.starts_with(['-', '/', '.', '@', '=', '+'])
            && !word.contains("..")
            && !is_destructive_word(word)
    })
}
