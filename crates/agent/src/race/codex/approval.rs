//! What Codex asks to approve: commands, changes of files, permissions.

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use crate::{
    desk::Desk,
    race::{
        message::Said,
        request::{Choice, Doing, Permission, Request},
    },
};

/// Ids and times differ each time, and the folder has a place of its own.
const APART: [&str; 7] = [
    "approvalId",
    "availableDecisions",
    "cwd",
    "itemId",
    "startedAtMs",
    "threadId",
    "turnId",
];

pub(super) fn of_command(said: &Said, desk: &Desk) -> anyhow::Result<Request> {
    let params = clear(said)?;
    let is_said = |name: &str| {
        params[name]
            .as_str()
            .is_some_and(|it| !it.trim().is_empty())
    };
    ensure!(
        is_said("command") || params["networkApprovalContext"].is_object(),
        "Codex does not say which command it is"
    );
    let kind = params["kind"].as_str().unwrap_or("command");
    let mut options = vec![decision("accept", "This time", "once", json!("accept"))];
    match kind {
        "command" => options.extend(lasting(params)),
        // It takes no other.
        "humanCommand" => {}
        _ => anyhow::bail!("what Codex asks of the kind `{kind}` is not known here"),
    }
    approval("commandExecution", request(params), options, params, desk)
}

pub(super) fn of_changes(
    said: &Said,
    changes: Option<&Value>,
    desk: &Desk,
) -> anyhow::Result<Request> {
    let params = clear(said)?;
    let is_some = |changes: &&Value| changes.as_array().is_some_and(|it| !it.is_empty());
    let changes = changes.filter(is_some);
    let changes = changes.context("it is not known what Codex would change")?;
    let mut request = request(params);
    request.insert("changes".to_owned(), changes.clone());
    let options = vec![
        decision("accept", "This time", "once", json!("accept")),
        for_session("These files, for the session"),
    ];
    approval("fileChange", request, options, params, desk)
}

pub(super) fn of_permissions(said: &Said, desk: &Desk) -> anyhow::Result<Request> {
    let params = clear(said)?;
    let asked = &params["permissions"];
    ensure!(
        asked.as_object().is_some_and(|it| !it.is_empty()),
        "Codex does not say which permissions it is"
    );
    let granted = |scope: &str, name: &str| Choice {
        id: scope.to_owned(),
        name: name.to_owned(),
        kind: Some(scope.to_owned()),
        result: json!({ "permissions": asked, "scope": scope }),
    };
    let options = vec![
        granted("turn", "For this turn"),
        granted("session", "For the session"),
    ];
    // There is no other way to say no.
    let denial = json!({ "permissions": {}, "scope": "turn" });
    let doing = doing("permissions", request(params), params);
    let permission = Permission::new(desk, doing, options, denial)?;
    Ok(Request::Permission(Box::new(permission)))
}

fn clear(said: &Said) -> anyhow::Result<&Value> {
    ensure!(
        said.is_clear,
        "the request of Codex can be read in several ways: a key stands twice, or it is too deep"
    );
    Ok(said.params())
}

/// What is asked, without what is another each time.
fn request(params: &Value) -> Map<String, Value> {
    let all = params.as_object().into_iter().flatten();
    let said = all.filter(|(name, value)| !value.is_null() && !APART.contains(&&***name));
    said.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn doing<'a>(tool: &'a str, request: Map<String, Value>, params: &'a Value) -> Doing<'a> {
    Doing {
        tool,
        folder: params["cwd"].as_str(),
        session: params["threadId"].as_str(),
        call: ("request", request),
    }
}

/// Of something that is answered by a decision, of which Codex may say which there are.
fn approval(
    tool: &str,
    request: Map<String, Value>,
    mut options: Vec<Choice>,
    params: &Value,
    desk: &Desk,
) -> anyhow::Result<Request> {
    let available = params["availableDecisions"].as_array();
    let is_there = |decision: &Value| available.is_none_or(|all| all.contains(decision));
    options.retain(|option| is_there(&option.result["decision"]));
    let denial = match is_there(&json!("decline")) {
        true => json!({ "decision": "decline" }),
        false => json!({ "decision": "cancel" }),
    };
    let permission = Permission::new(desk, doing(tool, request, params), options, denial)?
        .of_call(&params["threadId"], &params["itemId"]);
    Ok(Request::Permission(Box::new(permission)))
}

fn decision(id: &str, name: &str, kind: &str, decision: Value) -> Choice {
    Choice {
        id: id.to_owned(),
        name: name.to_owned(),
        kind: Some(kind.to_owned()),
        result: json!({ "decision": decision }),
    }
}

fn for_session(name: &str) -> Choice {
    decision(
        "acceptForSession",
        name,
        "session",
        json!("acceptForSession"),
    )
}

/// The ways to allow a command that last, as far as Codex proposes them.
fn lasting(params: &Value) -> Vec<Choice> {
    let mut options = vec![for_session("This command, for the session")];
    if let Some(words) = params["proposedExecpolicyAmendment"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let amendment = json!({ "execpolicy_amendment": words });
        options.push(decision(
            "acceptWithExecpolicyAmendment",
            &format!("Always what begins with `{}`", words.join(" ")),
            "always",
            json!({ "acceptWithExecpolicyAmendment": amendment }),
        ));
    }
    let proposed = params["proposedNetworkPolicyAmendments"].as_array();
    for (at, amendment) in proposed.into_iter().flatten().enumerate() {
        if amendment["action"] == "allow" {
            let host = amendment["host"].as_str().unwrap_or_default();
            let amendment = json!({ "network_policy_amendment": amendment });
            options.push(decision(
                &format!("applyNetworkPolicyAmendment-{}", at + 1),
                &format!("Always the host {host}"),
                "always",
                json!({ "applyNetworkPolicyAmendment": amendment }),
            ));
        }
    }
    options
}
