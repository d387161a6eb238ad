//! The state without a terminal: what keys and news do to it, and what is drawn of it.

use chrono::{DateTime, TimeDelta, Utc};
use ratatui::{
    Terminal,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
    style::Color,
};
use serde_json::{Value, json};

use super::{
    desk::{Desk, Effect, Message, Refusal, span},
    item::Item,
    view,
};

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

fn desk(items: Vec<Item>) -> Desk {
    let mut desk = Desk::new(false, now());
    assert_eq!(desk.update(Message::All(items)), None);
    desk
}

fn key(code: KeyCode) -> Message {
    Message::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn control(c: char) -> Message {
    Message::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL))
}

/// The last effect of all these keys.
fn press(desk: &mut Desk, keys: &str) -> Option<Effect> {
    let mut last = None;
    for c in keys.chars() {
        let message = match c {
            '\n' => key(KeyCode::Enter),
            '\u{1b}' => key(KeyCode::Esc),
            '\u{13}' => control('s'),
            '\u{18}' => control('x'),
            c => key(KeyCode::Char(c)),
        };
        last = desk.update(message);
    }
    last
}

fn drawn(desk: &Desk, width: u16, height: u16, colour: bool) -> (String, Vec<Color>) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| view::draw(frame, desk, colour))
        .unwrap();
    let buffer = terminal.backend().buffer();
    let colours = buffer.content().iter().map(|cell| cell.fg).collect();
    (terminal.backend().to_string(), colours)
}

#[test]
fn who_has_stopped_comes_first_and_the_row_stays_where_it_was() {
    let later = now() + TimeDelta::seconds(1);
    let mut desk = desk(vec![
        item("async", json!({"mode": "async"})),
        item("late", json!({"created_at": later})),
        item("early", json!({})),
    ]);
    let order = |desk: &Desk| {
        desk.items
            .iter()
            .map(|it| it.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&desk), ["early", "late", "async"]);
    press(&mut desk, "j");
    let urgent = item("urgent", json!({"priority": "urgent", "created_at": later}));
    desk.update(Message::Changed(Box::new(urgent)));
    assert_eq!(order(&desk), ["urgent", "early", "late", "async"]);
    assert_eq!(desk.row(), Some(2));
    desk.update(Message::Changed(Box::new(closed("late", "x"))));
    assert_eq!(desk.row(), Some(2), "on what came after it");
    press(&mut desk, "jjj");
    desk.update(Message::Changed(Box::new(closed("async", "x"))));
    assert_eq!(desk.row(), Some(1));
    press(&mut desk, "kkk");
    assert_eq!(desk.row(), Some(0));
    assert_eq!(press(&mut desk, "q"), Some(Effect::Quit));
}

#[test]
fn what_was_typed_is_kept_until_it_is_sent() {
    let mut desk = desk(vec![item("one", json!({})), item("two", json!({}))]);
    press(&mut desk, "\nq\nj\u{1b}");
    assert!(desk.open.is_none());
    press(&mut desk, "j\nother\u{1b}k\n");
    let sent = press(&mut desk, "!\u{13}");
    let body = json!({"text": "q\nj!"});
    assert_eq!(
        sent,
        Some(Effect::Answer {
            id: "one".into(),
            body: body.clone()
        })
    );
    // Nothing is sent twice, and nothing changes while it is on its way.
    assert_eq!(press(&mut desk, "x\u{13}\u{18}"), None);
    assert_eq!(desk.draft("one").editor.text, "q\nj!");

    // Somebody was faster.
    let refusal = |ours| Refusal {
        message: "Already answered by Ana.".into(),
        closed: Some(Box::new(closed("one", "80"))),
        ours,
    };
    desk.update(Message::Sent {
        id: "one".into(),
        outcome: Err(refusal(false)),
    });
    let (screen, _) = drawn(&desk, 80, 20, true);
    for part in [
        "Not sent: already answered by Ana, 12 s ago",
        "80",
        "What you wrote was not sent:",
        "q",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    assert_eq!(desk.draft("one").editor.text, "q\nj!");

    // Only the reply was lost.
    press(&mut desk, "\u{1b}\n\u{13}");
    desk.update(Message::Sent {
        id: "two".into(),
        outcome: Err(refusal(true)),
    });
    assert_eq!(desk.said.as_deref(), Some("Sent: answered."));
    assert!(closed("one", "80").says(&json!({"text": "80"})));
    assert!(!closed("one", "80").says(&body));
}

#[test]
fn a_server_that_refuses_costs_no_text() {
    let mut desk = desk(vec![item("one", json!({}))]);
    press(&mut desk, "\nhello\u{13}");
    let refusal = Refusal {
        message: "text is too long".into(),
        closed: None,
        ours: false,
    };
    desk.update(Message::Sent {
        id: "one".into(),
        outcome: Err(refusal),
    });
    assert_eq!(desk.said.as_deref(), Some("Not sent: text is too long"));
    let again = press(&mut desk, "\u{13}");
    assert!(matches!(again, Some(Effect::Answer { body, .. }) if body == json!({"text": "hello"})));
}

#[test]
fn nothing_is_approved_by_a_key_too_many() {
    let approval = json!({"kind": "approval", "action": {"tool": "rm", "arguments": {}}, "action_digest": "sha256:0"});
    let mut desk = desk(vec![item("one", approval)]);
    assert_eq!(press(&mut desk, "\n\n\n \u{13}y1"), None);
    assert_eq!(
        press(&mut desk, "a\u{1b}\u{13}"),
        None,
        "back from the decision"
    );
    assert!(desk.open.is_some());
    let sent = press(&mut desk, "dno\u{13}");
    let body = json!({"approved": false, "text": "no"});
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
    let mut desk = desk(vec![item("one", form.clone())]);
    let sent = press(&mut desk, "\nhalf\u{13}");
    assert!(
        matches!(sent, Some(Effect::Answer { body, .. }) if body == json!({"answers": {"a": "half"}}))
    );
    let mut next = form;
    next["progress"] = json!({"a": "half"});
    // Heard of before the reply, and again by it.
    desk.update(Message::Changed(Box::new(item("one", next.clone()))));
    desk.update(Message::Sent {
        id: "one".into(),
        outcome: Ok(Box::new(item("one", next))),
    });
    let sent = press(&mut desk, "21\n");
    assert!(
        matches!(sent, Some(Effect::Answer { body, .. }) if body == json!({"answers": {"b": ["x", "y"]}}))
    );
}

#[test]
fn it_is_taken_back_with_a_reason_and_pasted_lines_are_one_text() {
    let mut desk = desk(vec![item("one", json!({}))]);
    press(&mut desk, "\n");
    desk.update(Message::Paste("a\r\nb".into()));
    assert_eq!(desk.draft("one").editor.text, "a\nb");
    assert_eq!(press(&mut desk, "\u{18}q\u{1b}"), None);
    let sent = press(&mut desk, "\u{18}found\n it\u{13}");
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
    let mut desk = Desk::new(true, now());
    desk.update(Message::All(vec![item(
        "one",
        json!({"kind": "acknowledgement"}),
    )]));
    assert_eq!(press(&mut desk, "\na\u{13}\u{18}"), None);
    assert!(desk.reason.is_none());
}

#[test]
fn it_fits_wherever_it_is_and_colours_can_be_switched_off() {
    let hostile = json!({
        "prompt": "漢字 \u{1b}[2J\u{202e} ".repeat(80), "session_id": "s".repeat(128), "kind": "new\u{7}",
        "title": "x\u{1b}]0;y\u{7}".repeat(20), "expires_at": now() + TimeDelta::minutes(90),
    });
    let mut desk = desk(vec![
        item("one", hostile),
        item("two", json!({"mode": "async"})),
    ]);
    for opened in [false, true] {
        if opened {
            press(&mut desk, "\n");
        }
        for (width, height) in [(1, 1), (20, 5), (40, 12), (71, 20), (200, 60)] {
            let (screen, _) = drawn(&desk, width, height, true);
            assert!(
                !screen.contains(['\u{1b}', '\u{7}', '\u{202e}']),
                "{screen}"
            );
        }
    }
    let mut desk = self::desk(vec![
        item("one", json!({})),
        item("two", json!({"mode": "async"})),
    ]);
    desk.update(Message::Notice("no answer from the server".into()));
    let (screen, colours) = drawn(&desk, 40, 12, true);
    for part in [
        "SYNC",
        "ASYNC",
        "no answer from the server",
        "backend: one?",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    assert!(colours.contains(&Color::Red) && colours.contains(&Color::Blue));
    let (_, colours) = drawn(&desk, 40, 12, false);
    assert!(colours.iter().all(|colour| *colour == Color::Reset));
    desk.update(Message::Notice("the server is there again".into()));
    assert!(desk.away.is_none());
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
        serde_json::from_str(include_str!("../../../fixtures/hostile_text.json")).unwrap();
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
            json!({"fallback": text, "task": {"id": text, "title": text, "step": text}}),
            json!({"kind": "approval", "action": {"tool": "sh", "arguments": {"command": text}}}),
        ] {
            let mut desk = desk(vec![item("one", more)]);
            shown += &drawn(&desk, 150, 20, true).0;
            press(&mut desk, "\n");
            shown += &drawn(&desk, 150, 400, true).0;
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
fn one_sees_what_happens_if_one_does_nothing() {
    let more = json!({"fallback": "200 ms", "expires_at": now() + TimeDelta::hours(1)});
    let mut desk = desk(vec![item("one", more)]);
    press(&mut desk, "\n");
    let (screen, _) = drawn(&desk, 80, 20, true);
    for part in [
        "1 h left",
        "If nobody answers in time, it goes on with: 200 ms",
    ] {
        assert!(screen.contains(part), "{screen}");
    }
    desk.update(Message::Changed(Box::new(item(
        "two",
        json!({"fallback": ["a", "b"]}),
    ))));
    press(&mut desk, "\u{1b}j\n");
    let (screen, _) = drawn(&desk, 80, 20, true);
    assert!(screen.contains(r#"it goes on with: ["a","b"]"#), "{screen}");
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
