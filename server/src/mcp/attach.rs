//! Files that a model writes out with its question: texts and differences. What is on a disk the command line sends.

use domain::{Fault, Refused, attachment::Format, interaction::Draft, limits};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};
use service::ServiceError;

use super::{
    arguments::{self, wrong},
    server::McpServer,
};
use crate::{auth::agent::Caller, problem::Problem};

/// The name of the argument.
const ATTACHMENTS: &str = "attachments";

/// A file, as a model writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    name: String,
    text: String,
    #[serde(default)]
    diff: bool,
}

/// What a model is told of it.
pub(super) fn schema() -> Value {
    json!({
        "type": ["array", "null"], "maxItems": limits::ATTACHMENTS,
        "description": "Texts that people are shown beside the prompt, such as a log or a diff. With an approval or a plan \
                        they are part of what is decided.",
        "items": {
            "type": "object",
            "properties": {
                "name": { "type": "string", "maxLength": limits::ATTACHMENT_NAME_CHARS, "description": "A file name, no path." },
                "text": { "type": "string" },
                "diff": { "type": "boolean", "description": "Whether it is a diff, as `diff -u` and git write it." },
            },
            "required": ["name", "text"],
            "additionalProperties": false,
        },
    })
}

/// Takes the files out of the arguments.
pub(super) fn take(call: &mut JsonObject) -> Result<Vec<Written>, Problem> {
    let written = match call.remove(ATTACHMENTS) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(written) => written,
    };
    let count = written.as_array().map(Vec::len);
    match count {
        None => Err(wrong(ATTACHMENTS, "must be an array")),
        Some(count) if count > limits::ATTACHMENTS => {
            let most = limits::ATTACHMENTS;
            let why = format!("has {count} attachments, at most {most} are allowed");
            Err(wrong(ATTACHMENTS, &why))
        }
        Some(_) => {
            #[derive(Deserialize)]
            struct Files {
                attachments: Vec<Written>,
            }
            let mut alone = JsonObject::new();
            alone.insert(ATTACHMENTS.to_owned(), written);
            let Files { attachments } = arguments::read(alone)?;
            Ok(attachments)
        }
    }
}

impl McpServer {
    /// The request with these files, which are sent first.
    pub(super) async fn with_files(
        &self,
        caller: &Caller,
        written: Vec<Written>,
        draft: Draft,
    ) -> Result<Draft, Problem> {
        if written.is_empty() {
            return Ok(draft);
        }
        let by = caller.principal();
        let service = &self.state.service;
        let mut ids = Vec::with_capacity(written.len());
        for (n, file) in written.into_iter().enumerate() {
            let place = service.place_for_file(&by)?;
            let format = match file.diff {
                true => Format::Diff,
                false => Format::Text,
            };
            let (name, text) = (file.name, file.text.into_bytes());
            let sent = service
                .send_file(place, &by, Some(&name), Some(format.name()), text)
                .await;
            let sent = sent.map_err(|error| at(n, error))?;
            ids.push(sent.id.to_string());
        }
        Ok(Draft {
            attachments: Some(ids),
            ..draft
        })
    }
}

/// The fault of one of several files.
fn at(n: usize, error: ServiceError) -> Problem {
    match error {
        ServiceError::Refused(Refused::Invalid(faults)) => {
            let faults = faults.into_iter().map(|fault| {
                let field = match &*fault.path {
                    "name" => "name",
                    _ => "text",
                };
                Fault::new(format!("{ATTACHMENTS}[{n}].{field}"), fault.message)
            });
            Problem::invalid(faults.collect())
        }
        error => error.into(),
    }
}
