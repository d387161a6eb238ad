//! Schemas: what a value may be, in words, and the fields of objects.

use serde_json::Value;

use crate::plain_page::html::{Prose, Text};

/// Every schema that has a name.
pub(super) fn all(document: &Value, out: &mut String) {
    out.push_str("<section><h2 id=\"schemas\">Schemas</h2>");
    let named = document["components"]["schemas"].as_object();
    for (name, schema) in named.into_iter().flatten() {
        let name = Text(name);
        *out += &format!(
            "<details class=\"call\"><summary><code>{name}</code></summary><div class=\"call-body\" id=\"schema-{name}\">"
        );
        about(schema, out);
        shape(schema, out);
        out.push_str("</div></details>");
    }
    out.push_str("</section>");
}

/// The description, if there is one.
pub(super) fn about(thing: &Value, out: &mut String) {
    if let Some(text) = thing["description"].as_str() {
        *out += &format!("<p>{}</p>", Prose(text));
    }
}

/// A schema with all that is in it.
pub(super) fn shape(schema: &Value, out: &mut String) {
    for (word, words) in [
        ("oneOf", "One of:"),
        ("anyOf", "Any of:"),
        ("allOf", "All of:"),
    ] {
        let Some(variants) = schema[word].as_array() else {
            continue;
        };
        *out += &format!("<p>{words}</p><ul class=\"variants\">");
        for variant in variants {
            out.push_str("<li>");
            if let Some(title) = variant["title"].as_str() {
                *out += &format!("<p>{}</p>", Text(title));
            }
            shape(variant, out);
            out.push_str("</li>");
        }
        out.push_str("</ul>");
        return;
    }
    let Some(fields) = schema["properties"].as_object() else {
        *out += &format!("<p>{}</p>", words(schema));
        return;
    };
    let required: Vec<&str> = texts(&schema["required"]).collect();
    out.push_str("<dl class=\"api-fields\">");
    let (others, own): (Vec<_>, Vec<_>) = fields
        .iter()
        .partition(|(_, field)| field["type"] == "null");
    for (name, field) in own {
        let always = required.contains(&name.as_str());
        let need = if always { " <span>required</span>" } else { "" };
        *out += &format!(
            "<div><dt><code>{}</code>{need}</dt><dd>{}",
            Text(name),
            words(field)
        );
        about(field, out);
        if field["properties"].is_object() {
            shape(field, out);
        }
        out.push_str("</dd></div>");
    }
    out.push_str("</dl>");
    if schema["additionalProperties"] == false {
        out.push_str(match others.is_empty() {
            true => "<p>Other fields are refused.</p>",
            false => "<p>Other fields are refused; those of its siblings may be there as null.</p>",
        });
    }
}

/// What a value may be, in a few words of HTML.
pub(super) fn words(schema: &Value) -> String {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|place| place.rsplit('/').next())
    {
        let name = Text(name);
        return format!("<a href=\"#schema-{name}\">{name}</a>");
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        if let Some(variants) = schema[word].as_array() {
            let variants: Vec<String> = variants.iter().map(words).collect();
            return variants.join(if word == "allOf" { " and " } else { " or " });
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| match value.as_str() {
                Some(text) => format!("<code>{}</code>", Text(text)),
                None => Text(&value.to_string()).to_string(),
            })
            .collect();
        return values.join(" or ");
    }
    let kinds = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        several => texts(several).collect(),
    };
    let words: Vec<String> = kinds
        .into_iter()
        .map(|kind| one_kind(kind, schema))
        .collect();
    match words.is_empty() {
        true => "any JSON".to_owned(),
        false => words.join(" or "),
    }
}

fn one_kind(kind: &str, schema: &Value) -> String {
    match kind {
        "string" => {
            let kind = schema["format"].as_str().unwrap_or("text");
            format!(
                "{kind}{}",
                between(schema, "minLength", "maxLength", "characters")
            )
        }
        "integer" | "number" => format!("{kind}{}", between(schema, "minimum", "maximum", "")),
        "array" => format!(
            "list of {}{}",
            words(&schema["items"]),
            between(schema, "minItems", "maxItems", "items")
        ),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object of {}", words(&schema["additionalProperties"]))
        }
        other => Text(other).to_string(),
    }
}

fn between(schema: &Value, least: &str, most: &str, unit: &str) -> String {
    let text = match (schema.get(least), schema.get(most)) {
        (None, None) => return String::new(),
        (Some(least), None) => format!(", at least {least} {unit}"),
        (None, Some(most)) => format!(", at most {most} {unit}"),
        (Some(least), Some(most)) => format!(", {least} to {most} {unit}"),
    };
    text.trim_end().to_owned()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
