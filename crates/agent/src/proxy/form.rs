//! What a server asks by a form, as questions to people; and their answers, as the server's schema wants them.

use std::collections::HashSet;

use anyhow::{Context, bail, ensure};
use domain::limits;
use serde_json::{Map, Number, Value, json};

use super::fit;
use crate::client::Answer;

/// Leaves a field out that need not be there.
const LEAVE_OUT: &str = "Leave it out";
/// The same, where an answer is written.
const NOTHING: &str = "-";
const YES: &str = "Yes";
const NO: &str = "No";
/// To a form without fields.
const ACCEPT: &str = "Accept";
const DECLINE: &str = "Decline";

/// A form of a server's.
pub(super) struct Form {
    schema: Value,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    /// For people.
    words: String,
    takes: Takes,
    is_required: bool,
    default: Option<Value>,
}

enum Takes {
    Text,
    Number,
    Integer,
    /// One of these values, by their labels.
    One(Vec<(String, Value)>),
    /// Any of them.
    Many(Vec<(String, Value)>),
}

/// How people have answered.
#[derive(Debug, PartialEq)]
pub(super) enum Filled {
    With(Map<String, Value>),
    Declined,
}

impl Form {
    /// Reads what a server asks for: a flat object of plain values.
    ///
    /// # Errors
    /// Why people cannot be asked that.
    pub(super) fn read(schema: &Value) -> anyhow::Result<Self> {
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
                words: words(name, property, &takes),
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

    /// The request to people.
    pub(super) fn body(&self, message: &str) -> Value {
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

    /// The content of the server's form.
    ///
    /// # Errors
    /// Why the answer does not fit, in words for those who gave it.
    pub(super) fn filled(&self, answer: &Answer) -> anyhow::Result<Filled> {
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

impl Takes {
    fn read(property: &Value) -> anyhow::Result<Self> {
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
fn words(name: &str, property: &Value, takes: &Takes) -> String {
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
    fn question(&self) -> Value {
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

    fn fill(&self, given: &[String], content: &mut Map<String, Value>) -> anyhow::Result<()> {
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

/// By its label, or as the server writes it.
fn chosen(values: &[(String, Value)], label: &str) -> anyhow::Result<Value> {
    let label = label.trim();
    let by_label = values.iter().find(|(it, _)| it.trim() == label);
    let found = by_label.or_else(|| values.iter().find(|(_, value)| value == label));
    let (_, value) = found.with_context(|| format!("`{label}` is none of its values"))?;
    Ok(value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(required: &[&str], properties: Value) -> anyhow::Result<Form> {
        Form::read(&json!({"type": "object", "properties": properties, "required": required}))
    }

    fn answer(answer: Value) -> Answer {
        serde_json::from_value(answer).unwrap()
    }

    fn filled(form: &Form, given: Value) -> Result<Value, String> {
        match form.filled(&answer(given)) {
            Ok(Filled::With(content)) => Ok(content.into()),
            Ok(Filled::Declined) => Ok("declined".into()),
            Err(why) => Err(format!("{why:#}")),
        }
    }

    #[test]
    fn one_field_is_a_question_or_a_choice() {
        let colours =
            json!({"oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]});
        for (required, mut property, kind, options) in [
            (true, json!({"type": "string"}), "question", Value::Null),
            (true, json!({"type": "integer"}), "question", Value::Null),
            (
                true,
                json!({"type": "boolean"}),
                "choice",
                json!(["Yes", "No"]),
            ),
            (
                true,
                json!({"type": "string", "enum": ["a", "b"]}),
                "choice",
                json!(["a", "b"]),
            ),
            (
                false,
                json!({"type": "string", "enum": ["a"]}),
                "choice",
                json!(["a", "Leave it out"]),
            ),
            // A choice has two options at least.
            (
                true,
                json!({"type": "string", "enum": ["a"]}),
                "question",
                Value::Null,
            ),
            (
                true,
                json!({"type": "string", "enum": ["a", "a"]}),
                "question",
                Value::Null,
            ),
            (true, colours.clone(), "choice", json!(["Red", "Green"])),
        ] {
            if property.get("type").is_none() {
                property["type"] = "string".into();
            }
            let names: &[&str] = if required { &["x"] } else { &[] };
            let body = form(names, json!({"x": property})).unwrap().body("Hello?");
            assert_eq!(body["kind"], kind, "{property}");
            assert_eq!(body["options"], options, "{property}");
            assert!(body["prompt"].as_str().unwrap().starts_with("Hello?\n\nx"));
        }
    }

    #[test]
    fn an_answer_is_what_the_schema_wants_or_is_refused() {
        let one = |required: bool, property: Value| {
            let names: &[&str] = if required { &["x"] } else { &[] };
            form(names, json!({"x": property})).unwrap()
        };
        let colours = json!({"type": "array", "minItems": 1, "items": {"anyOf": [
            {"const": "r", "title": "Red"}, {"const": "g", "title": "Green"},
        ]}});
        for (form, given, expected) in [
            (
                one(true, json!({"type": "string"})),
                json!({"text": " a\n"}),
                Ok(json!({"x": " a\n"})),
            ),
            (
                one(true, json!({"type": "string"})),
                json!({"text": ""}),
                Ok(json!({"x": ""})),
            ),
            (
                one(false, json!({"type": "string"})),
                json!({"text": "-"}),
                Ok(json!({})),
            ),
            (
                one(true, json!({"type": "string", "default": "d"})),
                json!({"text": "-"}),
                Ok(json!({"x": "d"})),
            ),
            (
                one(true, json!({"type": "string", "minLength": 2})),
                json!({"text": "a"}),
                Err("/x: "),
            ),
            (
                one(true, json!({"type": "string", "format": "email"})),
                json!({"text": "a"}),
                Err("/x: "),
            ),
            (
                one(true, json!({"type": "integer"})),
                json!({"text": " 4 "}),
                Ok(json!({"x": 4})),
            ),
            (
                one(true, json!({"type": "integer"})),
                json!({"text": "4.5"}),
                Err("whole number"),
            ),
            (
                one(true, json!({"type": "integer", "maximum": 3})),
                json!({"text": "4"}),
                Err("/x: "),
            ),
            (
                one(true, json!({"type": "number"})),
                json!({"text": "4.5"}),
                Ok(json!({"x": 4.5})),
            ),
            (
                one(true, json!({"type": "number"})),
                json!({"text": "NaN"}),
                Err("no number"),
            ),
            (
                one(true, json!({"type": "boolean"})),
                json!({"selected": ["No"]}),
                Ok(json!({"x": false})),
            ),
            (
                one(false, json!({"type": "boolean", "default": true})),
                json!({"selected": [LEAVE_OUT]}),
                Ok(json!({"x": true})),
            ),
            (
                one(true, colours.clone()),
                json!({"selected": ["Red", "Green"]}),
                Ok(json!({"x": ["r", "g"]})),
            ),
            (
                one(true, colours),
                json!({"selected": ["Blue"]}),
                Err("none of its values"),
            ),
            (
                one(true, json!({"type": "string", "enum": ["a"]})),
                json!({"text": "b"}),
                Err("none of its values"),
            ),
            (
                one(true, json!({"type": "string"})),
                json!({}),
                Err("no answer"),
            ),
        ] {
            match (filled(&form, given.clone()), expected) {
                (Ok(content), Ok(expected)) => assert_eq!(content, expected, "{given}"),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
                (found, expected) => panic!("{given}: {found:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn several_fields_are_a_form_and_none_is_a_yes_or_a_no() {
        let properties =
            json!({"port": {"type": "integer"}, "mode": {"type": "string", "enum": ["a", "b"]}});
        let several = form(&["port", "mode"], properties).unwrap();
        let body = several.body("Hello?");
        assert_eq!(body["kind"], "form");
        assert_eq!(body["questions"][1]["id"], "q2");
        let given = json!({"answers": {"q1": "80", "q2": "b"}});
        assert_eq!(
            filled(&several, given),
            Ok(json!({"port": 80, "mode": "b"}))
        );
        let wrong = filled(&several, json!({"answers": {"q1": "x", "q2": "b"}}));
        assert!(wrong.unwrap_err().starts_with("port: "));

        let none = form(&[], json!({})).unwrap();
        assert_eq!(filled(&none, json!({"selected": [ACCEPT]})), Ok(json!({})));
        assert_eq!(
            filled(&none, json!({"selected": [DECLINE]})),
            Ok("declined".into())
        );
        assert_eq!(filled(&none, json!({})), Ok("declined".into()));
    }

    #[test]
    fn what_people_cannot_be_asked_is_refused_with_its_place() {
        for (property, why) in [
            (json!({"type": "object"}), "properties.x: it is of no type"),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                "names no values",
            ),
            (json!({"type": "string", "enum": [1, 2]}), "no texts"),
            (json!({"type": "string", "enum": []}), "no texts"),
        ] {
            let refused = form(&[], json!({"x": property})).err().unwrap();
            assert!(format!("{refused:#}").contains(why), "{refused:#}");
        }
        assert!(Form::read(&json!({"type": "string"})).is_err());
        let names = (0..=limits::QUESTIONS).map(|n| (n.to_string(), json!({"type": "string"})));
        assert!(form(&[], Value::Object(names.collect())).is_err());
    }
}
