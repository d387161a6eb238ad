//! Characters that have no shape of their own, or none that is always drawn.

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, GeneralCategory},
};

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
                // Marks that strike a letter out.
                || matches!(c, '\u{334}'..='\u{338}')
        }
    }
}

/// Whether a renderer may show nothing for it.
pub(super) fn is_ignorable(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Whether it is drawn on the character before it.
pub(super) fn is_combining(c: char) -> bool {
    !c.is_ascii() && category(c) == GeneralCategory::NonspacingMark && !is_ignorable(c)
}

/// Whether it is drawn beside the letter before it, as a part of its syllable.
pub(super) fn is_spacing_mark(c: char) -> bool {
    !c.is_ascii() && category(c) == GeneralCategory::SpacingMark
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}
