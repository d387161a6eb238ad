//! Policies as an admin writes them, in TOML or JSON.

use domain::{
    interaction::{Action, Then},
    policy::{InForce, Policies, PolicySet, Question, rule},
    principal::Actor,
};
use serde_json::json;

use crate::known::{at, have_places};

/// What is right stays what it is, and the strictest rule wins (rule 14): whatever is added, what is forbidden stays so.
pub fn policy(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let policies = match server::policies::read(text) {
        Ok(policies) => policies,
        Err(faults) => return have_places(&faults),
    };
    let written = serde_json::to_string(&policies).unwrap();
    let again = server::policies::read(&written).unwrap();
    assert_eq!(again, policies);
    if let Err(faults) = policies.check() {
        have_places(&faults);
        assert_eq!(again.check().unwrap_err(), faults);
        return;
    }
    assert_eq!(again.digest().unwrap(), policies.digest().unwrap());
    assert!(policies.only_add_to(&policies));
    let forbids: Policies = serde_json::from_value(json!({"rules": [{
        "name": "never", "then": "forbid", "reason": "No.", "when": {"tools": ["psql"]},
    }]}))
    .unwrap();
    let [set, forbids] = [policies, forbids].map(|it| PolicySet::tried(it, Actor::Deadline, at(0)));
    for (tool, arguments) in [
        ("psql", json!({"sql": "DROP TABLE legacy"})),
        (
            "Bash",
            json!({"cwd": "/srv", "input": {"command": "git push --force"}}),
        ),
        ("Write", json!({"file_path": "/etc/passwd", "content": "x"})),
    ] {
        let action: Action =
            serde_json::from_value(json!({"tool": tool, "arguments": arguments})).unwrap();
        let asked = Question {
            agent: "backend",
            team: None,
            action: &action,
        };
        let alone = rule(&[InForce::Known(&set)], &asked);
        let both = [InForce::Known(&set), InForce::Known(&forbids)];
        let both = rule(&both, &asked);
        let then = both.as_ref().and_then(|it| it.ruled.then);
        if tool == "psql" {
            assert_eq!(then, Some(Then::Forbid));
        } else {
            assert_eq!(then, alone.as_ref().and_then(|it| it.ruled.then));
        }
    }
}
