//! How a question ended, for scripts: on standard output, and as an exit code.

use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use serde_json::Value;

use crate::client::{Answer, Interaction};

/// With `--json`.
#[derive(Serialize)]
struct Printed<'a> {
    id: &'a str,
    kind: &'a str,
    outcome: Option<&'a str>,
    approved: Option<bool>,
    /// What somebody wrote: the answer to a question, the comment on an approval, feedback on a plan.
    response_text: Option<&'a str>,
    /// The first, of a choice of several.
    selected_option: Option<&'a str>,
    selected: Option<&'a [String]>,
    answers: Option<&'a Value>,
    decision: Option<&'a str>,
    /// `{id, name, via}`; `null` when nobody answered.
    responder: Option<&'a Value>,
    fallback_used: bool,
}

/// Prints what the agent goes on with.
pub(super) fn print(closed: &Interaction, json: bool) -> anyhow::Result<()> {
    let line = match json {
        true => serde_json::to_string(&printed(closed))?,
        false => words(closed),
    };
    let mut out = std::io::stdout();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.context("the answer cannot be written to standard output")
}

fn printed(closed: &Interaction) -> Printed<'_> {
    let answer = closed.answer.as_ref();
    let selected = answer.and_then(|answer| answer.selected.as_deref());
    let text = |answer: &'_ Answer| answer.text.is_some();
    Printed {
        id: &closed.id,
        kind: &closed.kind,
        outcome: closed.outcome.as_deref(),
        approved: closed.approved,
        response_text: answer.and_then(|answer| match text(answer) {
            true => answer.text.as_deref(),
            false => answer.feedback.as_deref(),
        }),
        selected_option: selected
            .and_then(|selected| selected.first())
            .map(String::as_str),
        selected,
        answers: answer.and_then(|answer| answer.answers.as_ref()),
        decision: answer.and_then(|answer| answer.decision.as_deref()),
        responder: answer.and_then(|answer| answer.responder.as_ref()),
        fallback_used: closed.fallback_used,
    }
}

/// The answer as it was given, byte for byte; options one a line. Without an answer, how it ended.
fn words(closed: &Interaction) -> String {
    let outcome = closed.outcome.clone().unwrap_or_default();
    let Some(answer) = &closed.answer else {
        return outcome;
    };
    let with = |word: String, more: &Option<String>| match more {
        Some(more) if !more.is_empty() => format!("{word}: {more}"),
        _ => word,
    };
    match &*closed.kind {
        "question" => answer.text.clone().unwrap_or_default(),
        "choice" => answer.selected.clone().unwrap_or_default().join("\n"),
        "form" => answer.answers.clone().unwrap_or_default().to_string(),
        "approval" => with(outcome, &answer.text),
        "plan_review" => with(outcome, &answer.feedback),
        _ => outcome,
    }
}

/// 0: go on. 2: denied, or the plan is to be adjusted first. 3: expired. 4: cancelled. 1 is a fault.
pub(super) fn exit_code(closed: &Interaction) -> u8 {
    let outcome = closed.outcome.as_deref();
    match (&*closed.kind, outcome.unwrap_or_default()) {
        ("approval", "approved") if closed.approved == Some(true) => 0,
        ("plan_review", "proceed" | "proceed_clean" | "proceed_default") => 0,
        ("question" | "choice" | "acknowledgement" | "form", "answered" | "fallback") => 0,
        ("notification", "delivered") => 0,
        (_, "denied" | "adjust") => 2,
        (_, "expired") => 3,
        (_, "cancelled") => 4,
        // What a newer server may say, nobody has agreed to here.
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn closed(kind: &str, outcome: &str, answer: Value) -> Interaction {
        let approved = (kind == "approval").then_some(outcome == "approved");
        serde_json::from_value(json!({
            "id": "1", "kind": kind, "state": "resolved", "outcome": outcome, "approved": approved,
            "agent": {"id": "7", "name": "backend"}, "fallback_used": outcome == "fallback", "answer": answer, "dashboard_url": "",
        }))
        .unwrap()
    }

    #[test]
    fn scripts_get_the_answer_alone_and_a_code() {
        for (kind, outcome, answer, text, code) in [
            (
                "question",
                "answered",
                json!({"text": " a\r\nb "}),
                " a\r\nb ",
                0,
            ),
            ("question", "answered", json!({"text": ""}), "", 0),
            (
                "question",
                "fallback",
                json!({"text": "200 ms"}),
                "200 ms",
                0,
            ),
            ("question", "expired", Value::Null, "expired", 3),
            ("question", "cancelled", Value::Null, "cancelled", 4),
            (
                "choice",
                "answered",
                json!({"selected": ["a", "b"]}),
                "a\nb",
                0,
            ),
            ("acknowledgement", "answered", json!({}), "answered", 0),
            ("approval", "approved", json!({}), "approved", 0),
            ("approval", "denied", json!({"text": "no"}), "denied: no", 2),
            ("approval", "expired", Value::Null, "expired", 3),
            (
                "plan_review",
                "proceed_clean",
                json!({"decision": "proceed_clean"}),
                "proceed_clean",
                0,
            ),
            (
                "plan_review",
                "adjust",
                json!({"feedback": "x"}),
                "adjust: x",
                2,
            ),
            (
                "form",
                "answered",
                json!({"answers": {"a": "b"}}),
                "{\"a\":\"b\"}",
                0,
            ),
            ("question", "postponed", Value::Null, "postponed", 1),
            // How another kind ends is no end of this one.
            ("approval", "answered", json!({}), "answered", 1),
            ("approval", "proceed", json!({}), "proceed", 1),
            ("plan_review", "answered", json!({}), "answered", 1),
            ("plan_review", "approved", json!({}), "approved", 1),
            ("question", "delivered", json!({"text": "a"}), "a", 1),
        ] {
            let closed = closed(kind, outcome, answer);
            assert_eq!(words(&closed), text);
            assert_eq!(exit_code(&closed), code, "{kind} {outcome}");
        }
    }

    #[test]
    fn an_approval_that_does_not_say_so_is_none() {
        let mut closed = closed("approval", "approved", json!({}));
        closed.approved = None;
        assert_eq!(exit_code(&closed), 1);
    }

    #[test]
    fn json_names_what_was_answered() {
        let ana = json!({"id": "7", "name": "Ana", "via": "dashboard"});
        let picked = closed(
            "choice",
            "answered",
            json!({"selected": ["lru"], "responder": ana}),
        );
        let printed = serde_json::to_value(printed(&picked)).unwrap();
        assert_eq!(printed["selected_option"], "lru");
        assert_eq!(printed["responder"]["name"], "Ana");
        assert_eq!(printed["response_text"], Value::Null);
    }
}
