//! How much room a text takes: no less than any common font gives it, counted in letters of the Latin script.

use icu_properties::{CodePointMapData, props::EastAsianWidth};

use crate::hidden::{is_combining, is_ignorable};

/// Of a sign that is of no language: some are as wide as a sentence.
const ANY: usize = 18;

/// The columns that a text takes at most.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(c: char) -> usize {
    match c {
        c if c.is_ascii() => 1,
        c if is_combining(c) || is_ignorable(c) => 0,
        'Æ' | 'æ' | 'Œ' | 'œ' | 'Ĳ' | 'ĳ' | '¼'..='¾' | '©' | '®' => 2,
        'Ж' | 'М' | 'Ф' | 'Ш' | 'Щ' | 'Ы' | 'Ю' | 'Њ' | 'Љ' => 2,
        // Alone, a letter is as wide as two.
        '\u{620}'..='\u{6ff}' => 2,
        // Latin, Greek, Cyrillic, and Hebrew letters, and the signs of prose.
        '\u{80}'..='\u{17f}'
        | '\u{370}'..='\u{45f}'
        | '\u{5d0}'..='\u{5ff}'
        | '\u{1e00}'..='\u{1fff}' => 1,
        // Arrows are no longer than an em.
        '→' => 2,
        '\u{2010}'..='\u{2013}' | '\u{2018}'..='\u{201f}' | '\u{2022}' | '€' | '⟨' | '⟩' => 1,
        // One letter may be a whole greeting.
        '\u{fb50}'..='\u{fdff}' => ANY,
        '\u{900}'..='\u{fff}' if c.is_alphanumeric() => 3,
        c if c.is_alphanumeric() => 2,
        c if is_wide(c) => 3,
        _ => ANY,
    }
}

fn is_wide(c: char) -> bool {
    matches!(
        CodePointMapData::<EastAsianWidth>::new().get(c),
        EastAsianWidth::Wide | EastAsianWidth::Fullwidth
    )
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn a_text_has_its_room() {
        for (text, expected) in [
            ("rm -rf", 6),
            ("Größe’s – “a”", 13),
            ("e\u{301}", 1),
            ("שלום", 4),
            ("→", 2),
            ("⇶", 18),
            ("数据", 4),
            ("👩\u{200d}💻", 6),
            ("\u{fdfd}", 18),
            ("\u{12219}", 2),
        ] {
            assert_eq!(columns(text), expected, "{text:?}");
        }
    }
}
