//! Calls: what each takes and how it can answer.

use serde_json::Value;

use super::schemas::{about, words};
use crate::plain_page::html::{Prose, Text};

/// The calls under a tag, as (method, path, operation).
fn under<'a>(document: &'a Value, tag: &str) -> Vec<(&'a str, &'a str, &'a Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            if operation["tags"][0] == tag {
                found.push((method.as_str(), path.as_str(), operation));
            }
        }
    }
    found
}

fn tags(document: &Value) -> impl Iterator<Item = (&str, &str)> {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.filter_map(|tag| Some((tag["name"].as_str()?, tag["description"].as_str()?)))
}

fn text<'a>(thing: &'a Value, name: &str) -> &'a str {
    thing[name].as_str().unwrap_or_default()
}

/// The table of contents.
pub(super) fn contents(document: &Value, out: &mut String) {
    out.push_str("<nav class=\"contents\" aria-label=\"Calls\"><ul>");
    for (tag, _) in tags(document) {
        for (method, path, operation) in under(document, tag) {
            *out += &format!(
                "<li><a href=\"#{id}\"><b>{method}</b> <code>{path}</code></a></li>",
                id = Text(text(operation, "operationId")),
                method = Text(&method.to_uppercase()),
                path = Text(path),
            );
        }
    }
    out.push_str("<li><a href=\"#schemas\">Schemas</a></li></ul></nav>");
}

/// Every call.
pub(super) fn all(document: &Value, out: &mut String) {
    for (tag, meaning) in tags(document) {
        let mut title = tag.to_owned();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        *out += &format!(
            "<section><h2>{}</h2><p>{}</p>",
            Text(&title),
            Prose(meaning)
        );
        for (method, path, operation) in under(document, tag) {
            call(document, method, path, operation, out);
        }
        out.push_str("</section>");
    }
}

fn call(document: &Value, method: &str, path: &str, operation: &Value, out: &mut String) {
    *out += &format!(
        "<details class=\"call\"><summary><b>{method}</b> <code>{path}</code> <span>{summary}</span></summary>\
         <div class=\"call-body\" id=\"{id}\">",
        method = Text(&method.to_uppercase()),
        path = Text(path),
        summary = Prose(text(operation, "summary")),
        id = Text(text(operation, "operationId")),
    );
    about(operation, out);
    who(operation, out);
    parameters(operation, out);
    let body = &operation["requestBody"]["content"];
    if body.is_object() {
        out.push_str("<h3>Body</h3>");
        content(document, body, out);
    }
    out.push_str("<h3>Answers</h3><dl class=\"api-fields\">");
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        *out += &format!("<div><dt><code>{}</code></dt><dd>", Text(status));
        answer(document, resolved(document, response), out);
        out.push_str("</dd></div>");
    }
    out.push_str("</dl></div></details>");
}

fn who(operation: &Value, out: &mut String) {
    let schemes = operation["security"].as_array().into_iter().flatten();
    let schemes: Vec<&str> = schemes
        .filter_map(|scheme| Some(scheme.as_object()?.keys().next()?.as_str()))
        .collect();
    *out += &match &schemes[..] {
        [] => "<p>No token is needed.</p>".to_owned(),
        several => format!("<p>With the token of: {}.</p>", Text(&several.join(" or "))),
    };
}

fn parameters(operation: &Value, out: &mut String) {
    let Some(parameters) = operation["parameters"].as_array() else {
        return;
    };
    out.push_str("<h3>Parameters</h3><dl class=\"api-fields\">");
    for parameter in parameters {
        let need = if parameter["required"] == true {
            ", required"
        } else {
            ""
        };
        *out += &format!(
            "<div><dt><code>{}</code> <span>{}{need}</span></dt><dd>{}",
            Text(text(parameter, "name")),
            Text(text(parameter, "in")),
            words(&parameter["schema"]),
        );
        about(parameter, out);
        out.push_str("</dd></div>");
    }
    out.push_str("</dl>");
}

fn answer(document: &Value, response: &Value, out: &mut String) {
    about(response, out);
    let headers = response["headers"].as_object().into_iter().flatten();
    // The one that every answer has says nothing of this one.
    for (name, header) in headers.filter(|(name, _)| *name != "X-Request-Id") {
        let meaning = Prose(text(header, "description"));
        *out += &format!("<p>Header <code>{}</code>: {meaning}</p>", Text(name));
    }
    content(document, &response["content"], out);
}

fn content(document: &Value, content: &Value, out: &mut String) {
    for (media_type, content) in content.as_object().into_iter().flatten() {
        *out += &format!(
            "<p>{} <span>{}</span></p>",
            words(&content["schema"]),
            Text(media_type)
        );
        for (name, example) in content["examples"].as_object().into_iter().flatten() {
            let value = &resolved(document, example)["value"];
            let json = serde_json::to_string_pretty(value).unwrap_or_default();
            *out += &format!(
                "<details><summary>Example: <code>{}</code></summary><pre tabindex=\"0\">{}</pre></details>",
                Text(name),
                Text(&json),
            );
        }
    }
}

/// What a reference leads to.
fn resolved<'a>(document: &'a Value, thing: &'a Value) -> &'a Value {
    let place = thing["$ref"]
        .as_str()
        .and_then(|place| place.strip_prefix('#'));
    let found = place.and_then(|place| document.pointer(place));
    found.unwrap_or(thing)
}
