//! The state without a terminal: the effects of keys and news on it, and the drawing of it.

use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use domain::interaction::{Action, progress_digest};
use ratatui::{
    Terminal,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    style::Color,
};
use serde_json::{Value, json};

use super::{
    item::Item,
    state::{Effect, Message, Refusal, State, span},
    view,
};

mod form;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn item(id: &str, more: Value) -> Item {
    let mut body = json!({
        "id": id, "kind": "question", "mode": "sync", "state": "pending", "outcome": null, "title": null,
        "prompt": format!("{id}?"), "options": null, "multiple": null, "questions": null, "action": null,
        "action_digest": null, "plan": null, "agent": {"name": "backend"}, "session_id": null, "task": null,
        "priority": "normal", "created_at": now(), "expires_at": null, "closed_at": null, "progress": null,
        "answer": null, "approved": null, "fallback": null, "fallback_used": false,
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    serde_json::from_value(body).unwrap()
}

fn closed(id: &str, text: &str) -> Item {
    let more = json!({
        "state": "resolved", "outcome": "answered", "closed_at": now() - TimeDelta::seconds(12),
        "answer": {"text": text, "responder": {"name": "Ana"}},
    });
    item(id, more)
}

/// The body that sends these answers, beside those that were there.
fn answers(given: Value, seen: Value) -> Value {
    let seen = progress_digest(&serde_json::from_value(seen).unwrap());
    json!({"answers": given, "digest": seen})
}

fn state(items: Vec<Item>) -> State {
    let mut state = State::new(false, now());
    assert_eq!(state.update(Message::All(items)), None);
    state
}

fn key(code: KeyCode) -> Message {
    Message::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// Stands for the key in [`press`].
const PAGE_DOWN: char = '\u{e}';

fn control(c: char) -> Message {
    Message::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL))
}

/// The last effect of all these keys, of which each is seen before the next.
fn press(state: &mut State, keys: &str) -> Option<Effect> {
    press_in(state, keys, (80, 40))
}

/// As [`press`], in a terminal of this size.
fn press_in(state: &mut State, keys: &str, (width, height): (u16, u16)) -> Option<Effect> {
    let mut last = None;
    for c in keys.chars() {
        let message = match c {
            '\n' => key(KeyCode::Enter),
            '\u{1b}' => key(KeyCode::Esc),
            '\u{13}' => control('s'),
            '\u{18}' => control('x'),
            PAGE_DOWN => key(KeyCode::PageDown),
            c => key(KeyCode::Char(c)),
        };
        last = state.update(message);
        drawn(state, width, height, true);
    }
    last
}

fn drawn(state: &mut State, width: u16, height: u16, colour: bool) -> (String, Vec<Color>) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut draw = |state: &State| {
        let mut drawn = None;
        let draw = |frame: &mut ratatui::Frame<'_>| drawn = view::draw(frame, state, colour);
        terminal.draw(draw).unwrap();
        drawn
    };
    // It stands there until it has been read.
    let mut at = Instant::now();
    let mut drawn = draw(state);
    loop {
        if state.saw(drawn.clone(), at) {
            drawn = draw(state);
            continue;
        }
        match state.due(at) {
            Some(due) => at = due,
            None => break,
        }
    }
    let buffer = terminal.backend().buffer();
    let colours = buffer.content().iter().map(|cell| cell.fg).collect();
    (terminal.backend().to_string(), colours)
}

#[test]
fn who_has_stopped_comes_first_and_the_row_stays_where_it_was() {
    let later = now() + TimeDelta::seconds(1);
    let mut state = state(vec![
        item("async", json!({"mode": "async"})),
        item("late", json!({"created_at": later})),
        item("early", json!({})),
    ]);
    let order = |state: &State| {
        state
            .items
            .iter()
            .map(|it| it.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&state), ["early", "late", "async"]);
    press(&mut state, "j");
    let urgent = item("urgent", json!({"priority": "urgent", "created_at": later}));
    state.update(Message::Changed(Box::new(urgent)));
    assert_eq!(order(&state), ["urgent", "early", "late", "async"]);
    assert_eq!(state.row(), Some(2));
    state.update(Message::Changed(Box::new(closed("late", "x"))));
    assert_eq!(state.row(), Some(2), "on what came after it");
    press(&mut state, "jjj");
    state.update(Message::Changed(Box::new(closed("async", "x"))));
    assert_eq!(state.row(), Some(1));
    press(&mut state, "kkk");
    assert_eq!(state.row(), Some(0));
    assert_eq!(press(&mut state, "q"), Some(Effect::Quit));
}

#[test]
fn what_was_typed_is_kept_until_it_is_sent() {
    let mut state = state(vec![item("one", json!({})), item("two", json!({}))]);
    press(&mut state, "\nq\nj\u{1b}");
    assert!(state.open.is_none());
    press(&mut state, "j\nother\u{1b}k\n");
    let sent = press(&mut state, "!\u{13}");
    let body = json!({"text": "q\nj!"});
    assert_eq!(
        sent,
        Some(Effect::Answer {
            id: "one".into(),
            body: body.clone()
        })
    );
    // Nothing is sent twice, and nothing changes while it is on its way.
    assert_eq!(press(&mut state, "x\u{13}\u{18}"), None);
    assert_eq!(state.draft("one").editor.text, "q\nj!");

    // Another person was faster.
    let refusal = |ours| Refusal {
        message: "Already answered by Ana.".into(),
        now: Some(Box::new(closed("one", "80"))),
        ours,
    };
    state.update(Message::Sent {
        id: "one".into(),
        outcome: Err(refusal(false)),
    });
    let (screen, _) = drawn(&mut state, 80, 20, true);
    for part in [
        "Not sent: already answered by Ana, 12 s ago",
        "80",
        "What you wrote was not sent:",
        "q",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    assert_eq!(state.draft("one").editor.text, "q\nj!");

    // Only the reply was lost.
    press(&mut state, "\u{1b}\n\u{13}");
    state.update(Message::Sent {
        id: "two".into(),
        outcome: Err(refusal(true)),
    });
    assert_eq!(state.said.as_deref(), Some("Sent: answered."));
    assert!(closed("one", "80").says(&json!({"text": "80"})));
    assert!(!closed("one", "80").says(&body));
}

#[test]
fn a_server_that_refuses_costs_no_text() {
    let mut state = state(vec![item("one", json!({}))]);
    press(&mut state, "\nhello\u{13}");
    let refusal = Refusal {
        message: "text is too long".into(),
        now: None,
        ours: false,
    };
    state.update(Message::Sent {
        id: "one".into(),
        outcome: Err(refusal),
    });
    assert_eq!(state.said.as_deref(), Some("Not sent: text is too long"));
    let again = press(&mut state, "\u{13}");
    assert!(matches!(again, Some(Effect::Answer { body, .. }) if body == json!({"text": "hello"})));
}

#[test]
fn nothing_is_approved_by_a_key_too_many() {
    let approval = json!({"kind": "approval", "action": {"tool": "rm", "arguments": {}}, "action_digest": "sha256:0"});
    let mut state = state(vec![item("one", approval)]);
    assert_eq!(press(&mut state, "\n\n\n \u{13}y1"), None);
    assert_eq!(
        press(&mut state, "a\u{1b}\u{13}"),
        None,
        "back from the decision"
    );
    assert!(state.open.is_some());
    let sent = press(&mut state, "dno\u{13}");
    // Of the action that was drawn, whatever digest came with it.
    let action: Action = serde_json::from_value(json!({"tool": "rm", "arguments": {}})).unwrap();
    let body = json!({"approved": false, "text": "no", "digest": action.digest().unwrap()});
    assert_eq!(
        sent,
        Some(Effect::Answer {
            id: "one".into(),
            body
        })
    );
}

#[test]
fn the_next_question_of_a_form_begins_empty() {
    let questions = json!([{"id": "a", "prompt": "A?"}, {"id": "b", "prompt": "B?", "options": ["x", "y"], "multiple": true}]);
    let form = json!({"kind": "form", "questions": questions});
    let mut state = state(vec![item("one", form.clone())]);
    let sent = press(&mut state, "\nhalf\u{13}");
    assert!(
        matches!(sent, Some(Effect::Answer { body, .. }) if body == answers(json!({"a": "half"}), json!({})))
    );
    let mut next = form;
    next["progress"] = json!({"a": "half"});
    // Heard of before the reply, and again by it.
    state.update(Message::Changed(Box::new(item("one", next.clone()))));
    state.update(Message::Sent {
        id: "one".into(),
        outcome: Ok(Box::new(item("one", next))),
    });
    drawn(&mut state, 80, 40, true);
    let sent = press(&mut state, "21\n");
    assert!(
        matches!(sent, Some(Effect::Answer { body, .. }) if body == answers(json!({"b": ["x", "y"]}), json!({"a": "half"})))
    );
}

#[test]
fn it_is_taken_back_with_a_reason_and_pasted_lines_are_one_text() {
    let mut state = state(vec![item("one", json!({}))]);
    press(&mut state, "\n");
    state.update(Message::Paste("a\r\nb".into()));
    assert_eq!(state.draft("one").editor.text, "a\nb");
    assert_eq!(press(&mut state, "\u{18}q\u{1b}"), None);
    let sent = press(&mut state, "\u{18}found\n it\u{13}");
    let reason = Some("found it".to_owned());
    assert_eq!(
        sent,
        Some(Effect::Cancel {
            id: "one".into(),
            reason
        })
    );
}

#[test]
fn an_agent_answers_nothing() {
    let mut state = State::new(true, now());
    state.update(Message::All(vec![item(
        "one",
        json!({"kind": "acknowledgement"}),
    )]));
    assert_eq!(press(&mut state, "\na\u{13}\u{18}"), None);
    assert!(state.reason.is_none());
}

#[test]
fn it_fits_wherever_it_is_and_colours_can_be_switched_off() {
    let hostile = json!({
        "prompt": "漢字 \u{1b}[2J\u{202e} ".repeat(80), "session_id": "s".repeat(128), "kind": "new\u{7}",
        "title": "x\u{1b}]0;y\u{7}".repeat(20), "expires_at": now() + TimeDelta::minutes(90),
    });
    let mut state = state(vec![
        item("one", hostile),
        item("two", json!({"mode": "async"})),
    ]);
    for opened in [false, true] {
        if opened {
            press(&mut state, "\n");
        }
        for (width, height) in [(1, 1), (20, 5), (40, 12), (71, 20), (200, 60)] {
            let (screen, _) = drawn(&mut state, width, height, true);
            assert!(
                !screen.contains(['\u{1b}', '\u{7}', '\u{202e}']),
                "{screen}"
            );
        }
    }
    let mut state = self::state(vec![
        item("one", json!({})),
        item("two", json!({"mode": "async"})),
    ]);
    state.update(Message::Notice("no answer from the server".into()));
    let (screen, colours) = drawn(&mut state, 40, 12, true);
    for part in [
        "SYNC",
        "ASYNC",
        "no answer from the server",
        "backend: one?",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    assert!(colours.contains(&Color::Red) && colours.contains(&Color::Blue));
    let (_, colours) = drawn(&mut state, 40, 12, false);
    assert!(colours.iter().all(|colour| *colour == Color::Reset));
    state.update(Message::Notice("the server is there again".into()));
    assert!(state.away.is_none());
}

/// One text of the corpus that every surface is tested with.
fn whole(text: &Value) -> String {
    let parts = text
        .as_array()
        .map_or(std::slice::from_ref(text), Vec::as_slice);
    let part = |part: &Value| match part.as_str() {
        Some(once) => once.to_owned(),
        None => {
            let times = usize::try_from(part["times"].as_u64().unwrap()).unwrap();
            part["of"].as_str().unwrap().repeat(times)
        }
    };
    parts.iter().map(part).collect()
}

#[test]
fn whatever_is_written_nothing_raw_is_drawn() {
    let corpus: Value =
        serde_json::from_str(include_str!("../../../../dev/fixtures/hostile_text.json")).unwrap();
    let texts = corpus["texts"].as_array().unwrap();
    assert!(texts.len() > 10);
    for hostile in texts {
        let text = whole(&hostile["text"]);
        let mut shown = String::new();
        for more in [
            json!({"prompt": text, "title": text, "session_id": text, "agent": {"name": text}}),
            json!({"kind": "plan_review", "plan": text}),
            json!({"kind": "choice", "options": [{"value": "v", "label": text, "description": text}]}),
            json!({"kind": "form", "questions": [{"id": "q", "prompt": text}]}),
            json!({
                "kind": "form", "progress": {"q": text},
                "questions": [{"id": "q", "prompt": text}, {"id": "last", "prompt": "Now?"}],
            }),
            json!({"fallback": text, "task": {"id": text, "title": text, "step": text}}),
            json!({"kind": "approval", "action": {"tool": "sh", "arguments": {"command": text}}}),
        ] {
            let mut state = state(vec![item("one", more)]);
            shown += &drawn(&mut state, 150, 20, true).0;
            press(&mut state, "\n");
            shown += &drawn(&mut state, 150, 400, true).0;
        }
        let raw = shown.chars().find(|c| {
            let moves = c.is_control() && *c != '\n';
            moves || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(raw, None, "{}", hostile["name"]);
        for mark in hostile["marks"].as_array().into_iter().flatten() {
            let mark = mark.as_str().unwrap();
            assert!(shown.contains(mark), "{}: {mark}", hostile["name"]);
        }
    }
}

#[test]
fn an_option_that_mixes_scripts_is_marked() {
    let options = json!([{"value": "v", "label": "pr\u{43e}d"}, "sh\u{2010}x"]);
    let more = json!({"kind": "choice", "options": options});
    let mut state = state(vec![item("one", more)]);
    press(&mut state, "\n");
    let (screen, _) = drawn(&mut state, 80, 20, true);
    for part in ["pr\u{43e}⟨U+043E⟩d ⟨→ v⟩", "sh\u{2010}⟨U+2010⟩x"] {
        assert!(screen.contains(part), "{screen}");
    }
}

#[test]
fn one_sees_what_happens_if_one_does_nothing() {
    let more = json!({"fallback": "200 ms", "expires_at": now() + TimeDelta::hours(1)});
    let mut state = state(vec![item("one", more)]);
    press(&mut state, "\n");
    let (screen, _) = drawn(&mut state, 80, 20, true);
    for part in [
        "1 h left",
        "If nobody answers in time, it goes on with:",
        "| 200 ms",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    state.update(Message::Changed(Box::new(item(
        "two",
        json!({"fallback": ["a", "b"]}),
    ))));
    press(&mut state, "\u{1b}j\n");
    let (screen, _) = drawn(&mut state, 80, 20, true);
    assert!(screen.contains(r#"| ["a","b"]"#), "{screen}");
}

#[test]
fn times_have_two_units_at_most() {
    for (seconds, words) in [
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_600, "1 h"),
        (11_100, "3 h 5 min"),
        (187_200, "2 d 4 h"),
    ] {
        assert_eq!(span(seconds), words);
    }
}

const SMALL: (u16, u16) = (40, 12);

fn long() -> String {
    (1..=60).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn the_action_and_the_plan_come_before_the_prose() {
    let action = json!({"tool": "rm", "arguments": {"path": "/srv"}});
    for (more, first) in [
        (
            json!({"kind": "approval", "action": action}),
            "path: \"/srv\"",
        ),
        (
            json!({"kind": "plan_review", "plan": "1. Delete"}),
            "1. Delete",
        ),
    ] {
        let mut more = more;
        more["prompt"] = json!(long());
        more["title"] = json!("The title");
        let mut state = state(vec![item("one", more)]);
        press_in(&mut state, "\n", SMALL);
        let (screen, _) = drawn(&mut state, SMALL.0, SMALL.1, true);
        assert!(screen.contains(first), "{screen}");
    }
}

#[test]
fn nothing_is_accepted_before_its_end_was_on_the_screen() {
    let action = json!({"tool": "rm", "arguments": {"path": "/srv"}});
    let more = [
        json!({"kind": "approval", "action": action}),
        json!({"kind": "approval", "prompt": "p", "action": {"tool": "rm", "arguments": {"script": "x ".repeat(2_000)}}}),
        json!({"kind": "plan_review", "plan": long(), "prompt": "p"}),
        json!({"kind": "acknowledgement"}),
        json!({"kind": "question"}),
        json!({"kind": "choice", "options": ["x", "y"]}),
        json!({"kind": "form", "prompt": "p", "questions": [{"id": "q", "prompt": long()}]}),
    ];
    for mut more in more {
        if more["prompt"].is_null() {
            more["prompt"] = json!(long());
        }
        let (unread, accepting) = match more["kind"].as_str().unwrap() {
            "approval" => ("d deny", "a\u{13}"),
            "plan_review" => ("4 adjust", "1\u{13}"),
            "acknowledgement" => ("PgDn", "a"),
            "choice" => ("PgDn", "1\n"),
            _ => ("PgDn", "80\u{13}"),
        };
        // A second press takes the pick back.
        let tried = accepting.replace("1\n", "1\n1");
        let mut state = state(vec![item("one", more.clone())]);
        assert_eq!(
            press_in(&mut state, &format!("\n{tried}"), SMALL),
            None,
            "{more}"
        );
        let (screen, _) = drawn(&mut state, SMALL.0, SMALL.1, true);
        assert!(screen.contains("PgDn: read to the end first"), "{screen}");
        if !screen.contains("Ctrl-S send") {
            assert!(screen.contains(unread), "{screen}");
        }
        // One page before the end it is still not read.
        let mut pages = 0;
        let first = "PgDn: read to the end first (";
        let unread = |state: &State| state.unread(&item("one", more.clone()));
        while unread(&state).is_some_and(|unread| unread.starts_with(first)) {
            assert!(pages < 500, "it has no end");
            let sent = press_in(&mut state, &tried.replace('8', ""), SMALL);
            assert_eq!(sent, None, "{more}");
            press_in(&mut state, &PAGE_DOWN.to_string(), SMALL);
            pages += 1;
        }
        assert!(pages > 0);
        let sent = press_in(&mut state, accepting, SMALL);
        assert!(matches!(sent, Some(Effect::Answer { .. })), "{more}");
    }
}

#[test]
fn what_was_not_read_can_be_declined() {
    let action = json!({"tool": "rm", "arguments": {}});
    for (more, keys) in [
        (json!({"kind": "approval", "action": action}), "d\u{13}"),
        (json!({"kind": "plan_review", "plan": "p"}), "4no\u{13}"),
    ] {
        let mut more = more;
        more["prompt"] = json!(long());
        let mut state = state(vec![item("one", more)]);
        let sent = press_in(&mut state, &format!("\n{keys}"), SMALL);
        assert!(matches!(sent, Some(Effect::Answer { .. })));
    }
}

#[test]
fn keys_typed_before_anything_was_drawn_accept_nothing() {
    let approval = json!({"kind": "approval", "action": {"tool": "rm", "arguments": {}}});
    let mut state = state(vec![item("one", approval)]);
    for message in [key(KeyCode::Enter), key(KeyCode::Char('a')), control('s')] {
        assert_eq!(state.update(message), None);
    }
}

#[test]
fn an_option_that_was_not_on_the_screen_cannot_be_picked() {
    let options: Vec<_> = (1..=25).map(|n| format!("option {n}")).collect();
    let more = json!({"kind": "choice", "options": options});
    let mut state = state(vec![item("one", more)]);
    press_in(&mut state, "\n", SMALL);
    let (screen, _) = drawn(&mut state, SMALL.0, SMALL.1, true);
    assert!(screen.contains("( ) 1 option 1") && !screen.contains("option 9"));
    assert_eq!(press_in(&mut state, "9", SMALL), None);
    assert!(state.draft("one").picked.is_empty());
    // The key has moved there, and now it stands on the screen.
    press_in(&mut state, " ", SMALL);
    assert_eq!(state.draft("one").picked.len(), 1);
    assert_eq!(press_in(&mut state, "\n", SMALL), None);
    let (screen, _) = drawn(&mut state, SMALL.0, SMALL.1, true);
    assert!(
        screen.contains("j: look at every option first") && screen.contains("(•) 9 option 9"),
        "{screen}"
    );
    press_in(&mut state, "kkkkkkkk", SMALL);
    let sent = press_in(&mut state, &format!("{}\n", "j".repeat(24)), SMALL);
    assert!(
        matches!(sent, Some(Effect::Answer { body, .. }) if body == json!({"selected": ["option 9"]}))
    );
}

#[test]
fn another_content_has_to_be_read_anew() {
    let approval =
        json!({"kind": "approval", "prompt": "p", "action": {"tool": "rm", "arguments": {}}});
    let mut state = state(vec![item("one", approval.clone())]);
    press(&mut state, "\na");
    assert_eq!(state.draft("one").decision, Some(0));
    // The same content once more changes nothing.
    state.update(Message::Changed(Box::new(item("one", approval.clone()))));
    assert_eq!(state.draft("one").decision, Some(0));
    let mut other = approval;
    other["action"]["arguments"] = json!({"path": long()});
    state.update(Message::Changed(Box::new(item("one", other))));
    assert_eq!(state.update(control('s')), None);
    assert_eq!(state.draft("one").decision, None);
}

#[test]
fn what_is_typed_never_answers_the_question_that_comes_next() {
    let questions = json!([{"id": "a", "prompt": "A?"}, {"id": "b", "prompt": "B?"}]);
    let form = json!({"kind": "form", "questions": questions});
    let mut next = form.clone();
    next["progress"] = json!({"a": "by Ben"});
    let next = || Message::Changed(Box::new(item("one", next.clone())));
    let mut state = state(vec![item("one", form.clone())]);
    press(&mut state, "\n8");
    state.update(next());
    // The rest of the word and the key that sends it were on their way.
    assert_eq!(press(&mut state, "0\u{13}"), None);
    state.update(Message::Paste("80".into()));
    let (screen, _) = drawn(&mut state, 80, 20, true);
    for part in [
        "Somebody else has answered this question.",
        "What you wrote was not sent:",
        "8",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    let sent = press(&mut state, "\u{1b}new\u{13}");
    assert!(
        matches!(sent, Some(Effect::Answer { body, .. }) if body == answers(json!({"b": "new"}), json!({"a": "by Ben"})))
    );

    // Somebody was faster than what is on its way.
    let mut state = self::state(vec![item("one", form.clone())]);
    assert!(press(&mut state, "\nmine\u{13}").is_some());
    state.update(next());
    state.update(Message::Sent {
        id: "one".into(),
        outcome: Err(Refusal {
            message: "answered".into(),
            now: None,
            ours: false,
        }),
    });
    assert_eq!(press(&mut state, "more\u{13}"), None);
    assert_eq!(state.overtaken.as_ref().unwrap().left, "mine");

    // Also when one looks elsewhere meanwhile.
    let mut state = self::state(vec![item("one", form)]);
    press(&mut state, "\nmine\u{1b}");
    state.update(next());
    press(&mut state, "\n");
    assert_eq!(state.draft("one").editor.text, "");
}

#[test]
fn a_command_cut_off_by_wide_marks_is_read_before_it_is_approved() {
    // The screen measures each of these marks one wider than their characters say.
    let command = format!("echo {} ; rm -rf /", "\u{ff9e}".repeat(40));
    for command in [command, format!("{}; rm -rf /", "☑\u{fe0f} ".repeat(40))] {
        let approval = json!({
            "kind": "approval", "prompt": "p", "action": {"tool": "sh", "arguments": {"command": command}},
        });
        let mut state = state(vec![item("one", approval)]);
        press(&mut state, "\n");
        let (screen, _) = drawn(&mut state, 80, 40, true);
        assert!(screen.contains("; rm -rf /"), "{screen}");
        let plan = json!({"kind": "plan_review", "prompt": "p", "plan": command});
        let mut state = self::state(vec![item("one", plan)]);
        press(&mut state, "\n");
        let (screen, _) = drawn(&mut state, 80, 40, true);
        assert!(screen.contains("; rm -rf /"), "{screen}");
    }
}

/// A form of two questions of which the first is on its way, and what comes of it.
fn sent_one_of_two() -> State {
    let questions = json!([{"id": "a", "prompt": "A?"}, {"id": "b", "prompt": "B?"}]);
    let form = json!({"kind": "form", "questions": questions});
    let mut next = form.clone();
    next["progress"] = json!({"a": "x"});
    let mut state = state(vec![item("one", form)]);
    assert!(press(&mut state, "\nx\u{13}").is_some());
    state.update(Message::Sent {
        id: "one".into(),
        outcome: Ok(Box::new(item("one", next))),
    });
    drawn(&mut state, 80, 40, true);
    state
}

#[test]
fn the_key_that_sent_an_answer_does_not_answer_the_next_question() {
    let mut state = sent_one_of_two();
    assert_eq!(press(&mut state, "\u{13}\u{13}\u{13}"), None);
    assert!(press(&mut state, "y\u{13}").is_some());
    let mut state = sent_one_of_two();
    state.update(Message::Paste("y".into()));
    assert!(press(&mut state, "\u{13}").is_some());
}

#[test]
fn a_key_that_is_held_decides_once() {
    let held = |code, modifiers| {
        let kind = KeyEventKind::Repeat;
        Message::Key(KeyEvent::new_with_kind(code, modifiers, kind))
    };
    let mut state = sent_one_of_two();
    press(&mut state, "y");
    let repeated = held(KeyCode::Char('s'), KeyModifiers::CONTROL);
    assert_eq!(state.update(repeated), None);
    assert_eq!(
        state.update(held(KeyCode::Char('y'), KeyModifiers::NONE)),
        None
    );
    assert_eq!(state.draft("one").editor.text, "yy", "letters repeat");

    let seen = json!({"kind": "acknowledgement"});
    let mut state = self::state(vec![item("one", seen)]);
    state.update(held(KeyCode::Enter, KeyModifiers::NONE));
    assert!(state.open.is_none());
    press(&mut state, "\n");
    let repeated = held(KeyCode::Char('a'), KeyModifiers::NONE);
    assert_eq!(state.update(repeated), None);
    assert!(press(&mut state, "a").is_some());
}

#[test]
fn a_second_enter_on_a_row_does_not_send_what_was_picked_before() {
    let choice = json!({"kind": "choice", "options": ["keep", "wipe"]});
    let mut state = state(vec![item("one", choice)]);
    press(&mut state, "\n2\u{1b}");
    assert_eq!(press(&mut state, "\n\n"), None);
    assert!(press(&mut state, "1\n").is_some());
}

#[test]
fn a_key_from_before_the_first_drawing_decides_nothing() {
    let deny = json!({"kind": "approval", "action": {"tool": "rm", "arguments": {}}});
    let seen = json!({"kind": "acknowledgement"});
    for (more, keys) in [(deny, ["d", "a"]), (seen, ["a", " "])] {
        let mut state = state(vec![item("one", more)]);
        press(&mut state, "\n");
        for c in keys.iter().flat_map(|keys| keys.chars()) {
            let mut message = key(KeyCode::Char(c));
            message.mark_ahead();
            assert_eq!(state.update(message), None);
        }
        let mut send = control('s');
        send.mark_ahead();
        assert_eq!(state.update(send), None);
        assert_eq!(state.draft("one").decision, None);
    }
    // What is typed is not lost.
    let mut state = state(vec![item("one", json!({}))]);
    state.update(key(KeyCode::Enter));
    state.update(key(KeyCode::Char('8')));
    assert_eq!(state.update(control('s')), None);
    drawn(&mut state, 80, 40, true);
    assert_eq!(state.draft("one").editor.text, "8");
    assert!(press(&mut state, "\u{13}").is_some());
}

#[test]
fn a_line_says_who_is_on_it_and_whom_it_is_for() {
    let claim = json!({"by": {"id": "1", "name": "Ana", "via": "dashboard"}, "until": now() + TimeDelta::minutes(15)});
    let past = json!({"by": {"name": "Ben"}, "until": now()});
    let to = json!({"type": "person", "name": "Cy"});
    let mut state = state(vec![
        item("one", json!({"claim": claim, "to": to})),
        item(
            "two",
            json!({"claim": past, "to": {"type": "duty", "name": null}}),
        ),
    ]);
    let (screen, _) = drawn(&mut state, 100, 20, false);
    assert!(
        screen.contains("waits 0 s, Ana is on it, for Cy"),
        "{screen}"
    );
    assert!(
        !screen.contains("Ben") && !screen.contains("for null"),
        "{screen}"
    );
}
