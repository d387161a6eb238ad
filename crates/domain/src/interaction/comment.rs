//! Comments on lines of a plan, and what became of them in its next version.
//!
//! A line is what `\n` ends, counted from 1 in the plan as the agent wrote it, not as a page draws it. A plan never
//! changes under its id, so the place of a comment stays true.

use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    fault::{Faults, is_blank},
    json::{Object, Whole},
    limits,
};

/// As much of a line stands before a comment on it, in characters.
const QUOTED_CHARS: usize = 80;

/// A responder's words on some lines of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// The line, or the first of them.
    #[serde(deserialize_with = "number")]
    pub line: usize,
    /// The last of them, where there are several.
    #[serde(
        default,
        deserialize_with = "some_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub to_line: Option<usize>,
    /// The words, as typed.
    pub text: String,
}

/// What is no line of any plan reads as one that no plan has, so that a rule refuses it with its path.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let Whole(number) = Whole::deserialize(from)?;
    Ok(line_of(number))
}

fn some_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let number = Option::<Whole>::deserialize(from)?;
    Ok(number.map(|Whole(number)| line_of(number)))
}

fn line_of(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}

impl Comment {
    /// Its lines, by their numbers.
    pub fn lines(&self) -> RangeInclusive<usize> {
        self.line..=self.to_line.unwrap_or(self.line)
    }

    /// Its place, in words.
    pub fn place(&self) -> String {
        place(&self.lines())
    }

    /// The beginning of its lines: the first that is not blank, as far as it is no long one. Each of many comments may be on
    /// all of a plan, so nothing that goes out repeats more of it.
    pub fn quote(&self, plan: &str) -> String {
        let count = self.lines().count();
        let skipped = plan.lines().skip(self.line.saturating_sub(1));
        let mut lines = skipped.take(count).map(str::trim);
        let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
        match first.char_indices().nth(QUOTED_CHARS) {
            Some((end, _)) => format!("{}…", &first[..end]),
            None => first.to_owned(),
        }
    }

    /// Place, beginning of the lines, and words: for those who read all that was said as one text.
    pub fn to_text(&self, plan: &str) -> String {
        let (place, quote) = (self.place(), self.quote(plan));
        match quote.is_empty() {
            true => format!("{place}: {}", self.text),
            false => format!("{place}, “{quote}”: {}", self.text),
        }
    }
}

/// Lines by their numbers, in words.
fn place(lines: &RangeInclusive<usize>) -> String {
    match (lines.start(), lines.end()) {
        (from, to) if from == to => format!("Line {from}"),
        (from, to) => format!("Lines {from} to {to}"),
    }
}

/// The comments in the order of the plan, beside a feedback of so many characters. A comment on lines that the plan has
/// not is a fault; none of them is then kept.
pub(super) fn check(
    comments: Vec<Object<Comment>>,
    plan: &str,
    feedback: usize,
    faults: &mut Faults,
) -> Vec<Comment> {
    if comments.len() > limits::COMMENTS {
        faults.add(
            "comments",
            format!(
                "has {} comments, at most {} are allowed",
                comments.len(),
                limits::COMMENTS
            ),
        );
    }
    let count = plan.lines().count();
    let mut all = feedback;
    let mut checked = Vec::with_capacity(comments.len().min(limits::COMMENTS));
    for (n, Object(comment)) in comments.into_iter().take(limits::COMMENTS).enumerate() {
        let at = |field: &str| format!("comments[{n}].{field}");
        let mut is_there = |field: &str, line: usize| {
            if line == 0 {
                faults.add(&at(field), "lines are counted from 1");
            } else if line > count {
                let lines = if count == 1 { "line" } else { "lines" };
                faults.add(
                    &at(field),
                    format!("is no line of this plan, which has {count} {lines}"),
                );
            }
        };
        is_there("line", comment.line);
        if let Some(to) = comment.to_line {
            is_there("to_line", to);
            if to < comment.line {
                faults.add(&at("to_line"), "must not be before `line`");
            }
        }
        if is_blank(&comment.text) {
            faults.add(&at("text"), "must not be empty");
        }
        faults.length(&at("text"), &comment.text, limits::COMMENT_CHARS);
        all += comment.text.chars().count();
        checked.push(Comment {
            to_line: comment.to_line.filter(|to| *to != comment.line),
            ..comment
        });
    }
    // A feedback that is too long by itself is a fault of its own.
    if all > limits::TEXT_CHARS && !checked.is_empty() {
        faults.add(
            "comments",
            format!(
                "have {all} characters together with `feedback`, at most {} are allowed",
                limits::TEXT_CHARS
            ),
        );
    }
    // Those on one place stay in the order in which they were given.
    checked.sort_by_key(|comment| (comment.line, comment.to_line));
    checked
}

/// A line of the plan before, of the plan after, or of both, by its numbers: both where it stayed as it was. Lines that
/// go stand before those that come in their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its number before.
    pub old: Option<usize>,
    /// Its number after.
    pub new: Option<usize>,
}

impl Pair {
    fn stayed(self) -> bool {
        self.old.is_some() && self.new.is_some()
    }
}

/// What became of the lines that a comment is about, in the next version. Whether that is what the comment asked for is
/// for its reader to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// They stand there as they were.
    Stayed {
        /// Where.
        now: RangeInclusive<usize>,
    },
    /// They read otherwise, or something came in between.
    Changed {
        /// What stands there now.
        now: RangeInclusive<usize>,
    },
    /// Nothing of them is left, and nothing came in their place.
    Gone,
}

impl Became {
    /// What became of `lines` of the plan before, by how the two compare, line by line.
    pub fn of(lines: &RangeInclusive<usize>, compared: &[Pair]) -> Self {
        let is_of = |pair: &Pair| pair.old.is_some_and(|old| lines.contains(&old));
        let (Some(first), Some(last)) = (
            compared.iter().position(is_of),
            compared.iter().rposition(is_of),
        ) else {
            return Self::Gone;
        };
        let within = &compared[first..=last];
        if within.iter().all(|pair| pair.stayed()) {
            return match span(within) {
                Some(now) => Self::Stayed { now },
                None => Self::Gone,
            };
        }
        // What came in the place of lines stands behind all that went there, of which some may be others'.
        let mut end = last;
        if !compared[last].stayed() {
            let rest = compared[last..].iter();
            end = last + rest.take_while(|pair| !pair.stayed()).count() - 1;
        }
        match span(&compared[first..=end]) {
            Some(now) => Self::Changed { now },
            None => Self::Gone,
        }
    }

    /// It, in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Stayed { now } => format!("Unchanged: {}", place(now).to_lowercase()),
            Self::Changed { now } => format!("Changed: now {}", place(now).to_lowercase()),
            Self::Gone => "Gone: nothing stands in its place".to_owned(),
        }
    }
}

fn span(pairs: &[Pair]) -> Option<RangeInclusive<usize>> {
    let mut new = pairs.iter().filter_map(|pair| pair.new);
    let first = new.next()?;
    Some(first..=new.next_back().unwrap_or(first))
}
