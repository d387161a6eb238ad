//! How far the open item has been on the screen (rule 11). A decision is offered once every line it covers has
//! been drawn, from the first to the last, while this very content was open.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::{Duration, Instant},
};

use domain::interaction::Shown;

/// For so long a line stands on the screen until it counts as read: as on the page, two windows a second. A window
/// that is enlarged for a moment shows nothing for longer.
pub(super) const STANDS: Duration = Duration::from_millis(500);
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
    /// Since when each of these lines has been on the screen.
    since: BTreeMap<usize, Instant>,
    /// The same of each option.
    options_since: BTreeMap<usize, Instant>,
    /// So many lines from the first on, without a gap, as they are folded now.
    lines: usize,
    is_read: bool,
    options: BTreeSet<usize>,
}

impl Reading {
    /// Takes in the lines that stand on the screen at this time. Returns whether that changes what can be done.
    pub(super) fn saw(&mut self, drawn: &Drawn, at: Instant) -> bool {
        if drawn.width != self.width {
            // Folded anew, the lines have other numbers. Text read to the end stays read.
            (self.width, self.lines) = (drawn.width, 0);
            self.since.clear();
            self.options_since.clear();
        }
        if drawn.width < NARROWEST {
            return false;
        }
        let before = (self.lines, self.is_read, self.options.len());
        for line in stood(&mut self.since, drawn.lines.clone(), at) {
            if line == self.lines {
                self.lines += 1;
            }
        }
        self.is_read |= drawn.of > 0 && self.lines >= drawn.of;
        let options = stood(&mut self.options_since, drawn.options.clone(), at);
        self.options.extend(options);
        before != (self.lines, self.is_read, self.options.len())
    }

    /// When the next of the lines and options on the screen will have stood for long enough.
    pub(super) fn due(&self, at: Instant) -> Option<Instant> {
        let since = self.since.values().chain(self.options_since.values());
        let ends = since.map(|since| *since + STANDS);
        ends.filter(|end| *end > at).min()
    }

    /// How many lines have been on the screen, from the first on.
    pub(super) fn lines(&self) -> usize {
        self.lines
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

/// Those that have been here for long enough, in order. All others that are here begin now.
fn stood(since: &mut BTreeMap<usize, Instant>, here: Range<usize>, at: Instant) -> Vec<usize> {
    since.retain(|n, _| here.contains(n));
    for n in here {
        since.entry(n).or_insert(at);
    }
    let stood = since.iter().filter(|(_, since)| at >= **since + STANDS);
    stood.map(|(n, _)| *n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Reading {
        /// As if it had stood there for long enough.
        fn read(&mut self, drawn: &Drawn) {
            let at = Instant::now();
            self.saw(drawn, at);
            self.saw(drawn, at + STANDS);
        }
    }

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
        reading.read(&drawn(80, 0..10, 30));
        assert_eq!(reading.text(), Shown::Cut);
        // A jump over the lines between.
        reading.read(&drawn(80, 20..30, 30));
        assert_eq!(reading.text(), Shown::Cut);
        reading.read(&drawn(80, 9..19, 30));
        reading.read(&drawn(80, 19..29, 30));
        assert_eq!(reading.text(), Shown::Cut);
        reading.read(&drawn(80, 20..30, 30));
        assert_eq!(reading.text(), Shown::Whole);
    }

    #[test]
    fn a_terminal_of_another_width_begins_anew_until_it_was_read() {
        let mut reading = Reading::default();
        reading.read(&drawn(80, 0..10, 20));
        reading.read(&drawn(40, 10..40, 40));
        assert_eq!(reading.text(), Shown::Cut);
        reading.read(&drawn(40, 0..40, 40));
        assert_eq!(reading.text(), Shown::Whole);
        reading.read(&drawn(80, 0..10, 20));
        assert_eq!(reading.text(), Shown::Whole);
    }

    #[test]
    fn where_nothing_fits_nothing_is_read() {
        for nothing in [drawn(80, 0..0, 3), drawn(NARROWEST - 1, 0..3, 3)] {
            let mut reading = Reading::default();
            reading.read(&nothing);
            assert_eq!(reading.text(), Shown::Cut, "{nothing:?}");
        }
    }

    #[test]
    fn options_are_read_one_by_one() {
        let mut reading = Reading::default();
        reading.read(&Drawn {
            width: 80,
            options: 1..3,
            ..Drawn::default()
        });
        assert_eq!(reading.option(1), Shown::Whole);
        assert_eq!(reading.option(0), Shown::Cut);
        assert_eq!(reading.options(3), Shown::Cut);
        reading.read(&Drawn {
            width: 80,
            options: 0..1,
            ..Drawn::default()
        });
        assert_eq!(reading.options(3), Shown::Whole);
    }

    #[test]
    fn what_flashes_by_is_not_read() {
        let mut reading = Reading::default();
        let at = Instant::now();
        let ms = Duration::from_millis;
        // A window that is tall for a moment, and then low.
        reading.saw(&drawn(80, 0..60, 60), at);
        reading.saw(&drawn(80, 0..6, 60), at + ms(499));
        assert_eq!(reading.due(at + ms(499)), Some(at + STANDS));
        reading.saw(&drawn(80, 0..6, 60), at + ms(500));
        assert_eq!((reading.lines, reading.due(at + STANDS)), (6, None));
        // Pages that are turned at once.
        for page in 1..10 {
            reading.saw(&drawn(80, page * 6..page * 6 + 6, 60), at + ms(501));
        }
        reading.saw(&drawn(80, 54..60, 60), at + ms(2_000));
        assert_eq!(reading.text(), Shown::Cut);
        // A line that stays while the text moves has stood since before.
        reading.saw(&drawn(80, 6..12, 60), at + ms(3_000));
        reading.saw(&drawn(80, 3..9, 60), at + ms(3_400));
        reading.saw(&drawn(80, 3..9, 60), at + ms(3_500));
        assert_eq!(reading.lines, 9);
    }
}
