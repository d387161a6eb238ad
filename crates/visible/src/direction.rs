//! Where a text changes its direction. Letters that are written from right to left carry digits and signs
//! beside them along, so that a line which is shown by the rules of Unicode reads in another order than a
//! machine reads it. Our surfaces show a line of an action in one direction, and say where others would not. Prose
//! runs from the left, and words from the right stand apart in it; only a line that has nothing else runs as they do.

use std::ops::Range;

use icu_properties::{CodePointMapData, CodePointMapDataBorrowed, props::BidiClass};

/// The mark before letters that would reorder the text beside them.
pub const RTL_MARK: &str = "⟨RTL⟩";

/// The role of a character for direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A letter from the left.
    Left,
    /// A letter from the right, or a digit that such letters take along.
    Right,
    /// White space.
    Blank,
    /// Signs between words of prose and means nothing by itself.
    Light,
    /// Everything else: digits, and signs that mean something.
    Other,
}

struct Sides(CodePointMapDataBorrowed<'static, BidiClass>);

impl Sides {
    fn new() -> Self {
        Self(CodePointMapData::<BidiClass>::new())
    }

    fn of(&self, c: char) -> Side {
        match self.0.get(c) {
            BidiClass::LeftToRight => Side::Left,
            BidiClass::RightToLeft | BidiClass::ArabicLetter | BidiClass::ArabicNumber => {
                Side::Right
            }
            // It is drawn on a letter, or joins two.
            BidiClass::NonspacingMark | BidiClass::BoundaryNeutral => Side::Light,
            _ if c.is_whitespace() => Side::Blank,
            _ if "\"'‘’“”,.!?:;-–()،".contains(c) => Side::Light,
            _ => Side::Other,
        }
    }

    /// Whether a line has words from the right and nothing that could be taken for more than words.
    fn is_of_words(&self, line: &str) -> bool {
        let mut sides = line.chars().map(|c| self.of(c));
        let has_digits = || {
            line.chars()
                .any(|c| self.0.get(c) == BidiClass::ArabicNumber)
        };
        let from_right = line.chars().any(|c| self.of(c) == Side::Right);
        from_right && !sides.any(|side| matches!(side, Side::Left | Side::Other)) && !has_digits()
    }
}

/// The places in a line before which the mark belongs: one for each stretch without a letter that is written
/// from left to right in which letters of the other kind meet anything else, another word of theirs included. A line
/// that has nothing but such words reads as it is written.
pub(super) fn turns(line: &str) -> Vec<usize> {
    let mut turns = Vec::new();
    if line.is_ascii() {
        return turns;
    }
    let sides = Sides::new();
    if sides.is_of_words(line) {
        return turns;
    }
    let mut end_of = |stretch: &str, from: usize| {
        let is_right = |(_, c): &(usize, char)| sides.of(*c) == Side::Right;
        let first = stretch.char_indices().find(is_right);
        let word = stretch.trim();
        let is_letter = |c: char| {
            matches!(
                sides.0.get(c),
                BidiClass::RightToLeft
                    | BidiClass::ArabicLetter
                    | BidiClass::NonspacingMark
                    | BidiClass::BoundaryNeutral
            )
        };
        if let (Some((at, _)), false) = (first, word.chars().all(is_letter)) {
            turns.push(from + at);
        }
    };
    let mut from = 0;
    for (at, c) in line.char_indices() {
        if sides.of(c) == Side::Left {
            end_of(&line[from..at], from);
            from = at + c.len_utf8();
        }
    }
    end_of(&line[from..], from);
    turns
}

/// Words from the right in a line, each stretch of them apart from digits and signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// Where they are.
    pub range: Range<usize>,
    /// Whether they are several, among others: then the last one in the order of the line is not the last one in it.
    pub is_marked: bool,
}

/// Whether a line has words from the right, and nothing that could be more than words.
pub fn is_of_words(line: &str) -> bool {
    !line.is_ascii() && Sides::new().is_of_words(line)
}

/// The words of a line that run from the right. In a line that has nothing else it is all of it.
pub fn strangers(line: &str) -> Vec<Stranger> {
    if line.is_ascii() {
        return Vec::new();
    }
    let sides = Sides::new();
    let is_of_words = sides.is_of_words(line);
    let mut strangers: Vec<Stranger> = Vec::new();
    // Whether nothing but spaces stand since the last one.
    let mut goes_on = false;
    let mut before = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        match (sides.of(c), strangers.last_mut()) {
            (Side::Right, Some(last)) if goes_on => {
                last.is_marked |= last.range.end != at;
                last.range.end = end;
            }
            (Side::Right, _) => {
                strangers.push(Stranger {
                    range: at..end,
                    is_marked: false,
                });
                goes_on = true;
            }
            // Drawn on the letter before it.
            (Side::Light, Some(last))
                if matches!(
                    sides.0.get(c),
                    BidiClass::NonspacingMark | BidiClass::BoundaryNeutral
                ) && last.range.end == before =>
            {
                last.range.end = end;
            }
            (Side::Light, Some(last)) if is_of_words => last.range.end = end,
            (Side::Blank, _) if c != '\n' => {}
            (Side::Light, _) if is_of_words => {}
            _ => goes_on = false,
        }
        before = end;
    }
    if is_of_words {
        strangers.iter_mut().for_each(|one| one.is_marked = false);
    }
    strangers
}

/// A text for a surface that reorders by the rules of Unicode and knows isolates: it reads in the order in which it is
/// written.
pub fn isolated(text: &str) -> String {
    const FROM_LEFT: char = '\u{200e}';
    const ISOLATE: char = '\u{2067}';
    const END: char = '\u{2069}';
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut isolated = String::from(FROM_LEFT);
    let mut any = false;
    for line in text.split_inclusive('\n') {
        let mut done = 0;
        for Stranger { range, is_marked } in strangers(line) {
            any = true;
            isolated.push_str(&line[done..range.start]);
            done = range.end;
            if is_marked {
                isolated.push_str(RTL_MARK);
            }
            isolated.push(ISOLATE);
            isolated.push_str(&line[range]);
            isolated.push(END);
        }
        isolated.push_str(&line[done..]);
    }
    match any {
        true => isolated,
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{isolated, turns};

    #[test]
    fn what_runs_the_other_way_is_kept_apart() {
        for (text, expected) in [
            ("10 → 500", "10 → 500"),
            // One letter turns nothing around.
            ("א 10 → 500", "L[א] 10 → 500"),
            ("rm אב/גד", "L rm [אב]/[גד]"),
            ("cp אב גד", "L cp ⟨RTL⟩[אב גד]"),
            ("cp \"אב\" \"גד\"", "L cp \"[אב]\" \"[גד]\""),
            ("a = ١ - ٢", "L a = [١] - [٢]"),
            ("١٠ → ٥٠٠", "L[١٠] → [٥٠٠]"),
            ("שלום, עולם!", "L[שלום, עולם!]"),
            ("a א\nב ג!\nד 5.", "L a [א]\n[ב ג!]\n[ד] 5."),
            ("העברה של .50 מיליון", "L⟨RTL⟩[העברה של] .50 [מיליון]"),
            (
                "חשבון א 100 → חשבון ב",
                "L⟨RTL⟩[חשבון א] 100 → ⟨RTL⟩[חשבון ב]",
            ),
            ("שָׁלוֹם x", "L[שָׁלוֹם] x"),
        ] {
            let shown = isolated(text)
                .replace('\u{2067}', "[")
                .replace('\u{2069}', "]")
                .replace('\u{200e}', "L");
            assert_eq!(shown, expected.replace("L ", "L"), "{text}");
        }
    }

    #[test]
    fn letters_from_the_right_are_marked_where_they_carry_others_along() {
        for (text, expected) in [
            ("rm -rf /data", &[][..]),
            ("\"שלום, עולם!\"", &[]),
            ("abc אבג def", &[]),
            ("אבג 5", &[0]),
            ("a = א + 5", &[4]),
            ("/x/א/y", &[3]),
            ("1 ב, c 2 ד", &[2, 10]),
            ("١ - ٢", &[0]),
            ("mv אב גד", &[3]),
            ("copy אב → גד", &[5]),
            ("x אב − גד y", &[2]),
            ("[\"אב\",\"גד\"]", &[2]),
            // The digits belong to a letter from the left.
            ("א b2", &[]),
        ] {
            assert_eq!(turns(text), expected, "{text}");
        }
    }
}
