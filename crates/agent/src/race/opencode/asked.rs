//! What OpenCode asks, in each of its two interfaces: as people are asked it, and where its answer goes.

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use crate::{
    desk::{Desk, Form, Question},
    race::request::{self, Call, Choice, Doing, Permission, Request, field, is_session},
};

/// The ways in which it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Permission,
    NewPermission,
    Question,
    NewQuestion,
}

pub(super) const ALL: [Way; 4] = [
    Way::Permission,
    Way::NewPermission,
    Way::Question,
    Way::NewQuestion,
];

impl Way {
    /// Where it lists what it asks.
    pub(super) fn list(self) -> &'static [&'static str] {
        match self {
            Self::Permission => &["permission"],
            Self::NewPermission => &["api", "permission", "request"],
            Self::Question => &["question"],
            Self::NewQuestion => &["api", "question", "request"],
        }
    }

    /// The way of an event that asks.
    pub(super) fn asking(event: &str) -> Option<Self> {
        Some(match event {
            "permission.asked" => Self::Permission,
            "permission.v2.asked" => Self::NewPermission,
            "question.asked" => Self::Question,
            "question.v2.asked" => Self::NewQuestion,
            _ => return None,
        })
    }

    fn is_new(self) -> bool {
        matches!(self, Self::NewPermission | Self::NewQuestion)
    }
}

/// Whether an event says that something has its answer.
pub(super) fn is_over(event: &str) -> bool {
    [
        "permission.replied",
        "permission.v2.replied",
        "question.replied",
        "question.rejected",
        "question.v2.replied",
        "question.v2.rejected",
    ]
    .contains(&event)
}

/// A request of OpenCode's.
#[derive(Clone)]
pub(super) struct Asked {
    way: Way,
    pub(super) id: String,
    session: String,
    said: Value,
    /// Whether every reader takes it for the same.
    is_clear: bool,
}

/// What is known of the call of a tool that asks.
pub(super) enum Input {
    /// What the tool is given.
    Is(Value),
    Unknown,
    /// It has ended: there is nothing to ask any more.
    Over,
}

/// Ids and times differ each time.
const APART: [&str; 4] = ["id", "sessionID", "tool", "source"];

impl Asked {
    /// `None` for what has no ids by which it could be answered.
    pub(super) fn new(way: Way, said: Value, is_clear: bool) -> Option<Self> {
        let id = |name: &str| said[name].as_str().filter(|it| is_plain(it));
        let (id, session) = (id("id")?.to_owned(), id("sessionID")?.to_owned());
        Some(Self {
            way,
            id,
            session,
            said,
            is_clear,
        })
    }

    /// The call of the tool that asks, if it is one.
    pub(super) fn call(&self) -> Option<Call> {
        request::call(&self.said["sessionID"], &self.tool()["callID"])
    }

    fn tool(&self) -> &Value {
        match self.way {
            Way::NewPermission => &self.said["source"],
            _ => &self.said["tool"],
        }
    }

    /// Where it stands what the tool is given.
    pub(super) fn message(&self) -> Option<Vec<&str>> {
        let message = self.tool()["messageID"].as_str();
        let message = message.filter(|it| is_plain(it))?;
        let before: &[&str] = match self.way.is_new() {
            true => &["api", "session"],
            false => &["session"],
        };
        Some([before, &[&self.session, "message", message]].concat())
    }

    /// What the tool is given, by the message of its call.
    pub(super) fn input(&self, message: &Value) -> Input {
        let (parts, id) = match self.way.is_new() {
            true => (&message["data"]["content"], "id"),
            false => (&message["parts"], "callID"),
        };
        let call = &self.tool()["callID"];
        let mut parts = parts.as_array().into_iter().flatten();
        let part = parts.find(|part| part["type"] == "tool" && part[id] == *call);
        let state = part.map_or(&Value::Null, |part| &part["state"]);
        match state["status"].as_str() {
            Some("completed" | "error") => Input::Over,
            // Before it runs it may not be whole.
            Some("running") if state["input"].is_object() => Input::Is(state["input"].clone()),
            _ => Input::Unknown,
        }
    }

    /// Where its answer goes.
    pub(super) fn reply(&self) -> Vec<&str> {
        let (session, id) = (&*self.session, &*self.id);
        match self.way {
            Way::Permission => vec!["permission", id, "reply"],
            Way::NewPermission => vec!["api", "session", session, "permission", id, "reply"],
            Way::Question => vec!["question", id, "reply"],
            Way::NewQuestion => vec!["api", "session", session, "question", id, "reply"],
        }
    }

    /// What people are asked.
    ///
    /// # Errors
    /// Why they cannot be asked that.
    pub(super) fn request(
        &self,
        desk: &Desk,
        folder: &str,
        input: Option<Value>,
    ) -> anyhow::Result<Request> {
        ensure!(
            self.is_clear,
            "the request of OpenCode can be read in several ways: a key stands twice, or it is too deep"
        );
        match self.way {
            Way::Permission | Way::NewPermission => self.permission(desk, folder, input),
            Way::Question | Way::NewQuestion => self.question(desk),
        }
    }

    fn permission(
        &self,
        desk: &Desk,
        folder: &str,
        input: Option<Value>,
    ) -> anyhow::Result<Request> {
        let (tool, patterns, always) = match self.way.is_new() {
            true => ("action", "resources", "save"),
            false => ("permission", "patterns", "always"),
        };
        let tool = self.said[tool].as_str().filter(|it| !it.trim().is_empty());
        let tool = tool.context("OpenCode does not say what it asks for")?;
        let texts = |name: &str| -> Vec<&str> {
            let all = self.said[name].as_array().into_iter().flatten();
            all.filter_map(Value::as_str).collect()
        };
        let has_metadata = self.said["metadata"]
            .as_object()
            .is_some_and(|it| !it.is_empty());
        let is_named = texts(patterns).iter().any(|it| !["", "*"].contains(it));
        ensure!(
            input.is_some() || has_metadata || is_named,
            "OpenCode does not say what `{tool}` is given"
        );
        let said = self.said.as_object().into_iter().flatten();
        let said = said.filter(|(name, _)| !APART.contains(&&***name));
        let mut call: Map<String, Value> = said.map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Some(input) = input {
            call.insert("input".to_owned(), input);
        }
        let mut options = vec![choice("once", "This time")];
        let lasting = texts(always);
        if !lasting.is_empty() {
            let name = format!("Always: {}", lasting.join(", "));
            options.push(choice("always", &name));
        }
        let doing = Doing {
            tool,
            folder: Some(folder),
            session: Some(&self.session),
            call: ("request", call),
        };
        let permission = Permission::new(desk, doing, options, json!({ "reply": "reject" }))?
            .with_reason("message")
            .under(self.key());
        Ok(Request::Permission(Box::new(permission)))
    }

    fn question(&self, desk: &Desk) -> anyhow::Result<Request> {
        let questions = self.said["questions"].as_array();
        let questions = questions.filter(|all| !all.is_empty());
        let questions = questions.context("OpenCode asks nothing")?;
        let properties = questions.iter().enumerate();
        let properties =
            properties.map(|(at, question)| (format!("q{}", at + 1), one_of(question)));
        let properties: Map<String, Value> = properties.collect();
        let required: Vec<&String> = properties.keys().collect();
        let schema = json!({ "type": "object", "required": required, "properties": properties });
        let question = Question {
            form: Form::read(&schema)?,
            title: "An agent asks for input",
            prompt: format!("The agent `{}` asks.", desk.quoted()),
            session: Some(self.session.clone()).filter(|it| is_session(it)),
            key: Some(self.key()),
        };
        Ok(Request::Question(Box::new(question), answers))
    }

    /// It is the same after a restart of either side.
    fn key(&self) -> String {
        format!("opencode:{}:{}", self.session, self.id)
    }
}

/// A question of the model's, as a field: of several, one or more may be picked.
fn one_of(question: &Value) -> Value {
    let mut property = field(question, false);
    if question["multiple"] == true
        && let Some(labels) = property
            .as_object_mut()
            .and_then(|it| it.shift_remove("enum"))
    {
        property["type"] = "array".into();
        property["items"] = json!({ "type": "string", "enum": labels });
    }
    property
}

fn answers(content: Map<String, Value>) -> Value {
    let answer = |value: Value| match value {
        Value::Array(all) => Value::Array(all),
        one => json!([one]),
    };
    // A form's fields are in the order in which they were asked.
    let answers: Vec<Value> = content
        .into_iter()
        .map(|(_, value)| answer(value))
        .collect();
    json!({ "answers": answers })
}

fn choice(id: &str, name: &str) -> Choice {
    Choice {
        id: id.to_owned(),
        name: name.to_owned(),
        kind: Some(id.to_owned()),
        result: json!({ "reply": id }),
    }
}

/// Whether it is an id that stands in an address as it is.
fn is_plain(id: &str) -> bool {
    let is_of_it = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=MOST).contains(&id.len()) && id.bytes().all(is_of_it)
}

/// Two of them have to fit the name of a run.
const MOST: usize = 50;
