//! A view in lines, for a terminal and for Slack: numbers and signs before them, nothing left out. A line is as
//! long as it is; its drawer breaks it.

use super::{Change, Field, LineEnd, Node, Sign, Text, View, named};
use crate::{Ink, Mark, Run, counted, number};

const STEP: usize = 2;
/// The sign for a tab, and its width at most.
const ARROW: char = '→';
const TAB: usize = 4;

/// All of it, line by line. Text of ours (numbers, signs, colons) has [`Ink::Ours`], and a tab in it is written
/// `→`, as wide as up to the next fourth column.
pub fn lines(view: &View) -> Vec<Vec<Run>> {
    let mut drawn = Drawn::default();
    drawn.line(0, view.tool.clone());
    for note in &view.notes {
        drawn.line(0, note.clone());
    }
    match &view.arguments {
        Node::Fields(fields) => drawn.fields(0, fields),
        Node::Plain(text) => drawn.text(0, text),
        _ => drawn.line(0, vec![Run::ours("(no arguments)")]),
    }
    if !view.operands.is_empty() {
        drawn.line(0, vec![Run::ours("with:")]);
    }
    for operand in &view.operands {
        drawn.line(1, operand.name.clone());
        let mut facts = operand.size.clone();
        facts.push(Run::ours(" bytes, sha256 "));
        facts.extend(operand.sha256.iter().cloned());
        drawn.line(2, facts);
    }
    drawn.0
}

#[derive(Default)]
struct Drawn(Vec<Vec<Run>>);

impl Drawn {
    fn line(&mut self, depth: usize, runs: Vec<Run>) {
        let indent = (depth > 0).then(|| Run::ours(" ".repeat(depth * STEP)));
        self.0
            .push(indent.into_iter().chain(untabbed(ended(runs))).collect());
    }

    fn fields(&mut self, depth: usize, fields: &[Field]) {
        for field in fields {
            match field {
                Field::One { name, value } => self.value(depth, named(name), value),
                Field::Change(change) => self.change(depth, change),
            }
        }
    }

    /// A value after its name.
    fn value(&mut self, depth: usize, mut name: Vec<Run>, value: &Node) {
        name.push(Run::ours(": "));
        match value {
            Node::Inline(runs) => {
                name.extend(runs.iter().cloned());
                self.line(depth, name);
            }
            Node::Address(parts) => {
                let mut parts = parts.iter().cloned();
                name.extend(parts.next().into_iter().flatten());
                self.line(depth, name);
                for part in parts {
                    self.line(depth + 2, part);
                }
            }
            Node::Text(text) | Node::Plain(text) => {
                name.push(Run::ours(about(text)));
                self.line(depth, name);
                self.text(depth + 1, text);
            }
            Node::Json { spaced, node } => {
                name.push(Run::ours(about_json(*spaced)));
                self.line(depth, name);
                self.inner(depth + 1, node);
            }
            Node::Fields(_) | Node::Items(_) => {
                self.line(depth, name);
                self.inner(depth + 1, value);
            }
        }
    }

    fn inner(&mut self, depth: usize, node: &Node) {
        match node {
            Node::Fields(fields) => self.fields(depth, fields),
            Node::Items(items) => {
                for (n, item) in items.iter().enumerate() {
                    self.value(depth, vec![Run::ours(format!("{}", n + 1))], item);
                }
            }
            Node::Inline(runs) => self.line(depth, runs.clone()),
            Node::Text(text) | Node::Plain(text) => self.text(depth, text),
            Node::Address(_) | Node::Json { .. } => self.value(depth, Vec::new(), node),
        }
    }

    fn text(&mut self, depth: usize, text: &Text) {
        let width = text.lines.len().to_string().len();
        for (n, line) in text.lines.iter().enumerate() {
            // A patch brings its own signs along.
            let sign = match line.sign {
                Sign::New if text.is_written() => "+ ",
                _ => "",
            };
            let before = Run::ours(format!("{:>width$} {sign}", n + 1));
            let runs = [before].into_iter().chain(line.runs.iter().cloned());
            self.line(depth, runs.collect());
        }
    }

    fn change(&mut self, depth: usize, change: &Change) {
        let mut name = named(&change.old_name);
        name.push(Run::ours(" → "));
        name.extend(named(&change.new_name));
        name.push(Run::ours(format!(": {}", change.summary())));
        self.line(depth, name);
        let last = change.rows.iter().filter_map(|row| row.new.max(row.old));
        let width = last.max().unwrap_or_default().to_string().len();
        for row in &change.rows {
            let (number, sign) = match row.sign {
                Sign::Gone => (row.old, '-'),
                Sign::New => (row.new, '+'),
                _ => (row.new, ' '),
            };
            let number = number.unwrap_or_default();
            let before = Run::ours(format!("{number:>width$} {sign} "));
            let runs = [before].into_iter().chain(row.runs.iter().cloned());
            self.line(depth + 1, runs.collect());
        }
    }
}

impl Text {
    /// Whether every line of it comes, without a sign of its own.
    pub fn is_written(&self) -> bool {
        let own = matches!(self.language.as_deref(), Some("patch" | "plan"));
        !own && self.lines.iter().all(|line| line.sign == Sign::New)
    }
}

/// The kind of a text, and its length.
pub fn about(text: &Text) -> String {
    let lines = match text.lines.len() {
        1 => "1 line".to_owned(),
        many => format!("{many} lines"),
    };
    let end = match text.end {
        LineEnd::Unix => "",
        LineEnd::Windows => ", each ends with CR LF",
    };
    match &text.language {
        Some(language) if language.chars().all(|c| c.is_ascii_alphanumeric()) => {
            format!("{language}, {lines}{end}")
        }
        _ => format!("{lines}{end}"),
    }
}

/// A string of JSON, and how it is written.
pub fn about_json(spaced: bool) -> &'static str {
    match spaced {
        true => "a string of JSON, with blanks",
        false => "a string of JSON",
    }
}

impl Change {
    /// How much differs, and where.
    pub fn summary(&self) -> String {
        let count = |sign| self.rows.iter().filter(|row| row.sign == sign).count();
        let (gone, new) = (count(Sign::Gone), count(Sign::New));
        let lines = |n: usize| match n {
            1 => "1 line".to_owned(),
            n => format!("{n} lines"),
        };
        let mut said = match (gone, new) {
            (0, 0) if self.old_end == self.new_end => "no difference".to_owned(),
            (0, 0) => "the same lines".to_owned(),
            (0, new) => format!("{} more", lines(new)),
            (gone, 0) => format!("{} less", lines(gone)),
            (gone, new) if gone == new => format!("{} changed", lines(new)),
            (gone, new) => format!("{} become {new}", lines(gone)),
        };
        let first = self.rows.iter().find(|row| row.sign != Sign::Same);
        if let (Some(first), true) = (first, gone < self.rows.len() && new < self.rows.len()) {
            let number = first.old.or(first.new).unwrap_or_default();
            said += &format!(", the first is line {number}");
        }
        said += match (self.old_end, self.new_end) {
            (LineEnd::Unix, LineEnd::Unix) => "",
            (LineEnd::Windows, LineEnd::Windows) => "; lines end with CR LF",
            (LineEnd::Unix, LineEnd::Windows) => "; lines end with CR LF instead of LF",
            (LineEnd::Windows, LineEnd::Unix) => "; lines end with LF instead of CR LF",
        };
        said
    }
}

/// Blanks at the end of a line counted: nothing stands behind them by which they could be seen.
fn ended(mut runs: Vec<Run>) -> Vec<Run> {
    let mut blanks = 0;
    while let Some(last) = runs.last_mut()
        && !last.is_marked()
        && last.ink != Ink::Ours
    {
        let text = last.text.trim_end_matches(' ').len();
        blanks += last.text.len() - text;
        last.text.truncate(text);
        if text > 0 {
            break;
        }
        runs.pop();
    }
    if blanks > 0 {
        runs.push(counted(' ', blanks));
    }
    runs
}

/// Tabs written out: they move a terminal's cursor, and Slack shows none. An arrow that is one, and could be a tab,
/// is marked as an arrow.
fn untabbed(runs: Vec<Run>) -> Vec<Run> {
    let line: String = runs.iter().map(|run| run.text.as_str()).collect();
    let has_tab = line.contains('\t');
    if !has_tab && !line.contains(ARROW) {
        return runs;
    }
    let mut after = line.chars();
    let mut column = 0;
    let mut untabbed = Vec::with_capacity(runs.len());
    for run in runs {
        // Of marks and of our own text.
        let is_own = run.is_marked() || run.ink == Ink::Ours;
        let mut text = String::new();
        let mut ink = run.ink;
        for c in run.text.chars() {
            after.next();
            let wide = if c == '\t' { TAB - column % TAB } else { 1 };
            let is_like_tab = || {
                let blanks = after.clone().take_while(|c| *c == ' ').count();
                has_tab || blanks >= TAB - column % TAB - 1
            };
            match c {
                '\t' => {
                    text.push(ARROW);
                    text.extend(std::iter::repeat_n(' ', wide - 1));
                    if ink == Ink::Plain {
                        ink = Ink::Space;
                    }
                }
                ARROW if !is_own && is_like_tab() => {
                    text.push(ARROW);
                    let text = std::mem::take(&mut text);
                    untabbed.push(Run {
                        text,
                        ink,
                        ..run.clone()
                    });
                    untabbed.push(Run::mark(number(ARROW, 1), Mark::Beside));
                }
                c => text.push(c),
            }
            column += wide;
        }
        if !text.is_empty() {
            untabbed.push(Run { text, ink, ..run });
        }
    }
    untabbed
}
