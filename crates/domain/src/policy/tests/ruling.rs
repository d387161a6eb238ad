//! The strictest wins, over all policies (rule 14).

use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{action, bash, by, rules, says, set};
use crate::{
    PolicyId,
    interaction::{Counted, Quorum, Request, Then},
    policy::{InForce, rule, rule_among, under},
    testing::{Stamp, request},
};

fn ask(name: &str, words: &[&str]) -> Value {
    json!({"name": name, "then": "ask", "when": {"arguments": [{"has": {"words": words}}]}})
}

fn forbid(name: &str, words: &[&str]) -> Value {
    let mut rule = ask(name, words);
    rule["then"] = "forbid".into();
    rule["reason"] = format!("because of {name}").into();
    rule
}

fn allow(name: &str, words: &[&str]) -> Value {
    json!({"name": name, "then": "allow", "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
        {"at": ["command"], "by": {"words": {"begin": words}}},
    ]}}})
}

fn destructive(name: &str, words: &[&str]) -> Value {
    let mut rule = ask(name, words);
    rule.as_object_mut().unwrap().remove("then");
    rule["destructive"] = true.into();
    rule["reason"] = "It deletes.".into();
    rule
}

fn then(policies: Value, command: &str) -> Option<Option<Then>> {
    says(policies, &bash(command)).map(|ruling| ruling.ruled.then)
}

#[test]
fn forbid_comes_before_ask_before_allow_whatever_the_order() {
    let all = [
        allow("tests", &["cargo", "test"]),
        ask("cargo", &["cargo"]),
        forbid("doc", &["--doc"]),
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let rules = |which: &[usize]| {
            let kept = order.iter().filter(|n| which.contains(n));
            Value::Array(kept.map(|n| all[*n].clone()).collect())
        };
        let command = "cargo test x";
        assert_eq!(then(rules(&[0]), command), Some(Some(Then::Allow)));
        assert_eq!(then(rules(&[0, 1]), command), Some(Some(Then::Ask)));
        assert_eq!(then(rules(&[0, 1, 2]), command), Some(Some(Then::Ask)));
        assert_eq!(
            then(rules(&[0, 1, 2]), "cargo test --doc"),
            Some(Some(Then::Forbid))
        );
    }
    assert_eq!(then(json!([]), "ls"), None);
    assert_eq!(then(json!([ask("git", &["git"])]), "ls"), None);
}

#[test]
fn a_rule_that_cannot_be_told_to_apply_asks() {
    for strict in [
        forbid("push", &["git", "push"]),
        ask("push", &["git", "push"]),
    ] {
        let ruling = says(json!([strict]), &bash("$X status")).unwrap();
        assert_eq!(ruling.ruled.then, Some(Then::Ask));
        assert!(ruling.ruled.by[0].unclear);
        assert_eq!(ruling.decided_by, None);
        assert_eq!(ruling.quorum, None);
        assert!(ruling.ruled.lines()[0].starts_with("It could not be told"));
    }
    // Also beside one that allows.
    let exact = bash("echo $HOME");
    let allowing = json!({"name": "exact", "then": "allow", "matcher":
        {"exactly": {"tool": "Bash", "digest": exact.digest().unwrap()}}});
    let alone = says(json!([allowing]), &exact).unwrap();
    assert_eq!(alone.ruled.then, Some(Then::Allow));
    let beside = says(json!([allowing, forbid("push", &["git", "push"])]), &exact).unwrap();
    assert_eq!(beside.ruled.then, Some(Then::Ask));
    // What was stored and passes no check today, too.
    let broken = json!([{"name": "broken", "then": "forbid", "reason": "x"}]);
    assert_eq!(then(broken, "ls"), Some(Some(Then::Ask)));
}

#[test]
fn who_hides_a_word_is_asked_about_as_strictly() {
    let mut two = ask("two", &["terraform", "apply"]);
    two["approvals"] = json!({"needed": 2, "of": "team", "four_eyes": true});
    two["team"] = "Operations".into();
    two["deadline_seconds"] = 600.into();
    let mark = destructive("it deletes", &["terraform", "apply"]);
    for command in ["terraform apply", "terraform $X"] {
        let ruling = says(json!([two, mark]), &bash(command)).unwrap();
        let expected = Quorum {
            needed: 2,
            of: Counted::Team,
            four_eyes: true,
        };
        assert_eq!(ruling.ruled.then, Some(Then::Ask), "{command}");
        assert_eq!(ruling.quorum, Some(expected), "{command}");
        assert_eq!(ruling.team.as_deref(), Some("Operations"), "{command}");
        assert_eq!(ruling.deadline_seconds, Some(600), "{command}");
        assert!(ruling.ruled.destructive, "{command}");
        let reasons = ruling.ruled.by.iter().map(|by| by.reason.as_deref());
        assert!(
            reasons.into_iter().any(|it| it == Some("It deletes.")),
            "{command}"
        );
    }
    // A rule that forbids, and cannot be told to, asks as one that has no number.
    let ruling = says(json!([forbid("no", &["terraform"])]), &bash("$X apply")).unwrap();
    assert_eq!((ruling.ruled.then, ruling.quorum), (Some(Then::Ask), None));
}

#[test]
fn why_it_is_destructive_is_said_whatever_else_is() {
    let mut all: Vec<Value> = (0..12).map(|n| ask(&format!("ask {n}"), &["ls"])).collect();
    all.push(destructive("it deletes", &["ls"]));
    let ruling = says(Value::Array(all), &bash("ls x")).unwrap();
    assert!(ruling.ruled.destructive);
    assert!(ruling.ruled.by.iter().any(|by| by.rule == "it deletes"));
}

#[test]
fn policies_that_cannot_be_read_ask_about_everything() {
    let good = set(
        1,
        rules(json!([
            allow("tests", &["cargo", "test"]),
            forbid("push", &["git", "push"])
        ])),
    );
    let lost = InForce::Unreadable(PolicyId(Uuid::from_u128(9)));
    for (command, expected) in [
        ("cargo test", Then::Ask),
        ("ls", Then::Ask),
        ("git push", Then::Forbid),
    ] {
        let asked = bash(command);
        let ruling = rule(&[InForce::Known(&good), lost], &by(&asked)).unwrap();
        assert_eq!(ruling.ruled.then, Some(expected), "{command}");
    }
    assert!(rule(&[lost], &by(&bash("ls"))).unwrap().ruled.by[0].unclear);
}

#[test]
fn two_sets_are_in_force_side_by_side() {
    let file = set(1, rules(json!([forbid("push", &["git", "push"])])));
    let here = set(
        2,
        rules(json!([
            allow("exact", &["git", "status"]),
            ask("git", &["git"])
        ])),
    );
    let both = [InForce::Known(&file), InForce::Known(&here)];
    let asked = bash("git push");
    let ruling = rule(&both, &by(&asked)).unwrap();
    let decided = ruling.decided_by.unwrap();
    assert_eq!(
        (decided.id, &*decided.rule),
        (PolicyId(Uuid::from_u128(1)), "push")
    );
    assert_eq!(decided.digest, file.policies.digest().unwrap());
    assert_eq!(ruling.ruled.reason(), "because of push");
    let asked = bash("git status");
    let ruling = rule(&both, &by(&asked)).unwrap();
    assert_eq!(ruling.ruled.then, Some(Then::Ask));
    assert_eq!(ruling.decided_by, None);
}

#[test]
fn what_is_destructive_is_allowed_for_exactly_this_alone() {
    let asked = bash("cargo test x");
    let exactly = json!({"name": "exact", "then": "allow", "matcher":
        {"exactly": {"tool": "Bash", "digest": asked.digest().unwrap()}}});
    let mark = destructive("tests drop the database", &["cargo", "test"]);
    let like = allow("tests", &["cargo", "test"]);
    let ruling = says(json!([mark, like]), &asked).unwrap();
    assert_eq!(ruling.ruled.then, None);
    assert!(ruling.ruled.destructive);
    assert_eq!(ruling.ruled.by[0].reason.as_deref(), Some("It deletes."));
    let ruling = says(json!([mark, exactly]), &asked).unwrap();
    assert_eq!(ruling.ruled.then, Some(Then::Allow));
    assert!(ruling.ruled.destructive);
    assert_eq!(ruling.ruled.by.len(), 2);
    // The agent wants a person's word: what is left is that it is destructive.
    let left = ruling.without_allowing().unwrap();
    assert_eq!((left.ruled.then, left.ruled.destructive), (None, true));
    assert_eq!(left.ruled.by[0].rule, "tests drop the database");
    assert_eq!(left.decided_by, None);
    assert_eq!(
        says(json!([like]), &asked).unwrap().without_allowing(),
        None
    );
}

fn asked(fields: Value) -> Request {
    let mut body = json!({"kind": "approval", "prompt": "May it?", "timeout_seconds": 3600,
        "action": {"tool": "Bash", "arguments": {"command": "terraform apply"}}});
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    request(body)
}

#[test]
fn people_are_asked_as_the_strictest_of_all_says() {
    let two = json!({"name": "two", "then": "ask", "when": {"arguments": [{"has": {"words": ["terraform"]}}]},
        "approvals": {"needed": 2}, "team": "Operations", "deadline_seconds": 7200});
    let eyes = json!({"name": "eyes", "then": "ask", "when": {"arguments": [{"has": {"words": ["apply"]}}]},
        "approvals": {"four_eyes": true, "of": "team"}, "team": "Payments", "deadline_seconds": 600});
    let ruling = says(json!([two, eyes]), &bash("terraform apply")).unwrap();
    let both = Quorum {
        needed: 2,
        of: Counted::Team,
        four_eyes: true,
    };
    assert_eq!(ruling.quorum, Some(both));
    assert_eq!(ruling.team.as_deref(), Some("Operations"));
    assert_eq!(ruling.deadline_seconds, Some(600));
    assert_eq!(ruling.ruled.by.len(), 2);
    let approvals = |request: &Request| match &request.ask {
        crate::interaction::Ask::Approval {
            approvals,
            amendable,
            ..
        } => (*approvals, amendable.is_some()),
        _ => panic!("no approval"),
    };
    let plain = under(asked(json!({})), &ruling);
    assert_eq!(approvals(&plain), (Some(both), false));
    assert_eq!(plain.timeout_seconds, Some(600));
    assert_eq!(plain.ruled.as_deref(), Some(&ruling.ruled));
    // Never less than the agent wants, and nothing is changed of what several approve.
    let three = under(
        asked(json!({"approvals": {"needed": 3}, "timeout_seconds": 60})),
        &ruling,
    );
    assert_eq!(approvals(&three).0.unwrap().needed, 3);
    assert_eq!(three.timeout_seconds, Some(60));
    let never = under(asked(json!({"timeout_seconds": null})), &ruling);
    assert_eq!(never.timeout_seconds, Some(600));
    let changed = asked(json!({"amendable": true}));
    assert_eq!(
        approvals(&under(changed.clone(), &ruling)),
        (Some(both), false)
    );
    // A repeat of what was asked is known again.
    assert!(under(changed.clone(), &ruling).is_asked_as(&changed));
    assert!(!plain.is_asked_as(&asked(json!({"prompt": "Another"}))));
    let mut other = changed;
    if let crate::interaction::Ask::Approval { action, .. } = &mut other.ask {
        action.tool = "Other".into();
    }
    assert!(!plain.is_asked_as(&other));
}

#[test]
fn what_no_key_has_signed_is_not_proven() {
    let good = set(1, rules(json!([allow("tests", &["cargo", "test"])])));
    assert!(good.is_proven(&Stamp));
    let mut other = good.clone();
    other.policies = rules(json!([]));
    assert!(!other.is_proven(&Stamp));
    let mut later = good.clone();
    later.terms.at += chrono::TimeDelta::seconds(1);
    assert!(!later.is_proven(&Stamp));
    let mut first = good.clone();
    first.terms.replaces = Some(PolicyId(Uuid::from_u128(9)));
    assert!(!first.is_proven(&Stamp));
    let mut file = good;
    file.terms.source = crate::policy::Source::File;
    assert!(!file.is_proven(&Stamp));
}

#[test]
fn no_agent_of_another_name_is_allowed() {
    let mut tests = allow("tests", &["cargo", "test"]);
    tests["agents"] = json!(["backend"]);
    let asked = bash("cargo test");
    assert!(says(json!([tests]), &asked).is_some());
    tests["agents"] = json!(["Backend"]);
    assert!(says(json!([tests]), &asked).is_none());
    // One that asks means both.
    let mut first = ask("first", &["cargo"]);
    first["agents"] = json!(["Backend"]);
    assert!(says(json!([first]), &asked).is_some());
}

#[test]
fn a_rule_for_a_team_that_is_gone_may_be_for_any() {
    let mut theirs = forbid("push", &["git", "push"]);
    theirs["teams"] = json!(["Payments"]);
    let set = set(1, rules(json!([theirs])));
    let says = |command: &str, teams: Option<&[String]>| {
        let asked = bash(command);
        let ruling = rule_among(&[InForce::Known(&set)], &by(&asked), teams);
        ruling.map(|ruling| ruling.ruled.then)
    };
    let (there, gone) = (["payments".to_owned()], ["Search".to_owned()]);
    assert_eq!(says("git push", None), None);
    assert_eq!(says("git push", Some(&there)), None);
    assert_eq!(says("git push", Some(&gone)), Some(Some(Then::Ask)));
    assert_eq!(says("git log", Some(&gone)), None);
}

#[test]
fn no_other_tool_is_allowed() {
    let policies = json!([allow("tests", &["cargo", "test"])]);
    assert!(
        says(
            policies.clone(),
            &action("bash", json!({"command": "cargo test"}))
        )
        .is_none()
    );
    assert!(says(policies, &bash("cargo test && rm -rf /")).is_none());
}

proptest! {
    /// One more rule that does not allow never makes anything milder, and one that allows never touches what is not.
    #[test]
    fn a_rule_more_is_never_milder(which in proptest::collection::vec(0..5_usize, 0..6), more in 0..4_usize, command in "(cargo test|git push|ls|cargo test -p \\$X)") {
        let all = [
            forbid("push", &["git", "push"]), ask("cargo", &["cargo"]), destructive("ls", &["ls"]),
            forbid("x", &["store"]), allow("tests", &["cargo", "test"]),
        ];
        let some: Vec<Value> = which.iter().map(|n| all[*n].clone()).collect();
        let mut with_more = some.clone();
        with_more.push(all[more].clone());
        let strictness = |policies: Vec<Value>| {
            let ruling = says(Value::Array(policies), &bash(&command));
            match ruling {
                None => 1,
                Some(ruling) => match ruling.ruled.then {
                    Some(Then::Allow) => 0,
                    None => 2,
                    Some(Then::Ask) => 3,
                    Some(Then::Forbid) => 4,
                },
            }
        };
        prop_assert!(strictness(with_more) >= strictness(some));
    }

    /// The order of rules decides nothing.
    #[test]
    fn the_order_decides_nothing(shuffled in Just(vec![0, 1, 2, 3, 4_usize]).prop_shuffle(), command in "(cargo test|git push|ls|terraform apply)") {
        let all = [
            forbid("push", &["git", "push"]), ask("cargo", &["cargo"]), destructive("ls", &["ls"]),
            ask("terraform", &["terraform"]), allow("tests", &["cargo", "test"]),
        ];
        let in_order = says(Value::Array(all.to_vec()), &bash(&command));
        let otherwise = says(shuffled.iter().map(|n| all[*n].clone()).collect(), &bash(&command));
        let what = |ruling: Option<crate::policy::Ruling>| ruling.map(|it| (it.ruled.then, it.ruled.destructive, it.quorum));
        prop_assert_eq!(what(in_order), what(otherwise));
    }
}
