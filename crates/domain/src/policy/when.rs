//! What a rule that forbids or asks applies to. It is read as widely as a shell, a file system or a browser could read it: a
//! rule that is evaded by a pair of quotes is none. Where it cannot be told, that is said.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text::Texts;
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
    /// Where the argument stands: the names from the outermost in. Any argument when empty. In a call that a hook wraps,
    /// they lead there from its input too.
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

/// Where a hook has the arguments of the call that it wraps.
const INPUT: &str = "input";

impl When {
    /// Whether this is one of them.
    pub(super) fn holds(&self, action: &Action, texts: &Texts) -> Holds {
        let tool = action.tool.to_lowercase();
        let is_tool = self.tools.is_empty() || self.tools.iter().any(|name| fits(name, &tool));
        // Cheap first: most rules are about another tool.
        if !is_tool {
            return Holds::No;
        }
        let looks = match self.looks_destructive {
            true if destructive(action).is_some() => Holds::Yes,
            true => texts.look_destructive(),
            false => Holds::Yes,
        };
        let conditions = self.arguments.iter();
        let all = conditions.map(|condition| condition.holds(action, texts));
        all.min().unwrap_or(Holds::Yes).min(looks)
    }
}

impl Condition {
    fn holds(&self, action: &Action, texts: &Texts) -> Holds {
        if self.at.is_empty() {
            return self.has.holds(texts);
        }
        let arguments = &action.arguments.0;
        let mut found = found(arguments, &self.at);
        if let Some(input) = arguments.get(INPUT) {
            found.extend(self::found(input, &self.at));
        }
        if let Has::Is(values) = &self.has {
            let is_one = |found: &&Value| values.iter().any(|value| is_same(&value.0, found));
            return found.iter().any(is_one).into();
        }
        let here = Texts::of_argument(&found, texts);
        match (self.has.holds(&here), &self.has) {
            // The program stands there and the rest of its words elsewhere.
            (Holds::No, Has::Words(words)) if here.have_one_of(words) => {
                texts.have_words(words).min(Holds::Unclear)
            }
            (holds, _) => holds,
        }
    }
}

impl Has {
    fn holds(&self, texts: &Texts) -> Holds {
        match self {
            Self::Words(words) => texts.have_words(words),
            Self::Host(host) => texts.have_host(host),
            Self::Below(folder) => texts.lead_below(folder),
            Self::Is(_) => Holds::No,
        }
    }
}

/// Whether a tool has this name, which may end in `*`; `tool` is in small letters.
fn fits(name: &str, tool: &str) -> bool {
    let name = name.to_lowercase();
    match name.strip_suffix('*') {
        Some(beginning) => tool.starts_with(beginning),
        None => name == tool,
    }
}

/// All that these names may lead to: a program may not tell small letters from capitals, and takes each of several.
fn found<'a>(value: &'a Value, at: &[String]) -> Vec<&'a Value> {
    let Some((name, rest)) = at.split_first() else {
        return vec![value];
    };
    match value {
        Value::Object(fields) => {
            let name = name.to_lowercase();
            let fields = fields
                .iter()
                .filter(|(field, _)| field.to_lowercase() == name);
            fields.flat_map(|(_, value)| found(value, rest)).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| found(item, at)).collect(),
        _ => Vec::new(),
    }
}

/// Whether two values are the same to a program that is not strict: `"PROD "` and `"prod"`, `1`, `1.0` and `"1"`, `true` and
/// `"yes"`.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (one, Value::Array(items)) if !one.is_array() => {
            items.iter().any(|item| is_same(one, item))
        }
        (Value::Bool(one), other) | (other, Value::Bool(one)) => {
            spelled(other).is_some_and(|other| truth(&other) == Some(*one))
        }
        (one, other) => match (spelled(one), spelled(other)) {
            (Some(one), Some(other)) => {
                let number = |text: &str| text.parse::<f64>().ok();
                one == other || number(&one).is_some_and(|one| number(&other) == Some(one))
            }
            _ => one == other,
        },
    }
}

/// A value as text.
fn spelled(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_lowercase()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The truth value that a text says.
fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "yes" | "on" | "y" | "t" => Some(true),
        "false" | "no" | "off" | "n" | "f" => Some(false),
        text => match text.parse::<f64>() {
            Ok(1.0) => Some(true),
            Ok(0.0) => Some(false),
            _ => None,
        },
    }
}
