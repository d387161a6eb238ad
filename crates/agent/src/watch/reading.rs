//! How far the open item has been on the screen (rule 11). A decision is offered once every line it covers has
//! been drawn, from the first to the last, while this very content was open.

use std::{collections::BTreeSet, ops::Range};

use domain::interaction::Shown;

/// Narrower than this a terminal shows no line that anybody could read.
pub(super) const NARROWEST: u16 = 16;

/// The part that one drawing put on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Lines are folded to it.
    pub(super) width: u16,
    /// The lines of the text that stand there.
    pub(super) lines: Range<usize>,
    /// How many lines the text has.
    pub(super) of: usize,
    /// The options that stand there whole.
    pub(super) options: Range<usize>,
}

/// The part of one content that has been on the screen so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    width: u16,
    /// So many lines from the first on, without a gap, as they are folded now.
    lines: usize,
    is_read: bool,
    options: BTreeSet<usize>,
}

impl Reading {
    /// Takes in the drawn lines.
    pub(super) fn saw(&mut self, drawn: &Drawn) {
        if drawn.width < NARROWEST {
            return;
        }
        if drawn.width != self.width {
            // Folded anew, the lines have other numbers. Text read to the end stays read.
            (self.width, self.lines) = (drawn.width, 0);
        }
        if drawn.lines.start <= self.lines {
            self.lines = self.lines.max(drawn.lines.end);
        }
        self.is_read |= drawn.of > 0 && self.lines >= drawn.of;
        self.options.extend(drawn.options.clone());
    }

    /// Whether the text has been on the screen to its end.
    pub(super) fn text(&self) -> Shown {
        Shown::unless_cut(!self.is_read)
    }

    /// Whether this option has been on the screen.
    pub(super) fn option(&self, n: usize) -> Shown {
        Shown::unless_cut(!self.options.contains(&n))
    }

    /// Whether all of so many options have been.
    pub(super) fn options(&self, count: usize) -> Shown {
        Shown::unless_cut(!(0..count).all(|n| self.options.contains(&n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: u16, lines: Range<usize>, of: usize) -> Drawn {
        Drawn {
            width,
            lines,
            of,
            options: 0..0,
        }
    }

    #[test]
    fn it_is_read_when_its_last_line_was_drawn_after_all_others() {
        let mut reading = Reading::default();
        reading.saw(&drawn(80, 0..10, 30));
        assert_eq!(reading.text(), Shown::Cut);
        // A jump over the lines between.
        reading.saw(&drawn(80, 20..30, 30));
        assert_eq!(reading.text(), Shown::Cut);
        reading.saw(&drawn(80, 9..19, 30));
        reading.saw(&drawn(80, 19..29, 30));
        assert_eq!(reading.text(), Shown::Cut);
        reading.saw(&drawn(80, 20..30, 30));
        assert_eq!(reading.text(), Shown::Whole);
    }

    #[test]
    fn a_terminal_of_another_width_begins_anew_until_it_was_read() {
        let mut reading = Reading::default();
        reading.saw(&drawn(80, 0..10, 20));
        reading.saw(&drawn(40, 10..40, 40));
        assert_eq!(reading.text(), Shown::Cut);
        reading.saw(&drawn(40, 0..40, 40));
        assert_eq!(reading.text(), Shown::Whole);
        reading.saw(&drawn(80, 0..10, 20));
        assert_eq!(reading.text(), Shown::Whole);
    }

    #[test]
    fn where_nothing_fits_nothing_is_read() {
        for nothing in [drawn(80, 0..0, 3), drawn(NARROWEST - 1, 0..3, 3)] {
            let mut reading = Reading::default();
            reading.saw(&nothing);
            assert_eq!(reading.text(), Shown::Cut, "{nothing:?}");
        }
    }

    #[test]
    fn options_are_read_one_by_one() {
        let mut reading = Reading::default();
        reading.saw(&Drawn {
            width: 80,
            options: 1..3,
            ..Drawn::default()
        });
        assert_eq!(reading.option(1), Shown::Whole);
        assert_eq!(reading.option(0), Shown::Cut);
        assert_eq!(reading.options(3), Shown::Cut);
        reading.saw(&Drawn {
            width: 80,
            options: 0..1,
            ..Drawn::default()
        });
        assert_eq!(reading.options(3), Shown::Whole);
    }
}
