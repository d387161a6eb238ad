//! The parts of a command that only a shell can read, by name. Parts not known here are told by not being plain.

use super::words::MOST_WORDS;

/// Words that are others once a shell has read them.
pub(super) fn completed(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split_whitespace().take(MOST_WORDS);
    words.filter_map(|whole| {
        let word = whole.trim_matches(['\'', '"', ';', '&', '|', '(', ')']);
        let has_braces = word.contains('{') && (word.contains(',') || word.contains(".."));
        let is_elsewhere = word.starts_with('~') && word != "~" && !word.starts_with("~/");
        let is_other = word.contains(['*', '?', '[', '$', '`']) || has_braces || is_elsewhere;
        (is_other || has_choice(whole) || is_filled_in(word)).then_some(word)
    })
}

/// Where a program puts names of its own: `find -exec sh {}`, `xargs`, `env -S`.
fn is_filled_in(word: &str) -> bool {
    word.contains("{}")
        || word.contains("xargs")
        || word.starts_with("-S")
        || word.starts_with("--split-string")
}

/// `(a|b).sh`, which some shells complete.
fn has_choice(word: &str) -> bool {
    let inner = word
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'));
    inner.is_some_and(|(inner, _)| inner.contains('|'))
}

/// Changes to a folder that only the shell knows.
pub(super) fn changes_unseen(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split([';', '|', '&', '(', ')', '{', '}', '`', '\n']);
    parts.filter_map(|part| {
        let mut words = part.split_whitespace();
        let change = words.find(|word| matches!(*word, "cd" | "pushd" | "popd"))?;
        let is_option = |word: &&str| word.len() > 1 && word.starts_with('-');
        match words.find(|word| !is_option(word)) {
            Some(to) if change != "popd" && to != "-" && !to.starts_with('+') => None,
            _ => Some(change),
        }
    })
}
