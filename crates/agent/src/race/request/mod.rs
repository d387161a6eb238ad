//! What an agent asks its client, in the words of no protocol: as people are asked it, and what the agent hears then.

#[cfg(test)]
mod tests;

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use crate::desk::{Desk, Form, Question, Wanted, words};

/// A request that people may answer.
pub(crate) enum Request {
    Permission(Box<Permission>),
    /// With what the agent hears of the content of its form.
    Question(Box<Question>, fn(Map<String, Value>) -> Value),
}

/// May the agent do this?
pub(crate) struct Permission {
    pub(super) wanted: Wanted,
    options: Vec<Choice>,
    /// What the agent hears when it is denied.
    pub(super) denial: Value,
    /// Where it hears why.
    reason: Option<&'static str>,
    /// By what the agent says later how it went, if it does.
    pub(super) call: Option<Call>,
}

/// What is done, by its session and its id.
pub(crate) type Call = (String, String);

/// A way to say yes.
pub(crate) struct Choice {
    /// By what people pick it.
    pub(super) id: String,
    /// What they read.
    pub(super) name: String,
    /// How far it goes, in the agent's words.
    pub(super) kind: Option<String>,
    /// What the agent hears.
    pub(super) result: Value,
}

/// What an agent wants to do.
pub(super) struct Doing<'a> {
    /// The agent's name for it.
    pub(super) tool: &'a str,
    /// Where, if that is known.
    pub(super) folder: Option<&'a str>,
    pub(super) session: Option<&'a str>,
    /// All that is known of it, by one name.
    pub(super) call: (&'static str, Map<String, Value>),
}

/// The argument that says which option a yes picks.
const OPTION: &str = "option";
/// A description of a field has so many characters at most.
const DESCRIPTION_CHARS: usize = 300;

impl Permission {
    /// Of what is done, with the options that allow it: the first is picked unless people pick another.
    ///
    /// # Errors
    /// When people cannot be asked that.
    pub(super) fn new(
        desk: &Desk,
        doing: Doing<'_>,
        options: Vec<Choice>,
        denial: Value,
    ) -> anyhow::Result<Self> {
        let first = options.first().context("no option of it allows it")?;
        let ids: Vec<&str> = options.iter().map(|it| &*it.id).collect();
        let is_twice = |(at, id): (usize, &&str)| ids.iter().take(at).any(|other| other == id);
        ensure!(
            !ids.iter().enumerate().any(is_twice),
            "two of its options have one id"
        );
        let listed = options.iter().map(|it| match &it.kind {
            Some(kind) => json!({ "id": it.id, "name": it.name, "kind": kind }),
            None => json!({ "id": it.id, "name": it.name }),
        });
        let mut arguments = Map::new();
        match (doing.folder, doing.session) {
            (Some(folder), _) => arguments.insert("cwd".to_owned(), folder.into()),
            // The same elsewhere is not the same.
            (None, Some(session)) => arguments.insert("session".to_owned(), session.into()),
            (None, None) => None,
        };
        let (name, call) = doing.call;
        arguments.insert(name.to_owned(), call.into());
        arguments.insert(OPTION.to_owned(), first.id.as_str().into());
        arguments.insert("options".to_owned(), listed.collect());

        let tool = format!("{}/{}", desk.name, doing.tool);
        let place = doing.folder.map_or_else(String::new, |folder| {
            format!(" in `{}`", folder.replace('`', "'"))
        });
        let mut prompt = format!("May `{}` be done{place}?", tool.replace('`', "'"));
        let several = options.len() > 1;
        if several {
            prompt += " A yes picks the option that stands at `option`; another one can be put there first.";
        }
        let takes = takes(&arguments, &ids);
        let wanted = Wanted::new(
            tool,
            arguments.into(),
            ("An agent asks before it goes on", &prompt),
        )?;
        let wanted = wanted.in_session(doing.session.filter(|it| is_session(it)));
        Ok(Self {
            wanted: match several {
                true => wanted.amendable(amendable(&options), takes),
                false => wanted,
            },
            options,
            denial,
            reason: None,
            call: None,
        })
    }

    /// The agent says later how it went, by this.
    pub(super) fn of_call(mut self, session: &Value, id: &Value) -> Self {
        self.call = call(session, id);
        self
    }

    /// It is the same request whenever it is asked under this key.
    pub(super) fn under(mut self, key: String) -> Self {
        self.wanted = self.wanted.under(key);
        self
    }

    /// A denial says why, by this name.
    pub(super) fn with_reason(mut self, name: &'static str) -> Self {
        self.reason = Some(name);
        self
    }

    /// What the agent hears when it was denied with these words.
    pub(super) fn denied(&self, why: &anyhow::Error) -> Value {
        let mut denial = self.denial.clone();
        if let Some(name) = self.reason {
            denial[name] = words(why).into();
        }
        denial
    }

    /// What the agent hears when these arguments were approved.
    ///
    /// # Errors
    /// When they pick no option.
    pub(super) fn result(&self, arguments: &Value) -> anyhow::Result<Value> {
        let picked = self.options.iter().find(|it| arguments[OPTION] == *it.id);
        let picked = picked.context("an option was approved that the agent does not offer")?;
        Ok(picked.result.clone())
    }
}

/// A form that an agent, or a server behind it, has filled in.
pub(super) fn elicitation(
    desk: &Desk,
    form: Form,
    session: Option<&str>,
    (who, params): (&str, &Value),
) -> anyhow::Result<Request> {
    if form.has_fields() {
        let asked = params["message"].as_str().unwrap_or_default();
        let question = Question {
            form,
            title: "An agent asks for input",
            prompt: format!("{who} asks: {asked}"),
            session: session.filter(|it| is_session(it)).map(str::to_owned),
            key: None,
        };
        return Ok(Request::Question(Box::new(question), accepted));
    }
    // Its acceptance may be all that something waits for, so it has to be proven.
    let mut call = params.as_object().cloned().unwrap_or_default();
    for id in ["sessionId", "requestId", "toolCallId", "threadId", "turnId"] {
        call.shift_remove(id);
    }
    let accept = Choice {
        id: "accept".to_owned(),
        name: "Accept".to_owned(),
        kind: None,
        result: accepted(Map::new()),
    };
    let doing = Doing {
        tool: "elicitation",
        folder: None,
        session,
        call: ("elicitation", call),
    };
    let permission = Permission::new(desk, doing, vec![accept], json!({ "action": "decline" }))?;
    Ok(Request::Permission(Box::new(permission)))
}

/// A question of a model's, as a field. Where it is open something else may be said than its options.
pub(super) fn field(question: &Value, is_open: bool) -> Value {
    let text = |name: &str| question[name].as_str().unwrap_or_default();
    let none = Vec::new();
    let options = question["options"].as_array().unwrap_or(&none);
    let mut about = text("question").to_owned();
    for option in options {
        let part = |name: &str| option[name].as_str().unwrap_or_default();
        about += &format!("\n- {}: {}", part("label"), part("description"));
    }
    let mut field = json!({ "type": "string", "title": text("header"), "description": about });
    if !options.is_empty() && !is_open {
        field["enum"] = options
            .iter()
            .map(|option| option["label"].clone())
            .collect();
    }
    field
}

fn accepted(content: Map<String, Value>) -> Value {
    json!({ "action": "accept", "content": content })
}

/// Names what is done.
pub(super) fn call(session: &Value, id: &Value) -> Option<Call> {
    Some((session.as_str()?.to_owned(), id.as_str()?.to_owned()))
}

/// What people may change, for the form that they fill in.
fn amendable(options: &[Choice]) -> Value {
    let ids: Vec<&str> = options.iter().map(|it| &*it.id).collect();
    let mut field = json!({ "type": "string", "title": "Option", "enum": ids });
    let names: Vec<_> = options
        .iter()
        .map(|it| format!("{}: {}", it.id, it.name))
        .collect();
    let names = names.join(" · ");
    if names.chars().count() <= DESCRIPTION_CHARS && !names.chars().any(char::is_control) {
        field["description"] = names.into();
    }
    let properties = json!({ OPTION: field });
    json!({
        "paths": [format!("/{OPTION}")],
        "schema": { "type": "object", "properties": properties, "required": [OPTION] },
    })
}

/// The same, as it is looked at before the agent hears of it: all else is as it was asked.
fn takes(arguments: &Map<String, Value>, ids: &[&str]) -> Value {
    let fixed = arguments.iter().map(|(name, value)| {
        let schema = match &**name {
            OPTION => json!({ "enum": ids }),
            _ => json!({ "const": value }),
        };
        (name.clone(), schema)
    });
    let properties: Map<String, Value> = fixed.collect();
    let required: Vec<&String> = arguments.keys().collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

/// Whether it can name a session here.
pub(super) fn is_session(id: &str) -> bool {
    let chars = id.chars().count();
    (1..=domain::limits::SESSION_ID_CHARS).contains(&chars)
        && id.trim() == id
        && !id.chars().any(char::is_control)
}
