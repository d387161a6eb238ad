//! What a rule that forbids or asks applies to. It is read as widely as a shell, a file system or a browser could read it: a
//! rule that is evaded by a pair of quotes is none. Where it cannot be told, that is said.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text::{Text, Texts};
use crate::{interaction::Action, json::AnyJson, matcher::destructive};

/// Which actions: all of these have to be so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// The tool is one of these; any when empty. A `*` at the end stands for whatever follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Its arguments are so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Condition>,
    /// It looks destructive to Handraise by itself: see [`destructive`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looks_destructive: bool,
}

/// What has to be so of the arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Where the argument stands: the names from the outermost in. Any argument when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// What it has.
    pub has: Has,
}

/// What an argument has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Has {
    /// These words, in this order, with whatever between them; options among them anywhere.
    Words(Vec<String>),
    /// A path to this folder, or below it.
    Below(String),
    /// This host, or one below it.
    Host(String),
    /// One of these values; texts in small letters or capitals.
    Is(Vec<AnyJson>),
}

/// Whether something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// It is not.
    No,
    /// Nobody can tell from what is there.
    Unclear,
    /// It is.
    Yes,
}

impl From<bool> for Holds {
    fn from(is_so: bool) -> Self {
        match is_so {
            true => Self::Yes,
            false => Self::No,
        }
    }
}

impl When {
    /// Whether this is one of them.
    pub(super) fn holds(&self, action: &Action, texts: &Texts) -> Holds {
        let tool = action.tool.to_lowercase();
        let is_tool = self.tools.is_empty() || self.tools.iter().any(|name| fits(name, &tool));
        let looks = !self.looks_destructive || destructive(action).is_some();
        // Cheap first: most rules are about another tool.
        if !is_tool || !looks {
            return Holds::No;
        }
        let conditions = self.arguments.iter();
        let all = conditions.map(|condition| condition.holds(action, texts));
        all.min().unwrap_or(Holds::Yes)
    }
}

impl Condition {
    fn holds(&self, action: &Action, texts: &Texts) -> Holds {
        let found = found(&action.arguments.0, &self.at);
        if let Has::Is(values) = &self.has {
            return found
                .is_some_and(|found| values.iter().any(|value| is_same(&value.0, found)))
                .into();
        }
        if self.at.is_empty() {
            let each = texts.all.iter().map(|text| self.has.holds(text, texts));
            return each.max().unwrap_or(Holds::No);
        }
        let Some(found) = found else {
            return Holds::No;
        };
        match Text::of_value(found) {
            Some(text) => self.has.holds(&text, texts),
            // A number or an object where a text is expected.
            None if found.is_null() => Holds::No,
            None => Holds::Unclear,
        }
    }
}

impl Has {
    fn holds(&self, text: &Text, texts: &Texts) -> Holds {
        let (is_so, can_tell) = match self {
            Self::Words(words) => (text.has_words(words), !text.hides()),
            Self::Host(host) => (text.has_host(host), !text.hides()),
            Self::Below(folder) => {
                let places = text.places(texts.cwd.as_deref());
                (
                    places.known.iter().any(|place| is_at(place, folder)),
                    !places.some_unknown && !text.hides(),
                )
            }
            Self::Is(_) => (false, true),
        };
        match (is_so, can_tell || !text.counts) {
            (true, _) => Holds::Yes,
            (false, true) => Holds::No,
            (false, false) => Holds::Unclear,
        }
    }
}

fn is_at(place: &str, folder: &str) -> bool {
    let folder = folder.to_lowercase();
    let inside = place.strip_prefix(&*folder);
    inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a tool has this name, which may end in `*`; `tool` is in small letters.
fn fits(name: &str, tool: &str) -> bool {
    let name = name.to_lowercase();
    match name.strip_suffix('*') {
        Some(beginning) => tool.starts_with(beginning),
        None => name == tool,
    }
}

fn found<'a>(value: &'a Value, at: &[String]) -> Option<&'a Value> {
    at.iter()
        .try_fold(value, |here, name| here.as_object()?.get(name))
}

/// Whether two values are the same to a program that is not strict: `"PROD "` and `"prod"`, `1` and `1.0`.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            one.trim().to_lowercase() == other.trim().to_lowercase()
        }
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (one, Value::Array(items)) if !one.is_array() => {
            items.iter().any(|item| is_same(one, item))
        }
        (one, other) => one == other,
    }
}
