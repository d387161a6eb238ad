//! Hidden characters that are needed all the same: white space, joiners of letters, and variants of emoji. They
//! stay where languages have them, and are written out where they would only be marks that no reader sees.

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{Emoji, ExtendedPictographic, Script, UnifiedIdeograph},
};

/// Whether a hidden character stays in prose, between these.
pub(super) fn is_wanted(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is = |neighbour: Option<char>, what: fn(char) -> bool| neighbour.is_some_and(what);
    match c {
        '\t' | '\n' => true,
        '\r' => after == Some('\n'),
        // They end a line for some who read it, and for others not.
        '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => false,
        '\u{ad}' => is(before, char::is_alphabetic) && is(after, char::is_alphabetic),
        '\u{200c}' => is(before, joins),
        '\u{200d}' => {
            is(before, joins)
                || (is(before, |c| is_emoji(c) || c == '\u{fe0f}') && is(after, is_emoji))
        }
        // A digit takes one only as the beginning of a key.
        '\u{fe0f}' if is(before, |c| c.is_ascii()) => after == Some('\u{20e3}'),
        '\u{fe0e}' | '\u{fe0f}' => is(before, is_emoji),
        '\u{fe00}'..='\u{fe02}' => is(before, |c| {
            CodePointSetData::new::<UnifiedIdeograph>().contains(c)
        }),
        c => c.is_whitespace(),
    }
}

fn is_emoji(c: char) -> bool {
    !c.is_ascii()
        && (CodePointSetData::new::<Emoji>().contains(c)
            || CodePointSetData::new::<ExtendedPictographic>().contains(c))
}

/// Whether a letter, or a mark on one, is of a script whose letters are drawn joined, so that one has to say where
/// they are not.
fn joins(c: char) -> bool {
    matches!(
        CodePointMapData::<Script>::new().get(c),
        Script::Arabic
            | Script::Syriac
            | Script::Nko
            | Script::Mandaic
            | Script::Mongolian
            | Script::Adlam
            | Script::HanifiRohingya
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
            | Script::Myanmar
    )
}

#[cfg(test)]
mod tests {
    use crate::prose;

    #[test]
    fn prose_keeps_what_languages_need() {
        for same in [
            "⚠️ 👩\u{200d}💻\n\tzwei\u{a0}Zeilen\r\n",
            "نام\u{200c}ها",
            "क\u{94d}\u{200d}ष 🏳\u{fe0f}\u{200d}🌈 Donau\u{ad}dampf",
            "葛\u{fe00} ❤\u{fe0e}",
        ] {
            assert_eq!(prose(same), same);
        }
        assert_eq!(
            prose("a\u{202e}b\u{2066}c\u{200b}d"),
            "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d"
        );
    }

    #[test]
    fn what_joins_and_varies_nothing_is_written_out_in_prose() {
        for (text, expected) in [
            ("a\u{fe00}b\u{fe0f}", "a⟨U+FE00⟩b⟨U+FE0F⟩"),
            ("1\u{fe0f}2", "1⟨U+FE0F⟩2"),
            ("⚠\u{fe0f}\u{fe0f}\u{fe01}", "⚠\u{fe0f}⟨U+FE0F⟩⟨U+FE01⟩"),
            ("👩\u{200d}\u{200d}💻", "👩⟨U+200D×2⟩💻"),
            ("a\u{200d}b\u{200c}c", "a⟨U+200D⟩b⟨U+200C⟩c"),
            ("م\u{200c}\u{200c}ه", "م\u{200c}⟨U+200C⟩ه"),
            ("👩\u{200d} x", "👩⟨U+200D⟩ x"),
            ("a\u{ad}\u{ad}b \u{ad}c", "a⟨U+00AD×2⟩b ⟨U+00AD⟩c"),
            (
                "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\rg",
                "a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩d⟨U+000B⟩e⟨U+000C⟩f⟨U+000D⟩g",
            ),
        ] {
            assert_eq!(prose(text), expected, "{text:?}");
        }
    }
}
