//! Where a text changes its direction. Letters that are written from right to left carry digits and signs
//! beside them along, so that a line which is shown by the rules of Unicode reads in another order than a
//! machine reads it. Our surfaces show a line of an action in one direction, and say where others would not. Prose
//! runs as most of its letters do, and what runs the other way in it is kept apart.

use std::ops::Range;

use icu_properties::{CodePointMapData, props::BidiClass};

/// The mark before letters that would reorder what is beside them.
pub(super) const MARK: &str = "⟨RTL⟩";

/// The places in a text before which the mark belongs: one for each stretch without a letter that is written
/// from left to right in which letters of the other kind meet a digit or a sign.
pub(super) fn turns(text: &str) -> Vec<usize> {
    let mut turns = Vec::new();
    if text.is_ascii() {
        return turns;
    }
    let class = CodePointMapData::<BidiClass>::new();
    // Of the stretch: its first letter from the right, and whether there is something to reorder.
    let mut first = None;
    let mut carries = false;
    for (at, c) in text.char_indices() {
        match class.get(c) {
            BidiClass::LeftToRight => {
                turns.extend(first.take().filter(|_| carries));
                carries = false;
            }
            BidiClass::RightToLeft | BidiClass::ArabicLetter => first = first.or(Some(at)),
            BidiClass::ArabicNumber => {
                first = first.or(Some(at));
                carries = true;
            }
            BidiClass::EuropeanNumber => carries = true,
            _ => carries |= is_sign(c),
        }
    }
    turns.extend(first.filter(|_| carries));
    turns
}

/// Which way a text runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Ltr,
    /// From right to left.
    Rtl,
}

impl Direction {
    /// As most of the letters run; one from the other side at the beginning turns nothing around.
    pub fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ltr;
        }
        let class = CodePointMapData::<BidiClass>::new();
        let from_right = |balance: isize, c| match class.get(c) {
            BidiClass::LeftToRight => balance - 1,
            BidiClass::RightToLeft | BidiClass::ArabicLetter => balance + 1,
            _ => balance,
        };
        match text.chars().fold(0, from_right) {
            1.. => Self::Rtl,
            _ => Self::Ltr,
        }
    }

    /// As HTML calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ltr => "ltr",
            Self::Rtl => "rtl",
        }
    }

    /// The other one.
    pub fn reversed(self) -> Self {
        match self {
            Self::Ltr => Self::Rtl,
            Self::Rtl => Self::Ltr,
        }
    }

    /// The parts of a text of this direction that run the other way, and have to be kept apart so that they take
    /// nothing beside them along: words from the right without the digits and signs around them, or everything that
    /// is none, where it has a letter or a digit.
    pub fn strangers(self, text: &str) -> Vec<Range<usize>> {
        let mut strangers = Vec::new();
        if text.is_ascii() && self == Self::Ltr {
            return strangers;
        }
        let class = CodePointMapData::<BidiClass>::new();
        let mut open: Option<Range<usize>> = None;
        let mut counts = false;
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            let is_from_right = matches!(
                class.get(c),
                BidiClass::RightToLeft | BidiClass::ArabicLetter | BidiClass::ArabicNumber
            );
            let belongs = match self {
                Self::Ltr => is_from_right,
                Self::Rtl => !is_from_right && !is_light(c),
            };
            if belongs {
                open = Some(open.map_or(at, |open| open.start)..end);
                counts |= self == Self::Ltr
                    || matches!(
                        class.get(c),
                        BidiClass::LeftToRight | BidiClass::EuropeanNumber
                    );
            } else if c == '\n' || !(is_light(c) || class.get(c) == BidiClass::NonspacingMark) {
                strangers.extend(open.take().filter(|_| counts));
                counts = false;
            } else if let (Some(open), BidiClass::NonspacingMark) = (&mut open, class.get(c)) {
                open.end = end;
            }
        }
        strangers.extend(open.filter(|_| counts));
        strangers
    }
}

/// A text for a surface that reorders by the rules of Unicode and knows isolates: it runs as most of its letters do, and
/// reads in the order in which it is written.
pub fn isolated(text: &str) -> String {
    const LTR_MARK: char = '\u{200e}';
    const RTL_MARK: char = '\u{200f}';
    const LTR_ISOLATE: char = '\u{2066}';
    const RTL_ISOLATE: char = '\u{2067}';
    const END: char = '\u{2069}';
    let direction = Direction::of(text);
    let strangers = direction.strangers(text);
    if direction == Direction::Ltr && strangers.is_empty() {
        return text.to_owned();
    }
    let (mark, isolate) = match direction {
        Direction::Ltr => (LTR_MARK, RTL_ISOLATE),
        Direction::Rtl => (RTL_MARK, LTR_ISOLATE),
    };
    let mut isolated = String::from(mark);
    let mut done = 0;
    for stranger in strangers {
        isolated.push_str(&text[done..stranger.start]);
        done = stranger.end;
        isolated.push(isolate);
        isolated.push_str(&text[stranger]);
        isolated.push(END);
    }
    isolated.push_str(&text[done..]);
    isolated
}

/// What stands between words of one direction and means nothing by itself.
fn is_light(c: char) -> bool {
    c.is_whitespace() || "\"'‘’“”,.!?،".contains(c)
}

/// What a machine may read as more than prose: not quotes and the ends of sentences.
fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '"' | '\'' | ',' | '.' | '!' | '?')
}

#[cfg(test)]
mod tests {
    use super::{Direction, isolated, turns};

    #[test]
    fn what_runs_the_other_way_is_kept_apart() {
        for (text, expected) in [
            ("10 → 500", "10 → 500"),
            // One letter turns nothing around.
            (
                "א 10 → 500 in all",
                "\u{200e}\u{2067}א\u{2069} 10 → 500 in all",
            ),
            ("rm אב, גד / now", "\u{200e}rm \u{2067}אב, גד\u{2069} / now"),
            (
                "a = ١ - ٢",
                "\u{200e}a = \u{2067}١\u{2069} - \u{2067}٢\u{2069}",
            ),
            (
                "a א\nב b c",
                "\u{200e}a \u{2067}א\u{2069}\n\u{2067}ב\u{2069} b c",
            ),
            (
                "שנה 10 → 500, בבקשה.",
                "\u{200f}שנה \u{2066}10 → 500\u{2069}, בבקשה.",
            ),
            ("שלום, עולם!", "\u{200f}שלום, עולם!"),
            (
                "למחוק -rf /data? כן - לא",
                "\u{200f}למחוק \u{2066}-rf /data\u{2069}? כן - לא",
            ),
        ] {
            assert_eq!(isolated(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_runs_as_most_of_its_letters_do() {
        for (text, direction) in [
            ("", Direction::Ltr),
            ("אב ab", Direction::Ltr),
            ("אבג ab", Direction::Rtl),
            ("5 א", Direction::Rtl),
        ] {
            assert_eq!(Direction::of(text), direction, "{text}");
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
            // The digits belong to a letter from the left.
            ("א b2", &[]),
        ] {
            assert_eq!(turns(text), expected, "{text}");
        }
    }
}
