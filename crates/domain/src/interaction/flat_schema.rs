//! The JSON Schemas that an agent may send: flat, of few keywords, and closed. What is not understood is refused when it is
//! asked, so nothing is ever checked less than its author believes, and there is no pattern that a text can stall.

use serde_json::{Map, Number, Value};

use crate::{
    fault::{Faults, is_name},
    limits,
};

/// An object whose members are texts, numbers or flags.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatSchema {
    /// Its members, in the order they were sent.
    pub fields: Vec<SchemaField>,
    /// Whether it has no others.
    pub is_closed: bool,
}

/// One member.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaField {
    /// Its name.
    pub name: String,
    /// What people read instead.
    pub title: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// Whether it has to be there.
    pub is_required: bool,
    /// What it holds.
    pub holds: Holds,
}

/// The value of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// Any text of so many characters.
    Text {
        /// At least.
        min: Option<u64>,
        /// At most.
        max: Option<u64>,
    },
    /// One of these texts.
    OneOf(Vec<String>),
    /// A number.
    Number {
        /// Whether without a fraction.
        is_whole: bool,
        /// At least.
        min: Option<Number>,
        /// At most.
        max: Option<Number>,
    },
    /// True or false.
    Flag,
}

impl FlatSchema {
    /// Reads a schema; `None` only where a fault says why.
    pub(super) fn read(sent: &Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let mut own = Faults::default();
        let schema = read(sent, path, &mut own);
        let found = own.into_result(()).err().unwrap_or_default();
        let is_fine = found.is_empty();
        for fault in found {
            faults.add(&fault.path, fault.message);
        }
        schema.filter(|_| is_fine)
    }

    /// Whether it has a member of this name.
    pub fn names(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// Notes where `value`, which stands at `path`, does not fit.
    pub(super) fn check(&self, value: &Value, path: &str, faults: &mut Faults) {
        let Some(members) = value.as_object() else {
            faults.add(path, "must be an object");
            return;
        };
        for field in &self.fields {
            let at = format!("{path}.{}", field.name);
            match members.get(&field.name) {
                Some(value) => {
                    if let Err(why) = field.holds.check(value) {
                        faults.add(&at, why);
                    }
                }
                None if field.is_required => faults.add(&at, "is required"),
                None => {}
            }
        }
        if self.is_closed {
            let foreign = members.keys().filter(|name| !self.names(name));
            for name in foreign.take(limits::SCHEMA_FIELDS) {
                faults.add(&format!("{path}.{name}"), "is not in the schema");
            }
        }
    }
}

impl Holds {
    fn check(&self, value: &Value) -> Result<(), String> {
        match (self, value) {
            (Self::Flag, Value::Bool(_)) => Ok(()),
            (Self::Flag, _) => Err("must be true or false".to_owned()),
            (Self::OneOf(values), Value::String(text)) if values.contains(text) => Ok(()),
            (Self::OneOf(values), _) => Err(format!("must be one of: {}", values.join(", "))),
            (Self::Text { min, max }, Value::String(text)) => {
                let chars = text.chars().count() as u64;
                match (min, max) {
                    (Some(min), _) if chars < *min => {
                        Err(format!("must have {min} characters at least"))
                    }
                    (_, Some(max)) if chars > *max => {
                        Err(format!("must have {max} characters at most"))
                    }
                    _ => Ok(()),
                }
            }
            (Self::Text { .. }, _) => Err("must be a text".to_owned()),
            (Self::Number { is_whole, min, max }, Value::Number(number)) => {
                let size = number.as_f64().ok_or("must be a number")?;
                if *is_whole && size.fract() != 0.0 {
                    return Err("must be a whole number".to_owned());
                }
                let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
                match (bound(min), bound(max)) {
                    (Some(least), _) if size < least => Err(format!("must be {least} or more")),
                    (_, Some(most)) if size > most => Err(format!("must be {most} or less")),
                    _ => Ok(()),
                }
            }
            (Self::Number { is_whole: true, .. }, _) => Err("must be a whole number".to_owned()),
            (Self::Number { .. }, _) => Err("must be a number".to_owned()),
        }
    }
}

fn read(sent: &Value, path: &str, faults: &mut Faults) -> Option<FlatSchema> {
    let Some(keywords) = sent.as_object() else {
        faults.add(path, "must be an object");
        return None;
    };
    let known = [
        "$schema",
        "type",
        "title",
        "description",
        "properties",
        "required",
        "additionalProperties",
    ];
    refuse_unknown(keywords, &known, path, faults);
    if keywords.get("type").and_then(Value::as_str) != Some("object") {
        faults.add(&format!("{path}.type"), "must be `object`");
    }
    let is_closed = match keywords.get("additionalProperties") {
        None | Some(Value::Bool(true)) => false,
        Some(Value::Bool(false)) => true,
        Some(_) => {
            faults.add(
                &format!("{path}.additionalProperties"),
                "must be true or false",
            );
            true
        }
    };
    let at = format!("{path}.properties");
    let properties = match keywords.get("properties") {
        Some(Value::Object(properties))
            if (1..=limits::SCHEMA_FIELDS).contains(&properties.len()) =>
        {
            properties
        }
        _ => {
            let most = limits::SCHEMA_FIELDS;
            faults.add(&at, format!("must be an object of 1 to {most} members"));
            return None;
        }
    };
    let required = required(keywords, path, properties, faults);
    let mut fields = Vec::with_capacity(properties.len());
    for (name, property) in properties {
        let at = format!("{at}.{name}");
        if !is_name(name, limits::TITLE_CHARS) {
            faults.add(
                &at,
                "is no name: it is blank, long, or has control characters",
            );
        }
        let Some(keywords) = property.as_object() else {
            faults.add(&at, "must be an object");
            continue;
        };
        let Some(holds) = holds(keywords, &at, faults) else {
            continue;
        };
        fields.push(SchemaField {
            name: name.clone(),
            title: line(keywords, "title", limits::TITLE_CHARS, &at, faults),
            description: line(keywords, "description", limits::LINE_CHARS, &at, faults),
            is_required: required.contains(&name.as_str()),
            holds,
        });
    }
    Some(FlatSchema { fields, is_closed })
}

fn required<'a>(
    keywords: &'a Map<String, Value>,
    path: &str,
    properties: &Map<String, Value>,
    faults: &mut Faults,
) -> Vec<&'a str> {
    let at = format!("{path}.required");
    let names = match keywords.get("required") {
        None => return Vec::new(),
        Some(Value::Array(names)) => names,
        Some(_) => {
            faults.add(&at, "must be a list of names");
            return Vec::new();
        }
    };
    let mut required = Vec::with_capacity(names.len());
    for (n, name) in names.iter().take(limits::SCHEMA_FIELDS).enumerate() {
        match name.as_str() {
            Some(name) if properties.contains_key(name) => required.push(name),
            _ => faults.add(&format!("{at}[{n}]"), "must be the name of a property"),
        }
    }
    required
}

fn holds(keywords: &Map<String, Value>, path: &str, faults: &mut Faults) -> Option<Holds> {
    let known: &[&str] = match keywords.get("type").and_then(Value::as_str) {
        Some("string") => &["minLength", "maxLength", "enum"],
        Some("number" | "integer") => &["minimum", "maximum"],
        Some("boolean") => &[],
        _ => {
            faults.add(
                &format!("{path}.type"),
                "must be `string`, `number`, `integer` or `boolean`: a schema is flat here",
            );
            return None;
        }
    };
    let everywhere = ["type", "title", "description", "default"];
    let known: Vec<&str> = everywhere.iter().chain(known).copied().collect();
    refuse_unknown(keywords, &known, path, faults);
    let holds = match keywords.get("type").and_then(Value::as_str) {
        Some("boolean") => Holds::Flag,
        Some("string") => match keywords.get("enum") {
            Some(values) => Holds::OneOf(one_of(values, path, faults)?),
            None => {
                let (min, max) = (
                    length(keywords, "minLength", path, faults),
                    length(keywords, "maxLength", path, faults),
                );
                if min.zip(max).is_some_and(|(min, max)| min > max) {
                    faults.add(&format!("{path}.minLength"), "is more than maxLength");
                }
                Holds::Text { min, max }
            }
        },
        kind => {
            let (min, max) = (
                bound(keywords, "minimum", path, faults),
                bound(keywords, "maximum", path, faults),
            );
            let size = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
            if size(&min)
                .zip(size(&max))
                .is_some_and(|(min, max)| min > max)
            {
                faults.add(&format!("{path}.minimum"), "is more than maximum");
            }
            Holds::Number {
                is_whole: kind == Some("integer"),
                min,
                max,
            }
        }
    };
    if let Some(value) = keywords.get("default")
        && let Err(why) = holds.check(value)
    {
        faults.add(&format!("{path}.default"), why);
    }
    Some(holds)
}

fn one_of(values: &Value, path: &str, faults: &mut Faults) -> Option<Vec<String>> {
    let texts = values.as_array().and_then(|values| {
        let texts = values.iter().map(|value| value.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<_>>>()
    });
    let most = limits::SCHEMA_VALUES;
    match texts {
        Some(texts) if (1..=most).contains(&texts.len()) => Some(texts),
        _ => {
            let why = format!("must be a list of 1 to {most} texts");
            faults.add(&format!("{path}.enum"), why);
            None
        }
    }
}

fn length(
    keywords: &Map<String, Value>,
    keyword: &str,
    path: &str,
    faults: &mut Faults,
) -> Option<u64> {
    let value = keywords.get(keyword)?;
    let length = value.as_u64();
    if length.is_none() {
        faults.add(
            &format!("{path}.{keyword}"),
            "must be a whole number, not below 0",
        );
    }
    length
}

fn bound(
    keywords: &Map<String, Value>,
    keyword: &str,
    path: &str,
    faults: &mut Faults,
) -> Option<Number> {
    match keywords.get(keyword)? {
        Value::Number(bound) => Some(bound.clone()),
        _ => {
            faults.add(&format!("{path}.{keyword}"), "must be a number");
            None
        }
    }
}

fn line(
    keywords: &Map<String, Value>,
    keyword: &str,
    max: usize,
    path: &str,
    faults: &mut Faults,
) -> Option<String> {
    match keywords.get(keyword)? {
        Value::String(text) if is_name(text, max) => Some(text.clone()),
        _ => {
            let why = format!("must be one line of at most {max} characters");
            faults.add(&format!("{path}.{keyword}"), why);
            None
        }
    }
}

fn refuse_unknown(keywords: &Map<String, Value>, known: &[&str], path: &str, faults: &mut Faults) {
    let unknown = keywords.keys().filter(|it| !known.contains(&it.as_str()));
    for keyword in unknown.take(limits::SCHEMA_FIELDS) {
        let known = known.join(", ");
        faults.add(
            &format!("{path}.{keyword}"),
            format!("is not understood here, and would not be checked; known are: {known}"),
        );
    }
}
