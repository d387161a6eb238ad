//! A text before and after, line by line, with the words that differ.

use std::{ops::Range, time::Instant};

use domain::interaction::Pair;
use similar::{ChangeTag, TextDiff};

use super::{
    Change, Sign, highlight,
    highlight::Clock,
    language,
    text::{self, LineEnd},
};
use crate::{self as visible, Reader, Run};

/// A line of one text or of both.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Whether it goes, comes or stays.
    pub sign: Sign,
    /// Its number before, counted from 1.
    pub old: Option<usize>,
    /// Its number after.
    pub new: Option<usize>,
    /// Its content.
    pub runs: Vec<Run>,
}

/// The keys of a text before and of the same after, as tools for editing call them.
const PAIRS: [(&str, &str); 12] = [
    ("oldstring", "newstring"),
    ("oldstr", "newstr"),
    ("oldtext", "newtext"),
    ("oldcontent", "newcontent"),
    ("oldcode", "newcode"),
    ("oldsource", "newsource"),
    ("oldvalue", "newvalue"),
    ("old", "new"),
    ("before", "after"),
    ("search", "replace"),
    ("find", "replace"),
    ("original", "modified"),
];

/// How many of them can mean nothing else. `before` and `after` are also the ends of a time, or steps of a job.
const CERTAIN: usize = 6;
/// Tools with such a word in their name change a text.
const EDITS: [&str; 7] = [
    "edit", "replace", "patch", "modify", "rewrite", "change", "diff",
];

/// The other key of a pair that a tool may have, and whether this one is the text before.
pub(super) fn partner(tool: &str, key: &str) -> impl Iterator<Item = (&'static str, bool)> {
    let edits = EDITS.iter().any(|word| tool.contains(word));
    let known = if edits { &PAIRS[..] } else { &PAIRS[..CERTAIN] };
    known.iter().filter_map(move |(old, new)| match key {
        key if key == *old => Some((*new, true)),
        key if key == *new => Some((*old, false)),
        _ => None,
    })
}

/// The difference between two strings with these keys.
pub(super) fn between(
    (old_key, old): (&str, &str),
    (new_key, new): (&str, &str),
    in_language: Option<&str>,
    clock: &mut Clock,
) -> Change {
    let lines = |text| match text {
        // Nothing before, or after: no line, not an empty one.
        "" => (Vec::new(), LineEnd::Unix),
        text => text::split(text),
    };
    let ((old_lines, old_end), (new_lines, new_end)) = (lines(old), lines(new));
    let compared = compared(&old_lines, &new_lines, clock.end());
    let inks = |lines: &[&str], clock: &mut Clock| match in_language {
        Some(language) => highlight::inks(language, lines, clock),
        None => Vec::new(),
    };
    let (old_inks, new_inks) = (inks(&old_lines, clock), inks(&new_lines, clock));
    let reader = language::reader(in_language, &[old, new]);
    let rows = compared.into_iter().map(|one| {
        let (line, inks) = match (one.old, one.new) {
            (_, Some(at)) => (new_lines[at], new_inks.get(at)),
            (Some(at), None) => (old_lines[at], old_inks.get(at)),
            (None, None) => ("", None),
        };
        let inks = inks.map_or(&[][..], Vec::as_slice);
        Row {
            sign: one.sign,
            old: one.old.map(|at| at + 1),
            new: one.new.map(|at| at + 1),
            runs: text::runs(line, reader, inks, &one.changed),
        }
    });
    Change {
        old_name: visible::name(old_key),
        new_name: visible::name(new_key),
        rows: rows.collect(),
        old_end,
        new_end,
    }
}

/// Two versions of a text, line by line, as [`Comment`](domain::interaction::Comment) counts lines: how they end is no part
/// of them.
pub fn revised(before: &str, after: &str) -> Change {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut compared = compared(&old, &new, Clock::start().end());
    let differs = |one: &Compared| one.sign != Sign::Same;
    for stretch in compared.chunk_by_mut(|one, other| differs(one) == differs(other)) {
        stretch.sort_by_key(|line| line.sign == Sign::New);
    }
    let reader = Reader::person(&[before, after]);
    let rows = compared.into_iter().map(|one| {
        let line = match (one.old, one.new) {
            (_, Some(at)) => new.get(at),
            (Some(at), None) => old.get(at),
            (None, None) => None,
        };
        Row {
            sign: one.sign,
            old: one.old.map(|at| at + 1),
            new: one.new.map(|at| at + 1),
            runs: text::runs(line.copied().unwrap_or_default(), reader, &[], &one.changed),
        }
    });
    Change {
        old_name: Vec::new(),
        new_name: Vec::new(),
        rows: rows.collect(),
        old_end: LineEnd::Unix,
        new_end: LineEnd::Unix,
    }
}

impl Change {
    /// Its lines by their numbers, to tell what became of some of them.
    pub fn pairs(&self) -> Vec<Pair> {
        let pairs = self.rows.iter().map(|row| Pair {
            old: row.old,
            new: row.new,
        });
        pairs.collect()
    }

    /// Whether no line differs.
    pub fn is_none(&self) -> bool {
        self.rows.iter().all(|row| row.sign == Sign::Same)
    }
}

/// A line of either text, by its place, and the differences in it.
pub(super) struct Compared {
    sign: Sign,
    pub(super) old: Option<usize>,
    pub(super) new: Option<usize>,
    pub(super) changed: Vec<Range<usize>>,
}

/// The lines of both, those that go before those that come. Lines not compared at the end of the time are all
/// gone and all new: still right, only less helpful.
pub(super) fn compared(old: &[&str], new: &[&str], end: Instant) -> Vec<Compared> {
    let difference = TextDiff::configure().deadline(end).diff_slices(old, new);
    let changes = difference
        .ops()
        .iter()
        .flat_map(|op| difference.iter_inline_changes_deadline(op, Some(end)));
    changes
        .map(|change| {
            let mut changed = Vec::new();
            let mut at = 0;
            for (differs, part) in change.values() {
                if *differs {
                    changed.push(at..at + part.len());
                }
                at += part.len();
            }
            Compared {
                sign: match change.tag() {
                    ChangeTag::Equal => Sign::Same,
                    ChangeTag::Delete => Sign::Gone,
                    ChangeTag::Insert => Sign::New,
                },
                old: change.old_index(),
                new: change.new_index(),
                changed,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use domain::interaction::Became;
    use proptest::prelude::*;

    use super::*;

    fn changed(row: &Row) -> String {
        let runs = row.runs.iter().filter(|run| run.changed);
        runs.map(|run| run.text.as_str()).collect()
    }

    #[test]
    fn a_version_marks_the_words_that_differ_from_the_one_before() {
        let (before, after) = (
            "# Release\n\n1. Test\n2. Deploy on Friday\n",
            "# Release\r\n\r\n1. Test\r\n2. Deploy on Monday",
        );
        let change = revised(before, after);
        let rows: Vec<_> = change
            .rows
            .iter()
            .map(|row| (row.sign, row.old, row.new, changed(row)))
            .collect();
        let same = |n| (Sign::Same, Some(n), Some(n), String::new());
        assert_eq!(
            rows,
            [
                same(1),
                same(2),
                same(3),
                (Sign::Gone, Some(4), None, "Friday".to_owned()),
                (Sign::New, None, Some(4), "Monday".to_owned()),
            ]
        );
        assert_eq!(change.summary(), "1 line changed, the first is line 4");
        assert_eq!(
            Became::of(&(3..=4), &change.pairs()),
            Became::Changed { now: 3..=4 }
        );
        assert!(!change.is_none());
        assert!(revised(before, before).is_none());
    }

    #[test]
    fn what_was_said_of_a_line_follows_it() {
        let before = "1. Test\n2. Back up\n3. Deploy";
        let after = "0. Ask\n1. Test\n3. Deploy";
        let pairs = revised(before, after).pairs();
        for (line, became) in [
            (1, Became::Stayed { now: 2..=2 }),
            (2, Became::Gone),
            (3, Became::Stayed { now: 3..=3 }),
        ] {
            assert_eq!(Became::of(&(line..=line), &pairs), became, "{line}");
        }
    }

    proptest! {
        #[test]
        fn both_versions_stand_in_it_line_by_line_and_what_goes_before_what_comes(
            before in "[ab\n]{0,30}",
            after in "[ab\n]{0,30}",
        ) {
            let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
            let change = revised(&before, &after);
            let numbers = |of: fn(&Row) -> Option<usize>| change.rows.iter().filter_map(of).collect::<Vec<_>>();
            prop_assert_eq!(numbers(|row| row.old), (1..=old.len()).collect::<Vec<_>>());
            prop_assert_eq!(numbers(|row| row.new), (1..=new.len()).collect::<Vec<_>>());
            for row in &change.rows {
                if let (Some(was), Some(is)) = (row.old, row.new) {
                    prop_assert_eq!(old[was - 1], new[is - 1]);
                }
            }
            for pair in change.rows.windows(2) {
                prop_assert!(pair[0].sign != Sign::New || pair[1].sign != Sign::Gone);
            }
        }
    }
}
