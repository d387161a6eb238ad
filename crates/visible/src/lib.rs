//! Text in which nothing is hidden and nothing passes for something else: what a person approves, and
//! what a terminal gets, must be what they see. A character without a shape of its own, or one that
//! reorders others, is written out by its number (`⟨U+202E⟩`); one that looks like another has its number
//! behind it (`е⟨U+0435⟩`), and one that takes others along in its direction a mark before it (`⟨RTL⟩`).

mod direction;
mod run;
pub mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use run::{Ink, Mark, Run};
pub(crate) use run::{back, drawn};

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, GeneralCategory},
};
use unicode_security::{confusable_detection::skeleton, mixed_script::AugmentedScriptSet};

/// No language stacks more marks than this on a letter (UTS 39, section 5.4).
const MARKS: usize = 4;

/// A text on one line.
pub fn line(text: &str) -> String {
    written(text, is_hidden).text()
}

/// A text in lines.
pub fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

/// Prose in several lines. White space stays, and so does what joins and varies characters as languages
/// and emoji need it.
pub fn prose(text: &str) -> String {
    let is_wanted = |c: char| {
        c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200c}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}')
    };
    written(text, |c| is_hidden(c) && !is_wanted(c)).text()
}

/// Nothing but the numbers of its characters.
pub fn numbers(text: &str) -> String {
    written(text, |_| true).text()
}

/// The name of a tool or an argument: a program reads it, so whatever looks like ASCII should be.
pub fn name(text: &str) -> Vec<Run> {
    unmasked(text, |_| true, is_hidden)
}

/// The value of an argument, as JSON: it may be in any language.
pub fn value(text: &str) -> Vec<Run> {
    unmasked(text, is_odd_in(has_latin(text)), is_hidden)
}

/// A line of a text that has several; `latin` says whether [one of them](has_latin) is. A tab stays.
pub fn code(line: &str, latin: bool) -> Vec<Run> {
    unmasked(line, is_odd_in(latin), |c| c != '\t' && is_hidden(c))
}

/// Whether letters of ASCII are in a text, so that others could be taken for them.
pub fn has_latin(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_alphabetic())
}

/// A letter of a Latin alphabet is nothing strange among others.
fn is_odd_in(latin: bool) -> impl Fn(char) -> bool {
    move |c| latin && !(c.is_alphabetic() && is_latin(c))
}

/// Hidden characters written out, and those that look like ASCII marked where `is_odd` says that
/// they would be taken for it.
fn unmasked(
    text: &str,
    is_odd: impl Fn(char) -> bool,
    is_hidden: impl Fn(char) -> bool,
) -> Vec<Run> {
    let mut runs = Runs::default();
    let mut turns = direction::turns(text).into_iter().peekable();
    let mut at = 0;
    for part in parts(text) {
        let mimics = |c: char| is_odd(c) && mimics_ascii(c);
        // In a word that cannot be what it seems, but has no known double, everything foreign is odd.
        let pretends = pretends(part, mimics);
        let some = part.chars().any(mimics);
        for c in part.chars() {
            if turns.next_if_eq(&at).is_some() {
                runs.beside(direction::MARK.to_owned());
            }
            at += c.len_utf8();
            runs.add(c, is_hidden(c));
            let alike = if c.is_alphanumeric() {
                pretends && !c.is_ascii() && (mimics(c) || !some)
            } else {
                mimics(c)
            };
            if alike {
                runs.beside(number(c, 1));
            }
        }
    }
    runs.finish()
}

fn written(text: &str, is_hidden: impl Fn(char) -> bool) -> Runs {
    let mut runs = Runs::default();
    for c in text.chars() {
        runs.add(c, is_hidden(c));
    }
    runs.end_mark();
    runs
}

/// Words, and what stands between them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
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
fn pretends(word: &str, mimics: impl Fn(char) -> bool) -> bool {
    let foreign: String = word.chars().filter(|c| !c.is_ascii()).collect();
    if foreign.is_empty() {
        return false;
    }
    let scripts = AugmentedScriptSet::for_str(&foreign);
    let eastern = scripts.hanb || scripts.jpan || scripts.kore;
    let beside_latin = word.chars().any(|c| c.is_ascii_alphabetic());
    scripts.is_empty()
        || (beside_latin && !goes_with_latin(scripts) && !eastern)
        || word.chars().all(|c| c.is_ascii() || mimics(c))
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

/// Whether it is not ASCII but looks like something in ASCII that a program reads: a letter, a digit, or
/// what addresses and paths are made with. Quotes and dashes are left to those who write prose.
fn mimics_ascii(c: char) -> bool {
    let mut buffer = [0; 4];
    !c.is_ascii()
        && skeleton(c.encode_utf8(&mut buffer))
            .all(|like| like.is_ascii_alphanumeric() || "/\\:;@?#&=%$<>|".contains(like))
        && !is_hidden(c)
}

/// Controls, format characters, what is not assigned or privately so, everything that Unicode lets a
/// renderer ignore, what has an empty shape, and white space other than the common one.
pub fn is_hidden(c: char) -> bool {
    use GeneralCategory as Is;
    // Almost every character of almost every text.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    match category(c) {
        Is::Control
        | Is::Format
        | Is::PrivateUse
        | Is::Surrogate
        | Is::Unassigned
        | Is::LineSeparator
        | Is::ParagraphSeparator
        | Is::EnclosingMark => true,
        Is::SpaceSeparator => c != ' ',
        _ => {
            is_ignorable(c)
                || matches!(c, '\u{2800}' | '\u{fffc}' | '\u{16fe4}' | '\u{1d159}')
                // What strikes a letter out.
                || matches!(c, '\u{334}'..='\u{338}')
        }
    }
}

/// Whether a renderer may show nothing for it.
fn is_ignorable(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

fn is_combining(c: char) -> bool {
    !c.is_ascii() && category(c) == GeneralCategory::NonspacingMark && !is_ignorable(c)
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

/// Puts runs together.
#[derive(Default)]
struct Runs {
    done: Vec<Run>,
    /// How many combining marks the last letter has; `None` where there is no letter.
    on_letter: Option<usize>,
    /// The hidden character that was last, and how often it stood there.
    hidden: Option<(char, usize)>,
}

impl Runs {
    fn add(&mut self, c: char, hidden: bool) {
        let crowded = is_combining(c) && self.on_letter.is_none_or(|marks| marks >= MARKS);
        if hidden || crowded {
            match &mut self.hidden {
                Some((last, times)) if *last == c => *times += 1,
                _ => {
                    self.end_mark();
                    self.hidden = Some((c, 1));
                }
            }
            return;
        }
        self.end_mark();
        if is_combining(c) {
            self.on_letter = self.on_letter.map(|marks| marks + 1);
        } else if !is_ignorable(c) {
            self.on_letter = c.is_alphanumeric().then_some(0);
        }
        match self.done.last_mut() {
            Some(run) if !run.is_marked() => run.text.push(c),
            _ => self.done.push(Run::plain(c)),
        }
    }

    /// A mark of what stands beside it.
    fn beside(&mut self, text: String) {
        self.end_mark();
        self.done.push(Run::mark(text, Mark::Beside));
    }

    fn end_mark(&mut self) {
        if let Some((c, times)) = self.hidden.take() {
            let mark = Mark::Instead(c, times);
            self.done.push(Run::mark(number(c, times), mark));
        }
    }

    fn finish(mut self) -> Vec<Run> {
        self.end_mark();
        self.done
    }

    fn text(self) -> String {
        self.finish().into_iter().map(|run| run.text).collect()
    }
}

/// The number of a character, and how often it stands there.
fn number(c: char, times: usize) -> String {
    match times {
        1 => format!("⟨U+{:04X}⟩", u32::from(c)),
        _ => format!("⟨U+{:04X}×{times}⟩", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(runs: Vec<Run>) -> String {
        let marked = |run: &Run| run.is_marked() == run.text.contains('⟨');
        assert!(runs.iter().all(marked), "{runs:?}");
        runs.into_iter().map(|run| run.text).collect()
    }

    #[test]
    fn what_hides_is_written_out() {
        assert_eq!(line("rm -rf /tmp/ü 日本"), "rm -rf /tmp/ü 日本");
        assert_eq!(
            line("a\u{202e}b\u{200b}c\nd\u{a0}e\u{e0041}\u{1b}[2J\u{9b}"),
            "a⟨U+202E⟩b⟨U+200B⟩c⟨U+000A⟩d⟨U+00A0⟩e⟨U+E0041⟩⟨U+001B⟩[2J⟨U+009B⟩"
        );
        assert_eq!(line(&"\u{200b}".repeat(500)), "⟨U+200B×500⟩");
    }

    #[test]
    fn no_hidden_character_of_unicode_is_left_out() {
        // DerivedCoreProperties.txt (Default_Ignorable_Code_Point) and PropList.txt (Bidi_Control,
        // White_Space, Noncharacter_Code_Point, Variation_Selector) of Unicode 17, as ranges.
        for (first, last) in [
            (0x0, 0x1f),
            (0x7f, 0xa0),
            (0xad, 0xad),
            (0x34f, 0x34f),
            (0x61c, 0x61c),
            (0x115f, 0x1160),
            (0x1680, 0x1680),
            (0x17b4, 0x17b5),
            (0x180b, 0x180f),
            (0x2000, 0x200f),
            (0x2028, 0x202f),
            (0x205f, 0x206f),
            (0x2800, 0x2800),
            (0x3000, 0x3000),
            (0x3164, 0x3164),
            (0xe000, 0xf8ff),
            (0xfdd0, 0xfdef),
            (0xfe00, 0xfe0f),
            (0xfeff, 0xfeff),
            (0xffa0, 0xffa0),
            (0xfff0, 0xfffc),
            (0xfffe, 0xffff),
            (0x1bca0, 0x1bca3),
            (0x1d173, 0x1d17a),
            (0x1fffe, 0x1ffff),
            (0xe0000, 0xe0fff),
            (0xf0000, 0x10_ffff),
        ] {
            for c in (first..=last).filter_map(char::from_u32) {
                assert!(is_hidden(c), "{:x}", u32::from(c));
                assert!(!line(&format!("a{c}b")).contains(c), "{:x}", u32::from(c));
            }
        }
        for c in [
            'a', ' ', 'é', 'ü', 'я', '中', 'ש', 'ع', '🦀', '–', '’', '€', '\u{301}', 'ก', '\u{93f}',
        ] {
            assert!(!is_hidden(c), "{c}");
        }
    }

    #[test]
    fn a_name_that_looks_like_another_is_marked() {
        for (name_, expected) in [
            ("shell", "shell"),
            ("größe", "größe"),
            ("файл", "файл"),
            ("名前_v2", "名前_v2"),
            // Cyrillic among Latin, Cyrillic alone, full width, mathematical, Greek.
            ("shеll", "shе⟨U+0435⟩ll"),
            ("ехес", "е⟨U+0435⟩х⟨U+0445⟩е⟨U+0435⟩с⟨U+0441⟩"),
            ("ｒm", "ｒ⟨U+FF52⟩m"),
            ("𝗋𝗆", "𝗋⟨U+1D5CB⟩𝗆⟨U+1D5C6⟩"),
            ("readΔ", "readΔ⟨U+0394⟩"),
            ("a\u{2044}b", "a⁄⟨U+2044⟩b"),
            ("shell\u{202e}txt", "shell⟨U+202E⟩txt"),
        ] {
            assert_eq!(shown(name(name_)), expected, "{name_}");
        }
    }

    #[test]
    fn a_value_in_another_language_is_left_alone() {
        for same in [
            "\"Привет, мир: 10 сор\"",
            "\"Größe – “naïve” café, don’t…\"",
            "\"שלום\"",
            "\"日本語 and Latin\"",
            "\"ısı ölçer\"",
            "\"tiếng Việt\"",
            "\"नमस्ते\"",
        ] {
            assert_eq!(shown(value(same)), same);
        }
        assert_eq!(
            shown(value("\"https://раypal.com\u{2215}login\"")),
            "\"https://р⟨U+0440⟩а⟨U+0430⟩ypal.com∕⟨U+2215⟩login\""
        );
    }

    #[test]
    fn letters_from_the_right_are_marked_beside_digits_and_signs() {
        assert_eq!(shown(value("\"א = 5\"")), "\"⟨RTL⟩א = 5\"");
        assert_eq!(shown(name("שם1")), "⟨RTL⟩שם1");
        assert_eq!(shown(code("rm /א/1", true)), "rm /⟨RTL⟩א/1");
    }

    proptest::proptest! {
        #[test]
        fn from_what_is_shown_one_comes_back_to_the_text(text in testing::hostile()) {
            for runs in [name(&text), value(&text), code(&text, true), code(&text, false)] {
                proptest::prop_assert_eq!(back(&runs), text.as_str());
                let shown: String = runs.iter().map(|run| run.text.as_str()).collect();
                let redrawn = drawn(runs, |at| (Ink::Text, at % 3 == 0));
                proptest::prop_assert_eq!(back(&redrawn), text.as_str());
                let again: String = redrawn.iter().map(|run| run.text.as_str()).collect();
                proptest::prop_assert_eq!(again, shown);
            }
        }
    }

    #[test]
    fn a_tower_of_marks_is_written_out() {
        let tower = format!("e{}f", "\u{301}".repeat(900));
        assert_eq!(line(&tower), "e\u{301}\u{301}\u{301}\u{301}⟨U+0301×896⟩f");
        // On nothing, a mark would sit on what stands before it.
        assert_eq!(shown(value("\"\u{301}x\"")), "\"⟨U+0301⟩x\"");
        assert_eq!(line("n\u{336}o\u{336}"), "n⟨U+0336⟩o⟨U+0336⟩");
    }

    #[test]
    fn prose_keeps_what_languages_need() {
        let text = "⚠️ نام\u{200c}ها 👩\u{200d}💻\n\tzwei\u{a0}Zeilen";
        assert_eq!(prose(text), text);
        assert_eq!(
            prose("a\u{202e}b\u{2066}c\u{200b}d"),
            "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d"
        );
    }
}
