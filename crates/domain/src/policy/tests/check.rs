//! What is wrong with policies is said in a sentence, with its place, and all at once.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{faults, rules};
use crate::{
    TeamId,
    policy::{Policies, Surroundings, TeamThere},
};

/// A rule that is in order, with these fields instead of its own.
fn with(fields: Value) -> Policies {
    let mut rule = json!({
        "name": "no force", "then": "forbid", "reason": "History stays.",
        "when": {"tools": ["Bash"], "arguments": [{"has": {"words": ["git", "push", "--force"]}}]},
        "match": [{"tool": "Bash", "arguments": {"command": "git push --force"}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "git push"}}],
    });
    for (name, value) in fields.as_object().unwrap() {
        match value.is_null() {
            true => {
                rule.as_object_mut().unwrap().remove(name);
            }
            false => rule[name] = value.clone(),
        }
    }
    rules(json!([rule]))
}

/// A rule that allows, in order.
fn allow() -> Value {
    json!({
        "name": "tests", "then": "allow",
        "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
            {"at": ["command"], "by": {"words": {"begin": ["cargo", "test"]}}},
        ]}},
        "match": [{"tool": "Bash", "arguments": {"command": "cargo test store"}}],
        "not_match": [{"tool": "Bash", "arguments": {"command": "cargo test; rm -rf /"}}],
    })
}

#[track_caller]
fn is_refused(policies: &Policies, path: &str, words: &str) {
    let found = faults(policies);
    assert!(
        found
            .iter()
            .any(|fault| fault.path == path && fault.message.contains(words)),
        "{path}: {words}: {found:?}"
    );
}

#[test]
fn rules_that_are_in_order_are_taken() {
    for policies in [
        Policies::default(),
        with(json!({})),
        with(
            json!({"then": "ask", "reason": null, "approvals": {"needed": 2, "of": "team", "four_eyes": true},
            "team": "Payments", "deadline_seconds": 600}),
        ),
        with(json!({"then": null, "destructive": true})),
        with(json!({"then": "ask", "destructive": true})),
        with(
            json!({"then": "ask", "reason": null, "agents": ["deploy"], "when": {},
            "not_match": [{"tool": "Bash", "agent": "backend"}]}),
        ),
        rules(json!([allow()])),
    ] {
        assert_eq!(faults(&policies), [], "{policies:?}");
    }
}

#[test]
fn examples_are_held_against_their_rule() {
    is_refused(
        &with(json!({"match": [{"tool": "Bash", "arguments": {"command": "git push"}}]})),
        "rules[0].match[0]",
        "is not matched",
    );
    is_refused(
        &with(
            json!({"not_match": [{"tool": "bash", "arguments": {"command": "git push x --force"}}]}),
        ),
        "rules[0].not_match[0]",
        "is matched",
    );
    for examples in ["match", "not_match"] {
        is_refused(
            &with(json!({examples: [{"tool": "Bash", "arguments": {"command": "$X"}}]})),
            &format!("rules[0].{examples}[0]"),
            "cannot be told",
        );
        is_refused(
            &with(json!({examples: null})),
            &format!("rules[0].{examples}"),
            "must have 1 to",
        );
    }
    // What is destructive no rule allows that is not made for exactly this.
    let mut destructive = allow();
    destructive["match"] =
        json!([{"tool": "Bash", "arguments": {"command": "cargo test --force"}}]);
    is_refused(
        &rules(json!([destructive])),
        "rules[0].match[0]",
        "is not matched",
    );
}

#[test]
fn what_matches_everything_is_refused() {
    for when in [
        json!({}),
        json!({"tools": ["*"]}),
        json!({"tools": ["b*"]}),
        json!({"tools": ["Bash", "*"]}),
    ] {
        is_refused(
            &with(json!({"when": when})),
            "rules[0].when",
            "would match everything",
        );
        // Also where one agent could do nothing any more: its token is there to be revoked.
        is_refused(
            &with(json!({"when": when, "agents": ["deploy"]})),
            "rules[0].when",
            "would match everything",
        );
    }
    for (has, field) in [
        (json!({"words": []}), "words"),
        (json!({"words": ["--"]}), "words"),
        (json!({"words": ["git push"]}), "words"),
        (json!({"words": [""]}), "words"),
        (json!({"below": "/"}), "below"),
        (json!({"below": ""}), "below"),
        (json!({"below": "etc"}), "below"),
        (json!({"below": "/etc/"}), "below"),
        (json!({"below": "/srv/../etc"}), "below"),
        (json!({"host": "com"}), "host"),
        (json!({"host": ""}), "host"),
        (json!({"host": "https://a.example"}), "host"),
        (json!({"is": []}), "is"),
        (json!({"is": [1]}), "is"),
    ] {
        let when = json!({"tools": ["Bash"], "arguments": [{"has": has}]});
        is_refused(
            &with(json!({"when": when})),
            &format!("rules[0].when.arguments[0].has.{field}"),
            "",
        );
    }
    let mut all = allow();
    all["matcher"] =
        json!({"like": {"tool": "Bash", "like": {}, "varies": [{"at": ["command"], "by": "any"}]}});
    is_refused(
        &rules(json!([all])),
        "rules[0].matcher.like.varies",
        "would match everything",
    );
}

#[test]
fn nothing_forbids_what_an_admin_needs_to_take_it_back() {
    let shell = json!({"tools": ["Bash"]});
    let own = json!({"arguments": [{"has": {"words": ["handraise"]}}]});
    let policy = json!({"arguments": [{"at": ["input", "command"], "has": {"words": ["handraise", "policy"]}}]});
    for when in [shell.clone(), own.clone(), policy] {
        is_refused(
            &with(json!({"when": when})),
            "rules[0].then",
            "by which an admin",
        );
    }
    // Of one agent, or where a person is asked, it is in order.
    for fields in [
        json!({"when": own, "agents": ["deploy"]}),
        json!({"when": own, "then": "ask"}),
        json!({"when": shell, "then": "ask"}),
    ] {
        let found = faults(&with(fields));
        assert!(
            found.iter().all(|fault| fault.path != "rules[0].then"),
            "{found:?}"
        );
    }
}

#[test]
fn each_verb_takes_what_belongs_to_it() {
    for (fields, path, words) in [
        (json!({"name": ""}), "name", "one line"),
        (json!({"name": "a\nb"}), "name", "one line"),
        (json!({"reason": null}), "reason", "is required"),
        (json!({"reason": " "}), "reason", "empty"),
        (json!({"then": null, "reason": null}), "then", "must be"),
        (
            json!({"then": null, "destructive": true, "reason": null}),
            "reason",
            "is required",
        ),
        (json!({"approvals": {"needed": 2}}), "approvals", "asks"),
        (json!({"team": "Payments"}), "team", "asks"),
        (json!({"deadline_seconds": 60}), "deadline_seconds", "asks"),
        (
            json!({"then": "ask", "approvals": {"needed": 0}}),
            "approvals.needed",
            "from 1 to",
        ),
        (
            json!({"then": "ask", "approvals": {"needed": 99}}),
            "approvals.needed",
            "from 1 to",
        ),
        (
            json!({"then": "ask", "deadline_seconds": 0}),
            "deadline_seconds",
            "from 1",
        ),
        (json!({"then": "ask", "team": ""}), "team", "name of a team"),
        (json!({"when": null}), "when", "is required"),
        (json!({"then": "allow"}), "matcher", "is required"),
        (
            json!({"then": "allow", "matcher": allow()["matcher"]}),
            "when",
            "forbid or ask",
        ),
        (
            json!({"matcher": allow()["matcher"], "when": null}),
            "matcher",
            "allow",
        ),
        (
            json!({"then": "allow", "destructive": true}),
            "destructive",
            "no part",
        ),
        (json!({"agents": [""]}), "agents[0]", "a name"),
        (
            json!({"when": {"tools": ["a*b"]}}),
            "when.tools[0]",
            "at its end",
        ),
    ] {
        is_refused(&with(fields), &format!("rules[0].{path}"), words);
    }
    let twice = rules(json!([allow(), allow()]));
    is_refused(&twice, "rules[1].name", "another rule");
    let many: Vec<Value> = (0..201).map(|_| allow()).collect();
    is_refused(&rules(Value::Array(many)), "rules", "at most");
    for unreadable in [
        json!([{"name": "a", "when": {"regex": ".*"}}]),
        json!([{"name": "a", "then": "deny"}]),
        json!([{"name": "a", "more": 1}]),
        json!([{"then": "ask"}]),
    ] {
        let read = serde_json::from_value::<Policies>(json!({"rules": unreadable}));
        assert!(read.is_err(), "{unreadable}");
    }
}

#[test]
fn what_nobody_could_give_is_not_asked_for() {
    let there = Surroundings {
        people: 2,
        teams: vec![TeamThere {
            id: TeamId(Uuid::from_u128(3)),
            name: "Payments".into(),
            members: 1,
            all: 3,
        }],
    };
    let ask = |fields: Value| {
        let mut all = json!({"then": "ask", "reason": null});
        for (name, value) in fields.as_object().unwrap() {
            all[name] = value.clone();
        }
        with(all).check_among(&there).err().unwrap_or_default()
    };
    for fields in [
        json!({"approvals": {"needed": 2}}),
        json!({"approvals": {"needed": 3}, "team": "payments"}),
        json!({"approvals": {"needed": 1, "of": "team"}, "team": "Payments"}),
        json!({"teams": ["Payments"]}),
    ] {
        assert_eq!(ask(fields.clone()), [], "{fields}");
    }
    for (fields, path) in [
        (
            json!({"approvals": {"needed": 3}}),
            "rules[0].approvals.needed",
        ),
        (
            json!({"approvals": {"needed": 4}, "team": "Payments"}),
            "rules[0].approvals.needed",
        ),
        (
            json!({"approvals": {"needed": 2, "of": "team"}, "team": "Payments"}),
            "rules[0].approvals.needed",
        ),
        (json!({"team": "Pyments"}), "rules[0].team"),
        (
            json!({"teams": ["Payments", "Pyments"]}),
            "rules[0].teams[1]",
        ),
    ] {
        let found = ask(fields);
        assert!(
            found.iter().any(|fault| fault.path == path),
            "{path}: {found:?}"
        );
    }
}

#[test]
fn policies_come_back_as_they_were_written() {
    let mut both = serde_json::to_value(with(json!({}))).unwrap();
    both["rules"].as_array_mut().unwrap().push(allow());
    let policies: Policies = serde_json::from_value(both).unwrap();
    let text = serde_json::to_string(&policies).unwrap();
    let read: Policies = serde_json::from_str(&text).unwrap();
    assert_eq!(read, policies);
    assert_eq!(read.digest().unwrap(), policies.digest().unwrap());
}
