//! The policies that the operator puts in force, one of a few sets, and what each says of the one action that they are about.

use serde_json::{Value, json};

/// What a set says of `cargo test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Nothing,
    Allows,
    Asks,
    Forbids,
}

/// How many sets there are.
pub(crate) const SETS: usize = 6;

/// What the set of this number says: the strictest of its rules.
pub(crate) fn says(set: usize) -> Says {
    match set {
        0 => Says::Nothing,
        1 => Says::Allows,
        2 | 3 => Says::Asks,
        _ => Says::Forbids,
    }
}

/// The set of this number; each has a rule of its own name, so that no two are the same.
pub(crate) fn rules(set: usize, number: usize) -> Value {
    let then: &[&str] = match set {
        0 => &[],
        1 => &["allow"],
        2 => &["ask"],
        3 => &["allow", "ask"],
        4 => &["allow", "forbid"],
        _ => &["ask", "forbid", "allow"],
    };
    let rules: Vec<Value> = then.iter().map(|then| rule(then, number)).collect();
    json!({ "rules": rules })
}

fn rule(then: &str, number: usize) -> Value {
    let mut rule = json!({
        "name": format!("{then} {number}"),
        "then": then,
        "match": [{"tool": "Bash", "arguments": {"command": "cargo test"}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "ls"}}],
    });
    // Not for every agent: no rule keeps an admin's own commands from all of them.
    rule["agents"] = json!(["builder", "deployer", "helper"]);
    match then {
        "allow" => {
            rule["matcher"] = json!({"like": {"tool": "Bash", "like": {}, "varies": [
                {"at": ["command"], "by": {"words": {"begin": ["cargo", "test"]}}},
            ]}});
        }
        _ => {
            rule["reason"] = format!("Number {number} says so.").into();
            rule["when"] = json!({
                "tools": ["Bash"], "arguments": [{"has": {"words": ["cargo", "test"]}}],
            });
        }
    }
    rule
}
