//! Comments on lines of a plan: which are taken, how they read as text, and what became of their lines.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    fault::Fault,
    interaction::{AnswerContent, Became, Checked, Comment, FormAnswers, Kind, Pair, PlanDecision},
    limits,
    testing::{body, given, request, with},
};

const PLAN: &str = "# Release\n\n1. Test\n2. Deploy\n";

fn checked(comments: Value) -> Result<AnswerContent, Vec<Fault>> {
    let ask = request(with(Kind::PlanReview, json!({"plan": PLAN}))).ask;
    let draft = given(json!({"decision": "adjust", "comments": comments}));
    match draft.check(&ask, &FormAnswers::new())? {
        Checked::Whole(content) => Ok(content),
        Checked::Part(_) => panic!("a plan has no parts"),
    }
}

#[test]
fn a_comment_on_a_line_that_is_not_there_is_refused_and_none_is_kept() {
    for (comments, path, message) in [
        (
            json!([{"line": 4, "text": "x"}, {"line": 5, "text": "x"}]),
            "comments[1].line",
            "is no line of this plan, which has 4 lines",
        ),
        (
            json!([{"line": 0, "text": "x"}]),
            "comments[0].line",
            "lines are counted from 1",
        ),
        (
            json!([{"line": -3, "text": "x"}]),
            "comments[0].line",
            "lines are counted from 1",
        ),
        (
            json!([{"line": 1, "to_line": i64::MAX, "text": "x"}]),
            "comments[0].to_line",
            "is no line of this plan, which has 4 lines",
        ),
        (
            json!([{"line": 3, "to_line": 2, "text": "x"}]),
            "comments[0].to_line",
            "must not be before `line`",
        ),
        (
            json!([{"line": 3, "text": " \n"}]),
            "comments[0].text",
            "must not be empty",
        ),
    ] {
        assert_eq!(checked(comments), Err(vec![Fault::new(path, message)]));
    }
}

#[test]
fn limits_of_comments_are_inclusive() {
    let many = |count: usize, chars: usize| {
        let text = "ü".repeat(chars);
        let comments = (0..count).map(|_| json!({"line": 1, "text": text}));
        checked(comments.collect())
    };
    let (most, longest) = (limits::COMMENTS, limits::COMMENT_CHARS);
    assert!(many(most, limits::TEXT_CHARS / most).is_ok());
    assert!(many(1, longest).is_ok());
    assert!(many(limits::TEXT_CHARS / longest, longest).is_ok());
    let paths = |result: Result<_, Vec<Fault>>| {
        let faults = result.unwrap_err().into_iter();
        faults.map(|fault| fault.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(many(most + 1, 1)), ["comments"]);
    assert_eq!(paths(many(1, longest + 1)), ["comments[0].text"]);
    let too_many = many(limits::TEXT_CHARS / longest + 1, longest);
    assert_eq!(paths(too_many), ["comments"]);
    // What goes out repeats only so much of a plan, however often it is commented on.
    let plan = "ü".repeat(500);
    let on_it = Comment {
        line: 1,
        to_line: None,
        text: String::new(),
    };
    assert_eq!(on_it.quote(&plan).chars().count(), 81);
    // Feedback and comments share their room.
    let ask = request(body(Kind::PlanReview)).ask;
    let both = |chars: usize| {
        let draft = given(json!({
            "decision": "adjust", "feedback": "ü".repeat(limits::TEXT_CHARS - 10),
            "comments": [{"line": 1, "text": "ü".repeat(chars)}],
        }));
        draft.check(&ask, &FormAnswers::new())
    };
    assert!(both(10).is_ok());
    let paths: Vec<_> = both(11)
        .unwrap_err()
        .into_iter()
        .map(|it| it.path)
        .collect();
    assert_eq!(paths, ["comments"]);
}

#[test]
fn comments_go_back_in_the_order_of_the_plan_each_with_its_place() {
    let content = checked(json!([
        {"line": 4, "text": "Not before\nnoon"},
        {"line": 2, "to_line": 3, "text": "On both databases"},
        {"line": 4, "to_line": 4, "text": "Who?"},
        {"line": 2, "text": "A word on why"},
    ]))
    .unwrap();
    let ask = request(with(Kind::PlanReview, json!({"plan": PLAN}))).ask;
    assert_eq!(
        content.feedback(&ask).unwrap(),
        "Line 2: A word on why\n\n\
         Lines 2 to 3, “1. Test”: On both databases\n\n\
         Line 4, “2. Deploy”: Not before\nnoon\n\n\
         Line 4, “2. Deploy”: Who?"
    );
    let AnswerContent::Plan { comments, .. } = &content else {
        panic!("{content:?}");
    };
    let quoted: Vec<_> = comments.iter().map(|it| it.quote(PLAN)).collect();
    assert_eq!(quoted, ["", "1. Test", "2. Deploy", "2. Deploy"]);
    assert_eq!(
        content.to_text(&ask).lines().next(),
        Some("Stay in plan mode and work the feedback in: Line 2: A word on why")
    );
    assert_eq!(content.brief(), "A word on why");
}

#[test]
fn what_was_typed_comes_before_the_comments_and_a_decision_to_go_on_takes_both() {
    let ask = request(body(Kind::PlanReview)).ask;
    let draft = given(json!({
        "decision": "proceed", "feedback": "Tell me when it is done. ",
        "comments": [{"line": 2, "text": "Not on a Friday"}],
    }));
    let Ok(Checked::Whole(content)) = draft.check(&ask, &FormAnswers::new()) else {
        panic!();
    };
    assert_eq!(
        content.feedback(&ask).unwrap(),
        "Tell me when it is done. \n\nLine 2, “2. Deploy”: Not on a Friday"
    );
    assert_eq!(content.brief(), "Tell me when it is done. ");
}

#[test]
fn an_answer_from_before_there_were_comments_is_written_as_it_was() {
    let before = r#"{"type":"plan","decision":"adjust","feedback":"Test first"}"#;
    let content: AnswerContent = serde_json::from_str(before).unwrap();
    assert_eq!(
        content,
        AnswerContent::Plan {
            decision: PlanDecision::Adjust,
            feedback: Some("Test first".into()),
            comments: Vec::new(),
        }
    );
    assert_eq!(serde_json::to_string(&content).unwrap(), before);
    let ask = request(body(Kind::PlanReview)).ask;
    assert_eq!(
        serde_json::to_string(&ask).unwrap(),
        r#"{"kind":"plan_review","plan":"1. Test\n2. Deploy"}"#
    );
}

/// `=` stayed, `-` went, `+` came.
fn compared(signs: &str) -> Vec<Pair> {
    let (mut old, mut new) = (0, 0);
    let pairs = signs.chars().map(|sign| {
        old += usize::from(sign != '+');
        new += usize::from(sign != '-');
        Pair {
            old: (sign != '+').then_some(old),
            new: (sign != '-').then_some(new),
        }
    });
    pairs.collect()
}

#[test]
fn what_became_of_lines_is_told_by_the_difference() {
    for (signs, lines, expected) in [
        ("====", 2..=3, Became::Stayed { now: 2..=3 }),
        ("++==", 1..=2, Became::Stayed { now: 3..=4 }),
        // What came beside it is not in it.
        ("=+=", 1..=1, Became::Stayed { now: 1..=1 }),
        ("=+=", 1..=2, Became::Changed { now: 1..=3 }),
        ("=-=", 2..=2, Became::Gone),
        ("=-=", 1..=3, Became::Changed { now: 1..=2 }),
        ("=-+=", 2..=2, Became::Changed { now: 2..=2 }),
        // Of a stretch that was written anew nobody can say which of its lines is which.
        ("---++=", 2..=2, Became::Changed { now: 1..=2 }),
        ("---++=", 1..=4, Became::Changed { now: 1..=3 }),
        ("=--", 2..=3, Became::Gone),
        ("--", 1..=2, Became::Gone),
        ("==", 3..=3, Became::Gone),
    ] {
        let found = Became::of(&lines, &compared(signs));
        assert_eq!(found, expected, "{signs} {lines:?}");
    }
}

#[test]
fn what_became_of_them_is_said_in_words() {
    for (became, words) in [
        (Became::Stayed { now: 7..=7 }, "Unchanged: line 7"),
        (Became::Changed { now: 4..=6 }, "Changed: now lines 4 to 6"),
        (Became::Gone, "Gone: nothing stands in its place"),
    ] {
        assert_eq!(became.in_words(), words);
    }
}

proptest! {
    #[test]
    fn what_is_said_of_lines_is_so(
        signs in "[=+-]{1,30}",
        from in 1usize..20,
        count in 0usize..5,
    ) {
        let pairs = compared(&signs);
        let (old, new) = (
            signs.matches(['=', '-']).count(),
            signs.matches(['=', '+']).count(),
        );
        let lines = from..=from + count;
        let of: Vec<_> = pairs
            .iter()
            .filter(|pair| pair.old.is_some_and(|old| lines.contains(&old)))
            .collect();
        match Became::of(&lines, &pairs) {
            Became::Stayed { now } => {
                prop_assert!(of.iter().all(|pair| pair.new.is_some()));
                prop_assert_eq!(now.clone().count(), of.len());
                prop_assert!(*now.start() >= 1 && *now.end() <= new);
                prop_assert_eq!(of[0].new, Some(*now.start()));
            }
            Became::Changed { now } => {
                prop_assert!(!of.is_empty() && from <= old);
                prop_assert!(*now.start() >= 1 && *now.end() <= new);
                // All of them that are left are in it.
                let mut left = of.iter().filter_map(|pair| pair.new);
                prop_assert!(left.all(|line| now.contains(&line)));
            }
            Became::Gone => prop_assert!(of.iter().all(|pair| pair.new.is_none())),
        }
    }

    #[test]
    fn a_comment_is_taken_whole_or_refused(
        plan in "[a-c\n]{1,20}",
        line in 0usize..12,
        to_line in prop::option::of(0usize..12),
        text in any::<String>(),
    ) {
        prop_assume!(!plan.trim().is_empty());
        let ask = request(with(Kind::PlanReview, json!({"plan": plan}))).ask;
        let comment = json!({"line": line, "to_line": to_line, "text": text});
        let draft = given(json!({"decision": "proceed", "comments": [comment]}));
        let count = plan.lines().count();
        let last = to_line.unwrap_or(line);
        let is_there = line >= 1 && line <= last && last <= count;
        match draft.check(&ask, &FormAnswers::new()) {
            Ok(Checked::Whole(AnswerContent::Plan { comments, .. })) => {
                prop_assert!(is_there);
                prop_assert_eq!(&comments[0].text, &text);
                prop_assert_eq!(comments[0].lines(), line..=last);
                let json = serde_json::to_string(&comments).unwrap();
                prop_assert_eq!(serde_json::from_str::<Vec<Comment>>(&json).unwrap(), comments);
            }
            Ok(other) => prop_assert!(false, "{:?}", other),
            Err(faults) => {
                let of_text = faults.iter().any(|fault| fault.path == "comments[0].text");
                prop_assert!(!is_there || of_text, "{:?}", faults);
            }
        }
    }
}
