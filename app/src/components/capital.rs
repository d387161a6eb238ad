//! Words that are written to stand inside a sentence, where they begin one.

/// With a capital letter at the beginning.
pub(super) fn capital(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
