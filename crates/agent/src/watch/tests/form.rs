//! The last answer to a form sends the others along: it is one about those that were on the screen.

use serde_json::{Value, json};

use super::{
    super::{
        item::Item,
        state::{Effect, Message, Refusal, State},
    },
    SMALL, answers, drawn, item, long, press, press_in, state,
};

/// Two questions, the first a choice with an answer, or with none.
fn form(answer: Option<&str>) -> Item {
    let keep = json!([{"value": "keep", "label": "Leave it"}, {"value": "drop", "label": "drop"}]);
    let questions = json!([
        {"id": "table", "prompt": "What of the old table?\nIt is large.", "options": keep},
        {"id": "why", "prompt": "Why?"},
    ]);
    let progress = answer.map_or_else(|| json!({}), |answer| json!({"table": answer}));
    item(
        "one",
        json!({"kind": "form", "questions": questions, "progress": progress}),
    )
}

fn change(state: &mut State, to: Item) {
    assert_eq!(state.update(Message::Changed(Box::new(to))), None);
}

fn refused(state: &mut State, now: Option<Item>) {
    let refusal = Refusal {
        message: "digest is of other answers than are there now".into(),
        now: now.map(Box::new),
        ours: false,
    };
    let sent = Message::Sent {
        id: "one".into(),
        outcome: Err(refusal),
    };
    assert_eq!(state.update(sent), None);
}

fn body(sent: Option<Effect>) -> Value {
    match sent {
        Some(Effect::Answer { body, .. }) => body,
        other => panic!("{other:?}"),
    }
}

fn screen(state: &mut State) -> String {
    drawn(state, 80, 40, true).0
}

#[test]
fn the_last_answer_is_one_about_the_others_that_were_shown() {
    let mut state = state(vec![form(Some("keep"))]);
    press(&mut state, "\n");
    let shown = screen(&mut state);
    for part in [
        "Your answer is the last, and sends these along:",
        "To question 1:",
        "| What of the old table?",
        "| It is large.",
        "| Leave it ⟨→ keep⟩",
        "| Why?",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let sent = body(press(&mut state, "so\u{13}"));
    assert_eq!(
        sent,
        answers(json!({"why": "so"}), json!({"table": "keep"}))
    );
    // What sends nothing along shows nothing but itself.
    let mut state = self::state(vec![form(None)]);
    press(&mut state, "\n");
    assert!(!screen(&mut state).contains("sends these along"));
    let sent = body(press(&mut state, "1\n"));
    assert_eq!(sent, answers(json!({"table": "keep"}), json!({})));
}

#[test]
fn what_is_sent_along_is_drawn_as_everything_of_others() {
    let questions = |more: Value| {
        let mut first = more;
        first["id"] = "first".into();
        first["prompt"] = "First?".into();
        json!([first, {"id": "last", "prompt": "Last?"}])
    };
    let options = json!(["a", {"value": "b", "label": "pr\u{43e}d"}]);
    for (first, answer, parts) in [
        (
            json!({}),
            json!("keep\u{202e}x\u{2028}y\nz"),
            vec!["| keep⟨U+202E⟩x⟨U+2028⟩y", "| z"],
        ),
        (json!({}), json!(""), vec!["(an empty answer)"]),
        (
            json!({"options": options, "multiple": true}),
            json!(["a", "b"]),
            vec!["| a ", "| pr\u{43e}⟨U+043E⟩d ⟨→ b⟩"],
        ),
        (
            json!({"options": options, "multiple": true}),
            json!([]),
            vec!["(none of them)"],
        ),
    ] {
        let more = json!({
            "kind": "form", "questions": questions(first), "progress": {"first": answer},
        });
        let mut state = state(vec![item("one", more)]);
        press(&mut state, "\n");
        let shown = screen(&mut state);
        for part in parts {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}

#[test]
fn what_is_sent_along_is_read_before_the_last_answer() {
    let questions = json!([{"id": "first", "prompt": "First?"}, {"id": "last", "prompt": "Last?"}]);
    let more = json!({
        "kind": "form", "prompt": "p", "questions": questions, "progress": {"first": long()},
    });
    let mut state = state(vec![item("one", more)]);
    assert_eq!(press_in(&mut state, "\nso\u{13}", SMALL), None);
    let said = state.said.as_deref().unwrap();
    assert!(said.starts_with("PgDn: read to the end first ("), "{said}");
}

#[test]
fn an_answer_that_changes_while_the_last_is_typed_is_read_first() {
    let mut state = state(vec![form(Some("keep"))]);
    press(&mut state, "\nbecau");
    change(&mut state, form(Some("drop")));
    // The rest of the word and the key that sends it were on their way.
    assert_eq!(press(&mut state, "se\u{13}"), None);
    let shown = screen(&mut state);
    for part in [
        "Somebody else has changed another answer of this form.",
        "Esc read it anew",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(
        shown.contains("| drop") && !shown.contains("Leave it"),
        "{shown}"
    );
    // Nothing that was typed is lost, and it is sent with what stands there now.
    let sent = body(press(&mut state, "\u{1b}se\u{13}"));
    assert_eq!(
        sent,
        answers(json!({"why": "because"}), json!({"table": "drop"}))
    );
    // The same once more is no news.
    change(&mut state, form(Some("drop")));
    assert_eq!(state.overtaken, None);
}

#[test]
fn what_was_picked_beside_another_answer_is_picked_anew() {
    let questions =
        json!([{"id": "a", "prompt": "A?"}, {"id": "b", "prompt": "B?", "options": ["x", "y"]}]);
    let form = |answer: &str| {
        let progress = json!({ "a": answer });
        item(
            "one",
            json!({"kind": "form", "questions": questions, "progress": progress}),
        )
    };
    for looks_elsewhere in [false, true] {
        let mut state = state(vec![form("keep")]);
        press(&mut state, "\n2");
        if looks_elsewhere {
            press(&mut state, "\u{1b}");
        }
        change(&mut state, form("drop"));
        screen(&mut state);
        press(&mut state, if looks_elsewhere { "\n" } else { "\u{1b}" });
        assert_eq!(press(&mut state, "\n"), None);
        let sent = body(press(&mut state, "2\n"));
        assert_eq!(sent, answers(json!({"b": "y"}), json!({"a": "drop"})));
    }
}

#[test]
fn who_is_refused_because_it_has_changed_sees_it_as_it_is() {
    for is_heard_of_before in [true, false] {
        let mut state = state(vec![form(Some("keep"))]);
        assert!(press(&mut state, "\nso\u{13}").is_some());
        if is_heard_of_before {
            change(&mut state, form(Some("drop")));
        }
        refused(&mut state, Some(form(Some("drop"))));
        let said = Some("Not sent: it has changed meanwhile. Look at it again.");
        assert_eq!(state.said.as_deref(), said);
        let shown = screen(&mut state);
        assert!(
            shown.contains("Somebody else has changed another answer"),
            "{shown}"
        );
        assert_eq!(press(&mut state, "\u{13}"), None);
        let sent = body(press(&mut state, "\u{1b}\u{13}"));
        assert_eq!(
            sent,
            answers(json!({"why": "so"}), json!({"table": "drop"}))
        );
    }
}

#[test]
fn an_answer_that_was_kept_while_its_reply_was_lost_is_ours() {
    let sent = answers(json!({"table": "keep"}), json!({}));
    assert!(form(Some("keep")).says(&sent));
    assert!(!form(Some("drop")).says(&sent));
    assert!(!form(None).says(&sent));
    let last = answers(json!({"why": "so"}), json!({"table": "keep"}));
    let closed = |why: &str| {
        let answer = json!({"answers": {"table": "keep", "why": why}});
        item(
            "one",
            json!({"kind": "form", "state": "resolved", "answer": answer}),
        )
    };
    assert!(closed("so").says(&last));
    assert!(!closed("no").says(&last));
}
