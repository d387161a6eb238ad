//! What a rule applies to, what is wrong with one, and what all of them say together (rule 14).

mod check;
mod ruling;
mod when;

use chrono::TimeDelta;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{InForce, Policies, PolicyRule, PolicySet, Question, Ruling, Source, rule};
use crate::{
    Actor, Fault, PolicyId,
    interaction::Action,
    json::AnyJson,
    testing::{Stamp, epoch},
};

pub(super) fn action(tool: &str, arguments: Value) -> Action {
    Action {
        tool: tool.to_owned(),
        arguments: AnyJson(arguments),
        operands: Vec::new(),
        attachments: Vec::new(),
    }
}

pub(super) fn bash(command: &str) -> Action {
    action("Bash", json!({"command": command}))
}

pub(super) fn by(action: &Action) -> Question<'_> {
    Question {
        agent: "backend",
        team: None,
        action,
    }
}

pub(super) fn rules(rules: Value) -> Policies {
    serde_json::from_value(json!({"rules": rules})).unwrap()
}

pub(super) fn one(fields: Value) -> PolicyRule {
    let mut rule = json!({"name": "a rule", "then": "ask"});
    for (name, value) in fields.as_object().unwrap() {
        rule[name] = value.clone();
    }
    serde_json::from_value(rule).unwrap()
}

pub(super) fn faults(policies: &Policies) -> Vec<Fault> {
    policies.check().err().unwrap_or_default()
}

pub(super) fn set(n: u128, policies: Policies) -> PolicySet {
    let by = Actor::Operator {
        name: "root".into(),
    };
    let at = epoch() + TimeDelta::seconds(1);
    let id = PolicyId(Uuid::from_u128(n));
    PolicySet::sign(id, Source::Here, policies, by, at, &Stamp).unwrap()
}

/// What one set says of an action.
pub(super) fn says(policies: Value, action: &Action) -> Option<Ruling> {
    let set = set(1, rules(policies));
    rule(&[InForce::Known(&set)], &by(action))
}
