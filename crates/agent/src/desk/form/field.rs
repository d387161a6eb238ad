//! A field of a form: what people are asked, and the value that comes of their answer.

use std::collections::HashSet;

use anyhow::{Context, bail, ensure};
use domain::limits;
use serde_json::{Map, Number, Value, json};

/// Leaves a field out that need not be there.
pub(super) const LEAVE_OUT: &str = "Leave it out";
/// The same, where an answer is written.
const NOTHING: &str = "-";
const YES: &str = "Yes";
const NO: &str = "No";
pub(super) struct Field {
    pub(super) name: String,
    /// For people.
    pub(super) words: String,
    pub(super) takes: Takes,
    pub(super) is_required: bool,
    pub(super) default: Option<Value>,
}

pub(super) enum Takes {
    Text,
    Number,
    Integer,
    /// One of these values, by their labels.
    One(Vec<(String, Value)>),
    /// Any of them.
    Many(Vec<(String, Value)>),
}

impl Takes {
    pub(super) fn read(property: &Value) -> anyhow::Result<Self> {
        Ok(match property["type"].as_str() {
            Some("array") => Self::Many(
                labelled(&property["items"])?.context("it names no values to choose from")?,
            ),
            Some("boolean") => Self::One(vec![
                (YES.to_owned(), true.into()),
                (NO.to_owned(), false.into()),
            ]),
            Some("number") => Self::Number,
            Some("integer") => Self::Integer,
            Some("string") => labelled(property)?.map_or(Self::Text, Self::One),
            _ => bail!("it is of no type that people can be asked for"),
        })
    }

    /// The labels that people press, if they all have room.
    fn labels(&self, is_required: bool) -> Option<Vec<&str>> {
        let (Self::One(values) | Self::Many(values)) = self else {
            return None;
        };
        let mut labels: Vec<&str> = values.iter().map(|(label, _)| &**label).collect();
        if !is_required {
            labels.push(LEAVE_OUT);
        }
        let different: HashSet<&&str> = labels.iter().collect();
        let has_room = |label: &&&str| {
            let chars = label.chars().count();
            (1..=limits::OPTION_CHARS).contains(&chars) && label.trim() == **label
        };
        let fits = (2..=limits::OPTIONS).contains(&labels.len())
            && different.len() == labels.len()
            && labels.iter().filter(has_room).count() == labels.len();
        fits.then_some(labels)
    }
}

/// The values of an enumeration, with their titles, in each of the ways in which the protocol writes them.
fn labelled(schema: &Value) -> anyhow::Result<Option<Vec<(String, Value)>>> {
    let titled = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let values: Option<Vec<_>> = match (titled, schema["enum"].as_array()) {
        (Some(all), _) => {
            let value = |one: &Value| {
                let value = one["const"].as_str()?;
                let title = one["title"].as_str().unwrap_or(value);
                Some((title.to_owned(), value.into()))
            };
            all.iter().map(value).collect()
        }
        (None, Some(all)) => {
            let title = |at: usize| schema["enumNames"][at].as_str();
            let value = |(at, one): (usize, &Value)| {
                let value = one.as_str()?;
                Some((title(at).unwrap_or(value).to_owned(), value.into()))
            };
            all.iter().enumerate().map(value).collect()
        }
        (None, None) => return Ok(None),
    };
    let values = values.filter(|values| !values.is_empty());
    Ok(Some(values.context("its values are no texts")?))
}

/// What people read of a field.
pub(super) fn words(name: &str, property: &Value, takes: &Takes) -> String {
    let text = |key: &str| property[key].as_str();
    let mut words = text("title").unwrap_or(name).to_owned();
    if let Some(about) = text("description") {
        words += &format!(": {about}");
    }
    let kind = match takes {
        Takes::Number => Some("a number"),
        Takes::Integer => Some("a whole number"),
        Takes::Text => text("format"),
        Takes::One(_) | Takes::Many(_) => None,
    };
    if let Some(kind) = kind {
        words += &format!(" ({kind})");
    }
    words
}

impl Field {
    pub(super) fn question(&self) -> Value {
        let mut prompt = self.words.clone();
        if let Some(labels) = self.takes.labels(self.is_required) {
            if let Some(default) = &self.default
                && !self.is_required
            {
                prompt += &format!(" ({default} if it is left out)");
            }
            let multiple = matches!(self.takes, Takes::Many(_));
            return json!({ "prompt": prompt, "options": labels, "multiple": multiple });
        }
        if let Takes::One(values) | Takes::Many(values) = &self.takes {
            let labels: Vec<&str> = values.iter().map(|(label, _)| &**label).collect();
            prompt += &format!("\n\nOne of: {}", labels.join(", "));
            if matches!(self.takes, Takes::Many(_)) {
                prompt += ". Several: each on a line of its own";
            }
        }
        match (&self.default, self.is_required) {
            (Some(default), _) => prompt += &format!("\n\n`{NOTHING}` is {default}."),
            (None, false) => prompt += &format!("\n\n`{NOTHING}` leaves it out."),
            (None, true) => {}
        }
        json!({ "prompt": prompt })
    }

    pub(super) fn fill(
        &self,
        given: &[String],
        content: &mut Map<String, Value>,
    ) -> anyhow::Result<()> {
        let has_labels = self.takes.labels(self.is_required).is_some();
        let may_be_nothing = self.default.is_some() || !self.is_required;
        let is_left_out = match has_labels {
            true => !self.is_required && given.iter().any(|label| label == LEAVE_OUT),
            false => may_be_nothing && given.iter().all(|it| [NOTHING, ""].contains(&it.trim())),
        };
        let value = match is_left_out {
            true => self.default.clone(),
            false => Some(self.value(given, has_labels)?),
        };
        if let Some(value) = value {
            content.insert(self.name.clone(), value);
        }
        Ok(())
    }

    fn value(&self, given: &[String], has_labels: bool) -> anyhow::Result<Value> {
        let written = given.first().map_or("", String::as_str);
        Ok(match &self.takes {
            Takes::Text => written.into(),
            Takes::Number => {
                let number = written.trim().parse().ok().and_then(Number::from_f64);
                number.context("it is no number")?.into()
            }
            Takes::Integer => {
                let number = written.trim().parse::<i64>().ok();
                number.context("it is no whole number")?.into()
            }
            Takes::One(values) => {
                ensure!(given.len() == 1, "it is not one answer");
                chosen(values, written)?
            }
            Takes::Many(values) if has_labels => {
                let all = given.iter().map(|label| chosen(values, label));
                Value::Array(all.collect::<Result<_, _>>()?)
            }
            Takes::Many(values) => {
                let lines = written.lines().filter(|line| !line.trim().is_empty());
                let all = lines.map(|label| chosen(values, label));
                Value::Array(all.collect::<Result<_, _>>()?)
            }
        })
    }
}

/// By its label, or as the program writes it.
fn chosen(values: &[(String, Value)], label: &str) -> anyhow::Result<Value> {
    let label = label.trim();
    let by_label = values.iter().find(|(it, _)| it.trim() == label);
    let found = by_label.or_else(|| values.iter().find(|(_, value)| value == label));
    let (_, value) = found.with_context(|| format!("`{label}` is none of its values"))?;
    Ok(value.clone())
}
