//! How a question ended, for scripts: on standard output, and as an exit code.

use std::io::Write;

use anyhow::{Context, bail, ensure};
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
    /// The responder's text: the answer to a question, the comment on an approval, feedback on a
    /// plan with the comments on its lines.
    response_text: Option<&'a str>,
    /// The first, of a choice of several.
    selected_option: Option<&'a str>,
    selected: Option<&'a [String]>,
    answers: Option<&'a Value>,
    decision: Option<&'a str>,
    /// On lines of a plan: `[{line, to_line, quote, text}]`.
    comments: Option<&'a Value>,
    /// The files of the answer, in order: `[{name, type, size, sha256}]`; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<&'a Value>,
    /// `{id, name, via}`; `null` without a responder.
    responder: Option<&'a Value>,
    fallback_used: bool,
    /// Where nobody was asked, since the responder had given this answer to the same question: `{id, made_at, answered_at}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    remembered: Option<&'a Value>,
    /// The arguments to go on with instead, where they were changed before it was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    amended: Option<&'a Value>,
}

/// Prints the result the agent goes on with. Whether something may be done is `proven` by a receipt that was verified
/// here, or it is not said.
pub(super) fn print(closed: &Interaction, json: bool, proven: bool) -> anyhow::Result<()> {
    let line = match json {
        true => serde_json::to_string(&printed(closed, proven))?,
        false => words(closed),
    };
    let mut out = std::io::stdout();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.context("the answer cannot be written to standard output")
}

fn printed(closed: &Interaction, proven: bool) -> Printed<'_> {
    let answer = closed.answer.as_ref();
    let selected = answer.and_then(|answer| answer.selected.as_deref());
    let decision = answer.and_then(|answer| answer.decision.as_deref());
    let text = |answer: &'_ Answer| answer.text.is_some();
    Printed {
        id: &closed.id,
        kind: &closed.kind,
        outcome: closed.outcome.as_deref(),
        approved: (closed.kind == "approval").then_some(proven && closed.approved == Some(true)),
        response_text: answer.and_then(|answer| match text(answer) {
            true => answer.text.as_deref(),
            false => answer.feedback.as_deref(),
        }),
        selected_option: selected
            .and_then(|selected| selected.first())
            .map(String::as_str),
        selected,
        answers: answer.and_then(|answer| answer.answers.as_ref()),
        decision: decision.filter(|decision| proven || *decision == "adjust"),
        comments: answer.and_then(|answer| answer.comments.as_ref()),
        attachments: answer
            .and_then(|answer| answer.attachments.as_ref())
            .filter(|files| files.as_array().is_some_and(|files| !files.is_empty())),
        responder: answer.and_then(|answer| answer.responder.as_ref()),
        fallback_used: closed.fallback_used,
        remembered: answer.and_then(|answer| answer.remembered.as_ref()),
        amended: closed.amended.as_ref().filter(|_| proven),
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

/// The ends of each kind, besides that no answer came.
const ENDS: [(&str, &[&str]); 7] = [
    ("approval", &["approved", "denied"]),
    (
        "plan_review",
        &["proceed", "proceed_clean", "proceed_default", "adjust"],
    ),
    ("question", &["answered", "fallback"]),
    ("choice", &["answered", "fallback"]),
    ("acknowledgement", &["answered", "fallback"]),
    ("form", &["answered", "fallback"]),
    ("notification", &["delivered"]),
];

/// Refuses a reply that says two things of one end: a script that reads the one field would hear something else than
/// a script that reads the other.
pub(super) fn agrees_with_itself(closed: &Interaction) -> anyhow::Result<()> {
    if let Some(erased) = &closed.erased {
        let by = erased["by"].as_str().unwrap_or("a setting");
        bail!(
            "all that was written in it was erased by {}: there is no answer to go on with",
            visible::line(by)
        );
    }
    let kind = &*closed.kind;
    let outcome = closed.outcome.as_deref().unwrap_or_default();
    let is_end_of = |ends: &[&str]| ends.contains(&outcome);
    let of_others = ENDS.iter().any(|(_, ends)| is_end_of(ends));
    let of_this = ENDS.iter().any(|(of, ends)| *of == kind && is_end_of(ends));
    let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
    // What a newer server knows is a word, too; `approved ` would be `approved` to a shell that reads it.
    ensure!(
        outcome.chars().all(is_word),
        "the server says that a {kind} ended as {outcome:?}, which is no outcome"
    );
    ensure!(
        of_this || !of_others,
        "the server says that a {kind} was {outcome}, which is how another kind ends"
    );
    let is_approved = outcome == "approved";
    let agrees = match closed.approved {
        Some(approved) => kind == "approval" && approved == is_approved,
        None => !is_approved,
    };
    ensure!(
        agrees,
        "the server says that a {kind} was {outcome}, and something else of whether it was approved"
    );
    let answer = closed.answer.as_ref();
    if let Some(decision) = answer.and_then(|answer| answer.decision.as_deref()) {
        ensure!(
            kind == "plan_review" && decision == outcome,
            "the server says that a {kind} was {outcome}, and that {decision} was decided"
        );
    }
    Ok(())
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
        // An outcome of a newer server, which this program does not know, is no yes.
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
    fn what_a_shell_would_read_as_another_outcome_is_none() {
        for outcome in ["approved\n", "approved ", "Approved", "approved\u{200b}"] {
            let mut said = closed("approval", outcome, json!({}));
            said.approved = Some(false);
            assert!(agrees_with_itself(&said).is_err(), "{outcome:?}");
        }
        assert!(agrees_with_itself(&closed("question", "postponed", json!({}))).is_ok());
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
    fn json_says_yes_only_where_a_receipt_was_verified() {
        let approval = closed("approval", "approved", json!({}));
        let plan = closed("plan_review", "proceed", json!({"decision": "proceed"}));
        let adjust = closed("plan_review", "adjust", json!({"decision": "adjust"}));
        let mut question = closed("question", "answered", json!({"text": "a"}));
        question.approved = Some(true);
        let mut expired = closed("approval", "expired", Value::Null);
        expired.approved = Some(true);
        let said = |closed: &Interaction, proven: bool| {
            let said = serde_json::to_value(printed(closed, proven)).unwrap();
            json!([said["approved"], said["decision"]])
        };
        assert_eq!(said(&approval, true), json!([true, null]));
        assert_eq!(said(&approval, false), json!([false, null]));
        assert_eq!(said(&expired, false), json!([false, null]));
        assert_eq!(said(&plan, true), json!([null, "proceed"]));
        assert_eq!(said(&plan, false), json!([null, null]));
        assert_eq!(said(&adjust, false), json!([null, "adjust"]));
        assert_eq!(said(&question, false), json!([null, null]));
    }

    #[test]
    fn a_reply_that_contradicts_itself_is_refused() {
        for (kind, outcome, approved, decision, agrees) in [
            ("approval", "approved", json!(true), Value::Null, true),
            ("approval", "denied", json!(false), Value::Null, true),
            ("approval", "void", json!(false), Value::Null, true),
            ("approval", "expired", Value::Null, Value::Null, true),
            ("approval", "postponed", json!(false), Value::Null, true),
            ("approval", "approved", Value::Null, Value::Null, false),
            ("approval", "approved", json!(false), Value::Null, false),
            ("approval", "expired", json!(true), Value::Null, false),
            ("approval", "denied", json!(true), Value::Null, false),
            ("approval", "postponed", json!(true), Value::Null, false),
            ("approval", "denied", json!(false), json!("proceed"), false),
            ("approval", "answered", json!(false), Value::Null, false),
            ("approval", "proceed", json!(false), Value::Null, false),
            ("question", "answered", Value::Null, Value::Null, true),
            ("question", "answered", json!(true), Value::Null, false),
            ("question", "answered", json!(false), Value::Null, false),
            ("question", "approved", Value::Null, Value::Null, false),
            ("question", "answered", Value::Null, json!("adjust"), false),
            ("plan_review", "adjust", Value::Null, json!("adjust"), true),
            (
                "plan_review",
                "adjust",
                Value::Null,
                json!("proceed"),
                false,
            ),
            (
                "plan_review",
                "expired",
                Value::Null,
                json!("proceed"),
                false,
            ),
            ("plan_review", "approved", Value::Null, Value::Null, false),
            ("plan_review", "adjust", json!(true), json!("adjust"), false),
        ] {
            let mut closed = closed(kind, outcome, json!({ "decision": decision }));
            closed.approved = approved.as_bool();
            let found = agrees_with_itself(&closed);
            assert_eq!(
                found.is_ok(),
                agrees,
                "{kind} {outcome} {approved} {decision}"
            );
        }
    }

    #[test]
    fn json_names_what_was_answered() {
        let ana = json!({"id": "7", "name": "Ana", "via": "dashboard"});
        let picked = closed(
            "choice",
            "answered",
            json!({"selected": ["lru"], "responder": ana}),
        );
        let printed = serde_json::to_value(printed(&picked, false)).unwrap();
        assert_eq!(printed["selected_option"], "lru");
        assert_eq!(printed["responder"]["name"], "Ana");
        assert_eq!(printed["response_text"], Value::Null);
    }
}
