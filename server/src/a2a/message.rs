//! A message of A2A as a question: the text is its prompt, and a data part says the rest, by the API's names.

use domain::{
    Fault, digest,
    interaction::{Draft, Kind},
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};

use super::rpc::Failure;
use crate::problem::Problem;

#[derive(Deserialize)]
pub(crate) struct Sent {
    message: Message,
    #[serde(default)]
    configuration: Configuration,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    task_push_notification_config: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    message_id: String,
    #[serde(default)]
    context_id: String,
    #[serde(default)]
    task_id: String,
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    data: Option<Value>,
    raw: Option<IgnoredAny>,
    url: Option<IgnoredAny>,
}

/// A message, as a question.
pub(crate) struct Question {
    pub(crate) draft: Draft,
    /// Under it the same message asks the same again.
    pub(crate) key: String,
    pub(crate) places: Places,
}

/// Where in the message the fields of its question stand.
pub(crate) struct Places {
    /// The part with the data.
    data: Option<usize>,
    has_context: bool,
    has_text: bool,
}

impl Places {
    /// Where a field of the question stands.
    pub(crate) fn of(&self, field: &str) -> String {
        match (field, self.data) {
            ("session_id", _) if self.has_context => "params.message.contextId".to_owned(),
            ("prompt", _) if self.has_text => "params.message.parts".to_owned(),
            (_, None) | ("$", _) => "params.message.parts".to_owned(),
            (field, Some(place)) => format!("params.message.parts[{place}].data.{field}"),
        }
    }
}

/// The question of a message.
pub(crate) fn question(sent: Sent) -> Result<Question, Failure> {
    let Sent {
        message,
        configuration,
    } = sent;
    if configuration.task_push_notification_config.is_some() {
        return Err(Failure::no_push());
    }
    if !message.task_id.is_empty() {
        return Err(Failure::unsupported(
            "people answer this task, and it takes no more messages: cancel it and ask anew",
        ));
    }
    if message.message_id.is_empty() {
        return Err(wrong("params.message.messageId", "is empty"));
    }
    let mut texts = Vec::new();
    let mut data: Option<(usize, Map<String, Value>)> = None;
    for (place, part) in message.parts.into_iter().enumerate() {
        match part {
            Part { raw: Some(_), .. } | Part { url: Some(_), .. } => return Err(no_file()),
            // Either one alone would ask for something else than was meant.
            Part {
                text: Some(_),
                data: Some(_),
                ..
            } => {
                let path = format!("params.message.parts[{place}]");
                return Err(wrong(&path, "is a text and data at once: send two parts"));
            }
            Part {
                text: Some(text), ..
            } => texts.push(text),
            Part {
                data: Some(Value::Object(fields)),
                ..
            } if data.is_none() => data = Some((place, fields)),
            Part { data: Some(_), .. } => {
                let path = format!("params.message.parts[{place}].data");
                return Err(wrong(&path, "is no object, or the second one"));
            }
            Part { .. } => return Err(no_file()),
        }
    }
    let places = Places {
        data: data.as_ref().map(|(place, _)| *place),
        has_context: !message.context_id.is_empty(),
        has_text: !texts.is_empty(),
    };
    let (place, mut fields) = data.unwrap_or_default();
    let path = format!("params.message.parts[{place}].data");
    if !texts.is_empty() {
        let text = Value::String(texts.join("\n\n"));
        if fields.insert("prompt".to_owned(), text).is_some() {
            return Err(wrong(
                &format!("{path}.prompt"),
                "stands beside a text, which is the prompt",
            ));
        }
    }
    if !message.context_id.is_empty() {
        let context = Value::String(message.context_id);
        if fields.insert("session_id".to_owned(), context).is_some() {
            return Err(wrong(
                &format!("{path}.session_id"),
                "stands beside a contextId, which is the same",
            ));
        }
    }
    let draft: Draft =
        serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
            let field = error.path().to_string();
            wrong(&format!("{path}.{field}"), &error.into_inner().to_string())
        })?;
    let kind = draft
        .kind
        .unwrap_or_else(|| Kind::Question.name().to_owned());
    let key = format!("a2a {}", digest::sha256(message.message_id.as_bytes()));
    let draft = Draft {
        kind: Some(kind),
        ..draft
    };
    Ok(Question { draft, key, places })
}

fn no_file() -> Failure {
    Failure::content_type(
        "a part is a text or data: send files by POST /api/v1/attachments, and name their ids in `attachments` of the data",
    )
}

fn wrong(path: &str, message: &str) -> Failure {
    Problem::invalid(vec![Fault::new(path, message)]).into()
}
