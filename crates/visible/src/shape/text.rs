//! A string by its lines, as many as it has: one that ends with a line's end has an empty one last.

use std::ops::Range;

use super::{Sign, highlight::Clock, patch};
use crate::{self as visible, Ink, Reader, Run};

/// A string by its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The kind of text, in a word.
    pub language: Option<String>,
    /// Its lines.
    pub lines: Vec<Line>,
    /// The end of each line but the last.
    pub end: LineEnd,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its role in a patch or a plan, or in a text that is written anew.
    pub sign: Sign,
    /// Its content.
    pub runs: Vec<Run>,
}

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// LF.
    Unix,
    /// CR and LF, at every line.
    Windows,
}

impl LineEnd {
    /// The characters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unix => "\n",
            Self::Windows => "\r\n",
        }
    }
}

impl Text {
    /// Without anything known of it.
    pub(super) fn plain(text: &str) -> Self {
        let (lines, end) = split(text);
        let reader = Reader::person(&[text]);
        let lines = lines.into_iter().map(|line| Line {
            sign: Sign::Same,
            runs: runs(line, reader, &[], &[]),
        });
        Self {
            language: None,
            lines: lines.collect(),
            end,
        }
    }
}

impl Text {
    /// A difference, as `diff -u` and git write it: its lines as they are, and known which go and which come.
    pub(super) fn diff(text: &str) -> Self {
        let (lines, end) = split(text);
        let reader = Reader::person(&[text]);
        let read = patch::read(&lines, Clock::start().end());
        let lines = lines.into_iter().zip(read);
        let lines = lines.map(|(line, (sign, changed))| Line {
            sign,
            runs: runs(line, reader, &[], &changed),
        });
        Self {
            language: Some("patch".to_owned()),
            lines: lines.collect(),
            end,
        }
    }
}

/// A text's lines, and their end.
pub(super) fn split(text: &str) -> (Vec<&str>, LineEnd) {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let Some((_, ended)) = lines.split_last_mut() else {
        return (lines, LineEnd::Unix);
    };
    if ended.is_empty() || !ended.iter().all(|line| line.ends_with('\r')) {
        return (lines, LineEnd::Unix);
    }
    for line in ended {
        *line = &line[..line.len() - 1];
    }
    (lines, LineEnd::Windows)
}

/// The runs of a line: hidden characters marked, coloured by `inks`, and `changed` where it is.
pub(super) fn runs(
    line: &str,
    reader: Reader,
    inks: &[(Range<usize>, Ink)],
    changed: &[Range<usize>],
) -> Vec<Run> {
    let text_ends = line.trim_end_matches([' ', '\t']).len();
    let look = |at: usize| {
        let ink = if at >= text_ends || line.as_bytes().get(at) == Some(&b'\t') {
            Ink::Space
        } else {
            let after = inks.partition_point(|(range, _)| range.end <= at);
            let here = inks.get(after).filter(|(range, _)| range.contains(&at));
            here.map_or(Ink::Plain, |(_, ink)| *ink)
        };
        (ink, changed.iter().any(|range| range.contains(&at)))
    };
    visible::drawn(visible::line_for(line, reader), look)
}
