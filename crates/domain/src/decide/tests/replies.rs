//! What a message in the thread of a card is, for every kind and state.

use chrono::DateTime;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Changeset, Interaction, InteractionEvent, MessageId, Payload, Principal, Refused, Role, Write,
    decide::interaction as decide,
    interaction::{FormAnswer, Kind, Shown},
    slack::{OnCard, Reply, Seen, Unseen},
    testing::{Counter, agent, answer_to, at, given, opened, person, with, written},
};

const MESSAGE: MessageId = MessageId(Uuid::from_u128(77));
const WRITTEN: i64 = 1_700_000_000;
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
        written_at: DateTime::from_timestamp(WRITTEN, 0),
        is_edit: false,
    }
}

/// As a reply finds it that was written when all of it stood on the card for long.
fn seen(one: &Interaction) -> Seen {
    Seen {
        shown: Shown::Whole,
        on_card: on_card(one, 0),
    }
}

/// Its next question came on the card so many seconds after the reply was written.
fn on_card(one: &Interaction, later: i64) -> Option<OnCard> {
    Some(OnCard {
        question: OnCard::name(one)?,
        since: DateTime::from_timestamp(WRITTEN + later, 0)?,
    })
}

fn edit(text: &str) -> Reply {
    Reply {
        is_edit: true,
        ..reply(text)
    }
}

fn said(one: &Interaction, reply: &Reply) -> Result<Changeset, Refused> {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    decide::reply(one, reply, &seen(one), &ana, None, at(&ids, 1))
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
    let Payload::Interaction(InteractionEvent::Resolved { answer, .. }) =
        &changeset.events[0].payload
    else {
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

/// A form of one question with these options.
fn choosing(options: Value) -> Interaction {
    let questions = json!([{"id": "q", "prompt": "?", "multiple": true, "options": options}]);
    let form = with(Kind::Form, json!({"questions": questions}));
    written(&opened(form, None, &Counter::default()))
}

#[test]
fn an_option_that_is_not_clear_is_not_guessed() {
    let form = choosing(json!([
        {"value": "a", "label": "B"}, {"value": "c", "label": "b"}, {"value": "b", "label": "D"},
    ]));
    for unclear in ["b", "B", " b "] {
        let outcome = said(&form, &reply(unclear));
        assert!(matches!(outcome, Err(Refused::Invalid(_))), "{unclear}");
    }
    let clear = written(&said(&form, &reply("d")).unwrap());
    assert!(clear.resume_prompt().unwrap().contains("q: b"));
}

#[test]
fn an_option_is_named_by_its_label_and_never_by_its_value() {
    let form = choosing(json!([
        {"value": "no", "label": "Delete all"}, {"value": "x", "label": "Keep"},
    ]));
    for nobody_saw in ["no", "NO", "x"] {
        let Err(Refused::Invalid(faults)) = said(&form, &reply(nobody_saw)) else {
            panic!("{nobody_saw}");
        };
        assert_eq!(faults[0].message, "must be one of: Delete all, Keep");
    }
    let named = written(&said(&form, &reply("delete all")).unwrap());
    assert!(named.resume_prompt().unwrap().contains("q: no"));
    // The label of one is the value of the other.
    let crossed = choosing(json!([
        {"value": "no", "label": "Yes"}, {"value": "yes", "label": "No"},
    ]));
    let named = written(&said(&crossed, &reply("no")).unwrap());
    assert!(named.resume_prompt().unwrap().contains("q: yes"));
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
    let outcome = decide::reply(&late, &reply("x"), &seen(&late), &ana, None, at(&ids, 60));
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
        let payload = Payload::Interaction(InteractionEvent::ReplyEdited {
            text: String::new(),
        });
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
                let outcome = decide::reply(&one, &what, &seen(&one), &by, None, at(&ids, 1));
                assert_eq!(outcome, Err(Refused::NotAResponder));
            }
        }
    }
}

/// What becomes of a reply to the second question of a form.
fn second(seen: &Seen, written_at: Option<i64>) -> Changeset {
    let ids = Counter::default();
    let form = written(&said(&pending(Kind::Form), &reply("8080")).unwrap());
    let reply = Reply {
        written_at: written_at.and_then(|at| DateTime::from_timestamp(at, 0)),
        ..reply("staging")
    };
    decide::reply(
        &form,
        &reply,
        seen,
        &person(Role::Responder),
        None,
        at(&ids, 1),
    )
    .unwrap()
}

#[test]
fn an_answer_belongs_to_the_question_its_author_saw() {
    let form = written(&said(&pending(Kind::Form), &reply("8080")).unwrap());
    let whole = |on_card| Seen {
        shown: Shown::Whole,
        on_card,
    };
    let other = OnCard {
        question: "port".into(),
        ..on_card(&form, -9).unwrap()
    };
    let now = Some(WRITTEN);
    for (seen, written_at, answers) in [
        (whole(on_card(&form, -1)), now, true),
        (whole(on_card(&form, 0)), now, true),
        // The second of two who replied at once.
        (whole(on_card(&form, 1)), now, false),
        // Another question stands there, or nobody knows which, or when it was written.
        (whole(Some(other)), now, false),
        (whole(None), now, false),
        (whole(on_card(&form, -1)), None, false),
    ] {
        let changeset = second(&seen, written_at);
        assert!(is_heard(&changeset));
        assert_eq!(changeset.interaction().is_some(), answers, "{seen:?}");
        let remark = Payload::Interaction(InteractionEvent::Remarked {
            text: "staging".into(),
            why: Unseen::AskedLater,
        });
        assert_eq!(changeset.events[0].payload == remark, !answers);
        assert_eq!(changeset.events.len(), 1);
    }
    // The first question is as old as the card.
    let first = pending(Kind::Form);
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let unknown = whole(None);
    let changeset = decide::reply(&first, &reply("1"), &unknown, &ana, None, at(&ids, 1)).unwrap();
    assert!(changeset.interaction().is_some());
    // But a message from an unknown time may be older.
    let undated = Reply {
        written_at: None,
        ..reply("1")
    };
    for one in [first, pending(Kind::Question)] {
        let changeset = decide::reply(&one, &undated, &seen(&one), &ana, None, at(&ids, 1));
        assert!(changeset.unwrap().interaction().is_none());
    }
}

#[test]
fn a_reply_to_the_last_question_belongs_to_the_answers_that_stood_beside_it() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let questions = json!([{"id": "port", "prompt": "Which?"}, {"id": "why", "prompt": "Why?"}]);
    let form = opened(
        with(Kind::Form, json!({ "questions": questions })),
        None,
        &ids,
    );
    // One without an answer is first once, and last once.
    for [other, last] in [["port", "why"], ["why", "port"]] {
        let with = |text: &str, form: &Interaction| {
            let draft = given(json!({"answers": {other: text}}));
            written(&decide::answer(form, draft, &ana, None, at(&ids, 1)).unwrap())
        };
        let shown = with("keep", &written(&form));
        let changed = with("drop", &shown);
        let by_id = OnCard {
            question: last.into(),
            ..on_card(&shown, -1).unwrap()
        };
        for (on_card, answers) in [
            (on_card(&changed, -1), true),
            (on_card(&changed, 1), false),
            (on_card(&shown, -1), false),
            // As a server of before has kept it.
            (Some(by_id), false),
            (None, false),
        ] {
            let seen = Seen {
                shown: Shown::Whole,
                on_card,
            };
            let reply = reply("so");
            let changeset =
                decide::reply(&changed, &reply, &seen, &ana, None, at(&ids, 2)).unwrap();
            assert_eq!(changeset.interaction().is_some(), answers, "{seen:?}");
        }
    }
}

#[test]
fn what_is_cut_on_the_card_is_answered_by_no_reply() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    for kind in [Kind::Question, Kind::Form] {
        let one = pending(kind);
        let cut = Seen {
            shown: Shown::Cut,
            ..seen(&one)
        };
        let reply_to = |one: &Interaction, what: &Reply, now| {
            decide::reply(one, what, &cut, &ana, None, at(&ids, now))
        };
        let changeset = reply_to(&one, &reply("8080"), 1).unwrap();
        assert!(is_heard(&changeset));
        assert_eq!(changeset.interaction(), None);
        let remark = Payload::Interaction(InteractionEvent::Remarked {
            text: "8080".into(),
            why: Unseen::Cut,
        });
        assert_eq!(changeset.events[0].payload, remark);
        // It is no way round the other rules.
        let blank = reply_to(&one, &reply(" "), 1);
        assert!(matches!(blank, Err(Refused::Invalid(_))));
        let late = reply_to(&one, &reply("x"), 60);
        assert!(matches!(late, Err(Refused::Closed { .. })));
        // What is closed asks nothing.
        let more = written(&reply_to(&answered(kind), &reply("more"), 1).unwrap());
        assert_eq!(more.follow_ups.len(), 1);
    }
}
