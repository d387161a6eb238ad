//! A view in the making: each value of an action gets the form that says most of it.

use domain::{interaction::Action, json::AnyJson};
use serde_json::{Map, Value};

use super::{
    Field, Node, Sign, View, address, back, change, folded,
    highlight::{self, Clock},
    known::{self, Follows, Known, Place, known},
    language, patch, plan,
    text::{self, Line, Text},
};
use crate::{self as visible, Reader};

/// A view with more parts than a person can look at is one line of JSON from here on.
const NODES: usize = 4_000;
/// In an object with more keys, fields that belong together are not looked for.
const FIELDS: usize = 64;
/// Lists of short items stand on one line.
const INLINE_BYTES: usize = 96;

/// An action that becomes a view.
pub(super) struct Draft<'a> {
    action: &'a Action,
    tool: String,
    clock: Clock,
    nodes: usize,
    notes: Vec<String>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(action: &'a Action) -> Self {
        Self {
            action,
            tool: folded(&action.tool),
            clock: Clock::start(),
            nodes: 0,
            notes: Vec::new(),
        }
    }

    pub(super) fn view(mut self, digest: &str) -> View {
        let AnyJson(arguments) = &self.action.arguments;
        let arguments = self.node(arguments, "", None, Follows::Nothing);
        View {
            tool: visible::name(&self.action.tool),
            notes: self.notes.iter().map(|note| visible::value(note)).collect(),
            arguments,
            operands: super::operands(self.action),
            digest: digest.to_owned(),
        }
    }

    fn node(
        &mut self,
        value: &Value,
        key: &str,
        object: Option<&Map<String, Value>>,
        follows: Follows,
    ) -> Node {
        self.nodes += 1;
        if self.nodes > NODES {
            return inline(value);
        }
        match value {
            Value::String(text) => {
                let tool = self.tool.clone();
                let place = Place {
                    tool: &tool,
                    key,
                    object,
                    follows,
                };
                self.string(text, place)
            }
            Value::Object(fields) if !fields.is_empty() => {
                if known::plans(&self.tool, key) {
                    self.notes.extend(plan::notes(value));
                }
                Node::Fields(self.fields(fields))
            }
            Value::Array(items) if !items.is_empty() && !is_short(items) => Node::Items(
                (0..items.len())
                    .map(|n| {
                        let follows = known::follows(&items[..n]);
                        self.node(&items[n], key, object, follows)
                    })
                    .collect(),
            ),
            _ => inline(value),
        }
    }

    fn fields(&mut self, object: &Map<String, Value>) -> Vec<Field> {
        let mut done: Vec<&str> = Vec::new();
        let mut fields = Vec::with_capacity(object.len());
        for (key, value) in object {
            let folded_key = folded(key);
            if object.len() > FIELDS {
                fields.push(Field::One {
                    name: visible::name(key),
                    value: self.node(value, &folded_key, None, Follows::Nothing),
                });
                continue;
            }
            if done.contains(&key.as_str()) {
                continue;
            }
            done.push(key);
            let pair = pair(&self.tool, object, &folded_key, value);
            if let Some((other, old_first)) = pair.filter(|(other, _)| !done.contains(other)) {
                let (before, after) = match (value, &object[other], old_first) {
                    (Value::String(one), Value::String(two), true) => {
                        ((key.as_str(), one), (other, two))
                    }
                    (Value::String(one), Value::String(two), false) => {
                        ((other, two), (key.as_str(), one))
                    }
                    _ => continue,
                };
                done.push(other);
                let place = Place {
                    tool: &self.tool,
                    key: &folded_key,
                    object: Some(object),
                    follows: Follows::Nothing,
                };
                // Of an edit in a list the file's name stands beside the list.
                let outer = self.action.arguments.0.as_object();
                let language = language::language(place).or_else(|| {
                    language::language(Place {
                        object: outer,
                        ..place
                    })
                });
                fields.push(Field::Change(change::between(
                    (before.0, before.1),
                    (after.0, after.1),
                    language.as_deref(),
                    &mut self.clock,
                )));
                continue;
            }
            fields.push(Field::One {
                name: visible::name(key),
                value: self.node(value, &folded_key, Some(object), Follows::Nothing),
            });
        }
        fields
    }

    fn string(&mut self, text: &str, place: Place<'_>) -> Node {
        let known = known(text, place);
        // A shell does not read the tree or the address that a command could be.
        if known == Known::Nothing
            && let Some(node) = self.json(text, place.key)
        {
            return node;
        }
        if known == Known::Nothing && address::is_one(text) {
            return Node::Address(address::parts(text));
        }
        let needs_lines = text
            .chars()
            .any(|c| c.is_ascii_control() || matches!(c, '"' | '\\'));
        if known == Known::Nothing && !needs_lines {
            return inline(&Value::String(text.to_owned()));
        }
        if text.is_empty() {
            return inline(&Value::String(String::new()));
        }
        let (lines, end) = text::split(text);
        let signs: Vec<_> = match &known {
            Known::Patch => patch::read(&lines, self.clock.end()),
            Known::Plan => lines
                .iter()
                .map(|line| (plan::sign(line), Vec::new()))
                .collect(),
            Known::Written(_) => lines.iter().map(|_| (Sign::New, Vec::new())).collect(),
            Known::Nothing | Known::Code(_) => Vec::new(),
        };
        let is_read = known != Known::Nothing;
        let language = match known {
            Known::Code(language) => language,
            // The end of a file's name need not be a language.
            Known::Written(language) => language
                .filter(|it| highlight::knows(it))
                // Its signs are its own, and all of its lines come.
                .map(|it| if it == "patch" { "diff".to_owned() } else { it }),
            Known::Patch => Some("patch".to_owned()),
            Known::Plan => Some("plan".to_owned()),
            Known::Nothing => None,
        };
        let inks = match (&language, signs.first()) {
            (Some(language), None | Some((Sign::New, _))) => {
                highlight::inks(language, &lines, &mut self.clock)
            }
            _ => Vec::new(),
        };
        let reader = match is_read {
            true => language::reader(language.as_deref(), &[text]),
            false => Reader::person(&[text]),
        };
        let lines = lines.iter().enumerate().map(|(n, line)| {
            let (sign, changed) = signs.get(n).cloned().unwrap_or_default();
            let inks = inks.get(n).map_or(&[][..], Vec::as_slice);
            Line {
                sign,
                runs: text::runs(line, reader, inks, &changed),
            }
        });
        Node::Text(Text {
            language,
            lines: lines.collect(),
            end,
        })
    }

    /// A string that holds an object or a list, if it can be told from the tree how it was written.
    fn json(&mut self, text: &str, key: &str) -> Option<Node> {
        if !matches!(text.as_bytes().first(), Some(b'{' | b'[')) {
            return None;
        }
        let AnyJson(value) = serde_json::from_str(text).ok()?;
        let spaced = match text {
            _ if back::written(&value, false)? == text => false,
            _ if back::written(&value, true)? == text => true,
            _ => return None,
        };
        let (nodes, notes) = (self.nodes, self.notes.len());
        let node = Node::Json {
            spaced,
            node: Box::new(self.node(&value, key, None, Follows::Nothing)),
        };
        // A pair of texts that did not stand side by side would come back in another order.
        if back::value(&node)?.as_str() == Some(text) {
            return Some(node);
        }
        self.nodes = nodes;
        self.notes.truncate(notes);
        None
    }
}

/// A value as JSON on one line.
fn inline(value: &Value) -> Node {
    let json = value.to_string();
    let ink = match value {
        Value::Number(_) | Value::Bool(_) | Value::Null => visible::Ink::Number,
        _ => visible::Ink::Plain,
    };
    let runs = visible::drawn(visible::value(&json), |_| (ink, false));
    Node::Inline(runs)
}

/// The key that makes a pair of texts with this one, and whether this is the one before.
fn pair<'a>(
    tool: &str,
    object: &'a Map<String, Value>,
    key: &str,
    value: &Value,
) -> Option<(&'a str, bool)> {
    let given = value.as_str()?;
    // One that is written in two ways would be a partner twice.
    if object.keys().filter(|other| folded(other) == key).count() != 1 {
        return None;
    }
    change::partner(tool, key).find_map(|(other, old_first)| {
        let mut others = object.iter().filter(|(key, _)| folded(key) == other);
        let (other, value) = others.next()?;
        let text = value.as_str()?;
        let differ = !(given.is_empty() && text.is_empty());
        (others.next().is_none() && differ).then_some((other.as_str(), old_first))
    })
}

fn is_short(items: &[Value]) -> bool {
    let plain = |item: &Value| match item {
        Value::String(text) => !text
            .chars()
            .any(|c| c.is_ascii_control() || matches!(c, '"' | '\\')),
        Value::Array(_) | Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    };
    let numbers = items.iter().all(|item| !item.is_string() && plain(item));
    let bytes = || {
        items
            .iter()
            .map(|item| item.as_str().map_or(4, |text| text.len() + 4))
            .sum::<usize>()
    };
    numbers || (items.iter().all(plain) && bytes() <= INLINE_BYTES)
}
