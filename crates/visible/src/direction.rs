//! Where a text changes its direction. Letters that are written from right to left carry digits and signs
//! beside them along, so that a line which is shown by the rules of Unicode reads in another order than a
//! machine reads it. Our surfaces show a line of an action in one direction, and say where others would not.

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

/// What a machine may read as more than prose: not quotes and the ends of sentences.
fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '"' | '\'' | ',' | '.' | '!' | '?')
}

#[cfg(test)]
mod tests {
    use super::turns;

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
