//! Puts the runs of a text together: characters as they are, and marks for those that cannot be.

use icu_properties::{CodePointSetData, props::SoftDotted};
use unicode_security::confusable_detection::skeleton;

use crate::{
    Ink, Mark, Run,
    hidden::{is_combining, is_ignorable, is_spacing_mark},
};

/// No language stacks more marks than this on a letter (UTS 39, section 5.4).
const MARKS: usize = 4;
/// With the marks that take room beside it: a syllable of Burmese has six.
const SYLLABLE: usize = 8;

/// The runs so far.
#[derive(Default)]
pub(super) struct Runs {
    done: Vec<Run>,
    /// How many combining marks the last letter has; `None` where there is no letter.
    on_letter: Option<usize>,
    /// How many of any kind.
    in_syllable: usize,
    /// Whether the last letter has a dot above, which a second one would cover.
    has_dot: bool,
    /// The hidden character that was last, and how often it stood there.
    hidden: Option<(char, usize)>,
}

impl Runs {
    pub(super) fn add(&mut self, c: char, hidden: bool) {
        let combines = is_combining(c);
        let stands_beside = is_spacing_mark(c);
        let crowded = (combines && self.on_letter.is_none_or(|marks| marks >= MARKS))
            || ((combines || stands_beside)
                && (self.on_letter.is_none() || self.in_syllable >= SYLLABLE));
        // It would look as if it were not there.
        let covered = combines && self.has_dot && is_dot(c);
        if !combines && !is_ignorable(c) {
            self.has_dot = has_dot(c);
        }
        if hidden || crowded || covered {
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
        if combines || stands_beside {
            self.in_syllable += 1;
            self.on_letter = self.on_letter.map(|marks| marks + usize::from(combines));
        } else if !is_ignorable(c) {
            self.on_letter = c.is_alphanumeric().then_some(0);
            self.in_syllable = 0;
        }
        match self.done.last_mut() {
            Some(run) if !run.is_marked() && run.ink == Ink::Plain => run.text.push(c),
            _ => self.done.push(Run::plain(c)),
        }
    }

    /// A mark of the text beside it.
    pub(super) fn beside(&mut self, text: String) {
        self.end_mark();
        self.done.push(Run::mark(text, Mark::Beside));
    }

    /// A blank that has to be drawn: a row may end there without one as well.
    pub(super) fn blank_before_wide(&mut self) {
        self.end_mark();
        (self.on_letter, self.has_dot) = (None, false);
        self.done.push(Run {
            ink: Ink::Space,
            ..Run::plain(' ')
        });
    }

    /// White space of one kind, in words.
    pub(super) fn blank(&mut self, c: char, times: usize) {
        self.end_mark();
        (self.on_letter, self.has_dot) = (None, false);
        self.done.push(counted(c, times));
    }

    fn end_mark(&mut self) {
        if let Some((c, times)) = self.hidden.take() {
            let mark = Mark::Instead(c, times);
            self.done.push(Run::mark(number(c, times), mark));
        }
    }

    pub(super) fn finish(mut self) -> Vec<Run> {
        self.end_mark();
        self.done
    }

    pub(super) fn text(self) -> String {
        self.finish().into_iter().map(|run| run.text).collect()
    }
}

/// Whether a letter is drawn with a dot above that goes where a mark above comes: `i`, and also `ı`, which has
/// none and with one looks like `i`.
fn has_dot(c: char) -> bool {
    match c {
        'i' | 'j' | '\u{131}' | '\u{237}' => true,
        c => !c.is_ascii() && CodePointSetData::new::<SoftDotted>().contains(c),
    }
}

/// Whether a combining mark is a dot above, or looks like one.
fn is_dot(c: char) -> bool {
    skeleton(c.encode_utf8(&mut [0; 4])).eq(['\u{307}'])
}

/// White space of one kind, in words.
pub(super) fn counted(c: char, times: usize) -> Run {
    let what = match (c, times) {
        ('\t', 1) => "tab",
        ('\t', _) => "tabs",
        (_, 1) => "space",
        (_, _) => "spaces",
    };
    Run::mark(format!("⟨{times} {what}⟩"), Mark::Instead(c, times))
}

/// The number of a character, and how often it stands there.
pub(super) fn number(c: char, times: usize) -> String {
    match times {
        1 => format!("⟨U+{:04X}⟩", u32::from(c)),
        _ => format!("⟨U+{:04X}×{times}⟩", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use crate::{line, prose};

    #[test]
    fn a_dot_on_a_letter_that_has_one_is_written_out_everywhere() {
        for (text, expected) in [
            ("gi\u{307}thub.com", "gi⟨U+0307⟩thub.com"),
            ("j\u{307}x", "j⟨U+0307⟩x"),
            ("\u{131}\u{307}\u{237}\u{307}", "ı⟨U+0307⟩ȷ⟨U+0307⟩"),
            ("\u{456}\u{307}", "і⟨U+0307⟩"),
            // Below another mark, and a mark that looks like the dot.
            ("i\u{323}\u{307}", "i\u{323}⟨U+0307⟩"),
            ("i\u{358}", "i⟨U+0358⟩"),
        ] {
            assert_eq!(line(text), expected);
            assert_eq!(prose(text), expected);
        }
        for same in ["i\u{301}", "e\u{307}", "İstanbul", "i e\u{307}"] {
            assert_eq!(line(same), same);
        }
    }

    #[test]
    fn a_tower_of_marks_is_written_out() {
        let tower = format!("e{}f", "\u{301}".repeat(900));
        assert_eq!(line(&tower), "e\u{301}\u{301}\u{301}\u{301}⟨U+0301×896⟩f");
        assert_eq!(line("n\u{336}o\u{336}"), "n⟨U+0336⟩o⟨U+0336⟩");
    }
}
