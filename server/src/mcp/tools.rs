//! The tools, as a model is told of them: names, descriptions, and the schemas of what goes in and comes out.

use std::sync::{Arc, LazyLock};

use domain::{
    limits,
    mcp::{
        APPROVE_TOOL_USE, ASK_HUMAN, CANCEL_QUESTION, LIST_MY_QUESTIONS, NOTIFY_HUMAN,
        WAIT_FOR_ANSWER,
    },
};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{attach, questions::MOST_LISTED};
use crate::resource::STATES;

static TOOLS: LazyLock<[Tool; 6]> = LazyLock::new(|| {
    [
        tool(
            ASK_HUMAN,
            "Ask a person",
            "Ask a person and get their answer. Use it when you are stuck, when only a person can know or decide, and \
             before anything that is dangerous or cannot be undone (kind approval: go on only if approved is true). \
             It waits a short while. If nobody has answered by then it returns state pending and an id: that is not a \
             failure and nothing is lost. Then go on with what does not depend on the answer, or end your turn and say \
             that you wait for a person; come back later with wait_for_answer and the id. Do not ask the same again.",
            ask_arguments(),
            question(),
        )
        .with_annotations(writes().idempotent(false)),
        tool(
            WAIT_FOR_ANSWER,
            "Wait for an answer",
            "Get the answer to a question you asked with ask_human, by its id. Waits up to `seconds` for it and returns \
             at once when it is there. State pending means that nobody has answered yet: end your turn and come back \
             later, people may take hours.",
            object(
                json!({
                    "id": id(),
                    "seconds": {
                        "type": "integer", "minimum": 0,
                        "description": "How long to wait at most. Absent, and more than 50: 50. 0: only look.",
                    },
                }),
                &["id"],
            ),
            question(),
        )
        .with_annotations(writes().idempotent(true)),
        tool(
            NOTIFY_HUMAN,
            "Tell people",
            "Tell people something that needs no answer: progress, a result, a warning. Returns at once. For anything \
             you need an answer to use ask_human.",
            notify_arguments(),
            object(
                json!({
                    "id": { "type": "string" },
                    "dashboard_url": { "type": "string" },
                }),
                &["id", "dashboard_url"],
            ),
        )
        .with_annotations(writes().idempotent(false)),
        tool(
            CANCEL_QUESTION,
            "Take a question back",
            "Take back a question of yours that nobody has answered and that you no longer need answered, so that \
             people do not spend time on it.",
            object(
                json!({
                    "id": id(),
                    "reason": {
                        "type": ["string", "null"], "maxLength": limits::LINE_CHARS,
                        "description": "Why, for the people who were asked.",
                    },
                }),
                &["id"],
            ),
            question(),
        )
        .with_annotations(writes().idempotent(true)),
        tool(
            LIST_MY_QUESTIONS,
            "List my questions",
            "List what you have asked and told people, newest first: to find an id again, or to see what still waits. \
             For an answer call wait_for_answer with the id.",
            object(
                json!({
                    "state": { "type": ["string", "null"], "enum": [STATES[0], STATES[1], STATES[2], STATES[3], null] },
                    "session_id": session_id(),
                    "limit": {
                        "type": ["integer", "null"], "minimum": 1, "maximum": MOST_LISTED,
                        "description": "How many; 20 when absent.",
                    },
                    "cursor": {
                        "type": ["string", "null"],
                        "description": "The next_cursor of the page before.",
                    },
                }),
                &[],
            ),
            list(),
        )
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(true)),
        // Its result is a text in Claude Code's form, so there is no schema of it.
        Tool::new(
            APPROVE_TOOL_USE,
            "Not for you to call: Claude Code itself calls it before it runs a tool, when it was started with \
             --permission-prompt-tool. To have a person approve something, call ask_human with kind approval.",
            // A later version of Claude Code may say more.
            open_object(
                json!({
                    "tool_name": { "type": "string" },
                    "input": { "type": "object" },
                    "tool_use_id": { "type": ["string", "null"] },
                }),
                &["tool_name", "input"],
            ),
        )
        .with_title("Let a tool run (for Claude Code)")
        .with_annotations(writes().idempotent(false)),
    ]
});

pub(super) fn all() -> Vec<Tool> {
    TOOLS.to_vec()
}

pub(super) fn named(name: &str) -> Option<Tool> {
    TOOLS.iter().find(|tool| tool.name == name).cloned()
}

/// Whether a tool has an argument of this name.
pub(super) fn takes(tool: &str, argument: &str) -> bool {
    let tool = TOOLS.iter().find(|one| one.name == tool);
    let properties = tool.and_then(|tool| tool.input_schema.get("properties"));
    properties.is_some_and(|properties| properties.get(argument).is_some())
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    takes: JsonObject,
    returns: JsonObject,
) -> Tool {
    Tool::new(name, description, takes)
        .with_title(title)
        .with_raw_output_schema(Arc::new(returns))
}

fn writes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .open_world(true)
}

fn object(properties: Value, required: &[&str]) -> JsonObject {
    let mut schema = open_object(properties, required);
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// An object that may have other properties as well.
fn open_object(properties: Value, required: &[&str]) -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), json!(required));
    schema
}

fn id() -> Value {
    json!({ "type": "string", "description": "The id that ask_human returned." })
}

fn session_id() -> Value {
    json!({
        "type": ["string", "null"], "maxLength": limits::SESSION_ID_CHARS,
        "description": "Your own name for this run, conversation or project.",
    })
}

/// The fields that asking and telling have in common.
fn shared() -> Value {
    json!({
        "prompt": {
            "type": "string", "maxLength": limits::TEXT_CHARS,
            "description": "What people read, in markdown. They see nothing else of your work: say all they need.",
        },
        "title": { "type": ["string", "null"], "maxLength": limits::TITLE_CHARS, "description": "A few words above the prompt." },
        "session_id": session_id(),
        "task": {
            "type": ["object", "null"],
            "description": "The piece of work this belongs to.",
            "properties": {
                "id": { "type": "string", "maxLength": limits::SESSION_ID_CHARS, "description": "Your own id for it." },
                "title": { "type": ["string", "null"] },
                "description": { "type": ["string", "null"] },
                "step": { "type": ["string", "null"], "description": "Where in it you are." },
            },
            "required": ["id"],
            "additionalProperties": false,
        },
        "team": {
            "type": ["string", "null"], "maxLength": limits::LINE_CHARS,
            "description": "The name of the team to ask, if you were told one; your own team when absent.",
        },
        "urgent": { "type": ["boolean", "null"], "description": "Shown before others. Only if waiting does harm." },
        "idempotency_key": {
            "type": ["string", "null"], "maxLength": limits::KEY_CHARS,
            "description": "A name for this call that you have not used before. Call again with the same name and the \
                            same arguments after a lost reply: people are asked once.",
        },
    })
}

fn with_shared(more: Value) -> Value {
    let mut properties = shared();
    if let (Value::Object(all), Value::Object(more)) = (&mut properties, more) {
        all.extend(more);
    }
    properties
}

fn notify_arguments() -> JsonObject {
    let level = json!({
        "type": "string", "enum": ["info", "success", "warning", "error"],
        "description": "How serious it is; info when absent.",
    });
    object(with_shared(json!({ "level": level })), &["prompt"])
}

fn ask_arguments() -> JsonObject {
    let options = json!({
        "type": "array", "minItems": 2, "maxItems": limits::OPTIONS,
        "items": {
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": {
                        "value": { "type": "string", "description": "What you get when it is chosen." },
                        "label": { "type": ["string", "null"], "description": "What people see; the value when absent." },
                        "description": { "type": ["string", "null"] },
                    },
                    "required": ["value"],
                    "additionalProperties": false,
                },
            ],
        },
    });
    let more = json!({
        "kind": {
            "type": "string",
            "enum": ["question", "choice", "acknowledgement", "approval", "plan_review", "form"],
            "description": "question (the default): free text. choice: of `options`. acknowledgement: somebody has seen it. \
                            approval: yes or no to exactly one `action`. plan_review: a decision about a `plan`. form: \
                            several `questions`, asked one at a time.",
        },
        "mode": {
            "type": "string", "enum": ["sync", "async"],
            "description": "sync (the default): you have stopped until it is answered. async: you go on meanwhile.",
        },
        "options": options.clone(),
        "multiple": { "type": "boolean", "description": "For a choice: whether several may be chosen." },
        "action": {
            "type": "object",
            "description": "For an approval: exactly what you will run, and nothing that is not in it.",
            "properties": {
                "tool": { "type": "string" },
                "arguments": { "type": "object" },
            },
            "required": ["tool"],
            "additionalProperties": false,
        },
        "amendable": {
            "description": "For an approval: true, if you go on with changed arguments. Then people may change them before \
                            they approve, and `amended` has what you run instead. An object with `paths` (JSON Pointers) \
                            or a flat JSON `schema` says which.",
            "anyOf": [
                { "type": "boolean" },
                {
                    "type": "object",
                    "properties": {
                        "paths": { "type": "array", "items": { "type": "string" } },
                        "schema": { "type": "object" },
                    },
                    "additionalProperties": false,
                },
            ],
        },
        "approvals": {
            "type": "object",
            "description": "For an approval: how many different people have to approve it, if you were told that.",
            "properties": {
                "needed": { "type": "integer", "minimum": 1, "maximum": limits::APPROVALS },
                "of": { "type": "string", "enum": ["anyone", "team"] },
                "four_eyes": { "type": "boolean", "description": "Whether the owner of this agent does not count." },
            },
            "additionalProperties": false,
        },
        "plan": { "type": "string", "maxLength": limits::TEXT_CHARS, "description": "For a plan_review: the plan, in markdown." },
        "revises": {
            "type": ["string", "null"],
            "description": "For a plan_review that is the next version of a plan you asked about: the id of that plan. \
                            People see what you have changed. Only once that one is answered or taken back, and once \
                            for each: revise the newest.",
        },
        "questions": {
            "type": "array", "minItems": 1, "maxItems": limits::QUESTIONS,
            "description": "For a form.",
            "items": {
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "Names the answer." },
                    "prompt": { "type": "string" },
                    "options": options,
                    "multiple": { "type": "boolean" },
                },
                "required": ["id", "prompt"],
                "additionalProperties": false,
            },
        },
        "attachments": attach::schema(),
        "to": {
            "type": ["string", "null"], "maxLength": limits::LINE_CHARS,
            "description": "Whom of the team it is for, if you were told that: duty, team, or person: and a name. Anybody \
                            who may answer still may.",
        },
        "withdraw_on_disconnect": {
            "type": ["boolean", "null"],
            "description": "Whether it is taken back when your session (session_id) ends: for what nobody needs once you are \
                            gone. False when absent.",
        },
        "timeout_seconds": {
            "type": ["integer", "null"], "minimum": 1,
            "description": "How long people have. Null: for ever. Absent: as the server is set, usually a day.",
        },
        "fallback": {
            "description": "The answer to go on with if nobody answers in time. For a question a string, for a choice the \
                            value of an option (an array with multiple), for a form an object by id. The others have none.",
        },
    });
    object(with_shared(more), &["prompt"])
}

/// A question as it comes out.
fn question() -> JsonObject {
    object(
        json!({
            "id": { "type": "string" },
            "kind": { "type": "string" },
            "state": { "type": "string", "enum": STATES },
            "outcome": { "type": ["string", "null"], "description": "How it was closed; null while it waits." },
            "approved": {
                "type": ["boolean", "null"],
                "description": "For an approval: true only if a person approved it in time. Everything else is a no.",
            },
            "amended": {
                "type": ["object", "null"],
                "description": "For an approval: the arguments that a person put in the place of yours, and the digest of \
                                what you run instead.",
            },
            "progress": {
                "type": ["object", "null"],
                "description": "While it waits: how much of a form is answered, or who has approved of those that it takes.",
            },
            "answer": {
                "type": ["object", "null"],
                "description": "text, selected, answers, or decision with feedback, clear_context and target_mode, by the \
                                kind; and who answered; remembered is set where they gave it to the same question \
                                before and nobody saw this one. Of a plan_review, comments are on lines of your plan; feedback \
                                has them too, so work all of feedback in. Files of an answer are named in attachments.",
            },
            "fallback_used": { "type": "boolean", "description": "Nobody answered in time: the answer is your fallback." },
            "follow_ups": { "type": "array", "description": "What people added after the answer." },
            "to": { "type": ["object", "null"], "description": "Whom it is for, if you or a person said so. Others who may answer it still may." },
            "claim": { "type": ["object", "null"], "description": "Who said that they are on it, and until when. It is no answer." },
            "created_at": { "type": "string" },
            "expires_at": { "type": ["string", "null"] },
            "closed_at": { "type": ["string", "null"] },
            "collected_at": { "type": ["string", "null"] },
            "erased": {
                "type": ["object", "null"],
                "description": "Set when all that was written in it is gone: at, and by whom. Then there is no answer.",
            },
            "dashboard_url": { "type": "string", "description": "Where people answer it." },
            "next": { "type": ["string", "null"], "description": "What to do while nobody has answered." },
        }),
        &[
            "id",
            "kind",
            "state",
            "outcome",
            "approved",
            "answer",
            "fallback_used",
            "next",
        ],
    )
}

fn list() -> JsonObject {
    let item = object(
        json!({
            "id": { "type": "string" },
            "kind": { "type": "string" },
            "state": { "type": "string", "enum": STATES },
            "outcome": { "type": ["string", "null"] },
            "title": { "type": ["string", "null"] },
            "prompt": { "type": "string", "description": "Its first 200 characters." },
            "session_id": { "type": ["string", "null"] },
            "created_at": { "type": "string" },
            "expires_at": { "type": ["string", "null"] },
            "collected_at": { "type": ["string", "null"], "description": "When you got the answer." },
            "dashboard_url": { "type": "string" },
        }),
        &["id", "kind", "state", "prompt"],
    );
    object(
        json!({
            "items": { "type": "array", "items": item },
            "next_cursor": { "type": ["string", "null"] },
        }),
        &["items", "next_cursor"],
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_limit_of_the_rules_is_written_again() {
        let again = include_str!("tools.rs").lines().filter(|line| {
            let (_, limit) = line.split_once("\"max").unwrap_or_default();
            let (_, limit) = limit.split_once(':').unwrap_or_default();
            limit.trim_start().starts_with(|c: char| c.is_ascii_digit())
        });
        assert_eq!(again.collect::<Vec<_>>(), [] as [&str; 0]);
    }
}
