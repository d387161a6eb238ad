//! From the view back to the action: so that the action shown is the one signed.

use domain::{
    interaction::{Action, Operand},
    json::AnyJson,
};
use serde::Serialize;
use serde_json::{Map, Value, ser::Formatter};

use super::{Change, Field, LineEnd, Node, Shown, Sign, Text, View};
use crate::{self as visible, Run};

/// Whether a view shows this action and nothing else.
pub(super) fn is_of(view: &View, action: &Action) -> bool {
    visible::back(&view.tool) == action.tool
        && value(&view.arguments).is_some_and(|value| value == action.arguments.0)
        && operands(&view.operands).is_some_and(|operands| operands == action.operands)
}

/// The operands that are shown.
pub(super) fn operands(shown: &[Shown]) -> Option<Vec<Operand>> {
    let operands = shown.iter().map(|operand| {
        Some(Operand {
            name: visible::back(&operand.name),
            sha256: visible::back(&operand.sha256),
            size: visible::back(&operand.size).parse().ok()?,
        })
    });
    operands.collect()
}

/// The value that is shown; `None` when it is none.
pub(super) fn value(node: &Node) -> Option<Value> {
    Some(match node {
        Node::Inline(runs) => {
            let AnyJson(value) = serde_json::from_str(&visible::back(runs)).ok()?;
            value
        }
        Node::Text(text) => Value::String(string(text)),
        Node::Plain(text) => {
            let AnyJson(value) = serde_json::from_str(&string(text)).ok()?;
            value
        }
        Node::Address(parts) => {
            Value::String(parts.iter().map(|part| visible::back(part)).collect())
        }
        Node::Json { spaced, node } => Value::String(written(&value(node)?, *spaced)?),
        Node::Items(items) => Value::Array(items.iter().map(value).collect::<Option<_>>()?),
        Node::Fields(fields) => Value::Object(object(fields)?),
    })
}

fn object(fields: &[Field]) -> Option<Map<String, Value>> {
    let mut object = Map::new();
    let mut put = |name: &[Run], value| object.insert(visible::back(name), value).is_none();
    for field in fields {
        let once = match field {
            Field::One { name, value: node } => put(name, value(node)?),
            Field::Change(change) => {
                let (old, new) = texts(change);
                put(&change.old_name, old.into()) && put(&change.new_name, new.into())
            }
        };
        if !once {
            return None;
        }
    }
    Some(object)
}

/// The text before, and after.
fn texts(change: &Change) -> (String, String) {
    let side = |other: Sign, end| {
        let rows = change.rows.iter().filter(|row| row.sign != other);
        joined(rows.map(|row| row.runs.as_slice()), end)
    };
    (
        side(Sign::New, change.old_end),
        side(Sign::Gone, change.new_end),
    )
}

fn string(text: &Text) -> String {
    joined(text.lines.iter().map(|line| line.runs.as_slice()), text.end)
}

fn joined<'a>(lines: impl Iterator<Item = &'a [Run]>, end: LineEnd) -> String {
    let lines: Vec<String> = lines.map(visible::back).collect();
    lines.join(end.as_str())
}

/// JSON on one line; `spaced` as Python writes it.
pub(super) fn written(value: &Value, spaced: bool) -> Option<String> {
    if !spaced {
        return serde_json::to_string(value).ok();
    }
    let mut json = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut json, Spaced);
    value.serialize(&mut writer).ok()?;
    String::from_utf8(json).ok()
}

/// A space after each `,` and `:`.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
    ) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}
