//! The fields in which an action's arguments are changed: a field a member where the agent sent a flat schema, else its
//! arguments as text.

use std::fmt::Write;

use app::view::Control;
use domain::{
    Interaction,
    interaction::{Ask, FlatSchema, Holds, SchemaField},
    json::AnyJson,
};
use serde_json::{Map, Number, Value};

use super::{answer::Sent, question::Question};
use crate::plain_page::html::Text;

/// The fields, with what stands in them.
pub(super) struct Fields {
    schema: Option<FlatSchema>,
    /// Where changes are taken, if not everywhere.
    paths: Option<Vec<String>>,
    asked: Value,
    /// What stands in the fields.
    now: Value,
    /// The text, where it was typed and is no JSON.
    typed: Option<String>,
}

impl Fields {
    /// Of an interaction that lets its arguments be changed.
    pub(super) fn of(interaction: &Interaction) -> Option<Self> {
        let Ask::Approval { action, .. } = &interaction.request.ask else {
            return None;
        };
        let amendable = interaction.amendable()?;
        let asked = action.arguments.0.clone();
        Some(Self {
            schema: amendable.flat_schema(),
            paths: amendable.paths.clone(),
            now: asked.clone(),
            asked,
            typed: None,
        })
    }

    /// With what was sent, so that nothing typed is lost.
    pub(super) fn with(self, sent: &Sent, read: Option<Value>) -> Self {
        let read = read.or_else(|| self.read(sent).ok().map(|AnyJson(value)| value));
        let typed = match read {
            Some(_) => None,
            None => sent.arguments(),
        };
        Self {
            now: read.unwrap_or_else(|| self.now.clone()),
            typed,
            ..self
        }
    }

    /// The arguments that were sent.
    ///
    /// # Errors
    /// Why they are none, as a sentence.
    pub(super) fn read(&self, sent: &Sent) -> Result<AnyJson, String> {
        if let Some(text) = sent.arguments() {
            return serde_json::from_str(&text)
                .map_err(|error| format!("This is not readable as JSON: {error}."));
        }
        let Some(schema) = &self.schema else {
            return Err("Nothing was sent.".to_owned());
        };
        let mut arguments = self.asked.as_object().cloned().unwrap_or_default();
        for field in &schema.fields {
            let Some(text) = sent.of_field(&field.name) else {
                continue;
            };
            // A text area has no line breaks of its own: what nobody touched is as it was.
            let was = self.asked.get(&field.name).and_then(Value::as_str);
            let text = match was {
                Some(was) if was.replace("\r\n", "\n") == text => was.to_owned(),
                _ => text,
            };
            put(&mut arguments, field, text);
        }
        Ok(AnyJson(Value::Object(arguments)))
    }

    /// As HTML.
    pub(super) fn html(&self) -> String {
        let Some(schema) = self.schema.as_ref().filter(|_| self.typed.is_none()) else {
            return self.as_text();
        };
        let members = self.now.as_object();
        let mut html = String::new();
        for field in &schema.fields {
            let value = members.and_then(|members| members.get(&field.name));
            html.push_str(&one(field, value));
        }
        html
    }

    fn as_text(&self) -> String {
        let text = match &self.typed {
            Some(typed) => typed.clone(),
            None => serde_json::to_string_pretty(&self.now).unwrap_or_default(),
        };
        let only = self.paths.as_ref().map(|paths| {
            format!(
                "<p class=\"hint\">Only what stands at these places, and below them, may be changed: <code>{}</code></p>",
                Text(&paths.join("  "))
            )
        });
        format!(
            "{only}<label>Arguments, as JSON<textarea name=\"arguments\" rows=\"12\" dir=\"ltr\" spellcheck=\"false\" \
             aria-describedby=\"problem\">\n{text}</textarea></label>",
            only = only.unwrap_or_default(),
            text = Text(&text),
        )
    }
}

/// Of the action that was shown.
pub(super) fn digest_of(question: &Question) -> String {
    match &question.control {
        Control::Approve(action) => action.digest.clone(),
        _ => String::new(),
    }
}

/// A field that is left empty and was not there stays away; what is no number is left as it is typed, for the check to say so.
fn put(arguments: &mut Map<String, Value>, field: &SchemaField, text: String) {
    let was_there = arguments.contains_key(&field.name);
    let value = match &field.holds {
        Holds::Flag => match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::Null,
        },
        Holds::Number { .. } => match serde_json::from_str::<Number>(text.trim()) {
            Ok(number) => Value::Number(number),
            Err(_) if text.trim().is_empty() => Value::Null,
            Err(_) => Value::String(text),
        },
        Holds::OneOf(_) if text.is_empty() => Value::Null,
        Holds::Text { .. } if text.is_empty() && !was_there => Value::Null,
        Holds::OneOf(_) | Holds::Text { .. } => Value::String(text),
    };
    match value {
        Value::Null => _ = arguments.shift_remove(&field.name),
        value => _ = arguments.insert(field.name.clone(), value),
    }
}

fn one(field: &SchemaField, value: Option<&Value>) -> String {
    let name = format!("a.{}", field.name);
    let title = field.title.as_deref().unwrap_or(&field.name);
    let more = field.description.as_deref().map(|text| {
        format!(
            "<span class=\"more-said\" dir=\"auto\">{}</span>",
            Text(&visible::line(text))
        )
    });
    let required = if field.is_required { " required" } else { "" };
    let text = match value {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let control = match &field.holds {
        Holds::Flag => {
            let values = ["true", "false"].map(str::to_owned);
            select(&name, &values, &text, field.is_required)
        }
        Holds::OneOf(values) => select(&name, values, &text, field.is_required),
        Holds::Number { is_whole, .. } => format!(
            "<input type=\"text\" inputmode=\"{mode}\" name=\"{name}\" value=\"{text}\"{required}>",
            mode = if *is_whole { "numeric" } else { "decimal" },
            name = Text(&name),
            text = Text(&text),
        ),
        // A line break would be lost in an input.
        Holds::Text { .. } => format!(
            "<textarea name=\"{name}\" rows=\"{rows}\" dir=\"auto\"{required}>\n{text}</textarea>",
            name = Text(&name),
            rows = text.lines().count().clamp(1, 12),
            text = Text(&text),
        ),
    };
    format!(
        "<label><bdi>{title}</bdi>{more}{control}</label>",
        title = Text(&visible::line(title)),
        more = more.unwrap_or_default(),
    )
}

fn select(name: &str, values: &[String], picked: &str, is_required: bool) -> String {
    let mut options = String::new();
    if !is_required {
        options.push_str("<option value=\"\">(none)</option>");
    }
    for value in values {
        let selected = if value == picked { " selected" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(
            options,
            "<option value=\"{value}\"{selected}>{shown}</option>",
            value = Text(value),
            shown = Text(&visible::line(value)),
        );
    }
    format!("<select name=\"{}\">{options}</select>", Text(name))
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use chrono::TimeDelta;
    use domain::interaction::Draft;
    use serde_json::json;

    use super::*;

    fn fields(amendable: Value) -> Fields {
        let draft: Draft = serde_json::from_value(json!({
            "kind": "approval", "prompt": "Deploy?", "amendable": amendable,
            "action": {"tool": "deploy", "arguments": {"replicas": 2, "note": "a\nb", "force": false}},
        }))
        .unwrap();
        let request = draft.check(|_| Some(TimeDelta::hours(1))).unwrap();
        let Ask::Approval {
            action,
            amendable: Some(amendable),
            ..
        } = request.ask
        else {
            panic!("no amendable approval");
        };
        Fields {
            schema: amendable.flat_schema(),
            paths: amendable.paths,
            now: action.arguments.0.clone(),
            asked: action.arguments.0,
            typed: None,
        }
    }

    fn sent(body: &'static str) -> Sent {
        Sent::read(&Bytes::from_static(body.as_bytes()))
    }

    fn schema() -> Value {
        json!({"schema": {"type": "object", "properties": {
            "replicas": {"type": "integer", "title": "How many", "minimum": 1},
            "note": {"type": "string"},
            "tag": {"type": "string"},
            "force": {"type": "boolean"},
        }}})
    }

    #[test]
    fn each_member_is_read_as_what_it_holds() {
        let fields = fields(schema());
        let read = |body| fields.read(&sent(body)).unwrap().0;
        let all = "a.replicas=3&a.note=x%0D%0Ay&a.tag=&a.force=true";
        assert_eq!(
            read(all),
            json!({"replicas": 3, "note": "x\ny", "force": true})
        );
        // What is no number is told so by the check.
        assert_eq!(read("a.replicas=three")["replicas"], json!("three"));
        assert_eq!(read("a.replicas=&a.force="), json!({"note": "a\nb"}));
        assert_eq!(read("a.tag=v1&a.note=")["note"], json!(""));
        assert_eq!(read(""), fields.asked);
    }

    #[test]
    fn a_text_is_read_as_json_or_refused_in_a_sentence() {
        let fields = fields(json!({"paths": ["/replicas"]}));
        assert_eq!(
            fields
                .read(&sent("arguments=%7B%22replicas%22%3A3%7D"))
                .unwrap()
                .0,
            json!({"replicas": 3})
        );
        for body in [
            "",
            "arguments=%7B",
            "arguments=%7B%22a%22%3A1%2C%22a%22%3A2%7D",
        ] {
            assert!(
                fields.read(&sent(body)).unwrap_err().ends_with('.'),
                "{body}"
            );
        }
        let html = fields.html();
        assert!(html.contains("<code>/replicas</code>"), "{html}");
        assert!(html.contains("&quot;replicas&quot;: 2"), "{html}");
    }

    #[test]
    fn what_was_typed_is_there_again() {
        let typed = fields(json!(true)).with(&sent("arguments=%7Bno"), None);
        assert!(typed.html().contains("{no"), "{}", typed.html());
        let html = fields(schema()).html();
        assert!(html.contains("<bdi>How many</bdi>"), "{html}");
        assert!(html.contains("name=\"a.replicas\" value=\"2\""), "{html}");
        assert!(html.contains("<option value=\"false\" selected>"), "{html}");
    }
}
