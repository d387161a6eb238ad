//! Rules that an admin puts in force, one set after the other, while an agent asks through all nodes what they are about.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use domain::InteractionId;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    Size,
    cast::{Cast, RULED, Run},
};
use crate::support::caller::id_of;

/// How often a set is tried to be put in force: a node that dies meanwhile is there again by then.
const TRIES: usize = 20;

/// What a set says of what the agent asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Nothing,
    Allows,
    Forbids,
}

/// Each after each other, and never nothing after nothing.
const ORDER: [Says; 6] = [
    Says::Allows,
    Says::Forbids,
    Says::Allows,
    Says::Nothing,
    Says::Forbids,
    Says::Nothing,
];

/// A set of rules, and when it was put in force.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) says: Says,
    pub(super) begun: Instant,
    /// When that was acknowledged.
    pub(super) acked: Instant,
}

/// What became of what was asked.
#[derive(Debug)]
pub(super) enum End {
    /// A person is asked.
    Waits,
    /// By this rule.
    Allowed(String),
    Forbidden {
        rule: String,
        reason: String,
    },
}

#[derive(Debug)]
pub(super) struct Asked {
    pub(super) id: InteractionId,
    pub(super) begun: Instant,
    pub(super) ended: Instant,
    pub(super) end: End,
}

/// What a person tried to approve after it was forbidden.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) id: InteractionId,
    pub(super) status: StatusCode,
    pub(super) said: Value,
}

pub(super) struct Story {
    /// By their number; the first one is that there are none.
    pub(super) sets: Vec<Set>,
    pub(super) asked: Vec<Asked>,
    /// Of what was allowed, while it still was.
    pub(super) runs: Vec<Run>,
    /// Of what had been allowed and was forbidden by then.
    pub(super) late_runs: Vec<Run>,
    pub(super) tried: Vec<Tried>,
}

/// The names of the rules of a set.
pub(super) fn names(number: usize, says: Says) -> Vec<String> {
    let (allows, forbids) = (format!("tests {number}"), format!("no tests {number}"));
    match says {
        Says::Nothing => Vec::new(),
        Says::Allows => vec![allows],
        Says::Forbids => vec![allows, forbids],
    }
}

/// Why the rule that forbids does so.
pub(super) fn reason(number: usize) -> String {
    format!("Number {number} says no.")
}

/// They are for this agent alone.
fn rules(number: usize, says: Says) -> Value {
    let names = names(number, says);
    let rule = |(n, name): (usize, &String)| {
        let mut rule = json!({
            "name": name, "agents": [RULED],
            "match": [{"tool": "Bash", "arguments": {"command": "cargo test"}}],
            "not_match": [{"tool": "Bash", "arguments": {"command": "ls"}}],
        });
        match n {
            0 => {
                rule["then"] = "allow".into();
                rule["matcher"] = json!({"like": {"tool": "Bash", "like": {}, "varies": [
                    {"at": ["command"], "by": {"words": {"begin": ["cargo", "test"]}}},
                ]}});
            }
            _ => {
                rule["then"] = "forbid".into();
                rule["reason"] = reason(number).into();
                rule["when"] = json!({
                    "tools": ["Bash"], "arguments": [{"has": {"words": ["cargo", "test"]}}],
                });
            }
        }
        rule
    };
    let rules: Vec<Value> = names.iter().enumerate().map(rule).collect();
    json!({ "rules": rules })
}

pub(super) async fn play(cast: &Cast, size: &Size) -> Story {
    let is_over = AtomicBool::new(false);
    let (mut story, one, other) = tokio::join!(
        sets(cast, size, &is_over),
        keeps_asking(cast, "one", &is_over),
        keeps_asking(cast, "other", &is_over),
    );
    story.asked.extend(one);
    story.asked.extend(other);
    story
}

async fn asks(cast: &Cast, key: &str) -> Asked {
    let body = json!({
        "kind": "approval", "prompt": "May the tests run?", "timeout_seconds": 3_600,
        "action": {"tool": "Bash", "arguments": {"command": "cargo test store"}},
    });
    let begun = Instant::now();
    let asked = cast.asks(&cast.ruled, &format!("ruled-{key}"), &body).await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let answer = &asked["answer"];
    let rule = text(&answer["responder"]["name"]);
    let end = match (asked["state"].as_str(), asked["approved"] == true) {
        (Some("pending"), _) => End::Waits,
        (_, true) => End::Allowed(rule),
        (_, false) => End::Forbidden {
            rule,
            reason: text(&answer["text"]),
        },
    };
    Asked {
        id: id_of(&asked),
        begun,
        ended: Instant::now(),
        end,
    }
}

async fn keeps_asking(cast: &Cast, who: &str, is_over: &AtomicBool) -> Vec<Asked> {
    let mut all = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let asked = asks(cast, &format!("{who}-{}", all.len())).await;
        if matches!(asked.end, End::Waits) {
            cast.takes_back(&cast.ruled, asked.id).await;
        }
        all.push(asked);
        sleep(Duration::from_millis(250)).await;
    }
    all
}

/// One set after the other. Whoever puts one in force asks right after that, and tries what it forbids.
async fn sets(cast: &Cast, size: &Size, is_over: &AtomicBool) -> Story {
    let mut random = StdRng::seed_from_u64(size.seed.wrapping_add(3_000));
    let now = Instant::now();
    let none = Set {
        says: Says::Nothing,
        begun: now,
        acked: now,
    };
    let mut story = Story {
        sets: vec![none],
        asked: Vec::new(),
        runs: Vec::new(),
        late_runs: Vec::new(),
        tried: Vec::new(),
    };
    let (mut waiting, mut allowed) = (None, None);
    for number in 1..=ORDER.len().max(size.rounds * 2) {
        let says = ORDER[(number - 1) % ORDER.len()];
        story.sets.push(set(cast, number, says).await);
        let asked = asks(cast, &format!("set-{number}")).await;
        match asked.end {
            End::Waits => {
                if let Some(before) = waiting.replace(asked.id) {
                    cast.takes_back(&cast.ruled, before).await;
                }
            }
            End::Allowed(_) => {
                allowed = Some(asked.id);
                let another = asks(cast, &format!("run-{number}")).await;
                if matches!(another.end, End::Allowed(_)) {
                    let runs = cast.runs_twice(&cast.ruled, another.id).await;
                    story.runs.extend(runs);
                }
                story.asked.push(another);
            }
            End::Forbidden { .. } => {}
        }
        story.asked.push(asked);
        if says == Says::Forbids {
            if let Some(id) = waiting.take() {
                let yes = json!({"approved": true});
                let (status, said) = cast.does(&cast.clerks[0], id, "answer", &yes).await;
                story.tried.push(Tried { id, status, said });
                cast.takes_back(&cast.ruled, id).await;
            }
            if let Some(id) = allowed.take() {
                story
                    .late_runs
                    .push(cast.runs(&cast.ruled, id, "late").await);
            }
        }
        sleep(size.pause.mul_f64(random.random_range(0.0..1.0))).await;
    }
    is_over.store(true, Ordering::Relaxed);
    if let Some(id) = waiting {
        cast.takes_back(&cast.ruled, id).await;
    }
    story
}

/// Puts a set in force in place of the one that is.
async fn set(cast: &Cast, number: usize, says: Says) -> Set {
    let begun = Instant::now();
    let rules = rules(number, says).to_string();
    let mut refusal = String::new();
    for _ in 0..TRIES {
        let in_force = cast.reads(&cast.clerks[0], "/api/v1/policies").await;
        let here = &in_force["here"];
        if are(here, &names(number, says)) {
            // It was done, and the node died before it could say so.
            let acked = Instant::now();
            return Set { says, begun, acked };
        }
        let replaces = here["id"].as_str().unwrap_or_default();
        let form = [("rules", &*rules), ("replaces", replaces)];
        let (status, text) = cast.submits(&cast.admin, "/settings/policies", &form).await;
        let acked = Instant::now();
        if status == StatusCode::SEE_OTHER {
            // Not to the page for strangers.
            let in_force = cast.reads(&cast.clerks[0], "/api/v1/policies").await;
            let is_set = are(&in_force["here"], &names(number, says));
            assert!(is_set, "set {number}, {says:?}: {in_force}");
            return Set { says, begun, acked };
        }
        refusal = format!("{status} {text}");
    }
    panic!("set {number}, {says:?} is not taken: {refusal}");
}

/// Whether these are the rules of a set that is in force.
fn are(set: &Value, names: &[String]) -> bool {
    let rules = set["rules"].as_array();
    rules.is_some_and(|rules| {
        let found = rules.iter().map(|one| one["rule"]["name"].as_str());
        found.eq(names.iter().map(|name| Some(&**name)))
    })
}
