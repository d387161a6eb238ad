//! How many cells of a terminal a character may take. Terminals disagree where characters join or vary: one takes them
//! for one sign, the next draws each for itself.

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{EastAsianWidth, Emoji, EmojiPresentation, GeneralCategory},
};

const ZERO_WIDTH_JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
/// Asks for the picture of a character that has one.
const AS_PICTURE: char = '\u{fe0f}';

/// The most cells that any terminal draws this in: as if it joined nothing.
pub(super) fn most(cluster: &str) -> usize {
    if cluster.is_ascii() {
        return cluster.len();
    }
    let apart: usize = cluster.chars().map(alone).sum();
    let is_emoji = |c: char| CodePointSetData::new::<Emoji>().contains(c);
    match cluster.contains(AS_PICTURE) && cluster.chars().any(is_emoji) {
        true => apart.max(2),
        false => apart,
    }
}

fn alone(c: char) -> usize {
    match CodePointMapData::<EastAsianWidth>::new().get(c) {
        EastAsianWidth::Wide | EastAsianWidth::Fullwidth => return 2,
        // Half of a flag.
        _ if CodePointSetData::new::<EmojiPresentation>().contains(c) => return 2,
        _ => {}
    }
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => 0,
        _ if ZERO_WIDTH_JOINERS.contains(&c) => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::most;

    #[test]
    fn a_character_counts_as_the_widest_terminal_draws_it() {
        for (cluster, cells) in [
            ("a", 1),
            ("é", 1),
            ("e\u{301}", 1),
            ("漢", 2),
            ("க\u{bbe}", 2),
            ("⌚\u{fe0e}", 2),
            ("⚠\u{fe0f}", 2),
            ("☰", 2),
            ("👍🏽", 4),
            ("👩\u{200d}👧", 4),
            ("🇩", 2),
            ("🇩🇪", 4),
            ("\u{1100}\u{1161}", 3),
        ] {
            assert_eq!(most(cluster), cells, "{cluster}");
        }
    }
}
