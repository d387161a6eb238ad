//! What a program asks by a form, as questions to people; and their answers, as its schema wants them.

mod field;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use anyhow::{Context, bail, ensure};
use domain::limits;
use serde_json::{Map, Value, json};

use super::fit;
use crate::client::Answer;
use field::{Field, Takes};

/// To a form without fields.
const ACCEPT: &str = "Accept";
const DECLINE: &str = "Decline";

/// A form of a program's.
pub(crate) struct Form {
    schema: Value,
    fields: Vec<Field>,
}

/// How people have answered.
#[derive(Debug, PartialEq)]
pub(crate) enum Filled {
    With(Map<String, Value>),
    Declined,
}

impl Form {
    /// Reads what is asked for: a flat object of plain values.
    ///
    /// # Errors
    /// Why people cannot be asked that.
    pub(crate) fn read(schema: &Value) -> anyhow::Result<Self> {
        ensure!(
            schema["type"] == "object",
            "its requestedSchema is no object"
        );
        let required: HashSet<&str> = schema["required"]
            .as_array()
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        ensure!(
            properties.len() <= limits::QUESTIONS,
            "its requestedSchema has more than {} fields",
            limits::QUESTIONS
        );
        let field = |(name, property): (&String, &Value)| {
            let takes = Takes::read(property)
                .with_context(|| format!("requestedSchema.properties.{name}"))?;
            anyhow::Ok(Field {
                words: field::words(name, property, &takes),
                takes,
                is_required: required.contains(&**name),
                default: property.get("default").cloned(),
                name: name.clone(),
            })
        };
        Ok(Self {
            fields: properties.iter().map(field).collect::<Result<_, _>>()?,
            schema: schema.clone(),
        })
    }

    /// Whether anything is asked for: where nothing is, to accept it is all that can be said.
    pub(crate) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// The request to people.
    pub(crate) fn body(&self, message: &str) -> Value {
        match &self.fields[..] {
            [] => json!({ "kind": "choice", "prompt": message, "options": [ACCEPT, DECLINE] }),
            [one] => {
                let mut body = one.question();
                let prompt = body["prompt"].as_str().unwrap_or_default();
                body["prompt"] = format!("{message}\n\n{prompt}").into();
                let is_choice = body.get("options").is_some();
                body["kind"] = if is_choice { "choice" } else { "question" }.into();
                body
            }
            several => {
                let question = |(at, field): (usize, &Field)| {
                    let mut question = field.question();
                    question["id"] = id(at).into();
                    question
                };
                let questions: Vec<_> = several.iter().enumerate().map(question).collect();
                json!({ "kind": "form", "prompt": message, "questions": questions })
            }
        }
    }

    /// The content of the form.
    ///
    /// # Errors
    /// Why the answer does not fit, in words for those who gave it.
    pub(crate) fn filled(&self, answer: &Answer) -> anyhow::Result<Filled> {
        let mut content = Map::new();
        match &self.fields[..] {
            [] => {
                let selected = answer.selected.as_deref().unwrap_or_default();
                return match selected {
                    [one] if one == ACCEPT => Ok(Filled::With(content)),
                    _ => Ok(Filled::Declined),
                };
            }
            [one] => {
                let given = match (&answer.selected, &answer.text) {
                    (Some(selected), _) => selected.clone(),
                    (None, Some(text)) => vec![text.clone()],
                    (None, None) => bail!("there is no answer"),
                };
                one.fill(&given, &mut content)?;
            }
            several => {
                let answers = answer.answers.as_ref().context("there is no answer")?;
                for (at, field) in several.iter().enumerate() {
                    let given = match &answers[id(at)] {
                        Value::String(text) => vec![text.clone()],
                        Value::Array(all) => {
                            let texts = all.iter().filter_map(Value::as_str);
                            texts.map(str::to_owned).collect()
                        }
                        _ => bail!("{}: there is no answer", field.name),
                    };
                    let filled = field.fill(&given, &mut content);
                    filled.with_context(|| field.name.clone())?;
                }
            }
        }
        let content = Value::Object(content);
        fit::check(&self.schema, &content)?;
        match content {
            Value::Object(content) => Ok(Filled::With(content)),
            _ => Ok(Filled::Declined),
        }
    }
}

fn id(at: usize) -> String {
    format!("q{}", at + 1)
}
