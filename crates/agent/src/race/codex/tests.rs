//! What Codex asks, and what people are asked for it. Messages are held against the schemas that Codex publishes.

use serde_json::{Map, Value, json};

use super::*;
use crate::{client::Client, race::request::Request};

fn desk() -> Desk {
    Desk {
        client: Client::new("http://127.0.0.1:1", None, |_| ()).unwrap(),
        seconds: 60,
        session: None,
        name: "codex".to_owned(),
        runs_as: "codex",
    }
}

/// Of a method: its schemas, and the message.
fn schemas(method: &str) -> Value {
    let text = match method {
        "item/commandExecution/requestApproval" => {
            include_str!("../../../../../dev/fixtures/codex/CommandExecutionRequestApproval.json")
        }
        "item/fileChange/requestApproval" => {
            include_str!("../../../../../dev/fixtures/codex/FileChangeRequestApproval.json")
        }
        "item/permissions/requestApproval" => {
            include_str!("../../../../../dev/fixtures/codex/PermissionsRequestApproval.json")
        }
        "item/tool/requestUserInput" => {
            include_str!("../../../../../dev/fixtures/codex/ToolRequestUserInput.json")
        }
        _ => include_str!("../../../../../dev/fixtures/codex/McpServerElicitationRequest.json"),
    };
    serde_json::from_str(text).unwrap()
}

fn is_answer(method: &str, result: &Value) {
    let schema = &schemas(method)["response"];
    assert!(jsonschema::is_valid(schema, result), "{method}: {result}");
}

fn request(codex: &mut Codex, method: &str, more: Value) -> anyhow::Result<Request> {
    let mut params = json!({
        "threadId": "t-1", "turnId": "u-1", "itemId": "i-1", "startedAtMs": 1_800_000_000_000_u64,
    });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    if method == "mcpServer/elicitation/request" || method == "item/tool/requestUserInput" {
        params.as_object_mut().unwrap().remove("startedAtMs");
    }
    let schema = &schemas(method)["params"];
    assert!(jsonschema::is_valid(schema, &params), "{method}: {params}");
    let message = json!({"id": 0, "method": method, "params": params});
    let said = Said::read(message.to_string().as_bytes()).unwrap();
    match codex.hear_agent(&said, &desk())? {
        Some(Heard::Asks(request, thread)) => {
            assert_eq!(thread.as_deref(), Some("t-1"));
            Ok(request)
        }
        _ => anyhow::bail!("nothing is asked"),
    }
}

/// The request to people; every answer that the agent may hear fits its schema.
fn body(codex: &mut Codex, method: &str, more: Value) -> anyhow::Result<Value> {
    let Request::Permission(permission) = request(codex, method, more)? else {
        panic!("no approval is asked for");
    };
    let mut body = permission.wanted.body(&desk());
    let mut heard = Map::new();
    let options = body["action"]["arguments"]["options"].clone();
    for option in options.as_array().unwrap() {
        let id = option["id"].as_str().unwrap();
        let result = permission.result(&json!({"option": id})).unwrap();
        is_answer(method, &result);
        heard.insert(id.to_owned(), result);
    }
    is_answer(method, &permission.denial);
    body["heard"] = heard.into();
    body["denial"] = permission.denial;
    Ok(body)
}

const COMMAND: &str = "item/commandExecution/requestApproval";
const CHANGES: &str = "item/fileChange/requestApproval";
const PERMISSIONS: &str = "item/permissions/requestApproval";
const QUESTIONS: &str = "item/tool/requestUserInput";
const FORM: &str = "mcpServer/elicitation/request";

#[test]
fn a_command_is_asked_for_with_all_that_allows_it() {
    let mut codex = Codex::default();
    let command = json!({
        "command": "cargo test", "cwd": "/srv", "approvalId": "c-9", "reason": "to see",
        "proposedExecpolicyAmendment": ["cargo", "test"],
        "proposedNetworkPolicyAmendments": [{"action": "deny", "host": "a"}, {"action": "allow", "host": "docs.example"}],
    });
    let body = body(&mut codex, COMMAND, command).unwrap();
    assert_eq!(body["action"]["tool"], "codex/commandExecution");
    let arguments = &body["action"]["arguments"];
    assert_eq!(arguments["cwd"], "/srv");
    assert_eq!(arguments["option"], "accept");
    assert_eq!(arguments["request"]["command"], "cargo test");
    assert_eq!(arguments["request"]["reason"], "to see");
    for name in ["approvalId", "itemId", "threadId", "turnId", "startedAtMs"] {
        assert!(arguments["request"].get(name).is_none(), "{name}");
    }
    let heard: Vec<_> = body["heard"].as_object().unwrap().keys().collect();
    assert_eq!(
        heard,
        [
            "accept",
            "acceptForSession",
            "acceptWithExecpolicyAmendment",
            "applyNetworkPolicyAmendment-2"
        ]
    );
    assert_eq!(body["denial"], json!({"decision": "decline"}));
}

#[test]
fn codex_may_say_which_decisions_there_are() {
    let mut codex = Codex::default();
    let human = json!({"command": "make", "kind": "humanCommand"});
    let asked = body(&mut codex, COMMAND, human).unwrap();
    assert_eq!(asked["heard"].as_object().unwrap().len(), 1);
    // Without a folder the thread stands in its place.
    assert_eq!(asked["action"]["arguments"]["session"], "t-1");
    let few = json!({"command": "make", "availableDecisions": ["accept", "cancel"]});
    let asked = body(&mut codex, COMMAND, few).unwrap();
    assert_eq!(asked["heard"].as_object().unwrap().len(), 1);
    assert_eq!(asked["denial"], json!({"decision": "cancel"}));
    for (command, why) in [
        (json!({}), "which command"),
        (json!({"command": " "}), "which command"),
        (json!({"command": "y", "kind": "writeStdin"}), "not known"),
        (
            json!({"command": "y", "availableDecisions": []}),
            "no option of it allows it",
        ),
    ] {
        let refused = body(&mut codex, COMMAND, command).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

fn note(codex: &mut Codex, method: &str, params: Value) {
    let message = json!({"method": method, "params": params});
    let said = Said::read(message.to_string().as_bytes()).unwrap();
    assert!(codex.hear_agent(&said, &desk()).unwrap().is_none());
}

#[test]
fn changes_of_files_are_those_that_were_told_before() {
    let mut codex = Codex::default();
    let unknown = body(&mut codex, CHANGES, json!({})).unwrap_err();
    assert!(unknown.to_string().contains("not known what"), "{unknown}");
    let change = |diff: &str| json!([{"path": "/srv/a", "kind": {"type": "update"}, "diff": diff}]);
    let item =
        json!({"type": "fileChange", "id": "i-1", "status": "inProgress", "changes": change("+a")});
    let started = json!({"threadId": "t-1", "turnId": "u-1", "item": item, "startedAtMs": 1});
    note(&mut codex, "item/started", started.clone());
    let asked = body(&mut codex, CHANGES, json!({})).unwrap();
    let arguments = &asked["action"]["arguments"];
    assert_eq!(arguments["request"]["changes"], change("+a"));
    assert_eq!(asked["heard"].as_object().unwrap().len(), 2);

    let patched =
        json!({"threadId": "t-1", "turnId": "u-1", "itemId": "i-1", "changes": change("+b")});
    note(&mut codex, "item/fileChange/patchUpdated", patched);
    let asked = body(&mut codex, CHANGES, json!({"grantRoot": "/srv"})).unwrap();
    let arguments = &asked["action"]["arguments"];
    assert_eq!(arguments["request"]["changes"], change("+b"));
    assert_eq!(arguments["request"]["grantRoot"], "/srv");

    let item = json!({"type": "fileChange", "id": "i-1", "status": "failed"});
    let completed =
        json!({"method": "item/completed", "params": {"threadId": "t-1", "item": item}});
    let completed = Said::read(completed.to_string().as_bytes()).unwrap();
    let heard = codex.hear_agent(&completed, &desk()).unwrap();
    assert!(matches!(heard, Some(Heard::Done(call, true)) if call.1 == "i-1"));
    assert!(body(&mut codex, CHANGES, json!({})).is_err());
    note(&mut codex, "item/started", started);
    note(&mut codex, "turn/completed", json!({"threadId": "t-1"}));
    assert!(body(&mut codex, CHANGES, json!({})).is_err());
    let twice = r#"{"method":"item/fileChange/patchUpdated","params":{"threadId":"t-1","itemId":"i-1","changes":[{"diff":"a","diff":"b"}]}}"#;
    let twice = Said::read(twice.as_bytes()).unwrap();
    codex.hear_agent(&twice, &desk()).unwrap();
    assert!(body(&mut codex, CHANGES, json!({})).is_err());
}

#[test]
fn permissions_are_granted_as_they_were_asked_or_not_at_all() {
    let mut codex = Codex::default();
    let asked = json!({"network": {"enabled": true}});
    let body = body(
        &mut codex,
        PERMISSIONS,
        json!({"cwd": "/srv", "permissions": asked}),
    )
    .unwrap();
    assert_eq!(body["action"]["tool"], "codex/permissions");
    assert_eq!(
        body["heard"]["turn"],
        json!({"permissions": asked, "scope": "turn"})
    );
    assert_eq!(body["heard"]["session"]["scope"], "session");
    assert_eq!(body["denial"]["permissions"], json!({}));
}

#[test]
fn a_question_of_the_model_is_a_form_unless_it_is_secret_or_lets_something_run() {
    let mut codex = Codex::default();
    let option = |label: &str| json!({"label": label, "description": "that"});
    let question = |id: &str| json!({"id": id, "header": "Port", "question": "Which port?"});
    let asked = |codex: &mut Codex, questions: Value| {
        request(
            codex,
            QUESTIONS,
            json!({"isBlocking": true, "questions": questions}),
        )
    };
    let mut closed = question("b");
    closed["options"] = json!([option("80"), option("81")]);
    let Request::Question(form, made) = asked(&mut codex, json!([question("a"), closed])).unwrap()
    else {
        panic!("an approval is asked for");
    };
    let body = form.form.body("?");
    assert_eq!(body["questions"][1]["options"], json!(["80", "81"]));
    let given = json!({"a": "8080", "b": "80"});
    let result = made(given.as_object().unwrap().clone());
    assert_eq!(result["answers"]["b"], json!({"answers": ["80"]}));
    is_answer(QUESTIONS, &result);

    let mut secret = question("a");
    secret["isSecret"] = true.into();
    for (questions, why) in [
        (json!([secret]), "is secret"),
        (
            json!([question("mcp_tool_call_approval_1")]),
            "let a tool run",
        ),
        (json!([question("a"), question("a")]), "have one id"),
        (json!([]), "asks nothing"),
    ] {
        let refused = asked(&mut codex, questions).err().unwrap();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[test]
fn a_form_without_fields_is_an_approval() {
    let mut codex = Codex::default();
    let form = |properties: Value, meta: Value| {
        let schema = json!({"type": "object", "properties": properties});
        json!({"serverName": "files", "mode": "form", "message": "Go on?", "requestedSchema": schema, "_meta": meta})
    };
    let meta = json!({"codex_approval_kind": "mcp_tool_call", "tool_params": {"path": "/x"}});
    let asked = body(&mut codex, FORM, form(json!({}), meta.clone())).unwrap();
    assert_eq!(asked["action"]["tool"], "codex/elicitation");
    let elicitation = &asked["action"]["arguments"]["elicitation"];
    assert_eq!(elicitation["_meta"], meta);
    assert_eq!(elicitation["message"], "Go on?");
    assert_eq!(
        asked["heard"]["accept"],
        json!({"action": "accept", "content": {}})
    );
    assert_eq!(asked["denial"], json!({"action": "decline"}));

    let field = json!({"name": {"type": "string"}});
    let plain = request(&mut codex, FORM, form(field.clone(), Value::Null)).unwrap();
    let Request::Question(question, made) = plain else {
        panic!("an approval is asked for");
    };
    assert!(
        question
            .prompt
            .contains("The MCP server `files` of the agent `codex` asks: Go on?"),
        "{}",
        question.prompt
    );
    is_answer(FORM, &made(Map::new()));
    assert!(request(&mut codex, FORM, form(field, meta)).is_err());
    let url = json!({"serverName": "files", "mode": "url", "message": "?", "url": "https://x/", "elicitationId": "e"});
    assert!(request(&mut codex, FORM, url).is_err());
}

#[test]
fn what_is_resolved_is_over() {
    let message =
        json!({"method": "serverRequest/resolved", "params": {"threadId": "t-1", "requestId": 4}});
    let said = Said::read(message.to_string().as_bytes()).unwrap();
    let heard = Codex::default().hear_agent(&said, &desk()).unwrap();
    assert!(matches!(heard, Some(Heard::Over(key)) if key == "4"));
}
