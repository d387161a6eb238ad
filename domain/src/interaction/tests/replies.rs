//! What a message in the thread of a card is, for every kind and state.

use serde_json::json;
use uuid::Uuid;

use crate::{
    Changeset, Interaction, MessageId, Payload, Principal, Refused, Role, Write,
    interaction::{FormAnswer, Kind, decide},
    slack::Reply,
    testing::{Counter, agent, answer_to, at, given, opened, person, with, written},
};

const MESSAGE: MessageId = MessageId(Uuid::from_u128(77));
const KINDS: [Kind; 6] = [
    Kind::Question,
    Kind::Choice,
    Kind::Acknowledgement,
    Kind::Approval,
    Kind::PlanReview,
    Kind::Form,
];

fn reply(text: &str) -> Reply {
    Reply {
        message: MESSAGE,
        text: text.into(),
        is_edit: false,
    }
}

fn edit(text: &str) -> Reply {
    Reply {
        is_edit: true,
        ..reply(text)
    }
}

fn said(one: &Interaction, reply: &Reply) -> Result<Changeset, Refused> {
    let ids = Counter::default();
    decide::reply(one, reply, &person(Role::Responder), None, at(&ids, 1))
}

fn pending(kind: Kind) -> Interaction {
    let fields = json!({"timeout_seconds": 60});
    written(&opened(with(kind, fields), None, &Counter::default()))
}

fn answered(kind: Kind) -> Interaction {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let draft = given(answer_to(kind));
    written(&decide::answer(&pending(kind), draft, &ana, None, at(&ids, 1)).unwrap())
}

/// Every reply that is taken counts once.
fn is_heard(changeset: &Changeset) -> bool {
    let last = changeset.writes.last();
    matches!(last, Some(Write::Heard { message, .. }) if *message == MESSAGE)
}

#[test]
fn words_answer_questions_and_forms_and_nothing_else() {
    for kind in KINDS {
        for text in ["yes", "approved", "true", "proceed", "lru", "80"] {
            let one = pending(kind);
            match (kind, said(&one, &reply(text))) {
                (Kind::Question | Kind::Form, Ok(changeset)) => assert!(is_heard(&changeset)),
                (_, outcome) => assert_eq!(outcome, Err(Refused::UseTheButtons), "{kind:?}"),
            }
            assert!(!matches!(one.approved(), Some(true)));
        }
    }
}

#[test]
fn the_text_is_the_answer_byte_for_byte() {
    let text = " a\r\n\tb & <c> 🦀 \u{0} ";
    let changeset = said(&pending(Kind::Question), &reply(text)).unwrap();
    let Payload::Resolved { answer, .. } = &changeset.events[0].payload else {
        panic!("{changeset:?}");
    };
    let content = crate::interaction::AnswerContent::Text { text: text.into() };
    assert_eq!(answer.content, content);
    // A file alone says nothing.
    for nothing in ["", " \n", "\u{200b}"] {
        let outcome = said(&pending(Kind::Question), &reply(nothing));
        assert!(matches!(outcome, Err(Refused::Invalid(_))), "{nothing:?}");
    }
    let long = said(&pending(Kind::Question), &reply(&"x".repeat(20_001)));
    assert!(matches!(long, Err(Refused::Invalid(_))));
}

#[test]
fn a_form_takes_the_next_answer_and_knows_its_options() {
    let form = pending(Kind::Form);
    let first = written(&said(&form, &reply("8080")).unwrap());
    let port = FormAnswer::One("8080".into());
    assert_eq!(first.progress().unwrap().get("port"), Some(&port));
    for wrong in ["prod", "staging, production", "8080"] {
        let Err(Refused::Invalid(faults)) = said(&first, &reply(wrong)) else {
            panic!("{wrong}");
        };
        assert_eq!(faults[0].message, "must be one of: staging, production");
    }
    let last = written(&said(&first, &reply("\nPRODUCTION ")).unwrap());
    assert!(last.resume_prompt().unwrap().contains("env: production"));
}

#[test]
fn an_option_that_is_not_clear_is_not_guessed() {
    let questions = json!({"questions": [{"id": "q", "prompt": "?", "multiple": true, "options": [
        {"value": "a", "label": "B"}, {"value": "b", "label": "C"}, {"value": "d", "label": "D"},
    ]}]});
    let form = written(&opened(
        with(Kind::Form, questions),
        None,
        &Counter::default(),
    ));
    assert!(matches!(said(&form, &reply("b")), Err(Refused::Invalid(_))));
    let clear = written(&said(&form, &reply("c")).unwrap());
    assert!(clear.resume_prompt().unwrap().contains("q: b"));
    // A value and its own label are one option.
    assert!(said(&form, &reply("D")).is_ok());
}

#[test]
fn a_reply_to_what_is_closed_is_a_follow_up() {
    let ids = Counter::default();
    for kind in KINDS {
        let own = Principal::Agent(agent());
        let cancelled = decide::cancel(&pending(kind), &own, None, None, at(&ids, 1)).unwrap();
        let expired = decide::expire(&pending(kind), None, at(&ids, 60)).unwrap();
        for closed in [answered(kind), written(&cancelled), written(&expired)] {
            let changeset = said(&closed, &reply("more")).unwrap();
            assert!(is_heard(&changeset));
            let next = written(&changeset);
            assert_eq!(next.state, closed.state, "{kind:?}");
            assert_eq!(next.follow_ups.last().unwrap().text, "more");
        }
    }
    let late = pending(Kind::Question);
    let ana = person(Role::Responder);
    let outcome = decide::reply(&late, &reply("x"), &ana, None, at(&ids, 60));
    assert!(matches!(outcome, Err(Refused::Closed { .. })));
    let told = written(&opened(with(Kind::Notification, json!({})), None, &ids));
    assert!(matches!(said(&told, &reply("x")), Err(Refused::Invalid(_))));
}

#[test]
fn an_edit_is_kept_and_changes_nothing() {
    for one in [
        pending(Kind::Question),
        pending(Kind::Form),
        answered(Kind::Question),
        answered(Kind::Approval),
    ] {
        let changeset = said(&one, &edit("")).unwrap();
        assert_eq!(changeset.interaction(), None);
        assert_eq!(changeset.writes.len(), 1);
        assert!(is_heard(&changeset));
        let payload = Payload::ReplyEdited {
            text: String::new(),
        };
        assert_eq!(changeset.events[0].payload, payload);
    }
    let outcome = said(&pending(Kind::Approval), &edit("yes"));
    assert_eq!(outcome, Err(Refused::UseTheButtons));
}

#[test]
fn only_responders_reply() {
    let ids = Counter::default();
    for by in [Principal::Agent(agent()), person(Role::Viewer)] {
        for one in [pending(Kind::Question), answered(Kind::Question)] {
            for what in [reply("x"), edit("x")] {
                let outcome = decide::reply(&one, &what, &by, None, at(&ids, 1));
                assert_eq!(outcome, Err(Refused::NotAResponder));
            }
        }
    }
}
