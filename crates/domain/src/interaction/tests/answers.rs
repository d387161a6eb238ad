//! What is an answer to each kind, and what is not.

use serde_json::{Value, json};

use crate::{
    interaction::{AnswerDraft, Checked, FormAnswers, Kind, PlanDecision, TargetMode},
    limits,
    testing::{body, given, request, with},
};

/// Paths of the faults; empty = accepted.
fn faults(asked: Value, answer: Value) -> Vec<String> {
    let ask = request(asked).ask;
    match given(answer).check(&ask, &FormAnswers::new()) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.path).collect(),
    }
}

#[test]
fn every_kind_takes_its_own_answer_and_no_other() {
    let several = || with(Kind::Choice, json!({"multiple": true}));
    for (asked, answer, expected) in [
        (body(Kind::Question), json!({"text": ""}), &[][..]),
        (body(Kind::Question), json!({"text": "0"}), &[]),
        (body(Kind::Question), json!({"text": "false"}), &[]),
        (body(Kind::Question), json!({}), &["text"]),
        (
            body(Kind::Question),
            json!({"text": "x", "approved": true}),
            &["approved"],
        ),
        (body(Kind::Choice), json!({"selected": ["lru"]}), &[]),
        (
            body(Kind::Choice),
            json!({"selected": ["none"]}),
            &["selected"],
        ),
        (
            body(Kind::Choice),
            json!({"selected": ["lru", "redis"]}),
            &["selected"],
        ),
        (body(Kind::Choice), json!({"selected": []}), &["selected"]),
        (
            body(Kind::Choice),
            json!({"text": "lru"}),
            &["text", "selected"],
        ),
        (several(), json!({"selected": ["lru", "redis"]}), &[]),
        (several(), json!({"selected": []}), &[]),
        (several(), json!({"selected": ["lru", "x"]}), &["selected"]),
        (body(Kind::Acknowledgement), json!({}), &[]),
        (
            body(Kind::Acknowledgement),
            json!({"text": "ok"}),
            &["text"],
        ),
        (body(Kind::Approval), json!({"approved": false}), &[]),
        (
            body(Kind::Approval),
            json!({"approved": true, "text": "go"}),
            &[],
        ),
        (body(Kind::Approval), json!({"text": "go"}), &["approved"]),
        (
            body(Kind::PlanReview),
            json!({"decision": "proceed_clean"}),
            &[],
        ),
        (
            body(Kind::PlanReview),
            json!({"decision": "adjust"}),
            &["feedback"],
        ),
        (
            body(Kind::PlanReview),
            json!({"decision": "adjust", "feedback": " \n"}),
            &["feedback"],
        ),
        (
            body(Kind::PlanReview),
            json!({"decision": "adjust", "feedback": "Test first"}),
            &[],
        ),
        (body(Kind::PlanReview), json!({}), &["decision"]),
        (
            body(Kind::PlanReview),
            json!({"decision": "adjust", "comments": [{"line": 2, "text": "Not today"}]}),
            &[],
        ),
        (
            body(Kind::PlanReview),
            json!({"decision": "proceed", "feedback": "Mind the disk", "comments": [{"line": 1.0, "to_line": 2, "text": "Good"}]}),
            &[],
        ),
        (
            body(Kind::PlanReview),
            json!({"decision": "adjust", "comments": []}),
            &["feedback"],
        ),
        (
            body(Kind::Approval),
            json!({"approved": true, "comments": [{"line": 1, "text": "x"}]}),
            &["comments"],
        ),
        (body(Kind::Form), json!({"answers": {"port": ""}}), &[]),
        (
            body(Kind::Form),
            json!({"answers": {"env": ["staging"]}}),
            &[],
        ),
        (
            body(Kind::Form),
            json!({"answers": {"env": "home", "x": "y"}}),
            &["answers.env", "answers.x"],
        ),
        (
            body(Kind::Form),
            json!({"answers": {"port": ["80"]}}),
            &["answers.port"],
        ),
        (body(Kind::Form), json!({"answers": {}}), &["answers"]),
        (body(Kind::Form), json!({}), &["answers"]),
        (body(Kind::Notification), json!({}), &["$"]),
    ] {
        assert_eq!(
            faults(asked.clone(), answer.clone()),
            expected,
            "{asked} {answer}"
        );
    }
}

#[test]
fn limits_are_inclusive() {
    let longest = "ü".repeat(limits::TEXT_CHARS);
    let longer = format!("{longest}x");
    for (kind, field) in [(Kind::Question, "text"), (Kind::PlanReview, "feedback")] {
        for (text, fine) in [(&longest, true), (&longer, false)] {
            let mut answer = json!({field: text});
            if kind == Kind::PlanReview {
                answer["decision"] = "adjust".into();
            }
            assert_eq!(faults(body(kind), answer).is_empty(), fine);
        }
    }
}

#[test]
fn chosen_values_come_in_the_order_of_the_options() {
    let ask = request(with(Kind::Choice, json!({"multiple": true}))).ask;
    let draft = given(json!({"selected": ["lru", "redis", "lru"]}));
    let Ok(Checked::Whole(content)) = draft.check(&ask, &FormAnswers::new()) else {
        panic!();
    };
    assert_eq!(content.to_text(&ask), "redis, lru");
}

#[test]
fn a_decision_says_what_the_agent_may_do() {
    use PlanDecision::{Adjust, Proceed, ProceedClean, ProceedDefault};
    for (decision, clear_context, target_mode) in [
        (Proceed, false, Some(TargetMode::Edit)),
        (ProceedClean, true, Some(TargetMode::Edit)),
        (ProceedDefault, true, Some(TargetMode::Default)),
        (Adjust, false, None),
    ] {
        assert_eq!(decision.clear_context(), clear_context);
        assert_eq!(decision.target_mode(), target_mode);
    }
}

#[test]
fn an_answer_to_another_action_or_plan_than_is_asked_counts_for_nothing() {
    let approval = request(body(Kind::Approval)).ask;
    let plan = request(body(Kind::PlanReview)).ask;
    for (ask, answer) in [
        (&approval, json!({"approved": true})),
        (&plan, json!({"decision": "proceed"})),
    ] {
        let with = |digest: Value| {
            let mut answer = answer.clone();
            answer["digest"] = digest;
            let checked = given(answer).check(ask, &FormAnswers::new());
            checked.map_err(|faults| faults[0].path.clone()).err()
        };
        assert_eq!(with(Value::Null), None);
        assert_eq!(with(json!(ask.digest())), None);
        assert_eq!(with(json!("sha256:0")).as_deref(), Some("digest"));
    }
    assert_eq!(
        faults(
            body(Kind::Question),
            json!({"text": "x", "digest": approval.digest()})
        ),
        ["digest", "digest"]
    );
}

#[test]
fn unknown_fields_of_an_answer_are_refused() {
    assert!(serde_json::from_value::<AnswerDraft>(json!({"approve": true})).is_err());
    assert!(serde_json::from_value::<AnswerDraft>(json!({"approved": "true"})).is_err());
    assert!(serde_json::from_value::<AnswerDraft>(json!({"approved": 1})).is_err());
}
