//! An action by its kind: a command, a statement, a difference, a request, and everything else as the tree
//! it is. Recognition only decides how a value is drawn: every key, string and number is in the view.
//! [`back`] makes the action of the view again, and a view that does not lead back to its action is not
//! shown; the action's JSON is, instead.
//!
//! It knows the rules and libraries without a network, and neither page nor terminal: `ui/action.rs` makes
//! HTML of a view, and [`lines`] makes lines for surfaces that have nothing but text.

mod address;
mod back;
mod change;
mod draft;
mod highlight;
mod known;
mod language;
mod lines;
mod patch;
mod plan;
mod statement;
#[cfg(test)]
mod tests;
mod text;

use domain::interaction::Action;
use serde_json::Value;

pub use change::{Row, revised};
pub use highlight::warm;
pub use lines::lines;
pub use lines::{about, about_json};
pub use text::{Line, LineEnd, Text};

use crate::{self as visible, Mark, Run};
use draft::Draft;

/// An action, to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The tool.
    pub tool: Vec<Run>,
    /// The remarks to read before everything else, such as the resources a plan destroys. Each is read
    /// out of the arguments, and adds nothing to them.
    pub notes: Vec<Vec<Run>>,
    /// Its arguments: [`Node::Fields`], or `{}`.
    pub arguments: Node,
    /// The things it refers to without containing them.
    pub operands: Vec<Shown>,
    /// See [`Action::digest`].
    pub digest: String,
}

/// An operand, as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Where the tool finds it.
    pub name: Vec<Run>,
    /// How many bytes it has, in digits.
    pub size: Vec<Run>,
    /// The SHA-256 over them, in hex.
    pub sha256: Vec<Run>,
}

/// A value, as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// JSON on one line.
    Inline(Vec<Run>),
    /// A string by its lines.
    Text(Text),
    /// A string that is an address, by its parts: together they are it.
    Address(Vec<Vec<Run>>),
    /// All of it as JSON, by its lines, where nothing else leads back to the arguments sent.
    Plain(Text),
    /// A string that holds JSON; `spaced` as Python writes it, with a space after each `,` and `:`.
    Json {
        /// How it is written.
        spaced: bool,
        /// Its value.
        node: Box<Node>,
    },
    /// An object.
    Fields(Vec<Field>),
    /// An array.
    Items(Vec<Node>),
}

/// The parts of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A key with its value.
    One {
        /// The key.
        name: Vec<Run>,
        /// The value.
        value: Node,
    },
    /// Two keys whose strings are one text before and after.
    Change(Change),
}

/// A text before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The key of the text before.
    pub old_name: Vec<Run>,
    /// The key of the text after.
    pub new_name: Vec<Run>,
    /// The lines of both.
    pub rows: Vec<Row>,
    /// How lines end before.
    pub old_end: LineEnd,
    /// How lines end after.
    pub new_end: LineEnd,
}

/// The role of a line in a difference, a patch or a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// It stays, or there is no difference here.
    #[default]
    Same,
    /// It goes away.
    Gone,
    /// It comes.
    New,
    /// It becomes something else.
    Altered,
    /// It says where the next ones are.
    Place,
}

/// The view of an action whose digest this is.
pub fn of(action: &Action, digest: &str) -> View {
    let view = Draft::new(action).view(digest);
    if back::is_of(&view, action) {
        view
    } else {
        plain(action, digest)
    }
}

impl View {
    /// Whether something in it is another than it looks like.
    pub fn is_marked(&self) -> bool {
        // Much white space is only white space.
        let pretends = |run: &Run| !matches!(run.mark, None | Some(Mark::Instead(' ' | '\t', _)));
        let mut marked = self.tool.iter().any(pretends);
        self.arguments.each_run(&mut |run| marked |= pretends(run));
        let names = self.operands.iter().flat_map(|operand| &operand.name);
        marked || names.into_iter().any(pretends)
    }
}

impl Node {
    fn each_run<'a>(&'a self, see: &mut impl FnMut(&'a Run)) {
        match self {
            Self::Inline(runs) => runs.iter().for_each(see),
            Self::Text(text) | Self::Plain(text) => {
                text.lines.iter().flat_map(|line| &line.runs).for_each(see);
            }
            Self::Address(parts) => parts.iter().flatten().for_each(see),
            Self::Json { node, .. } => node.each_run(see),
            Self::Items(items) => items.iter().for_each(|item| item.each_run(see)),
            Self::Fields(fields) => fields.iter().for_each(|field| match field {
                Field::One { name, value } => {
                    name.iter().for_each(&mut *see);
                    value.each_run(see);
                }
                Field::Change(change) => {
                    let names = change.old_name.iter().chain(&change.new_name);
                    names.for_each(&mut *see);
                    change
                        .rows
                        .iter()
                        .flat_map(|row| &row.runs)
                        .for_each(&mut *see);
                }
            }),
        }
    }
}

/// The name of a key as it is drawn before its value: as JSON, unless it is a plain word that no reader takes for
/// more.
pub fn named(name: &[Run]) -> Vec<Run> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@' | '/');
    let letters = || name.iter().flat_map(|run| run.text.chars());
    // A number is the name of an item of a list.
    if letters().all(is_plain) && letters().any(|c| !c.is_ascii_digit()) {
        return name.to_vec();
    }
    let quote = || std::iter::once(Run::ours("\""));
    let escaped = name.iter().flat_map(escaped);
    quote().chain(escaped).chain(quote()).collect()
}

/// A part of a string of JSON: a sign that would end it has one of ours before it.
fn escaped(run: &Run) -> Vec<Run> {
    if run.is_marked() {
        return vec![run.clone()];
    }
    let parts = run.text.split_inclusive(['"', '\\']).flat_map(|part| {
        let end = part.find(['"', '\\']).unwrap_or(part.len());
        let (text, sign) = part.split_at(end);
        let text = (!text.is_empty()).then(|| text.to_owned());
        let sign = (!sign.is_empty()).then(|| sign.to_owned());
        let of_run = |text: String| Run {
            text,
            ..run.clone()
        };
        let before = sign.is_some().then(|| Run::ours("\\"));
        [text.map(of_run), before, sign.map(of_run)]
    });
    parts.flatten().collect()
}

fn operands(action: &Action) -> Vec<Shown> {
    let shown = action.operands.iter().map(|operand| Shown {
        name: visible::name(&operand.name),
        size: visible::value(&operand.size.to_string()),
        sha256: visible::value(&operand.sha256),
    });
    shown.collect()
}

/// A text as written: lines with numbers, and marks for hidden characters.
pub fn source(text: &str) -> Text {
    Text::plain(text)
}

/// A difference that is a file of its own, as `diff -u` and git write it: every line as it is.
pub fn diff(text: &str) -> Text {
    Text::diff(text)
}

/// The action as JSON in ASCII: no rule of ours can get it wrong.
fn plain(action: &Action, digest: &str) -> View {
    let json = serde_json::to_string_pretty(&action.arguments.0).unwrap_or_default();
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Outside of strings JSON is ASCII, and in them every character may be written so.
            c if !c.is_ascii() || c == '\u{7f}' => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    ascii.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => ascii.push(c),
        }
    }
    View {
        tool: visible::name(&action.tool),
        notes: Vec::new(),
        arguments: Node::Plain(Text::plain(&ascii)),
        operands: operands(action),
        digest: digest.to_owned(),
    }
}

/// The last part of a tool's name, and the name of a key, without the signs people write
/// differently.
fn folded(name: &str) -> String {
    let name = name.rsplit("__").next().unwrap_or(name);
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// A string of an object, by the folded name of its key.
fn sibling<'a>(object: &'a serde_json::Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    object
        .iter()
        .find(|(key, value)| value.is_string() && names.contains(&folded(key).as_str()))
        .and_then(|(_, value)| value.as_str())
}
