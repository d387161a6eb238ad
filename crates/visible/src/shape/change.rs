//! A text before and after, line by line, with the words that differ.

use std::{ops::Range, time::Instant};

use similar::{ChangeTag, TextDiff};

use super::{Change, Sign, highlight, highlight::Clock, language, text};
use crate::{self as visible, Run};

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
        "" => (Vec::new(), text::LineEnd::Unix),
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
