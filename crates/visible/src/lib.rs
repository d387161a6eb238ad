//! Text in which nothing is hidden and nothing passes for something else: the text a person approves, and the
//! text a terminal gets, must be the text they see. A character without a shape of its own, or one that
//! reorders others, is written out by its number (`⟨U+202E⟩`); one that looks like another has its number
//! behind it (`е⟨U+0435⟩`), one that takes others along in its direction a mark before it (`⟨RTL⟩`), and white
//! space that would push something out of sight is counted (`⟨140 spaces⟩`).
//!
//! Uses `domain`. Begin with `hidden.rs`, then `shape/mod.rs`.

mod alike;
mod blank;
mod columns;
mod direction;
mod hidden;
mod marked;
mod prose;
mod run;
pub mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub(crate) use alike::Reader;
pub use columns::columns;
pub use direction::{RTL_MARK, Stranger, is_of_words, isolated, strangers};
pub use hidden::is_hidden;
pub use run::{Ink, Mark, Run};
pub(crate) use run::{back, drawn};

use alike::{Alike, parts};
use domain::interaction::{AnswerContent, Ask};
use marked::Runs;
pub(crate) use marked::{counted, number};

/// A text on one line.
pub fn line(text: &str) -> String {
    written(text, |c| is_hidden(c) || is_of_mark(c)).text()
}

/// A text in lines.
pub fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

/// A short text that a person chooses by, on one line: as [`line`] writes it, and marked where [`value`] is. Blanks at
/// its ends are counted.
pub fn label(text: &str) -> String {
    let inner = text.trim_matches(' ');
    let ends = |count: usize| match count {
        0 => String::new(),
        count => blanks(' ', count),
    };
    let before = text.len() - text.trim_start_matches(' ').len();
    let after = text.len() - before - inner.len();
    ends(before) + &joined(value(inner)) + &ends(after)
}

/// An option that a person picks: its label, and the value that the agent gets where that is another text, in a mark that
/// no text can pass for.
pub fn option(label: &str, value: &str) -> String {
    match value == label {
        true => self::label(label),
        false => format!("{} ⟨→ {}⟩", self::label(label), self::label(value)),
    }
}

/// The options of an answer to a choice, each as [`option`] has it; `None` of any other answer.
pub fn picked(content: &AnswerContent, ask: &Ask) -> Option<String> {
    let (AnswerContent::Selected { selected }, Ask::Choice(choice)) = (content, ask) else {
        return None;
    };
    let picked = selected.iter().map(|value| {
        let known = choice.options.iter().find(|option| option.value == *value);
        option(known.map_or(value, |option| &option.label), value)
    });
    Some(picked.collect::<Vec<_>>().join(", "))
}

/// Prose in several lines, for a surface that cannot keep apart texts of different directions: as [`unhidden`]
/// writes it, and marked where it would be reordered or pass for a mark.
pub fn prose(text: &str) -> String {
    alone(text, |before, c, after| {
        is_hidden(c) && !prose::is_wanted(before, c, after)
    })
}

/// As [`prose`], on one line.
pub fn sentence(text: &str) -> String {
    alone(text, |_, c, _| is_hidden(c))
}

fn alone(text: &str, is_hidden: impl Fn(Option<char>, char, Option<char>) -> bool) -> String {
    let turns = text.split_inclusive('\n').scan(0, |start, line| {
        let turns = direction::turns(line).into_iter();
        let from = std::mem::replace(start, *start + line.len());
        Some(turns.map(move |at| from + at))
    });
    let runs = prose_with(text, turns.flatten(), |before, c, after| {
        is_of_mark(c) || is_hidden(before, c, after)
    });
    runs.text()
}

/// Prose in several lines, as text. White space stays, and so do joiners and variants of characters where languages
/// and emoji need it.
pub fn unhidden(text: &str) -> String {
    joined(prose_runs(text))
}

/// As [`unhidden`], for a surface that tells marks from the text.
pub fn prose_runs(text: &str) -> Vec<Run> {
    let runs = prose_with(text, std::iter::empty(), |before, c, after| {
        is_hidden(c) && !prose::is_wanted(before, c, after)
    });
    runs.finish()
}

fn prose_with(
    text: &str,
    turns: impl Iterator<Item = usize>,
    is_hidden: impl Fn(Option<char>, char, Option<char>) -> bool,
) -> Runs {
    let mut runs = Runs::default();
    let mut turns = turns.peekable();
    let mut before = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if turns.next_if_eq(&at).is_some() {
            runs.beside(RTL_MARK.to_owned());
        }
        let after = rest.peek().map(|(_, c)| *c);
        runs.add(c, is_hidden(before, c, after));
        before = Some(c);
    }
    runs
}

/// Whether it is a sign of our marks, so that a text with it could pass for one.
fn is_of_mark(c: char) -> bool {
    matches!(c, '⟨' | '⟩')
}

/// So many blanks or tabs, in words.
pub fn blanks(c: char, count: usize) -> String {
    counted(c, count).text
}

/// Nothing but the numbers of its characters.
pub fn numbers(text: &str) -> String {
    written(text, |_| true).text()
}

/// The name of a tool or an argument: a program reads it, so every character that looks like ASCII
/// should be ASCII.
pub fn name(text: &str) -> Vec<Run> {
    unmasked(text, Reader::program(), is_hidden)
}

/// The value of an argument, as JSON: it may be in any language.
pub fn value(text: &str) -> Vec<Run> {
    unmasked(text, Reader::person(&[text]), is_hidden)
}

/// A line of a text that has several. A tab stays.
pub(crate) fn line_for(line: &str, reader: Reader) -> Vec<Run> {
    unmasked(line, reader, |c| c != '\t' && is_hidden(c))
}

/// Hidden characters written out, and those that look like ASCII marked where their reader would take them for
/// it.
fn unmasked(text: &str, reader: Reader, is_hidden: impl Fn(char) -> bool) -> Vec<Run> {
    let mut runs = Runs::default();
    let alike = Alike::new(text, reader);
    let mut turns = direction::turns(text).into_iter().peekable();
    let mut blanks = blank::stretches(text).into_iter().peekable();
    let mut at = 0;
    for part in parts(text) {
        let of_part = alike.part(at, part);
        for c in part.chars() {
            if turns.next_if_eq(&at).is_some() {
                runs.beside(RTL_MARK.to_owned());
            }
            if let Some(blank) = blanks.next_if(|blank| blank.end <= at + 1) {
                // Of all its characters this is the last.
                for (c, times) in blank::kinds(&text[blank]) {
                    runs.blank(c, times);
                }
                at += c.len_utf8();
                continue;
            }
            if blanks.peek().is_some_and(|blank| blank.contains(&at)) {
                at += c.len_utf8();
                continue;
            }
            let is_hidden = is_hidden(c) || is_of_mark(c);
            let is_unusual = !is_hidden && alike.is_unusual(at, c);
            let is_drawn_on_another = is_unusual && hidden::is_combining(c);
            let next = text[at + c.len_utf8()..].chars().next();
            if c == ' '
                && next.is_some_and(|next| may_part(next) || turns.peek() == Some(&(at + 1)))
            {
                runs.blank_before_wide();
            } else {
                runs.add(c, is_hidden || is_drawn_on_another);
            }
            if (is_unusual && !is_drawn_on_another) || alike.is_alike(&of_part, at, c) {
                runs.beside(number(c, 1));
            }
            at += c.len_utf8();
        }
    }
    runs.finish()
}

/// Whether a row may end before it where it has room for a blank: it takes more than a cell, or is written out.
fn may_part(c: char) -> bool {
    c == '\t' || is_hidden(c) || is_of_mark(c) || columns(c.encode_utf8(&mut [0; 4])) != 1
}

fn written(text: &str, is_hidden: impl Fn(char) -> bool) -> Runs {
    let mut runs = Runs::default();
    for c in text.chars() {
        runs.add(c, is_hidden(c));
    }
    runs
}

fn joined(runs: Vec<Run>) -> String {
    runs.into_iter().map(|run| run.text).collect()
}

#[cfg(test)]
mod tests;
