//! What an agent asks: the draft that comes in, and the request that passed every check.

use chrono::TimeDelta;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::answer::{AnswerContent, AnswerDraft};
use crate::{
    fault::{Fault, Faults, is_blank},
    json::AnyJson,
    limits,
};

/// What kind of answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Free text.
    Question,
}

impl Kind {
    /// Every kind this program knows.
    pub const ALL: [Self; 1] = [Self::Question];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
        }
    }
}

/// Whether the agent has stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It has stopped until it is answered.
    #[default]
    Sync,
    /// It goes on meanwhile.
    Async,
}

impl Mode {
    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Async => "async",
        }
    }
}

/// How much it presses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// As it comes.
    #[default]
    Normal,
    /// Before the others of its mode.
    Urgent,
}

/// The piece of work an interaction belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRef {
    /// The agent's own id for it.
    pub id: String,
    /// What it is called.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Where in it the agent is.
    pub step: Option<String>,
}

/// A request that passed every check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// What kind of answer is asked for.
    pub kind: Kind,
    /// Whether the agent has stopped.
    pub mode: Mode,
    /// A few words above the prompt.
    pub title: Option<String>,
    /// The question, in markdown. Written by a program: treat it as hostile.
    pub prompt: String,
    /// The agent's own context.
    pub session_id: Option<String>,
    /// The piece of work.
    pub task: Option<TaskRef>,
    /// How much it presses.
    pub priority: Priority,
    /// The answer to go on with after the deadline (rule 5).
    pub fallback: Option<AnswerContent>,
    /// Anything the agent wants back.
    pub metadata: Option<AnyJson>,
    /// Time from asking to the deadline in seconds; `None` = never.
    pub timeout_seconds: Option<i64>,
}

/// A request as it comes in: readable, not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Draft {
    /// Required; one of [`Kind::ALL`].
    pub kind: Option<String>,
    /// `sync` when absent.
    pub mode: Option<Mode>,
    /// See [`Request::title`].
    pub title: Option<String>,
    /// Required.
    pub prompt: Option<String>,
    /// See [`Request::session_id`].
    pub session_id: Option<String>,
    /// See [`Request::task`].
    pub task: Option<TaskRef>,
    /// `normal` when absent.
    pub priority: Option<Priority>,
    /// Absent = the default of the kind; `null` = never.
    #[serde(deserialize_with = "present")]
    pub timeout_seconds: Option<Option<i64>>,
    /// For a question: a string.
    pub fallback: Option<AnyJson>,
    /// An object.
    pub metadata: Option<AnyJson>,
}

/// Tells `null` from absent: called only when the field is there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<i64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl Draft {
    /// Checks the draft. `default_timeout` is the configured deadline of the kind; `None` = never.
    ///
    /// # Errors
    /// Every field that is wrong, with its path.
    pub fn check(
        self,
        default_timeout: impl FnOnce(Kind) -> Option<TimeDelta>,
    ) -> Result<Request, Vec<Fault>> {
        let mut faults = Faults::default();
        let kind = kind(&mut faults, self.kind);
        let prompt = prompt(&mut faults, self.prompt);
        let title = faults.line("title", self.title, limits::TITLE_CHARS);
        let session_id = faults.line("session_id", self.session_id, limits::SESSION_ID_CHARS);
        let task = self.task.map(|task| task.check(&mut faults));
        let metadata = self.metadata;
        if let Some(AnyJson(value)) = &metadata {
            check_metadata(&mut faults, value);
        }
        if let Some(Some(seconds)) = self.timeout_seconds
            && !(1..=limits::TIMEOUT_SECONDS).contains(&seconds)
        {
            faults.add(
                "timeout_seconds",
                format!(
                    "must be from 1 to {} (400 days), or null for never",
                    limits::TIMEOUT_SECONDS
                ),
            );
        }
        let fallback = match (kind, self.fallback) {
            (Some(kind), Some(AnyJson(value))) => fallback(&mut faults, kind, value),
            _ => None,
        };
        // Both are `Some` unless a fault says why not.
        let (Some(kind), Some(prompt)) = (kind, prompt) else {
            return Err(faults.into_result(()).err().unwrap_or_default());
        };
        let timeout_seconds = match self.timeout_seconds {
            Some(asked) => asked,
            None => default_timeout(kind).map(|timeout| timeout.num_seconds()),
        };
        faults.into_result(Request {
            kind,
            mode: self.mode.unwrap_or_default(),
            title,
            prompt,
            session_id,
            task,
            priority: self.priority.unwrap_or_default(),
            fallback,
            metadata,
            timeout_seconds,
        })
    }
}

impl Request {
    /// Tells this request from others: SHA-256 over its JSON, the same however the body was spaced.
    pub fn fingerprint(&self) -> [u8; 32] {
        // Strings, numbers and string keys always have a JSON form.
        let json = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(json).into()
    }
}

impl TaskRef {
    fn check(self, faults: &mut Faults) -> Self {
        if let Some(description) = &self.description {
            faults.length("task.description", description, limits::DESCRIPTION_CHARS);
        }
        Self {
            id: faults
                .line("task.id", Some(self.id), limits::SESSION_ID_CHARS)
                .unwrap_or_default(),
            title: faults.line("task.title", self.title, limits::TITLE_CHARS),
            description: self.description,
            step: faults.line("task.step", self.step, limits::LINE_CHARS),
        }
    }
}

fn kind(faults: &mut Faults, name: Option<String>) -> Option<Kind> {
    let Some(name) = name else {
        faults.add("kind", "is required");
        return None;
    };
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    if kind.is_none() {
        let known = Kind::ALL.map(Kind::name).join(", ");
        faults.add("kind", format!("unknown kind, expected one of: {known}"));
    }
    kind
}

fn prompt(faults: &mut Faults, prompt: Option<String>) -> Option<String> {
    let Some(prompt) = prompt else {
        faults.add("prompt", "is required");
        return None;
    };
    if is_blank(&prompt) {
        faults.add("prompt", "must not be empty");
    }
    faults.length("prompt", &prompt, limits::TEXT_CHARS);
    Some(prompt)
}

fn check_metadata(faults: &mut Faults, value: &Value) {
    if !value.is_object() {
        faults.add("metadata", "must be an object");
    }
    let bytes = value.to_string().len();
    if bytes > limits::METADATA_BYTES {
        faults.add(
            "metadata",
            format!(
                "has {bytes} bytes, at most {} are allowed",
                limits::METADATA_BYTES
            ),
        );
    }
}

fn fallback(faults: &mut Faults, kind: Kind, value: Value) -> Option<AnswerContent> {
    let draft = match kind {
        Kind::Question => {
            let Value::String(text) = value else {
                faults.add("fallback", "must be a string");
                return None;
            };
            AnswerDraft { text: Some(text) }
        }
    };
    match draft.check(kind) {
        Ok(content) => Some(content),
        Err(found) => {
            for fault in found {
                faults.add("fallback", fault.message);
            }
            None
        }
    }
}
