//! Which actions a standing decision covers. A matcher is made from one action that a person has seen whole, and says yes
//! only to what certainly is another like it: it takes no text apart that a shell, a file system or a browser could read in
//! another way. Whatever is unusual does not match, and reaches a person.

mod check;
mod command;
mod destructive;
mod host;
mod line;
mod path;
mod propose;
mod search;
#[cfg(test)]
mod tests;

use std::{cell::OnceCell, collections::BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use check::is_said_or_written;
pub use command::Words;
pub use destructive::destructive;
pub(crate) use destructive::is_command_name;
pub use propose::propose;

use crate::{
    digest,
    interaction::{Action, Operand, beginning, doing},
    json::AnyJson,
};

/// Says of an action whether it is covered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matcher {
    /// This action, and no other.
    Exactly(Exactly),
    /// This action, in which some arguments may differ.
    Like(Box<Pattern>),
}

/// One action by its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exactly {
    /// Its tool, so that it is found.
    pub tool: String,
    /// [`Action::digest`].
    pub digest: String,
}

/// Actions of one tool that are the same in all but some arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The tool, letter by letter.
    pub tool: String,
    /// All arguments that stay as they are: no other may be there, and none may be missing.
    pub like: AnyJson,
    /// Those that may differ, and how far.
    pub varies: Vec<Varying>,
    /// What the action refers to beside what its varying arguments name: it stays as it is too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<Operand>,
}

/// One argument that may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Varying {
    /// Where it stands: the names from the outermost in.
    pub at: Vec<String>,
    /// How far it may differ.
    pub by: Rule,
}

/// How far an argument may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A command that begins with these words.
    Words(Words),
    /// Commands one after the other, each of which begins with the words of one of these.
    Commands(Vec<Words>),
    /// A path below this folder. Where an action runs, and where a tool searches, it may be the folder itself; a tool that names
    /// none searches where it runs.
    Below(String),
    /// Names with wildcards, or none, of what lies below the folder that is searched.
    Names,
    /// An address at this scheme, host and port.
    Host(String),
    /// Anything, and it may be missing: what is said about the action, or what is written at a place that is narrowed down by
    /// another argument.
    Any,
}

/// An action that is held against several matchers. What any of them has to know of all of it is found out once: it may be large.
#[derive(Debug)]
pub struct Held<'a> {
    action: &'a Action,
    digest: OnceCell<Option<String>>,
    is_destructive: OnceCell<bool>,
}

impl<'a> Held<'a> {
    /// Nothing is known of it yet.
    pub fn of(action: &'a Action) -> Self {
        Self {
            action,
            digest: OnceCell::new(),
            is_destructive: OnceCell::new(),
        }
    }

    fn digest(&self) -> Option<&str> {
        let made = || self.action.digest().ok();
        self.digest.get_or_init(made).as_deref()
    }

    fn is_destructive(&self) -> bool {
        let found = || destructive(self.action).is_some();
        *self.is_destructive.get_or_init(found)
    }
}

impl Matcher {
    /// The tool that it is about.
    pub fn tool(&self) -> &str {
        match self {
            Self::Exactly(exactly) => &exactly.tool,
            Self::Like(pattern) => &pattern.tool,
        }
    }

    /// Whether it is one action and no other.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Exactly(_))
    }

    /// Whether it covers this action. What is destructive is only covered by a matcher that was made for exactly this (rule 15).
    pub fn matches(&self, action: &Action) -> bool {
        self.covers(&Held::of(action))
    }

    /// The same, of an action that is held against several.
    pub fn covers(&self, held: &Held<'_>) -> bool {
        let action = held.action;
        // What was sent with it is looked at by a person.
        if self.tool() != action.tool || !action.attachments.is_empty() {
            return false;
        }
        match self {
            Self::Exactly(exactly) => held.digest() == Some(&*exactly.digest),
            // A stored one is held to the rules of today.
            Self::Like(pattern) => {
                pattern.check().is_ok() && !held.is_destructive() && pattern.matches(action)
            }
        }
    }

    /// `sha256:` and the hex of SHA-256 over the RFC 8785 form.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        Ok(digest::sha256(&serde_json_canonicalizer::to_vec(self)?))
    }

    /// In words, for the person who is asked to make a grant of it: a phrase after "may run".
    pub fn in_words(&self) -> String {
        match self {
            Self::Exactly(exactly) => format!("exactly this call of `{}`", exactly.tool),
            Self::Like(pattern) => pattern.in_words(),
        }
    }

    /// The same, where what it was made from is at hand: by the tool alone nobody knows which call it was.
    pub fn in_words_of(&self, made_from: &Action) -> String {
        let arguments = &made_from.arguments.0;
        let doing = doing(arguments);
        if !self.is_exact() || doing.trim().is_empty() || !self.matches(made_from) {
            return self.in_words();
        }
        format!(
            "{}{}: `{}`",
            self.in_words(),
            in_folder(arguments),
            unquoted(&beginning(&doing))
        )
    }
}

/// The folder that an agent says it runs in, as words that follow the tool.
fn in_folder(arguments: &Value) -> String {
    let folder = arguments.get(propose::FOLDER).and_then(Value::as_str);
    folder.map_or_else(String::new, |folder| format!(" in `{}`", unquoted(folder)))
}

/// It could end the quotes that it stands in, and go on as if it were ours.
fn unquoted(text: &str) -> String {
    text.replace('`', "'")
}

impl Pattern {
    fn matches(&self, action: &Action) -> bool {
        let mut rest = action.arguments.0.clone();
        let fits = self.varies.iter().all(|varying| {
            let value = take(&mut rest, &varying.at);
            let place = self.place(action, varying);
            varying.by.matches(value.as_ref(), &place)
        });
        fits && same(&rest, &self.like.0) && self.operands == self.bound(action)
    }

    fn place<'a>(&'a self, action: &'a Action, varying: &Varying) -> Place<'a> {
        let is_where = |one: &&Varying| one.at == [propose::FOLDER];
        let within = self.varies.iter().find(is_where);
        Place {
            within: within.and_then(|varying| match &varying.by {
                Rule::Below(folder) => Some(&**folder),
                _ => None,
            }),
            is_folder: is_where(&varying) || search::is_search(&self.tool),
            ..Place::of(action)
        }
    }

    /// What the action refers to beside what its varying arguments name: of those the person has approved whichever it is.
    fn bound(&self, action: &Action) -> Vec<Operand> {
        let varying = self.varies.iter();
        let free: BTreeSet<&str> = varying
            .flat_map(|varying| {
                let text = check::found(&action.arguments.0, &varying.at).and_then(Value::as_str);
                let place = self.place(action, varying);
                text.map_or_else(Vec::new, |text| varying.by.names(text, &place))
            })
            .collect();
        let operands = action.operands.iter();
        let bound = operands.filter(|operand| !free.contains(&*operand.name));
        bound.cloned().collect()
    }

    fn in_words(&self) -> String {
        let varies = self.varies.iter();
        let narrowing: Vec<_> = varies
            .clone()
            .filter_map(|varying| varying.by.in_words())
            .collect();
        let free = varies.filter(|varying| varying.by == Rule::Any);
        let free: Vec<_> = free.filter_map(|varying| varying.at.last()).collect();
        let free = match &*free {
            [] => String::new(),
            free => format!("; anything as {}", quoted(free)),
        };
        let place = in_folder(&self.like.0);
        format!(
            "`{}`{place} with {}{free}",
            self.tool,
            narrowing.join(" and ")
        )
    }
}

/// What a rule knows of an action besides the argument that it is about.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// Where it runs, if a hook says so.
    folder: Option<&'a str>,
    /// The folder where it may run, and below it, if that is more than the one.
    within: Option<&'a str>,
    /// Whether the argument names a folder; without it, where it runs is meant.
    is_folder: bool,
}

impl<'a> Place<'a> {
    fn of(action: &'a Action) -> Self {
        let folder = action.arguments.0.get(propose::FOLDER);
        Self {
            folder: folder.and_then(Value::as_str),
            within: None,
            is_folder: false,
        }
    }
}

impl Rule {
    fn matches(&self, value: Option<&Value>, place: &Place<'_>) -> bool {
        let text = value.and_then(Value::as_str);
        match self {
            Self::Words(words) => text.is_some_and(|text| words.matches_line(text, place)),
            Self::Commands(all) => text.is_some_and(|text| {
                let commands = line::commands(text, place);
                let mut each = commands.iter();
                !commands.is_empty()
                    && each.all(|command| all.iter().any(|words| words.matches(command)))
            }),
            Self::Below(folder) if place.is_folder => {
                (value.is_none() || text.is_some()) && search::is_in(text, place.folder, folder)
            }
            Self::Below(folder) => text.is_some_and(|text| path::is_below(text, folder)),
            Self::Names => value.is_none() || text.is_some_and(search::goes_down),
            Self::Host(origin) => text.is_some_and(|text| host::is_at(text, origin)),
            Self::Any => true,
        }
    }

    /// What the argument names beyond what was approved.
    fn names<'a>(&self, text: &'a str, place: &Place<'_>) -> Vec<&'a str> {
        let of_line = |all: &[Words]| -> Vec<&'a str> {
            let commands = line::commands(text, place).into_iter();
            let names = commands.flat_map(|command| {
                let fitting = all.iter().filter(move |words| words.matches(command));
                fitting.flat_map(move |words| words.names(command))
            });
            names.collect()
        };
        match self {
            Self::Words(words) => of_line(std::slice::from_ref(words)),
            Self::Commands(all) => of_line(all),
            Self::Below(_) => vec![text],
            Self::Names | Self::Host(_) | Self::Any => Vec::new(),
        }
    }

    fn in_words(&self) -> Option<String> {
        match self {
            Self::Words(words) => Some(words.in_words()),
            Self::Commands(all) => {
                let all: Vec<_> = all.iter().map(Words::in_words).collect();
                Some(match &*all {
                    [one] => format!("one or more of {one}"),
                    all => format!("one or more commands, each {}", all.join(", or ")),
                })
            }
            Self::Names => Some("names of what lies below the folder".to_owned()),
            Self::Below(folder) => Some(format!("a path below `{folder}/`")),
            Self::Host(origin) => Some(format!("an address at `{origin}/`")),
            Self::Any => None,
        }
    }
}

/// Names in a row: `` `a`, `b` ``.
fn quoted(names: &[&String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Takes the value out of the objects that it stands in.
fn take(from: &mut Value, at: &[String]) -> Option<Value> {
    let (last, way) = at.split_last()?;
    let mut here = from;
    for name in way {
        here = here.as_object_mut()?.get_mut(name)?;
    }
    here.as_object_mut()
        .and_then(|map: &mut Map<_, _>| map.remove(last))
}

/// Whether two values have the same canonical form, so that `1` and `1.0` are one number here as in the digest.
fn same(one: &Value, other: &Value) -> bool {
    let form = |value| serde_json_canonicalizer::to_vec(value).ok();
    form(one).is_some_and(|form_of_one| form(other) == Some(form_of_one))
}
