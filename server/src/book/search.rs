//! Looking for words in the book.

use crate::plain_page::html::Text;

use super::pages::{BOOK, Page, Part};

/// How many parts are shown.
pub(super) const MOST: usize = 40;
/// How much of a part stands before and after the first word that was found, in characters.
const AROUND: usize = 90;

/// A part of the book that has what was looked for.
pub(super) struct Found {
    /// Where it is.
    pub(super) address: String,
    /// Its page and its heading.
    pub(super) title: String,
    /// HTML: the words, and what is around the first.
    pub(super) excerpt: String,
}

/// The parts that have all these words, or beginnings of words: first those that have them in their heading.
pub(super) fn find(wanted: &str) -> Vec<Found> {
    let words: Vec<String> = wanted.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let parts = BOOK
        .iter()
        .flat_map(|page| page.parts.iter().map(move |part| (page, part)));
    let mut found: Vec<(bool, &Page, &Part)> = parts
        .filter_map(|(page, part)| {
            let (title, text) = (part.title.to_lowercase(), part.text.to_lowercase());
            let has = |word: &String| title.contains(&**word) || text.contains(&**word);
            let is_called = words.iter().all(|word| title.contains(&**word));
            words.iter().all(has).then_some((!is_called, page, part))
        })
        .collect();
    found.sort_by_key(|(is_elsewhere, ..)| *is_elsewhere);
    let found = found.into_iter().take(MOST);
    found
        .map(|(_, page, part)| shown(page, part, &words))
        .collect()
}

fn shown(page: &Page, part: &Part, words: &[String]) -> Found {
    let title = match part.title == page.title {
        true => page.title.clone(),
        false => format!("{} · {}", page.title, part.title),
    };
    Found {
        address: format!("/docs/{}#{}", page.name, part.anchor),
        title,
        excerpt: excerpt(&part.text, words),
    }
}

fn excerpt(text: &str, words: &[String]) -> String {
    let text: Vec<char> = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .collect();
    // Letter by letter, so that each has its place also where its lower case is longer.
    let lower: Vec<char> = text
        .iter()
        .map(|c| c.to_lowercase().next().unwrap_or(*c))
        .collect();
    let places: Vec<(usize, usize)> = words.iter().flat_map(|word| places(&lower, word)).collect();
    let first = places.iter().map(|(at, _)| *at).min().unwrap_or(0);
    let (start, end) = (
        first.saturating_sub(AROUND),
        text.len().min(first + 2 * AROUND),
    );
    let mut html = String::new();
    if start > 0 {
        html.push('…');
    }
    let mut at = start;
    while at < end {
        let word = places
            .iter()
            .filter(|(from, _)| *from == at)
            .map(|(_, len)| *len)
            .max();
        let len = word.unwrap_or(1).min(end - at);
        let part: String = text[at..at + len].iter().collect();
        match word {
            Some(_) => html.push_str(&format!("<mark>{}</mark>", Text(&part))),
            None => html.push_str(&Text(&part).to_string()),
        }
        at += len;
    }
    if end < text.len() {
        html.push('…');
    }
    html
}

fn places(text: &[char], word: &str) -> Vec<(usize, usize)> {
    let word: Vec<char> = word.chars().collect();
    let windows = text.windows(word.len().max(1)).enumerate();
    let found = windows.filter(|(_, part)| **part == *word);
    found.map(|(at, _)| (at, word.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_comes_before_a_text_and_all_words_have_to_be_there() {
        let found = find("RECEIPT");
        assert!(found.len() > 5);
        assert!(
            found[0].title.to_lowercase().contains("receipt"),
            "{}",
            found[0].title
        );
        assert!(!find("receipt rotation").is_empty());
        assert!(find("receipt nonsenseword").is_empty());
        assert!(find("  ").is_empty());
        assert!(find("e").len() <= MOST);
    }

    #[test]
    fn what_is_found_is_marked_and_what_is_written_is_no_markup() {
        let words = ["<b>".to_owned(), "ana".to_owned()];
        assert_eq!(
            excerpt("Ask Ana <b>now</b>", &words),
            "Ask <mark>Ana</mark> <mark>&lt;b&gt;</mark>now&lt;/b&gt;"
        );
        let long = format!("{} here {}", "a".repeat(500), "b".repeat(500));
        let shown = excerpt(&long, &["here".to_owned()]);
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("<mark>here</mark>"));
    }
}
