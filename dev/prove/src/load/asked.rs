//! What agents ask, and what can be answered to it.

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::check::history::{Ending, said};
use crate::check::model::Rules;
use crate::world::slack;

/// One ask. Its words are found again in the journal by its mark.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) n: usize,
    pub(crate) mark: String,
    pub(crate) kind: &'static str,
    /// The body, without the address to be called at.
    pub(crate) body: Value,
    pub(crate) key: Option<String>,
    /// Which of the addresses.
    pub(crate) callback: Option<usize>,
    pub(crate) agent: usize,
    pub(crate) by_mcp: bool,
    pub(crate) timeout: Option<u64>,
    /// It has a card in Slack, with buttons.
    pub(crate) is_in_slack: bool,
}

/// What a responder says.
pub(crate) struct Answer {
    pub(crate) body: Value,
    /// The same as a page sends it; `None` where it has several steps there.
    pub(crate) form: Option<Vec<(&'static str, String)>>,
    pub(crate) ending: Ending,
}

const KINDS: [(&str, u32); 7] = [
    ("question", 30),
    ("approval", 32),
    ("choice", 13),
    ("plan_review", 10),
    ("acknowledgement", 5),
    ("form", 5),
    ("notification", 5),
];

fn drawn_kind(random: &mut StdRng) -> &'static str {
    let mut roll = random.random_range(0..KINDS.iter().map(|(_, share)| share).sum::<u32>());
    for (kind, share) in KINDS {
        if roll < share {
            return kind;
        }
        roll -= share;
    }
    "question"
}

impl Asked {
    pub(crate) fn draw(random: &mut StdRng, seed: u64, n: usize, has_slack: bool) -> Self {
        let kind = drawn_kind(random);
        let mark = format!("#{seed}-{n}.");
        let mut body =
            json!({"kind": kind, "prompt": format!("May the night shift go on with 🦀 {mark}")});
        let waits = kind != "notification";
        let may_fall_back = matches!(kind, "question" | "choice");
        match kind {
            "choice" => {
                body["options"] = json!(["red", "green", {"value": "blue", "label": "Blue"}]);
            }
            "approval" => {
                body["action"] = json!({
                    "tool": "Bash", "arguments": {"command": format!("make deploy STEP={n}"), "n": n},
                });
            }
            "plan_review" => body["plan"] = json!(format!("# Plan {mark}\n1. Test\n2. Deploy")),
            "form" => {
                let questions = ["port", "host"];
                body["questions"] = questions
                    .map(|id| json!({"id": id, "prompt": format!("Which {id}?")}))
                    .into();
            }
            _ => {}
        }
        let mut timeout = None;
        let is_in_slack = has_slack && kind == "approval" && random.random_bool(0.3);
        if waits {
            body["mode"] = json!(if random.random_bool(0.5) {
                "sync"
            } else {
                "async"
            });
            body["session_id"] = match is_in_slack {
                true => json!(slack::session_of(n)),
                false => json!(format!("night-{}", n % 7)),
            };
            if !is_in_slack && random.random_bool(0.12) {
                let seconds = random.random_range(1..4);
                timeout = Some(seconds);
                body["timeout_seconds"] = json!(seconds);
            }
            if may_fall_back && random.random_bool(0.4) {
                let of_question = json!("carry on");
                body["fallback"] = if kind == "choice" {
                    json!("red")
                } else {
                    of_question
                };
            }
            if random.random_bool(0.1) {
                body["priority"] = json!("urgent");
            }
        }
        let by_mcp = matches!(kind, "question" | "approval" | "choice") && random.random_bool(0.15);
        if !by_mcp && random.random_bool(0.3) {
            body["metadata"] = json!({"n": n, "mark": mark});
        }
        if waits && !by_mcp && random.random_bool(0.15) {
            body["task"] =
                json!({"id": format!("T{n}"), "title": format!("Task {mark}"), "step": "one"});
        }
        Self {
            n,
            key: (by_mcp || random.random_bool(0.8)).then(|| format!("key-{seed}-{n}")),
            callback: (waits && !by_mcp && random.random_bool(0.25))
                .then(|| random.random_range(0..3)),
            agent: random.random_range(0..3),
            is_in_slack,
            mark,
            kind,
            body,
            by_mcp,
            timeout,
        }
    }

    pub(crate) fn prompt(&self) -> &str {
        self.body["prompt"].as_str().unwrap_or_default()
    }

    pub(crate) fn rules(&self) -> Rules {
        Rules {
            is_notification: self.kind == "notification",
            has_fallback: !self.body["fallback"].is_null(),
        }
    }

    pub(crate) fn is_decision(&self) -> bool {
        matches!(self.kind, "approval" | "plan_review")
    }

    /// An answer of this person, unlike those of others.
    pub(crate) fn answer(&self, random: &mut StdRng, by: &str) -> Answer {
        let text = format!(
            "{by} says {} ß\n{}",
            random.random_range(0..1_000_000),
            self.mark
        );
        let mut outcome = "answered".to_owned();
        let (body, form) = match self.kind {
            "choice" => {
                let options = ["red", "green", "blue"];
                let one = options[random.random_range(0..options.len())];
                let form = vec![("selected[0]", one.to_owned()), ("chosen", "1".to_owned())];
                (json!({"selected": [one]}), Some(form))
            }
            "approval" => {
                let approved = random.random_bool(0.7);
                outcome = if approved { "approved" } else { "denied" }.to_owned();
                let form = vec![("approved", approved.to_string())];
                (json!({"approved": approved}), Some(form))
            }
            "plan_review" => {
                let decisions = ["proceed", "proceed_clean", "proceed_default", "adjust"];
                let decision = decisions[random.random_range(0..decisions.len())];
                outcome = decision.to_owned();
                let form = vec![
                    ("decision", decision.to_owned()),
                    ("feedback", text.clone()),
                ];
                (json!({"decision": decision, "feedback": text}), Some(form))
            }
            "form" => (json!({"answers": {"host": "here", "port": text}}), None),
            "acknowledgement" => (json!({}), Some(Vec::new())),
            _ => {
                let form = vec![("text", text.clone()), ("typed", "1".to_owned())];
                (json!({"text": text}), Some(form))
            }
        };
        Answer {
            ending: Ending {
                outcome,
                by: Some(by.to_owned()),
                said: said(&body),
            },
            body,
            form,
        }
    }
}
