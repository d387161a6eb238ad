//! Characters that look like ASCII and are not. The reader of a text decides which they are: a program takes
//! no other dash for `-`, and a person who writes prose needs several.

use std::ops::Range;

use unicode_normalization::{
    UnicodeNormalization,
    char::{canonical_combining_class, compose},
};
use unicode_security::{confusable_detection::skeleton, mixed_script::AugmentedScriptSet};

use crate::hidden::{is_combining, is_hidden};

/// The reader of a text, and whether letters of ASCII are in it, which others could be taken for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    is_program: bool,
    latin: bool,
}

impl Reader {
    /// A program: every character that looks like ASCII should be ASCII, also where nothing else
    /// is.
    pub(super) fn program() -> Self {
        Self {
            is_program: true,
            latin: true,
        }
    }

    /// A person, who may read any language.
    pub(super) fn person(texts: &[&str]) -> Self {
        Self {
            is_program: false,
            latin: are_latin(texts),
        }
    }
}

/// Text in a script of its own is not read as ASCII; text without letters is.
fn are_latin(texts: &[&str]) -> bool {
    let mut letters = texts.iter().flat_map(|text| text.chars());
    let mut others = letters.clone();
    letters.any(|c| c.is_ascii_alphabetic()) || !others.any(char::is_alphabetic)
}

/// Signs that a person's text may have as well, if it is not made to look like a sign that a program
/// reads.
const SIGNS: &str = "/\\:;@?#&=%$<>|-.*!~+^(){}[],";

/// No language stacks more marks than these on a letter.
const HIGHEST: usize = 8;

/// A text, to be asked which of its characters are others than they look like.
pub(super) struct Alike<'a> {
    text: &'a str,
    reader: Reader,
    addresses: Vec<Range<usize>>,
}

/// A word or the text between words.
pub(super) struct Part {
    pretends: bool,
    /// Whether there is a known double in it.
    some: bool,
}

impl<'a> Alike<'a> {
    pub(super) fn new(text: &'a str, reader: Reader) -> Self {
        let addresses = match reader.is_program || text.is_ascii() {
            true => Vec::new(),
            false => addresses(text),
        };
        Self {
            text,
            reader,
            addresses,
        }
    }

    /// Of the part of the text that begins at `at`.
    pub(super) fn part(&self, at: usize, part: &str) -> Part {
        if part.is_ascii() {
            return Part {
                pretends: false,
                some: false,
            };
        }
        let mimics = |(place, c)| self.mimics(at + place, c);
        Part {
            pretends: pretends(part, |place, c| mimics((place, c))),
            some: part.char_indices().any(mimics),
        }
    }

    /// Whether the character at a place is another than it looks like.
    pub(super) fn is_alike(&self, part: &Part, at: usize, c: char) -> bool {
        if c.is_ascii() {
            return false;
        }
        let mimics = self.mimics(at, c);
        if !c.is_alphanumeric() {
            return mimics;
        }
        // In a word that cannot be the one it seems, but has no known double, everything foreign is
        // odd.
        let odd = part.pretends && (mimics || !part.some);
        // Signs of no script, such as `ǃ`, stand beside Latin letters as if they belonged there.
        odd || (mimics && (self.is_strict(at) || !is_like_letters(c)) && goes_with_latin(c.into()))
    }

    /// Whether a character is not the one that is usual where it stands: a mark on a letter of ASCII, and one
    /// that Unicode writes in another way too. A program tells them apart, and people do not.
    pub(super) fn is_unusual(&self, at: usize, c: char) -> bool {
        if c.is_ascii() || !self.is_strict(at) {
            return false;
        }
        if !std::iter::once(c).nfc().eq([c]) {
            return true;
        }
        let before = &self.text[..at];
        let last = before.chars().next_back();
        if !is_combining(c) {
            return last.is_some_and(|last| compose(last, c).is_some());
        }
        let mut below = before.chars().rev().take(HIGHEST);
        let base = below.find(|c| !is_combining(*c) || canonical_combining_class(*c) == 0);
        let disordered = last.is_some_and(|last| {
            let (last, this) = (
                canonical_combining_class(last),
                canonical_combining_class(c),
            );
            this != 0 && this < last
        });
        disordered
            || base.is_none_or(|base| base.is_ascii_alphabetic() || compose(base, c).is_some())
    }

    fn is_strict(&self, at: usize) -> bool {
        let next = self.addresses.partition_point(|range| range.end <= at);
        let is_in = |range: &Range<usize>| range.contains(&at);
        self.reader.is_program || self.addresses.get(next).is_some_and(is_in)
    }

    /// Whether it looks like something in ASCII that counts where it stands.
    fn mimics(&self, at: usize, c: char) -> bool {
        if c.is_ascii() || is_hidden(c) || matches!(c, 'æ' | 'Æ' | 'œ' | 'Œ') {
            return false;
        }
        if self.is_strict(at) {
            // Two dashes are corrected into a long one, which is no double of any sign.
            let is_dash = matches!(c, '\u{2014}' | '\u{2015}') && self.begins_an_option(at, c);
            let is_counted =
                |like: char| like.is_ascii_alphanumeric() || like.is_ascii_punctuation();
            let may_be_taken = self.reader.latin || !c.is_alphanumeric();
            return may_be_taken && (is_dash || is_drawn_like(c) || is_like(c, is_counted));
        }
        // A letter of a Latin alphabet is nothing strange among others.
        let is_common = c.is_alphabetic() && is_latin(c) && is_like_letters(c);
        let is_strange = self.reader.latin && !is_common;
        is_strange
            && is_like(c, |c| c.is_ascii_alphanumeric() || SIGNS.contains(c))
            && !self.is_prose(at, c)
    }

    /// `–rf` does, ` – ` and `1–2` do not.
    fn begins_an_option(&self, at: usize, c: char) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at + c.len_utf8()..].chars().next();
        before.is_none_or(|c| !c.is_alphanumeric()) && after.is_some_and(char::is_alphanumeric)
    }

    /// Whether a sign stands as it does in prose: a dash between words, a comma after a word in its own script.
    fn is_prose(&self, at: usize, c: char) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at + c.len_utf8()..].chars().next();
        match c {
            '\u{2013}' | '\u{201a}' | '\u{2026}' => {
                let is_common = |c: char| {
                    c.is_whitespace()
                        || c.is_alphanumeric()
                        || "\"'.,;:!?()".contains(c)
                        || matches!(
                            c,
                            '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201e}' | '\u{2026}'
                        )
                };
                let is_option = c == '\u{2013}' && self.begins_an_option(at, c);
                before.is_none_or(is_common) && after.is_none_or(is_common) && !is_option
            }
            // Of a whole word one may not say so: each of its letters stands beside others.
            c if c.is_alphanumeric() => false,
            c => {
                let is_own = |c: char| c.is_alphabetic() && !goes_with_latin(c.into());
                !is_like(c, |c| "/\\:;@?#&=%$<>|".contains(c))
                    && (before.is_some_and(is_own) || after.is_some_and(is_own))
            }
        }
    }
}

/// Where words with an address in them stand in a text: a program reads them, even if a person reads
/// the rest.
fn addresses(text: &str) -> Vec<Range<usize>> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '(' | ')');
    let mut at = 0;
    let words = text.split_inclusive(ends).map(|word| {
        at += word.len();
        at - word.len()..at
    });
    words
        .filter(|word| text[word.clone()].contains("://"))
        .collect()
}

/// Words, and the text between them.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || is_combining(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = is_word(rest.chars().next()?);
        let end = rest.find(|c| is_word(c) != word).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Whether a word mixes scripts that no language mixes, or reads as ASCII from end to end and is not.
fn pretends(word: &str, mimics: impl Fn(usize, char) -> bool) -> bool {
    let foreign: String = word.chars().filter(|c| !c.is_ascii()).collect();
    let scripts = AugmentedScriptSet::for_str(&foreign);
    let eastern = scripts.hanb || scripts.jpan || scripts.kore;
    let beside_latin = word.chars().any(|c| c.is_ascii_alphabetic());
    scripts.is_empty()
        || (beside_latin && !goes_with_latin(scripts) && !eastern)
        || word
            .char_indices()
            .all(|(at, c)| c.is_ascii() || mimics(at, c))
}

fn goes_with_latin(mut scripts: AugmentedScriptSet) -> bool {
    scripts.intersect_with('a'.into());
    !scripts.is_empty()
}

/// A letter of a Latin alphabet as people write it, not a full-width or mathematical one.
fn is_latin(c: char) -> bool {
    use unicode_security::GeneralSecurityProfile;
    c.identifier_allowed() && goes_with_latin(c.into())
}

fn is_like_letters(c: char) -> bool {
    is_like(c, |like| like.is_ascii_alphanumeric())
}

/// Doubles that Unicode's table leaves out: other widths of a sign, and lines and stars that are drawn like one.
fn is_drawn_like(c: char) -> bool {
    let is_other_width = || {
        let mut same = std::iter::once(c).nfkc();
        same.next().is_some_and(|c| c.is_ascii_punctuation()) && same.next().is_none()
    };
    matches!(
        c,
        '─' | '━'
            | '⎯'
            | '⏤'
            | '═'
            | '❘'
            | '⏐'
            | '♯'
            | '⋕'
            | '⌗'
            | '✱'
            | '⋆'
            | '⁏'
            | '⟮'
            | '⟯'
    ) || is_other_width()
}

fn is_like(c: char, what: impl Fn(char) -> bool) -> bool {
    skeleton(c.encode_utf8(&mut [0; 4])).all(what)
}

#[cfg(test)]
mod tests {
    use crate::{Reader, label, line_for, name};

    fn code(text: &str) -> String {
        crate::joined(line_for(text, Reader::program()))
    }

    fn name_of(text: &str) -> String {
        crate::joined(name(text))
    }

    #[test]
    fn a_sign_that_looks_like_one_of_ascii_is_marked_wherever_a_program_reads_it() {
        for sign in [
            '\u{2010}', '\u{2011}', '\u{2013}', '\u{2212}', '\u{2024}', '\u{2217}', '\u{1c3}',
            '\u{2c6}', '\u{2dc}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2032}',
            '\u{b4}', '\u{2768}', '\u{2769}', '\u{ff3b}', '\u{ff3d}', '\u{2774}', '\u{2775}',
            '\u{201a}', '\u{2026}', '\u{ff40}', '\u{ff3f}', '\u{2215}', '\u{ff1a}', '\u{2500}',
            '\u{2550}', '\u{ff0d}', '\u{ff05}', '\u{266f}', '\u{2731}',
        ] {
            let text = format!("rm {sign}rf");
            let expected = format!("rm {sign}⟨U+{:04X}⟩rf", u32::from(sign));
            assert_eq!(code(&text), expected);
            assert_eq!(name_of(&text), expected);
        }
        assert_eq!(code("./сору"), "./с⟨U+0441⟩о⟨U+043E⟩р⟨U+0440⟩у⟨U+0443⟩");
        assert_eq!(code("./файл"), "./файл");
        assert_eq!(code("rm \u{2014}rf"), "rm \u{2014}⟨U+2014⟩rf");
        assert_eq!(
            code("git commit -m 'Fix \u{2014} it'"),
            "git commit -m 'Fix \u{2014} it'"
        );
    }

    #[test]
    fn a_sign_in_a_value_is_marked_unless_it_stands_as_in_prose() {
        for (text, expected) in [
            ("rm \u{2010}rf a", "rm \u{2010}⟨U+2010⟩rf a"),
            ("rm \u{2013}rf a", "rm \u{2013}⟨U+2013⟩rf a"),
            ("\u{2212}5", "\u{2212}⟨U+2212⟩5"),
            (
                "a\u{2024}b \u{2217} c",
                "a\u{2024}⟨U+2024⟩b \u{2217}⟨U+2217⟩ c",
            ),
            ("\u{1c3}x", "\u{1c3}⟨U+01C3⟩x"),
            ("f\u{ff08}x\u{ff09}", "f\u{ff08}⟨U+FF08⟩x\u{ff09}⟨U+FF09⟩"),
            ("cd \u{2026}/x", "cd \u{2026}⟨U+2026⟩/x"),
            ("run ехес", "run е⟨U+0435⟩х⟨U+0445⟩е⟨U+0435⟩с⟨U+0441⟩"),
        ] {
            assert_eq!(label(text), expected);
        }
        for same in [
            "Größe – “naïve” café, don’t… 1–2",
            "„so‚ ja‘“ — gut",
            "用Git，然后（再）看！",
            "læs Ærø",
        ] {
            assert_eq!(label(same), same);
        }
    }

    #[test]
    fn an_address_in_a_value_is_read_by_a_program() {
        assert_eq!(
            label("see https://g\u{131}thub.com, ısı"),
            "see https://g\u{131}⟨U+0131⟩thub.com, ısı"
        );
        assert_eq!(
            code("https://g\u{131}thub.com"),
            "https://g\u{131}⟨U+0131⟩thub.com"
        );
    }

    #[test]
    fn a_mark_that_no_letter_needs_is_marked_where_a_program_reads_it() {
        for (text, expected) in [
            ("cafe\u{301}", "cafe⟨U+0301⟩"),
            ("café", "café"),
            ("rm\u{323}\u{301}", "rm⟨U+0323⟩⟨U+0301⟩"),
            ("Wri\u{307}te", "Wri⟨U+0307⟩te"),
            ("fi\u{307}le_path", "fi⟨U+0307⟩le_path"),
            // Vietnamese, composed as people write it, and half.
            ("tiếng", "tiếng"),
            ("ti\u{ea}\u{301}ng", "ti\u{ea}⟨U+0301⟩ng"),
            // Another character for the same: ångström.
            ("\u{212b}", "\u{212b}⟨U+212B⟩"),
            ("क्षि", "क्षि"),
            ("\u{1112}\u{1161}", "\u{1112}\u{1161}⟨U+1161⟩"),
        ] {
            assert_eq!(code(text), expected, "{text:?}");
            assert_eq!(name_of(text), expected, "{text:?}");
        }
        assert_eq!(label("cafe\u{301}"), "cafe\u{301}");
    }

    #[test]
    fn many_addresses_and_marks_take_bounded_time() {
        for text in [
            "a://é ".repeat(40_000),
            "://é".repeat(60_000),
            format!("e{}", "\u{301}".repeat(100_000)),
        ] {
            assert!(label(&text).len() > 8);
            assert!(code(&text).len() > 8);
        }
    }
}
