//! What Codex asks to know: questions of the model's, and forms of MCP servers behind it.

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use crate::{
    desk::{Desk, Form, Question},
    race::{
        message::Said,
        request::{Request, elicitation, field, is_session},
    },
};

/// The questions by which Codex asks whether a tool of an MCP server may run begin so: an answer without a receipt would let it.
const APPROVES: &str = "mcp_tool_call_approval";

/// Questions of the model's.
pub(super) fn of_tool(params: &Value, desk: &Desk) -> anyhow::Result<Request> {
    let questions = params["questions"].as_array();
    let questions = questions.filter(|all| !all.is_empty());
    let questions = questions.context("Codex asks nothing")?;
    let mut properties = Map::new();
    for question in questions {
        let id = question["id"].as_str();
        let id = id.context("a question of Codex has no id")?;
        ensure!(
            question["isSecret"] != true,
            "the answer to a question of Codex is secret"
        );
        ensure!(
            !id.starts_with(APPROVES),
            "an answer to a question of Codex would let a tool run"
        );
        let before = properties.insert(id.to_owned(), field(question, question["isOther"] == true));
        ensure!(before.is_none(), "two questions of Codex have one id");
    }
    let required: Vec<&String> = properties.keys().collect();
    let schema = json!({ "type": "object", "required": required, "properties": properties });
    let session = params["threadId"].as_str().filter(|it| is_session(it));
    let question = Question {
        form: Form::read(&schema)?,
        title: "An agent asks for input",
        prompt: format!("The agent `{}` asks.", desk.quoted()),
        session: session.map(str::to_owned),
        key: None,
    };
    Ok(Request::Question(Box::new(question), answers))
}

fn answers(content: Map<String, Value>) -> Value {
    let answer = |(id, value): (String, Value)| (id, json!({ "answers": [value] }));
    json!({ "answers": content.into_iter().map(answer).collect::<Map<_, _>>() })
}

/// A form of an MCP server's.
pub(super) fn of_server(said: &Said, desk: &Desk) -> anyhow::Result<Request> {
    ensure!(
        said.is_clear,
        "the request of Codex can be read in several ways: a key stands twice, or it is too deep"
    );
    let params = said.params();
    let form = Form::read(&params["requestedSchema"])?;
    ensure!(
        !form.has_fields() || params["_meta"].get("codex_approval_kind").is_none(),
        "an answer to a form of Codex would let a tool run"
    );
    let server = params["serverName"].as_str().unwrap_or_default();
    let server = server.replace('`', "'");
    let who = format!("The MCP server `{server}` of the agent `{}`", desk.quoted());
    elicitation(desk, form, params["threadId"].as_str(), (&who, params))
}
